#!/usr/bin/env python3
"""Which traits do real kernels have that invented ones lack? A table of both, side by side.

    traits.py REAL INVENTED [--benchmark FILE | --runs] [--rows N] [--json FILE]

REAL, INVENTED: folders of records (*.jsonl, *.jsonl.zst), or one such file. Each row is a trait: in how many kernels of either side it
occurs, the share of all, and real less invented. Traits of `cuda_readable` (operators) count only kernels that have such a text.

--benchmark benchmark.json takes only the development kernels of the real benchmark, so that held-out ones stay unseen.
--runs takes only kernels with launches."""

import argparse
import ast
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import meaning  # noqa: E402
import files  # noqa: E402

WARP = ("wp", "warp")
SUFFIXES = "in out q qd id idx index ids indices count counts offset offsets start end size pos vel force mass radius weight w x y z xf dir axis mat flags type mode scale"
PREFIXES = "num n max min is has inv total body joint shape particle world contact rigid mesh tri delta old new prev cur cos sin d p v r"
SPATIAL = ("spatial_", "transform", "quat")
LIBRARY = {"quaternion": re.compile(r"quat_"), "transform": re.compile(r"transform"), "spatial": re.compile(r"spatial_"),
           "matrix": re.compile(r"(matrix|diag|outer|skew|inverse|determinant|trace|transpose|svd3|eig|qr)"), "random": re.compile(r"(rand|noise|sample_)"),
           "mesh": re.compile(r"(mesh_|bvh_|hash_grid_|volume_)"), "atomic": re.compile(r"atomic_"), "tile": re.compile(r"tile_"),
           "rounding": re.compile(r"(floor|ceil|round|rint|trunc|frac|clamp)"), "vector": re.compile(r"(dot|cross|length|normalize|cw_)")}


# ---- names ----


def names_of(kernel):
    """(arguments, local variables)."""
    arguments = [a.arg for a in kernel.args.args]
    stored = [n.id for n in ast.walk(kernel) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return arguments, [n for n in dict.fromkeys(stored) if n not in arguments]


def name_traits(where, names):
    tests = {"begins with _": lambda n: n.startswith("_"), "ends with _": lambda n: n.endswith("_"), "camelCase": lambda n: re.search("[a-z][A-Z]", n),
             "UPPER CASE, two letters or more": lambda n: len(n) > 1 and n.isupper(), "one capital letter": lambda n: len(n) == 1 and n.isupper(),
             "one small letter": lambda n: len(n) == 1 and n.islower(), "two or three letters": lambda n: 1 < len(n) < 4, "20 letters or more": lambda n: len(n) > 19,
             "three words or more": lambda n: n.strip("_").count("_") > 1, "a digit in it": lambda n: re.search(r"\d", n), "ends with a digit": lambda n: n[-1].isdigit(),
             "a doubled _": lambda n: "__" in n.strip("_")}
    for what, test in tests.items():
        if any(map(test, names)):
            yield f"{where}: {what}"


def affixes(names):
    for name in names:
        parts = name.strip("_").lower().split("_")
        if len(parts) > 1:
            if parts[-1] in SUFFIXES.split():
                yield f"a name ends with _{parts[-1]}"
            if parts[0] in PREFIXES.split():
                yield f"a name begins with {parts[0]}_"


def naming(kernel, functions):
    arguments, variables = names_of(kernel)
    yield from name_traits("kernel", [kernel.name])
    yield from name_traits("argument", arguments)
    yield from name_traits("variable", variables)
    yield from name_traits("function", functions)
    yield from affixes(dict.fromkeys(arguments + variables))
    for word in ("kernel", "compute", "update", "apply", "eval", "init", "set", "test"):
        if word in kernel.name.strip("_").split("_"):
            yield f"kernel: has the word {word}"


# ---- threads ----


def is_warp(node, name):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in WARP and node.attr == name


def threading(kernel):
    targets = [n.targets[0] for n in ast.walk(kernel) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and is_warp(n.value.func, "tid")]
    if not any(is_warp(n, "tid") for n in ast.walk(kernel)):
        yield "no wp.tid()"
    for target in targets[:1]:
        yield f"wp.tid(): {len(target.elts) if isinstance(target, ast.Tuple) else 1} indices"
        yield f"wp.tid() goes to {ast.unparse(target).strip('()')}"
    first = next((s for s in kernel.body[1:3] if isinstance(s, ast.If)), None)
    if targets and first and isinstance(first.body[-1], ast.Return):
        yield "begins with a guard that returns"


# ---- types ----


def typing_of(kernel):
    for argument in kernel.args.args:
        note = ast.unparse(argument.annotation) if argument.annotation else ""
        deep = re.search(r"array([234])d|ndim=([234])", note)
        if "array" in note:
            yield f"array of {next(filter(None, deep.groups())) if deep else 1} dimensions"
            yield "array written as wp.arrayNd" if re.search(r"array[1-4]d", note) else "array written with ndim=" if "ndim=" in note else "array written as wp.array[…]" if "array[" in note else "array written as wp.array(…)"
            element = re.sub(r".*dtype=|.*array\dd?\(|.*\[|[\])]|,.*| ", "", note)
            yield f"array of {element}" if re.match(r"(wp|warp)\.|int$|float$|bool$", element) else "array of another type (struct, own vector, …)"
        elif note:
            yield f"argument of type {note}" if re.match(r"(wp|warp)\.\w+$|int$|float$|bool$", note) else "argument of another type (struct, own vector, …)"
        if any(word in note for word in SPATIAL):
            yield "an argument has a spatial, transform or quaternion type"
    count = len(kernel.args.args)
    yield f"arguments: {'1 or 2' if count < 3 else '3 to 5' if count < 6 else '6 to 10' if count < 11 else '11 to 20' if count < 21 else '21 or more'}"
    if kernel.args.defaults:
        yield "an argument has a default"


# ---- statements and expressions ----


def sized(kernel):
    count = sum(isinstance(n, ast.stmt) for s in kernel.body for n in ast.walk(s) if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)))
    yield "statements: " + next(f"up to {most}" for most in (2, 5, 10, 20, 40, 80, 10**9) if count <= most).replace(str(10**9), "any")
    yield "1 to 5 statements" if count < 6 else "6 statements or more"


PLAIN = {ast.While: "while", ast.Continue: "continue", ast.Break: "break", ast.IfExp: "a if b else c", ast.AnnAssign: "x: type = …", ast.Assert: "assert",
         ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
         ast.LShift: "<<", ast.RShift: ">>", ast.Invert: "~", ast.USub: "-x", ast.Pass: "pass", ast.Slice: "x[a:b]", ast.Is: "is", ast.List: "[…]"}


def node_traits(node):
    if type(node) in PLAIN:
        yield PLAIN[type(node)]
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        yield "a < b < c"
    if isinstance(node, ast.AugAssign):
        where = {ast.Subscript: "an element", ast.Attribute: "a member", ast.Name: "a variable"}[type(node.target)]
        yield f"{where} {'+' if isinstance(node.op, ast.Add) else '-' if isinstance(node.op, ast.Sub) else '*'}= …"
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and not (isinstance(node.value, ast.Call) and is_warp(node.value.func, "tid")):
            yield "a, b = …"
        if isinstance(target, ast.Attribute):
            yield "a member = …"
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript):
            yield "x[i][j] = …"
        if isinstance(target, ast.Subscript) and isinstance(node.value, ast.Constant):
            yield "an element = a number"
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        yield f"for in range of {len(node.iter.args)}"
        if any(isinstance(n, ast.For) for s in node.body for n in ast.walk(s)):
            yield "for within for"
    if isinstance(node, ast.If):
        yield "if … elif" if node.orelse and isinstance(node.orelse[0], ast.If) else "if … else" if node.orelse else "if without else"
    if isinstance(node, ast.Return):
        yield "return"
    if isinstance(node, ast.Subscript):
        yield from index_traits(node)


def index_traits(node):
    if isinstance(node.value, ast.Subscript):
        yield "x[i][j]"
    if isinstance(node.value, ast.Attribute) and not is_warp(node.value, node.value.attr):
        yield f"{'a shape' if node.value.attr == 'shape' else 'a member'}[i]"
    if isinstance(node.slice, ast.UnaryOp):
        yield "x[-1]"
    if any(isinstance(n, ast.Subscript) for n in ast.walk(node.slice)):
        yield "x[y[i]]"
    if isinstance(node.slice, ast.Tuple):
        yield f"x[{', '.join('ijkl'[:len(node.slice.elts)])}]"
        if any(isinstance(e, ast.Constant) for e in node.slice.elts):
            yield "x[i, 0]"


def call_traits(node, functions, structs):
    if node.keywords:
        yield "keyword argument in a call"
    if isinstance(node.func, ast.Name):
        if node.func.id in functions:
            yield "call of a function of its own"
        elif node.func.id in structs:
            yield "makes a struct"
        elif node.func.id not in ("range", "float", "int", "bool", "min", "max", "abs", "len"):
            yield "call of another name (own vector type, alias of a builtin, …)"
        else:
            yield f"{node.func.id}()"
    elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id in WARP:
        yield f"wp.{node.func.attr}()"
        for library, test in LIBRARY.items():
            if test.match(node.func.attr):
                yield f"function of the {library} library"
    else:
        yield "call of another module's name"


def outside_names(tree, kernel, functions, structs):
    """Constants and members of classes (enums, modules) that the kernel names."""
    classes = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)} - structs
    known = {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    for n in ast.walk(kernel):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in known:
            yield "constant of the module, in UPPER CASE" if n.id.isupper() else "constant of the module, in another form"
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in classes:
            yield "member of a class (enum or module)"
        if isinstance(n, ast.BinOp) and isinstance(n.op, (ast.BitAnd, ast.BitOr)) and any(isinstance(m, ast.Attribute) and isinstance(m.value, ast.Name) and m.value.id in classes for m in ast.walk(n)):
            yield "& or | with a member of a class"
    if classes:
        yield "a class stands before it (enum or module)"
    if any("enum" in ast.unparse(n).lower() for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for n in c.bases):
        yield "an enum stands before it"


def structure(tree, kernel, source):
    defined = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n is not kernel]
    structs = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and any("struct" in ast.unparse(d) for d in n.decorator_list)}
    functions = [f.name for f in defined]
    yield from naming(kernel, functions)
    yield from threading(kernel)
    yield from typing_of(kernel)
    yield from sized(kernel)
    for node in (n for s in kernel.body for n in ast.walk(s)):
        yield from node_traits(node)
        if isinstance(node, ast.Call):
            yield from call_traits(node, functions, structs)
    yield from outside_names(tree, kernel, functions, structs)
    yield f"functions of its own: {len(functions) if len(functions) < 4 else '4 or more'}"
    if structs:
        yield "a struct stands before it"
    if ast.get_docstring(kernel):
        yield "docstring"
    if "#" in source:
        yield "comment"
    if any(ast.unparse(d).count("(") for d in kernel.decorator_list):
        yield "decorator with options"


def operators(readable):
    for match in re.finditer(r"^__device__[^\n]*\b(\w+) operator(\S+?)\(([^)]*)\)", readable, re.M):
        sides = [re.sub(r"\b(const|&|\w+$)", "", side.strip()).strip(" &") for side in match[3].split(",")]
        yield f"operator {' '.join([sides[0], match[2], sides[1]]) if len(sides) == 2 else match[2] + ' ' + sides[0]}"


# ---- counting ----


class Side:
    def __init__(self):
        self.count, self.readable, self.traits, self.shapes, self.skipped = 0, 0, collections.Counter(), collections.Counter(), 0

    def add(self, record):
        try:
            tree = ast.parse(record["python_source"])
        except SyntaxError:
            self.skipped += 1
            return
        kernel = meaning.kernel_of(tree)
        self.count += 1
        self.traits.update(set(structure(tree, kernel, record["python_source"])))
        if record.get("cuda_readable"):
            self.readable += 1
            self.traits.update(set(operators(record["cuda_readable"])))
        self.shapes.update({s for s in meaning.shapes(tree) if len(s) < 100})

    def share(self, trait, counts):
        return counts[trait] / max(1, self.readable if trait.startswith("operator ") else self.count)


def table(real, invented, counts, least):
    rows = []
    for trait in set(getattr(real, counts)) | set(getattr(invented, counts)):
        a, b = real.share(trait, getattr(real, counts)), invented.share(trait, getattr(invented, counts))
        if max(a, b) >= least:
            rows.append({"trait": trait, "real": getattr(real, counts)[trait], "invented": getattr(invented, counts)[trait], "real_share": round(a, 4), "invented_share": round(b, 4)})
    return sorted(rows, key=lambda r: (r["invented_share"] - r["real_share"], r["trait"]))


def print_table(title, rows, most):
    print(f"\n{title}\n{'real':>14} {'invented':>16} {'difference':>11}  trait")
    shown = rows if len(rows) <= 2 * most else rows[:most] + [None] + rows[-most:]
    for r in shown:
        if not r:
            print(f"{'…':>14}   {len(rows) - 2 * most} others, of smaller difference")
        else:
            print(f"{r['real']:6} {100 * r['real_share']:6.1f} % {r['invented']:7} {100 * r['invented_share']:6.1f} % {100 * (r['real_share'] - r['invented_share']):+9.1f}    {r['trait']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real"), parser.add_argument("invented")
    parser.add_argument("--benchmark", type=pathlib.Path), parser.add_argument("--runs", action="store_true")
    parser.add_argument("--rows", type=int, default=60), parser.add_argument("--least", type=float, default=0.01), parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    chosen = json.loads(options.benchmark.read_text())["chosen"] if options.benchmark else None
    real, invented = Side(), Side()
    for record in files.records(options.real):
        if chosen.get(record["id"]) == "development" if options.benchmark else record["launches"] or not options.runs:
            real.add(record)
    for record in files.records(options.invented):
        invented.add(record)
    print(f"real: {real.count} kernels, {real.readable} with plain CUDA; invented: {invented.count}, {invented.readable}")
    found = {title: table(real, invented, counts, options.least) for title, counts in (("traits", "traits"), ("shapes of statements", "shapes"))}
    missing = [r for r in found["traits"] if r["real_share"] >= 0.01 and r["invented_share"] < r["real_share"] / 10]
    print_table("in real kernels ten times as often as in invented ones, or only there", sorted(missing, key=lambda r: -r["real"]), len(missing))
    for title, rows in found.items():
        print_table(title, rows, options.rows)
    if options.json:
        options.json.write_text(json.dumps({"real": real.count, "invented": invented.count, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
