#!/usr/bin/env python3
"""Who may include whom: the rooms of the project, each of which knows only those listed for it.

`#include "room/file.h"` in a file of src/ must point to its own room or to one that it knows, and so must a macro that names
a file to include. A room within a room (eval/ast) is a room of its own. What lies in src/ itself (pipeline.c, the list of
passes) and in cli/ may know every room; the public header knows none. Every kind of file that the C compiler reads is
checked, and a file of any other kind must be listed here.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# room: rooms it names itself; what those know, it knows, too.
KNOWS = {
    "base": [],
    "lang": ["base"],
    "front": ["lang"],
    "ir": ["front"],
    "emit": ["ir"],
    "eval": ["front"],
    "eval/ast": ["eval"],
    "eval/tree": ["eval", "ir"],
    "synth": ["front"],
    "check": ["emit", "eval/ast", "eval/tree", "synth"],
    "standalone": ["check"],
    "cuda": ["base"],
    "gpu": ["check"],
    "corpus": ["gpu", "standalone", "cuda"],
    "http": ["base"],
    "judge": ["corpus", "http"],
    "report": ["corpus"],
}
ONLY_IN = {"mpi.h": "src/corpus/mpi.c", "microhttpd.h": "src/http/http.c"}  # headers that one file alone may see

CHECKED = {".c", ".h", ".def", ".inc"}
OTHER = {".py", ".txt", ".cu", ".cuh", ".mk"}  # embedded as bytes: nothing in them is included

INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+\w+)\s+(["<])([^">\s]+\.(?:h|def|inc))[">]', re.M)


def room_of(path):
    """The innermost room that a path below src/ lies in: "eval/ast" for "eval/ast/run.c"; None: in none."""
    folder = path.rpartition("/")[0]
    while folder and folder not in KNOWS:
        folder = folder.rpartition("/")[0]
    return folder or None


def known_to(room):
    known, queue = {room}, [room]
    while queue:
        for other in KNOWS[queue.pop()]:
            if other not in known:
                known.add(other)
                queue.append(other)
    return known


def complaints(path, text):
    name = path.relative_to(ROOT).as_posix()
    parts = name.split("/")
    room = room_of(name.removeprefix("src/")) if parts[0] == "src" else None
    if parts[0] == "src" and len(parts) > 2 and not room:
        yield f"{name}: room '{parts[1]}' is not in the table of {pathlib.Path(__file__).name}: say there what it may know"
        return
    for match in INCLUDE.finditer(text):
        quoted, header = match[1] == '"', match[2]
        where = f"{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
        if header in ONLY_IN and name != ONLY_IN[header]:
            yield f"{where}: only {ONLY_IN[header]} may include <{header}>"
        if not quoted:
            continue
        target = room_of(header)
        if header.startswith("../"):
            yield f'{where}: write the path from src/ on instead of "{header}"'
        elif room and target and target not in known_to(room):
            allowed = ", ".join(sorted(known_to(room)))
            yield f'{where}: {room} may not know {target} ("{header}"); it knows: {allowed}'
        elif parts[0] == "include":
            yield f'{where}: the public header stands alone, but includes "{header}"'


def files():
    for folder in ("src", "cli", "include"):
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.is_file())


def self_test():
    """The rules themselves: a wrong direction is seen, a right one is not."""
    at = ROOT / "src" / "front" / "x.c"
    assert not list(complaints(at, '#include "front/y.h"\n#include "base/arena.h"\n#include <stdio.h>\n'))
    assert "front may not know emit" in next(complaints(at, '\n#include "emit/cuda.h"\n'))
    assert "src/front/x.c:2:" in next(complaints(at, '\n#include "emit/cuda.h"\n'))
    assert list(complaints(ROOT / "src" / "attic" / "x.c", ""))
    assert list(complaints(at, "#include <mpi.h>\n"))
    ast = ROOT / "src" / "eval" / "ast" / "x.inc"
    assert not list(complaints(ast, '#include "eval/launch.h"\n#include "eval/ast/y.h"\n#include "front/unit.h"\n'))
    assert "eval/ast may not know eval/tree" in next(complaints(ast, '#include "eval/tree/eval.h"\n'))
    assert "eval/ast may not know ir" in next(complaints(ast, '#define BODY "ir/ir.h"\n'))
    assert list(complaints(ROOT / "src" / "eval" / "x.c", '#include "eval/ast/eval.h"\n'))
    assert "eval/tree" in known_to("corpus") and "gpu" not in known_to("check")


def main():
    self_test()
    seen, found = 0, []
    for path in files():
        if path.suffix in CHECKED:
            seen += 1
            found += complaints(path, path.read_text())
        elif path.suffix not in OTHER:
            found.append(f"{path.relative_to(ROOT)}: what kind of file is this? Say in {pathlib.Path(__file__).name}")
    for complaint in found:
        print(complaint)
    print(f"{seen} files, {len(found)} wrong includes")
    return 1 if found or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
