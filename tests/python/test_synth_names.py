#!/usr/bin/env python3
"""Invented kernels are named as people name them: about half of the kernels are private (`_update`), many end in `_kernel`, projects
have words of their own. The names of one kernel agree: private functions go with private kernels, and one author calls indices
either idx or id. No name is one that C++ keeps for itself (`__x`), and few locals are called after an array and the thread, `mass_i`."""
import ast
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
LIMITS = {  # of 100 kernels, from below and above
    "kernels that begin with _": (35, 62),
    "kernels with the word kernel": (25, 55),
    "kernels with private functions, of private ones": (55, 95),
    "kernels with private functions, of others": (1, 20),
    "kernels with idx and id as endings": (0, 4),
    "different names of kernels": (88, 100),
    "kernels with a local of an array and the thread": (0, 20),
}


def names_of(source):
    tree = ast.parse(source)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    return functions, names | {f.name for f in functions} | {n.name for n in tree.body if isinstance(n, ast.ClassDef)}


def follows_thread(kernel):
    """mass_i = masses[i]"""
    for n in ast.walk(kernel):
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Subscript) and isinstance(n.targets[0], ast.Name):
            if re.search(r"[a-z0-9]{2}_i$", n.targets[0].id) and not isinstance(n.value.slice, ast.Tuple):
                return True
    return False


def main():
    printed = subprocess.run([WEFT, "synth", "-n", "3000", "-s", "4127", "--json"], capture_output=True, text=True, check=True).stdout
    share, of, kernels, reserved = collections.Counter(), collections.Counter(), set(), 0
    for line in printed.splitlines():
        record = json.loads(line)
        functions, names = names_of(record["python_source"])
        kernel = record["kernel_name"]
        kernels.add(kernel)
        share["kernels that begin with _"] += kernel.startswith("_")
        share["kernels with the word kernel"] += "kernel" in kernel.lower()
        share["kernels with a local of an array and the thread"] += follows_thread(functions[-1])
        share["kernels with idx and id as endings"] += any(n.endswith("_idx") for n in names) and any(n.endswith("_id") for n in names)
        if len(functions) > 1:
            which = "kernels with private functions, of " + ("private ones" if kernel.startswith("_") else "others")
            share[which] += functions[0].name.startswith("_")
            of[which] += 1
        for name in sorted(n for n in names if n.startswith("__")):
            reserved += 1
            print(f"C++ keeps '{name}' for itself:\n{record['python_source']}")
    count = len(printed.splitlines())
    share["different names of kernels"] = len(kernels)
    wrong = 0
    for what, (low, high) in LIMITS.items():
        percent = 100 * share[what] / (of[what] or count)
        wrong += not low <= percent <= high
        print(f"{percent:5.1f} % {what}" + ("" if low <= percent <= high else f": {low} to {high} are expected"))
    return 1 if wrong or reserved else 0


if __name__ == "__main__":
    sys.exit(main())
