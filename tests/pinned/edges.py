"""Bodies of kernels at the edges of what may be done, made by rule: every kind of place with indices just inside and just outside of it,
loops and slices of all directions, numbers at which functions turn; and those of rare.txt: statements, calls and constructors that few
kernels have, right and wrong ones, each once."""

import itertools
import pathlib
import random
import re

import kernels

HERE = pathlib.Path(__file__).resolve().parent
HEAD = """

FLAGS = wp.constant(wp.types.vector(length=3, dtype=bool)(True, False, True))
MARKS = wp.constant(wp.types.vector(length=3, dtype=bool)(0.5, 0.0, 2.0))
Wall = wp.types.matrix(shape=(40, 40), dtype=float)
Two = wp.types.matrix(shape=(2, 3), dtype=float)
Four = wp.types.matrix(shape=(3, 4), dtype=float)
Nine = wp.types.matrix(shape=(9, 2), dtype=float)
Ten = wp.types.matrix(shape=(10, 2), dtype=float)
Chain = wp.types.vector(length=1200, dtype=float)
Rope = wp.types.vector(length=70000, dtype=float)


@wp.func
def zero_with_slope(x: float):
    return x - wp.cast(wp.cast(x, wp.int32), wp.float32)


@wp.func
def grow(x: float):
    return x * x


@wp.func
def grow_result(x: float):
    return x + 1.0


@wp.func
def grow_backward(x: float):
    return wp.sin(x)


@wp.func
def adj_grow(x: float):
    return wp.cos(x) * x
"""
COMPONENT_SET = r"^\s*b(\.\w+|\[[^\]]*\])+ [-+*/|&^]?= "
SLOPE = "z = zero_with_slope(a[i])\n"  # 0, but what it is added to has a derivative

# what is indexed: how a variable of it is made, its length, where a result goes
VECTORS = {
    "v": (3, "outv[i] = b"), "q": (4, "outq[i] = b"), "t": (7, "outt[i] = b"), "w": (6, "outw[i] = b"),
    "av[i]": (3, "outv[i] = b"), "vd": (3, "outvd[i] = b"), "nest.inner.right": (3, "outv[i] = b"),
}  # fmt: skip
MATRICES = {"m": "outm[i] = b", "am[i]": "outm[i] = b", "wide.axes": "outm[i] = b"}
ARRAYS = {  # length of each dimension in the launches of smoke.h
    "a": (7,), "grid": (7, 5), "cube": (7, 5, 4), "hyper": (7, 5, 4, 3), "hold.data": (7,), "clouds[i].grid": (7, 5), "al": (7,), "ab": (7,), "av": (7,),
}  # fmt: skip


def around(length):
    return (-length - 1, -length, -1, length - 1, length)


def of_vectors():
    for name, (length, keep) in VECTORS.items():
        number = "wp.float64(x)" if name == "vd" else "x"
        for k in around(length):
            start = f"k = int({k})\nb = {name}\n"
            yield f"k = int({k})\nout[i] = float({name}[k])"
            yield f"{start}b[k] = {number}\n{keep}"
            yield f"{start}b[k] += {number}\nb[k] -= {number} * {number}\n{keep}"
            if name != "vd":
                yield f"{start}add_to(b[k], x)\n{keep}"
    for k in around(3):
        yield f"k = int({k})\navi[i][k] = n"
        yield f"k = int({k})\navi[i][k] += n\nouti[i] = avi[i][k]"
        yield f"k = int({k})\nav[i][k] = x"
        yield f"k = int({k})\nav[i][k] -= x"
        yield f"k = int({k})\nouti[i] = vi[k] | avi[i][k]"
        yield f"k = int({k})\nb = vi\nb[k] |= 5\nb[k] &= 6\nb[k] ^= 3\noutvi[i] = b"


def of_matrices():
    for name, keep in MATRICES.items():
        for k in around(3):
            start = f"k = int({k})\nb = {name}\n"
            for read in ("b[k, 1]", "b[1, k]", "b[k][1]", "b[1][k]"):
                yield f"{start}out[i] = {read}"
            for change in ("b[k, 1] = x", "b[1, k] = x", "b[k, 2] += x", "b[2, k] -= x", "b[k] = v", "b[k] += v", "add_to(b[k, 1], x)", "add_to(b[1, k], x)", "add_row(b[k], v)"):
                yield f"{start}{change}\n{keep}"
    for k in around(3):
        yield f"k = int({k})\nam[i][k] = v"
        yield f"k = int({k})\nam[i][k, 0] = x\nam[i][0, k] = x"
        yield f"k = int({k})\nam[i][1, k] += x"
        yield f"k = int({k})\noutv[i] = am[i][k]"
    for k, l in itertools.product(around(3), around(3)):
        yield f"k = int({k})\nl = int({l})\nout[i] = m[k, l]"


def of_arrays():
    for name, shape in ARRAYS.items():
        for dim, length in enumerate(shape):
            for k in around(length):
                index = ", ".join("k" if d == dim else "1" for d in range(len(shape)))
                place = f"{name}[{index}]"
                start = f"k = int({k})\n"
                value = {"al": "big", "ab": "c", "av": "v"}.get(name, "x")
                yield f"{start}b = {place}\n{place} = b"
                yield f"{start}{place} = {value}"
                if name == "ab":
                    continue
                yield f"{start}{place} += {value}"
                if name in ("a", "grid", "cube", "hyper"):
                    inside = ", ".join("k" if d == dim else "1" for d in range(len(shape)))
                    yield f"{start}out[i] = wp.atomic_add({name}, {inside}, x)"
                    yield f"{start}out[i] = wp.atomic_max({name}, {inside}, x)"
                    yield f"{start}add_to({place}, x)"
                if dim == 0 and len(shape) > 1:
                    yield f"{start}row = {name}[k]\nout[i] = row[{', '.join(['1'] * (len(shape) - 1))}]"
    for k in around(3):
        yield f"k = int({k})\nb = wp.zeros(shape=3, dtype=float)\nb[k] = x\nout[i] = b[k] * 2.0"
        yield f"k = int({k})\nb = wp.zeros(shape=(2, 3), dtype=float)\nb[1, k] = x\nout[i] = b[1, k] + b[0, 2]"
        yield f"k = int({k})\nb = wp.zeros(shape=(3, 2), dtype=float)\nb[k, 1] = x\nout[i] = b[k, 1] + b[2, 0]"


def of_slices():
    bounds = ("", "0", "1", "2", "-1", "-3", "5", "-9")
    for lower, upper, step in itertools.product(bounds, bounds, ("", "2", "-1", "-2")):
        slice = f"{lower}:{upper}" + (f":{step}" if step else "")
        length = len(range(3)[parsed(lower) : parsed(upper) : parsed(step)])
        if length:
            yield f"b = v[{slice}]\nout[i] = b[0] + 3.0 * b[{length - 1}]"
        if length == 2 and step != "2":
            yield f"b = v\nb[{slice}] = wp.vec2(x, 2.0)\nb[{slice}] += wp.vec2(1.0, x)\noutv[i] = b"
            yield f"b = m\nb[{slice}, 1] = wp.vec2(x, 2.0)\nb[2, {slice}] -= wp.vec2(x, 3.0)\noutm[i] = b\nr = m[{slice}, {slice}]\nout[i] = r[0, 1] + 2.0 * r[1, 0]"
    for lower, upper, step in itertools.product(("", "1", "-2", "6", "-8"), ("", "2", "-1", "9", "-9"), ("", "2", "-1", "-3")):
        slice = f"{lower}:{upper}" + (f":{step}" if step else "")
        length = len(range(7)[parsed(lower) : parsed(upper) : parsed(step)])
        yield f"b = a[{slice}]\nout[i] = b[0] + 3.0 * b[{max(0, length - 1)}] + float(b.shape[0])"
        yield f"b = grid[{slice}, 1]\nb[{length}] = x"


def parsed(bound):
    return int(bound) if bound else None


def of_loops():
    ends = (-3, 0, 1, 4)
    for start, stop, step in itertools.product(ends, ends, (None, 1, 2, -1, -2, 3)):
        args = f"{start}, {stop}" + (f", {step}" if step else "")
        yield f"y = float(1.0)\nfor k in range({args}):\n    y = y * x + float(k)\nout[i] = y"
        moving = f"n + {start - 2}, n + {stop - 2}" + (f", {step}" if step else "")
        yield f"y = float(1.0)\nfor k in range({moving}):\n    y = y * a[i] + float(k)\n    if y > 9.0:\n        break\nout[i] = y"
    for stop, step in itertools.product((-2, 0, 3), (1, -1, 2)):
        yield f"y = float(0.0)\ng = int({step})\nfor k in range(0, {stop}, g):\n    if k == 1:\n        continue\n    y += a[i] * float(k)\nout[i] = y"
        yield f"k = int(0)\ny = x\nwhile k != {stop}:\n    k += {step}\n    y = y * a[i]\n    if k > 5 or k < -5:\n        break\nout[i] = y"
    yield "y = float(0.0)\ng = int(0)\nfor k in range(0, 3, g):\n    y += a[i]\nout[i] = y"


def of_nesting():
    """Branches within branches, around what the evaluators and standalone programs follow."""
    for depth in (97, 98, 99, 100, 101, 197, 198, 199, 200, 201):
        lines = [f"{'elif' if k else 'if'} a[i] > {depth - k}.0:\n    out[i] = x * {k}.0" for k in range(depth)]
        yield "\n".join([*lines, "else:", "    out[i] = a[i] * x"])


def of_comparisons():
    values = ("wp.nan", "wp.inf", "-wp.inf", "0.0", "-0.0", "x")
    for one, two in itertools.combinations_with_replacement(values, 2):
        sums = " + ".join(f"wp.where(p {op} r, {2.0**k}, 0.0)" for k, op in enumerate(("<", "<=", ">", ">=", "==", "!=")))
        yield f"p = x * 0.0 + float({one})\nr = float({two})\nout[i] = {sums}"
        yield f"p = float({one})\nr = a[i] * 0.0 + float({two})\nout[i] = float(p < r < x) + 2.0 * float(p == r == p) + 4.0 * float(r > p != x)"
        yield f"p = float({one})\nr = float({two})\nout[i] = wp.min(p, r)\nout[i] += wp.max(p, r)"
        yield f"p = float({one})\nr = float({two})\nif p < r:\n    out[i] = 1.0\nelif p > r:\n    out[i] = 2.0\nelif not p == r:\n    out[i] = 3.0\nelse:\n    out[i] = a[i]"
    for type, one, two in itertools.product(("int", "wp.int8", "wp.uint8", "wp.int64", "wp.uint64"), (-1, 0, 1), (-1, 0, 3)):
        sums = " + ".join(f"wp.where(p {op} r, {2.0**k}, 0.0)" for k, op in enumerate(("<", "<=", ">", ">=", "==", "!=")))
        yield f"p = {type}({one})\nr = {type}({two})\nout[i] = {sums}"
    # Of two types, next to where one of them no longer tells two numbers apart, or has no sign.
    numbers = ("int(16777217)", "wp.uint32(16777217)", "wp.int64(16777217)", "wp.uint64(18446744073709551615)", "wp.int64(-1)", "int(-1)", "wp.uint32(4294967295)",
               "wp.uint8(255)", "wp.int8(-1)", "float(16777216.0)", "wp.float64(16777216.0)", "wp.float64(16777217.0)", "wp.float16(1.0)", "wp.float64(1.00001)", "float(-1.0)")  # fmt: skip
    for one, two in itertools.product(numbers, repeat=2):
        yield f"p = {one}\nr = {two}\nout[i] = {sums}"


def of_integers():
    ends = {"wp.int8": (-128, 127), "wp.uint8": (0, 255), "wp.int16": (-(2**15), 2**15 - 1), "wp.int32": (-(2**31), 2**31 - 1), "wp.uint32": (0, 2**32 - 1), "wp.int64": (-(2**63), 2**63 - 1)}
    for type, (low, high) in ends.items():
        for one, two in itertools.product((low, 7, high), (-1 if low else 1, -3 if low else 3, high, low)):
            start = f"p = {type}({one})\nr = {type}({two})\n"
            if two:
                yield f"{start}outl[i] = wp.int64(p // r) * wp.int64(1000) + wp.int64(p % r)"
                yield f"{start}outl[i] = wp.int64(p / r) + wp.int64(wp.mod(p, r))"
            yield f"{start}outl[i] = wp.int64(p + r) + wp.int64(p - r) * wp.int64(3)"
            yield f"{start}outl[i] = wp.int64(p * r)"
            yield f"{start}outl[i] = wp.int64(wp.min(p, r)) + wp.int64(wp.max(p, r)) + wp.int64(wp.abs(p)) + wp.int64(wp.sign(r)) + wp.int64(-p)"
        for shift in (0, 1, 7, 31):
            yield f"p = {type}({high})\nr = {type}({low})\ng = {type}({shift % (8 if '8' in type else 32)})\noutl[i] = wp.int64(p << g) + wp.int64(r >> g) + wp.int64(~p & r | g ^ p)"


# ---- geometry and decompositions at degenerate places ----


def point(rng, low=-1, high=2):
    return "wp.vec3({}.0 + z, {}.0, {}.0 - z)".format(*(rng.randint(low, high) for _ in range(3)))


def flat_point(rng, axis):
    numbers = [rng.randint(-1, 2) for _ in range(3)]
    numbers[axis] = 1
    return "wp.vec3({}.0, {}.0, {}.0)".format(*numbers)


def of_triangles():
    rng = random.Random(5)
    for number in range(40):
        lines = []
        for bit in range(12):
            corners = [point(rng) if number % 4 else flat_point(rng, number // 4 % 3) for _ in range(6)]
            lines.append(f"g += wp.intersect_tri_tri({', '.join(corners)}) << {bit}")
        yield SLOPE + "g = int(0)\n" + "\n".join(lines) + "\nouti[i] = g"
    for number in range(40):
        corners = [point(rng, -1, 1) for _ in range(4)]
        yield SLOPE + f"outv[i] = wp.closest_point_edge_edge({', '.join(corners)}, 1.0e-5)"


def of_rotations():
    signs = list(itertools.product((1, -1), repeat=3))
    for one, two, three in signs:
        yield SLOPE + f"outq[i] = wp.quat_from_matrix(wp.mat33({one}.0 + z, 0.0, 0.0, 0.0, {two}.0, 0.1 * z, 0.0, z, {three}.0))"
        yield SLOPE + f"outq[i] = wp.quat_from_matrix(wp.mat33(0.0, {one}.0 + z, 0.0, 0.0, 0.0, {two}.0, {three}.0, z, 0.0))"
        yield SLOPE + f"b = wp.quat({one}.0 + z, {two}.0, {three}.0, 0.0 - z)\nout[i] = wp.length(b) + wp.dot(b, q)\noutq[i] = wp.normalize(b)"
        yield SLOPE + f"axis, angle = wp.quat_to_axis_angle(wp.quat({one}.0 * z, 0.0, {two}.0, {three}.0))\noutv[i] = axis * angle"
    for numbers in ("0.0, 0.0, 0.0, 1.0", "0.0, 0.0, 0.0, -1.0", "0.0, 0.0, 0.0, 0.0", "1.0, 0.0, 0.0, 0.0", "0.5, 0.5, 0.5, 0.5"):
        for other in ("0.0, 0.0, 0.0, 1.0", "0.0, 0.0, 1.0, 0.0", "-0.5, -0.5, -0.5, -0.5"):
            for share in ("0.0", "0.5", "1.0"):
                yield SLOPE + f"outq[i] = wp.quat_slerp(wp.quat({numbers}), wp.quat({other}), {share} + z)"
        yield SLOPE + f"outv[i] = wp.quat_rotate(wp.quat({numbers}), wp.vec3(1.0 + z, 2.0, 3.0)) + wp.quat_rotate_inv(wp.quat({numbers}), v)"
        yield SLOPE + f"outq[i] = wp.quat_inverse(wp.quat({numbers})) * (1.0 + z)"
        yield SLOPE + f"axis, angle = wp.quat_to_axis_angle(wp.quat({numbers}))\noutv[i] = axis * (angle + z)"


def of_decompositions():
    matrices = (
        "1, 0, 0, 0, 1, 0, 0, 0, 1", "0, 0, 0, 0, 0, 0, 0, 0, 0", "2, 0, 0, 0, -3, 0, 0, 0, 1", "1, 2, 3, 2, 4, 6, 3, 6, 9", "0, 1, 0, 1, 0, 0, 0, 0, 1",
        "2, -1, 0, -1, 2, -1, 0, -1, 2", "1, 2, 3, 4, 5, 6, 7, 8, 10", "0, 0, 1, 0, 0, 0, 1, 0, 0", "-1, 0, 0, 0, -1, 0, 0, 0, -1", "1, 1, 1, 0, 1, 1, 0, 0, 1",
    )  # fmt: skip
    for text in matrices:
        numbers = ", ".join(f"{float(n)}" + (" + z" if k in (0, 4) else "") for k, n in enumerate(text.split(", ")))
        start = f"{SLOPE}b = wp.mat33({numbers})\n"
        yield f"{start}o, g, r = wp.svd3(b)\noutm[i] = o * wp.diag(g) * wp.transpose(r)\noutv[i] = g"
        yield f"{start}o, r = wp.qr3(b)\noutm[i] = o * r\noutv[i] = r[0]"
        yield f"{start}o, g = wp.eig3(b)\noutm[i] = o * wp.diag(g)\noutv[i] = g"
        yield f"{start}outm[i] = wp.inverse(b)\nout[i] = wp.determinant(b)"
        yield f"{start}o, g, r = wp.svd3(b)\nout[i] = o[0, 0] + 2.0 * o[1, 2] + 3.0 * r[2, 1] + 4.0 * r[0, 2]"
    for text in ("1, 0, 0, 1", "0, 0, 0, 0", "1, 2, 2, 4", "0, 1, -1, 0", "3, 1, 1, -2", "-1, 0, 0, 2"):
        numbers = ", ".join(f"{float(n)}" + (" + z" if k in (0, 3) else "") for k, n in enumerate(text.split(", ")))
        yield f"{SLOPE}b = wp.mat22({numbers})\no, g, r = wp.svd2(b)\nout[i] = o[0, 0] + 2.0 * o[1, 0] + 3.0 * g[0] + 4.0 * g[1] + 5.0 * r[0, 1]"
        yield f"{SLOPE}b = wp.mat22({numbers})\nr = wp.inverse(b)\nout[i] = r[0, 0] + 2.0 * r[1, 0] + wp.determinant(b)"


def of_noise():
    places = {"float(n) + z": 1, "wp.vec2({}, {} + z)": 2, "wp.vec3({}, {} + z, {})": 3, "wp.vec4({}, {}, {} + z, {})": 4}
    for place, dims in places.items():
        for numbers in ((0, 0, 0, 0), (1, -1, 2, 0.5), (-0.25, 0.75, -3, 7), (255.5, 256, 257, -0.5), (3, 3.25, -1.75, 0.125)):
            p = place.format(*map(float, numbers[:dims])) if dims > 1 else f"{float(numbers[0])} + z"
            yield f"{SLOPE}g = wp.rand_init(n)\nout[i] = wp.noise(g, {p})"
            periods = "3" if dims == 1 else ", ".join("3214"[:dims])
            yield f"{SLOPE}g = wp.rand_init(7, i)\nout[i] = wp.pnoise(g, {p}, {periods})"
            if dims > 1:
                for octaves in (0, 1, 3):
                    keep = "outv[i] = b" if dims > 2 else "out[i] = b[0] + 2.0 * b[1]"
                    yield f"{SLOPE}g = wp.rand_init(n)\nb = wp.curlnoise(g, {p}, wp.uint32({octaves}), 2.0 + z, 0.5 - z)\n{keep}"
    for octaves in (33, 100000, -1):
        yield f"g = wp.rand_init(n)\nb = wp.curlnoise(g, wp.vec2(0.5, x), wp.uint32({octaves}), 2.0, 0.5)\nout[i] = b[0]"
    for rate in ("0.0", "0.5", "9.5", "10.0", "10.5", "29.0", "31.0", "250.0", "100000.0", "-1.0"):
        yield f"g = wp.rand_init(n)\np = wp.poisson(g, {rate})\nr = wp.poisson(g, {rate})\noutu[i] = p + r * wp.uint32(3)"
        yield f"g = wp.rand_init(n, i)\nfor k in range(40):\n    out[i] += float(wp.poisson(g, {rate})) * float(k % 7)"
    for low, high in ((0, 1), (-5, 5), (3, 3), (5, 2), (0, 2147483647), (-2147483648, 2147483647)):
        yield f"g = wp.rand_init(n, i)\nouti[i] = wp.randi(g, {low}, {high})"
        yield f"g = wp.rand_init(n, i)\nout[i] = wp.randf(g, {low}.0, {high}.0) + wp.randf(g) + wp.randn(g)"


def of_curves():
    for edges, place in itertools.product(("0.0, 1.0", "1.0, 0.0", "1.0, 1.0", "-1.0, 2.0"), ("-2.0", "0.0", "0.5", "1.0", "3.0")):
        yield f"{SLOPE}out[i] = wp.smoothstep({edges}, {place} + z)"
        yield f"{SLOPE}out[i] = wp.clamp({place} + z, {edges}) + wp.lerp({edges} + z, {place})"
    for one, two in itertools.product(("0.0", "-0.0", "1.0", "-1.0", "2.5", "-2.5"), repeat=2):
        yield f"{SLOPE}out[i] = wp.atan2({one} + z, {two} - z)"
        yield f"{SLOPE}out[i] = wp.pow({one} + z, {two})"
        yield f"{SLOPE}out[i] = wp.mod({one} + z, {two}) + wp.floordiv({one}, {two})"
        yield f"{SLOPE}out[i] = wp.min({one} + z, {two}) + 2.0 * wp.max({one} + z, {two} - z)"
    for name in ("round", "rint", "trunc", "floor", "ceil", "frac", "sign", "nonzero", "abs", "step", "sqrt", "log", "log2", "log10", "exp", "asin", "acos", "cbrt", "tan"):
        for place in ("0.0", "-0.5", "0.5", "1.5", "2.5", "-1.5", "1.0", "-1.0", "-2.0"):
            yield f"{SLOPE}out[i] = wp.{name}({place} + z)"
    for numbers in ("1.0, 1.0, 0.0", "0.0, 0.0, 0.0", "-1.0, 2.0, 2.0", "3.0, -3.0, 3.0"):
        start = f"{SLOPE}b = wp.vec3({numbers}) + wp.vec3(z, 0.0, -z)\n"
        yield f"{start}outi[i] = int(wp.argmin(b)) * 4 + int(wp.argmax(b))"
        yield f"{start}out[i] = wp.min(b) + 2.0 * wp.max(b) + wp.length(b) + wp.length_sq(b)\noutv[i] = wp.normalize(b)"
        yield f"{start}outv[i] = wp.cw_div(v, b)\noutv[i] += wp.cw_mul(b, v) + wp.cross(b, v) + wp.abs(b) + wp.sign(b)"


FAMILIES = {
    "vectors": of_vectors, "matrices": of_matrices, "arrays": of_arrays, "slices": of_slices, "loops": of_loops, "comparisons": of_comparisons,
    "integers": of_integers, "nesting": of_nesting, "triangles": of_triangles, "rotations": of_rotations, "decompositions": of_decompositions, "noise": of_noise,
    "curves": of_curves,
}  # fmt: skip


def families():
    """Bodies by family, and what marks their kernels; references cannot be passed where there is a backward pass."""
    rare = (HERE / "rare.txt").read_text().strip("\n").split("\n\n")
    yield "rare", rare, "@wp.kernel"
    yield "rare_forward", rare, "@wp.kernel(enable_backward=False)"
    yield "overwrites", [body for body in dict.fromkeys([*rare, *of_vectors()]) if re.search(COMPONENT_SET, body, re.M)], "@wp.kernel"
    references = []
    for family, bodies in FAMILIES.items():
        found = list(dict.fromkeys(bodies()))
        references += [body for body in found if "add_to(" in body or "add_row(" in body]
        yield family, [body for body in found if body not in references], "@wp.kernel"
    yield "references", references, "@wp.kernel(enable_backward=False)"


def modules():
    """(name, source) of the files of each family."""
    for family, found, decorator in families():
        for start in range(0, len(found), kernels.PER_FILE):
            head = HEAD + ("\nwp.config.enable_vector_component_overwrites = True\n" if family == "overwrites" else "")
            source = kernels.module(found[start : start + kernels.PER_FILE], start, head, decorator=decorator)
            yield f"{family}_{start // kernels.PER_FILE + 1}.py", source
