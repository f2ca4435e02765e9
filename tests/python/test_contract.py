#!/usr/bin/env python3
"""Prompts of description-to-kernel tasks determine their kernels: a reader that has the prompt alone writes kernels that pass.

    tests/python/test_contract.py [--count N] [--seed S]

The reader is tools/read_contract.py. Kernels that it writes from prompts with one changed step must fail: so each kind of step is read and
judged. Kernels with something that has no words give no task, and are counted. Exit code 77 where there is no sandbox to be had."""

import argparse
import json
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import claims  # noqa: E402
import read_contract  # noqa: E402
import test_judge  # noqa: E402
from parts import key_file  # noqa: E402
from test_judge import check, failures, lines_of, weft  # noqa: E402

# A step of the prompt, and what it becomes in a wrong one.
CHANGES = [
    (r"- Set (\S+\[\S+\]) to (.*)\.", r"- Set \1 to \2 - \2."),
    (r"- If (.*?) ≥ ", r"- If \1 < "),
    (r" over each (\w+) from 0 to ", r" over each \1 from 1 to "),
    (r"- Atomically add (.*) to (\S+\[.*\])\.", r"- Atomically subtract \1 from \2."),
    (r"- For each (\w+) from (.*) to ", r"- For each \1 from 1 + \2 to "),
]

LEFT_OUT = '''import warp as wp


@wp.kernel
def asserts(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    assert i >= 0, "the index is positive"
    y[i] = x[i] * 2.0 + float(i)


@wp.kernel
def doubles(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    for value in range(3):
        y[i] = y[i] + x[i] * float(value)
'''


def score(folder, tasks, answers):
    test_judge.write_lines(folder / "answers.jsonl", answers)
    (folder / "results.jsonl").unlink(missing_ok=True)
    weft("score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "results.jsonl",
         "--hidden-key", key_file(folder / "fixed.key", 31), "-j", test_judge.JOBS, "-q")
    return lines_of(folder / "results.jsonl")


def answer(task, prompt):
    return {"id": task["id"], "answer": "```python\n" + read_contract.read({**task, "prompt": prompt}) + "```"}


def changed(prompt):
    """The prompt with its last such step changed, for each kind of change that it has a step for."""
    head, mark, steps = prompt.partition("in the launch")
    steps, rules, tail = steps.partition("\n\nFunctions that are not described")
    for pattern, wrong in CHANGES:
        found = list(re.finditer(pattern, steps))
        if found and mark:
            last = found[-1]
            yield pattern, head + mark + steps[: last.start()] + last.expand(wrong) + steps[last.end():] + rules + tail


def check_steps(prompt, task):
    """Every prompt has more than its steps."""
    for words in ("exactly this signature", "wp.launch(kernel, dim=", "Its arguments", "Every access must be within", "For example, a launch"):
        check(words in prompt, f"{task['id']}: its prompt lacks '{words}'")


def check_prompts(folder, count, seed):
    weft("produce", "-n", count, "-s", seed, "-o", folder / "set", "--no-compress", "--full", "-q", "-j", test_judge.JOBS)
    weft("tasks", folder / "set", "--kind", "description-to-kernel", "-o", folder / "tasks.jsonl", "-q")
    tasks = lines_of(folder / "tasks.jsonl")
    check(len(tasks) >= 0.98 * count, f"{len(tasks)} of {count} records have a task")
    for task in tasks:
        check_steps(task["prompt"], task)
    rows = score(folder, tasks, [answer(task, task["prompt"]) for task in tasks])
    wrong = [row for row in rows if row["score"] != 1]
    check(len(wrong) <= 0.005 * count, f"{len(wrong)} of {len(rows)} kernels that were written from prompts fail: {wrong[:3]}")
    return tasks


def check_changes(folder, tasks):
    """Most changes of a step fail; some lead to a kernel that computes the same, or that does not compile."""
    answers, kinds = [], []
    for task in tasks:
        for pattern, prompt in changed(task["prompt"]):
            answers.append(answer(task, prompt))
            kinds.append(pattern)
    rows = score(folder, tasks, answers)
    for pattern, _ in CHANGES:
        scores = [row["score"] for row, kind in zip(rows, kinds) if kind == pattern]
        check(scores and sum(scores) <= 0.25 * len(scores), f"'{pattern}': {sum(scores)} of {len(scores)} wrong steps pass")
    return len(answers)


def check_left_out(folder):
    """A kernel with a statement that the steps have no words for is left out, and counted."""
    (folder / "source").mkdir()
    (folder / "source" / "kernels.py").write_text(LEFT_OUT)
    weft("harvest", folder / "source", "-o", folder / "harvested", "--no-compress", "--full", "-q")
    done = weft("tasks", folder / "harvested", "--kind", "description-to-kernel", "-o", folder / "harvested.jsonl")
    asked = lines_of(folder / "harvested.jsonl")
    check([task["kernel_name"] for task in asked] == ["doubles"], f"tasks of harvested kernels: {asked}")
    check("1 left out: the kernel has a statement that the prompt cannot describe" in done.stderr, f"what was left out: {done.stderr}")


CLAIMING = {"description": "Counts the rows, whose mask is zero.\n\nIf …", "python_source": "def k():\n    return"}


def check_claims(count, seed):
    """Words of summaries that the code does not keep: there are none, and the tool does find one."""
    check(len(list(claims.broken_claims(CLAIMING))) == 2, "a false claim is found")
    records = [json.loads(line) for line in weft("synth", "-n", count, "-s", seed, "--json").stdout.splitlines()]
    for record in records:
        for claim in claims.broken_claims(record):
            check(False, f"'{claim}' is not kept: {record['description'].split(chr(10))[0]}\n{record['python_source']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=38006)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-contract-") as name:
        folder = pathlib.Path(name)
        tasks = check_prompts(folder, args.count, args.seed)
        changes = check_changes(folder, tasks)
        check_left_out(folder)
    check_claims(20 * args.count, args.seed)
    print(f"{len(tasks)} kernels written from their prompts, {changes} from wrong prompts; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
