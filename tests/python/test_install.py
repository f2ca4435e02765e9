#!/usr/bin/env python3
"""tools/install.sh: on a terminal it asks before it installs anything; without one, and in CI, it goes on.

apt-get is a stand-in that notes its calls; nothing is installed."""

import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tools" / "install.sh"


def stand_ins(folder):
    for name, body in (("apt-get", f'echo "$@" >> {folder}/calls'), ("id", "echo 0"), ("cc", "exit 1")):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    for name in ("sh", "env", "cat"):
        (folder / name).symlink_to(shutil.which(name))


def call(folder, answer, ci):
    """The script on a terminal (answer None: without one): what it said, and whether apt-get was called."""
    calls = folder / "calls"
    calls.unlink(missing_ok=True)
    env = {"PATH": str(folder)}
    if ci:
        env["CI"] = "true"
    words = [str(folder / "sh"), str(SCRIPT), "format"]
    if answer is None:
        done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr, calls.exists()
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    child = subprocess.Popen(words, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:  # the terminal closes with the child
        pass
    child.wait(timeout=60)
    os.close(ours)
    return said.decode(), calls.exists()


def main():
    cases = [("n\n", False, True, False), ("y\n", False, True, True), ("\n", False, True, True), ("", True, False, True),
             (None, False, False, True)]
    with tempfile.TemporaryDirectory(prefix="weft-install-") as name:
        folder = pathlib.Path(name)
        stand_ins(folder)
        for answer, ci, asks, installs in cases:
            said, called = call(folder, answer, ci)
            named = "apt-get: clang-format" in said
            if ("[Y/n]" in said, called, named) != (asks, installs, True):
                sys.exit(f"answer {answer!r}, CI {ci}: expected question {asks}, installation {installs}:\n{said}")
    print(f"{len(cases)} ways of calling tools/install.sh")
    return 0


if __name__ == "__main__":
    sys.exit(main())
