#!/usr/bin/env python3
"""A data set with all options on is read by datasets, pandas, pyarrow, polars and DuckDB as it is written.

    test_loaders.py                           the newest versions, in .venv-loaders; skipped where they cannot be installed
    test_loaders.py --versions 2.21.0 3.6.0 4.0.0      these versions of datasets
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
READER = ROOT / "tests" / "python" / "load_set.py"
QUIET = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}


def produce(folder, count):
    """Two sets: the first shards of one have no C++, no launch and no gradient that the other has."""
    every = ["-d", "both", "--gradients", "marked", "--timing", "--splits", "80,10,10", "--shard-rows", str(count // 4), "-s", "12"]
    few = ["--no-verify", "--no-backward", "--splits", "80,10,10", "-s", "12"]
    for name, options in (("every", every), ("few", few)):
        subprocess.run([WEFT, "produce", "-n", str(count), "-o", str(folder / name), *options], check=True)
        yield folder / name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--count", type=int, default=60)
    parser.add_argument("--versions", nargs="+", default=[])
    options = parser.parse_args()
    schema = subprocess.run([WEFT, "validate", "--schema"], capture_output=True, text=True, check=True).stdout
    if schema != (ROOT / "docs" / "record.schema.json").read_text():
        print("docs/record.schema.json is not what `weft validate --schema` prints")
        return 1
    environments = []
    for version in options.versions or [None]:
        made = subprocess.run([ROOT / "tools" / "loaders.sh", *([version] if version else [])], capture_output=True, text=True)
        if made.returncode != 0:
            print(f"skipped: {made.stderr.strip()}")
            return 77
        environments.append((version, ROOT / made.stdout.strip()))
    failures = 0
    with tempfile.TemporaryDirectory(prefix="weft-loaders-") as folder:
        for path in produce(pathlib.Path(folder), options.count):
            for version, python in environments:
                print(f"{path.name}, {f'datasets {version}' if version else 'newest versions'}:", flush=True)
                call = [python, READER, path, *(["--datasets-only"] if version else [])]
                failures += subprocess.run(call, env=os.environ | QUIET).returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
