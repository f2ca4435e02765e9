"""How kernels are written: which forms of real Warp code they have. FORMS has a row for each; tools/meaning.py prints them side by side.

A form is asked of a Kernel: its tree, its lines, and the module around it. Figures are shares of kernels (0..1)."""
import ast, collections, pathlib, re

SCALARS = {"float", "int", "bool", "uint", "double"}


class Kernel:
    def __init__(self, node, lines, module, outer):
        self.node, self.module, self.outer = node, module, outer
        self.lines = lines[node.lineno - 1:node.end_lineno]
        doc = ast.get_docstring(node) is not None
        self.docstring = ast.get_docstring(node) or ""
        self.body = node.body[doc:]
        self.nodes = [n for s in self.body for n in ast.walk(s)]
        self.text = "\n".join(self.lines)
        self.arguments = node.args.args + node.args.kwonlyargs
        self.annotations = [ast.unparse(a.annotation) if a.annotation else "" for a in self.arguments]
        self.arrays = {a.arg for a, t in zip(self.arguments, self.annotations) if "array" in t}
        self.calls = {ast.unparse(n.func) for n in self.nodes if isinstance(n, ast.Call)}
        self.decorators = [ast.unparse(d) for d in node.decorator_list]
        self.comments = [c for c in (comment_of(line) for line in lines[self.body[0].lineno - 1:node.end_lineno]) if c] if self.body else []
        self.statements = sum(isinstance(n, ast.stmt) for n in self.nodes)

    def thread(self):
        """The indices that wp.tid() gives; []: it is not called."""
        for n in self.nodes:
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and ast.unparse(n.value.func) in ("wp.tid", "warp.tid"):
                t = n.targets[0]
                return [ast.unparse(e) for e in t.elts] if isinstance(t, ast.Tuple) else [ast.unparse(t)]
        return ["?"] if any(c.endswith(".tid") for c in self.calls) else []

    def builtin(self, pattern):
        return any(re.fullmatch(rf"(wp|warp)\.({pattern})", c) for c in self.calls)

    def typed(self, pattern):
        return any(re.search(pattern, t) for t in self.annotations)


def comment_of(line):
    """("whole" | "trailing", text), or None."""
    quote = None
    for i, c in enumerate(line):
        if quote: quote = None if c == quote else quote
        elif c in "\"'": quote = c
        elif c == "#": return "whole" if not line[:i].strip() else "trailing", line[i + 1:].strip()
    return None


def rank(text):
    found = re.search(r"array(\d)d", text) or re.search(r"ndim\s*=\s*(\d)", text) or re.search(r"array\[.*Literal\[(\d)\]", text)
    return int(found.group(1)) if found else 1


def first_tests(kernel):
    """Tests of ifs that leave the kernel."""
    return [n.test for n in kernel.nodes if isinstance(n, ast.If) and n.body and isinstance(n.body[-1], ast.Return)]


def base(node):
    while isinstance(node, (ast.Subscript, ast.Attribute)): node = node.value
    return node.id if isinstance(node, ast.Name) else None


def masked_out(kernel):
    """if not mask[i]: return, also where the element has a name."""
    loaded = {n.targets[0].id for n in kernel.nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and isinstance(n.value, ast.Subscript)}
    return any(isinstance(m, ast.Subscript) and base(m) in kernel.arrays or isinstance(m, ast.Name) and m.id in loaded for t in first_tests(kernel) for m in ast.walk(t))


def bit_test(kernel):
    return any(isinstance(m, ast.BinOp) and isinstance(m.op, ast.BitAnd) for n in kernel.nodes if isinstance(n, (ast.If, ast.IfExp, ast.While)) for m in ast.walk(n.test))


def optional_array(kernel):
    for n in kernel.nodes:
        if not isinstance(n, (ast.If, ast.IfExp)): continue
        for m in [n.test] + (n.test.values if isinstance(n.test, ast.BoolOp) else []):
            m = m.operand if isinstance(m, ast.UnaryOp) and isinstance(m.op, ast.Not) else m
            if isinstance(m, (ast.Name, ast.Attribute)) and base(m) in kernel.arrays: return True
    return False


def slot(kernel):
    return any(isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and re.search(r"atomic_(add|sub)$", ast.unparse(n.value.func)) for n in kernel.nodes)


def indirect(kernel):
    """a[b[i]], also by a name for b[i]."""
    loaded = {n.targets[0].id for n in kernel.nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and isinstance(n.value, ast.Subscript)}
    return any(isinstance(n, ast.Subscript) and base(n) in kernel.arrays and
               any(isinstance(m, ast.Subscript) or isinstance(m, ast.Name) and m.id in loaded for m in ast.walk(n.slice)) for n in kernel.nodes)


def worlds(kernel):
    names = [a.arg for a in kernel.arguments] + kernel.thread()
    return any(re.search(r"(^|_)(n?worlds?|worldid|n?envs?|env_id|environments?)(_|$|id)", n) for n in names)


def struct_argument(kernel):
    plain = re.compile(r"^(wp|warp)\.|^(int|float|bool|Any)$|array|vec|mat|quat|transform|spatial|^$|^types\.")
    return any(not plain.search(t) for t in kernel.annotations)


FORMS = {
    "one thread, no wp.tid()": lambda k: not k.thread(),
    "at most 5 statements": lambda k: k.statements <= 5,
    "6 to 10 statements": lambda k: 5 < k.statements <= 10,
    "wp.tid() in 2 dimensions": lambda k: len(k.thread()) == 2,
    "wp.tid() in 3 dimensions": lambda k: len(k.thread()) == 3,
    "wp.tid() in 4 dimensions": lambda k: len(k.thread()) == 4,
    "an array of 3 dimensions": lambda k: any("array" in t and rank(t) == 3 for t in k.annotations),
    "an array of 4 dimensions": lambda k: any("array" in t and rank(t) == 4 for t in k.annotations),
    "wp.transform_*": lambda k: k.builtin("transform_.*"),
    "wp.quat_*": lambda k: k.builtin("quat_.*"),
    "wp.spatial_*": lambda k: k.builtin("spatial_.*"),
    "a transform as argument": lambda k: k.typed("transform"),
    "a quaternion as argument": lambda k: k.typed("quat"),
    "a spatial vector as argument": lambda k: k.typed("spatial_"),
    "a matrix as argument": lambda k: k.typed("mat"),
    "worlds or environments": worlds,
    "an early return": lambda k: any(isinstance(n, ast.Return) for n in k.nodes),
    "an early return by a mask or flag": masked_out,
    "a test of bits": bit_test,
    "an optional array": optional_array,
    "a slot from an atomic": slot,
    "an atomic": lambda k: k.builtin("atomic_.*"),
    "an index from an array": indirect,
    "a struct as argument": struct_argument,
    "@wp.kernel with options": lambda k: any("(" in d for d in k.decorators),
    "enable_backward=False": lambda k: any("enable_backward=False" in d for d in k.decorators) or "'enable_backward': False" in k.module,
    "wp.array[...]": lambda k: any(re.search(r"array\w*\[", t) for t in k.annotations),
    "wp.array(dtype=, ndim=)": lambda k: any("ndim" in t for t in k.annotations),
    "float64": lambda k: any(re.search(r"float64|(vec\d|mat\d\d|quat|transform)d\b", t) for t in k.annotations + sorted(k.calls)),
    "Any in the signature": lambda k: k.typed(r"\bAny\b"),
    "a closure (kernel in a function)": lambda k: k.outer,
    "wp.static": lambda k: k.builtin("static"),
    "a function of its own": lambda k: any("." not in c and c not in SCALARS | {"range", "len", "min", "max", "abs", "round"} for c in k.calls),
    "a docstring": lambda k: bool(k.docstring),
    "a docstring with Args:": lambda k: bool(re.search(r"^\s*(Args|Parameters|Inputs|Outputs)\b", k.docstring, re.M)),
    "a comment of its own line": lambda k: any(c[0] == "whole" for c in k.comments),
    "a trailing comment": lambda k: any(c[0] == "trailing" for c in k.comments),
    "TODO, NOTE": lambda k: any(re.match(r"(TODO|NOTE|Note|FIXME|XXX)\b", c[1]) for c in k.comments),
    "a reference or link": lambda k: bool(re.search(r"https?://|\bEq\.|\[\d+\]\s|et al\.|\bsee\b.*\b(paper|section)", k.docstring + " ".join(c[1] for c in k.comments))),
    "a default value": lambda k: bool(k.node.args.defaults),
    "a loop": lambda k: any(isinstance(n, (ast.For, ast.While)) for n in k.nodes),
    "a section comment of arguments": lambda k: any(re.match(r"\s*#", line) for line in k.lines[:max(0, (k.node.body[0].lineno - k.node.lineno))]),
}


def kernels_of(text):
    """All kernels of a module."""
    try: tree = ast.parse(text)
    except SyntaxError: return []
    lines, found = text.splitlines(), []

    def visit(node, outer):
        for child in ast.iter_child_nodes(node):
            is_function = isinstance(child, ast.FunctionDef)
            if is_function and any(re.match(r"(wp|warp)\.kernel\b", ast.unparse(d)) for d in child.decorator_list):
                found.append(Kernel(child, lines, text, outer))
            else: visit(child, outer or is_function)

    visit(tree, False)
    return found


def real_kernels(folders):
    """Kernels of packages, without their tests."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            if not re.search(r"(^|/)tests?(/|_)|_test\.py$|test_", str(path.relative_to(folder))):
                yield from kernels_of(path.read_text(errors="replace"))


def shares(kernels):
    """{form: share}, and how many lines and statements kernels have."""
    count, total, sizes = collections.Counter(), 0, []
    for k in kernels:
        total += 1
        sizes.append((len(k.lines), k.statements))
        for name, has in FORMS.items(): count[name] += has(k)
    middle = lambda i: sorted(s[i] for s in sizes)[total // 2] if total else 0
    return {"kernels": total, "lines, median": middle(0), "statements, median": middle(1),
            "forms": {name: round(count[name] / max(1, total), 4) for name in FORMS}}


def side_by_side(ours, real):
    """One line per form; * marks those of which real code has more than twice or less than half as many."""
    rows = [f"{'':34} {'real':>8} {'invented':>9}"]
    for name in ("kernels", "lines, median", "statements, median"): rows.append(f"{name:34} {real[name]:8} {ours[name]:9}")
    for name, share in real["forms"].items():
        mine = ours["forms"].get(name, 0)
        far = max(share, mine) > 0.005 and not share / 2 <= mine <= share * 2
        rows.append(f"{name:34} {100 * share:7.1f}% {100 * mine:8.1f}%{' *' if far else ''}")
    return "\n".join(rows)
