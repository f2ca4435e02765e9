#!/usr/bin/env python3
"""The cause that `weft check` names for a wrong gradient: each pattern where it is the cause is in test_lint.py; here each stands in a kernel
where it does no harm, alone, and next to one that does."""

import json
import pathlib
import sys
import tempfile

import tally
from tally import check
from test_produce import weft

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = "import warp as wp\n\n\n"
KERNEL = """@wp.kernel
def {name}(x: wp.array(dtype=float), z: wp.array(dtype=float), w: wp.array(dtype=float), count: wp.array(dtype=int), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
{harmless}{harmful}    y[i] = s
"""
# Each occurs, and makes no difference.
HARMLESS = {
    "atomic-extremum": "wp.atomic_max(w, 0, x[i] - 100.0)\ns = s + x[i]",
    "fraction": "s = s + x[i] * wp.frac(float(i) * 0.3)",
    "modulus": "s = s + wp.mod(x[i], float(i) + 0.75)",
    "atomic-old-value": "k = wp.atomic_add(count, 0, 1)\ns = s + x[i] * (2.0 + float(k - k))",
    "while-loop": "j = int(0)\nwhile j < 3:\n    s = s + x[i]\n    j = j + 1",
    "loop-exit": "for k in range(n):\n    if k > 1000:\n        break\n    s = s + x[i]",
    "loop-decides": "c = int(0)\nfor k in range(n):\n    c = c + 1\nif c >= 0:\n    s = s + x[i]",
    "loop-carried": "for k in range(n):\n    s = (s + x[i]) * float(n)",
    "loop-last-value": "for k in range(n):\n    last = x[k]\ns = s + x[i] + last * 0.0",
    "loop-result": "for k in range(n):\n    s = s + x[k]\ns = s * float(n)",
    "local-array": "a = wp.zeros(shape=(2,), dtype=float)\na[0] = x[i]\ns = s + a[0] * float(n)",
    "element-rewritten": "s = s + w[i] * float(n)\nw[i] = 0.0",
    "component-rewritten": "u = wp.vec2(1.0, 2.0)\nu[0] = x[i]\ns = s + u[0] * u[1]",
}
# The first is among the last that were named when nothing was tried, the second among the first.
HARMFUL = {
    "component-rewritten": "v = wp.vec2(z[i], 1.0)\nv[0] = v[0] * v[0] * 0.3\ns = s + v[0]",
    "fraction": "s = s + wp.frac(z[i])",
}
# In functions, structs and tiles; what is named, or None where the gradient is right.
OTHERS = {
    "own_gradient": "custom-gradient", "own_gradient_unused": "fraction", "part_of_element": "element-rewritten", "used_before_change": "component-rewritten",
    "carried_component": "loop-carried", "old_value_of_function": "atomic-old-value", "two_causes": "fraction",
    "tile_largest": "tile-reduction", "tile_largest_of_constant": "element-rewritten", "tile_sorted_constant": "tile-reduction",
}  # fmt: skip
OTHER_KERNELS = """@wp.struct
class Point:
    at: wp.vec3
    mass: float


@wp.func
def square(a: float):
    return a * a


@wp.func_grad(square)
def adj_square(a: float, adj_ret: float):
    wp.adjoint[a] += adj_ret * a


@wp.func
def claim(room: wp.array(dtype=float), a: float):
    return wp.atomic_add(room, 0, a)


@wp.kernel
def own_gradient(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        s = s + square(x[i]) * float(n)
    y[i] = s


@wp.kernel
def own_gradient_unused(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.frac(x[i]) + square(float(i))


@wp.kernel
def part_of_element(p: wp.array(dtype=Point), w: wp.vec3):
    length = wp.length(p[0].at - w)
    p[0].at = w * length * length


@wp.kernel
def used_before_change(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i] * 2.0
    size = wp.dot(v, v)
    v[0] = 1.0
    y[i] = size + v[1]


@wp.kernel
def carried_component(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    v = wp.vec2(0.0, 1.0)
    for k in range(n):
        v[0] += x[k]
        y[i] += wp.dot(v, v)


@wp.kernel
def old_value_of_function(x: wp.array(dtype=float), room: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = claim(room, 1.0) * x[i]


@wp.kernel
def two_causes(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = x[i]
    for k in range(n):
        s = s * s + wp.frac(x[k])
    y[i] = s


@wp.kernel
def tile_largest(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    t = wp.tile_load(x, shape=8)
    wp.tile_store(y, wp.tile_max(t) * wp.tile_sum(t))


@wp.kernel
def tile_largest_of_constant(x: wp.array(dtype=float)):
    t = wp.tile_load(x, shape=8)
    wp.tile_store(x, t * t * wp.tile_extract(wp.tile_max(wp.tile_ones(dtype=float, shape=8)), 0))


@wp.kernel
def tile_sorted_constant(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    t = wp.tile_load(x, shape=8)
    c = wp.tile_scan_inclusive(wp.tile_ones(dtype=float, shape=8))
    wp.tile_store(y, wp.tile_min(t * c))
"""


def body(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def kernels():
    """Those without fault, and those with one: what is wrong in it, by name."""
    wrong, texts = {}, []
    for harmless, text in HARMLESS.items():
        name = harmless.replace("-", "_")
        texts.append(KERNEL.format(name=f"only_{name}", harmless=body(text), harmful=""))
        for harmful, other in HARMFUL.items():
            if harmful != harmless:
                wrong[f"{name}_and_{harmful.replace('-', '_')}"] = harmful
                texts.append(KERNEL.format(name=f"{name}_and_{harmful.replace('-', '_')}", harmless=body(text), harmful=body(other)))
    return HEAD + "\n\n".join(texts), wrong


def rows_of(path):
    lines = weft("check", path, "--json", "--no-example").stdout.splitlines()
    return {row["kernel_name"]: row for row in map(json.loads, lines) if "kernel_name" in row}


def test_harmless(folder):
    text, wrong = kernels()
    (folder / "k.py").write_text(text)
    rows = rows_of(folder / "k.py")
    for harmless in HARMLESS:
        row = rows[f"only_{harmless.replace('-', '_')}"]
        check(f"{harmless} alone does no harm", row["gradient"] == "pass", row)
    for name, harmful in wrong.items():
        row = rows[name]
        check(f"{name}: what does harm is named", (row["gradient"], row.get("why", {}).get("pattern")) == ("mismatch", harmful), row.get("why", row))


def test_others(folder):
    (folder / "k.py").write_text(HEAD + OTHER_KERNELS)
    rows = rows_of(folder / "k.py")
    for name, cause in OTHERS.items():
        row = rows.get(name, {})
        check(f"{name}: {cause}", (row.get("gradient"), row.get("why", {}).get("pattern")) == ("mismatch", cause), row.get("why", row))


def test_long_loop(folder):
    """Trials of a long launch come to an end, and still tell what is wrong in it."""
    lines = "s = x[i]\nfor k in range(4000):\n    s = s * 0.999 + 0.001 * s * s\n    if s > 1000.0:\n        break"
    (folder / "k.py").write_text(HEAD + KERNEL.format(name="long", harmless=body(lines), harmful=body(HARMFUL["fraction"])))
    row = rows_of(folder / "k.py")["long"]
    check("both are needed, and the surest is named", row.get("why", {}).get("pattern") == "fraction", row)


def test_noise():
    """Derivatives of which only rounding errors are left are not said to be wrong."""
    rows = rows_of(ROOT / "tests/evaluators/derivative_noise.py")
    verdicts = {name: row["gradient"] for name, row in rows.items()}
    check("no mismatch", len(verdicts) == 2 and "mismatch" not in verdicts.values(), verdicts)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_harmless(pathlib.Path(folder))
        test_others(pathlib.Path(folder))
        test_long_loop(pathlib.Path(folder))
    test_noise()
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
