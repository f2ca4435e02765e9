#!/usr/bin/env python3
"""Does a corpus read as if someone meant it? Counts the fingerprints of noise, and how much of real code's forms it knows.

    meaning.py SET_OR_JSONL [--shapes real_shapes.json] [--near N]     one JSON object
    meaning.py --make-shapes OUT.json SOURCES.jsonl                    a table of statement shapes of real code ({"src": …} a line)
    meaning.py --forms SET_OR_JSONL                                    which forms kernels have, beside those of real code (forms.py)
    meaning.py --make-forms OUT.json FOLDER...                         the same of the kernels of packages, without their tests
    meaning.py --names SET_OR_JSONL                                    how things are named, beside real code (name_forms.py)
    meaning.py --make-names OUT.json FOLDER...                         the same of the kernels and functions of packages, without their tests

SET is a folder of *.jsonl.zst or one .jsonl; records need `python_source` and `category`. Figures are shares of kernels (0..1).
`unrelated_outputs`: two outputs that share no input data. `near_08`: a neighbour with Jaccard >= 0.8 of token 5-grams, names and numbers
masked, in a random sample of N (default 4,000). `real_statements_known`: real statements whose shape (names and numbers masked) occurs here."""
import ast, collections, io, json, pathlib, random, re, subprocess, sys, tokenize

import forms, name_forms

KEEP = set("int float bool range len min max abs round".split())
COMMON = {"x_times_const": "x = x * c", "x_negated": "x = -x"}


def text(node):
    return ast.unparse(node)


def kernel_of(tree):
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    kernels = [n for n in functions if any("kernel" in text(d) for d in n.decorator_list)]
    return (kernels or functions)[-1]


def data_names(node):
    """Names whose values flow in; not those of indices or shapes."""
    if isinstance(node, ast.Subscript): return data_names(node.value)
    if isinstance(node, ast.Name): return {node.id}
    if isinstance(node, ast.Attribute): return set() if node.attr == "shape" else data_names(node.value)
    return set().union(*(data_names(c) for c in ast.iter_child_nodes(node)), set())


def base_name(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)): node = node.value
    return node.id if isinstance(node, ast.Name) else None


def output_groups(kernel):
    """(number of outputs, number of groups of outputs that share no input)."""
    args = {a.arg for a in kernel.args.args}
    assigned, outputs = [], collections.defaultdict(set)

    def visit(body, control):
        for s in body:
            if isinstance(s, (ast.Assign, ast.AugAssign)):
                if isinstance(s.value, ast.Call) and text(s.value.func) == "wp.tid": continue
                flow = data_names(s.value) | control
                targets = s.targets if isinstance(s, ast.Assign) else [s.target]
                for t in [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]:
                    name = base_name(t)
                    if name in args and not isinstance(t, ast.Name): outputs[name] |= flow
                    else: assigned.append((name, flow))
            elif isinstance(s, (ast.If, ast.While)):
                inner = control | data_names(s.test)
                visit(s.body, inner); visit(s.orelse, inner)
            elif isinstance(s, ast.For): visit(s.body, control)
            if not isinstance(s, (ast.If, ast.While, ast.For)):
                for n in ast.walk(s):
                    if isinstance(n, ast.Call) and text(n.func).startswith("wp.atomic"):
                        outputs[base_name(n.args[0])] |= set().union(*(data_names(a) for a in n.args[2:]), control)

    visit(kernel.body, set())
    sources = collections.defaultdict(set)
    changed = True
    while changed:
        changed = False
        for name, flow in assigned:
            new = set().union(*((sources[f] | ({f} if f in args else set())) for f in flow), set())
            if not new <= sources[name]: sources[name] |= new; changed = True
    reach = [set().union(*((sources[f] | ({f} if f in args else set())) for f in flow), set()) - {o} for o, flow in outputs.items()]
    groups = []
    for r in filter(None, reach):
        touching = [g for g in groups if g & r]
        groups = [g for g in groups if not g & r] + [set(r).union(*touching)]
    return len(outputs), len(groups)


def is_self_update(s, kind):
    if not (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)): return False
    name, v = s.targets[0].id, s.value
    if kind == "x_negated": return isinstance(v, ast.UnaryOp) and isinstance(v.op, ast.USub) and text(v.operand) == name
    if not (isinstance(v, ast.BinOp) and isinstance(v.op, ast.Mult)): return False
    numbers = lambda n: isinstance(n, ast.Constant) or (isinstance(n, ast.Call) and len(n.args) == 1 and isinstance(n.args[0], ast.Constant))
    return (text(v.left) == name and numbers(v.right)) or (text(v.right) == name and numbers(v.left))


def features(kernel):
    nodes = [n for s in kernel.body for n in ast.walk(s)]
    threads = []
    for n in nodes:
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and text(n.value.func) == "wp.tid":
            t = n.targets[0]
            threads = [e.id for e in t.elts if isinstance(e, ast.Name)] if isinstance(t, ast.Tuple) else [text(t)]
    f = dict.fromkeys(("repeated_thread_index", "permuted_thread_index", "user_function", "early_return", "nested_if", "attribute"), False)
    for kind in COMMON: f[kind] = any(is_self_update(n, kind) for n in nodes)
    for n in nodes:
        if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Tuple):
            at = [threads.index(e.id) for e in n.slice.elts if isinstance(e, ast.Name) and e.id in threads]
            f["repeated_thread_index"] |= len(at) != len(set(at))
            f["permuted_thread_index"] |= len(at) == len(set(at)) and at != sorted(at)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id not in KEEP: f["user_function"] = True
        if isinstance(n, ast.Return): f["early_return"] = True
        if isinstance(n, ast.If) and any(isinstance(m, ast.If) for s in n.body for m in ast.walk(s)): f["nested_if"] = True
        if isinstance(n, ast.Attribute) and text(n.value) not in ("wp", "warp") and n.attr not in ("x", "y", "z", "w", "shape"): f["attribute"] = True
    outputs, groups = output_groups(kernel)
    f["unrelated_outputs"] = groups >= 2
    f["docstring"] = bool(ast.get_docstring(kernel))
    f["statements"] = sum(isinstance(n, ast.stmt) for n in nodes)
    return f


class Mask(ast.NodeTransformer):
    def visit_Name(self, n): return ast.Name(n.id if n.id in KEEP | {"wp"} else "v", ast.Load())
    def visit_Constant(self, n): return n if isinstance(n.value, bool) or n.value is None else ast.Constant("s" if isinstance(n.value, str) else 0)
    def visit_Attribute(self, n):
        if isinstance(n.value, ast.Name) and n.value.id in ("wp", "warp"): return n
        self.generic_visit(n); n.attr = "a"; return n


def shapes(tree):
    for n in ast.walk(tree):
        try:
            if isinstance(n, (ast.Assign, ast.AugAssign)): yield text(Mask().visit(ast.parse(text(n)).body[0]))
            elif isinstance(n, ast.Return) and n.value: yield "return " + text(Mask().visit(ast.parse(text(n.value), mode="eval").body))
            elif isinstance(n, ast.Expr) and not isinstance(n.value, ast.Constant): yield text(Mask().visit(ast.parse(text(n)).body[0]))
            elif isinstance(n, (ast.If, ast.While)): yield "if " + text(Mask().visit(ast.parse(text(n.test), mode="eval").body))
            elif isinstance(n, ast.For): yield "for " + text(Mask().visit(ast.parse(text(n.iter), mode="eval").body))
        except Exception: pass


def masked_tokens(source):
    out = []
    try:
        for t in tokenize.generate_tokens(io.StringIO(source).readline):
            if t.type == tokenize.NAME: out.append(t.string if t.string in KEEP or out[-1:] == ["."] or t.string in ("def", "if", "else", "for", "while", "in", "return", "and", "or", "not", "wp") else "ID")
            elif t.type == tokenize.NUMBER: out.append("N")
            elif t.type == tokenize.OP: out.append(t.string)
    except tokenize.TokenError: pass
    return out


def near_share(sources, threshold=0.8, bands=25, rows=4):
    docs = [{hash(tuple(t[i:i + 5])) for i in range(max(1, len(t) - 4))} for t in map(masked_tokens, sources)]
    rng = random.Random(1)
    salts = [rng.getrandbits(60) | 1 for _ in range(bands * rows)]
    signatures = [[min((h * s) & 0xFFFFFFFFFFFFFFF for h in d) for s in salts] for d in docs]
    close = set()
    for b in range(bands):
        buckets = collections.defaultdict(list)
        for i, s in enumerate(signatures): buckets[tuple(s[b * rows:(b + 1) * rows])].append(i)
        for group in buckets.values():
            for i in group:
                for j in group[:50]:
                    if i < j and not (i in close and j in close) and len(docs[i] & docs[j]) >= threshold * len(docs[i] | docs[j]): close |= {i, j}
    return len(close) / max(1, len(docs)), close


def records(path):
    path = pathlib.Path(path)
    for f in sorted(path.rglob("*.jsonl.zst")) if path.is_dir() else [path]:
        raw = subprocess.run(["zstd", "-dcq", str(f)], capture_output=True, text=True).stdout if f.suffix == ".zst" else f.read_text()
        for line in raw.splitlines():
            if line.strip(): yield json.loads(line)


def main():
    if sys.argv[1] == "--make-shapes":
        count = collections.Counter(s for r in records(sys.argv[3]) for s in shapes(ast.parse(r["src"])))
        pathlib.Path(sys.argv[2]).write_text(json.dumps(dict(count.most_common()), indent=0))
        return
    if sys.argv[1] == "--make-forms":
        pathlib.Path(sys.argv[2]).write_text(json.dumps(forms.shares(forms.real_kernels(sys.argv[3:])), indent=0) + "\n")
        return
    if sys.argv[1] == "--forms":
        invented = forms.shares(k for r in records(sys.argv[2]) for k in forms.kernels_of(r["python_source"]))
        print(forms.side_by_side(invented, json.loads((pathlib.Path(__file__).parent / "real_forms.json").read_text())))
        return
    if sys.argv[1] == "--make-names":
        pathlib.Path(sys.argv[2]).write_text(json.dumps(name_forms.shares(name_forms.real_names(sys.argv[3:])), indent=0) + "\n")
        return
    if sys.argv[1] == "--names":
        invented = name_forms.shares(n for r in records(sys.argv[2]) for n in name_forms.named(r["python_source"]))
        print(name_forms.side_by_side(invented, json.loads((pathlib.Path(__file__).parent / "real_names.json").read_text())))
        return
    argument = lambda name, default: sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default
    real = json.loads(pathlib.Path(argument("--shapes", pathlib.Path(__file__).parent / "real_shapes.json")).read_text())
    total, sums, by_category, known, sources, sizes, words = 0, collections.Counter(), collections.defaultdict(list), set(), [], [], set()
    for r in records(sys.argv[1]):
        tree = ast.parse(r["python_source"]); f = features(kernel_of(tree)); total += 1
        sizes.append(f.pop("statements"))
        for k, v in f.items(): sums[k] += v
        known.update(shapes(tree)); sources.append(r["python_source"]); by_category[r.get("category", "")].append(r["python_source"])
        words.update(w for n in ast.walk(tree) if isinstance(n, (ast.Name, ast.arg, ast.FunctionDef)) for w in re.split(r"_|\d+", (getattr(n, "id", None) or getattr(n, "arg", None) or getattr(n, "name", "")).lower()) if len(w) > 1)
    sizes.sort(); rng = random.Random(7); near_n = int(argument("--near", 4000))
    out = {"records": total, **{k: round(v / total, 4) for k, v in sorted(sums.items())},
           "statements_p50_p90_p99": [sizes[int(len(sizes) * q)] for q in (.5, .9, .99)], "word_stems": len(words),
           "real_statements_known": round(sum(n for s, n in real.items() if s in known) / sum(real.values()), 4),
           "near_08": round(near_share(rng.sample(sources, min(near_n, total)))[0], 4),
           "near_08_by_category": {c: round(near_share(rng.sample(s, min(1000, len(s))))[0], 4) for c, s in sorted(by_category.items())}}
    print(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
