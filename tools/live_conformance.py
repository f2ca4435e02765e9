#!/usr/bin/env python3
"""Compares the Python package with Warp in the same process, kernel object by kernel object.

    live_conformance.py [FILE.py ...]     by default, every file of the installed Warp's examples, _src and tests that can hold kernels
        --jobs N       processes at a time
        --show N       the first N differences, as diffs
        --rows FILE    one JSON line per kernel: file, kernel, result, reason
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
import signal
import sys
import tempfile

import own_file
import warp_oracle

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300  # for one file


def importing():
    """The file whose module level is being run: the innermost one."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_code.co_filename if frame else ""


def record_kernels(path):
    """Every kernel that running this file makes from now on, in order; overloads of generic ones are found at the end."""
    from warp._src import context

    made, original = [], context.Kernel.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if importing() == str(path):
            made.append(self)

    context.Kernel.__init__ = init
    return made


def import_file(path, package):
    """As the member of Warp's package that it is, or as a file of its own."""
    if package in path.parents:
        importlib.import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
        return
    sys.path.insert(0, str(path.parent))
    importlib.import_module(path.stem)


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
    tile = "wp::tile" in texts["cuda"]
    if refusal is not None:
        return "tile" if tile else "refused", refusal.message, ()
    mine = {"cuda": found["cuda_module"], "cpu": found["cpp_module"]}
    for device, text in mine.items():
        text = warp_oracle.strip_comments(text)
        if text != texts[device]:
            lines = difflib.unified_diff(texts[device].splitlines(), text.splitlines(), "Warp", "weft", lineterm="", n=1)
            return "different", device, list(lines)[:40]
    return ("identical", "", ()) if found["full_name"] == texts["name"] else ("different", "name", (texts["name"], found["full_name"]))


def answer(path, package, out):
    """Rows of one file, in a process of its own."""
    import warp as wp

    sys.meta_path.append(own_file.DummyPackages())
    made = record_kernels(path)
    with open(out, "w") as rows:
        try:
            import_file(path, package)
        except BaseException as error:
            rows.write(json.dumps({"file": str(path), "error": warp_oracle.message(error)[:300]}) + "\n")
        for generic in list(made):
            for kernel in list(generic.overloads.values()) if generic.is_generic else [generic]:
                result, reason, diff = compare(kernel)
                row = {"file": str(path), "kernel": kernel.key, "result": result, "reason": reason, "diff": diff}
                rows.write(json.dumps(row) + "\n")
                rows.flush()


def run_all(paths, package, jobs):
    """Yields the rows of all files, in the order in which they are done."""
    running, waiting = {}, list(paths)
    with tempfile.TemporaryDirectory() as folder:
        while running or waiting:
            while waiting and len(running) < jobs:
                path = waiting.pop(0)
                out = os.path.join(folder, f"{len(waiting)}.jsonl")
                child = os.fork()
                if child == 0:
                    signal.alarm(SECONDS)
                    quiet = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(quiet, 1)
                    os.dup2(quiet, 2)
                    try:
                        answer(path, package, out)
                    finally:
                        os._exit(0)
                running[child] = (path, out)
            child, status = os.wait()
            path, out = running.pop(child)
            lines = pathlib.Path(out).read_text().splitlines() if os.path.exists(out) else []
            yield from (json.loads(line) for line in lines)
            if os.WIFSIGNALED(status):  # other files end the process themselves: what they import is missing
                yield {"file": str(path), "kernel": "", "result": "crashed", "reason": f"signal {os.WTERMSIG(status)}", "diff": ()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--rows", type=pathlib.Path)
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
    counts, reasons, rows, shown = collections.Counter(), collections.Counter(), [], 0
    for row in run_all(paths, package, args.jobs):
        rows.append(row)
        counts[row.get("result", "not imported")] += 1
        if row.get("result") == "refused":
            reasons[row["reason"]] += 1
        if row.get("result") in ("different", "crashed") and shown < args.show:
            shown += 1
            print(row["file"], row["kernel"], row["reason"], *row["diff"], "", sep="\n")
    if args.rows:
        args.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = counts["identical"] + counts["refused"] + counts["different"] + counts["crashed"]
    share = 100.0 * counts["identical"] / asked if asked else 0.0
    print(f"Warp {wp.__version__}: {asked} kernel objects without tiles: {counts['identical']} identical ({share:.1f} %), "
          f"{counts['refused']} refused, {counts['different']} different, {counts['crashed']} crashed; "
          f"{counts['tile']} with tiles refused, {counts['both']} that Warp refuses, too, {counts['accepted']} that only Warp refuses, "
          f"{counts['not imported']} files could not be imported")
    for reason, count in reasons.most_common(30 if args.show else 0):
        print(f"{count:6} {reason}")
    return 1 if counts["different"] or counts["crashed"] or share < args.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
