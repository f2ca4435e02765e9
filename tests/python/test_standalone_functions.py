#!/usr/bin/env python3
"""Every operation of op.def, every function of library.py and every category of invented kernels as standalone programs, forward and
backward, in float32 and float64: each compares its values and its gradient with the syntax tree evaluator's."""

import pathlib
import re
import shutil
import sys
import tempfile

import standalone_batch

ROOM = standalone_batch.ROOT / "src" / "standalone"
GROUP = 5  # operations per kernel
PER_CATEGORY = 2
BLOCKS = ["-DWEFT_BLOCKS="]  # as programs of blocks that wait for each other define it

OPERATORS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}", "floordiv": "{0} // {1}",
    "mod": "{0} % {1}", "neg": "-{0}", "pos": "+{0}", "invert": "~{0}", "bit_and": "{0} & {1}", "bit_or": "{0} | {1}",
    "bit_xor": "{0} ^ {1}", "lshift": "{0} << {1}", "rshift": "{0} >> {1}", "&&": "{0} and {1}", "||": "{0} or {1}",
    "unot": "not {0}", "row": "{0}[{1} % 2]", "to_bool": "wp.bool({0})", "identity": "wp.identity(n=3, dtype=S)",
    "cast_to_int": "wp.cast({0}, wp.int32)", "cast_to_float": "wp.cast({0} + 1065353216, wp.float32)",
} | {sign: "{0} " + sign + " {1}" for sign in ("==", "!=", "<", "<=", ">", ">=")}
# Rows that are reached by other names, or that stand for a form of the language.
SEVERAL_VALUES = {"quat_to_axis_angle": "axis_and_angle", "qr3": "both_factors", "svd2": "three_factors"}
SPECIAL = {"convert": {"f": "{other}({0})", "i": "S({0})", "b": "int({0})"}}
CALLS = {  # arguments that must be chosen
    "clamp": "wp.clamp({0}, {1} * S(0.5), {2} + S(0.2))", "lower_bound": "wp.lower_bound(sorted_values, {1})",
    "poisson": "wp.poisson(state, 3.0)", "sample_cdf": "wp.sample_cdf(state, sorted_values)",
    "block_sum": None, "block_argmin": None, "block_argmax": None,  # of tiles: test_standalone_tiles.py
    "randi": None, "randu": None, "randf": None, "rand_init": None, "expect": None,
    "smoothstep": "wp.smoothstep({0} - S(0.5), {1} + S(0.5), {2})", "pow": "wp.pow({0}, {1} + S(1.0))",
}
SINGLE = {"div_approx", "inverse_approx", "cast_to_int", "cast_to_float", "sample_cdf", "poisson", "lower_bound"}
BITS = {"bit_and", "bit_or", "bit_xor", "lshift", "rshift", "invert"}
DRAWN = {"randf", "randi", "randu", "randn", "poisson", "sample_cdf"}
UNSMOOTH_IN_DOUBLE = {"erfinv", "erfcinv"}  # the header for the CPU has them with few digits


def rows():
    for line in re.findall(r'^OP\((.*)\)$', (ROOM / "op.def").read_text(), re.M):
        parts = re.findall(r'"((?:[^"\\]|\\.)*)"|(NULL)', line)
        name, kinds, text, *rest = [a if not null else None for a, null in parts]
        yield name, kinds.split(), text, any(rest[:3])


class Values:
    """Arguments: the k-th number of a kernel is x[i + k]; so every argument has numbers of its own."""

    def __init__(self):
        self.count = 0

    def number(self):
        self.count += 1
        return f"x[i + {self.count % 24}]"

    def numbers(self, count):
        return ", ".join(self.number() for _ in range(count))

    def of_kind(self, kind):
        letter, length = kind[0], int(kind[1]) if len(kind) > 1 else 0
        if letter in "fs":
            return self.number()
        if letter == "i":
            return f"n[i + {self.count % 7}]"
        if letter == "b":
            return f"({self.number()} > S(0.5))"
        if letter in "vVcC":
            return f"VEC{length or 3}({self.numbers(length or 3)})"
        if letter == "m":
            return self.matrix(length or 3)
        if letter == "q":
            return f"wp.normalize(QUAT({self.numbers(4)}))"
        if letter == "t":
            return f"TRANSFORM(VEC3({self.numbers(3)}), wp.normalize(QUAT({self.numbers(4)})))"
        return "sorted_values" if letter == "a" else self.number()

    def matrix(self, n):
        parts = [f"{self.number()}{' + S(2.0)' if r == c else ''}" for r in range(n) for c in range(n)]
        return f"MAT{n}{n}({', '.join(parts)})"

    def of_type(self, name):
        """A parameter of a function in library.py."""
        simple = {"S": "s", "float": "s", "QUAT": "q", "TRANSFORM": "t", "int": "i"}
        if name in simple:
            return self.of_kind(simple[name])
        if name == "wp.uint32":
            return "wp.uint32(7)"
        size = re.search(r"(\d)", name).group(1)
        if "vec" in name.lower():
            scale = " * S(3.0)" if name.startswith("wp.") else ""
            return f"wp.spatial_vector{{f}}({self.numbers(6)})" if size == "6" else f"VEC{size}({self.numbers(int(size))}){scale}"
        return self.matrix(int(size))


def expression(name, kinds, values):
    """None: the row cannot be asked for with these kinds, or is reached otherwise."""
    args = [values.of_kind(kind) for kind in kinds]
    if name in BITS and kinds[0] == "v":
        args = ["wp.vec3i(n[i], n[i + 1], n[i + 2])", "wp.vec3i(n[i + 3], n[i + 4], 2)"][: len(kinds)]
    if name == "unot" and kinds[0] == "s":
        args = ["n[i]"]
    if name == "spatial_dot":
        args = [f"wp.spatial_vector{{f}}({values.numbers(6)})" for _ in kinds]
    if name in SPECIAL:
        return SPECIAL[name][kinds[0]].format(*args, other="{other}")
    if name in OPERATORS:
        return OPERATORS[name].format(*args)
    if name in CALLS:
        if name == "lower_bound" and len(kinds) > 2:
            return f"wp.lower_bound(sorted_values, 2, 20 + {args[2]}, {args[3]})"
        return CALLS[name].format(*args) if CALLS[name] else None
    if name.startswith(("rand", "sample_unit", "sample_triangle")):
        return f"wp.{name}(state)"
    return f"wp.{name}({', '.join(args)})"


def library_calls():
    text = (ROOM / "library.py").read_text()
    for name, params in re.findall(r"^def (\w+)\((.*)\):$", text, re.M):
        stem = name.split("__")[0]
        if stem.startswith(("noise_", "quat_from_parts")) or stem == "quat_mul":
            continue
        values = Values()
        args = [values.of_type(p.split(": ")[1]) for p in params.split(", ")]
        if stem == "pnoise":
            args = [a if "n[" not in a else "4" for a in args]
        if stem in SEVERAL_VALUES:
            yield stem, f"{SEVERAL_VALUES[stem]}({args[0]})", False
            continue
        yield stem, f"wp.{stem}({', '.join(args)})", "noise" in stem or stem == "closest_point_edge_edge"


def type_head(double):
    f, s = ("d", "wp.float64") if double else ("f", "wp.float32")
    lines = [f"S = {s}", f"OTHER = {'wp.float32' if double else 'wp.float64'}", f"QUAT = wp.quat{f}", f"TRANSFORM = wp.transform{f}"]
    lines += [f"VEC{n} = wp.vec{n}{f}\nMAT{n}{n} = wp.mat{n}{n}{f}" for n in (2, 3, 4)]
    return "import warp as wp\n\n" + "\n".join(lines) + """


@wp.func
def total(v: S):
    return v * v + v


@wp.func
def total(v: OTHER):
    return S(v) * S(v) + S(v)


@wp.func
def total(v: int):
    return S(v)


@wp.func
def total(v: wp.uint32):
    return S(int(v % wp.uint32(1000)))


@wp.func
def total(v: bool):
    return wp.where(v, S(1.0), S(2.0))

""" + "".join(
        f"\n@wp.func\ndef total(v: {kind}):\n    r = S(0.0)\n"
        + "".join(f"    r = r + v[{part}] * v[{part}] * S({1.0 + k / 4}) + v[{part}]\n" for k, part in enumerate(parts))
        + "    return r\n\n"
        for kind, parts in [(f"VEC{n}", range(n)) for n in (2, 3, 4)] + [("QUAT", range(4)), (f"wp.spatial_vector{f}", range(6))]
        + [(f"MAT{n}{n}", [f"{r}, {c}" for r in range(n) for c in range(n)]) for n in (2, 3, 4)]
    ) + """
@wp.func
def total(v: wp.vec3i):
    return S(v[0]) + S(v[1]) * S(0.5) - S(v[2])


@wp.func
def axis_and_angle(q: QUAT):
    axis, angle = wp.quat_to_axis_angle(q)
    return total(axis) * angle


@wp.func
def both_factors(a: MAT33):
    q, r = wp.qr3(a)
    return total(q) * total(r)


@wp.func
def three_factors(a: MAT22):
    u, sigma, v = wp.svd2(a)
    return total(u) + total(sigma) * total(v)


@wp.func
def total(v: TRANSFORM):
    return total(wp.transform_get_translation(v)) - total(wp.transform_get_rotation(v))


@wp.func
def total(v: wp.%s):
    return S(v[0]) + S(v[1]) * S(0.5)

""" % ("vec3" if double else "vec3d")


def kernel(name, expressions, double):
    f, s, other = ("d", "wp.float64", "wp.float32") if double else ("f", "wp.float32", "wp.float64")
    lines = []
    for k, (text, draws) in enumerate(expressions):
        text = text.replace("{other}", other).replace("{f}", f)
        lines += ([f"    state = wp.rand_init(42 + {k}, i)"] if draws else []) + [f"    y[i, {k}] = total({text})"]
    return f"""
@wp.kernel
def {name}(x: wp.array(dtype=S), n: wp.array(dtype=int), sorted_values: wp.array(dtype=float), y: wp.array2d(dtype=S)):
    i = wp.tid()
""" + "\n".join(lines) + "\n\n"


def write_kernels(double):
    """The source, with (kernel, names of what is in it, does it have a gradient)."""
    entries = []
    for name, kinds, text, smooth in rows():
        if double and (name in SINGLE or name.startswith(("rand", "sample"))):
            continue
        if double and name in UNSMOOTH_IN_DOUBLE:
            continue
        made = expression(name, kinds, Values())
        if made:
            entries.append((f"{name} of {' '.join(kinds)}", made, name.startswith(("rand", "sample")) or name in DRAWN, smooth))
    for stem, made, single in library_calls():
        if not (single and double):
            entries.append((stem, made, False, True))
    groups = [[e for e in entries if e[3]], [e for e in entries if not e[3]]]
    source, kernels = type_head(double), []
    for group in groups:
        for start in range(0, len(group), GROUP):
            part = group[start : start + GROUP]
            name = f"operations_{len(kernels)}_{'double' if double else 'single'}"
            source += kernel(name, [(made, draws) for _, made, draws, _ in part], double)
            kernels.append((name, [label for label, *_ in part], part[0][3]))
    return source, kernels


def check_operations(folder):
    failed, made, texts = 0, [], ""
    for double in (False, True):
        source, kernels = write_kernels(double)
        path, output = folder / f"operations_{double}.py", folder / f"operations_{double}"
        path.write_text(source)
        done = standalone_batch.weft(path, "-o", output, check=False)
        if done.returncode:
            failed += 1
            print(done.stderr[-3000:])
        for name, labels, smooth in kernels:
            if not (output / name).exists():
                failed += 1
                print(f"{name} was not made: {labels}")
                continue
            texts += (output / name / f"{name}.cu").read_text()
            if smooth and not standalone_batch.has_backward(output / name):
                failed += 1
                print(f"{name} has no backward kernel: {labels}")
            made.append(output / name)
    names = dict((kernel_name, labels) for double in (False, True) for kernel_name, labels, _ in write_kernels(double)[1])
    library, header = (ROOM / "library.py").read_text(), (standalone_batch.ROOT / "share" / "weft_math.cuh").read_text()
    for name in re.findall(r"^def (\w+)\(", library, re.M):
        calls = texts + (header if re.search(rf"(?<!def )\b{name}\(", library) else "")
        name = name.split("__")[0]
        forward, reverse = re.search(rf"\b{name}\(", calls), re.search(rf"\badj_{name}\(", calls)
        if not forward or not (reverse or name.startswith("noise_corner") or name == "quat_from_parts"):
            failed += 1
            print(f"library.py: {name} is in no program (forward: {bool(forward)}, backward: {bool(reverse)})")
    named = {name.split("__")[0] for name in re.findall(r"^def (\w+)\(", library, re.M)}
    for name, params in set(re.findall(r"^__device__ inline .*?(\w+)\(([^)]*)\)", texts, re.M | re.S)):
        if name.removeprefix("adj_") in named and not re.search(r"\bdouble\b|\b(vec|mat|quat|transform)\d*d\b", params):
            failed += 1
            print(f"library.py: {name}({params}) is in a program, since weft_math.cuh has another text of it")
    results = standalone_batch.run_programs(made, folder)
    for path, (code, text) in results.items():
        if code or "PASS" not in text:
            print(f"{path.name} has {names[path.name]}")
    return failed + standalone_batch.report(results), len(made)


def check_categories(folder):
    listed = (standalone_batch.ROOT / "src" / "synth" / "categories.def").read_text()
    categories = re.findall(r"^CATEGORY\((\w+)", listed, re.M)
    made, failed = [], 0
    for category in categories:
        output = folder / f"category_{category}"
        standalone_batch.weft("-n", PER_CATEGORY, "-s", 606, "-c", category, "-o", output)
        made += standalone_batch.folders_of(output)
    if len(categories) < 21 or len(made) != PER_CATEGORY * len(categories):
        failed += 1
        print(f"{len(made)} programs of {len(categories)} categories")
    tiles = [path for path in made if path.parent.name == "category_tile"]
    results = standalone_batch.run_programs([path for path in made if path not in tiles], folder)
    results |= standalone_batch.run_programs(tiles, folder, BLOCKS)
    return failed + standalone_batch.report(results), len(made)


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        failed, operations = check_operations(pathlib.Path(folder))
        wrong, invented = check_categories(pathlib.Path(folder))
    print(f"{operations} programs of operations and functions, {invented} of categories, {failed + wrong} failed")
    return 1 if failed + wrong else 0


if __name__ == "__main__":
    sys.exit(main())
