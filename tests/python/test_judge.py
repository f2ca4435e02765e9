#!/usr/bin/env python3
"""weft tasks and weft score: tasks hold no answers, the set's own texts pass, wrong ones fail, a killed run goes on.

    tests/python/test_judge.py [--count N] [--seed S] [--jobs J]

Exit code 77 where there is no sandbox to be had."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from parts import key_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
JOBS = 2
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")
    return bool(condition)


def weft(*args, code=0):
    done = subprocess.run([WEFT, *map(str, args)], capture_output=True, text=True)
    if done.returncode == 1 and "bubblewrap" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    check(done.returncode == code, f"weft {' '.join(map(str, args))}: {done.returncode}: {done.stderr}")
    return done


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def right_answer(task, record):
    if task["form"] == "verdict":
        pairs = zip(record["cuda_readable"].split("\n"), task["given"].split("\n"))
        wrong = [number for number, (right, given) in enumerate(pairs, 1) if right != given]
        return f"Let me see.\n\n**wrong, line {wrong[0]}**" if wrong else "It looks fine.\nRight."
    if task["form"] == "warp-cuda":
        text = record["cuda_helpers"] + "\n" + record["cuda_backward" if task["kind"] == "cuda-to-backward" else "cuda_forward"]
    else:
        text = record["python_source" if task["form"] == "python" else "cuda_readable"]
    return f"This should do:\n\n```{task['form']}\n{text}\n```\n\nIt does."


def check_tasks(folder, tasks, records):
    kinds = {task["kind"] for task in tasks}
    listed = {line.split()[0] for line in weft("tasks", "--list").stdout.splitlines()}
    check(kinds == listed, f"kinds of the tasks: {kinds}, of --list: {listed}")
    check(len({task["id"] for task in tasks}) == len(tasks), "every task has an id of its own")
    weft("tasks", folder / "set", "--all-kinds", "-o", folder / "again.jsonl", "-q")
    check((folder / "again.jsonl").read_bytes() == (folder / "tasks.jsonl").read_bytes(), "the same tasks again")
    for task in tasks:
        record = records[task["record"]]
        if record["readable_backward"] and not task["given"]:
            end = record["cuda_readable"].rstrip()[-200:]  # of the backward kernel
            check(end not in task["prompt"], f"{task['id']}: the backward kernel stands in its prompt")
        if task["given"]:
            check(task["given"].split("\n").count("") <= record["cuda_readable"].split("\n").count(""), f"{task['id']}: an empty line tells where")
        check(task["kernel_name"] in task["prompt"], f"{task['id']}: its prompt has no signature")
        if task["kind"] == "description-to-kernel":
            check("def " + record["kernel_name"] in task["prompt"], f"{task['id']}: its prompt has no signature")


def score(folder, answers, *args, name="results.jsonl", tasks="tasks.jsonl", code=0):
    write_lines(folder / "answers.jsonl", answers)
    (folder / name).unlink(missing_ok=True)
    done = weft("score", folder / tasks, folder / "answers.jsonl", "--data", folder / "set", "-o", folder / name,
                "--hidden-key", key_file(folder / "fixed.key", 31), "-j", JOBS, "-q", *args, code=code)
    return done, lines_of(folder / name)


def check_references(folder, tasks, records):
    answers = [{"id": task["id"], "answer": right_answer(task, records[task["record"]])} for task in tasks]
    began = time.monotonic()
    done, lines = score(folder, answers, "--json")
    wrong = [line for line in lines if line["score"] != 1]
    check(not wrong, f"{len(wrong)} of {len(lines)} references do not pass: {wrong[:3]}")
    print(f"{len(lines)} references, {len(wrong)} do not pass, {(time.monotonic() - began) / len(lines):.2f} s per answer, {JOBS} at a time")
    for kind in sorted({line["kind"] for line in lines}):
        own = [line["score"] for line in lines if line["kind"] == kind]
        print(f"    {kind}: {own.count(1)} of {len(own)} pass")
    summary = json.loads(done.stdout)
    check(summary["passed"] == len(lines) - len(wrong), "the summary counts them")
    return answers


def blocks_of(prompt):
    """Its blocks of code, without numbers of lines."""
    blocks = [block.partition("\n")[2] for block in prompt.split("```")[1::2]]
    return ["\n".join(re.sub(r"^ *\d+  ", "", line) for line in block.split("\n")) for block in blocks]


def copied_answer(task, others):
    """What a script answers that knows nothing but the other prompts of the record."""
    blocks = [block for other in others for block in blocks_of(other["prompt"])]
    if task["form"] == "verdict":
        own = task["given"].split("\n")
        for block in blocks:
            wrong = [n for n, (a, b) in enumerate(zip(own, block.split("\n")), 1) if a != b]
            if len(wrong) == 1:
                return f"wrong, line {wrong[0]}"
        return "right"
    named = [block for block in blocks if task["kernel_name"] in block and block not in blocks_of(task["prompt"])]
    wanted = {"python": "@wp.kernel", "cuda": "__global__", "warp-cuda": "var_"}[task["form"]]
    return max((block for block in named if wanted in block), key=len, default="")


def check_copying(folder):
    """Answers that are copied from the record's other prompts pass with --all-kinds, and not by default: each record has one task."""
    for name, options in (("many", ["--all-kinds"]), ("single", [])):
        weft("tasks", folder / "set", *options, "-o", folder / f"{name}.jsonl", "-q")
    passed = {}
    for name in ("many", "single"):
        tasks = lines_of(folder / f"{name}.jsonl")
        answers = []
        for task in tasks:
            others = [other for other in tasks if other["record"] == task["record"] and other is not task]
            answers.append({"id": task["id"], "answer": copied_answer(task, others)})
        rows = [row for row in score(folder, answers, tasks=f"{name}.jsonl")[1] if row["kind"] != "wrong-gradient" or name == "many"]
        passed[name] = sum(row["score"] for row in rows)
        print(f"copied answers, {name}: {passed[name]} of {len(rows)} pass")
    check(len({task["record"] for task in tasks}) == len(tasks), "one task per record by default")
    check(passed["many"] > 0, "copied answers pass with --all-kinds, so the script works")
    check(passed["single"] == 0, f"{passed['single']} copied answers pass by default")


def check_wrong(folder, tasks, records):
    """Another form, nothing, another kernel, words alone: none passes."""
    answers = []
    for task in tasks[:7:2]:
        record = records[task["record"]]
        other = record["cuda_readable"] if task["form"] == "python" else record["python_source"]
        answers += [{"id": task["id"], "answer": text} for text in ("", "I cannot do that.", f"```\n{other}\n```", "```cuda\n")]
    for task in tasks:  # a backward kernel in Warp's form that passes nothing on
        if task["kind"] == "cuda-to-backward":
            lines = right_answer(task, records[task["record"]]).split("\n")
            answers.append({"id": task["id"], "answer": "\n".join(line for line in lines if "    wp::adj_" not in line)})
            break
    _, lines = score(folder, answers)
    passing = [line for line in lines if line["score"] != 0]
    check(len(lines) == len(answers) and not passing, f"wrong answers that pass: {passing}")


def check_no_text(folder, tasks, records):
    """NUL, half of a surrogate pair and bytes that are not UTF-8: the answer fails alone, the others are judged."""
    task = next(task for task in tasks if task["kind"] == "description-to-kernel")
    right = right_answer(task, records[task["record"]])
    lines = [json.dumps({"id": task["id"], "answer": text}) for text in ("a\0b" + right, "a\ud800" + right, right + " \U0001f600", right)]
    raw = [line.encode() for line in lines] + [lines[3].encode().replace(b"This", b"\xff\xfeThis")]
    (folder / "answers.jsonl").write_bytes(b"\n".join(raw) + b"\n")
    (folder / "odd.jsonl").unlink(missing_ok=True)
    weft("score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "odd.jsonl", "--open-launches", "-q")
    rows = lines_of(folder / "odd.jsonl")
    check([row["score"] for row in rows] == [0, 0, 1, 1, 0], f"answers that are not text: {rows}")
    check("not text" in rows[0]["reason"] and rows[0]["reason"] == rows[1]["reason"] == rows[4]["reason"], f"and why: {rows[0]['reason']}")


def check_balance(folder, records):
    """Always saying `right` passes for half of the questions about gradients; its balanced accuracy is one half."""
    for seed in range(20):  # until both answers are there
        (folder / "asked.jsonl").unlink(missing_ok=True)
        weft("tasks", folder / "set", "--kind", "wrong-gradient", "-s", seed, "-o", folder / "asked.jsonl", "-q")
        asked = lines_of(folder / "asked.jsonl")
        if len({task["given"] == records[task["record"]]["cuda_readable"] for task in asked}) == 2:
            break
    done, rows = score(folder, [{"id": task["id"], "answer": "right"} for task in asked], "--json", tasks="asked.jsonl")
    kinds = {row["score"] for row in rows}
    check(json.loads(done.stdout)["balanced_accuracy"] == (0.5 if len(kinds) == 2 else None), f"balanced accuracy of `right`: {done.stdout[:200]}")
    check(len(kinds) == 2, "the set has right and wrong gradients")


def check_reasons(folder, tasks, records):
    """What is said of answers that do not compile helps, and is the same on every machine and in every run."""
    task = next(task for task in tasks if task["kind"] == "python-to-readable")
    right = records[task["record"]]["cuda_readable"]
    texts = {"cut off": right.rstrip().rstrip("}"), "nothing": "", "another name": right.replace(task["kernel_name"], "other")}
    answers = [{"id": task["id"], "answer": text} for text in texts.values()]
    reasons = [line["reason"] for line in score(folder, answers)[1]]
    check(not any("/" in reason for reason in reasons), f"no reason names a folder: {reasons}")
    check(reasons[0].startswith("it does not compile: at its end: error: "), f"of an answer that is cut off: {reasons[0]}")
    check(reasons[1:] == [f"it does not compile: there is no kernel '{task['kernel_name']}' in it"] * 2, f"without the kernel: {reasons[1:]}")


def check_assertions(folder, tasks, records):
    """Answers in Warp's form are compiled without assertions, as Warp compiles its own: some of its backward kernels do not meet those of its headers."""
    for task in [task for task in tasks if task["kind"] == "cuda-to-backward"][:1]:
        before, body = right_answer(task, records[task["record"]]).rsplit(")\n{\n", 1)
        _, lines = score(folder, [{"id": task["id"], "answer": before + ")\n{\n    assert(false);\n" + body}])
        check([line["score"] for line in lines] == [1], f"with an assertion: {lines}")


def check_mutants(folder, records):
    """Each has one change, in the line that it names, and none passes as an answer."""
    weft("mutate", folder / "set", "-o", folder / "wrong.jsonl", "-q")
    mutants = lines_of(folder / "wrong.jsonl")
    check({mutant["form"] for mutant in mutants} == {"python", "cuda", "gradient"}, "all forms of mutants")
    for mutant in mutants:
        record = records[mutant["record"]]
        text = record["python_source" if mutant["form"] == "python" else "cuda_readable"].removeprefix("import warp as wp\n\n\n").split("\n")  # as in prompts
        wrong = mutant["answer"].split("\n")
        changed = [i for i, (a, b) in enumerate(zip(text, wrong), 1) if a != b]
        if len(wrong) < len(text):  # a statement is left out with its line
            changed = [mutant["line"]] if text[: mutant["line"] - 1] + text[mutant["line"] :] == wrong else changed
        check(changed == [mutant["line"]] and mutant["difference"], f"one change in the line it names: {mutant['change']}, {changed}")
        check(text[mutant["line"] - 1].strip().startswith(mutant["before"]), f"the line before: {mutant['before']}")
    _, lines = score(folder, [{"id": m["id"], "answer": m["answer"]} for m in mutants])
    passing = [line for line in lines if line["score"] != 0]
    check(len(lines) == len(mutants) and not passing, f"wrong variants that pass: {passing}")
    print(f"{len(mutants)} wrong variants, {len(passing)} pass")
    again = weft("mutate", folder / "set", "-q").stdout
    check(again == (folder / "wrong.jsonl").read_text(), "the same variants again")


def check_resume(folder, answers):
    """Killed in the middle, also within a line: the same bytes and the same summary."""
    answers = answers[:7]
    whole, _ = score(folder, answers, name="whole.jsonl")
    command = [WEFT, "score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "parts.jsonl",
               "--hidden-key", key_file(folder / "fixed.key", 31), "-j", "2", "-q"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        for _ in range(600):
            if (folder / "parts.jsonl.part").exists() and (folder / "parts.jsonl.part").read_bytes().count(b"\n") >= 3:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    check(not (folder / "parts.jsonl").exists(), "results that are not all there have their name")
    with open(folder / "parts.jsonl.part", "ab") as file:
        file.write(b'{"id": "half a li')
    done = weft(*command[1:], code=1)
    check("continue it with --resume" in done.stderr, f"what was killed is not overwritten: {done.stderr}")
    done = weft(*command[1:], "--resume")
    check((folder / "parts.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes(), "the same lines after a kill")
    check(done.stdout == whole.stdout, "the same summary after a kill")
    done = weft(*command[1:], code=1)
    check("--resume" in done.stderr, f"an existing file is not overwritten: {done.stderr}")
    write_lines(folder / "answers.jsonl", answers[1:])
    done = weft(*command[1:], "--resume", code=1)
    check("not the line of the answer" in done.stderr, f"results of other answers are not continued: {done.stderr}")


def check_keys(folder, answers):
    """Hidden launches are drawn from a key of 128 random bits outside of the set; results hold a salted commitment and nothing else of it."""
    write_lines(folder / "answers.jsonl", answers[:2])
    call = ["score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-q", "-o"]
    weft(*call, folder / "first.jsonl")
    key = folder / "first.jsonl.key"
    words = dict(line.split() for line in key.read_text().splitlines()[1:])
    check(key.stat().st_mode & 0o777 == 0o600 and len(words["key"]) == 32, f"the key is its owner's alone: {oct(key.stat().st_mode)}")
    text = (folder / "first.jsonl").read_text()
    salted = hashlib.sha256(b"weft hidden key\0" + bytes.fromhex(words["salt"] + words["key"])).hexdigest()[:32]
    check(words["key"] not in text and {row["hidden"] for row in lines_of(folder / "first.jsonl")} == {f"{words['salt']}-{salted}"}, f"the commitment: {text}")
    weft(*call, folder / "second.jsonl")
    first, second = lines_of(folder / "first.jsonl"), lines_of(folder / "second.jsonl")
    check([row["hash"] for row in first] == [row["hash"] for row in second] and first[0]["hidden"] != second[0]["hidden"], "another key, the same hashes")
    weft(*call, folder / "third.jsonl", "--hidden-key", key)
    check((folder / "third.jsonl").read_text() == text, "the same key, the same lines")
    done = weft(*call, folder / "second.jsonl", "--resume", "--hidden-key", key, code=1)
    check("other tasks, answers or key" in done.stderr, f"results with another key are not continued: {done.stderr}")
    done = weft(*call, folder / "fourth.jsonl", "--hidden-key", folder / "set" / "own.key", code=1)
    check("does not belong" in done.stderr and not (folder / "set" / "own.key").exists(), f"a key in the set: {done.stderr}")


def check_pass_at_k(folder, tasks, records):
    """Two answers, one of them right: pass@1 is a half, pass@2 is one."""
    task = tasks[0]
    answers = [{"id": task["id"], "answer": a} for a in ("no", right_answer(task, records[task["record"]]))]
    write_lines(folder / "one.jsonl", [task])
    write_lines(folder / "answers.jsonl", answers)
    (folder / "k.jsonl").unlink(missing_ok=True)
    done = weft("score", folder / "one.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "k.jsonl", "--open-launches", "--json", "-q")
    at = {row["k"]: row["value"] for row in json.loads(done.stdout)["groups"][0]["pass_at"]}
    check(at == {1: 0.5, 2: 1.0}, f"pass@k of one right answer in two: {at}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=5, help="records")
    parser.add_argument("--seed", type=int, default=506)
    parser.add_argument("--jobs", type=int, default=JOBS)
    args = parser.parse_args()
    globals()["JOBS"] = args.jobs
    with tempfile.TemporaryDirectory(prefix="weft-judge-") as name:
        folder = pathlib.Path(name)
        weft("produce", "-n", args.count, "-s", args.seed, "-o", folder / "set", "--no-compress", "--full", "-q", "-j", JOBS)
        weft("tasks", folder / "set", "--all-kinds", "-o", folder / "tasks.jsonl", "-q")
        records = {record["id"]: record for path in (folder / "set").glob("train-*.jsonl") for record in lines_of(path)}
        tasks = lines_of(folder / "tasks.jsonl")
        check_tasks(folder, tasks, records)
        environments = [ROOT / ".venv", pathlib.Path(os.environ.get("VIRTUAL_ENV", ROOT / ".venv"))]
        if not any(list(e.glob("lib/python3*/site-packages/warp/native/builtin.h")) for e in environments):
            print("without Warp's headers: no answers in its form")
            tasks = [task for task in tasks if task["form"] != "warp-cuda"]
        answers = check_references(folder, tasks, records)
        check_copying(folder)
        check_wrong(folder, tasks, records)
        check_no_text(folder, tasks, records)
        check_balance(folder, records)
        check_reasons(folder, tasks, records)
        check_assertions(folder, tasks, records)
        check_mutants(folder, records)
        check_resume(folder, answers)
        check_keys(folder, answers)
        check_pass_at_k(folder, tasks, records)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
