#!/usr/bin/env python3
"""Compares weft's builtin table with the one an installed Warp registers.

    test_builtin_table.py [VERSION]        of Warp, by default the one the tests use; builtins_json is in $WEFT_BUILD, or build/

Every overload that Warp registers is compared, by name and in order: parameters, types, defaults, result, native
name, flags. Of tile functions the result is not compared: golden kernels show it. A mistake prints the one field
that differs; the last line counts. Exit status 77: there is no such Warp to compare with.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import warp_package  # noqa: E402
from warp_dump import expected, generic_scalars, record_registrations, result_texts, spell, uses_tiles  # noqa: E402

VERSION = sys.argv[1] if len(sys.argv) > 1 else warp_package.VERSION
if importlib.util.find_spec("warp") is None:  # not in this Python: run again in the one that has it
    found = warp_package.find_warp(VERSION)
    if found is None:
        sys.exit(print(f"skipped: Warp {VERSION} is not installed; run tools/venv.sh {VERSION}") or 77)
    os.execv(found[0], [found[0], *sys.argv])


wp, CALLS = record_registrations()
if wp.__version__ != VERSION:
    sys.exit(print(f"skipped: the table is that of Warp {VERSION}, this is {wp.__version__}") or 77)

import warp._src.types as wt  # noqa: E402

# The value function (or, where Warp has none, the dispatch function) that a rule of rule.def stands for.
RULES = {
    "sametypes_create_value_func": "=",
    "scalar_sametypes_value_func": "@same_scalar",
    "float_sametypes_value_func": "@same_scalar",
    "inverse_value_func": "@first",
    "determinant_value_func": "@first_scalar",
    "matrix_from_vecs_create_value_func": {"matrix_from_cols": "@matrix_from_cols", "matrix_from_rows": "@matrix_from_rows"},
    "outer_value_func": "@outer",
    "trace_value_func": "@trace",
    "diag_value_func": "@diag",
    "get_diag_value_func": "@get_diag",
    "vector_value_func": "@vector",
    "matrix_value_func": "@matrix",
    "matrix_transform_value_func": "@matrix_transform",
    "identity_value_func": "@identity",
    "quaternion_value_func": "@quaternion",
    "quat_identity_value_func": "@quat_identity",
    "transformation_value_func": "@transformation",
    "transformation_pq_value_func": "@transformation_pq",
    "transform_identity_value_func": "@transform_identity",
    "spatial_vector_value_func": "@spatial_vector",
    "lerp_create_value_func": "@lerp",
    "scalar_mul_create_value_func": "@scalar_mul",
    "matvec_mul_value_func": "@matvec",
    "mul_vecmat_value_func": "@vecmat",
    "matmat_mul_value_func": "@matmat",
    "expect_eq_value_func": "@expect_eq",
    "volume_value_func": "@volume_dtype",
    "volume_lookup_value_func": "@volume_dtype",
    "volume_sample_grad_value_func": "@volume_grad",
    "volume_store_value_func": "@volume_store",
    "volume_sample_index_value_func": "@volume_index",
    "volume_sample_grad_index_value_func": "@volume_grad_index",
    "texture_sample_1d_value_func": "@texture",
    "texture_sample_2d_value_func": "@texture",
    "texture_sample_3d_value_func": "@texture",
    "printf_value_func": "@printf",
    "copy_value_func": "@copy",
    "select_value_func": "@select",
    "where_value_func": "@where",
    "array_value_func": "@array",
    "zeros_value_func": "@zeros",
    "address_value_func": "@address",
    "view_value_func": "@view",
    "array_store_value_func": "@array_store",
    "store_value_func": "@store",
    "create_atomic_op_value_func": {
        "atomic_add": "@atomic_add", "atomic_sub": "@atomic_add", "atomic_min": "@atomic_min",
        "atomic_max": "@atomic_min", "atomic_cas": "@atomic_cas", "atomic_exch": "@atomic_cas",
        "atomic_and": "@atomic_bits", "atomic_or": "@atomic_bits", "atomic_xor": "@atomic_bits",
    },
    "vector_extract_value_func": "@vector_extract",
    "matrix_extract_value_func": "@matrix_extract",
    "vector_index_value_func": "@vector_index",
    "matrix_ij_value_func": "@matrix_index",
    "matrix_index_row_value_func": {"index": "@matrix_row_plain", "indexref": "@matrix_row"},
    "matrix_index_value_func": "@matrix_index_plain",
    "vector_assign_dispatch_func": "@vector_assign",
    "matrix_assign_dispatch_func": "@matrix_assign",
    "vector_assign_copy_value_func": "@vector_assign_copy",
    "matrix_assign_copy_value_func": "@matrix_assign_copy",
    "static_len_value_func": "@static_len",
    "cast_value_func": "@cast",
    "tuple_value_func": "@tuple",
    "tuple_extract_value_func": "@tuple_extract",
    "slice_value_func": "@slice",
}
# Rules of functions that Warp writes as a lambda.
LAMBDA_RULES = {"transpose": "@transpose", "load": "@load"}

GENERIC_SCALARS = generic_scalars()


def concrete(t, scalar, length):
    """The type with `scalar` for its generic scalar and `length` for its generic dimensions; None if it cannot be."""
    if t is Any:
        return scalar
    for name, members in GENERIC_SCALARS.items():
        if t is getattr(wt, name):
            return scalar if scalar in members else None
    if wt.is_array(t):
        dtype = concrete(t.dtype, scalar, length)
        return None if dtype is None else type(t)(dtype=dtype, ndim=1)
    generic = getattr(t, "_wp_generic_type_str_", None)
    if generic is None:
        return t
    dtype = concrete(t._wp_scalar_type_, scalar, length)
    if dtype is None:
        return None
    if generic == "vec_t":
        return wt.vector(length=length if t._length_ in (Any, 0) else t._length_, dtype=dtype)
    if generic == "mat_t":
        return wt.matrix(shape=tuple(length if n in (Any, 0) else n for n in t._shape_), dtype=dtype)
    return {"quat_t": wt.quaternion, "transform_t": wt.transformation}[generic](dtype=dtype)


def samples(call):
    """Concrete argument types, for every scalar type that the parameters allow and two lengths."""
    for scalar in wt.scalar_types:
        for length in (2, 3):
            args = {k: concrete(t, scalar, length) for k, t in (call["input_types"] or {}).items()}
            if None not in args.values():
                yield scalar, args


def refuses(call, args):
    """Does the value function complain when the last argument has another type than the rest?"""
    *_, last = args
    other = wt.float64 if wt.type_scalar_type(args[last]) is not wt.float64 else wt.float32
    try:
        call["value_func"]({**args, last: concrete(call["input_types"][last], other, 4)}, {})
    except RuntimeError:
        return True
    return False


def compare_result(call, row):
    """None, or (what the row says, what Warp does)."""
    result, func = row["result"], call["value_func"]
    origin = func or call["dispatch_func"]
    rule = RULES.get(origin.__qualname__.split(".")[0]) if origin else None
    if isinstance(rule, dict):
        rule = rule[call["key"]]
    if rule is None and func and func.__name__ == "<lambda>":
        rule = LAMBDA_RULES.get(call["key"])
    if rule is None and func is None:  # the type is said outright
        said = result_texts(call["value_type"])
        return None if result == said else (result, said)
    if rule is not None and result != rule:
        return result, f"{rule} ({origin.__qualname__})"
    if rule is None and result.startswith(("@", "=")):
        return result, f"a function that no rule is known for: {origin.__qualname__}"

    if rule not in (None, "=", "@same_scalar", "@first", "@first_scalar"):
        return None
    tried = 0
    for scalar, args in samples(call):
        first = next(iter(args.values()))
        want = {
            None: result.replace("T", scalar.__name__),
            "=": spell(first),
            "@first": spell(first),
            "@same_scalar": scalar.__name__,
            "@first_scalar": scalar.__name__,
        }[rule]
        got = result_texts(func(args, {}))
        if got != want:
            return f"{result}, so {want} of {result_texts(list(args.values()))}", got
        if rule in ("=", "@same_scalar") and len(args) > 1 and not refuses(call, args):
            return result, "accepts arguments of different types"
        tried += 1
    return None if tried else (result, "no sample arguments fit")


def expected_count(call, row):
    """The number of results that a tuple assignment may ask for, or None where Warp does not say."""
    if row["result"].startswith("@"):
        return 1
    promised = call["value_func"](None, None) if call["value_func"] else call["value_type"]
    return 0 if promised is None else len(promised) if isinstance(promised, Sequence) else 1


def smallest(have, want):
    """The first parameter that differs, or the numbers of parameters."""
    return next(((a, b) for a, b in zip(have, want) if a != b), (len(have), len(want)))


def expected_tile(call):
    """The same of a tile function: its tuples are of integers, and whether it is exported says nothing to a kernel."""
    want = expected(call)
    words = {"tuple(int,...)": "tuple", "Callable": "function", "<class 'float'>": "float"}
    want["params"] = [[words.get(word, word) for word in param] for param in want["params"]]
    want["flags"] = [flag for flag in want["flags"] if flag != "hidden"]
    return want


def in_kernel(row):
    """A row of a tile function without what only weft says."""
    return row | {"flags": [flag for flag in row["flags"] if flag not in ("hidden", "hashed")]}


def is_tile_row(row):
    name = row["name"]
    return name.startswith(("tile", "untile")) or name.endswith("_tiled") or any("tile(" in param[1] for param in row["params"])


def main(tool):
    lines = subprocess.run([tool, VERSION], check=True, capture_output=True, text=True).stdout.splitlines()
    ours, theirs = defaultdict(list), defaultdict(list)
    for row in map(json.loads, lines):
        ours[row["name"]].append(row)
    for call in CALLS:
        theirs[call["key"]].append(call)

    differences = []
    for name in ours.keys() - theirs.keys():
        differences.append(f"{name}: not a builtin of Warp")
    for name in theirs.keys() - ours.keys():
        differences.append(f"{name}: missing")
    compared = 0
    for name in [name for name in theirs if name in ours]:
        calls = sorted(theirs[name], key=lambda call: (uses_tiles(call), call["variadic"]))
        rows = sorted(ours[name], key=is_tile_row)
        if len(rows) != len(calls):
            differences.append(f"{name}: {len(rows)} overloads, Warp has {len(calls)}")
        for number, (row, call) in enumerate(zip(rows, calls)):
            compared += 1
            where = f"{name}, overload {number + 1} ({', '.join(f'{p[0]}:{p[1]}' for p in row['params'])})"
            if uses_tiles(call):
                row = in_kernel(row)
            for field, want in (expected_tile if uses_tiles(call) else expected)(call).items():
                if row[field] != want:
                    have, want = smallest(row[field], want) if field == "params" else (row[field], want)
                    differences.append(f"{where}: {field}: {json.dumps(have)}, Warp has {json.dumps(want)}")
                    break
            else:
                if uses_tiles(call):
                    continue
                found = compare_result(call, row)
                if found:
                    differences.append(f"{where}: result: {found[0] or 'none'}, Warp has {found[1] or 'none'}")
                elif row["result_count"] != expected_count(call, row):
                    differences.append(f"{where}: {row['result_count']} results, Warp has {expected_count(call, row)}")

    for difference in differences[:20]:
        print(difference)
    if len(differences) > 20:
        print(f"… and {len(differences) - 20} more")
    print(f"{compared} overloads of {len(theirs)} names compared, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    build = os.environ.get("WEFT_BUILD", ROOT / "build")
    sys.exit(main(os.path.join(build, "builtins_json")))
