#!/usr/bin/env python3
"""How many kernels of a large sample stay distinct: what measure.py counts, by one regular expression, for millions.

    build/weft synth -n 1000000 -s 1 --json | tools/uniqueness.py
"""

import collections
import json
import keyword
import re
import sys

TOKEN = re.compile(
    r'(?P<text>"""(?:.|\n)*?"""|"[^"\n]*")|(?P<note>[ ]*\#[^\n]*\n?)|(?P<attribute>\.[A-Za-z_]\w*)'
    r"|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
)
KEEP = {"wp", "float", "int", "bool", "range", "dtype", "abs", "min", "max", "len", "print", "round", "pow", "sum"}
KEEP |= set(keyword.kwlist)


def shapes(source):
    names = {}

    def rename(match, mask):
        kind, text = match.lastgroup, match[0]
        if kind == "name":
            return text if text in KEEP else names.setdefault(text, f"v{len(names)}")
        if kind == "text":
            return "S"
        if kind == "note":
            return ""
        return "N" if mask and kind == "number" else text

    renamed = TOKEN.sub(lambda m: rename(m, False), source)
    masked = re.sub(r"(?<![\w.])\d+\.?\d*(?:[eE][-+]?\d+)?", "N", renamed)
    return hash(renamed), hash(masked)


def main():
    count, exact, renamed, masked = 0, set(), set(), collections.Counter()
    for line in sys.stdin:
        source = json.loads(line)["python_source"]
        first, second = shapes(source)
        count += 1
        exact.add(hash(source))
        renamed.add(first)
        masked[second] += 1
    top = sum(n for _, n in masked.most_common(10))
    shares = {"exact": len(exact), "renamed": len(renamed), "masked": len(masked), "top10": top}
    print(json.dumps({"records": count} | {name: round(n / max(count, 1), 5) for name, n in shares.items()}))


if __name__ == "__main__":
    main()
