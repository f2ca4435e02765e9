#!/usr/bin/env python3
"""Runs Warp's own unit tests on the CPU, as they are and with weft.install(), and compares what passes.

    peer_tests.py [FILE.py ...]     by default, every test file of the installed Warp
        --jobs N       files at a time
        --rows FILE    one JSON line per file, as it is done; files that are in it are not run again
        --seconds N    for one file (default 900)
        --optimize N   Warp's compiler optimizes at this level, 0 to 3, in both runs (default: Warp's own, 2; 0 takes two thirds of the time)

        --page         write the counts into docs/lab/conformance.md

Run it with an interpreter that has Warp. Each file is run twice, each time in a process of its own with an empty cache of kernels. Prints every
test that passes without weft and not with it, then the counts; exits with 1 if there is such a test, or if weft compiled nothing.
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Outcomes(unittest.TestResult):
    """{test: "pass", "fail" or "skip"}; of a test with several parts, whether all of them passed."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.of = {}

    def stopTest(self, test):
        super().stopTest(test)
        self.of.setdefault(test.id(), "pass")

    def addFailure(self, test, error):
        self.of[test.id()] = "fail"

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.of[test.id()] = "fail"

    def addSkip(self, test, reason):
        self.of[test.id()] = "skip"

    def addExpectedFailure(self, test, error):
        self.of[test.id()] = "fail as expected"


def run_here(path, with_weft, optimize, report):
    """The child: imports a file of tests and runs them."""
    import warp as wp

    wp.config.quiet = True
    wp.config.optimization_level = optimize
    wp.init()
    counts = None
    if with_weft:
        sys.path.insert(0, os.environ.get("WEFT_PACKAGE", str(ROOT / "build/python")))
        import weft

        counts = weft.install()
    package = pathlib.Path(wp.__file__).resolve().parent
    name = ".".join(pathlib.Path(path).relative_to(package.parent).with_suffix("").parts)
    tests = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name))
    result = Outcomes()
    tests.run(result)
    done = {"outcomes": result.of}
    if counts:
        done.update(by_weft=counts.by_weft, by_warp=counts.by_warp, reasons=dict(counts.reasons))
    pathlib.Path(report).write_text(json.dumps(done))


def run_file(path, with_weft, optimize, seconds):
    """What run_here reports; {} if it did not come to its end."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        environment = dict(os.environ, WARP_CACHE_PATH=os.path.join(folder, "cache"))
        command = [sys.executable, __file__, "--child", str(path.resolve()), report] + ["--with-weft"] * with_weft
        command += [] if optimize is None else ["--optimize", str(optimize)]
        try:
            subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds)
            return json.loads(pathlib.Path(report).read_text())
        except (subprocess.TimeoutExpired, FileNotFoundError):
            return {}


def compare(path, optimize, seconds):
    plain, ours = (run_file(path, with_weft, optimize, seconds) for with_weft in (False, True))
    passed = [test for test, outcome in plain.get("outcomes", {}).items() if outcome == "pass"]
    lost = [test for test in passed if ours.get("outcomes", {}).get(test) != "pass"]
    return {
        "file": os.path.basename(path),
        "tests": len(plain.get("outcomes", {})),
        "passed": len(passed),
        "lost": sorted(lost),
        "ended": bool(plain) and bool(ours),
        **{key: ours.get(key, 0) for key in ("by_weft", "by_warp")},
        "reasons": ours.get("reasons", {}),
    }


def test_files():
    package = pathlib.Path(importlib.util.find_spec("warp").origin).parent
    return sorted(package.glob("tests/**/test_*.py"))


def reasons_of(rows):
    reasons = collections.Counter()
    for row in rows:
        for reason, count in row["reasons"].items():
            reasons[re.sub(r"'[^']*'", "'…'", reason)] += count
    return reasons


def write_page(rows, files):
    import importlib.metadata

    import conformance_page as page

    done = [row for row in rows if row["ended"]]
    lost = sum(len(row["lost"]) for row in done)
    sums = {key: sum(row[key] for row in done) for key in ("tests", "passed", "by_weft", "by_warp")}
    intro = (
        f"Warp's own unit tests on the CPU, as they are and with `weft.install()`, each file in a process of its own with an empty cache of kernels\n"
        f"(`tools/peer_tests.py --page`). {len(done)} of {files} files came to their end both times."
    )
    head = ["", "tests", "pass without weft", "of these, with weft", "kernels by weft", "left to Warp"]
    counts = page.table(head, [["all", sums["tests"], sums["passed"], sums["passed"] - lost, sums["by_weft"], sums["by_warp"]]])
    failing = "\n".join(f"- does not pass with weft: `{test}`" for row in done for test in row["lost"])
    reasons = page.table(["left to Warp, since", "kernels"], reasons_of(done).most_common())
    title = f"Unit tests of Warp {importlib.metadata.version('warp-lang')}"
    page.write_section(title, "\n\n".join(part for part in (intro, counts, failing, reasons) if part))


def print_sums(rows):
    reasons = reasons_of(rows)
    sums = {key: sum(row[key] for row in rows) for key in ("tests", "passed", "by_weft", "by_warp")}
    lost = sum(len(row["lost"]) for row in rows)
    print(f"{len(rows)} files, {sums['tests']} tests, of which {sums['passed']} pass without weft; with it, {sums['passed'] - lost} of these")
    print(f"kernels: {sums['by_weft']} by weft, {sums['by_warp']} left to Warp")
    for reason, count in reasons.most_common(12):
        print(f"  {count:6}  {reason}")
    for row in rows:
        if not row["ended"]:
            print(f"not compared, since it did not come to its end: {row['file']}")
    return lost, sums["by_weft"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows")
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--optimize", type=int, choices=range(4))
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--with-weft", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        run_here(args.child[0], args.with_weft, args.optimize, args.child[1])
        return 0
    rows = []
    if args.rows and os.path.exists(args.rows):
        rows = [json.loads(line) for line in open(args.rows)]
    done = {row["file"] for row in rows}
    paths = [p for p in (map(pathlib.Path, args.files) if args.files else test_files()) if p.name not in done]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda path: compare(path, args.optimize, args.seconds), paths):
            rows.append(row)
            for test in row["lost"]:
                print(f"does not pass with weft: {test}", flush=True)
            if args.rows:
                with open(args.rows, "a") as file:
                    file.write(json.dumps(row) + "\n")
    lost, compiled = print_sums(rows)
    if args.page:
        write_page(rows, len(test_files()))
    return 1 if lost or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
