"""The quantities and laws of src/synth/meaning as data, and a way to run a law without Warp.

A law is text in the kernel language. `Law.function()` makes it a Python function over numbers and numpy arrays in
double precision, with the few builtins below in the place of `wp`; `warp_source()` writes all laws as a Warp module."""

import ast
import copy
import math
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEANING = ROOT / "src/synth/meaning"

# Laws take these to have length one.
UNIT_VECTORS = {"direction", "normal", "tangent", "plane_direction"}
# Number of components; the sizes of matrices; what Warp calls the type.
SHAPES = {"float": (), "int": (), "uint32": (), "vec2": (2,), "vec3": (3,), "vec4": (4,), "mat22": (2, 2), "mat33": (3, 3),
          "quat": (4,), "transform": (7,), "spatial_vector": (6,)}


class Quantity:
    def __init__(self, ident, type_name, unit, low, high, arrays, locals_, settings, phrase):
        self.id, self.type, self.unit, self.phrase = ident, type_name, unit, phrase
        self.low, self.high = float(low), float(high)
        self.arrays, self.locals, self.settings = (split_names(n) for n in (arrays, locals_, settings))

    def draw(self, rng):
        if self.type in ("int", "uint32"):
            return int(rng.integers(int(self.low), int(self.high) + 1))
        value = rng.uniform(self.low, self.high, SHAPES[self.type])
        if self.type == "float":
            return float(value)
        if self.type == "transform":
            return np.concatenate([value[:3], unit(rng.normal(size=4))]).view(Transform)
        if self.type == "quat":
            return unit(rng.normal(size=4)).view(Quat)
        if self.id in UNIT_VECTORS:
            return unit(rng.normal(size=SHAPES[self.type]))
        return value


def split_names(text):
    return [n for n in text.split("|") if n]


def unit(v):
    return v / np.linalg.norm(v)


def read_table(name, macro, fields):
    """The rows of MACRO(...) in a .def file, each a list of `fields` texts; strings lose their quotes."""
    text = re.sub(r"/\*.*?\*/", "", (MEANING / name).read_text(), flags=re.S)
    rows = []
    for line in text.splitlines():
        if not line.startswith(macro + "("):
            continue
        cells = re.findall(r'"[^"]*"|[^,()"\s]+', line[len(macro) + 1:line.rindex(")")])
        if len(cells) != fields:
            raise SystemExit(f"{name}: {len(cells)} cells instead of {fields}: {line}")
        rows.append([c.strip('"') for c in cells])
    return rows


def read_quantities():
    rows = read_table("quantities.def", "QUANTITY", 9)
    quantities = {row[0]: Quantity(*row) for row in rows}
    if len(quantities) != len(rows):
        raise SystemExit("quantities.def: a quantity is defined twice")
    return quantities


def read_entities():
    return read_table("quantities.def", "ENTITY", 4)


class Plain(ast.NodeTransformer):
    """Replaces the words of scenes (number, either, constant, names, note) by one of the things they may become."""

    def visit_Expr(self, node):
        self.generic_visit(node)
        called = getattr(getattr(node.value, "func", None), "id", None)
        return None if called in ("names", "note") else node

    def visit_IfExp(self, node):
        """Of a form that only some versions of Warp have, and the one that all have: the latter."""
        self.generic_visit(node)
        names = {n.func.id for n in ast.walk(node.test) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        return node.orelse if "allows" in names else node

    def visit_Call(self, node):
        self.generic_visit(node)
        called = getattr(node.func, "id", None)
        if called == "constant":
            return node.args[1]
        if called == "either":
            return node.args[0]
        if called in ("number", "integer"):
            low, high = (ast.literal_eval(a) for a in node.args)
            return ast.Constant((low + high) / 2 if called == "number" else (low + high) // 2)
        return node


class Law:
    def __init__(self, path, node):
        self.field, self.node, self.name = path.stem, Plain().visit(node), node.name
        call = node.decorator_list[0]
        self.topic, self.sentence = (ast.literal_eval(a) for a in call.args)
        self.private = any(k.arg == "private" for k in call.keywords)
        needs = [k.value for k in call.keywords if k.arg == "needs"]
        self.needs = needs[0].elts if needs else []
        self.parameters = [(a.arg, a.annotation.id) for a in node.args.args]
        results = node.returns.elts if isinstance(node.returns, ast.Tuple) else [node.returns]
        self.results = [r.id for r in results]

    def function(self, book, body=None):
        """The law, or one with another body, as a Python function; `book` has the laws that it may call."""
        node = copy.deepcopy(self.node)
        node.body = body or node.body
        return compile_function(node, book)

    def condition(self):
        node = copy.deepcopy(self.node)
        test = ast.BoolOp(ast.And(), self.needs) if len(self.needs) > 1 else self.needs[0]
        node.body = [ast.Return(test)]
        return compile_function(node, {})


def compile_function(node, book):
    node.decorator_list, node.returns = [], None
    for argument in node.args.args:
        argument.annotation = None
    module = ast.fix_missing_locations(ast.Module([node], []))
    names = {**book, "wp": Builtins, "float": as_float, "int": int, "range": range, "min": min, "max": max, "abs": abs}
    exec(compile(module, node.name, "exec"), names)
    return names[node.name]


def as_float(x):
    return float(x)


def read_laws():
    laws = []
    for path in sorted((MEANING / "laws").glob("*.py")) + sorted((MEANING / "scenes").glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list[0].func.id == "law":
                laws.append(Law(path, node))
    return laws


def callables(laws):
    """Every law as a Python function, by name; they may call each other."""
    book = {}
    for law in laws:
        book[law.name] = law.function(book)
        book[law.name].__globals__.update({l.name: (lambda *a, n=l.name: book[n](*a)) for l in laws if l is not law})
    return book


def warp_source(laws, quantities):
    """All laws as functions of one Warp module, each with a kernel that applies it to arrays of its quantities."""
    lines = ["import warp as wp", ""]
    for law in laws:
        node = copy.deepcopy(law.node)
        node.decorator_list = []
        for argument in node.args.args:
            argument.annotation.id = warp_type(quantities[argument.annotation.id])
        node.returns = None
        lines += ["", "@wp.func", ast.unparse(node), "", "", '@wp.kernel(enable_backward=False)']
        arrays = [f"{p}_of: wp.array(dtype={warp_type(quantities[q])})" for p, q in law.parameters]
        arrays += [f"result_{i}: wp.array(dtype={warp_type(quantities[q])})" for i, q in enumerate(law.results)]
        results = ", ".join(f"r{i}" for i in range(len(law.results)))
        values = ", ".join(f"{p}_of[i]" for p, _ in law.parameters)
        lines += [f"def run_{law.name}({', '.join(arrays)}):", "    i = wp.tid()", f"    {results} = {law.name}({values})"]
        lines += [f"    result_{i}[i] = r{i}" for i in range(len(law.results))] + [""]
    return "\n".join(lines)


def warp_type(quantity):
    return quantity.type if quantity.type in ("float", "int") else "wp." + quantity.type


# ---- builtins ----


class Quat(np.ndarray):
    """x, y, z, w, as in Warp; the product of two is the quaternion product."""

    def __mul__(self, other):
        if not isinstance(other, Quat):
            return np.multiply(self, other).view(Quat)
        a, b = np.asarray(self), np.asarray(other)
        xyz = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
        return np.append(xyz, a[3] * b[3] - a[:3] @ b[:3]).view(Quat)


class Transform(np.ndarray):
    pass


def rotate(q, v):
    q, v = np.asarray(q), np.asarray(v)
    t = 2.0 * np.cross(q[:3], v)
    return v + q[3] * t + np.cross(q[:3], t)


def conjugate(q):
    return np.array([-q[0], -q[1], -q[2], q[3]]).view(Quat)


def determinant(m):
    return float(np.linalg.det(m))


class Builtins:
    """What laws may call; each as Warp documents it."""

    pi, PI = math.pi, math.pi
    float32, float64, int32 = float, float, int

    @staticmethod
    def mat(rows, columns, values):
        return np.array(values, float).reshape(rows, columns)


def define_builtins():
    b = Builtins

    def define(name, function):
        setattr(b, name, staticmethod(function))

    for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log log2 log10 sqrt floor ceil pow".split():
        define(name, getattr(math, name))
    define("floor", lambda x: float(math.floor(x)))
    define("ceil", lambda x: float(math.ceil(x)))
    define("cbrt", lambda x: math.copysign(abs(x) ** (1.0 / 3.0), x))
    define("erf", math.erf)
    define("erfc", math.erfc)
    define("abs", lambda x: np.abs(x) if isinstance(x, np.ndarray) else abs(x))
    define("sign", lambda x: -1.0 if x < 0 else 1.0)
    define("step", lambda x: 1.0 if x < 0 else 0.0)
    define("nonzero", lambda x: 0.0 if x == 0 else 1.0)
    define("frac", lambda x: x - math.trunc(x))
    define("trunc", lambda x: float(math.trunc(x)))
    define("rint", lambda x: float(round(x)))
    define("round", lambda x: math.copysign(float(math.floor(abs(x) + 0.5)), x))
    define("mod", math.fmod)
    define("degrees", math.degrees)
    define("radians", math.radians)
    define("min", lambda *a: np.minimum(*a) if isinstance(a[0], np.ndarray) and len(a) == 2 else min(*a))
    define("max", lambda *a: np.maximum(*a) if isinstance(a[0], np.ndarray) and len(a) == 2 else max(*a))
    define("clamp", lambda x, low, high: min(max(x, low), high))
    define("where", lambda c, a, other: a if c else other)
    define("select", None)
    define("uint32", lambda x: int(x) & 0xFFFFFFFF)
    define("lerp", lambda a, c, t: a * (1.0 - t) + c * t)
    define("smoothstep", lambda a, c, x: (lambda t: t * t * (3.0 - 2.0 * t))(min(max((x - a) / (c - a), 0.0), 1.0)))
    for size in (2, 3, 4):
        define(f"vec{size}", lambda *a, n=size: np.array(a if len(a) == n else [a[0]] * n, float))
    for size in (2, 3):
        define(f"mat{size}{size}", lambda *a, n=size: np.array(a, float).reshape(n, n))
    define("dot", lambda a, c: float(np.dot(a, c)))
    define("cross", lambda a, c: np.cross(a, c))
    define("length", lambda v: float(np.linalg.norm(v)))
    define("length_sq", lambda v: float(np.dot(v, v)))
    define("normalize", lambda v: v / np.linalg.norm(v) if np.linalg.norm(v) > 0 else v * 0.0)
    define("cw_mul", lambda a, c: np.multiply(a, c))
    define("cw_div", lambda a, c: np.divide(a, c))
    define("outer", lambda a, c: np.outer(a, c))
    define("transpose", lambda m: np.transpose(m))
    define("determinant", determinant)
    define("inverse", lambda m: np.linalg.inv(m))
    define("trace", lambda m: float(np.trace(m)))
    define("ddot", lambda a, c: float(np.sum(np.asarray(a) * np.asarray(c))))
    define("diag", lambda v: np.diag(v))
    define("skew", lambda v: np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]], float))
    define("identity", lambda n=3, dtype=float: np.eye(n))
    define("quat", lambda x, y, z, w: np.array([x, y, z, w], float).view(Quat))
    define("quat_rotate", rotate)
    define("quat_rotate_inv", lambda q, v: rotate(conjugate(q), v))
    define("quat_inverse", conjugate)
    define("quat_from_axis_angle", lambda a, t: np.append(np.asarray(a) * math.sin(t / 2), math.cos(t / 2)).view(Quat))
    define("quat_identity", lambda: np.array([0, 0, 0, 1.0]).view(Quat))
    define("transform_get_translation", lambda t: np.asarray(t)[:3])
    define("transform_get_rotation", lambda t: np.asarray(t)[3:].view(Quat))
    define("transform", lambda p, q: np.concatenate([p, q]).view(Transform))
    define("transform_point", lambda t, p: rotate(np.asarray(t)[3:], p) + np.asarray(t)[:3])
    define("transform_vector", lambda t, v: rotate(np.asarray(t)[3:], v))
    define("spatial_vector", lambda a, c: np.concatenate([a, c]))
    define("spatial_top", lambda s: np.asarray(s)[:3])
    define("spatial_bottom", lambda s: np.asarray(s)[3:])


define_builtins()
