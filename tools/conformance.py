#!/usr/bin/env python3
"""Compares weft with Warp, kernel by kernel: identical, refused or different.

    tools/conformance.py                    golden set, tests/versions and Warp's own package, for each version of Warp;
                                            writes docs/lab/conformance.md
    tools/conformance.py --warp 1.18.0      the same for one version; writes nothing
    tools/conformance.py --golden-only      leaves Warp's own package out (no Warp needed, a second or two)
    tools/conformance.py --file loops.py --kernel nested_for --show-diff 1

A kernel is *identical* if its name with its hash and the texts of both devices, forward and backward, equal
Warp's once comments are removed; *refused* if weft gives an error for it; *different* otherwise.
Exits with 1 if anything is different, or less is identical than weft promises (see GOALS).
Warp's package is read from .venv or .venv-VERSION (tools/venv.sh VERSION), or from the interpreter $WEFT_PYTHON; weft is
build/weft, or $WEFT.
"""

import argparse
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import subprocess
import sys

import conformance_page
import warp_package
from warp_oracle import strip_comments

ROOT = warp_package.ROOT
GOLDEN = ROOT / "tests" / "golden"
VERSIONS = ROOT / "tests" / "versions"
TILES = ROOT / "tests" / "tiles"
SCRIPTS = ROOT / "tests" / "scripts"
# Files of the golden set that are not promised yet: queries of spatial structures.
NOT_PROMISED = {"geometry_queries.py", "volumes.py"}
# The same among the kernels of tests/versions; an entry point of another form; and a part of a constant in a file with a
# wp.static() that weft does not know, on which Warp's name of the kernel may depend.
NOT_PROMISED_NEW = ("query_", "mesh_", "texture_", "external_entry", "component_of_constant_vector")
GOALS = {"golden": 1.0, "errors": 1.0, "warp": 0.98, "tiles": 0.95}
WEFT_SECONDS = 60


class Result:
    """One kernel's comparison."""

    def __init__(self, corpus, group, row, result, reason="", diff=()):
        self.corpus, self.group, self.file = corpus, group, row["file"]
        self.kernel, self.name = row["kernel"], row.get("name")
        self.result, self.reason, self.diff = result, reason, diff
        self.warp_error = row.get("error", "")


# ---- weft's side ----------------------------------------------------------------------------------------------


def weft_records(weft, path, version):
    """What `weft extract --json` says about a file, in its order; (records, complaint about the call itself)."""
    try:
        process = subprocess.run(
            [weft, "extract", path, "-d", "both", "--json", "--warp", version], capture_output=True, timeout=WEFT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return [], f"weft took more than {WEFT_SECONDS} s"
    records = []
    for line in process.stdout.decode("utf-8", "replace").splitlines():
        try:
            records.append(json.loads(line))
        except ValueError:
            return records, f"weft printed no JSON: {line[:80]!r}"
    refused = any("error" in record for record in records)
    if process.returncode != (1 if refused else 0):
        return records, f"weft exited with {process.returncode}: {process.stderr.decode('utf-8', 'replace')[:200]}"
    return records, ""


def module_text(record, prefix):
    return strip_comments("".join(record.get(f"{prefix}_{part}") or "" for part in ("prelude", "forward", "backward")))


# ---- matching and comparing --------------------------------------------------------------------------------------


def pair_up(rows, records):
    """Each oracle row with weft's record of that full name, else with one of the same key, in order; or None."""
    pairs, left = {}, list(records)
    for i, row in enumerate(rows):
        match = next((r for r in records if r.get("full_name") and r["full_name"] == row.get("name")), None)
        if match:
            pairs[i] = match
            if match in left:  # a kernel with two names has two rows
                left.remove(match)
    by_key = collections.defaultdict(list)
    for record in left:
        by_key[record.get("kernel_key")].append(record)
    for i, row in enumerate(rows):
        if i not in pairs:
            same = by_key[row["kernel"]]
            pairs[i] = same[0] if same else None
            if len(same) > 1 or (same and "error" not in same[0]):
                same.pop(0)  # a last error stands for all further overloads of a generic kernel
    return [pairs[i] for i in range(len(rows))]


def compare_file(corpus, groups, rows, records, complaint):
    broken = complaint or next((r["error"]["message"] for r in records if "error" in r and "kernel_key" not in r), "")
    results = []
    for group, row, record in zip(groups, rows, pair_up(rows, records), strict=True):
        if record is None:
            crashed = bool(complaint) and not records
            results.append(
                Result(
                    corpus,
                    group,
                    row,
                    "different" if crashed else "refused",
                    broken or "(weft does not list this kernel)",
                )
            )
        elif "error" in record:
            results.append(Result(corpus, group, row, "refused", record["error"]["message"]))
        elif "error" in row:
            results.append(Result(corpus, group, row, "different", "Warp refuses it: " + row["error"].splitlines()[0]))
        else:
            results.append(compare_kernel(corpus, group, row, record))
    if complaint and records and results:
        results[0].result, results[0].reason = "different", complaint
    return results


def compare_kernel(corpus, group, row, record):
    wrong = [] if record.get("full_name") == row["name"] else ["name"]
    diff = [f"name: Warp {row['name']}, weft {record.get('full_name')}"] if wrong else []
    for device, prefix in (("cuda", "cuda"), ("cpu", "cpp")):
        text = module_text(record, prefix)
        if text == row[device]:
            continue
        if wrong and text.replace(record["full_name"], row["name"]) == row[device]:
            continue  # only the name, which is said already
        wrong.append(device)
        diff += difflib.unified_diff(
            row[device].splitlines(), text.splitlines(), f"Warp, {device}", f"weft, {device}", "", "", 2, ""
        )
    return Result(corpus, group, row, "different" if wrong else "identical", " and ".join(wrong), diff)


# ---- the corpora -------------------------------------------------------------------------------------------------


def golden_path(version):
    """Warp's text of tests/golden: that of the version the set was made with lies beside it."""
    path = VERSIONS / f"expected-{version}.jsonl.zst"
    return path if path.exists() else GOLDEN / "expected.jsonl.zst"


def golden_rows(path):
    """The rows of each file; those of definitions that the version itself refuses have no file."""
    text = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    by_file = collections.defaultdict(list)
    for line in text.splitlines():
        row = json.loads(line)
        if "file" in row:
            by_file[row["file"]].append(row)
    return by_file


def golden_group(row):
    if "error" in row:
        return "errors"
    aside = row["file"] in NOT_PROMISED or "__locals__" in row["kernel"] or any(word in row["kernel"] for word in NOT_PROMISED_NEW)
    return "aside" if aside else "promised"


def compare_golden(weft, wanted, pool, version):
    sets = [
        (GOLDEN, golden_path(version)),
        (VERSIONS, VERSIONS / f"expected_new-{version}.jsonl.zst"),
        (TILES, TILES / f"expected-{version}.jsonl.zst"),
        (SCRIPTS, SCRIPTS / f"expected-{version}.jsonl.zst"),
    ]
    work = [(folder / file, rows) for folder, path in sets for file, rows in golden_rows(path).items() if wanted(file)]

    def compare(item):
        file, rows = item
        return compare_file("golden", [golden_group(row) for row in rows], rows, *weft_records(weft, file, version))

    return [result for results in pool.map(compare, work) for result in results]


def compare_warp(weft, wanted, pool, version, python, package, jobs):
    """(results, files that could not be imported, rows of the class `unstable`)"""
    by_file, unimportable, unstable = collections.defaultdict(list), [], []
    oracle = warp_package.Oracle(python, package, version)
    paths = [p for p in warp_package.files(package) if wanted(oracle.relative(p))]
    for row in oracle.rows_of(paths, jobs):
        if "kernel" not in row:
            unimportable.append(row)
            continue
        row["class"] = warp_package.class_of(row)
        by_file[row["file"]].append(row)
        if row["class"] == "unstable":
            unstable.append(row)

    def compare(item):
        file, rows = item
        return compare_file("warp", [row["class"] for row in rows], rows, *weft_records(weft, package.parent / file, version))

    results = [result for results in pool.map(compare, by_file.items()) for result in results]
    return results, unimportable, unstable


# ---- the verdict ----------------------------------------------------------------------------------------------


def failures(results, complete):
    """What of GOALS is not met, in words."""
    missed = []
    counted = [r for r in results if r.group not in ("unstable",)]
    different = sum(r.result == "different" for r in counted)
    if different:
        missed.append(f"{different} different")
    for name, group, want in (
        ("golden", "promised", "identical"),
        ("errors", "errors", "refused"),
        ("warp", "own", "identical"),
        ("tiles", "tile", "identical"),
    ):
        chosen = [r for r in results if r.group == group]
        good = sum(r.result == want for r in chosen)
        if chosen and good < GOALS[name] * len(chosen) and (complete or name not in ("warp", "tiles")):
            missed.append(f"{name}: {good} of {len(chosen)} {want}, goal {GOALS[name]:.0%}")
    return missed


def show_differences(results, number):
    for r in [r for r in results if r.result == "different"][:number]:
        print(f"\n--- {r.file} {r.kernel}: {r.reason}")
        shown = list(r.diff)
        print("\n".join(shown[:40]) + (f"\n… {len(shown) - 40} more lines" if len(shown) > 40 else ""))


def compare_version(version, options, weft, wanted, pool):
    """Everything that was asked for, of one version; None if that Warp is needed and not installed."""
    compared = conformance_page.Compared(version)
    if not options.warp_only:
        compared.results += compare_golden(weft, wanted, pool, version)
    if not options.golden_only:
        warp = warp_package.find_warp(version)
        if not warp:
            print(f"skipped: Warp {version} is not installed (tools/venv.sh {version})", file=sys.stderr)
            return None
        own, compared.unimportable, compared.unstable = compare_warp(weft, wanted, pool, version, *warp, options.jobs)
        compared.results += own
    if options.kernel:
        compared.results = [r for r in compared.results if options.kernel in (r.kernel, r.name)]
    return compared


def show(compared, options):
    print(conformance_page.report(compared))
    if options.refused:
        for r in compared.results:
            if r.result == "refused":
                warp_says = f"\n    Warp: {conformance_page.short(r.warp_error)}" if r.warp_error else ""
                print(f"{r.file} {r.kernel}: {r.reason}" + warp_says)
    show_differences(compared.results, options.show_diff)


def write_json(path, all_compared):
    with open(path, "w") as out:
        for compared in all_compared:
            for r in compared.results:
                row = {"warp": compared.version, "corpus": r.corpus, "class": r.group, "file": r.file, "kernel": r.kernel}
                out.write(json.dumps(row | {"name": r.name, "result": r.result, "reason": r.reason}) + "\n")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--golden-only", action="store_true", help="leave Warp's own package out")
    parser.add_argument("--warp-only", action="store_true", help="leave the golden set out")
    parser.add_argument(
        "--warp",
        metavar="VERSION",
        choices=warp_package.VERSIONS,
        help=f"compare with this version: {', '.join(warp_package.VERSIONS)} "
        f"(default: all; {warp_package.VERSION} where not everything is compared)",
    )
    parser.add_argument(
        "--file",
        metavar="F",
        action="append",
        default=[],
        help="only files whose path ends with F, or holds it where F ends with a slash",
    )
    parser.add_argument("--kernel", metavar="K", help="only kernels of this key or name")
    parser.add_argument("--show-diff", type=int, default=3, metavar="N", help="show N differences (default 3)")
    parser.add_argument(
        "--refused",
        action="store_true",
        help="list every refused kernel with its reason, and Warp's where it refuses, too",
    )
    parser.add_argument("--json-out", metavar="FILE", help="every result, one JSON line per kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--weft", default=os.environ.get("WEFT", ROOT / "build" / "weft"))
    return parser.parse_args()


def main():
    options = parse_options()
    weft = pathlib.Path(options.weft).resolve()
    if not weft.exists():
        sys.exit(f"conformance: there is no {options.weft}; run `make build` first")

    def wanted(file):
        return not options.file or any(f in file if f.endswith("/") else file.endswith(f) for f in options.file)

    complete = not (options.golden_only or options.warp_only or options.file or options.kernel)
    every = complete and not options.warp
    all_compared, missed = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for version in warp_package.VERSIONS if every else [options.warp or warp_package.VERSION]:
            compared = compare_version(version, options, weft, wanted, pool)
            if not compared:
                return 77
            all_compared.append(compared)
            missed += [f"{version}: {what}" for what in failures(compared.results, complete)]
            if not every:
                show(compared, options)
    if options.json_out:
        write_json(options.json_out, all_compared)
    if not any(compared.results for compared in all_compared):
        sys.exit("conformance: no kernel matches")
    if every:
        print(conformance_page.versions_section(all_compared))
        for compared in all_compared:
            show_differences(compared.results, options.show_diff)
        print(f"written: {conformance_page.write(all_compared)}")
    print("conformance: " + ("; ".join(missed) if missed else "ok"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
