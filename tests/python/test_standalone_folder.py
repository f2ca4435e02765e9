#!/usr/bin/env python3
"""The folder of standalone programs: the same bytes with any number of threads and after any interruption; nothing of another run is
mixed in or overwritten; what was refused is counted."""

import hashlib
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from standalone_batch import WEFT, weft

COUNT = 60
KERNEL = "\n\n@wp.kernel\ndef {name}(x: wp.array(dtype=float)):\n    i = wp.tid()\n    x[i] = {value}\n"
failures = []


def expect(truth, what):
    if not truth:
        failures.append(what)
        print(f"wrong: {what}")


def content(folder):
    """Every file with its hash."""
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def refuses(arguments, folder, words):
    """Exit code 1, these words, and nothing was touched."""
    before = content(folder)
    done = weft(*arguments, "-o", folder, check=False)
    expect(done.returncode == 1 and words in done.stderr, f"{arguments}: {done.returncode}, {done.stderr}")
    expect(content(folder) == before, f"{arguments} changed the folder")


def check_mixing(scratch):
    folder = scratch / "mixed"
    weft("-n", 4, "-s", 0, "-o", folder)
    refuses(["-n", 3, "-s", 9], folder, "is not empty")
    refuses(["-n", 3, "-s", 9, "--resume"], folder, "of a run with other options")
    refuses(["-n", 4, "-s", 0, "-c", "vector", "--resume"], folder, '"categories" differs')
    expect(weft("-n", 4, "-s", 0, "-o", folder, "--resume").returncode == 0, "a complete run is complete")
    manifest = json.loads((folder / "manifest.json").read_text())
    named = {p["folder"] for p in manifest["programs"]}
    expect(named == {p.name for p in folder.iterdir() if p.is_dir()} and manifest["complete"], "the manifest names all programs")
    summary = json.loads((folder / "production_summary.json").read_text())
    expect(summary["total_samples"] == 4 and sum(summary["by_category"].values()) == 4, "the summary counts them")
    victim = folder / sorted(named)[1]
    text = (victim / "Makefile").read_text()
    (victim / "Makefile").write_text(text + "# mine\n")
    refuses(["-n", 4, "-s", 0, "--resume"], folder, "it was changed")
    (victim / "Makefile").write_text(text)
    (folder / "notes.txt").write_text("somebody's")
    refuses(["-n", 4, "-s", 0, "--resume"], folder, "notes.txt does not belong to this run")
    (folder / "notes.txt").unlink()
    victim.rename(folder.parent / "taken away")
    refuses(["-n", 4, "-s", 0, "--resume"], folder, "is missing")
    elsewhere = scratch / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.txt").write_text("somebody's")
    refuses(["-n", 1], elsewhere, "is not empty")
    refuses(["-n", 1, "--resume"], elsewhere, "manifest.json")


def interrupt(folder, how):
    """Ends a run as soon as its first programs have their names; how it ended."""
    process = subprocess.Popen(
        [WEFT, "standalone", "-n", str(COUNT), "-s", "12", "-j", "2", "-o", folder], stderr=subprocess.DEVNULL
    )
    for _ in range(3000):
        if process.poll() is not None or any(folder.glob("sample_*")):
            break
        time.sleep(0.02)
    process.send_signal(how)
    return process.wait(timeout=100)


def check_interruption(scratch):
    whole = scratch / "whole"
    weft("-n", COUNT, "-s", 12, "-o", whole)
    for how, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        folder = scratch / f"ended by {how}"
        for _ in range(10):  # on a busy machine a run may be done before it is noticed that it has begun
            shutil.rmtree(folder, ignore_errors=True)
            ended = interrupt(folder, how)
            programs = len(list(folder.glob("sample_*")))
            if programs < COUNT:
                break
        expect(ended == code and programs < COUNT, f"a run that is ended by {how}: {ended}, {programs} programs")
        expect(not json.loads((folder / "manifest.json").read_text())["complete"], "an ended run is not complete")
        (folder / ".part-sample_9999_vector").mkdir(exist_ok=True)
        weft("-n", COUNT, "-s", 12, "-o", folder, "-j", 3, "--resume")
        expect(content(folder) == content(whole), f"after {how} and --resume, the folder is another one")


def check_files(scratch):
    source, folder = scratch / "kernels.py", scratch / "files"
    names = [f"kernel_{i}" for i in range(7)]
    values = ["1.0"] * 3 + ["nothing_like_this"] + ["2.0"] * 3
    source.write_text("import warp as wp\n" + "".join(KERNEL.format(name=n, value=v) for n, v in zip(names, values)))
    done = weft(source, "-o", folder, check=False)
    expect(done.returncode == 1 and "6 programs, 6 with a backward kernel; 1 kernel was refused" in done.stderr
           or "6 programs" in done.stderr and "1 kernel was refused" in done.stderr, f"one of seven: {done.stderr}")
    refuses([source], folder, "is not empty")
    refuses([source, "-k", "kernel_0", "--resume"], folder, "of a run with other options")
    for arguments in (["-k", "nope"], []):
        other = scratch / f"nothing{len(arguments)}"
        if not arguments:
            source.write_text("import warp as wp\n")
        done = weft(source, *arguments, "-o", other, check=False)
        expect(done.returncode == 1 and "there is no kernel" in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
        expect(not content(other), "nothing is left behind where nothing was made")


def check_reasons(scratch):
    """With -v, why an invented kernel was refused; the manifest says the same."""
    for seed in range(20):  # about one kernel of a hundred is refused
        folder = scratch / f"reasons-{seed}"
        done = weft("-v", "-n", 40, "-s", seed, "-o", folder)
        told = [line.partition(": refused: ")[2] for line in done.stderr.splitlines() if ": refused: " in line]
        if told:
            break
    kept = [refusal["reason"] for refusal in json.loads((folder / "manifest.json").read_text())["refusals"]]
    expect(told == kept and kept, f"reasons: {told} are told, {kept} kept")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        check_mixing(scratch)
        check_interruption(scratch)
        check_files(scratch)
        check_reasons(scratch)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
