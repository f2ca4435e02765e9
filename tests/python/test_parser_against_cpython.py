#!/usr/bin/env python3
"""Compares weft's syntax trees with those of CPython 3.11's own parser.

    python3 test_parser_against_cpython.py [AST_JSON FILE_OR_FOLDER...]

AST_JSON is the program built from tests/tools/ast_json.c, by default the one in $WEFT_BUILD; the files are by
default the golden kernels and the part of Python's own library that has the most syntax. For every Python file that CPython accepts, the
two trees must have the same nodes in the same order, with the same names, operators, constants and
positions; unparsing and parsing again must give that tree once more, positions aside. Files that CPython
refuses must be refused, too. Exit status 1 if anything differs, 77 (skipped) without Python 3.11.
"""

import ast
import io
import json
import os
import subprocess
import sys
import tokenize
import unicodedata
import warnings

WITHOUT_POSITION = {"Module", "arguments", "comprehension", "withitem", "match_case"}
PATTERNS = {"MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping", "MatchClass", "MatchStar", "MatchAs",
            "MatchOr"}

# What weft refuses on purpose, by the start of its message.
KNOWN_LIMITS = ("integer literal too large", "\\N{...} escapes are not supported", "invalid UTF-8",
                "nested too deeply", "expression nested too deeply", "too many elif clauses",
                "the source contains a NUL byte")


class Difference(Exception):
    pass


def hex_of(value):
    return value.encode("utf-8", "surrogatepass").hex()


def constant_attributes(value):
    if value is None or value is Ellipsis:
        return [("type", "None" if value is None else "Ellipsis")]
    if isinstance(value, bool):
        return [("type", "bool")] + ([("value", "1")] if value else [])
    if isinstance(value, int):
        return [("type", "int"), ("value", "%032x" % value)]
    if isinstance(value, (float, complex)):
        return [("type", type(value).__name__), ("value", value.imag if isinstance(value, complex) else value)]
    if isinstance(value, str):
        return [("type", "str"), ("value", hex_of(value))]
    return [("type", "bytes"), ("value", value.hex())]


def flag(key, present):
    return [(key, "1")] if present else []


def presence(key, nodes):
    return [(key, "".join("0" if node is None else "1" for node in nodes))]


def count(key, nodes):
    return [(key, str(len(nodes)))]


def name(key, value):
    return [] if value is None else [(key, value)]


def attributes(node, offsets):
    """What ast_json.c's write_attributes says about the same node."""
    kind = type(node).__name__
    if kind in PATTERNS:
        own = getattr(node, "name", None) or getattr(node, "rest", None)
        return [("pattern", kind)] + name("name", own) + [("keyword", k) for k in getattr(node, "kwd_attrs", [])]
    if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
        result = name("name", node.name)
        result += count("bases", node.bases) if kind == "ClassDef" else count("body", node.body)
        result += count("decorators", node.decorator_list)
        return result + ([("first_line", str(offsets.lines[first - 1]))] if offsets else [])
    if kind in ("BinOp", "UnaryOp", "BoolOp", "AugAssign"):
        return [("op", type(node.op).__name__)]
    if kind == "Compare":
        return [("op", type(op).__name__) for op in node.ops]
    if kind in ("For", "AsyncFor", "While", "If"):
        return count("body", node.body)
    if kind in ("Try", "TryStar"):
        return count("body", node.body) + count("handlers", node.handlers) + count("orelse", node.orelse)
    if kind in ("Global", "Nonlocal"):
        return [("name", n) for n in node.names]
    if kind == "Slice":
        return flag("lower", node.lower) + flag("upper", node.upper) + flag("step", node.step)
    if kind == "Name":
        return name("id", node.id) + flag("store", not isinstance(node.ctx, ast.Load))
    if kind == "arguments":
        return (count("posonly", node.posonlyargs) + count("args", node.args) + flag("vararg", node.vararg)
                + count("kwonly", node.kwonlyargs) + presence("kw_defaults", node.kw_defaults)
                + flag("kwarg", node.kwarg))
    simple = {
        "AnnAssign": lambda: flag("simple", node.simple),
        "With": lambda: count("items", node.items),
        "AsyncWith": lambda: count("items", node.items),
        "ImportFrom": lambda: name("module", node.module) + [("level", str(node.level or 0))],
        "alias": lambda: name("name", node.name) + name("asname", node.asname),
        "ExceptHandler": lambda: name("name", node.name) + flag("typed", node.type),
        "match_case": lambda: flag("guard", node.guard),
        "Dict": lambda: presence("keys", node.keys),
        "Call": lambda: count("args", node.args),
        "keyword": lambda: name("name", node.arg),
        "FormattedValue": lambda: [("conversion", chr(node.conversion))] if node.conversion != -1 else [],
        "Constant": lambda: constant_attributes(node.value),
        "Attribute": lambda: name("attr", node.attr),
        "arg": lambda: name("name", node.arg),
        "comprehension": lambda: flag("async", node.is_async),
    }
    return simple[kind]() if kind in simple else []


class Offsets:
    """From CPython's lines and columns to byte offsets."""

    def __init__(self, source):
        skipped = 3 if source.startswith(b"\xef\xbb\xbf") else 0
        self.lines = [skipped]
        for i, byte in enumerate(source):
            if byte == 10 or (byte == 13 and source[i + 1:i + 2] != b"\n"):
                self.lines.append(i + 1)

    def of(self, line, column):
        return self.lines[line - 1] + column


def children_of(node):
    for field in node._fields:
        value = getattr(node, field, None)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST) and not isinstance(item, (ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
                                                                   ast.expr_context)):
                yield item


def same_attributes(ours, theirs):
    if len(ours) != len(theirs):
        return False
    for (key, value), (other_key, other) in zip(ours, theirs):
        if key != other_key:
            return False
        if isinstance(other, float):
            value = float(value)
        elif key in ("id", "name", "attr", "asname", "module", "keyword"):
            value = unicodedata.normalize("NFKC", value)
        if value != other:
            return False
    return True


def compare(ours, theirs, offsets):
    """`offsets` is None where positions do not matter."""
    kind = type(theirs).__name__
    our_kind, start, end, our_attributes, our_children = ours
    where = f"line {getattr(theirs, 'lineno', '?')}, {kind}"
    if our_kind != ("pattern" if kind in PATTERNS else kind):
        raise Difference(f"{where}: weft has {our_kind}")
    ignored = ("def_start",) if offsets else ("def_start", "first_line")
    our_attributes = [pair for pair in our_attributes if pair[0] not in ignored]
    their_attributes = attributes(theirs, offsets)
    if not same_attributes(our_attributes, their_attributes):
        raise Difference(f"{where}: weft has {our_attributes}, CPython {their_attributes}")
    if offsets and kind not in WITHOUT_POSITION:
        their_start = offsets.of(theirs.lineno, theirs.col_offset)
        their_end = offsets.of(theirs.end_lineno, theirs.end_col_offset)
        if (start, end) != (their_start, their_end):
            raise Difference(f"{where}: weft has bytes {start}-{end}, CPython {their_start}-{their_end}")
    if kind == "MatchSingleton":
        our_children = []
    their_children = list(children_of(theirs))
    if len(our_children) != len(their_children):
        raise Difference(f"{where}: weft has {len(our_children)} children, CPython {len(their_children)}")
    for our_child, their_child in zip(our_children, their_children):
        compare(our_child, their_child, offsets)


def weft_trees(tool, paths, *options):
    """Pairs of a path and what the tool says about it. A crash ends the run."""
    process = subprocess.Popen([tool, *options, *paths], stdout=subprocess.PIPE)
    for line in process.stdout:
        pairs = json.loads(line, object_pairs_hook=list)
        yield dict(pairs)
    if process.wait() != 0:
        raise SystemExit(f"{tool} ended with status {process.returncode}")


def python_files(arguments):
    for argument in arguments:
        if os.path.isdir(argument):
            for folder, folders, files in os.walk(argument):
                folders.sort()
                yield from (os.path.join(folder, f) for f in sorted(files) if f.endswith(".py"))
        else:
            yield argument


def declares_other_encoding(source):
    """weft reads UTF-8, whatever the first lines say."""
    try:
        return tokenize.detect_encoding(io.BytesIO(source).readline)[0] not in ("utf-8", "utf-8-sig")
    except SyntaxError:
        return True


def check_file(path, result, unparsed, counts):
    with open(path, "rb") as file:
        source = file.read()
    if declares_other_encoding(source):
        counts["known limits"] += 1
        print(f"limit {path}: not declared as UTF-8")
        return
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError) as error:
        counts["refused by CPython"] += 1
        if not result["errors"]:
            raise Difference(f"CPython refuses it ({error}), weft does not")
        return
    if result["errors"]:
        start, _, message = result["errors"][0]
        if message.startswith(KNOWN_LIMITS):
            counts["known limits"] += 1
            print(f"limit {path}: byte {start}: {message}")
            return
        raise Difference(f"weft refuses it: byte {start}: {message}")
    compare(result["tree"], tree, Offsets(source))
    if unparsed["errors"]:
        raise Difference(f"unparsed text is refused: {unparsed['errors'][0]}")
    text = unparsed["text"].encode("utf-8", "surrogatepass")
    try:
        compare(unparsed["tree"], tree, None)
        compare(unparsed["tree"], ast.parse(text), Offsets(text))
    except Difference as difference:
        raise Difference(f"unparsed: {difference}") from None
    except SyntaxError as error:
        raise Difference(f"unparsed text is refused by CPython: {error}") from None
    counts["identical"] += 1


def default_files():
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    library = os.path.dirname(os.path.abspath(ast.__file__))
    yield os.path.join(tests, "golden")
    for entry in sorted(os.listdir(library)):
        if entry.endswith(".py"):
            yield os.path.join(library, entry)
    for entry in ("grammar", "patma", "fstring", "unparse", "ast", "syntax", "unpack_ex", "named_expressions",
                  "except_star", "positional_only_arg", "string_literals", "asyncgen", "unicode_identifiers"):
        path = os.path.join(library, "test", f"test_{entry}.py")
        if os.path.exists(path):
            yield path


def main():
    if sys.version_info[:2] != (3, 11):
        print("skipped: needs Python 3.11")
        return 77
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    if len(sys.argv) == 1:
        tool, arguments = os.path.join(os.environ.get("WEFT_BUILD", "build"), "ast_json"), default_files()
    else:
        tool, arguments = sys.argv[1], sys.argv[2:]
    paths = list(python_files(arguments))
    counts = {"identical": 0, "known limits": 0, "refused by CPython": 0, "different": 0}
    for first in range(0, len(paths), 100):
        part = paths[first:first + 100]
        for path, result, unparsed in zip(part, weft_trees(tool, part), weft_trees(tool, part, "--unparse")):
            try:
                check_file(path, result, unparsed, counts)
            except Difference as difference:
                counts["different"] += 1
                print(f"DIFFERENT {path}: {difference}")
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
