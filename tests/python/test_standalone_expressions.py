#!/usr/bin/env python3
"""Signs, precedence, updates and loops in standalone programs: kernels that were once translated wrongly or would be by a
shortcut, and random ones. Each program compares its results and gradients with the syntax tree evaluator's."""

import pathlib
import random
import shutil
import sys
import tempfile

import standalone_batch

RANDOM_KERNELS = 60
SEED = 20

# (statements, with a, b: float arrays; n, m: int arrays; x: the float result; k: the int result)
FLOATS = [
    "x = 0.0; x -= a[i] + b[i]",
    "x = 0.0; x -= -a[i]",
    "x = 0.0; x -= a[i] - b[i]; x -= b[i] * a[i]",
    "x = 0.0; x -= a[i] if n[i] > m[i] else b[i]",
    "x = a[i]; x -= b[i] if a[i] > 0.5 else -b[i]",
    "x = a[i]; x *= a[i] + b[i]",
    "x = a[i]; x *= -(a[i] - b[i])",
    "x = a[i]; x /= a[i] + b[i] * 2.0",
    "x = a[i]; x /= -b[i]; x += -x",
    "x = a[i] * 8.0; x //= b[i] + 1.0; x = x + a[i]",
    "x = a[i] * 8.0; x %= b[i] + 0.5",
    "x = -(-a[i])",
    "x = -(-(-a[i])) - (-b[i])",
    "x = a[i] - (b[i] - a[i] * b[i]) - (a[i] - -b[i])",
    "x = a[i] / (b[i] / a[i]) / (b[i] * a[i])",
    "x = -a[i] * -b[i] - -(a[i] + b[i])",
    "x = -(a[i] if n[i] < 3 else b[i]) * (b[i] if a[i] > b[i] else 2.0)",
    "x = (a[i] if a[i] > b[i] else b[i] if n[i] > 2 else -a[i]) - b[i]",
    "x = a[i] - wp.where(n[i] > m[i], a[i], -b[i])",
    "x = a[i]; x = 1.0 - x; x = 1.0 - x * x",
    "x = wp.float32(n[i] - m[i]) * a[i] - wp.float32(-n[i])",
    "x = float(int(a[i] * 7.3)) * b[i] - float(-int(b[i] * 5.1))",
    "x = a[i]\nif 0.3 < a[i] < 0.7 and not b[i] > 0.6 or n[i] == m[i]:\n    x -= b[i] * b[i]\nelse:\n    x = -x",
    "x = a[i]\nif not (a[i] > 0.5):\n    x = x * b[i]",
    "x = a[i]\nif not (a[i] > 0.5 and b[i] > 0.5):\n    pass\nelse:\n    x = x * b[i]",
    "x = 0.0\nfor j in range(9, 0, -2):\n    x = x * 0.5 - a[i]",
    "x = a[i]\nfor j in range(9, 0, -2):\n    x -= b[i + j] * x * 0.1",
    "x = 0.0\nfor j in range(7, -1, -1):\n    x -= a[i + j] * float(j)",
    "x = 0.0\nfor j in range(1, 9, 3):\n    x += a[i + j] * a[i + j]",
    "x = 0.0\nfor j in range(9, 0, DOWN):\n    x += a[i + j] * a[i + j]",
    "x = a[i]\nfor j in range(START, 4):\n    x = x * b[i + 3 + j] - 0.1 * x",
    "x = a[LAST] * b[i] - a[-2]",
    "x = 0.0\nfor j in range(3):\n    x -= -a[i + j]\n    for l in range(j, 4):\n        x -= b[i + l] * a[i + j] - 0.5",
    "x = 1.0\nfor j in range(3):\n    before = x\n    x = x * a[i + j] - before * 0.5\n    x -= before",
    "x = a[i]\nj = int(0)\nwhile j < 5:\n    x = x * b[i + j] - a[i]\n    j += 2",
    "x = float(0.0)\nfor j in range(6):\n    if a[i + j] > 0.8:\n        break\n    if b[i + j] < 0.4:\n        continue\n    x -= a[i + j] * b[i + j]",
    "x = a[i]; j = int(0)\nwhile j < 6:\n    c = x * b[i + j] * 0.5\n    x = x - c\n    j += 1\n    r = c * c\n    if r < 0.02:\n        break",
    "x = a[i]; q = x * x\nfor j in range(3):\n    x = x * b[i + j] - 0.2\nx = x + q * x",
    "x = a[i]; q = wp.sin(x)\nfor j in range(6, 0, -2):\n    x = x * x - q * b[i + j]\nr = x * x * q\nfor j in range(2):\n    x = x + r * x\nx = x * r - q",
    "x = a[i]; q = x * x\nfor j in range(3):\n    x = b[i + j] * a[i]\nx = x * x * q",
    "x = a[i]; q = x * x; j = int(0)\nwhile j < 3:\n    x = x * b[i + j] + q\n    j += 1\nx = x * q",
    "x = a[i]; q = x * x\nif b[i] > 0.5:\n    x = x * x * b[i]\nelse:\n    x = wp.sin(x)\nx = x * x + q",
    # what a condition draws is drawn only where it is asked
    "s = wp.rand_init(7, i); x = a[i]\nif a[i] > 0.5 or wp.randf(s) < 0.3:\n    x = x * b[i]\nx += wp.randf(s) * b[i]",
    "s = wp.rand_init(8, i); x = a[i]\nif a[i] > 0.5 and wp.randf(s) < 0.7 and b[i] < 0.8:\n    x = x * b[i]\nx += wp.randf(s) * b[i]",
    "x = a[i]\nfor j in range(4):\n    s = wp.rand_init(j, i)\n    if x > 0.5 or wp.randf(s) < 0.5 or wp.randf(s) < 0.2:\n        x = x * b[i + j]\n    x += wp.randf(s) * b[i]",
    "x = a[i] * wp.randf(wp.rand_init(3, i)) + b[i] * a[i]",
    # the limits of what is drawn have gradients
    "s = wp.rand_init(4, i); x = wp.randf(s, -a[i], b[i]) + a[i] * wp.randf(s, 0.5, 2.0)",
    "s = wp.rand_init(5, i); w = a[i]; x = wp.randf(s, w * b[i] - 2.0, wp.sin(w))\nif wp.randf(s, -w, w) > 0.0:\n    x = x * x",
    "s = wp.rand_init(6, i); x = float(0.0)\nfor j in range(3):\n    x += wp.randf(s, 0.25, b[i + j]) * wp.randf(s, wp.randf(s, a[i], 1.5), 2.0)",
    # where the derivative of a function does not exist, nothing flows
    "d = wp.max(a[i] - 2.0, 0.0); x = a[i] * b[i] + wp.sqrt(d * d + d)",
    "d = wp.max(a[i] - 2.0, 0.0); x = a[i] * b[i] + wp.cbrt(d) + wp.pow(d, 0.5) * b[i]",
    "d = wp.max(a[i] - 2.0, 0.0); x = a[i] * b[i] + wp.atan2(d, d * b[i])",
    "d = wp.max(a[i] - 2.0, 0.0); x = a[i] * b[i] + wp.acos(1.0 + d) + wp.asin(d - 1.0)",
    "d = wp.max(a[i] - 2.0, 0.0); v = wp.vec3(d, d, d); x = a[i] * b[i] + wp.length(v) + wp.normalize(v)[0]",
    # divisors whose squares do not fit into a float
    "x = (a[i] * 1.0e24) / (b[i] * 1.0e24)",
    "x = (a[i] * 1.0e-24) / (b[i] * 1.0e-24)",
    "v = wp.vec3(a[i], b[i], 1.0) * 1.0e24 / (b[i] * 1.0e24); x = v[0] * v[1] - v[2]",
    "v = wp.cw_div(wp.vec2(a[i], b[i]) * 1.0e24, wp.vec2(b[i], a[i]) * 1.0e24); x = v[0] * 2.0 - v[1]",
    "v = wp.vec3(a[i], -b[i], a[i] - b[i]); v -= wp.vec3(b[i], a[i], -1.0); v *= -2.0; x = wp.dot(-v, v) - -v[1]",
    "v = wp.vec3(0.0, 0.0, 0.0); v -= wp.vec3(a[i], b[i], 1.0) * (a[i] - b[i]); x = -(-v[0]) * v[1]",
    "t = wp.transform(wp.vec3(a[i], b[i], 1.0), wp.quat(a[i], b[i], 0.5, 1.0)); rotation = wp.transform_get_rotation(t); translation = wp.transform_get_translation(t); x = rotation[0] * translation[1] - rotation[3]",
    "s = a[i]; u = b[i]; s, u = u, s - u; x = s - u * -s",
    "x = helper(-a[i], b[i] - 1.0) - helper(a[i] - b[i], -(-b[i]))",
    "x = wp.exp(-a[i] * a[i]) - wp.pow(a[i] + 1.0, -b[i]) - -wp.sqrt(a[i])",
    "x = wp.clamp(-a[i], -0.6, -b[i] * 0.1) - wp.min(-a[i], -(b[i] - 0.5))",
    "t = (wp.float64(a[i]) - wp.float64(-b[i])) * wp.float64(2.0) > wp.float64(1.7); x = a[i] if t else -b[i]",
    "x = a[i]; q = -x; x = -q - x * q",
    "x = a[i] - 1.0 - (2.0 - 3.0 * -b[i]) * -1.0",
    "x = a[i]\nif n[i] > 3:\n    if m[i] > 3:\n        x -= b[i]\n    else:\n        x -= -b[i]\nelif m[i] > 2:\n    x *= -b[i]",
]

INTEGERS = [
    "k = n[i] - (m[i] - 3) - -n[i]",
    "k = -(-n[i]) - (-m[i])",
    "k = (n[i] - m[i]) // 3 - (n[i] - 9) % 4",
    "k = n[i] * -m[i] // (m[i] + 1); k -= n[i] - m[i]",
    "k = n[i]; k -= -m[i]; k *= m[i] - n[i]; k //= 2",
    "k = (n[i] << 2) - (m[i] >> 1) ^ (n[i] & m[i] | 8)",
    "k = n[i] & (m[i] + 1); k = k | n[i] ^ m[i] & 5",
    "k = ~n[i] - ~(-m[i]); k ^= 5; k |= n[i]; k &= 63; k <<= 2; k >>= 1",
    "k = n[i] if n[i] > m[i] else -m[i]; k -= n[i] if m[i] > 3 else -n[i]",
    "p = n[i] + 0; q = m[i] + 0; k = 1 if 1 < p <= q < 6 else -1",
    "k = 1 if not (n[i] > 2 or m[i] < 3) and n[i] != m[i] else 0",
    "k = int(wp.uint8(n[i] * 37) + wp.uint8(m[i] * 51)) - 7",
    "k = int((wp.int8(n[i] * 9) + wp.int8(m[i] * 9)) / wp.int8(3))",
    "k = int((wp.uint16(n[i] * 9001) * wp.uint16(m[i] + 11)) >> wp.uint16(3))",
    "k = int((wp.uint8(200) + wp.uint8(n[i] * 30)) / wp.uint8(7)) + int(-wp.int8(m[i] * 9) / wp.int8(5))",
    "k = int(~wp.uint8(n[i]) >> wp.uint8(1)) - int((wp.uint8(n[i]) - wp.uint8(m[i])) / wp.uint8(2))",
    "k = int(wp.int64(n[i] - 5) * wp.int64(3000000000) / wp.int64(-7000000000 - m[i]))",
    "k = int(wp.uint32(n[i]) - wp.uint32(m[i]) > wp.uint32(5))",
    "k = 1 if wp.uint16(n[i] * 9000) + wp.uint16(9000) > wp.uint16(30000) else 2",
]

HEAD = """import warp as wp

DOWN = -2
START = wp.constant(-3)
LAST = wp.constant(-1)


@wp.func
def helper(p: float, q: float):
    r = 0.0
    r -= p - q
    r *= -p
    return -r - (q - -p)

"""


def kernel(name, statements, is_float):
    lines = [line for part in statements.split("\n") for line in (part.split("; ") if "    " not in part else [part])]
    body = "".join(f"    {line}\n" for line in lines)
    return f"""
@wp.kernel
def {name}(a: wp.array(dtype=float), b: wp.array(dtype=float), n: wp.array(dtype=int), m: wp.array(dtype=int),
           y: wp.array(dtype={"float" if is_float else "int"})):
    i = wp.tid()
{body}    y[i] = {"x" if is_float else "k"}

"""


class Random:
    """Statements that compute something from a, b, n and m, with every sign and bracket that comes to mind."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.floats = ["a[i]", "b[i]"]
        self.ints = ["n[i]", "m[i]"]

    def choose(self, *items):
        return self.random.choice(items)

    def real(self, depth):
        if depth <= 0:
            return self.choose(*self.floats, "0.5", "2.0", "-1.5")
        e, f = (lambda: self.real(depth - 1)), (lambda: self.real(depth - 2))
        return self.choose(
            lambda: f"({e()} - {e()})", lambda: f"({e()} + {e()})", lambda: f"{f()} * {f()}", lambda: f"-{f()}",
            lambda: f"-({e()} - {e()})", lambda: f"({e()}) / (wp.abs({e()}) + 1.0)", lambda: f"-(-({e()}))",
            lambda: f"({e()} if {self.truth(depth - 1)} else {e()})", lambda: f"wp.sin({e()})",
            lambda: f"wp.min({e()}, {e()})", lambda: f"wp.tanh(-({e()}))", lambda: f"float({self.whole(depth - 2)}) * 0.1",
            lambda: f"wp.where({self.truth(depth - 1)}, {e()}, -{f()})", lambda: f"helper({e()}, {e()})",
        )()

    def whole(self, depth):
        if depth <= 0:
            return self.choose(*self.ints, "3", "-2", "7")
        e = lambda: self.whole(depth - 1)
        return self.choose(
            lambda: f"({e()} - {e()})", lambda: f"({e()} + {e()})", lambda: f"({e()}) * ({e()})", lambda: f"-({e()})",
            lambda: f"({e()}) // (wp.abs({e()}) + 1)", lambda: f"({e()}) % (wp.abs({e()}) + 1)",
            lambda: f"(({e()}) & ({e()}))", lambda: f"(({e()}) ^ {e()} | {e()})", lambda: f"~({e()})",
            lambda: f"({e()} if {self.truth(depth - 1)} else {e()})", lambda: f"(({e()}) << 1)", lambda: f"wp.max({e()}, {e()})",
            lambda: f"int(wp.uint8({e()}) - wp.uint8({e()}))", lambda: f"int(wp.uint8({e()}) * wp.uint8({e()}) / wp.uint8(3))",
        )()

    def truth(self, depth):
        e, w = (lambda: self.real(depth - 1)), (lambda: self.whole(depth - 1))
        return self.choose(
            lambda: f"{w()} < {w()}", lambda: f"{w()} != {w()}", lambda: f"{e()} > {e()} * 1.0001 + 0.001",
            lambda: f"(not {w()} >= {w()} and {w()} == {w()})", lambda: f"(-3 < {w()} <= (0 + {w()}) or {w()} > 4)",
        )()

    def update(self, depth):
        return self.choose(
            lambda: f"x -= {self.real(depth)}", lambda: f"x += {self.real(depth)}", lambda: f"x *= {self.real(depth)}",
            lambda: f"x /= wp.abs({self.real(depth)}) + 1.0", lambda: f"x = -x - {self.real(depth)}",
            lambda: f"x = {self.real(depth)} - x * ({self.real(depth - 1)})",
        )()

    def statements(self):
        lines = [self.choose("x = 0.0", "x = a[i]", "x = -b[i]")]
        self.floats.append("x")
        for number in range(self.random.randint(3, 6)):
            kind = self.random.randrange(7)
            if kind == 0:
                lines += [f"v{number} = {self.real(3)}"]
                self.floats.append(f"v{number}")
            elif kind == 1:
                lines += [f"k{number} = {self.whole(3)}"]
                self.ints.append(f"k{number}")
            elif kind == 2:
                lines += [f"if {self.truth(2)}:", f"    {self.update(2)}", "else:", f"    {self.update(2)}"]
            elif kind == 3:
                bounds = self.choose("3", "5, 0, -2", "1, 8, 3", "2, -2, -1", "0, 4")
                lines += [f"for j{number} in range({bounds}):", f"    {self.update(2)} * 0.5"]
            elif kind == 4:
                lines += [f"w{number} = wp.vec2({self.real(2)}, -({self.real(1)}))",
                          f"w{number} -= -w{number} * ({self.real(1)})", f"x -= wp.dot(-w{number}, w{number}) * 0.1"]
            else:
                lines += [self.update(3)]
        return "\n".join(lines + ["x = wp.sin(x)"])


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    texts = [HEAD]
    texts += [kernel(f"float_{i}", text, True) for i, text in enumerate(FLOATS)]
    texts += [kernel(f"int_{i}", text, False) for i, text in enumerate(INTEGERS)]
    texts += [kernel(f"random_{i}", Random(SEED * 1000 + i).statements(), True) for i in range(RANDOM_KERNELS)]
    wanted = len(texts) - 1
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, output = folder / "expressions.py", folder / "programs"
        source.write_text("".join(texts))
        done = standalone_batch.weft(source, "-o", output, check=False)
        made = standalone_batch.folders_of(output)
        failed = 0
        if done.returncode or len(made) != wanted:
            failed = wanted - len(made)
            print(f"{len(made)} of {wanted} kernels were translated:\n{done.stderr[-3000:]}")
        failed += standalone_batch.report(standalone_batch.run_programs(made, folder, ["-Wno-tautological-compare"]))
        one_way = [f.name for f in made if not f.name.startswith("int_") and not standalone_batch.has_backward(f)]
        if one_way:
            failed += 1
            print(f"no backward kernel: {one_way}")
    print(f"{wanted} kernels, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
