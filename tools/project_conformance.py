#!/usr/bin/env python3
"""A whole project compared with Warp: every kernel that Warp has after the import of a module, with weft's text for its file.

    tools/project_conformance.py FOLDER [--python PYTHON] [--facts FILE] [--limit N] [--json-out FILE]

FOLDER is that of an installed package, such as site-packages/newton; its parent goes into PYTHONPATH. Each module is imported in a process of
its own that starts where the import of the package itself ended, as weft loads files. Packages that are not installed and that a module cannot do
without are stood in for (stand_in.py). Kernels that weft lists and Warp does not have by a name of
the module (made in functions) are not compared. Exit code 1: a text differs, or a kernel is neither written nor refused. A project is imported, so
run it only on what you trust."""

import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))

import stand_in  # noqa: E402
import warp_oracle  # noqa: E402

# ---- in a process with Warp ----


def kernels_of(module, wp):
    """Those that names of the module lead to, imported ones among them; of generic ones the overloads."""
    seen = {}

    def collect(value, depth=0):
        value = value.__func__ if isinstance(value, staticmethod) else value
        if isinstance(value, wp.Kernel):
            seen[id(value)] = value
        elif isinstance(value, type) and value.__module__ == module.__name__ and depth < 3:
            for inner in list(vars(value).values()):
                collect(inner, depth + 1)
        elif isinstance(value, (list, tuple)) and depth < 3:
            for inner in value:
                collect(inner, depth + 1)
        elif isinstance(value, dict) and depth < 3:
            for inner in list(value.values()):
                collect(inner, depth + 1)

    for value in list(vars(module).values()):
        collect(value)
    for value in seen.values():
        yield from value.overloads.values() if value.is_generic else [value]


def tell_module(name, wp):
    """One line per kernel of the module."""
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        print(json.dumps({"module": name, "error": warp_oracle.message(error)}))
        return
    for kernel in kernels_of(module, wp):
        if kernel.func.__module__ != name:
            continue
        try:
            row = warp_oracle.texts_and_name(kernel)
        except Exception as error:
            row = {"refused": warp_oracle.message(error)}
        print(json.dumps({"module": name, "kernel": kernel.key, **row}))


def oracle(package, names):
    """Each module in a child of the process that imported the package."""
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    finder = stand_in.install()
    stand_in.stand_in_for_missing(package, finder)
    try:
        importlib.import_module(package)
    except Exception as error:
        print(json.dumps({"module": package, "error": warp_oracle.message(error)}))
    for name in names:
        stand_in.stand_in_for_missing(name, finder)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            tell_module(name, wp)
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
    return 0


# ---- comparing ----


def module_name(folder, path):
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def text_of(record, device):
    parts = (record.get(f"{device}_{part}", "") for part in ("prelude", "forward", "backward"))
    return warp_oracle.drop_preamble(warp_oracle.strip_comments("".join(parts)))


def ask_warp(options, names):
    command = [options.python, __file__, "--oracle", options.folder.name, *names]
    env = os.environ | {"PYTHONPATH": str(options.folder.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def reason_for(kernel, refused):
    """What is made in a function is refused by its own name; a file that cannot be read, as a whole."""
    return refused.get(kernel) or refused.get(kernel.split("__locals__")[-1]) or refused.get(None)


def verdict(row, records, refused):
    if "refused" in row:
        return "Warp refuses"
    record = records.get(row["name"])
    if record:
        same = text_of(record, "cuda") == row["cuda"] and text_of(record, "cpp") == row["cpu"]
        return "identical" if same else "different"
    if any(other["kernel_name"] == row["kernel"] for other in records.values()):
        return "different"
    return "refused" if reason_for(row["kernel"], refused) else "silent"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--facts", type=pathlib.Path, help="for weft: from `weft facts PACKAGE`")
    parser.add_argument("--limit", type=int, help="only so many of the files that have kernels, spread over all of them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json-out", type=argparse.FileType("w"), help="one line per kernel: module, kernel, verdict")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    facts = ["--facts", options.facts.resolve()] if options.facts else []
    done = subprocess.run([WEFT, "extract", options.folder.name, "-d", "both", "--json", *facts], capture_output=True, text=True, cwd=options.folder.parent)
    files = collections.defaultdict(lambda: ({}, {}))
    for record in map(json.loads, done.stdout.splitlines()):
        name = module_name(options.folder, options.folder.parent / record["file"])
        if "error" in record:
            files[name][1][record.get("kernel_name")] = re.sub(r"'[^']*'", "'…'", record["error"]["message"])
        else:
            files[name][0][record["full_name"]] = record
    names = sorted(files)
    if options.limit and options.limit < len(names):
        names = [names[i * len(names) // options.limit] for i in range(options.limit)]
    share = -(-len(names) // options.jobs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda at: ask_warp(options, names[at : at + share]), range(0, len(names), share))
        rows = [row for answer in answers for row in answer]
    counts, reasons, examples = collections.Counter(), collections.Counter(), []
    for row in rows:
        if "error" in row:
            counts["modules that Python cannot import"] += 1
            examples.append(f"{row['module']} cannot be imported: {row['error']}")
            continue
        records, refused = files[row["module"]]
        found = verdict(row, records, refused)
        counts[found] += 1
        if found == "refused":
            reasons[reason_for(row["kernel"], refused)] += 1
        elif found in ("different", "silent"):
            examples.append(f"{row['module']}.{row['kernel']}: {found}")
        if options.json_out:
            print(json.dumps({"module": row["module"], "kernel": row["kernel"], "verdict": found}), file=options.json_out)
    print(f"{len(names)} files with kernels; {dict(counts)}")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    print(*examples, sep="\n")
    return 1 if counts["different"] or counts["silent"] or not counts["identical"] else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--oracle"]:
        sys.exit(oracle(sys.argv[2], sys.argv[3:]))
    sys.exit(main())
