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
ELSEWHERE = """@wp.func
def halves(a: float):
    b = wp.frac(a * 0.5)
    return b * b


@wp.func
def twice(a: float, k: int):
    v = wp.vec2(a, 1.0)
    for j in range(k):
        v[0] = v[0] * 0.5
    return v[0]
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


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_harmless(pathlib.Path(folder))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
