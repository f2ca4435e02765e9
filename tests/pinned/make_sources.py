#!/usr/bin/env python3
"""Writes tests/pinned/sources.jsonl.zst. Needs a built weft and .venv.

    tests/pinned/make_sources.py [FOLDER]       FOLDER: of builtins_*.py that tests/values/make_kernels.py made already

builtins: kernels that call every builtin on several types; odd: a sample of the calls with odd arguments of
tests/python/test_odd_arguments.py; bodies: a kernel for each paragraph of bodies.txt, right and wrong ones;
arrays: the same with arguments in arrays;
options: those of them that assign to parts or loop, with module options that change what is made of these."""

import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/values"), str(HERE)]

import make_kernels  # noqa: E402
import run  # noqa: E402
import test_odd_arguments as odd  # noqa: E402

ODD_CALLS = 4000
SEED = 20
PER_FILE = 120
HEADER = (HERE / "bodies_head.py").read_text()
SIGNATURE = (
    "a: wp.array(dtype=float), ai: wp.array(dtype=int), av: wp.array(dtype=wp.vec3), am: wp.array(dtype=wp.mat33), "
    "at: wp.array(dtype=wp.transform), aq: wp.array(dtype=wp.quat), aw: wp.array(dtype=wp.spatial_vector), nests: wp.array(dtype=Nest), bodies: wp.array(dtype=Pair), grid: wp.array2d(dtype=float), cube: wp.array3d(dtype=float), "
    "n: int, x: float, d: wp.float64, u: wp.uint32, c: bool, v: wp.vec3, m: wp.mat33, q: wp.quat, t: wp.transform, "
    "w: wp.spatial_vector, s: Pair, hold: Holder, vi: wp.vec3i, avi: wp.array(dtype=wp.vec3i), outvi: wp.array(dtype=wp.vec3i), out: wp.array(dtype=float), outi: wp.array(dtype=int), outu: wp.array(dtype=wp.uint32), "
    "outd: wp.array(dtype=wp.float64), outv: wp.array(dtype=wp.vec3), outm: wp.array(dtype=wp.mat33), outq: wp.array(dtype=wp.quat), "
    "outt: wp.array(dtype=wp.transform), outw: wp.array(dtype=wp.spatial_vector), "
    "hyper: wp.array4d(dtype=float), ad: wp.array(dtype=wp.float64), ah: wp.array(dtype=wp.float16), al: wp.array(dtype=wp.int64), au: wp.array(dtype=wp.uint32), ab: wp.array(dtype=bool), "
    "avd: wp.array(dtype=wp.vec3d), gridv: wp.array2d(dtype=wp.vec3), gridi: wp.array2d(dtype=int), wides: wp.array(dtype=Wide), wide: Wide, nest: Nest, empty: Empty, big: wp.int64, hf: wp.float16, vd: wp.vec3d, qd: wp.quatd, outh: wp.array(dtype=wp.float16), outl: wp.array(dtype=wp.int64), outb: wp.array(dtype=bool), outvd: wp.array(dtype=wp.vec3d), outgrid: wp.array2d(dtype=float), outcube: wp.array3d(dtype=float), outhyper: wp.array4d(dtype=float), cloud: Cloud, clouds: wp.array(dtype=Cloud)"
)


def parameters(body):
    """Those of the signature that the body has."""
    params = re.split(r", (?=\w+: )", SIGNATURE)
    return ", ".join(p for p in params if re.search(rf"\b{p.split(':')[0]}\b", body))


def from_arrays(params, body):
    """The same with what is passed by value read from arrays, so that all of it has a gradient."""
    by_value = re.compile(r"\b(x|d|v|m|q|t|w|s|nest|wide|vd|qd|hf): ([\w.]+)(?=,|$)")
    reads = "".join(f"{name} = {name}_in[i]\n" for name, _ in by_value.findall(params))
    return by_value.sub(r"\1_in: wp.array(dtype=\2)", params), reads + body


def module(bodies, first, options="", arrays=False):
    """A kernel for each; `first` is the number of the first."""
    kernels = []
    for number, body in enumerate(bodies, first):
        params = parameters(body)
        if arrays:
            params, body = from_arrays(params, body.strip("\n"))
        lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
        kernels.append(f"@wp.kernel\ndef body_{number}({params}):\n    i = wp.tid()\n{lines}\n")
    return HEADER + options + "\n\n" + "\n\n".join(kernels)


OPTIONS = {  # name: module options, and the bodies that they matter to
    "overwrites": ('{"enable_vector_component_overwrites": True}', r"^\s*\w+(\.\w+|\[[^\]]*\])+ [-+*/|&^]?= "),
    "unrolled": ('{"max_unroll": 2}', r"^\s*for .* in .*range"),
    "forward": ('{"enable_backward": False}', r"wp\.grad|own_gradient|atomic|for k|add_to|add_row|add_twice|swap|change_"),
}


def with_options(bodies):
    for name, (options, pattern) in OPTIONS.items():
        chosen = [body for body in bodies if re.search(pattern, body, re.M)]
        yield f"{name}.py", module(chosen, 0, f"\n\nwp.set_module_options({options})\n")


if __name__ == "__main__":
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else folder)
        if made == pathlib.Path(folder):
            make_kernels.main(made)
        for path in sorted(made.glob("builtins_*.py")):
            lines.append({"kind": "builtins", "name": path.name, "source": path.read_text()})
    calls = [call for call in dict.fromkeys(odd.odd_calls()) if odd.is_parsable(call)]
    calls = odd.REFUSED + random.Random(SEED).sample(calls, ODD_CALLS)
    for start in range(0, len(calls), odd.PER_FILE):
        name = f"odd_{start // odd.PER_FILE + 1:02}.py"
        lines.append({"kind": "odd", "name": name, "source": odd.module(calls[start : start + odd.PER_FILE])})
    bodies = (HERE / "bodies.txt").read_text().split("\n\n")
    for start in range(0, len(bodies), PER_FILE):
        name = f"bodies_{start // PER_FILE + 1}.py"
        lines.append({"kind": "bodies", "name": name, "source": module(bodies[start : start + PER_FILE], start)})
    for start in range(0, len(bodies), PER_FILE):
        name = f"arrays_{start // PER_FILE + 1}.py"
        lines.append({"kind": "arrays", "name": name, "source": module(bodies[start : start + PER_FILE], start, arrays=True)})
    lines += [{"kind": "options", "name": name, "source": source} for name, source in with_options(bodies)]
    run.write_lines(run.SOURCES, lines)
    print(f"{len(lines)} files, {run.SOURCES.stat().st_size} bytes")
