#!/usr/bin/env python3
"""Every command that reads a data set, on sets that cannot be read: each ends soon, with a message, exit code 1 and little memory.

The commands are those that the program names itself. One that reads a set, and is not called here, fails the test."""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from sets import ROOT, WEFT, check, copy, edit_manifest, finish, forge, need_weft, parts, produce, weft

COUNT = ["-n", "12", "-s", "3", "--launches", "1"]
FORMATS = {"zst": [], "plain": ["--no-compress"], "parquet": ["--format", "parquet"], "files": ["--format", "json"]}
SECONDS, RESIDENT_MB, ADDRESS_MB = 20, 700, 3000
SANITIZED = b"__asan_init" in pathlib.Path(WEFT).read_bytes() if pathlib.Path(WEFT).exists() else False


# ---- what the program says about itself ----

# How each command reads a set of a kind; SET, OUT (a new name) and WORK (a folder with what else it takes) are replaced.
CALLS = {
    "produce": [("whole", ["-o", "SET", *COUNT, "--resume"])],
    "merge": [("whole", ["WORK/other", "SET", "-o", "OUT"]), ("piece", ["SET", "WORK/piece2", "-o", "OUT"])],
    "range": [("range", ["join", "SET", "-o", "OUT"])],
    "harvest": [("harvested", ["WORK/kernels.py", "-o", "SET", "--resume", "-q"])],
    "export": [("whole", ["SET", "--format", form, "-o", "OUT"]) for form in ("hf", "verl")],
    "tasks": [("whole", ["SET", "-o", "OUT"])],
    "score": [("whole", ["WORK/tasks.jsonl", "WORK/answers.jsonl", "--data", "SET", "-o", "OUT"])],
    "judge": [("whole", ["--listen", "127.0.0.1:0", "--data", "SET", "--tasks", "WORK/tasks.jsonl", "-o", "OUT"])],
    "mutate": [("whole", ["SET", "-o", "OUT"])],
    "validate": [("whole", ["-i", "SET", "-j", "2", "--sample", "0"])],
    "stats": [("whole", ["SET"])],
    "report": [("whole", ["SET", "-o", "OUT"])],
    "serve": [("whole", ["SET", "-p", "0"])],
    "gpu": [("whole", ["--cpu", "SET", "--no-cache"])],
    "standalone": [("programs", ["-n", "2", "-o", "SET", "--resume"])],
}
NO_SET = {"extract", "check", "facts", "synth", "bench", "help", "version", "man", "completions"}
# Not run on a clean set: these serve for ever, need the format of their own set, or compile for minutes.
NOT_CLEAN = {"serve", "judge", "gpu", "score"}


def commands():
    """Each command of the program: does it say that it reads a set? Its operands are folders, or it speaks of sets or of --resume."""
    script = weft("completions", "bash").stdout
    said = {}
    for name in re.search(r'_weft_words "([^"]*)"', script)[1].split():
        if name.startswith("-"):
            continue
        words = weft("help", name).stdout
        usage = re.sub(r"\n {7,}", " ", words.split("\n\n")[0])
        case = re.search(rf"\n    {name}\)\n(.*?)\n        ;;", script, re.S)
        folders = bool(case) and case[1].rstrip().endswith("_weft_paths")
        said[name] = folders or bool(re.search(r"\b(SET|PIECE)\b|(?<!\|)\bDIR\|FILE", usage)) or "--resume" in words
    return said


def test_commands(work):
    said = commands()
    check(len(said) > 20, f"only {len(said)} commands are named")
    for name, reads in said.items():
        check(name in CALLS or name in NO_SET, f"weft {name} is new: does it read a set? Name it in CALLS or in NO_SET")
        check(not reads or name in CALLS, f"weft {name} reads a set and is not tried")
    check(set(CALLS) <= set(said), f"no such command: {set(CALLS) - set(said)}")


# ---- running ----


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_MB << 20, ADDRESS_MB << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(call, cwd):
    """Exit code, stderr and the memory that it had at once, in MB; None: it did not end."""
    errors = cwd / "stderr"
    with open(errors, "wb") as err:
        process = subprocess.Popen([WEFT, *map(str, call)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, cwd=cwd, preexec_fn=limit)
        deadline = time.monotonic() + SECONDS * (5 if SANITIZED else 1)
        pid = 0
        while not pid and time.monotonic() < deadline:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not pid:
                time.sleep(0.002)
        if not pid:
            process.kill()
            process.wait()
            return None, errors.read_text(errors="backslashreplace"), 0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, errors.read_text(errors="backslashreplace"), usage.ru_maxrss >> 10


def calls_for(kind, folder, work):
    out = work / "out"
    for name, calls in CALLS.items():
        for kind_read, call in calls:
            if kind_read == kind:
                words = [str(folder) if w == "SET" else str(out) if w == "OUT" else w.replace("WORK", str(work)) for w in call]
                yield name, [name, *words]


def clear(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def must_refuse(what, kind, folder, work, readers=None, may_pass=()):
    """All commands that read such a set; `readers`: only these look at what is wrong."""
    for name, call in calls_for(kind, folder, work):
        if readers and name not in readers:
            continue
        clear(work / "out")
        code, err, megabytes = run(call, work)
        shown = f"{what}: weft {' '.join(map(str, call))}"
        if not check(code is not None, f"{shown}: no end after {SECONDS} s: {err[-300:]}"):
            continue
        check(code == 1 or (code == 0 and name in may_pass), f"{shown}: ends with {code}: {err[-1500:]}")
        check(code == 0 or re.match(r"weft( \w+){0,2}: ", err.splitlines()[-1] if err else "") or name in ("validate", "gpu"), f"{shown}: {err[-300:]!r}")
        check(code == 0 or err or name == "validate", f"{shown}: no message")
        check("\x1b" not in err, f"{shown}: steers the terminal: {err!r}")
        check(SANITIZED or megabytes < RESIDENT_MB, f"{shown}: {megabytes} MB")
    clear(work / "out")


# ---- sets ----


def zeros(size, byte=0):
    """A zstd frame of `size` equal bytes: four bytes for each 128 KiB."""
    block = 1 << 17
    whole, rest = divmod(size, block)
    blocks = [block] * whole + ([rest] if rest else [])
    frame = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38"  # no content size, no checksum, a window of 128 KiB
    parts_ = [((length << 3) | 2 | (i == len(blocks) - 1)).to_bytes(3, "little") + bytes([byte]) for i, length in enumerate(blocks)]
    return frame + b"".join(parts_)


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def parquet_bomb(whole, entries):
    """A file whose first page unpacks to `whole` bytes."""
    packed = zeros(whole)
    sizes = [varint(n << 1) for n in (whole, len(packed), entries)]
    return b"PAR1\x15\x00\x15" + sizes[0] + b"\x15" + sizes[1] + b"\x2c\x15" + sizes[2] + b"\x15\x00\x15\x06\x15\x06\x00\x00" + packed + b"PAR1"


def shard_of(folder):
    return sorted(p for p in folder.iterdir() if p.name.startswith(("train-", "piece-", "cuda_")))[0]


def sparse(path, size):
    clear(path)
    with open(path, "wb") as file:
        file.truncate(size)


def write(path, data):
    clear(path)
    path.write_bytes(data)


def link(path, target):
    clear(path)
    path.symlink_to(target)


def pipe(path):
    clear(path)
    os.mkfifo(path)


def cut(path, left):
    data = path.read_bytes()
    write(path, data[:left if left >= 0 else len(data) + left])


def odd_file(work):
    """What a file of a set may have become."""
    return {
        "a pipe": pipe,
        "a link to /dev/zero": lambda path: link(path, "/dev/zero"),
        "a link to a pipe": lambda path: link(path, work / "pipe"),
        "a dangling link": lambda path: link(path, work / "nothing"),
        "a link to itself": lambda path: link(path, path.name),
        "a link out of the set": lambda path: link(path, "/etc/passwd"),
        "a folder": lambda path: (clear(path), path.mkdir()),
        "empty": lambda path: write(path, b""),
        "cut off": lambda path: cut(path, path.stat().st_size // 2),
        "cut off at its end": lambda path: cut(path, -2 if path.name == "manifest.json" else -1),
        "a terabyte of nothing": lambda path: sparse(path, 1 << 40),
    }


def bombs(folder):
    form = shard_of(folder).suffix
    if form == ".zst":
        return {"2.2 GB of zeros": lambda data: zeros(2_200_000_000), "2.2 GB of line ends": lambda data: zeros(2_200_000_000, 10),
                "records again and again": lambda data: data * 300, "a record, then 2.2 GB": lambda data: data + zeros(2_200_000_000)}
    if form == ".parquet":
        return {"a page of 1 GB": lambda data: parquet_bomb(1_000_000_000, 12), "a page of 400 MB": lambda data: parquet_bomb(400_000_000, 12),
                "a page with many entries": lambda data: parquet_bomb(100_000_000, 1 << 25)}
    if form == ".jsonl":
        return {"40 MB of zeros": lambda data: b"\0" * 40_000_000, "one line of 40 MB": lambda data: b'{"row": 0, "id": "' + b"x" * 40_000_000 + b'"}\n',
                "records again and again": lambda data: data * 100}
    return {"40 MB of zeros": lambda data: b"\0" * 40_000_000}


CHECKED = {"validate", "produce"}  # look at what stands beside the records, too


def try_set(kind, clean, work):
    """One kind of set with every hostile file."""
    odd, folder = odd_file(work), work / "set"
    shard = shard_of(clean).name if kind != "programs" else None
    for what, make in odd.items():
        copy(clean, folder)
        make(folder / "manifest.json")
        must_refuse(f"{kind} {clean.name}: manifest.json is {what}", kind, folder, work)
        if not shard:
            continue
        copy(clean, folder)
        make(folder / shard)
        must_refuse(f"{kind} {clean.name}: {shard} is {what}", kind, folder, work)
    for what, bomb in bombs(clean).items() if shard else ():
        for forged in (False, True):  # then who reads no record, or has all of his by then, need not see it
            copy(clean, folder)
            write(folder / shard, bomb((folder / shard).read_bytes()))
            if forged:
                forge(folder)
            ended = {"score", "range"} | ({"merge"} if kind == "piece" else set()) if forged else ()
            must_refuse(f"{kind} {clean.name}: {shard} has {what}{', forged' if forged else ''}", kind, folder, work, may_pass=ended)
    return odd


def test_whole(work):
    """The sets that most commands read, in every format."""
    for form in FORMATS:
        clean = work / form
        odd = try_set("whole", clean, work)
        if form != "zst":
            continue
        for name in ("stats.json", "README.md", "LICENSE"):
            for what, make in odd.items():
                folder = copy(clean, work / "set")
                make(folder / name)
                must_refuse(f"{name} is {what}", "whole", folder, work, CHECKED)


def test_others(work):
    """Pieces, ranges, harvested sets, those of an earlier format, folders of programs."""
    for kind in ("piece", "range", "harvested", "programs"):
        try_set(kind, work / kind, work)


def test_folders(work):
    """The folder itself is none."""
    kinds = {kind for calls in CALLS.values() for kind, _ in calls}
    for what, make in odd_file(work).items():
        if what in ("a folder", "cut off", "cut off at its end"):
            continue
        clear(work / "set")
        make(work / "set")
        may_wait = {"gpu"} if "pipe" in what else set()  # for a Python file that comes through a pipe
        for kind in kinds:
            must_refuse(f"the folder is {what}", kind, work / "set", work, set(CALLS) - may_wait)
    clear(work / "set")
    for kind in kinds:
        must_refuse("there is no folder", kind, work / "set", work, set(CALLS) - {"produce", "harvest", "standalone"})  # which make it


def test_clean(work):
    """The calls are right: on a set as weft wrote it, each of them is content."""
    for kind in ("whole", "piece", "range", "harvested", "programs"):
        folder = copy(work / ("zst" if kind == "whole" else kind), work / "set")
        for name, call in calls_for(kind, folder, work):
            clear(work / "out")
            if name not in NOT_CLEAN:
                code, err, _ = run(call, work)
                check(code == 0, f"a clean set: weft {' '.join(call)}: {code} {err[-500:]}")
    clear(work / "out")


ODD_NAME = "odd\x1b[2J\x1b]0;title\x07\x7f\u009b"


def test_names(work):
    """A name of a file that would steer the terminal is shown, but not obeyed: every command, with all it takes named so."""
    folder, source = work / ODD_NAME, work / (ODD_NAME + ".py")
    source.write_text("import warp as wp\n\n\n@wp.kernel\ndef f(\n")
    calls = [[name, *(str(p) for p in given), *rest] for name in commands() for given in ([folder], [source], [folder, source])
             for rest in ([], ["-o", folder / "x" / "y"])]
    calls += [[name, "-q", "-o", str(source), *COUNT, "--resume"] for name in ("produce", "standalone", "harvest")]
    calls += [["score", source, source, "--data", folder, "-o", source], ["export", folder, "--format", "hf", "-o", source], [ODD_NAME], ["help", ODD_NAME],
              ["extract", f"--{ODD_NAME}"], ["extract", "-d", ODD_NAME, source], ["produce", "-n", "1", "-o", source / "x"], ["stats", source]]
    for call in calls:
        if call[0] in ("serve", "man", "completions", "bench"):
            continue
        done = subprocess.run([WEFT, *map(str, call)], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        said = (done.stdout + done.stderr).decode(errors="replace")
        check(not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", said), f"weft {call}: {said[:300]!r}")
    clear(folder)
    source.unlink()


def prepare(work):
    for form, options in FORMATS.items():
        check(produce(work / form, *COUNT, *options).returncode == 0, f"the set {form}")
    check(produce(work / "other", "-n", 4, "-s", 8, "--launches", 1).returncode == 0, "another set")
    for i, name in enumerate(("piece", "piece2"), 1):
        check(produce(work / name, *COUNT, "--shard", f"{i}/2").returncode == 0, name)
    check(weft("range", "keys", "--candidates", "0:12", "-o", work / "keys").returncode == 0 and weft("range", "duplicates", work / "keys", "-o", work / "losers").returncode == 0, "losers")
    check(produce(work / "range", "--candidates", "0:12", "--duplicates", work / "losers").returncode == 0, "a range")
    (work / "kernels.py").write_text(
        "import warp as wp\n\n\n@wp.kernel\ndef scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    i = wp.tid()\n    y[i] = 2.5 * x[i]\n")
    check(weft("harvest", work / "kernels.py", "-o", work / "harvested").returncode == 0, "a harvested set")
    check(weft("standalone", "-n", 2, "-o", work / "programs").returncode == 0, "programs")
    check(weft("tasks", work / "zst", "--per-kind", 2, "-o", work / "tasks.jsonl").returncode == 0, "tasks")
    task = (work / "tasks.jsonl").read_text().split('"id": "')[1].split('"')[0]
    (work / "answers.jsonl").write_text(f'{{"id": "{task}", "answer": "nothing"}}\n')
    os.mkfifo(work / "pipe")


def main():
    tests = parts.chosen(test_commands, test_clean, test_whole, test_others, test_folders, test_names)
    need_weft()
    with tempfile.TemporaryDirectory(prefix="weft-readers-") as name:
        work = pathlib.Path(name)
        prepare(work)
        for test in tests:
            test(work)
    return finish("readers")


if __name__ == "__main__":
    sys.exit(main())
