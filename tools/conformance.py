#!/usr/bin/env python3
"""Compares weft with Warp, kernel by kernel: identical, refused or different.

    tools/conformance.py                    golden set, errors.py, Warp's own package; writes docs/conformance.md
    tools/conformance.py --golden-only      only tests/golden (no Warp needed, a second or two)
    tools/conformance.py --file loops.py --kernel nested_for --show-diff 1
    tools/conformance.py --warp 1.18.0      golden set and tests/versions, as that version writes them (no Warp needed)

A kernel is *identical* if its name with its hash and the texts of both devices, forward and backward, equal
Warp's once comments are removed; *refused* if weft gives an error for it; *different* otherwise.
Exits with 1 if anything is different, or less is identical than weft promises (see GOALS).
Warp's package is read from .venv (or from the interpreter $WEFT_PYTHON); weft is build/weft, or $WEFT.
"""

import argparse
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

import warp_package
from warp_oracle import strip_comments

ROOT = warp_package.ROOT
GOLDEN = ROOT / "tests" / "golden"
VERSIONS = ROOT / "tests" / "versions"
# Files of the golden set that are not promised yet: tile primitives, and queries of spatial structures.
NOT_PROMISED = {"tiles.py", "geometry_queries.py", "volumes.py"}
# The same among the kernels of tests/versions; entry points of another form, Fabric arrays and constants in structs; and parts of
# constants, for which Warp's own name of a kernel is not stable.
NOT_PROMISED_NEW = ("tile", "query_", "mesh_", "texture_", "external_entry", "fabric_fields", "constant_struct")
NOT_PROMISED_NEW += ("component_of_constant_vector", "parts_of_constants")
GOALS = {"golden": 1.0, "errors": 1.0, "warp": 0.95}
RESULTS = ("identical", "refused", "different")
WEFT_SECONDS = 60


class Result:
    """One kernel's comparison."""

    def __init__(self, corpus, group, row, result, reason="", diff=()):
        self.corpus, self.group, self.file = corpus, group, row["file"]
        self.kernel, self.name = row["kernel"], row.get("name")
        self.result, self.reason, self.diff = result, reason, diff
        self.warp_error = row.get("error", "")


# ---- weft's side ----------------------------------------------------------------------------------------------


def weft_records(weft, path, version=warp_package.VERSION):
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


def golden_rows(path=GOLDEN / "expected.jsonl.zst"):
    """The rows of each file; those of definitions that the version cannot even decorate have no file."""
    text = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    by_file = collections.defaultdict(list)
    for line in text.splitlines():
        row = json.loads(line)
        for device in ("cuda", "cpu"):  # Warp's own name of a kernel may change while it is built: the first one counts
            if row.get("name"):
                row[device] = re.sub(rf"\b{row['kernel']}_[0-9a-f]{{8}}(?=_c|\b)", row["name"], row.get(device, ""))
        if "file" in row:
            by_file[row["file"]].append(row)
    return by_file


def golden_group(row):
    if "error" in row:
        return "errors"
    aside = row["file"] in NOT_PROMISED or "__locals__" in row["kernel"] or any(word in row["kernel"] for word in NOT_PROMISED_NEW)
    return "aside" if aside else "promised"


def compare_golden(weft, wanted, pool, version):
    usual = version == warp_package.VERSION
    sets = [
        (GOLDEN, GOLDEN / "expected.jsonl.zst" if usual else VERSIONS / f"expected-{version}.jsonl.zst"),
        (VERSIONS, VERSIONS / f"expected_new-{version}.jsonl.zst"),
    ]
    work = [(folder / file, rows) for folder, path in sets for file, rows in golden_rows(path).items() if wanted(file)]

    def compare(item):
        file, rows = item
        return compare_file("golden", [golden_group(row) for row in rows], rows, *weft_records(weft, file, version))

    return [result for results in pool.map(compare, work) for result in results]


def compare_warp(weft, wanted, pool, python, package, jobs):
    """(results, files that could not be imported, rows of the class `unstable`)"""
    by_file, unimportable, unstable = collections.defaultdict(list), [], []
    oracle = warp_package.Oracle(python, package)
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
        return compare_file("warp", [row["class"] for row in rows], rows, *weft_records(weft, package.parent / file))

    results = [result for results in pool.map(compare, by_file.items()) for result in results]
    return results, unimportable, unstable


# ---- the report --------------------------------------------------------------------------------------------------


def count(results):
    tally = collections.Counter(r.result for r in results)
    return [len(results)] + [tally[name] for name in RESULTS]


def percent(part, whole):
    """Never rounded up to 100."""
    return f"{int(1000 * part / whole) / 10:.1f} %" if whole else "-"


def table(head, lines):
    """A Markdown table whose columns line up."""
    cells = [head] + [[str(c) for c in line] for line in lines]
    width = [max(len(line[i]) for line in cells) for i in range(len(head))]
    shown = [
        "| "
        + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, width, strict=True)))
        + " |"
        for line in cells
    ]
    rule = "| " + " | ".join("-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(width)) + " |"
    return "\n".join([shown[0], rule, *shown[1:]])


def line_of(label, results):
    total, identical, refused, different = count(results)
    warp_refuses = bool(results) and results[0].group in ("errors", "refused")
    return [label, total, identical, refused, different, percent(refused if warp_refuses else identical, total)]


HEAD = ["", "kernels", "identical", "refused", "different", "as Warp does"]
CLASS_LABELS = {
    "own": "need only their own file",
    "tile": "aside: tile primitives",
    "made": "aside: made in a function, at run time",
    "foreign": "aside: need another file",
    "unstable": "aside: Warp's own result is not stable",
    "refused": "refused by Warp itself",
}


def of(results, *groups):
    return [r for r in results if r.group in groups]


def golden_section(results):
    by_file = collections.defaultdict(list)
    for r in results:
        by_file[r.file].append(r)
    parts = [
        line_of("golden set", of(results, "promised")),
        line_of("aside: tiles, queries, kernels made in functions", of(results, "aside")),
        line_of("`errors.py`: refused by Warp, to be refused", of(results, "errors")),
    ]
    files = [line_of(f"`{file}`", rs)[:5] for file, rs in sorted(by_file.items())]
    return ["## Golden set", "", table(HEAD, [p for p in parts if p[1]]), "", table(["file", *HEAD[1:5]], files), ""]


def warp_section(results):
    classes = [line_of(CLASS_LABELS[c], of(results, c)) for c in warp_package.CLASSES]
    own = of(results, "own")
    folders = [f"warp/{folder}" for folder in warp_package.FOLDERS]
    by_folder = [line_of(f"`{f}`", [r for r in own if r.file.startswith(f + "/")]) for f in folders]
    return [
        "## Warp's own package",
        "",
        "Module-level kernels in the files of `warp/examples`, `warp/_src` and `warp/tests`.",
        "",
        table(HEAD, classes),
        "",
        "Those that need only their own file, by folder:",
        "",
        table(HEAD, by_folder),
        "",
    ]


def reasons_section(title, results):
    reasons = collections.Counter(normalised(r.reason) for r in results if r.result == "refused")
    if not reasons:
        return []
    rest = [f"and {len(reasons) - 40} rarer reasons.", ""] if len(reasons) > 40 else []
    return [f"## Why refused: {title}", "", table(["reason", "kernels"], reasons.most_common(40)), "", *rest]


def list_section(title, lines):
    return [f"## {title}", "", *(f"- {line}" for line in lines), ""] if lines else []


def report(results, unimportable, unstable):
    """The page, as Markdown."""
    golden = [r for r in results if r.corpus == "golden"]
    warp = [r for r in results if r.corpus == "warp"]
    different = [r for r in results if r.result == "different"]
    out = golden_section(golden) if golden else []
    out += warp_section(warp) if warp else []
    out += reasons_section("golden set", of(golden, "promised", "aside"))
    out += reasons_section("Warp's own, only their own file", of(warp, "own"))
    out += reasons_section("Warp's own, all others", of(warp, "tile", "made", "foreign", "unstable"))
    out += list_section("Different", [f"`{r.file}` `{r.kernel}`: {r.reason}" for r in different[:100]])
    out += list_section(
        "Not stable in Warp itself", [f"`{r['file']}` `{r['kernel']}`: {warp_package.why(r)}" for r in unstable]
    )
    out += list_section(
        "Files that Warp cannot import here", [f"`{r['file']}`: {short(r['error'])}" for r in unimportable]
    )
    return "\n".join(out)


def normalised(reason):
    """A message with its names and numbers taken out, so that like reasons count together."""
    reason = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"", "'…'", reason.splitlines()[0] if reason else "(no message)")
    return re.sub(r"\b\d+\b", "N", reason).replace("|", "\\|")


def short(message):
    """The heart of a message of Warp's, without paths."""
    message = re.split(r"\n;|\\n;", message)[-1]  # before it: the place
    return re.sub(r"/\S*/", "", message.strip().split("\n")[0])[:160]


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
    ):
        chosen = [r for r in results if r.group == group]
        good = sum(r.result == want for r in chosen)
        if chosen and good < GOALS[name] * len(chosen) and (complete or name != "warp"):
            missed.append(f"{name}: {good} of {len(chosen)} {want}, goal {GOALS[name]:.0%}")
    return missed


INTRODUCTION = """# Conformance

What `weft extract` writes, compared with what Warp {version} writes for the same kernels, by `make conformance`.
A kernel is *identical* if its name with its hash and the texts for both devices, forward and backward, are equal byte for
byte once comments are removed; *refused* if weft gives an error for it; *different* otherwise.

"""


def write_page(page):
    path = ROOT / "docs" / "conformance.md"
    path.write_text(INTRODUCTION.format(version=warp_package.VERSION) + page.rstrip() + "\n")
    return path.relative_to(ROOT)


def show_differences(results, number):
    for r in [r for r in results if r.result == "different"][:number]:
        print(f"\n--- {r.file} {r.kernel}: {r.reason}")
        shown = list(r.diff)
        print("\n".join(shown[:40]) + (f"\n… {len(shown) - 40} more lines" if len(shown) > 40 else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--golden-only", action="store_true", help="leave Warp's own package out")
    parser.add_argument(
        "--warp", metavar="VERSION", default=warp_package.VERSION, help="the version to compare with; implies --golden-only"
    )
    parser.add_argument("--warp-only", action="store_true", help="leave the golden set out")
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
    parser.add_argument("--json-out", metavar="FILE", help="every result, one JSON line a kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--weft", default=os.environ.get("WEFT", ROOT / "build" / "weft"))
    options = parser.parse_args()
    weft = pathlib.Path(options.weft).resolve()
    if not weft.exists():
        sys.exit(f"conformance: there is no {options.weft}; run `make build` first")

    def wanted(file):
        return not options.file or any(f in file if f.endswith("/") else file.endswith(f) for f in options.file)

    results, unimportable, unstable = [], [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if not options.warp_only:
            results += compare_golden(weft, wanted, pool, options.warp)
        if not options.golden_only and options.warp == warp_package.VERSION:
            warp = warp_package.find_warp()
            if not warp:
                print(f"skipped: Warp {warp_package.VERSION} is not installed (tools/venv.sh)", file=sys.stderr)
                return 77
            own, unimportable, unstable = compare_warp(weft, wanted, pool, *warp, options.jobs)
            results += own
    if options.kernel:
        results = [r for r in results if options.kernel in (r.kernel, r.name)]

    page = report(results, unimportable, unstable)
    print(page)
    if options.refused:
        for r in results:
            if r.result == "refused":
                print(
                    f"{r.file} {r.kernel}: {r.reason}" + (f"\n    Warp: {short(r.warp_error)}" if r.warp_error else "")
                )
    show_differences(results, options.show_diff)
    if options.json_out:
        with open(options.json_out, "w") as out:
            for r in results:
                out.write(
                    json.dumps(
                        {
                            "corpus": r.corpus,
                            "class": r.group,
                            "file": r.file,
                            "kernel": r.kernel,
                            "name": r.name,
                            "result": r.result,
                            "reason": r.reason,
                        }
                    )
                    + "\n"
                )
    complete = options.warp == warp_package.VERSION and not (options.golden_only or options.warp_only or options.file or options.kernel)
    if complete:
        print(f"written: {write_page(page)}")
    if not results:
        sys.exit("conformance: no kernel matches")
    missed = failures(results, complete)
    print("conformance: " + ("; ".join(missed) if missed else "ok"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
