#!/usr/bin/env python3
"""What a new release of Warp changes, as a report for whoever makes weft follow it (docs/how-to/follow-warp.md).

    tools/follow_warp.py 1.20.0                    against the newest version that weft knows
    tools/follow_warp.py 1.19.0 --from 1.18.0      any two versions
    tools/follow_warp.py 1.20.0 -o report.md       by default build/follow/OLD-NEW.md

Installs both into environments of their own (tools/venv.sh), dumps their builtins and the digests of their library
(tools/warp_dump.py), asks both for the text of tests/golden and tests/versions (tools/version_oracle.py), and compares.
Texts are kept in build/follow; nothing else is changed.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import follow_compare
import warp_package

ROOT, TOOLS = warp_package.ROOT, warp_package.TOOLS
KEPT = ROOT / "build" / "follow"
FULL_NUMBER = re.compile(r"\d+\.\d+\.\d+(rc\d+)?$")


class Trouble(Exception):
    """A reason to stop, in words for the user."""


def progress(text):
    print(f"follow_warp: {text}", file=sys.stderr)


def install(version):
    """The Python that has this Warp."""
    found = warp_package.find_warp(version)
    if found:
        return found[0]
    progress(f"installing Warp {version}")
    done = subprocess.run([TOOLS / "venv.sh", version], capture_output=True, text=True)
    found = warp_package.find_warp(version)
    if done.returncode or not found:
        raise Trouble(why_not_installed(version, done.stdout + done.stderr))
    return found[0]


def why_not_installed(version, output):
    """pip's many lines, in one."""
    versions = re.search(r"from versions: ([^)]*)\)", output)
    if versions and versions.group(1) not in ("", "none"):
        newest = versions.group(1).split(", ")[-5:]
        return f"there is no Warp {version}; the newest releases are {', '.join(newest)}"
    if re.search(r"No matching distribution|Network is unreachable|NameResolutionError|Failed to establish|timed out", output):
        return f"Warp {version} cannot be installed: the package index cannot be reached (is there a network?)"
    last = (output.strip().splitlines() or ["pip says nothing"])[-1]
    return f"Warp {version} cannot be installed: {last}"


def run(python, script, *arguments):
    env = os.environ | {"PYTHONWARNINGS": "ignore", "WARP_CACHE_PATH": str(KEPT / "warp")}
    done = subprocess.run([python, TOOLS / script, *arguments], capture_output=True, text=True, env=env)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Trouble(f"{script} failed with that Warp, whose insides may have changed: {last}")
    return [line for line in done.stdout.splitlines() if line.startswith("{")]


def kernels():
    return sorted((ROOT / "tests" / "golden").glob("*.py")) + sorted((ROOT / "tests" / "versions").glob("golden_*.py"))


def texts(version, python):
    """The oracle's rows of all kernels, asked for once."""
    tools = [TOOLS / name for name in ("version_oracle.py", "warp_oracle.py")]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in kernels() + tools)).hexdigest()[:16]
    kept = KEPT / f"texts-{version}-{key}.jsonl"
    if not kept.exists():
        progress(f"asking Warp {version} for the text of {len(kernels())} files")
        lines = run(python, "version_oracle.py", *kernels())
        part = kept.with_suffix(".part")
        part.write_text("".join(line + "\n" for line in lines))
        part.rename(kept)
    return [json.loads(line) for line in kept.read_text().splitlines()]


def facts(version):
    """All that is compared of one version."""
    python = install(version)
    progress(f"listing the builtins of Warp {version}")
    dump = json.loads(run(python, "warp_dump.py")[0])
    if dump["version"] != version:
        raise Trouble(f"the environment of Warp {version} holds {dump['version']}")
    return {"version": version, "texts": texts(version, python)} | dump


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("new", metavar="NEW", help="the release to follow, such as 1.20.0")
    parser.add_argument("--from", dest="old", metavar="OLD", default=warp_package.VERSIONS[-1], help="(default: %(default)s)")
    parser.add_argument("-o", "--out", metavar="FILE", help="where the report goes")
    options = parser.parse_args()
    for number in (options.new, options.old):
        if not FULL_NUMBER.match(number):
            sys.exit(f"follow_warp: '{number}' is not a full version number, such as 1.20.0")
    if options.new == options.old:
        sys.exit(f"follow_warp: both versions are {options.new}; --from names another one")
    KEPT.mkdir(parents=True, exist_ok=True)
    out = pathlib.Path(options.out or KEPT / f"{options.old}-{options.new}.md")
    try:
        report = follow_compare.report(facts(options.old), facts(options.new))
    except Trouble as trouble:
        sys.exit(f"follow_warp: {trouble}")
    out.write_text(report)
    print(f"written: {out}")


if __name__ == "__main__":
    main()
