"""Makes a kernel with a wrong gradient smaller, as long as `weft check` says that the gradient is wrong.

An edit removes a statement, puts the body of a branch or loop in its place, or puts a part of an expression in the place
of the whole. Some edits at a time go into one file, one kernel each; the first whose gradient is still wrong is the next
to be edited."""

import ast
import json
import subprocess
import tempfile

HEADER = "import warp as wp\n\n\n"
AT_ONCE = 24


# ---- launches ----


def smaller_sizes(launch, limit):
    """What stands for each size of a launch: order and neighbourhood are kept."""
    sizes = set(launch["dim"])
    for arg in launch["args"].values():
        sizes.update(arg.get("shape", []))
    mapping, before = {}, None
    for size in sorted(sizes):
        if size <= limit:
            mapping[size] = size
        else:
            mapping[size] = limit if before is None else mapping[before] + min(size - before, 2)
            before = size
    return mapping


def shrink(launch, limit):
    mapping = smaller_sizes(launch, limit)

    def small(number):
        if isinstance(number, int):
            if number in mapping:
                return mapping[number]
            if number + 1 in mapping and number >= limit:
                return mapping[number + 1] - 1
        return number

    args = {}
    for name, arg in launch["args"].items():
        args[name] = dict(arg)
        if "shape" in arg:
            args[name]["shape"] = [mapping[size] for size in arg["shape"]]
        if "value" in arg:
            args[name]["value"] = small(arg["value"])
        if "range" in arg:
            args[name]["range"] = [arg["range"][0], max(arg["range"][0], small(arg["range"][1]))]
    return {"dim": [mapping[size] for size in launch["dim"]], "args": args}


def flags(launch):
    """The launch of a record as flags of weft check. Outputs have a range, so that they count as inputs, too."""
    found = ["--dim", ",".join(map(str, launch["dim"]))]
    for name, arg in launch["args"].items():
        if "shape" in arg:
            found += ["--shape", f"{name}={','.join(map(str, arg['shape']))}"]
        if "range" in arg:
            found += ["--range", f"{name}={arg['range'][0]},{arg['range'][1]}"]
        if "value" in arg:
            found += ["--set", f"{name}={arg['value']}"]
    return found


# ---- asking weft ----


class Renamed(ast.NodeTransformer):
    """Every definition of the module gets a suffix, so that many versions fit into one file."""

    def __init__(self, names, suffix):
        self.names, self.suffix = names, suffix

    def visit_Name(self, node):
        if node.id in self.names:
            node.id += self.suffix
        return node

    def definition(self, node):
        node.name += self.suffix
        return self.generic_visit(node)

    visit_FunctionDef = visit_ClassDef = definition


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(d, ast.Attribute) and d.attr == "kernel" or isinstance(d, ast.Call) and d.func.attr == "kernel"
        for d in node.decorator_list)


def kernel_of(module):
    return next(node for node in module.body if is_kernel(node))


def check_many(weft, sources, launch, seed):
    """The result of weft check for each source; None where it does not compile."""
    text, names = [HEADER], []
    for number, source in enumerate(sources):
        module = ast.parse(source)
        defined = {node.name for node in module.body if hasattr(node, "name")}
        names.append(kernel_of(module).name + f"_v{number}")
        text.append(ast.unparse(Renamed(defined, f"_v{number}").visit(module)) + "\n\n\n")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write("".join(text))
        file.flush()
        done = subprocess.run([weft, "check", file.name, "--json", "--no-example", "--seed", str(seed), *flags(launch)],
                              capture_output=True, text=True)
    results = {}
    for line in done.stdout.splitlines():
        result = json.loads(line)
        results[result["kernel"]] = result
    return [results.get(name) for name in names]


def is_wrong(result):
    return bool(result) and result["forward"] == "pass" and result["gradient"] == "mismatch"


# ---- edits ----


def bodies(node):
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block


def parts(expression):
    """Parts of an expression that may stand for it."""
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if isinstance(expression, ast.UnaryOp):
        return [expression.operand]
    if isinstance(expression, ast.IfExp):
        return [expression.body, expression.orelse]
    if isinstance(expression, ast.Call):
        return list(expression.args)
    if isinstance(expression, ast.BoolOp):
        return list(expression.values)
    return []


def progress_of(module):
    """Assignments that bring a while loop to its end: without them it takes all steps that there are."""
    tested = {node.id for loop in ast.walk(module) if isinstance(loop, ast.While) for node in ast.walk(loop.test) if isinstance(node, ast.Name)}
    return {id(node) for node in ast.walk(module) if isinstance(node, (ast.Assign, ast.AugAssign))
            and tested & {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}}


def statement_edits(module):
    """The text of the module after every edit of statements, the longest deletions first."""
    blocks = [block for node in ast.walk(module) if not isinstance(node, (ast.Module, ast.ClassDef)) for block in bodies(node)]
    kept = progress_of(module)
    for length in (16, 8, 4, 2, 1):
        for block in blocks:
            for start in range(len(block) - length, -1, -1):
                removed = block[start : start + length]
                if len(removed) == len(block) or any(id(statement) in kept for statement in removed):
                    continue
                del block[start : start + length]
                yield ast.unparse(module)
                block[start:start] = removed
    for block in blocks:
        for start, statement in enumerate(list(block)):
            if isinstance(statement, (ast.If, ast.For, ast.While)):
                for inner in (statement.body, statement.orelse):
                    if inner:
                        block[start : start + 1] = inner
                        yield ast.unparse(module)
                        block[start : start + len(inner)] = [statement]


def expression_edits(module):
    """The same with expressions: every part in the place of its whole."""
    kept = progress_of(module)
    for node in list(ast.walk(module)):
        if id(node) in kept or isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.arguments, ast.arg)):
            continue
        for name, value in list(ast.iter_fields(node)):
            for at, expression in enumerate(value if isinstance(value, list) else [value]):
                for part in parts(expression):
                    if isinstance(value, list):
                        value[at] = part
                        yield ast.unparse(module)
                        value[at] = expression
                    else:
                        setattr(node, name, part)
                        yield ast.unparse(module)
                        setattr(node, name, expression)


def without_unused(module):
    """Parameters and definitions that nothing needs any more are left out."""
    while True:
        used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        kept = [node for node in module.body if is_kernel(node) or not hasattr(node, "name") or node.name in used]
        if len(kept) == len(module.body):
            break
        module.body = kept
    kernel = kernel_of(module)
    inside = {node.id for statement in kernel.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    kernel.args.args = [arg for arg in kernel.args.args if arg.arg in inside]
    return module


def batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def improve(weft, source, launch, seed):
    """A smaller source that is wrong, too, with its result; None: there is none."""
    module = ast.parse(source)
    for edits in (statement_edits, expression_edits):
        for batch in batches(edits(module), AT_ONCE):
            for text, found in zip(batch, check_many(weft, batch, launch, seed)):
                if is_wrong(found) and len(text) < len(source):
                    return text, found
    return None


def reduce_kernel(weft, source, launch, seed):
    """(smallest source found, launch it was checked with, its result); None: the mismatch does not show here."""
    for chosen in (*(shrink(launch, limit) for limit in (3, 5, 8, 16)), launch):
        result = check_many(weft, [source], chosen, seed)[0]
        if is_wrong(result):
            launch = chosen
            break
    else:
        return None
    source = ast.unparse(ast.parse(source))
    while better := improve(weft, source, launch, seed):
        source, result = ast.unparse(without_unused(ast.parse(better[0]))), better[1]
    return source, launch, result
