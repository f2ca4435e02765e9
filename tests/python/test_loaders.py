#!/usr/bin/env python3
"""A data set with all options on, as lines and as Parquet, is read by datasets, pandas, pyarrow, polars and DuckDB as it is written,
and TRL and verl accept its exports.

    test_loaders.py                           the newest versions, in .venv-loaders; skipped where they cannot be installed
    test_loaders.py --versions 2.21.0 3.6.0 4.0.0      these versions of datasets
    test_loaders.py --trainers                TRL and verl

`make loaders` does all of it with 5,000 records.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
HERE = ROOT / "tests" / "python"
QUIET = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "TRANSFORMERS_VERBOSITY": "error"}


def weft(*args):
    subprocess.run([WEFT, *map(str, args)], check=True)


def produce(folder, count):
    """Three sets in both formats: one has no C++, no launch and no gradient that the others have, one has details in its records."""
    every = ["-d", "both", "--gradients", "marked", "--timing", "--splits", "80,10,10", "--shard-rows", count // 4, "-s", 12]
    few = ["--no-verify", "--no-backward", "--splits", "80,10,10", "-s", 12]
    whole = ["-d", "both", "--full", "--splits", "80,10,10", "-s", 13]
    for name, rows, options in (("every", count, every), ("few", min(count, 120), few), ("whole", min(count, 120), whole)):
        for form in ("jsonl", "parquet"):
            weft("produce", "-n", rows, "-o", folder / f"{name}-{form}", "--format", form, *options, "--resume")


def environment(name):
    """The path of its Python; None: it cannot be made."""
    made = subprocess.run([ROOT / "tools" / "loaders.sh", *([name] if name else [])], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"skipped: {made.stderr.strip()}")
        return None
    return ROOT / made.stdout.strip()


def fails(call):
    return subprocess.run(call, env=os.environ | QUIET).returncode != 0


def check_sets(folder, version, python):
    failures = 0
    for name in ("every", "few", "whole"):
        for form in ("jsonl", "parquet"):
            print(f"{name}, {form}, {f'datasets {version}' if version else 'newest versions'}:", flush=True)
            call = [python, HERE / "load_set.py", folder / f"{name}-{form}"]
            call += ["--lines", folder / f"{name}-jsonl"] if form == "parquet" else []
            failures += fails([*call, *(["--datasets-only"] if version else [])])
    return failures


def check_trainers(folder, python):
    for form in ("trl", "verl"):
        shutil.rmtree(folder / form, ignore_errors=True)
        weft("export", folder / "every-parquet", "--format", form, "-o", folder / form)
    return fails([python, HERE / "load_export.py", folder / "trl", folder / "verl"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--count", type=int, default=120)
    parser.add_argument("--versions", nargs="+", default=[], help="of datasets; newest: all tools, in their newest versions")
    parser.add_argument("--trainers", action="store_true")
    parser.add_argument("--work", type=pathlib.Path, help="the folder for the sets, which are kept and not made again")
    options = parser.parse_args()
    schema = subprocess.run([WEFT, "validate", "--schema"], capture_output=True, text=True, check=True).stdout
    if schema != (ROOT / "docs" / "record.schema.json").read_text():
        print("docs/record.schema.json is not what `weft validate --schema` prints")
        return 1
    versions = [None if v == "newest" else v for v in options.versions] or ([] if options.trainers else [None])
    pythons = [environment(version) for version in versions]
    trainers = environment("trainers") if options.trainers else None
    if not all(pythons) or (options.trainers and not trainers):
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-loaders-") as folder:
        folder = options.work or pathlib.Path(folder)
        produce(folder, options.count)
        failures = sum(check_sets(folder, version, python) for version, python in zip(versions, pythons))
        failures += check_trainers(folder, trainers) if trainers else 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
