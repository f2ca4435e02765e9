#!/usr/bin/env python3
"""The column line_map, and that of weft extract --line-map: each line of the source leads to lines of the generated texts that do what it
says, in the kernel and in its functions."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
CALLED = re.compile(r"\bwp\.(sin|cos|exp|log|sqrt|abs|tanh|dot|cross|length|normalize|clamp|pow|floor)\(")


def owners(source):
    """For each line of the source: "function", "kernel", or None outside of both."""
    owner, found = None, []
    for line in source.split("\n"):
        if line.startswith("@"):
            owner = {"@wp.func": "function", "@wp.kernel": "kernel"}.get(line.strip().split("(")[0])
        elif line and not line[0].isspace() and not line.startswith(("def ", ")")):
            owner = None
        found.append(owner)
    return found


def problems(record):
    source, belongs = record["python_source"].split("\n"), owners(record["python_source"])
    for entry in record["line_map"]:
        lines = record[entry["text"]].split("\n")
        where = f"{record['id']}: {entry}"
        if not 1 <= entry["first_line"] <= entry["last_line"] < len(lines):
            yield f"{where}: {len(lines)} lines"
        if belongs[entry["python_line"] - 1] != ("function" if entry["text"].endswith("_helpers") else "kernel"):
            yield f"{where}: {source[entry['python_line'] - 1]!r}"
    for number, line in enumerate(source, 1):
        wanted = CALLED.search(line.split("#")[0])
        if not wanted or not belongs[number - 1]:
            continue
        text = "cuda_helpers" if belongs[number - 1] == "function" else "cuda_forward"
        found = [record[text].split("\n")[at] for entry in record["line_map"] if (entry["text"], entry["python_line"]) == (text, number)
                 for at in range(entry["first_line"] - 1, entry["last_line"])]
        if found and not any(f"wp::{wanted.group(1)}(" in each for each in found):
            yield f"{record['id']}: line {number} {line!r} leads to {found}"


def extracted(records, folder):
    """The records of the kernels as files: it has the lines of both devices."""
    for record in records:
        path = pathlib.Path(folder, record["kernel_name"] + ".py")
        path.write_text(record["python_source"])
        done = subprocess.run([WEFT, "extract", path, "--json", "--line-map", "-d", "both", "-k", record["kernel_name"]], check=True,
                              capture_output=True, text=True)
        found = json.loads(done.stdout)
        cuda = [entry | {"text": entry["text"].replace("prelude", "helpers")} for entry in found["line_map"] if entry["text"].startswith("cuda")]
        if [entry for entry in cuda if entry["text"] != "cuda_backward"] != [e for e in record["line_map"] if e["text"] != "cuda_backward"]:
            yield f"{record['id']}: weft extract --line-map gives other lines"
        for entry in found["line_map"]:
            if not 1 <= entry["first_line"] <= entry["last_line"] <= found[entry["text"]].count("\n"):
                yield f"{record['id']}: weft extract: {entry}"
        if not any(entry["text"] == "cpp_forward" for entry in found["line_map"]):
            yield f"{record['id']}: weft extract: no lines of the C++ text"


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([WEFT, "produce", "-n", "120", "-s", "5", "-o", folder + "/set", "--no-compress", "--full", "--no-readable", "--launches", "0", "-q"],
                       check=True)
        records = [json.loads(line) for path in pathlib.Path(folder, "set").glob("*.jsonl") for line in path.open()]
        elsewhere = list(extracted(records[:20], folder))
    wrong = [text for record in records for text in problems(record)] + elsewhere
    without = [record["id"] for record in records if "@wp.func\n" in record["python_source"] and record["cuda_helpers"]
               and not any(entry["text"] == "cuda_helpers" for entry in record["line_map"])]
    mapped = sum(entry["text"] == "cuda_helpers" for record in records for entry in record["line_map"])
    print(*wrong[:20], f"{len(records)} records, {mapped} entries of functions, {len(wrong)} wrong; without their functions: {without}", sep="\n")
    return 1 if wrong or without or mapped < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
