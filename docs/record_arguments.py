"""The arguments of a record's launches in memory, as Warp's headers lay them out, the same for both devices; and what came of them, compared.

For run_record.py; records.md describes all of it.
"""
import json, math, pathlib, re, subprocess  # noqa: E401

import numpy as np

NUMBERS = {"bool": "?", "float16": "f2", "bfloat16": "u2", "float32": "f4", "float64": "f8"}
NUMBERS.update({f"{u}int{bits}": f"{u or 'i'}{bits // 8}" for u in ("", "u") for bits in (8, 16, 32, 64)})
ARRAY = np.dtype([("data", "u8"), ("grad", "u8"), ("shape", "i4", 4), ("strides", "i4", 4), ("ndim", "u2"), ("flags", "u2")], align=True)


def lines_of(path):
    return map(json.loads, subprocess.run(["zstd", "-dcqf", path], check=True, capture_output=True).stdout.splitlines())


def read_records(path):
    """The records of a file, with the details that stand beside it, which have the same order."""
    details = pathlib.Path(path).with_name("details-" + pathlib.Path(path).name.replace(".jsonl", ".ndjson"))
    if not details.exists():
        return lines_of(path)
    return ({**record, **more} for record, more in zip(lines_of(path), lines_of(details)))


def numbers(row):
    values = np.array(row["floats"] or row["ints"] or [], "f8" if row["floats"] else "i8").reshape(row["shape"])
    return (values.astype("f4").view("u4") >> 16 if row["type"] == "bfloat16" else values).astype(NUMBERS[row["type"]])


def as_floats(values, kind):
    return (values.astype("u4") << 16).view("f4") if kind == "bfloat16" else values


class Argument:
    """A parameter, or a field of a struct; `fields`: those of a struct, also where it is an element of an array."""

    def __init__(self, rows, launch_rows):
        self.name, self.path = rows[0]["name"], rows[0]["field"]
        array = re.match(r"array\(ndim=(\d)", rows[0]["type"])
        self.ndim = int(array[1]) if array else 0
        self.row = launch_rows.get((self.name, self.path))  # its numbers; of a struct None
        depth = len(self.path.split(".")) if self.path else 0
        starts = [i for i in range(1, len(rows)) if rows[i]["field"].count(".") == depth] + [len(rows)]
        self.fields = [Argument(rows[a:b], launch_rows) for a, b in zip(starts, starts[1:])]
        leaf = self
        while leaf.fields:
            leaf = leaf.fields[0]
        self.label = (self.path or self.name).split(".")[-1]
        self.shape = leaf.row["shape"][:self.ndim] if self.ndim else []
        if self.ndim:
            self.data = np.zeros(self.shape, self.layout(self.ndim))
            self.fill(self.data)
            self.grad = np.zeros_like(self.data) if self.has_floats() else None

    def has_floats(self):
        return any(field.has_floats() for field in self.fields) or (not self.fields and "float" in self.row["type"])

    def layout(self, dims=0):
        """Of the value; of an element, where `dims` are the dimensions of the array."""
        if self.ndim and not dims:
            return ARRAY
        if self.fields:
            return np.dtype([(field.label, field.layout(dims)) for field in self.fields], align=True)
        return np.dtype((NUMBERS[self.row["type"]], tuple(self.row["shape"][dims:])))

    def fill(self, target):
        for field in self.fields:
            field.fill(target[field.label])
        if not self.fields:
            target[...] = numbers(self.row)

    def arrays(self):
        return [self] if self.ndim else [array for field in self.fields for array in field.arrays()]

    def put(self, target, adjoint, in_struct=False):
        """As the kernel gets it. Adjoints: an array of the gradients; plain fields of a struct as they are, other plain values 0."""
        if self.ndim and not (adjoint and self.grad is None):
            target["data"], target["grad"] = (self.on_device[1], 0) if adjoint else self.on_device
            target["ndim"], target["shape"][:self.ndim] = self.ndim, self.shape
            size = self.layout(self.ndim).itemsize
            target["strides"][:self.ndim] = [size * math.prod(self.shape[i + 1:]) for i in range(self.ndim)]
        elif not self.ndim and self.fields:
            for field in self.fields:
                field.put(target[field.label], adjoint, True)
        elif not self.ndim and (in_struct or not adjoint):
            target[...] = numbers(self.row)


class Launch:
    def __init__(self, record, launch, machine):
        rows, given = {}, {(row["name"], row["field"]): row for row in launch["inputs"]}
        for row in record["arguments"]:
            rows.setdefault(row["name"], []).append(row)
        self.machine, self.dim, self.block = machine, list(launch["dim"]), record["block_dim"]
        if self.block and machine.language == "cpp" and len(self.dim) > 1 and self.dim[-1] == self.block:
            self.dim[-1] = 1  # the lanes of a block: on the CPU there is one
        self.arguments = [Argument(group, given) for group in rows.values()]
        self.arrays = {(a.name, a.path): a for argument in self.arguments for a in argument.arrays()}
        for array in self.arrays.values():
            array.on_device = [0 if part is None else machine.place(part) for part in (array.data, array.grad)]

    def packed(self, adjoint=False):
        whole = np.zeros((), np.dtype([(a.name, a.layout()) for a in self.arguments], align=True))
        for argument in self.arguments:
            argument.put(whole[argument.name], adjoint)
        return whole

    def bounds(self, count):
        """launch_bounds_t<count>, of a kernel that asks for `count` indices: threads of all further dimensions have the same ones."""
        whole = np.zeros((), np.dtype([("shape", "u4", (count,)), ("size", "u8"), ("coord_mult", "u8")], align=True))
        whole["shape"] = (self.dim + [1] * count)[:count]
        whole["size"], whole["coord_mult"] = math.prod(self.dim), math.prod(self.dim[count:])
        return whole

    def rows_of(self, rows, gradients):
        """Each row with the memory that it is about."""
        for row in rows:
            path = row["field"].split(".") if row["field"] else []
            cut = next(i for i in range(len(path) + 1) if (row["name"], ".".join(path[:i]) or None) in self.arrays)
            array = self.arrays[row["name"], ".".join(path[:cut]) or None]
            part = array.grad if gradients else array.data
            for label in path[cut:]:
                part = part[label]
            yield row, part

    def move(self, call, gradients):
        for array in self.arrays.values():
            if not gradients or array.grad is not None:
                call(array.grad if gradients else array.data, array.on_device[gradients])

    def differences(self, rows, gradients):
        self.move(self.machine.fetch, gradients)
        for row, part in self.rows_of(rows, gradients):
            off = np.abs(as_floats(part, row["type"]).astype("f8") - as_floats(numbers(row), row["type"]).astype("f8"))
            if not np.all(off <= (row["tolerance"] or 0)):
                yield f"{'gradient of ' if gradients else ''}{row['name']}.{row['field'] or ''} is off by {np.max(off)}, tolerance {row['tolerance']}"

    def run(self, kernel, launch):
        before = {key: array.data.tobytes() for key, array in self.arrays.items()}
        kernel(self, False)
        yield from self.differences(launch["outputs"], False)
        changed = {row["name"] for row in launch["outputs"]}
        for (name, path), array in self.arrays.items():
            if name not in changed and array.data.tobytes() != before[name, path]:
                yield f"{name} changes"
        if launch["gradients"] is not None:
            for row, part in self.rows_of(launch["output_gradients"], True):
                part[...] = numbers(row)
            self.move(self.machine.send, True)
            kernel(self, True)
            yield from self.differences(launch["gradients"], True)


def asks_for_lane(record):
    return record["block_dim"] and index_count(record, record["device"].replace("both", "cuda").replace("cpu", "cpp")) == len(record["launch_dim"])


def index_count(record, language):
    return int(re.search(r"launch_bounds_t<(\d)>", record[f"{language}_forward"])[1])
