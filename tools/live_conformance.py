#!/usr/bin/env python3
"""Compares the Python package with Warp in the same process, kernel object by kernel object.

    live_conformance.py [FILE.py ...]     by default, every file of the installed Warp's examples, _src and tests that can hold kernels
        --jobs N       processes at a time
        --show N       the first N differences, as diffs
        --rows FILE    one JSON line per kernel: file, kernel, result, reason
        --launches     also run the unit tests of each file, with launches recorded and not executed: kernels that are made, or
                       get their types, only then are compared, too
        --time         also how long extract_ir takes for each kernel, and Warp to build and write it, both for CUDA (the fastest of several calls)
        --page         write what was found out into docs/lab/conformance.md
        --at-least P   exit with 1 if less than P percent of the kernels without tiles are identical

Run it with an interpreter that has Warp: the files are imported, each in a process of its own, and every kernel that this makes is
compiled by weft.extract_ir first and by Warp then, for both devices. A kernel is *identical* if its name and both texts equal Warp's once
comments are removed, *refused* if weft says why not, *different* otherwise. Exits with 1 if anything is different.
"""

import argparse
import collections
import difflib
import importlib
import json
import os
import pathlib
import re
import resource
import signal
import statistics
import sys
import tempfile
import time
import unittest

import own_file
import warp_oracle

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300  # for one file
TEST_SECONDS = 5  # for one test of it
LAUNCHING = "while tests are run"
TILE = re.compile(r"\btile_\w+\(")
COMPARING = {"file": "", "phase": "comparing"}  # a row behind which the process is weft's and Warp's compilers' alone


def importing():
    """The file whose module level is being run: the innermost one."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_name not in ("<module>", run_tests.__name__):
        frame = frame.f_back
    if frame and frame.f_code is run_tests.__code__:
        return LAUNCHING
    return frame.f_code.co_filename if frame else ""


def run_tests(name):
    """The tests of a module, on the CPU. What they launch is looked at and not executed, so most fail; that does not matter here."""
    from warp._src import context
    import warp as wp

    def launch(kernel, dim=None, inputs=(), outputs=(), *args, **kwargs):
        if isinstance(kernel, wp.Kernel) and kernel.is_generic:
            kernel.add_overload(kernel.infer_argument_types([*inputs, *outputs]))

    def load(*args, **kwargs):
        raise RuntimeError("nothing is built here")

    wp.launch = context.launch = launch
    context.Module.load = load
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[name])
    for test in tests_of(suite):
        signal.setitimer(signal.ITIMER_REAL, TEST_SECONDS)
        try:
            test.debug()
        except (Exception, TooLong):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


class TooLong(BaseException):
    """A test that waits for something that does not come."""


def give_up(number, frame):
    raise TooLong


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def record_kernels(path):
    """Every kernel that running this file makes from now on, in order, and running its tests; overloads of generic ones are found at the end."""
    from warp._src import context

    made, original = [], context.Kernel.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if importing() in (str(path), LAUNCHING):
            made.append(self)

    context.Kernel.__init__ = init
    return made


def import_file(path, package):
    """As the member of Warp's package that it is, or as a file of its own."""
    if package in path.parents:
        return importlib.import_module(".".join(path.relative_to(package.parent).with_suffix("").parts)).__name__
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem).__name__


def compare(kernel):
    """(result, reason, diff) of one kernel."""
    import weft

    found = refusal = None
    try:
        found = weft.extract_ir(kernel, "both")
    except weft.Error as error:
        refusal = error
    try:
        texts = warp_oracle.texts_and_name(kernel)
    except Exception as error:
        if found is not None:
            return "accepted", warp_oracle.message(error).splitlines()[0][:200], ()
        return "both", "Warp refuses it, too", ()
    if refusal is not None:
        return "refused", refusal.message, ()
    mine = {"cuda": found["cuda_module"], "cpu": found["cpp_module"]}
    for device, text in mine.items():
        text = warp_oracle.strip_comments(text)
        if text != texts[device]:
            lines = difflib.unified_diff(texts[device].splitlines(), text.splitlines(), "Warp", "weft", lineterm="", n=1)
            return "different", device, list(lines)[:40]
    return ("identical", "", ()) if found["full_name"] == texts["name"] else ("different", "name", (texts["name"], found["full_name"]))


def seconds(call, times):
    """Of the fastest call."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def timed(kernel):
    import weft

    return seconds(lambda: weft.extract_ir(kernel), 20), seconds(lambda: warp_oracle.warp_text(kernel, "cuda"), 3)


def answer(path, package, out, launches, with_time):
    """Rows of one file, in a process of its own."""
    import warp as wp

    sys.meta_path.append(own_file.DummyPackages())
    made = record_kernels(path)
    with open(out, "w") as rows:
        try:
            name = import_file(path, package)
            if launches:
                signal.signal(signal.SIGALRM, give_up)
                run_tests(name)
            rows.write(json.dumps(COMPARING) + "\n")
            rows.flush()
        except BaseException as error:
            rows.write(json.dumps({"file": str(path), "error": warp_oracle.message(error)[:300]}) + "\n")
        for generic in list(made):
            for kernel in list(generic.overloads.values()) if generic.is_generic else [generic]:
                result, reason, diff = compare(kernel)
                row = {"file": str(path), "kernel": kernel.key, "result": result, "reason": reason, "diff": diff}
                row["tiles"] = "tile" in reason or bool(TILE.search(kernel.adj.source))
                if with_time and result == "identical":
                    row["seconds"] = timed(kernel)
                rows.write(json.dumps(row) + "\n")
                rows.flush()


def run_all(paths, package, jobs, launches, with_time):
    """Yields the rows of all files, in the order in which they are done."""
    running, waiting = {}, list(paths)
    with tempfile.TemporaryDirectory() as folder:
        while running or waiting:
            while waiting and len(running) < jobs:
                path = waiting.pop(0)
                out = os.path.join(folder, f"{len(waiting)}.jsonl")
                child = os.fork()
                if child == 0:
                    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
                    signal.alarm(0 if launches else SECONDS)
                    quiet = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(quiet, 1)
                    os.dup2(quiet, 2)
                    try:
                        answer(path, package, out, launches, with_time)
                    finally:
                        os._exit(0)
                running[child] = (path, out)
            child, status = os.wait()
            path, out = running.pop(child)
            lines = pathlib.Path(out).read_text().splitlines() if os.path.exists(out) else []
            rows = [json.loads(line) for line in lines]
            yield from (row for row in rows if row != COMPARING)
            if status and COMPARING not in rows:  # a file that ends the process, or a test that works on what was not computed
                yield {"file": str(path), "error": "the process ended while it was imported or tested"}
            elif os.WIFSIGNALED(status):
                yield {"file": str(path), "kernel": "", "result": "crashed", "reason": f"signal {os.WTERMSIG(status)}", "diff": ()}


def reason_of(row):
    """Why a kernel is refused, without the names of its objects."""
    return re.sub(r"<[^<>]* object at [^<>]*>", "<…>", re.sub(r"'[^']*'", "'…'", row["reason"]))


class Found:
    """Counts of what was found out: of all kernels, of those without tiles, and of those with tiles."""

    def __init__(self, rows):
        self.all = collections.Counter(row.get("result", "not imported") for row in rows)
        self.with_tiles = collections.Counter(row["result"] for row in rows if row.get("tiles"))
        self.plain = self.all - self.with_tiles
        refused = [row for row in rows if row.get("result") == "refused"]
        self.reasons = collections.Counter(reason_of(row) for row in refused if not row["tiles"])
        self.tile_reasons = collections.Counter(reason_of(row) for row in refused if row["tiles"])
        self.asked = sum(self.plain[result] for result in ("identical", "refused", "different", "crashed"))
        self.share = 100.0 * self.plain["identical"] / self.asked if self.asked else 0.0

    def summary(self):
        return (
            f"{self.asked} kernel objects without tiles: {self.plain['identical']} identical ({self.share:.1f} %), "
            f"{self.plain['refused']} refused, {self.all['different']} different, {self.all['crashed']} crashed; with tiles, "
            f"{self.with_tiles['identical']} identical and {self.with_tiles['refused']} refused; {self.all['both']} that Warp refuses, too, "
            f"{self.all['accepted']} that only Warp refuses, {self.all['not imported']} files could not be imported"
        )


def write_page(found, version, launches):
    import conformance_page as page

    tests = " and running its unit tests, with launches recorded and not executed," if launches else ""
    intro = (
        f"Every kernel object that importing Warp's own examples, sources and tests{tests} makes, compiled by `weft.extract_ir` and by Warp in the\n"
        f"same process (`make live-conformance`). {found.all['both']} kernels are refused by both, {found.all['accepted']} only by Warp;\n"
        f"{found.all['not imported']} files could not be imported or tested to their end."
    )
    lines = [
        [label, sum(c[r] for r in page.RESULTS), *(c[r] for r in page.RESULTS), page.percent(c["identical"], sum(c[r] for r in page.RESULTS))]
        for label, c in (("without tiles", found.plain), ("with tiles", found.with_tiles))
        if c
    ]
    reasons = page.table(
        ["reason", "without tiles", "with tiles"],
        [[reason, found.reasons[reason] or "", found.tile_reasons[reason] or ""] for reason, _ in (found.reasons + found.tile_reasons).most_common()],
    )
    page.write_section(f"Kernel objects of Warp {version}", "\n\n".join([intro, page.table(page.HEAD, lines), reasons]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--launches", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--at-least", type=float, default=0.0)
    args = parser.parse_args()
    sys.path.insert(0, os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python")))
    import warp as wp
    import warp_package

    import weft  # noqa: F401

    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    package = pathlib.Path(wp.__file__).parent
    paths = [p.resolve() for p in args.files] or warp_package.files(package)
    rows, shown = [], 0
    for row in run_all(paths, package, args.jobs, args.launches, args.time):
        rows.append(row)
        if row.get("result") in ("different", "crashed") and shown < args.show:
            shown += 1
            print(row["file"], row["kernel"], row["reason"], *row["diff"], "", sep="\n")
    if args.rows:
        args.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = Found(rows)
    print(f"Warp {wp.__version__}: {found.summary()}")
    pairs = [row["seconds"] for row in rows if "seconds" in row]
    if pairs:
        ratios = sorted(theirs / mine for mine, theirs in pairs)
        print(f"extract_ir: {1e6 * statistics.median(mine for mine, _ in pairs):.0f} µs for the median kernel; "
              f"{statistics.median(ratios):.0f} times faster than Warp (10th percentile {ratios[len(ratios) // 10]:.0f})")
    for reason, count in found.reasons.most_common(30 if args.show else 0):
        print(f"{count:6} {reason}")
    if args.page:
        write_page(found, wp.__version__, args.launches)
    return 1 if found.all["different"] or found.all["crashed"] or found.share < args.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
