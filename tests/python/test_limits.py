#!/usr/bin/env python3
"""Deep, long and huge sources: each is compiled or refused with a message, within seconds and an 8 MiB stack.

    test_limits.py [--only TEXT]

Every case is a file that grows without bound in one direction: nesting of each construct of the grammar, chains, calls
from function to function, large numbers, long loops at module level. None may crash weft, or take longer than
SECONDS; each must end with text or with a message (exit code 0 or 1).
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
SECONDS = 10
STACK = 8 << 20

KERNEL = """

@wp.kernel
def k(a: wp.array(dtype=float), n: int, x: float, c: bool, v: wp.vec3):
    i = wp.tid()
"""


def nested_functions(functions, calls):
    """Functions that call each other in a row, each call inside as many others."""
    text = "@wp.func\ndef f0(x: float):\n    return x\n\n"
    for k in range(1, functions):
        text += f"@wp.func\ndef f{k}(x: float):\n    return {f'f{k - 1}(' * calls}x{')' * calls}\n\n"
    return text + KERNEL + f"    a[i] = f{functions - 1}(x)\n"


def nested_statements(head, depth):
    """`head` inside itself, one blank deeper each time."""
    lines = [" " * (4 + k) + head + ":" for k in range(depth)]
    return KERNEL + "\n".join(lines) + "\n" + " " * (4 + depth) + "a[i] = x\n"


def carried_values(depth):
    """Loops in loops, around values that the reverse pass needs of every turn."""
    text = """

@wp.kernel
def k(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    v = a[i]
    w = b[i]
    s = float(0.0)
"""
    text += "".join(" " * (4 + k) + "for q in range(100000):\n" for k in range(depth))
    text += " " * (4 + depth) + "s = s + wp.dot(wp.cross(v, w), w)\n" + " " * (4 + depth) + "w = w * 0.5 + v * s\n"
    return text + "    out[i] = s + w[0]\n"


def module_level(code, name="X"):
    return code + KERNEL + f"    a[i] = float({name})\n"


def in_kernel(expression):
    return KERNEL + f"    y = {expression}\n    a[i] = float(y)\n"


def in_both(expression):
    """The expression in a kernel and at module level."""
    return module_level(f"n = 1\nx = 1.0\nc = True\nX = {expression}\n") + f"    y = {expression}\n"


def nestings(depth):
    """Every construct that can hold itself."""
    pairs = {
        "parentheses": ("(", "x", ")"), "tuples": ("(", "x", ",)"), "lists": ("[", "1", "]"), "dicts": ("{1: ", "1", "}"),
        "sets": ("{", "1", "}"), "calls": ("float(", "x", ")"), "calls with keyword": ("wp.sin(x=", "x", ")"), "minus": ("-", "x", ""),
        "not": ("not ", "c", ""), "invert": ("~", "n", ""), "power": ("2 ** ", "2", ""), "conditional": ("x if c else ", "x", ""),
        "conditional test": ("x if (", "c", ") else x"), "lambda": ("lambda: ", "1", ""), "walrus": ("(y := ", "1", ")"),
        "subscript inside": ("a[", "0", "]"), "static": ("wp.static(", "1", ")"), "star": ("wp.vec3(*", "v", ")"),
        "comprehension": ("[", "1", " for q in range(1)]"), "f-string": ('f"{', "x", '}"'), "await": ("await ", "x", ""),
        "type": ("type(", "x", ")(x)"), "grad": ("wp.grad(", "wp.sin", ")"), "slice": ("v[0:", "1", "]"), "and": ("(c and ", "c", ")"),
        "compare": ("(x < ", "x", ")"),
    }  # fmt: skip
    for name, (left, middle, right) in pairs.items():
        yield f"nested {name}, {depth}", in_both(left * depth + middle + right * depth)


def chains(count):
    joined = {
        "sum": (" + ", "x"), "product": (" * ", "x"), "power": (" ** ", "1"), "and": (" and ", "c"), "or": (" or ", "c"),
        "comparisons": (" < ", "x"), "bits": (" | ", "n"), "shifts": (" << ", "1"), "attributes": (".x", "v"),
        "strings": (" ", '"a"'), "tuple": (", ", "x"), "subtraction": (" - ", "1"), "in": (" in ", "x"), "is": (" is ", "x"),
    }  # fmt: skip
    for name, (separator, item) in joined.items():
        expression = item + separator * count if name == "attributes" else separator.join([item] * count)
        yield f"chain of {name}, {count}", in_both(expression)
    yield f"chain of subscripts, {count}", in_both("v" + "[0]" * count)
    yield f"chain of calls, {count}", in_both("f" + "()" * count)
    yield f"targets, {count}", KERNEL + "    " + "y = " * count + "x\n"
    yield f"statements, {count}", KERNEL + "    a[i] = x\n" * count
    yield f"augmented statements, {count}", KERNEL + "    y = float(x)\n" + "    y += x\n" * count + "    a[i] = y\n"
    yield f"arguments, {count}", in_both("wp.vec3(" + "x, " * count + ")")
    yield f"parameters, {count}", "@wp.func\ndef f(" + ", ".join(f"p{i}: float" for i in range(count)) + f"):\n    return p0\n{KERNEL}    f(x)\n"
    yield f"kernel parameters, {count}", "@wp.kernel\ndef k(" + ", ".join(f"p{i}: float" for i in range(count)) + "):\n    pass\n"
    yield f"decorators, {count}", "@wp.kernel\n" * count + "def k():\n    pass\n"
    yield f"elif, {count}", KERNEL + "    if n == 0:\n        a[i] = x\n" + "".join(f"    elif n == {i}:\n        a[i] = x\n" for i in range(1, count))
    yield f"elif that assigns, {count}", KERNEL + "    y = x\n    if n == 0:\n        y = 1.0\n" + "".join(f"    elif n == {i}:\n        y = {i}.0\n" for i in range(1, count)) + "    a[i] = y\n"
    yield f"names, {count}", "".join(f"N{i} = {i}\n" for i in range(count)) + KERNEL + f"    a[i] = float(N{count - 1})\n"
    yield f"structs in structs, {count}", "@wp.struct\nclass S0:\n    x: float\n" + "".join(f"@wp.struct\nclass S{i}:\n    s: S{i - 1}\n    t: S{i - 1}\n" for i in range(1, min(count, 2000))) + f"@wp.kernel\ndef k(s: S{min(count, 2000) - 1}):\n    y = s\n"
    yield f"fields, {count}", "@wp.struct\nclass S:\n" + "".join(f"    f{i}: float\n" for i in range(count)) + "@wp.kernel\ndef k(s: S):\n    y = s.f0\n    t = S()\n"
    yield f"names of a kernel, {count}", KERNEL + "".join(f"    y{i} = x\n" for i in range(count))
    yield f"branches over many names, {count}", KERNEL + "".join(f"    y{i} = x\n" for i in range(min(count, 1000))) + "    if c:\n        y0 = 1.0\n" * min(count, 1000)


def statements():
    for depth in (20, 90, 150, 5000):
        for head in ("if c", "for q in range(n)", "while c", "for q in range(2)", "with x", "try", "def f()", "class C", "match n"):
            yield f"nested {head}, {depth}", nested_statements(head, depth)
    for depth in (8, 12, 20, 60):
        yield f"unrolled loops, {depth}", nested_statements("for q in range(16)", depth)
    yield "a long static loop", KERNEL + "    for q in range(1000000000):\n        a[i] = float(wp.static(q))\n"
    yield "a huge static loop", KERNEL + "    for q in range(10 ** 30):\n        a[i] = float(wp.static(1))\n"
    yield "max_unroll", "wp.set_module_options({'max_unroll': 1000000000})\n" + KERNEL + "    for q in range(100000000):\n        a[i] = float(q)\n"


def calls():
    for functions, depth in ((50, 185), (58, 60), (1000, 1), (200, 30), (20, 185), (5000, 1)):
        yield f"{functions} functions, each {depth} calls deep", nested_functions(functions, depth)
    yield "recursion", "@wp.func\ndef f(x: float):\n    return f(x)\n" + KERNEL + "    a[i] = f(x)\n"
    yield "mutual recursion", "@wp.func\ndef f(x: float):\n    return g(x)\n@wp.func\ndef g(x: float):\n    return f(x)\n" + KERNEL + "    a[i] = f(x)\n"
    yield "generic functions", "from typing import Any\n" + "".join(f"@wp.func\ndef f{k}(x: Any):\n    return {f'f{k + 1}(x) + f{k + 1}(x)' if k < 60 else 'x'}\n" for k in range(61)) + KERNEL + "    a[i] = f0(x)\n"
    yield "functions that take functions", "@wp.func\ndef f0(x: float):\n    return x\n" + "".join(f"@wp.func\ndef f{k}(f: wp.Function, x: float):\n    return f(x)\n" for k in range(1, 200)) + KERNEL + "    a[i] = f199(f0, x)\n"
    yield "growing vectors", "from typing import Any\n@wp.func\ndef f(x: Any):\n    return f(wp.vec2(x, x))\n" + KERNEL + "    a[i] = f(x)\n"
    yield "many overloads", "".join(f"@wp.func\ndef f(x: wp.types.vector({k}, float)):\n    return x\n" for k in range(1, 2000)) + KERNEL + "    y = f(v)\n"


def values():
    for code in (
        "X = (-1) ** 1000000000000", "X = 1 ** 10 ** 18", "X = 2 ** 10 ** 18", "X = 0 ** 10 ** 18", "X = (2 ** 99) ** 2", "X = (-(2 ** 99)) ** 3",
        "X = 10 ** 10 ** 10 ** 10", "X = 1 << 10 ** 12", "X = 1 << 63 << 63 << 63", "X = -1 << 62 << 62", "X = 1 >> 10 ** 30", "X = 2.0 ** 10000000",
        "X = (-8.0) ** 0.5", "X = 0.0 ** -1", "X = 0 ** -1", "X = (2 ** 100) * (2 ** 100)", "X = -(2 ** 127)", "X = ~(2 ** 100)", "X = 7 // 0", "X = 7.0 % 0.0",
        "X = [0] * 10 ** 9", "X = [0] * 10 ** 30", "X = [] * 10 ** 30", "X = [] * 10 ** 9", "X = () * 10 ** 12", "X = [0] * -5", "X = 'a' * 10 ** 9", "X = 'a' * 10 ** 30",
        "X = range(10 ** 12)", "X = range(10 ** 30)", "X = range(0, 10 ** 12, 0)", "X = range(-10 ** 30, 10 ** 30, 10 ** 29)", "X = list(range(10 ** 12))",
        "X = sum(range(10 ** 9))", "X = sum([2 ** 90] * 60000)", "X = max(range(10 ** 12))", "X = [q for q in range(10 ** 12)]",
        "X = [0]\nfor q in range(64):\n    X = X + X", "X = [0]\nfor q in range(64):\n    X = X * 2", "X = 'a'\nfor q in range(64):\n    X = X + X",
        "X = 0\nfor q in range(10 ** 12):\n    X += 1", "X = 0\nfor q in range(60000):\n    for p in range(60000):\n        X += 1", "X = 0\nwhile True:\n    X += 1",
        "L = list(range(60000))\nX = 0\nfor q in range(60000):\n    X = X + (1 if -1 in L else 0)", "L = list(range(60000))\nX = 0\nfor q in range(60000):\n    M = L + [1]",
        "L = []\nfor q in range(60000):\n    L.append(q)\nX = len(L)", "D = {q: q for q in range(10 ** 9)}\nX = 1", "D = {}\nfor q in range(60000):\n    D[q] = q\nX = 1",
        "def f(n):\n    return f(n + 1)\nX = f(0)", "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nX = f(0)", "f = lambda n: f(n)\nX = f(0)",
        "def f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else 1\nX = f(60)", "def f(n):\n    def g(m):\n        return f(m)\n    return g(n)\nX = f(0)",
        "def f(n):\n    return [f(n) for q in range(2)]\nX = f(0)", "X = wp.types.vector(10 ** 12, float)(0.0)", "X = wp.types.vector(10 ** 6, float)(0.0)",
        "X = wp.types.matrix((10 ** 6, 10 ** 6), float)(0.0)", "X = wp.types.matrix((1000, 1000), float)(0.0)", "X = wp.constant(wp.types.vector(-1, float)())",
        "X = 99999999999999999999999999999999999999999999999999", "X = " + "9" * 100000, "X = 0x" + "f" * 100000, "X = 1e" + "9" * 1000, "X = 0." + "1" * 100000,
        "X = '" + "a" * 1000000 + "'", "X" + "x" * 100000 + " = 1\nX = 1", "# " + "a" * 10000000 + "\nX = 1", "X = 1\n" * 100000, "X = 1;" * 50000 + "\n", "\\\n" * 100000 + "X = 1",
        "X = float('nan')", "X = float('1' * 1000)", "X = int('9' * 100000)", "X = round(1e300)", "X = int(1e300)", "X = int(float('inf'))", "X = abs(-(2 ** 120))",
        "X = (1,)\nfor q in range(30000):\n    X = (X,)\nX = wp.vec3(X)", "L = [1]\nL.append(L)\nX = wp.vec3(L)", "L = [1]\nL.append(L)\nX = L == L",
        "T = float\nfor q in range(30000):\n    T = wp.array(dtype=T)\nX = T", "T = float\nfor q in range(30000):\n    T = tuple[T]\nX = T", "T = float\nfor q in range(30000):\n    T = wp.types.vector(3, T)\nX = T()",
        "T = float\nfor q in range(30000):\n    T = wp.ref[T]\nX = T", "T = int\ndef f(T):\n    @wp.struct\n    class S:\n        t: T\n    return S\nfor q in range(5000):\n    T = f(T)\nX = T()",
        "def f(n):\n    return f(n)" + " + 1" * 900 + "\nX = f(0)", "def f(n):\n    return " + "-" * 150 + "f(n)\nX = f(0)", "X = wp.zeros(shape=(1000000, 1000000, 1000000, 1000000), dtype=float)",
        "X = wp.types.matrix((65536, 65536), float)()", "X = wp.matrix(1.0, shape=(1000000, 1000000))", "X = 1.0 // 0.1", "X = pow(2, 10 ** 12)", "import math\nX = math.factorial(10 ** 9)", "import math\nX = math.pow(10.0, 1e9)", "import math\nX = math.floor(1e300)",
    ):  # fmt: skip
        yield f"value {code[:60]!r}", module_level(code + "\n")
        if code.startswith("X = ") and "\n" not in code:
            yield f"in a kernel {code[:60]!r}", in_kernel(code[4:])
            yield f"static {code[:60]!r}", in_kernel(f"wp.static({code[4:]})")


def lexical():
    yield "open brackets", "(" * 1000000
    yield "closed brackets", ")" * 1000000
    yield "indentation", "\n".join(" " * k + "if c:" for k in range(3000))
    yield "one long line of blanks", " " * 5000000
    yield "line breaks", "\n" * 5000000
    yield "at signs", "@" * 100000
    yield "strings without an end", "'" * 99999
    yield "nested f-strings", "X = " + "f'{" * 1000
    yield "f-string with many fields", in_both("f'" + "{x}" * 100000 + "'")
    yield "f-string with deep brackets", in_both("f'{" + "(" * 100000 + "}'")
    yield "f-string with deep formats", in_both("f'{x:" + "{x:" * 10000 + "}'")
    yield "match patterns", "match 1:\n    case " + "(" * 100000 + "1:\n        pass\n"
    yield "alternative patterns", "match 1:\n    case " + " | ".join(["1"] * 100000) + ":\n        pass\n"
    yield "class patterns", "match 1:\n    case " + "A(" * 150 + "1" + ")" * 150 + ":\n        pass\n"
    yield "attribute patterns", "match 1:\n    case " + ".".join(["a"] * 100000) + ":\n        pass\n"
    yield "import path", "import " + ".".join(["a"] * 100000) + "\n"
    yield "imports", "import " + ", ".join(["a"] * 100000) + "\n"
    yield "zeros", "\0" * 100000
    yield "bytes that are not UTF-8", b"\xff\xfe" * 50000
    yield "quoted annotations", "@wp.kernel\ndef k(a: " + repr(repr(repr("float"))) + "):\n    pass\n"
    yield "deep annotations", "@wp.kernel\ndef k(a: " + "wp.array(dtype=" * 190 + "float" + ")" * 190 + "):\n    pass\n"
    yield "deep quoted annotation", "@wp.kernel\ndef k(a: '" + "tuple[" * 190 + "int" + "]" * 190 + "'):\n    pass\n"
    yield "long unions", "@wp.kernel\ndef k(a: " + " | ".join(["float"] * 100000) + "):\n    pass\n"


def cases():
    yield from calls()
    yield from statements()
    yield from values()
    yield from lexical()
    for depth in (60, 120, 190, 2000, 100000):
        yield from nestings(depth)
    for count in (100, 390, 900, 10000, 100000):
        yield from chains(count)


def limit_stack():
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, hard))


def translated():
    """Cases for `weft standalone`, which writes reverse passes of its own."""
    for depth in (20, 60):
        yield f"carried values, {depth} loops", carried_values(depth)
    for functions, depth in ((50, 20), (200, 30)):
        yield f"{functions} functions, each {depth} calls deep", nested_functions(functions, depth)
    yield "augmented statements, 3000", KERNEL + "    y = float(x)\n" + "    y += x * y\n" * 3000 + "    a[i] = y\n"


def extract(path):
    return ["extract", path, "-d", "both", "-o", os.devnull]


def standalone(path):
    return ["standalone", path, "-o", path.parent / "programs"]


def complaint(call):
    start = time.monotonic()
    try:
        process = subprocess.run([WEFT, *call], capture_output=True, timeout=60, preexec_fn=limit_stack)
    except subprocess.TimeoutExpired:
        return "takes more than 60 s"
    seconds = time.monotonic() - start
    message = process.stderr.decode("utf-8", "replace")
    if process.returncode not in (0, 1):
        return f"exit code {process.returncode}: {message[-600:]}"
    if process.returncode == 1 and "error:" not in message and "refused:" not in message:
        return f"refused without a message: {message[:200]!r}"
    if seconds > SECONDS:
        return f"takes {seconds:.1f} s"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    count = failures = 0
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "deep.py"
        every = [(case, extract) for case in cases()] + [(case, standalone) for case in translated()]
        for (title, text), call in every:
            if options.only not in title:
                continue
            count += 1
            path.write_bytes(text if isinstance(text, bytes) else ("import warp as wp\n" + text).encode())
            why = complaint(call(path))
            if why:
                failures += 1
                print(f"FAILED {title}, {call.__name__}: {why}", flush=True)
            shutil.rmtree(path.parent / "programs", ignore_errors=True)
    print(f"{count} sources, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
