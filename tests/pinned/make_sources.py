#!/usr/bin/env python3
"""Writes tests/pinned/sources.jsonl.zst. Needs a built weft and .venv.

    tests/pinned/make_sources.py [FOLDER]       FOLDER: of builtins_*.py that tests/values/make_kernels.py made already

builtins: kernels that call every builtin on several types; odd: a sample of the calls with odd arguments of
tests/python/test_odd_arguments.py; bodies: a kernel for each paragraph of bodies.txt, right and wrong ones;
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
HEADER = '''"""Made by make_sources.py from bodies.txt."""

import enum
from typing import Any

import warp as wp

COUNT = 4
PI2 = wp.constant(6.25)
UP = wp.constant(wp.vec3(0.0, 1.0, 0.0))
NUMBERS = [1, 2, 3]
half_of_three = 1.5


class Side(enum.IntEnum):
    LEFT = 1
    RIGHT = 2


@wp.struct
class Pair:
    left: float
    right: wp.vec3


@wp.struct
class Nest:
    inner: Pair
    count: int


@wp.struct
class Holder:
    data: wp.array(dtype=float)
    count: int


@wp.func
def wrong_annotation(x: float) -> int:
    return x


@wp.func
def right_annotation(x: float) -> float:
    return x * 2.0


@wp.func
def wrong_pair(x: float) -> tuple[float, float]:
    return x, 1


@wp.func
def right_pair(x: float) -> tuple[float, int]:
    return x, 1


@wp.func
def returns_type(x: float):
    return wp.vec3


@wp.func
def returns_array(a: wp.array(dtype=float)):
    return a


@wp.func
def returns_different(x: float):
    if x > 0.5:
        return x
    return 1


@wp.func
def of_holder(h: Holder, i: int):
    return h.data[i] * h.data[h.count]


@wp.func
def last_of(a: wp.array(dtype=float), n: int):
    return a[n] + a[a.shape[0] - 1]


@wp.func
def set_first(a: wp.array(dtype=float), x: float):
    a[0] = x


@wp.func
def half(x: float):
    return 0.5 * x


@wp.func
def both(x: float):
    return x * x, wp.sin(x)


@wp.func
def blend(x: float, y: float):
    return x * y + wp.exp(x)


@wp.func
def uses_gradient(x: float):
    return wp.grad(half)(x) * wp.grad(wp.cos)(x)


@wp.func
def add_to(total: wp.ref[float], amount: float):
    total = total + amount * amount


@wp.func
def add_twice(total: wp.ref[float], amount: float):
    add_to(total, amount)
    add_to(total, 2.0 * amount)


@wp.func
def add_row(total: wp.ref[wp.vec3], amount: wp.vec3):
    total = total + amount


@wp.func
def swap(one: wp.ref[float], two: wp.ref[float]):
    kept = float(one)
    one = two
    two = kept


@wp.func
def apply(f: wp.Function, x: float):
    return f(x)


@wp.func
def with_default(a: float, b: float = 2.0):
    return a * b


@wp.func
def generic(x: Any):
    return x + x


@wp.func
def recurse(x: float):
    return recurse(x * 0.5)


@wp.func
def early(x: float):
    if x > 0.5:
        return x * x
    for k in range(3):
        if x * float(k) > 0.6:
            return x
    return -x


@wp.func
def own_gradient(x: float):
    return x * x * x


@wp.func_grad(own_gradient)
def adj_own_gradient(x: float, adj_ret: float):
    wp.adjoint[x] += 2.0 * x * adj_ret


@wp.func
def own_gradient_of_two(x: float, y: float):
    return x * y


@wp.func_grad(own_gradient_of_two)
def adj_own_gradient_of_two(x: float, y: float, adj_ret: float):
    wp.adjoint[x] += y * adj_ret
    wp.adjoint[y] += 3.0 * adj_ret


@wp.func
def own_gradient_of_both(x: float):
    return x * 2.0, x * x


@wp.func_grad(own_gradient_of_both)
def adj_own_gradient_of_both(x: float, adj_one: float, adj_two: float):
    wp.adjoint[x] += adj_one + x * adj_two


@wp.func
def own_replay(x: float, i: int, counter: wp.array(dtype=int)):
    counter[i] = i
    return x * x


@wp.func_replay(own_replay)
def replay_own_replay(x: float, i: int, counter: wp.array(dtype=int)):
    return x * x


@wp.func
def no_value(x: float):
    y = x
'''
SIGNATURE = (
    "a: wp.array(dtype=float), ai: wp.array(dtype=int), av: wp.array(dtype=wp.vec3), am: wp.array(dtype=wp.mat33), "
    "at: wp.array(dtype=wp.transform), aq: wp.array(dtype=wp.quat), aw: wp.array(dtype=wp.spatial_vector), nests: wp.array(dtype=Nest), bodies: wp.array(dtype=Pair), grid: wp.array2d(dtype=float), cube: wp.array3d(dtype=float), "
    "n: int, x: float, d: wp.float64, u: wp.uint32, c: bool, v: wp.vec3, m: wp.mat33, q: wp.quat, t: wp.transform, "
    "w: wp.spatial_vector, s: Pair, hold: Holder, vi: wp.vec3i, avi: wp.array(dtype=wp.vec3i), outvi: wp.array(dtype=wp.vec3i), out: wp.array(dtype=float), outi: wp.array(dtype=int), outu: wp.array(dtype=wp.uint32), "
    "outd: wp.array(dtype=wp.float64), outv: wp.array(dtype=wp.vec3), outm: wp.array(dtype=wp.mat33), outq: wp.array(dtype=wp.quat), "
    "outt: wp.array(dtype=wp.transform), outw: wp.array(dtype=wp.spatial_vector)"
)


def parameters(body):
    """Those of the signature that the body has."""
    params = re.split(r", (?=\w+: )", SIGNATURE)
    return ", ".join(p for p in params if re.search(rf"\b{p.split(':')[0]}\b", body))


def module(bodies, first, options=""):
    """A kernel for each; `first` is the number of the first."""
    kernels = []
    for number, body in enumerate(bodies, first):
        lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
        kernels.append(f"@wp.kernel\ndef body_{number}({parameters(body)}):\n    i = wp.tid()\n{lines}\n")
    return HEADER + options + "\n\n" + "\n\n".join(kernels)


OPTIONS = {  # name: module options, and the bodies that they matter to
    "overwrites": ('{"enable_vector_component_overwrites": True}', r"^\s*\w+(\.\w+|\[[^\]]*\])+ [-+*/|&^]?= "),
    "unrolled": ('{"max_unroll": 2}', r"^\s*for .* in .*range"),
    "forward": ('{"enable_backward": False}', r"wp\.grad|own_gradient|atomic|for k"),
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
    lines += [{"kind": "options", "name": name, "source": source} for name, source in with_options(bodies)]
    run.write_lines(run.SOURCES, lines)
    print(f"{len(lines)} files, {run.SOURCES.stat().st_size} bytes")
