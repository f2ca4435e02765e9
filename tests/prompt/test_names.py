#!/usr/bin/env python3
"""Names on the command line: old ones work with a note, words of other tools are understood, and a run ends with its result."""

import pathlib
import re
import tempfile

from prompt import ROOT, SAXPY, command_names, expect, finish, options_of, run

TABLE = (ROOT / "cli/old_names.def").read_text()
# An option that several commands have takes the same kind of value in each.
ONE_MEANING = {"range", "set", "device", "jobs", "count", "format", "seed", "output", "splits", "candidates"}


def test_old_commands(folder):
    for old, command, word in re.findall(r'^OLD_COMMAND\("(.*?)", "(.*?)", "(.*?)"\)', TABLE, re.M):
        done = run(old)
        expect(f"`weft {old}` is now `weft {command} {word}`" in done.err and done.returncode == 2, f"{old}: {done.returncode} {done.err}")
        expect(run("help", old).out == run("help", command).out, f"help {old}")
        expect(old not in command_names(), f"help lists {old}")
    old = run("keys", "--range", "0:30", "-s", 5, "-o", folder / "old")
    new = run("range", "keys", "--candidates", "0:30", "-s", 5, "-o", folder / "new")
    expect((folder / "old").read_bytes() == (folder / "new").read_bytes() and not new.err, f"keys: {old.err} {new.err}")
    expect("--range is now --candidates" in old.err, old.err)
    done = run("losers", folder / "old", "-o", folder / "bits")
    expect(done.returncode == 0 and "are duplicates of earlier ones" in done.err, done.err)
    produce = ["--shard-rows", 30, "-s", 5, "--no-verify", "--no-readable", "--no-compress"]
    done = run("produce", "--range", "0:30", "--losers", folder / "bits", *produce, "-o", folder / "task")
    expect(done.returncode == 0 and "--losers is now --duplicates" in done.err, done.err)
    expect("next: weft range join" in done.err, done.err)
    done = run("index", folder / "task", "-o", folder / "joined")
    expect(done.returncode == 0 and (folder / "joined/manifest.json").exists(), done.err)


def test_old_options():
    rows = re.findall(r"^OLD_OPTION\(\"(.*?)\", (0|'.'), \"(.*?)\", \"(.*?)\"\)", TABLE, re.M)
    expect(len(rows) == TABLE.count("\nOLD_OPTION("), "every row is read")
    for command, letter, old, new in rows:
        names = [name for _, name, _ in options_of(command)]
        expect(new in names and old not in names, f"{command}: {names}")
        done = run(command, f"--{old}=?")
        expect(f"weft {command}: --{old} is now --{new}; the old name works until weft 0.2\n" in done.err, f"{command} --{old}: {done.err}")
        if letter != "0":
            done = run(command, f"-{letter[1]}", "?")
            expect(f"weft {command}: -{letter[1]} is now --{new}" in done.err, f"{command} -{letter[1]}: {done.err}")


def test_one_meaning():
    values = {}
    for command in command_names():
        for letter, name, value in options_of(command):
            if name in ONE_MEANING:
                values.setdefault(name, {}).setdefault(letter, []).append(command)
    for name, letters in values.items():
        expect(len(letters) == 1, f"--{name} has several letters: {letters}")
    expect(list(values["range"].values()) == list(values["set"].values()) == [["check"]], f"--range and --set: {values}")
    expect("gpu" not in values["device"]["-d"], "--device is cuda or cpu")


def test_other_words():
    for word, meant in (("lint", "check"), ("compile", "extract"), ("generate", "produce")):
        done = run(word, SAXPY)
        expect(done.returncode == 2 and f"did you mean '{meant}'?" in done.err, f"{word}: {done.err}")
    done = run("extract", SAXPY, "--device", "gpu")
    expect(done.returncode == 2 and "did you mean 'cuda'?" in done.err, done.err)


def test_kernel_names(folder):
    three = folder / "three.py"
    head = "import warp as wp\n\n\n"
    three.write_text(head + "\n\n".join(f"@wp.kernel\ndef k{n}(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n" for n in range(3)))
    for command in (["extract"], ["check"], ["standalone", "-o", folder / "programs"]):
        done = run(*command, three, "-k", "nope")
        expect(done.returncode == 1 and done.err.endswith("no kernel 'nope'\n    hint: the kernels are k0, k1, k2\n"), f"{command}: {done.err}")
    refused = folder / "refused.py"
    refused.write_text(head + "@wp.kernel\ndef bad(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0 * 'a'\n")
    done = run("check", refused, "-k", "nope")
    expect(done.err.endswith("    hint: the kernel is bad\n"), done.err)
    empty = folder / "empty.py"
    empty.write_text("x = 1\n")
    done = run("check", empty, "-k", "nope")
    expect(done.returncode == 1 and "hint" not in done.err, done.err)


def test_result_of_a_run(folder):
    """The figures of the end are those of `weft stats`; -q leaves them out."""
    small = ["produce", "-n", 40, "-s", 3, "--splits", "0.9,0.05,0.05"]
    done = run(*small, "-o", folder / "set")
    expect(done.returncode == 0 and not done.out, done.err)
    lines = done.err.splitlines()
    expect(re.fullmatch(r"weft produce: 40 pairs in \S+, \d+ candidates rejected; [\d.]+ s", lines[0]), lines)
    expect(re.match(r"  size: [\d.]+ MB in files, ", lines[1]) and lines[3].startswith("  next: weft stats "), lines)
    stats = run("stats", folder / "set", "--json").out
    counts = [int(re.search(rf'"{name}": (\d+)', stats)[1]) for name in ("forward_pass", "gradient_pass", "gradient_mismatch", "gradient_none")]
    expect([int(n) for n in re.findall(r"\d+", lines[2])] == counts and counts[0] == 40, f"{lines[2]}: {counts}")
    size = sum(path.stat().st_size for path in (folder / "set").glob("*.zst"))
    expect(f"size: {size / 1e6:.1f} MB" in lines[1], f"{lines[1]}: {size}")
    done = run(*small, "-o", folder / "quiet", "-q")
    expect(done.returncode == 0 and not done.err, done.err)
    done = run("produce", "-n", 5, "-o", folder / "unchecked", "--no-verify")
    expect("verdicts: none" in done.err, done.err)
    done = run("produce", "-n", 5, "-o", folder / "piece", "--shard", "1/2")
    expect("next: weft merge" in done.err, done.err)


with tempfile.TemporaryDirectory(prefix="weft-names-") as name:
    place = pathlib.Path(name)
    test_old_commands(place)
    test_old_options()
    test_one_meaning()
    test_other_words()
    test_kernel_names(place)
    test_result_of_a_run(place)
finish()
