#!/usr/bin/env python3
"""Compares weft with Warp on the code of documentation: every block with a kernel, as text and as a live object.

    doc_blocks.py PATH [...]       pages (.rst, .md) and Python files (their docstrings), or folders of them
    doc_blocks.py --package        the docstrings of the installed Warp, and its example scripts
    doc_blocks.py PATH --show 3    also the first lines of three differences; --refused: each refusal with its reason

A block gets what it lacks: `import warp as wp`, `import numpy as np`, and the blocks before it on its page. What it does beside
defining is run without launches; a statement that fails then, since it needs a GPU or a result, is left out on both sides. Prints
a row per page and form: identical, refused, different, or refused by Warp, too. Exits with 1 if anything is different.
Warp is that of .venv or of the interpreter $WEFT_PYTHON; weft is build/weft or $WEFT, its package build/python or $WEFT_PACKAGE.
Code of the pages is run: give it pages you trust.
"""

import argparse
import ast
import collections
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = re.compile(r"@(wp|warp)\.kernel\b|\b(wp|warp)\.kernel\(")
DIRECTIVE = re.compile(r"^(\s*)\.\. (?:code-block|code|testcode|sourcecode)::\s*(\S*)\s*$")
LITERAL = re.compile(r"^(\s*)(?!\.\. ).*[^:\s].*::\s*$")
FENCE = re.compile(r"^(\s*)```\s*(\w*)")
MOST_DROPPED = 40
SECONDS = 300


# ---- blocks of a page ---------------------------------------------------------------------------------------------


def indented_block(lines, start, margin):
    """(the dedented lines after a directive, the index of the first that is not one of them)"""
    end = start
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > margin):
        end += 1
    body = lines[start:end]
    while body and (not body[0].strip() or re.match(r"\s*:\w[\w-]*:", body[0])):
        body.pop(0)
    depth = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
    return "\n".join(line[depth:] for line in body).rstrip() + "\n", end


def rst_blocks(text):
    lines, blocks, i = text.expandtabs().splitlines(), [], 0
    while i < len(lines):
        found, literal = DIRECTIVE.match(lines[i]), LITERAL.match(lines[i])
        i += 1
        if found and found[2] in ("", "python", "python3", "py", "default"):
            block, i = indented_block(lines, i, len(found[1]))
            blocks.append(block)
        elif literal:
            block, i = indented_block(lines, i, len(literal[1]))
            blocks.append(block)
    return blocks


def md_blocks(text):
    lines, blocks, i = text.expandtabs().splitlines(), [], 0
    while i < len(lines):
        found = FENCE.match(lines[i])
        i += 1
        if not found:
            continue
        start = i
        while i < len(lines) and not lines[i].strip().startswith("```"):
            i += 1
        if found[2] in ("python", "py", "python3"):
            blocks.append("\n".join(line[len(found[1]) :] for line in lines[start:i]) + "\n")
        i += 1
    return blocks


def docstrings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            found = ast.get_docstring(node)
            if found:
                yield found


def statements_of_prompt(block):
    """A block of a Python session without its prompts and results."""
    if ">>> " not in block:
        return block
    lines = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... "))]
    return "\n".join(lines) + "\n"


def defines(block):
    """Does the text define anything, or import?"""
    return any(isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign)) for node in ast.parse(block).body)


def is_python(block):
    try:
        ast.parse(block)
    except (SyntaxError, ValueError):
        return False
    return bool(block.strip())


def pages_of(paths):
    """(name of the page, its blocks)"""
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.suffix in (".rst", ".md", ".py")) if path.is_dir() else [path]
        for file in files:
            text = file.read_text(errors="replace")
            if file.suffix == ".py":
                for i, doc in enumerate(docstrings(text)):
                    yield f"{file}:{i}", [b for b in map(statements_of_prompt, rst_blocks(doc)) if is_python(b)]
            else:
                found = md_blocks(text) if file.suffix == ".md" else rst_blocks(text)
                yield str(file), [b for b in map(statements_of_prompt, found) if is_python(b)]


# ---- what Warp makes of a text, in a process of its own --------------------------------------------------------------


def without_statement(text, error, path):
    """The text without the statement that raised the error; None: it is a definition, or none of them."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    for statement in ast.parse(text).body:
        first = min([statement.lineno] + [d.lineno for d in getattr(statement, "decorator_list", [])])
        if lines and first <= lines[0] <= statement.end_lineno:
            kept = text.splitlines(keepends=True)
            if KERNEL.search("".join(kept[first - 1 : statement.end_lineno])):
                return None
            return "".join(kept[: first - 1] + ["\n"] * (statement.end_lineno - first + 1) + kept[statement.end_lineno :])
    return None


def load(path):
    """The module of a file; (None, the error), where it cannot be run; (None, None), where the file has one statement less now."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            spec.loader.exec_module(module)
        return module, None
    except Exception as error:
        shorter = without_statement(pathlib.Path(path).read_text(), error, path)
        if shorter is None:
            return None, error
        pathlib.Path(path).write_text(shorter)
        return None, None


def live_texts(kernel):
    """What weft makes of the object, or why not."""
    import warp_oracle

    import weft

    try:
        found = weft.extract_ir(kernel, "both")
    except weft.Error as error:
        return {"error": str(error).split("error: ")[-1].splitlines()[0]}
    return {
        "name": found["full_name"],
        "cuda": warp_oracle.strip_comments(found["cuda_module"]),
        "cpu": warp_oracle.strip_comments(found["cpp_module"]),
    }


def note_types(kernel, dim=None, inputs=(), outputs=(), *rest, **options):
    """In the place of a launch: the types of a generic kernel's arguments, and nothing else."""
    if kernel.is_generic:
        kernel.add_overload(kernel.infer_argument_types([*inputs, *outputs]))


def print_rows(path):
    """A row per kernel of the file, as warp_oracle.py prints them, with `live`: what weft makes of the object. False: see load()."""
    import warp as wp
    import warp_oracle

    module, error = load(path)
    if error:
        print(json.dumps({"file": path, "error": warp_oracle.message(error)}))
    kernels = [] if module is None else [v for v in vars(module).values() if isinstance(v, wp.Kernel) and v.func.__module__ == module.__name__]
    for kernel in dict.fromkeys(k for v in kernels for k in (v.overloads.values() if v.is_generic else [v])):
        row = {"file": path, "kernel": kernel.key, "live": live_texts(kernel)}
        try:
            row.update(warp_oracle.texts_and_name(kernel))
        except Exception as refusal:
            row["error"] = warp_oracle.message(refusal)
        print(json.dumps(row))
    return bool(module or error)


def child(path):
    """Each attempt has a process of its own: Warp numbers functions as long as one lives."""
    import warp as wp

    wp.config.log_level = getattr(wp, "LOG_WARNING", 30)
    wp.init()
    wp.launch = wp.launch_tiled = note_types
    for _ in range(MOST_DROPPED):
        attempt = os.fork()
        if attempt == 0:
            done = print_rows(path)
            sys.stdout.flush()
            os._exit(0 if done else 75)
        if os.waitpid(attempt, 0)[1] == 0:
            return


def warp_rows(python, path, package):
    """(rows of the kernels, why Warp cannot run the text)"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(package), str(ROOT / "tools"))), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, __file__, "--child", path]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, cwd=pathlib.Path(path).parent)
    except subprocess.TimeoutExpired:
        return [], f"it runs for more than {SECONDS} s"
    rows = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    broken = next((row["error"] for row in rows if "kernel" not in row), "")
    if process.returncode and not broken:
        broken = (process.stderr.strip().splitlines() or ["it ends with an error"])[-1]
    return [row for row in rows if "kernel" in row], broken


# ---- comparing ---------------------------------------------------------------------------------------------------


def completed(block, before):
    """The text of a block with what it lacks."""
    text = "".join(before) + block
    lacks = [] if re.search(r"^\s*import warp\b|^\s*from warp\b", text, re.M) else ["import warp as wp\n"]
    if re.search(r"\bnp\.", text) and not re.search(r"^\s*import numpy\b", text, re.M):
        lacks.append("import numpy as np\n")
    return "".join(lacks) + text


def live_result(row):
    live = row["live"]
    if "error" in row:
        return ("Warp refuses too", "") if "error" in live else ("different", "Warp refuses it: " + row["error"].splitlines()[0])
    if "error" in live:
        return "refused", live["error"]
    wrong = [key for key in ("name", "cuda", "cpu") if live[key] != row[key]]
    return ("different", " and ".join(wrong)) if wrong else ("identical", "")


class Table:
    """Results by page and form."""

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.notes = []  # (result, page, kernel, form, reason, difference)

    def add(self, page, kernel, form, result, reason="", diff=()):
        self.counts[page, form][result] += 1
        if result != "identical":
            self.notes.append((result, page, kernel, form, reason, list(diff)))


def compare_text(table, page, conformance, weft, path, rows, version):
    records, complaint = conformance.weft_records(weft, path, version)
    for result in conformance.compare_file("docs", ["docs"] * len(rows), rows, records, complaint):
        refused_by_both = result.result == "refused" and result.warp_error
        table.add(page, result.kernel, "text", "Warp refuses too" if refused_by_both else result.result, result.reason, result.diff)


def compare_page(table, page, blocks, folder, tools):
    conformance, weft, python, package, version = tools
    before, seen = [], set()
    for number, block in enumerate(blocks):
        if not KERNEL.search(block):
            before += [block] if defines(block) else []
            continue
        path = str(folder / f"block_{len(table.notes)}_{number}.py")
        rows, broken = [], ""
        for given in ([], before) if before else ([],):
            pathlib.Path(path).write_text(completed(block, given))
            rows, broken = warp_rows(python, path, package)
            if rows and not broken and not any("error" in row for row in rows):
                break
        if broken or not rows:
            table.add(page, f"block {number + 1}", "text", "not run", broken or "it makes no kernel that has types")
        if not broken:
            before.append(block)
        rows = [] if broken else [row for row in rows if row.get("name") not in seen]  # not those of earlier blocks again
        seen |= {row["name"] for row in rows if "name" in row}
        if rows:
            compare_text(table, page, conformance, weft, path, rows, version)
        for row in rows:
            table.add(page, row["kernel"], "live", *live_result(row))


def report(table, options):
    results = ["identical", "refused", "different", "Warp refuses too", "not run"]
    print("| page | form | " + " | ".join(results) + " |")
    print("| --- | --- |" + " --- |" * len(results))
    totals = collections.Counter()
    for (page, form), counts in table.counts.items():
        print(f"| {page} | {form} | " + " | ".join(str(counts[r]) for r in results) + " |")
        totals.update({(form, r): counts[r] for r in results})
    for form in ("text", "live"):
        print(f"{form}: " + ", ".join(f"{totals[form, r]} {r}" for r in results))
    for result, page, kernel, form, reason, diff in table.notes:
        if result == "different" or options.refused:
            print(f"{result}: {page} {kernel} ({form}): {reason}")
        if result == "different" and options.show:
            print("\n".join(diff[:40]))
            options.show -= 1
    return any(note[0] == "different" for note in table.notes)


def main():
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    parser.add_argument("--package", action="store_true", help="the installed Warp: its docstrings and examples")
    parser.add_argument("--show", type=int, default=0, help="so many differences")
    parser.add_argument("--refused", action="store_true", help="every refusal with its reason")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tools"))
    import conformance
    import warp_package

    version = os.environ.get("WEFT_WARP", "1.19.0")
    python, package = warp_package.find_warp(version)
    weft = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
    tools = conformance, weft, python, os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python")), version
    pages = list(pages_of(options.paths))
    if options.package:
        pages += pages_of([p for p in warp_package.files(package) if "tests" not in p.parts and "examples" not in p.parts])
        pages += [(str(p), [p.read_text()]) for p in sorted((package / "examples").rglob("*.py"))]
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        for page, blocks in pages:
            if any(map(KERNEL.search, blocks)):
                compare_page(table, page, blocks, pathlib.Path(folder), tools)
    return report(table, options)


if __name__ == "__main__":
    sys.exit(main())
