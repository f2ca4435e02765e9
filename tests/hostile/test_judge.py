#!/usr/bin/env python3
"""weft score and hostile answers: none does harm, none passes, and a right answer beside each passes.

What is watched from outside: a file that must stay as it is, files that must not appear, processes that must not stay, and the time that
it takes. Without arguments a few are tried; --all: all of them; --gpu: those for a GPU, on one. Exit code 77 where there is no sandbox to be had,
or no GPU."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import judge_answers
from sets import WEFT, check, failures, parts, weft


def records(folder):
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def first_input(launch):
    changed = {row["name"] for row in launch["outputs"]}
    rows = [r for r in launch["inputs"] if r["floats"] and len(r["shape"]) == 1 and not r["field"] and r["name"] not in changed]
    return rows[0] if rows else None


def hard_coded(record):
    """Knows the launches that everybody can see, by their size and their first number."""
    name, text = record["kernel_name"], record["cuda_readable"]
    body = ""
    for launch in record["launches"]:
        threads = 1
        for size in launch["dim"]:
            threads *= size
        first = first_input(launch)
        body += f"    if (threads == {threads} && {first['name']}[0] == {first['floats'][0]!r}f) {{\n"
        for row in launch["outputs"]:
            numbers = ", ".join(repr(x) + "f" for x in row["floats"])
            body += f"        static const float known_{row['name']}[] = {{{numbers}}};\n"
            body += f"        for (int k = 0; k < {len(row['floats'])}; ++k) {row['name']}[k] = known_{row['name']}[k];\n"
        body += "        return;\n    }\n"
    return judge_answers.with_body(text, name, body)


def is_plain(record):
    """One dimension, and plain floats go in and come out."""
    dims = [launch["dim"] for launch in record["launches"]]
    return (
        record["cuda_readable"]
        and all(len(dim) == 1 for dim in dims)
        and all(first_input(launch) for launch in record["launches"])
        and all(row["floats"] and not row["field"] and len(row["shape"]) == 1 for l in record["launches"] for row in l["outputs"])
    )


def processes_with(word):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def score(folder, tasks, answers, *args, set="set", **keywords):
    (folder / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers))
    result = folder / "results.jsonl"
    result.unlink(missing_ok=True)
    done = weft("score", tasks, folder / "answers.jsonl", "--set", folder / set, "-o", result, "-j", 2, *args, timeout=600, **keywords)
    lines = [json.loads(line) for line in result.read_text().splitlines()] if result.exists() else []
    return done, lines


def try_all(folder, hostile, *options):
    weft("produce", "-n", 40, "-s", 77, "-o", folder / "set", "--no-compress", "-c", "arithmetic,scalar_param,math", "-q")
    weft("tasks", folder / "set", "--kind", "python-to-readable", "-o", folder / "tasks.jsonl", "-q")
    plain = [record for record in records(folder / "set") if is_plain(record)]
    if not check(plain, "a record with plain outputs"):
        return
    record = plain[0]
    right, name = record["cuda_readable"], record["kernel_name"]
    task = record["id"] + "/python-to-readable"
    canary = folder / "canary.h"
    canary.write_text("this is not for answers\n")
    temporary = folder / "tmp"
    temporary.mkdir()
    answers = []
    for make in hostile.values():
        answers += [{"id": task, "answer": make(right, name, canary)}, {"id": task, "answer": f"So:\n```cuda\n{right}```\n"}]
    answers += [{"id": task, "answer": hard_coded(record)}, {"id": task, "answer": right}]
    names = [*hostile, "knows the launches by their size"]
    before, began = sorted(p.name for p in pathlib.Path("/tmp").iterdir()), time.monotonic()
    environment = {**os.environ, "TMPDIR": str(temporary), "SECRET": "not for answers"}
    opened = os.open(folder / "inherited", os.O_RDWR | os.O_CREAT)
    inherited = os.dup2(opened, 77)  # a number that the judge does not use itself
    done, lines = score(folder, folder / "tasks.jsonl", answers, "--hidden-key", parts.key_file(folder / "fixed.key", 9), "--run-time", 1, "--compile-time", 6, *options, env=environment,
                        pass_fds=[inherited])
    if done.returncode and any(missing in done.stderr for missing in ("bubblewrap", "no GPU", "NVRTC")):
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    check(done.returncode == 0, f"weft score ends with {done.returncode}: {done.stderr}")
    if not check(len(lines) == len(answers), f"{len(lines)} of {len(answers)} lines"):
        return
    for i, what in enumerate(names):
        bad, good = lines[2 * i], lines[2 * i + 1]
        check(bad["score"] == 0 and bad["reason"], f"an answer that {what}: {bad}")
        check("exit code 66" not in (bad["reason"] or ""), f"an answer that {what} did it: {bad}")
        check(good["score"] == 1, f"the right one beside an answer that {what}: {good}")
        print(f"{what}: {bad['reason']}")
    check("not for answers" not in (folder / "results.jsonl").read_text(), "nothing of the host's files or environment is told")
    check(canary.read_text() == "this is not for answers\n", "the file of the host is as it was")
    check((folder / "inherited").read_bytes() == b"", "what weft has open by inheritance is not open to answers")
    os.close(inherited)
    os.close(opened)
    check(not any(temporary.iterdir()), "nothing is left in the temporary folder")
    check(not processes_with(str(temporary)), "no process is left")
    check(sorted(p.name for p in pathlib.Path("/tmp").iterdir() if p.name in ("link", "f0", "answer.so")) == [n for n in before if n in ("link", "f0", "answer.so")],
          "no file appears outside")
    check(time.monotonic() - began < 20 * len(answers), "it ends in time")
    if options:
        return
    # without hidden launches, whoever knows the open ones passes: that is what they are for
    done, lines = score(folder, folder / "tasks.jsonl", [{"id": task, "answer": hard_coded(record)}], "--open-launches")
    check(lines and lines[0]["score"] == 1, f"what is hard-coded passes the open launches: {lines}")


def atomic_results(record):
    """The bytes of what an atomic minimum or maximum leaves, which the backward kernel is given; and those of an input of the forward kernel."""
    if not record["readable_backward"] or not re.search(r"atomic_?(min|max)\(", record["cuda_readable"] or "", re.IGNORECASE):
        return None
    for launch in record["launches"]:
        start = {row["name"]: row for row in launch["inputs"] if row["floats"]}
        for row in launch["outputs"]:
            updated = re.search(rf"atomic_?(min|max)\(&{row['name']}\[", record["cuda_readable"], re.IGNORECASE)
            moved = updated and row["floats"] and len({x for x, y in zip(row["floats"], start[row["name"]]["floats"]) if x != y})
            if moved and moved > 1 and len(row["floats"]) < 60:
                given = next(r for r in start.values() if r["name"] not in {o["name"] for o in launch["outputs"]} and len(set(r["floats"])) > 3)
                return [struct.pack(f"<{len(r['floats'])}f", *r["floats"]) for r in (row, given)]
    return None


def results_are_elsewhere(folder):
    """While the forward kernel can run, nothing in its process holds results that only the backward kernel is given."""
    weft("produce", "-n", 60, "-s", 77, "-o", folder / "set2", "--no-compress", "-c", "atomic", "-q")
    weft("tasks", folder / "set2", "--kind", "python-to-gradient", "-o", folder / "tasks2.jsonl", "-q", "--all-kinds")
    found = [(record, atomic_results(record)) for record in records(folder / "set2")]
    found = [(record, wanted) for record, wanted in found if wanted][:2]
    check(found, "a record with an atomic minimum or maximum")
    answers = [{"id": record["id"] + "/python-to-gradient", "answer": judge_answers.looks_for(bytes_)(record["cuda_readable"])}
               for record, wanted in found for bytes_ in wanted]
    done, lines = score(folder, folder / "tasks2.jsonl", answers, set="set2")
    check(len(lines) == len(answers), f"{len(lines)} of {len(answers)} lines: {done.stderr}")
    for results, inputs in zip(lines[::2], lines[1::2]):
        # the backward kernel's process may find what it is given
        check(results["forward"], f"an answer that looks for results before its forward kernel runs: {results}")
        check("exit code 77" in (inputs["reason"] or ""), f"the same search finds inputs: {inputs}")


def control_groups():
    """Where control groups with a limit on memory can be made; None: nowhere."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        number, names, own = line.split(":", 2)
        root = "/sys/fs/cgroup/memory" if names == "memory" else "/sys/fs/cgroup" if number == "0" else None
        base = pathlib.Path(root + own) if root else None
        probe = base / "weft-test" if base and os.access(base, os.W_OK) else None
        try:
            if probe:
                probe.mkdir()
                usable = any((probe / name).exists() for name in ("memory.max", "memory.limit_in_bytes"))
                probe.rmdir()
                if usable:
                    return base
        except OSError:
            pass
    return None


def memory_is_caged(folder):
    """Where the system has control groups, all processes of a sandbox together have no more memory than theirs."""
    base = control_groups()
    if not base:
        print("no control groups here: memory is limited process by process")
        return
    take = "b = bytearray(%d << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\nprint('done')"
    for megabytes, fits in ((16, True), (400, False)):
        process = subprocess.run([WEFT, "inside-cage", str(base), str(128 << 20), sys.executable, "-c", take % megabytes], capture_output=True, text=True)
        check(("done" in process.stdout) == fits, f"{megabytes} MB in a group of 128 MB: {process}")
    for left in base.glob("weft-*"):
        left.rmdir()
    with subprocess.Popen([WEFT, "score", folder / "tasks.jsonl", folder / "answers.jsonl", "--set", folder / "set", "-o", folder / "caged.jsonl", "-q"],
                          stdout=subprocess.DEVNULL) as process:
        seen = set()
        while process.poll() is None:
            seen |= {path.name for path in base.glob("weft-*")}
    check(seen, "weft score puts answers into groups")
    check(not list(base.glob("weft-*")), "no group is left")


def refuses_without_sandbox(folder):
    """A bwrap that fails, and none at all: nothing is run."""
    fake = folder / "bin"
    fake.mkdir()
    for tool in ("g++", "gcc", "as", "ld"):
        if shutil.which(tool):
            (fake / tool).symlink_to(shutil.which(tool))
    environment = {**os.environ, "PATH": str(fake)}
    answers = [json.loads((folder / "answers.jsonl").read_text().splitlines()[0])]
    done, lines = score(folder, folder / "tasks.jsonl", answers, env=environment)
    check(done.returncode == 1 and "bubblewrap (bwrap) is not installed" in done.stderr and not lines, f"without bwrap: {done.stderr}")
    (fake / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n")
    (fake / "bwrap").chmod(0o755)
    environment["PATH"] += ":/usr/bin:/bin"
    done, lines = score(folder, folder / "tasks.jsonl", answers, env=environment)
    check(done.returncode == 1 and "never run without one" in done.stderr and not lines, f"with a bwrap that fails: {done.stderr}")


def main():
    on_gpu = "--gpu" in sys.argv
    hostile = {**judge_answers.QUICK, **(judge_answers.OTHERS if "--all" in sys.argv else {})}
    hostile = judge_answers.ON_GPU if on_gpu else hostile
    with tempfile.TemporaryDirectory(prefix="weft-judge-test-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        try_all(folder, hostile, *(["--gpu"] if on_gpu else []))
        refuses_without_sandbox(folder)
        if not on_gpu:
            memory_is_caged(folder)
            results_are_elsewhere(folder)
    print(f"{len(hostile) + 1} hostile answers, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
