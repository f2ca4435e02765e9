#!/usr/bin/env python3
"""`weft synth` as Python text is one module: every kernel of it is there, and is the one that the sample is alone.

Names that several samples define get a number. So the text of a kernel in the module, with these names put back, must be the
text of the sample compiled alone; where nothing had to be renamed, with Warp's hash. Warp itself imports a module of 60.

    tests/python/test_synth_module.py [--count N] [--seed S]
"""

import argparse
import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import warp_package  # noqa: E402
from warp_oracle import strip_comments  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
IMPORT = "import warp as wp\n\n\n"
WITH_WARP = 60
PARTS = ("cuda_prelude", "cuda_forward", "cuda_backward", "cpp_prelude", "cpp_forward", "cpp_backward")


def weft(*arguments):
    done = subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, f"weft {arguments}: {done.stderr[-2000:]}"
    return done.stdout


def extract(*paths):
    return [json.loads(line) for line in weft("extract", "-d", "both", "--json", *paths).splitlines()]


def definitions(text):
    """The names that a module defines, in order; the same name twice (overloads of a function) counts twice."""
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return names


def text_of(record):
    return strip_comments("".join(record.get(part) or "" for part in PARTS))


def put_back(text, renamed):
    """New names become old ones, also inside the names that Warp makes of them: a number or a hash follows, `adj_` precedes."""
    for new, old in sorted(renamed.items(), key=lambda item: -len(item[0])):
        # The name stands first, so that re looks for it as it is, which is ten times as fast.
        text = re.sub(rf"{new}(?<![A-Za-z0-9]{new})(?=(_\d+|_[0-9a-f]{{8}}\w*)?\b)", old, text)
    return text


def without_hashes(text):
    return re.sub(r"_[0-9a-f]{8}(?=\b|_)", "_HASH", text)


def same_order(names, samples):
    """[{new: old}] of each sample."""
    at, maps = 0, []
    for sample in samples:
        own = definitions(sample["python_source"])
        maps.append({new: old for new, old in zip(names[at : at + len(own)], own)})
        at += len(own)
    assert at == len(names), f"{len(names)} definitions in the module, {at} in the samples"
    return maps


def test_module(folder, count, seed):
    path = pathlib.Path(folder) / "module.py"
    path.write_text(weft("synth", "-n", count, "-s", seed))
    samples = [json.loads(line) for line in weft("synth", "-n", count, "-s", seed, "--json").splitlines()]
    names = definitions(path.read_text())
    maps = same_order(names, samples)
    of_samples = [len(set(definitions(sample["python_source"]))) for sample in samples]
    assert len(set(names)) == sum(of_samples), "a name is defined by two samples"

    alone = []
    for index, sample in enumerate(samples):
        alone.append(pathlib.Path(folder) / f"sample_{index:05d}.py")
        alone[-1].write_text(IMPORT + sample["python_source"])
    ours, theirs = extract(path), extract(*alone)
    assert len(ours) == len(theirs) == count, f"{len(ours)} kernels in the module, {len(theirs)} alone"
    same_bytes = 0
    for index, (one, other, names) in enumerate(zip(ours, theirs, maps)):
        renamed = {new: old for new, old in names.items() if new != old}
        if "wp.set_module_options(" in samples[index]["python_source"]:
            # In a module of many, the options of its module are those of the kernel, and a part of its hash.
            got, want = (same_counters(without_hashes(text)) for text in (put_back(text_of(one), renamed), text_of(other)))
        elif renamed:
            # A function that is called like a builtin is counted with its overloads, under another name from 0.
            got, want = (same_counters(without_hashes(text)) for text in (put_back(text_of(one), renamed), text_of(other)))
        else:
            same_bytes += 1
            got, want = text_of(one), text_of(other)
        if got != want:
            (ROOT / "build" / "module_text.got").write_text(got)
            (ROOT / "build" / "module_text.want").write_text(want)
        assert got == want, f"sample {index}, {other['kernel_key']}, {renamed}: another text (build/module_text.*)"
    print(f"{count} kernels of one module are those of the samples; {count - same_bytes} with names that were changed")
    return count - same_bytes


def same_counters(text):
    """Functions are called name_N, counted for each name in a process: here N counts from 0 in every kernel."""
    seen = {}
    return re.sub(r"\b([a-z_]\w*?)_(\d+)(?=\()", lambda m: f"{m[1]}_#{seen.setdefault(m[0], len(seen))}", text)


def test_with_warp(folder, python, seed):
    path = pathlib.Path(folder) / "module_of_warp.py"
    path.write_text(weft("synth", "-n", WITH_WARP, "-s", seed))
    run = subprocess.run([python, ROOT / "tools" / "warp_oracle.py", path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    ours = {record["full_name"]: record for record in extract(path)}
    assert len(rows) == len(ours) == WITH_WARP, f"Warp has {len(rows)} kernels, weft {len(ours)}"
    for row in rows:
        record = ours[row["name"]]
        for device, prefix in (("cuda", "cuda"), ("cpu", "cpp")):
            text = "".join(record.get(f"{prefix}_{part}") or "" for part in ("prelude", "forward", "backward"))
            assert same_counters(strip_comments(text)) == same_counters(row[device]), f"{row['name']}: other {device} text"
    print(f"Warp imports a module of {WITH_WARP} and writes the same text for each kernel")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-module-") as folder:
        assert test_module(folder, options.count, options.seed) or options.count < 200, "nothing was renamed: nothing was tested"
        warp = warp_package.find_warp()
        if not warp:
            print(f"skipped: Warp {warp_package.VERSION} is not installed, so nothing was compared with Warp")
            return 77
        test_with_warp(folder, warp[0], options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
