"""Samples of scenes, run by weft's evaluator of the syntax tree in double precision on random inputs."""

import ast
import copy
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import flows
import lawbook
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import records  # noqa: E402

QUANTITIES = lawbook.read_quantities()
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
WEFT = os.environ.get("WEFT", str(BUILD / "weft"))

WIDTHS = {"quat": (4,), "transform": (7,), "spatial_vector": (6,)}


def element_shape(type_name):
    """The numbers of one element: (3,) of vec3f, (3, 3) of mat33f, () of a scalar."""
    name = type_name.replace("wp.", "")
    vector, matrix = re.fullmatch(r"vec(\d)\w?", name), re.fullmatch(r"mat(\d)(\d)\w?", name)
    if vector:
        return (int(vector[1]),)
    if matrix:
        return (int(matrix[1]), int(matrix[2]))
    wide = re.fullmatch(r"vector\(length=(\d+).*", name)
    return (int(wide[1]),) if wide else WIDTHS.get(name.removesuffix("f"), ())


def is_integer(type_name):
    return bool(re.fullmatch(r"(wp\.)?(u?int\d*|bool|vec\d[iu])", type_name))


def struct_fields(source):
    """{struct: {field: (type, is it an array)}} of a module."""
    structs = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            fields = {}
            for field in node.body:
                if isinstance(field, ast.AnnAssign):
                    text = ast.unparse(field.annotation)
                    inner = re.search(r"(?:dtype=|array\w*\[)([\w.]+)", text)
                    fields[field.target.id] = (inner[1] if inner else text, bool(inner))
            structs[node.name] = fields
    return structs


def kernel_of(record):
    """The syntax tree of the kernel; behind it, wp.overload() may follow."""
    functions = (n for n in ast.parse(record["python_source"]).body if isinstance(n, ast.FunctionDef))
    return next(f for f in functions if f.name == record["kernel_name"])


def random_numbers(rng, type_name, shape, about):
    low, high = about["range"] if "range" in about else (about["value"],) * 2
    shape = tuple(shape) + element_shape(type_name)
    if is_integer(type_name):
        values = rng.integers(int(np.ceil(low)), int(np.floor(high)) + 1, shape)
    else:
        values = rng.uniform(low, high, shape)
        rotation = {"quat": slice(0, 4), "transform": slice(3, 7)}.get(type_name.replace("wp.", "").removesuffix("f"))
        if rotation:
            length = np.linalg.norm(values[..., rotation], axis=-1, keepdims=True)
            values[..., rotation] /= np.where(length == 0, 1, length)  # an output starts with zeros
    return np.sort(values) if about.get("sorted") else values


class Sample:
    """One kernel of a scene, with inputs and what came out. `sample.x` is what the scene calls x, before the launch."""

    def __init__(self, record, rng):
        self.record, self.plan, self.launch = record, records.plan_of(record), records.launch_of(record)
        self.types, self.structs = records.types_of(record), struct_fields(record["python_source"])
        self.args = {name: self.draw(rng, name, about) for name, about in self.launch["args"].items()}
        self.after = None
        self.one_world = None
        self.flows = dict(e.split(" = ", 1) for e in self.plan["derived"] if flows.is_flow(e))

    def views(self):
        """The sample itself, or, where it runs in many worlds at once, each of them alone; those that are masked out are not there."""
        if not any(c.startswith("world.") for c in self.plan["choices"]):
            return [self]
        mask = self.role("world_mask", self.args) if self.has("world_mask") else None
        number = self.launch_worlds()
        views = [copy.copy(self) for _ in range(number)]
        for i, view in enumerate(views):
            view.one_world = i
        return [view for view in views if mask is None or mask[view.one_world]]

    def launch_worlds(self):
        return next(self.plan["counts"][e] for e in ("world", "environment", "batch_entry") if e in self.plan["counts"])

    def draw(self, rng, name, about):
        type_name = self.types[name]
        inner = re.search(r"dtype=([^)]*\)?)\)", type_name)
        element = inner[1] if inner else type_name
        if "fields" not in about:
            return random_numbers(rng, element, about.get("shape", ()), about)
        fields = next(f for f in self.structs.values() if set(f) == set(about["fields"]))
        shape = about.get("shape", ())
        return {f: random_numbers(rng, fields[f][0], tuple(shape) + tuple(a.get("shape", ())), a) for f, a in about["fields"].items()}

    def given(self):
        return {name: plain(value, self.launch["args"][name]) for name, value in self.args.items()}

    def take(self, outputs):
        """What the evaluator says the arrays are afterwards, as flat lists; arrays in structs by the name of their field."""
        self.after = {name: dict(value) if isinstance(value, dict) else value for name, value in self.args.items()}
        for name, flat in outputs.items():
            flat = np.array(flat, float)
            before = self.args.get(name)
            holder = isinstance(before, dict) and "shape" not in self.launch["args"][name]
            if before is None or holder or not isinstance(before, dict) and before.size != flat.size:
                for argument, value in self.after.items():
                    is_struct = isinstance(value, dict) and "shape" not in self.launch["args"][argument]
                    if is_struct and name in value and np.size(value[name]) == flat.size:
                        value[name] = flat.reshape(np.shape(value[name]))
            elif isinstance(self.args[name], dict):
                self.after[name] = self.split_elements(name, flat)
            else:
                self.after[name] = flat.reshape(self.args[name].shape)

    def split_elements(self, name, flat):
        """The fields of an array of structs, whose numbers stand one after the other for each element."""
        before, shape = self.args[name], tuple(self.launch["args"][name]["shape"])
        fields = next(f for f in self.structs.values() if set(f) == set(before))
        rows, at, parts = flat.reshape(int(np.prod(shape)), -1), 0, {}
        for field in fields:
            width = int(np.prod(before[field].shape[len(shape):]))
            parts[field] = rows[:, at:at + width].reshape(before[field].shape)
            at += width
        return parts

    def role(self, name, arrays):
        """The numbers of a role before or after the launch. A reference that goes by what came out needs it as the scene computes it."""
        if arrays is self.after and arrays is not None and name in self.flows and self.is_output(name):
            raise flows.Treated(name)
        return self.given_value(name) if arrays is self.args else self.as_scene_sees(name, self.stored(name, arrays))

    def as_scene_sees(self, name, value):
        """What a scene calls so; of elements that share data, each has its own copy."""
        if self.choice("shared." + name):
            value = value[np.maximum(self.given_value("shared_index"), 0)]
        bit = self.choice("bit." + name)
        return (np.asarray(value).astype(int) >> (bit - 1)) & 1 if bit else value

    def stored(self, name, arrays):
        """What a scene changes may be in a second array afterwards; in that alone, where what was there does not matter."""
        second = name + "_new" in self.plan["roles"] and (arrays is self.after or name not in self.plan["roles"])
        name = name + "_new" * second
        about = self.plan["roles"][name]
        if about["value"] is not None:
            whole = QUANTITIES[about["quantity"]].type in ("int", "uint32")
            return int(about["value"]) if whole else about["value"]
        if len(about["arguments"]) > 1:  # "": a component that the kernel does not take, so that any value will do
            given = [arrays[a] if a else None for a in about["arguments"]]
            shape = next(a.shape for a in given if a is not None)
            stacked = np.stack([np.zeros(shape) if a is None else a for a in given], -1)
            return stacked[self.one_world] if self.one_world is not None and self.choice("world." + name) else stacked
        value = arrays[about["arguments"][0]]
        if about["field"]:
            value = value[about["field"]]
        grid = about["grid"]
        spread = self.one_world is not None and self.choice("world." + name)
        if spread and grid and len(grid) == 1 and np.ndim(value) == 1:  # a row for each world, one after the other
            return value.reshape(-1, grid[0])[self.one_world]
        only_row = False  # of a role that has one row for each world
        if spread and not (grid and len(grid) == 2):
            value, spread = value[self.one_world:self.one_world + 1] if spread == 2 else value[self.one_world], False
            only_row = grid and value.shape == (grid[0],)
        if grid and not only_row:  # rows and columns, or columns alone
            value = value.reshape(tuple(grid) + value.shape[1:] if len(grid) == 2 else (-1, grid[0]))
        value = value[self.one_world] if spread else value
        return value.item() if isinstance(value, np.ndarray) and value.shape == () else value

    def has(self, name):
        return name in self.plan["roles"] or name + "_new" in self.plan["roles"]

    def __getattr__(self, name):
        """Asked for once per name: references read some of them for every element."""
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = self.given_value(name) if self.has(name) else None
        return value

    def given_value(self, name):
        """The numbers of a role before the launch; of an input with a source, those that the scene gets from it."""
        if name in self.flows and not self.is_output(name):
            value = flows.evaluate(flows.parse(self.flows[name]), lambda role: self.operand(role, name))
        else:
            value = self.stored(name, self.args)
        return self.as_scene_sees(name, value)

    def operand(self, role, of):
        """What a form takes: of its own role what the kernel is given, of others what their own source makes of that."""
        return self.stored(role, self.args) if role == of else self.given_value(role)

    def is_output(self, name):
        if not self.has(name):
            return False
        rows = [row for row in self.record["arguments"] if row["role"] in ("output", "sum", "inout")]
        about = self.plan["roles"][name if name in self.plan["roles"] else name + "_new"]
        return any(row["name"] in about["arguments"] and row["field"] == about["field"] for row in rows)

    def has_varying_setting(self):
        """A reference takes settings for numbers: those that are looked up for each thread are none."""
        looked_up = r"\.(class|row|from)\b|^setting\([^()]*\)$"  # by an index, or an array over the threads
        return any(t.startswith("setting(") and (re.search(looked_up, t) or self.is_array(t)) for t in self.flows.values())

    def is_array(self, text):
        name = next(role for role, known in self.flows.items() if known == text)
        try:
            return np.ndim(self.given_value(name)) > 0
        except (IndexError, ValueError):  # an array of one world beside one of all
            return True
        except KeyError:  # no output needs it
            return False

    def is_vector(self, name):
        about = self.plan["roles"].get(name) or self.plan["roles"][name + "_new"]
        return len(element_shape(QUANTITIES[about["quantity"]].type)) > 0

    def may_leave_out(self):
        """Is there a return, or a store under a condition, so that some threads store nothing?"""
        tree = kernel_of(self.record)
        branches = (node for node in ast.walk(tree) if isinstance(node, (ast.If, ast.For, ast.While)))
        stores = (n for branch in branches for n in ast.walk(branch) if isinstance(n, (ast.Subscript, ast.Attribute)))
        return any(isinstance(n, ast.Return) for n in ast.walk(tree)) or any(isinstance(n.ctx, ast.Store) for n in stores)

    def treated(self, expected):
        """What a reference says, with what becomes of the results. Open where threads leave before they store."""
        leaves = self.may_leave_out()
        expected = dict(expected)
        for name, text in self.flows.items():
            tree = flows.parse(text)
            if name in expected and expected[name] is not None:
                truth = np.asarray(expected[name], float)
                get = lambda role: truth if role == name else self.given_value(role)  # noqa: E731
                expected[name] = None if leaves else flows.evaluate(tree, get)
        for name, text in self.flows.items():
            tree = flows.parse(text)
            roles = tree[1:]
            new = [r for r in roles if isinstance(r, str) and expected.get(r) is not None]
            if name in expected or not self.has(name) or not self.is_output(name) or leaves or not new:
                continue
            get = lambda role: np.asarray(expected[role], float) if role == new[0] else self.given_value(role)  # noqa: E731
            if tree[0] in flows.FORMS:
                expected[name] = flows.evaluate(tree, get)
            elif flows.MORE[tree[0]] and (self.one_world is None or tree[0] in ("error", "squared_error", "over")):
                expected[name] = flows.MORE[tree[0]](*map(get, roles), self.is_vector(new[0]))
                expected[name] = np.reshape(expected[name], (-1,)) if tree[0] == "count_over" else expected[name]
                expected[name] = np.asarray(expected[name])[None] if tree[0] == "sum" else expected[name]
        return expected

    def choice(self, tag):
        return int(self.plan["choices"].get(tag, 0))

    def count(self, entity):
        if "slot" in self.plan["counts"] and self.record["plan"]["counts"][0]["of"] == entity:  # one for each thread
            return self.plan["counts"]["slot"]
        return self.plan["counts"][entity]


def plain(value, about):
    if isinstance(value, dict):
        if "shape" not in about:
            return {f: v.tolist() for f, v in value.items()}
        shape = tuple(about["shape"])
        flat = {f: v.reshape((-1,) + v.shape[len(shape):]) for f, v in value.items()}
        rows = [{f: v[i].tolist() for f, v in flat.items()} for i in range(int(np.prod(shape)))]
        return nested(rows, shape)
    return value.tolist() if isinstance(value, np.ndarray) else value


def nested(rows, shape):
    if len(shape) <= 1:
        return rows
    step = len(rows) // shape[0]
    return [nested(rows[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def leaves_out_elements(record):
    """Elements that belong to nothing are skipped, of which references know nothing."""
    return any(a["quantity"] == "index_value" and a["low"] == -1 for a in record["arguments"])


@functools.cache
def errands():
    """Scenes of glue: others stand behind them that have nothing to do with them."""
    done = subprocess.run([WEFT, "synth", "--list-scenes"], capture_output=True, text=True, check=True)
    return {words[0] for words in map(str.split, done.stdout.splitlines()) if "glue" in words[1:]}


def draw_records(scene, seed, most):
    """Records of a scene, in rounds: a few are enough for most scenes."""
    seen, count = 0, min(20, most)
    while seen < most:
        done = subprocess.run([WEFT, "synth", "--scene", scene, "-n", str(count), "-s", str(seed), "--json"],
                              capture_output=True, text=True, check=True)
        yield from map(json.loads, done.stdout.splitlines()[seen:])
        seen, count = count, min(4 * count, most)


def draw_samples(scene, seed, rng, most=320):
    """Samples whose roles are all there, one after the other: no law before the scene, no other scene that goes on with it."""
    for record in draw_records(scene, seed, most):
        scenes = record["plan"]["scenes"]
        is_alone = len(scenes) == 1 or errands().issuperset(scenes)
        if is_alone and all(map(flows.is_flow, record["plan"]["derived"])) and not leaves_out_elements(record):
            sample = Sample(record, rng)
            if not sample.has_varying_setting():
                yield sample


def run(sample, folder):
    """False: the evaluator found something wrong."""
    path, inputs = pathlib.Path(folder) / "kernel.py", pathlib.Path(folder) / "launch.json"
    path.write_text("import warp as wp\n\n\n" + sample.record["python_source"])
    entry = {"input": {"dim": sample.launch["dim"], "block_dim": sample.launch["block_dim"], "args": sample.given()}}
    inputs.write_text(json.dumps({sample.record["kernel_name"]: entry}))
    done = subprocess.run([BUILD / "ast_run", path, inputs], capture_output=True, text=True)
    line = done.stdout.splitlines()[0] if done.stdout else "{}"
    result = json.loads(line)
    if "outputs" not in result or result.get("finding"):
        return result.get("finding") or done.stderr or "nothing came out"
    sample.take(result["outputs"])
    return None
