#!/usr/bin/env python3
"""warp_oracle.py for any version of Warp: what it cannot even define is a row with an error, not the end of the file.

    version_oracle.py FILE.py [...]        one JSON line per kernel, as warp_oracle.py; needs warp-lang importable

Names are those of a fresh process: building one kernel that uses a component of a constant changes the hash of the next one that
calls the same function. A kernel that one device refuses has its text of the other, and `error_cpu` or `error`.
"""

import ast
import json
import os
import pathlib
import sys
import tempfile
import traceback

import warp_oracle


def refused_statement(tree, error, path):
    """The statement of the file that raised the error; None: it was raised elsewhere."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    for statement in tree.body:
        first = min([statement.lineno] + [d.lineno for d in getattr(statement, "decorator_list", [])])
        if lines and first <= lines[0] <= statement.end_lineno:
            return statement, first
    return None


def in_a_child(work):
    """What `work()` returns, from a process of its own: Warp numbers functions as long as a process lives."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writer, "w") as out:
            json.dump(work(), out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text)


def attempt(copy, lines):
    """The rows of the kernels; or the definition that this version refuses: its name, first and last line, and the message."""
    try:
        kernels = list(warp_oracle.kernels_of(copy))
    except Exception as error:
        found = refused_statement(ast.parse("".join(lines)), error, copy)
        if not found:
            return {"error": warp_oracle.message(error)}
        statement, first = found
        name = getattr(statement, "name", None)
        return {"name": name, "lines": [first, statement.end_lineno], "error": warp_oracle.message(error)}
    return list(rows_of(kernels))


def rows_of_file(path, folder):
    lines = pathlib.Path(path).read_text().splitlines(keepends=True)
    copy, refused = pathlib.Path(folder) / pathlib.Path(path).name, []
    while True:
        copy.write_text("".join(lines))
        answer = in_a_child(lambda: attempt(copy, lines))
        if isinstance(answer, list):
            return [row | {"file": copy.name} for row in answer] + refused
        if "lines" not in answer:
            return [{"file": copy.name, "error": answer["error"]}]
        first, last = answer["lines"]
        refused.append({"kernel": answer["name"] or f"line {first}", "error": f"definition: {answer['error']}"})
        for i in range(first - 1, last):  # what follows keeps its lines, and finds None
            lines[i] = "\n"
        if answer["name"]:
            lines[first - 1] = f"{answer['name']} = None\n"


def text(kernel, device, row, key):
    try:
        row[device] = warp_oracle.warp_text(kernel, device)
        return kernel.get_mangled_name()
    except Exception as error:
        row[key] = warp_oracle.message(error)
        return None


def first_name(kernel):
    """Before anything is built; None where only a build can tell, or Warp refuses to."""
    if kernel.module.has_unresolved_static_expressions:
        return None
    try:
        warp_oracle.hash_kernel(kernel, "cuda")
        return kernel.get_mangled_name()
    except Exception:
        return None


def rows_of(kernels):
    names = [first_name(kernel) for kernel in kernels]
    for kernel, name in zip(kernels, names, strict=True):
        row = {"kernel": kernel.key}
        built = {"cuda": text(kernel, "cuda", row, "error")}
        built["cpu"] = text(kernel, "cpu", row, "error_cpu")
        if "error" in row:
            row.pop("error_cpu", None)
        else:
            row["name"] = name or built["cuda"]
            for device, other in built.items():
                if other:
                    row[device] = row[device].replace(other, row["name"])
        yield row


def main():
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    for path in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            for row in rows_of_file(path, folder):
                if "error" in row:
                    row["error"] = row["error"].replace(folder + "/", "")
                print(json.dumps(row))


if __name__ == "__main__":
    main()
