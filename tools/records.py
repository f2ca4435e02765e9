"""Records of data sets, and of `weft synth --json`, as tests and tools think of them: by name."""

import math
import re


def is_integer(type_name):
    return bool(re.search(r"(^|[ =.])(u?int\d*|bool|vec\d[bsiu]\w*)\)*$", type_name))


def about(row):
    """What is said about one argument or field: {"shape": [64], "range": [-2.0, 2.0], "output": True, …}."""
    number = int if is_integer(row["type"]) else float
    found = {"shape": row["shape"]} if row["shape"] is not None else {}
    if row["low"] is not None:
        found["range"] = [number(row["low"]), number(row["high"])]
    if row["value"] is not None:
        found["value"] = number(row["value"])
    if row["sorted"]:
        found["sorted"] = True
    if row["role"] not in ("input", "size"):
        found["output"] = True
    return found


def launch_of(record):
    """{"dim": [64], "block_dim": 0, "args": {"a": {…}, "p": {"fields": {"mass": {…}}}}}"""
    args = {}
    for row in record["arguments"]:
        if row["field"] is None:
            args[row["name"]] = about(row)
        else:
            args[row["name"]].setdefault("fields", {})[row["field"]] = about(row)
    return {"dim": record["launch_dim"], "block_dim": record.get("block_dim") or 0, "args": args}


def types_of(record):
    """{argument: its type}, in order."""
    return {row["name"]: row["type"] for row in record["arguments"] if row["field"] is None}


def plan_of(record):
    """The plan with roles and counts by name; `choices` are those of the first scene."""
    plan = record["plan"]
    choices = {row["name"]: row["value"] for row in plan["choices"] if row["scene"] == 0}
    return {"scene": plan["scenes"][0], "then": plan["scenes"][1:], "laws": plan["laws"], "choices": choices,
            "roles": {row["role"]: row for row in plan["roles"]}, "derived": plan["derived"],
            "counts": {row["of"]: row["value"] for row in plan["counts"]}}


# ---- values ----


def nested(numbers, shape):
    """A flat list as lists in lists; of no dimension: the number itself."""
    if not shape:
        return numbers[0]
    step = math.prod(shape[1:])
    return [nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def numbers_of(row):
    numbers = row["ints"] if row["floats"] is None else row["floats"]
    if row["type"] == "bool":
        numbers = [bool(n) for n in numbers]
    elif row["type"] == "uint64":  # recorded as a signed number of the same bits
        numbers = [n % 2**64 for n in numbers]
    return nested(numbers, row["shape"])


def values_of(rows):
    """{argument: its value} of a part of a launch; of an array of structs, an object with an array for each field."""
    values = {}
    for row in rows:
        if row["field"] is None:
            values[row["name"]] = numbers_of(row)
            continue
        at = values.setdefault(row["name"], {})
        *path, last = row["field"].split(".")
        for part in path:
            at = at.setdefault(part, {})
        at[last] = numbers_of(row)
    return values


def io_of(launch):
    """A launch of a record by name: dim, inputs, outputs, and, where they are recorded, cotangents and gradients."""
    parts = ("inputs", "outputs", "output_gradients", "gradients")
    return {"dim": launch["dim"]} | {part: values_of(launch[part]) for part in parts if launch[part] is not None}
