#!/usr/bin/env python3
"""Compares src/lang/library.py with the functions that an installed Warp writes in its kernel language.

    test_library.py [--digests]        --digests: print what library.def must hold, and stop

For every function and every overload, and for some instances of the generic ones, a small kernel is built twice,
calling Warp's function and ours. The text that Warp generates must be the same, both devices, forward and backward.
The digests in library.def are compared with those that Warp computes. Exit status 77: there is no Warp 1.16.0.
"""

import difflib
import importlib.util
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "src/lang/library.py"
ROWS = ROOT / "src/lang/library.def"
sys.path.insert(0, str(ROOT / "tools"))
from warp_oracle import warp_text  # noqa: E402
from warp_package import VERSION, find_warp  # noqa: E402

if importlib.util.find_spec("warp") is None:  # not in this Python: run again in the one that has it
    found = find_warp()
    if found is None:
        sys.exit(print(f"skipped: Warp {VERSION} is not installed; run tools/venv.sh") or 77)
    os.execv(found[0], [found[0], *sys.argv])

import warp as wp  # noqa: E402
import warp._src.context as context  # noqa: E402

if wp.__version__ != VERSION:
    sys.exit(print(f"skipped: the library is that of Warp {VERSION}, this is {wp.__version__}") or 77)

COUNTS = dict(context.function_key_counts)  # functions of each name that importing Warp has made

# What to call: the arguments' types, and whether an optional one is left out.
GENERIC = [["vec2f"], ["vec3f"], ["vec4f"], ["spatial_vectorf"]]
GENERIC_WITH_DELTA = [case + more for case in GENERIC for more in ([], ["float"])]
CALLS = {
    "norm_l1": GENERIC + [["quatf"]],
    "norm_l2": GENERIC + [["quatf"]],
    "norm_huber": GENERIC_WITH_DELTA,
    "norm_pseudo_huber": GENERIC_WITH_DELTA,
    "smooth_normalize": GENERIC_WITH_DELTA,
}
PRECISIONS = ("f", "h", "d")  # in Warp's order: it decides which overload gets which number


def spell(t):
    """A type as kernels write it; Warp's own overloads have nameless ones."""
    if t in (int, float):
        return t.__name__
    for name in ("vec2", "vec3", "vec4", "spatial_vector", "quat", "transform", "mat33", "mat44"):
        for suffix in PRECISIONS:
            if wp._src.types.types_equal(getattr(wp, name + suffix), t):
                return name + suffix
    raise ValueError(f"no name for {t}")


def kernel_source(name, number, types):
    params = ", ".join(f"a{i}: {t if t in ('int', 'float') else f'wp.{t}'}" for i, t in enumerate(types))
    args = ", ".join(f"a{i}" for i in range(len(types)))
    results = "p, q, s" if name == "transform_decompose" else "r"
    return f"@wp.kernel\ndef call_{name}_{number}({params}):\n    {results} = tested_{name}({args})\n\n\n"


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def text_of(kernel, device, first):
    """The generated text, without the kernel's hash, and with functions numbered from zero."""
    text = warp_text(kernel, device).replace(kernel.get_mangled_name(), kernel.key)
    return re.sub(
        r"\b(adj_)?(" + "|".join(COUNTS) + r")_(\d+)\b",
        lambda m: f"{m[1] or ''}{m[2]}_{int(m[3]) - first.get(m[2], 0)}",
        text,
    )


def digests():
    hasher = context.ModuleHasher([], {})
    return {name: hasher.hash_function(getattr(wp, name)).hex() for name in COUNTS}


def compare_digests():
    rows = {}
    for since, name, digest in re.findall(r'^LIBRARY\((\w+), "(\w+)", "([0-9a-f]{64})"\)$', ROWS.read_text(), re.M):
        if [int(part) for part in since.split("_")] <= [int(part) for part in VERSION.split(".")]:
            rows[name] = digest  # the newest that this version has
    for name, digest in digests().items():
        if rows.get(name) != digest:
            yield f"library.def: {name}: {rows.get(name, 'missing')}, Warp has {digest}"
    for name in rows.keys() - COUNTS.keys():
        yield f"library.def: {name}: not a function of Warp's library"


def compare_signatures(ours):
    for name, count in COUNTS.items():
        func, warp_func = getattr(ours, name, None), getattr(wp, name)
        if func is None:
            yield f"{name}: missing"
            continue
        for kind in ("user_overloads", "user_templates"):
            have, want = (
                [(sig, list(o.input_types), o.defaults, int(o.native_func.rsplit("_", 1)[1]) - first) for sig, o in getattr(f, kind).items()]
                for f, first in ((func, count), (warp_func, 0))
            )
            if have != want:
                yield f"{name}: {kind}: {have}, Warp has {want}"


def compare_code(ours, folder):
    """Yields (case, difference or None)."""
    calls = dict(CALLS)
    for name in COUNTS:
        calls.setdefault(name, [[spell(t) for t in o.input_types.values()] for o in getattr(wp, name).user_overloads.values()])
    cases = [(name, number, types) for name, lists in calls.items() for number, types in enumerate(lists)]
    body = "".join(kernel_source(*case) for case in cases)
    modules = {}
    for side, holder in (("warp", "wp"), ("weft", "library")):
        lines = "".join(f"tested_{name} = {holder}.{name}\n" for name in COUNTS)
        path = folder / f"calls_{side}.py"
        path.write_text(f"import library\nimport warp as wp\n\n{lines}\n\n{body}")
        modules[side] = load(path, path.stem)
    for name, number, types in cases:
        for device in ("cuda", "cpu"):
            texts = [
                text_of(getattr(modules[side], f"call_{name}_{number}"), device, first)
                for side, first in (("weft", COUNTS), ("warp", {}))
            ]
            difference = None
            if texts[0] != texts[1]:
                difference = "\n".join(list(difflib.unified_diff(*(t.splitlines() for t in texts), "weft", "Warp", n=2, lineterm=""))[:20])
            yield f"{name}({', '.join(types)}) on {device}", difference


def main():
    if sys.argv[1:] == ["--digests"]:
        for name, digest in digests().items():
            print(f'LIBRARY({"_".join(VERSION.split(".")[:2])}, "{name}", "{digest}")')
        return 0
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    differences = list(compare_digests())
    ours = load(LIBRARY, "library")
    differences += compare_signatures(ours)
    compared = 0
    if not differences:  # without equal signatures the calls would only fail
        with tempfile.TemporaryDirectory() as folder:
            for case, difference in compare_code(ours, pathlib.Path(folder)):
                compared += 1
                if difference:
                    differences.append(f"{case}:\n{difference}")
    for difference in differences[:5]:
        print(difference)
    print(f"{compared} texts and {len(COUNTS)} digests compared, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
