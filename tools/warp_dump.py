#!/usr/bin/env python3
"""What an installed Warp registers, as JSON: every overload of every builtin as builtins.def spells it, and the digests of its own functions.

    warp_dump.py        {"version", "builtins": [row, ...], "library": {name: SHA-256}}; needs warp-lang importable

A row is {"name", "params": [[name, type, default or null], ...], "result", "native", "flags", "tile"}. `result` is the type where Warp says
it outright, else the name of the function that computes it. test_builtin_table.py compares these rows with weft's own.
"""

import json
import pathlib
import re
import sys
from collections.abc import Sequence
from typing import Any, get_args, get_origin

LIBRARY = pathlib.Path(__file__).resolve().parent.parent / "src" / "lang" / "library.def"
# Queries got kinds in 1.17; the kind that kept its public name has another name in the table, where the older type has it.
KIND_NAMES = {"MeshQueryAABB": "_MeshQueryAabb"}


def record_registrations():
    """Imports warp and returns the arguments of each registration of a builtin, in order."""
    calls = []

    def watch(frame, event, _):
        if event == "call" and frame.f_code.co_name == "add_builtin" and frame.f_back.f_code.co_name != "add_builtin":
            calls.append(dict(frame.f_locals))

    sys.setprofile(watch)
    try:
        import warp
    finally:
        sys.setprofile(None)
    return warp, calls


def generic_scalars():
    import warp._src.types as wt

    return {"Int": wt.int_types, "Float": wt.float_types, "Scalar": wt.scalar_types}


def spell(t):
    """A Warp type as builtins.def spells it."""
    import warp._src.types as wt

    if t is Any:
        return "Any"
    for name in generic_scalars():
        if t is getattr(wt, name):
            return name
    if t in (int, float):
        return {int: "int32", float: "float32"}[t]
    if wt.is_tile(t):
        return f"tile({spell(t.dtype)})"
    if wt.is_array(t):
        return f"{type(t).__name__}({spell(t.dtype)})"
    generic = getattr(t, "_wp_generic_type_str_", None)
    if generic:
        params = ["*" if p is Any else str(p) if isinstance(p, int) else spell(p) for p in t._wp_type_params_]
        if generic in ("vec_t", "mat_t"):
            params[:-1] = ["*" if p == "Any" else p for p in params[:-1]]
        return f"{generic.removesuffix('_t')}({','.join(params)})"
    if get_origin(t) is tuple:
        return f"tuple({','.join('...' if x is ... else x.__name__ for x in get_args(t))})"
    name = getattr(t, "__name__", None) or type(t).__name__
    return KIND_NAMES.get(name, name) if hasattr(wt, "MeshQuery") else name


def spell_default(value):
    import warp._src.types as wt

    if value is None:
        return "None"
    if isinstance(value, wt.uint32):
        return f"{value.value}u"
    return repr(value)


def result_texts(types):
    if types is None:
        return ""
    return ", ".join(spell(t) for t in (types if isinstance(types, Sequence) else [types]))


def uses_tiles(call):
    import warp._src.types as wt

    types = [*(call["input_types"] or {}).values(), call["value_type"]]
    return call["group"].startswith("Tile") or call["key"].endswith("_tiled") or any(
        wt.is_tile(t) or isinstance(t, wt.tile_stack) or "Tiled" in getattr(t, "__name__", "") for t in types
    )


def expected(call):
    """What a row of the table must say, but for the result."""
    defaults = call["defaults"] or {}
    params = []
    for name, t in (call["input_types"] or {}).items():
        text = spell(t)
        params.append([name, f"type({text})" if name == "dtype" else text, spell_default(defaults[name]) if name in defaults else None])
    flags = {
        "no_adjoint": not call["is_differentiable"],
        "skip_replay": call["skip_replay"],
        "needs_output": call["require_original_output_arg"],
        "global": call["namespace"] != "wp::",
        "hidden": not call["export"],
        "variadic": call["variadic"],
        "adjoint_template": call.get("adjoint_uses_template_args", False) or call["key"] == "tile_cholesky",
    }
    return {
        "params": params,
        "native": call["native_func"] or call["key"],
        "flags": [name for name, on in flags.items() if on],
    }


def row_of(call):
    function = call["value_func"] or call["dispatch_func"]
    function = getattr(function, "func", function)  # of a functools.partial
    result = f"by {function.__qualname__.split('.')[0]}" if function else result_texts(call["value_type"])
    return {"name": call["key"], "tile": uses_tiles(call), "result": result} | expected(call)


def library_digests(warp):
    """Of the functions that library.def names; one that this Warp lacks has none."""
    from warp._src.context import ModuleHasher

    warp.init()
    names = sorted(set(re.findall(r'^LIBRARY\(\w+, "(\w+)"', LIBRARY.read_text(), re.M)))
    found = {}
    for name in names:
        function = getattr(warp, name, None)
        if isinstance(function, warp.Function):
            options = function.module.resolve_options(warp.config, 256) | {"output_arch": None}
            found[name] = ModuleHasher([], options).hash_function(function).hex()
    return found


def main():
    warp, calls = record_registrations()
    warp.config.log_level = warp.LOG_ERROR
    print(json.dumps({"version": warp.__version__, "builtins": [row_of(c) for c in calls], "library": library_digests(warp)}))


if __name__ == "__main__":
    main()
