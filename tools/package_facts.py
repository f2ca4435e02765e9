#!/usr/bin/env python3
"""Constants and enums of packages that are compiled, as rows of src/lang/package_facts.def.

    package_facts.py FACTS.json...            writes the table; each file is one version of a package, from `weft facts PACKAGE`
    package_facts.py --check FACTS.json...    exit code 1 where the table is not what they say

A name that not all versions of its package agree on is listed without a value: weft then asks for --facts."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src" / "lang" / "package_facts.def"
HEAD = """\
/* Constants and enums of packages that are compiled, the same in all versions that are named (tools/package_facts.py writes this).
 *
 *     FACT_NUMBER(module, name, value)            an integer
 *     FACT_FLOAT(module, name, value)
 *     FACT_MEMBER(module, enum, name, value)      a member of an enum that is no integer of Python
 *     FACT_CHANGED(module, enum, name, versions)  not the same in all of them; enum "": none
 *
"""


def values_of(facts):
    """By module, enum and name."""
    for module, parts in facts["modules"].items():
        for name, value in parts["constants"].items():
            if type(value) in (int, float):
                yield (module, "", name), value
        for cls, found in parts["enums"].items():
            for name, value in {} if found["is_int"] else found["members"].items():
                yield (module, cls, name), value


def row(key, values, versions):
    module, cls, name = key
    if len({(type(value), value) for value in values}) > 1:
        return f'FACT_CHANGED("{module}", "{cls}", "{name}", "{versions}")'
    if cls:
        return f'FACT_MEMBER("{module}", "{cls}", "{name}", {values[0]})'
    kind = "FLOAT" if isinstance(values[0], float) else "NUMBER"
    return f'FACT_{kind}("{module}", "{name}", {values[0]!r})'


def table(files):
    packages = {}
    for facts in files:
        packages.setdefault(facts["package"], []).append(facts)
    text, rows = HEAD, []
    for package, found in sorted(packages.items()):
        found.sort(key=lambda facts: [int(part) for part in facts["version"].split(".")])
        versions = ", ".join(facts["version"] for facts in found)
        text += f" * {package}: {versions}. */\n"
        merged = {}
        for facts in found:
            for key, value in values_of(facts):
                merged.setdefault(key, []).append(value)
        rows += [row(key, merged[key], versions) for key in sorted(merged)]
    return text + "\n".join(rows) + "\n"


def main():
    check, paths = sys.argv[1:2] == ["--check"], [path for path in sys.argv[1:] if path != "--check"]
    if not paths:
        sys.exit(__doc__)
    text = table([json.loads(pathlib.Path(path).read_text()) for path in paths])
    if check:
        return 0 if text == TABLE.read_text() else 1
    TABLE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
