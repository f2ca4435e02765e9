#!/usr/bin/env python3
"""How many functions of which name the modules of Warp define that `import warp` leaves alone, as rows of src/lang/warp_functions.def.

    warp_functions.py             asks each Warp of versions.def that is installed (tools/venv.sh), and writes the table
    warp_functions.py --check     exit code 1 where the table is not what they say
    warp_functions.py --dump      of the Warp that this Python has, as JSON: {module: {"loads": [...], "defines": {module: {name: count}}}}

Warp numbers functions by name as a process defines them, so a file that imports `warp.sparse` starts to count behind its functions. A part
of the table is what modules define that are never loaded one without the other."""

import collections
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src" / "lang" / "warp_functions.def"
PROGRAMS = ("example_", "benchmark_")  # of warp.examples: nothing imports them
HEAD = """\
/* Functions of the modules of Warp that a program has to import, by the numbers that their names take (tools/warp_functions.py writes this).
 *
 *     LOADS(since, until, module, part)          an import of the module runs the part; "" runs none that defines functions
 *     DEFINES(since, until, part, name, count)   so many functions of the name */
"""

# ---- in a process with Warp ----


def module_names(package):
    """All that can be imported of the package; of its tests only what other files use."""
    for path in sorted(package.rglob("*.py")):
        parts = (path.parent if path.name == "__init__.py" else path.with_suffix("")).relative_to(package.parent).parts
        of_tests = "tests" in parts and not (parts[-1] == "tests" or parts[-1].startswith("unittest_"))
        if not of_tests and not parts[-1].startswith(PROGRAMS) and parts[-1] != "__main__":
            yield ".".join(parts)


def watch_names(context):
    """The list to which every numbered function is added, with its module."""
    made, number = [], context.generate_unique_function_identifier

    def numbered(name):
        frame = sys._getframe(1)
        while frame and "func" not in frame.f_locals:
            frame = frame.f_back
        made.append((frame.f_locals["func"].__module__ if frame else "", name))
        return number(name)

    context.generate_unique_function_identifier = numbered
    return made


def tell_import(name, made, before):
    """What an import of the module defines, in a process that ends then."""
    try:
        importlib.import_module(name)
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {error}"}
    defines = collections.defaultdict(collections.Counter)
    for module, key in made:
        defines[module][key] += 1
    return {"loads": sorted(m for m in sys.modules if m.startswith("warp.") and m not in before), "defines": defines}


def dump():
    import warp as wp
    import warp._src.context as context

    wp.config.log_level = getattr(wp, "LOG_WARNING", 30)
    made, before, answers = watch_names(context), set(sys.modules), {}
    for name in module_names(pathlib.Path(wp.__file__).parent):
        if name in before:
            continue
        reader, writer = os.pipe()
        if not os.fork():
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            with os.fdopen(writer, "w") as out:
                json.dump(tell_import(name, made, before), out)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            text = answer.read()
        answers[name] = json.loads(text) if text else {"error": "it ends with the process"}
        os.wait()
    return {"version": wp.__version__, "modules": {name: found for name, found in answers.items() if "error" not in found}}


# ---- the table ----


def parts_of(modules):
    """{module that defines functions: its part}, named after the shortest of those that are always loaded together."""
    loaded_by = collections.defaultdict(set)
    for name, found in modules.items():
        for definer in found["defines"]:
            loaded_by[definer].add(name)
    together = collections.defaultdict(list)
    for definer, names in loaded_by.items():
        together[frozenset(names)].append(definer)
    return {d: min(group, key=lambda m: (len(m), m)) for group in together.values() for d in group}


def rows_of(modules):
    """{row without its versions} of one version."""
    parts, rows = parts_of(modules), {}
    for name, found in modules.items():
        for part in sorted({parts[d] for d in found["defines"]}) or [""]:
            rows["LOADS", name, part] = None
        for definer, counts in found["defines"].items():
            for key, count in counts.items():
                rows.setdefault(("DEFINES", parts[definer], key), {})[definer] = count
    return {row if row[0] == "LOADS" else (*row, sum(by.values())) for row, by in rows.items()}


def ranges(present):
    """[(first, last)] of a list of flags, as indices."""
    spans = []
    for i, flag in enumerate(present):
        if flag and spans and spans[-1][1] == i - 1:
            spans[-1][1] = i
        elif flag:
            spans.append([i, i])
    return spans


def table(by_version):
    identifiers = ["_".join(version.split(".")[:2]) for version in by_version]
    sets = [rows_of(modules) for modules in by_version.values()]
    lines = []
    for row in sorted(set().union(*sets)):
        for first, last in ranges([row in rows for rows in sets]):
            until = "NEWEST" if last == len(sets) - 1 else identifiers[last]
            values = ", ".join(json.dumps(value) for value in row[1:])
            lines.append((row[0] == "DEFINES", f"{row[0]}({identifiers[first]}, {until}, {values})"))
    sections = [
        f"\n#ifdef {kind}\n" + "".join(line + "\n" for of, line in lines if of == is_definition) + "#endif\n"
        for kind, is_definition in (("LOADS", False), ("DEFINES", True))
    ]
    return HEAD + "".join(sections)


def ask(version):
    import warp_package

    found = warp_package.find_warp(version)
    if not found:
        return None
    env = os.environ | {"PYTHONWARNINGS": "ignore", "WARP_CACHE_PATH": str(ROOT / "build" / "follow" / "warp")}
    done = subprocess.run([found[0], __file__, "--dump"], capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"warp_functions: Warp {version} ends with an error: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])["modules"]


def main():
    if sys.argv[1:] == ["--dump"]:
        print(json.dumps(dump()))
        return 0
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.path.insert(0, str(ROOT / "tools"))
    import warp_package

    answers = {version: ask(version) for version in warp_package.VERSIONS}
    missing = [version for version, answer in answers.items() if answer is None]
    if missing:
        sys.exit(f"warp_functions: Warp {', '.join(missing)} is not installed: tools/venv.sh {missing[0]}")
    text = table(answers)
    if sys.argv[1:] == ["--check"]:
        wanted, written = set(re.findall(r"^\w+\(.*\)$", text, re.M)), set(re.findall(r"^\w+\(.*\)$", TABLE.read_text(), re.M))
        for row in sorted(wanted ^ written):
            print(("missing: " if row in wanted else "wrong: ") + row)
        return 1 if wanted != written else 0
    TABLE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
