#!/usr/bin/env python3
"""Data sets on a full disk and on a read-only one: a clear error, and nothing is lost.

Needs the right to mount a tmpfs, as root or in a namespace of its own (skipped without)."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
SMALL = ["-n", "300", "--no-verify", "--splits", "80,10,10", "--shard-rows", "70", "--checkpoint", "20", "-s", "5"]


def produce(folder, *args):
    return subprocess.run([WEFT, "produce", "-o", str(folder), *map(str, args)], capture_output=True, text=True)


def expect(condition, what):
    if not condition:
        print(f"FAILED: {what}")
        sys.exit(1)


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "run.json"}


def mount(disk, options):
    disk.mkdir()
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(disk)], capture_output=True).returncode == 0


def test_full_disk(work, disk):
    reference = work / "reference"
    expect(produce(reference, *SMALL).returncode == 0, "the reference")
    done = produce(disk / "set", *SMALL)
    expect(done.returncode == 1 and "No space left" in done.stderr, f"full disk: {done.returncode} {done.stderr}")
    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
    done = produce(disk / "set", *SMALL, "--resume")
    expect(done.returncode == 0, f"resume after a full disk: {done.stderr}")
    expect(contents(disk / "set") == contents(reference), "after a full disk: other bytes")


def test_read_only(disk):
    for folder in (disk, disk / "set"):
        done = produce(folder, "-n", 5)
        expect(done.returncode == 1 and "Read-only" in done.stderr, f"a read-only folder: {done.returncode} {done.stderr}")


def main():
    if not pathlib.Path(WEFT).exists():
        print(f"skipped: {WEFT} is not built")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-disk-") as name:
        work = pathlib.Path(name)
        full, locked = work / "full", work / "locked"
        mounted = []
        try:
            for disk, options in ((full, "size=256k"), (locked, "ro")):
                if mount(disk, options):
                    mounted.append(disk)
            if len(mounted) == 2:
                test_full_disk(work, full)
                test_read_only(locked)
                print("ok")
                return 0
        finally:
            for disk in mounted:
                subprocess.run(["umount", str(disk)], check=True)
    inner = ["unshare", "--user", "--map-root-user", "--mount"]
    if "--inside" not in sys.argv and subprocess.run([*inner, "true"], capture_output=True).returncode == 0:
        return subprocess.run([*inner, sys.executable, __file__, "--inside"]).returncode
    print("skipped: no right to mount a tmpfs, so neither a full disk nor a read-only one can be tried")
    return 77


if __name__ == "__main__":
    sys.exit(main())
