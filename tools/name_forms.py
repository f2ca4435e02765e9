"""How things are named: which forms the names of kernels, functions, arguments and locals have. tools/meaning.py prints them beside those of real code.

FORMS has a row for each form. Names are counted once for each kernel or function that has them; figures are shares of names (0..1)."""
import ast, collections, pathlib, re

FORMS = {
    "begins with _": r"^_",
    "one letter": r"^_?[A-Za-z]$",
    "two characters": r"^[A-Za-z][A-Za-z0-9]$",
    "ends in a digit": r"\d$",
    "camelCase": r"^_?[a-z]+[a-z0-9]*[A-Z]",
    "begins with a capital": r"^[A-Z]",
    "*kernel*, *kern": r"kernel|kern$",
    "compute_*, eval_*, ...": r"^_?(compute|eval|evaluate|calc|get|update|apply|init|set|add|find|count|copy|integrate|solve|fill)_",
    "*_in": r"_in$",
    "*_out, out_*": r"_out$|^out_",
    "*_new, *_prev, ...": r"_(new|next|prev|old|cur|current)$",
    "*_i, *_j": r"[a-z0-9]_[ij]$",
    "*_idx, *_id, *_index": r"_(idx|id|index|ids|indices)$",
    "*id": r"[a-z]id$",
    "num_*, n_*": r"^(num|n)_",
    "*_count": r"_(count|counts|size)$",
    "max_*, min_*": r"^(max|min)_",
    "is_*, has_*": r"^(is|has|use|enable)_",
    "*_q, *_qd, *_f": r"_(q|qd|f)$",
    "*_buf, *_data, ...": r"_(buf|buffer|arr|array|data|ptr)$",
    "*_start, *_end, ...": r"_(start|end|offset|offsets|begin)$",
    "*s": r"[a-z]s$",
}
WHAT = ("kernels", "functions", "arguments of kernels", "arguments of functions", "locals")


def named(source):
    """(what, name) of a text."""
    try: tree = ast.parse(source)
    except (SyntaxError, ValueError): return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef): continue
        decorators = " ".join(ast.unparse(d) for d in node.decorator_list)
        what = "kernels" if re.search(r"\b(wp|warp)\.kernel\b", decorators) else "functions" if re.search(r"\b(wp|warp)\.func\b", decorators) else None
        if not what: continue
        arguments = {a.arg for a in node.args.args + node.args.kwonlyargs}
        stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        yield what, node.name
        yield from (("arguments of " + what, name) for name in sorted(arguments))
        yield from (("locals", name) for name in sorted(stored - arguments))


def real_names(folders):
    """Names in packages, without their tests."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.py")):
            if not re.search(r"(^|/)tests?(/|_)|_test\.py$|test_", str(path.relative_to(folder))): yield from named(path.read_text(errors="replace"))


def shares(names):
    """{what: {"names", "characters, mean", "words, mean", "different", "word stems per 1,000 names", form: share}}"""
    by_what = collections.defaultdict(list)
    for what, name in names: by_what[what].append(name)
    table = {}
    for what in WHAT:
        names = by_what[what]
        count = max(1, len(names))
        words = [w for n in names[:1000] for w in re.split(r"_|\d+", n.lower()) if len(w) > 1]
        table[what] = {"names": len(names), "characters, mean": round(sum(map(len, names)) / count, 1),
                       "words, mean": round(sum(len(n.strip("_").split("_")) for n in names) / count, 2),
                       "word stems in the first 1,000": len(set(words)), "different": round(len(set(names)) / count, 4),
                       "forms": {form: round(sum(bool(re.search(pattern, n)) for n in names) / count, 4) for form, pattern in FORMS.items()}}
    return table


def side_by_side(ours, real):
    """One line per form that real code or ours has. * marks those that differ by a factor of two, and by one in 100."""
    rows = []
    for what in WHAT:
        rows.append(f"{what:34} {'real':>8} {'invented':>9}")
        for name in ("names", "characters, mean", "words, mean", "word stems in the first 1,000"): rows.append(f"  {name:32} {real[what][name]:8} {ours[what][name]:9}")
        for name, share, mine in [("different", real[what]["different"], ours[what]["different"])] + [(f, real[what]["forms"][f], ours[what]["forms"][f]) for f in FORMS]:
            if max(share, mine) < 0.005: continue
            far = abs(share - mine) > 0.01 and not share / 2 <= mine <= share * 2
            rows.append(f"  {name:32} {100 * share:7.1f}% {100 * mine:8.1f}%{' *' if far else ''}")
    return "\n".join(rows)
