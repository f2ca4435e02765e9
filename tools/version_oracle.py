#!/usr/bin/env python3
"""warp_oracle.py for any version of Warp: what it cannot decorate is a row with an error, not the end of the file.

    version_oracle.py FILE.py [...]        one JSON line per kernel, as warp_oracle.py; needs warp-lang importable

Names are those of a fresh process: building one kernel that uses a component of a constant changes the hash of the next one that
calls the same function. A kernel that one device refuses has its text of the other, and `error_cpu` or `error`.
"""

import json
import pathlib
import sys

import warp_oracle

refused = []  # (name of the definition, message)


def tolerant(decorator, stand_in):
    """The decorator of a kernel, function or struct: a definition that it refuses becomes what `stand_in` makes of it."""

    def attempt(decorate, definition):
        try:
            return decorate(definition)
        except Exception as error:
            refused.append((definition.__name__, warp_oracle.message(error)))
            return stand_in(definition)

    def wrapped(definition=None, **options):
        if definition is not None and not options:
            return attempt(decorator, definition)
        return lambda definition: attempt(lambda d: decorator(**options)(d), definition)

    return wrapped


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


def rows_of(path):
    kernels = list(warp_oracle.kernels_of(path))
    names = [first_name(kernel) for kernel in kernels]
    for kernel, name in zip(kernels, names, strict=True):
        row = {"file": pathlib.Path(path).name, "kernel": kernel.key}
        built = {"cuda": text(kernel, "cuda", row, "error")}
        built["cpu"] = text(kernel, "cpu", row, "error_cpu")
        if row.get("error") == row.get("error_cpu"):
            row.pop("error_cpu", None)
        if "error" not in row:
            row["name"] = name or built["cuda"]
            for device, other in built.items():
                if other:
                    row[device] = row[device].replace(other, row["name"])
        yield row
    for name, message in refused:
        yield {"kernel": name, "error": f"decorator: {message}"}


def main():
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    wp.kernel, wp.struct = tolerant(wp.kernel, lambda d: None), tolerant(wp.struct, lambda d: d)
    plain = wp.func
    wp.func = tolerant(wp.func, plain)
    for path in sys.argv[1:]:
        refused.clear()
        for row in rows_of(path):
            print(json.dumps(row))


if __name__ == "__main__":
    main()
