#!/usr/bin/env python3
"""Every category with every kind of task: the record's own text passes, also on hidden launches, and a wrong variant of it does not.

    tests/python/test_judge_kinds.py [--count N] [--seed S] [--categories LIST]

--count: records of each category. Exit code 77 where there is no sandbox to be had."""

import argparse
import collections
import pathlib
import re
import tempfile

import test_judge
from parts import key_file
from test_judge import check, failures, lines_of, right_answer, weft


def wrong_answer(task, record):
    """The right text with its results left out, or what it says about a gradient turned around."""
    if task["form"] == "verdict":
        return "right" if task["given"] != record["cuda_readable"] else "wrong, line 1"
    right = right_answer(task, record)
    if task["form"] == "python":
        head, _, body = right.rpartition("):\n")
        comment = re.match(r'(\s*""".*?"""\n)?', body, re.S).group(0)
        return f"{head}):\n{comment}    pass\n```\n"
    if task["form"] == "warp-cuda":
        kept = [line for line in right.split("\n") if not re.search(r"wp::(adj_\w+|array_store|atomic_\w+|tile_store|tile_atomic\w*|store)\b", line)]
        return "\n".join(kept)
    return test_judge_bodies(right)


def test_judge_bodies(text):
    """Every kernel in it without a body."""
    return re.sub(r"(__global__ void [^{]*)\{.*?\n\}", r"\1{\n}", text, flags=re.S)


def numbers(text):
    return {float(word) for word in re.findall(r"(?<![\w.])(\d+\.?\d*(?:e[+-]?\d+)?)", text)}


def check_description(task, record):
    """A description has all numbers of its kernel, and says how it is launched. tests/python/test_contract.py writes kernels from it."""
    source = re.sub(r'""".*?"""', "", record["python_source"], flags=re.DOTALL)
    source = re.sub(r"#.*", "", source)
    said = numbers(task["prompt"])
    missing = numbers(source) - said - {last + 1 for last in said}  # range(8): from 0 to 7
    check(not missing, f"{task['id']}: its prompt lacks {sorted(missing)}")
    check("wp.launch(kernel, dim=(" in task["prompt"], f"{task['id']}: its prompt lacks the launch")
    check(not record["block_dim"] or f"block_dim={record['block_dim']})" in task["prompt"], f"{task['id']}: its prompt lacks the block")


def categories():
    return [line.split()[0] for line in weft("synth", "--list").stdout.splitlines()]


def make_tasks(folder, chosen, count, seed):
    """Each category in a set of its own, so that each has as many records."""
    tasks, records = [], {}
    for number, category in enumerate(chosen):
        place = folder / category
        weft("produce", "-n", count, "-s", seed + number, "-c", category, "-o", place, "--no-compress", "--full", "-q", "-j", test_judge.JOBS)
        weft("tasks", place, "--all-kinds", "-o", folder / f"{category}.jsonl", "-q")
        tasks.append((category, lines_of(folder / f"{category}.jsonl")))
        records.update({record["id"]: record for path in place.glob("train-*.jsonl") for record in lines_of(path)})
    return tasks, records


def judge(folder, category, tasks, records):
    """Both answers to all tasks of a category: (task, score of the right one, score of the wrong one)."""
    answers = [{"id": task["id"], "answer": make(task, records[task["record"]])} for task in tasks for make in (right_answer, wrong_answer)]
    test_judge.write_lines(folder / "answers.jsonl", answers)
    weft("score", folder / f"{category}.jsonl", folder / "answers.jsonl", "--data", folder / category, "-o", folder / f"{category}.results",
         "--hidden-key", key_file(folder / "fixed.key", 31), "-j", test_judge.JOBS, "-q")
    rows = lines_of(folder / f"{category}.results")
    return list(zip(tasks, rows[::2], rows[1::2]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=8101)
    parser.add_argument("--categories")
    args = parser.parse_args()
    every = categories()
    chosen = args.categories.split(",") if args.categories else every
    seen = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="weft-judge-kinds-") as name:
        folder = pathlib.Path(name)
        sets, records = make_tasks(folder, chosen, args.count, args.seed)
        for category, tasks in sets:
            for task, right, wrong in judge(folder, category, tasks, records):
                seen[task["kind"]] += 1
                if task["kind"] == "description-to-kernel":
                    check_description(task, records[task["record"]])
                check(right["score"] == 1, f"{category}: the reference of {task['id']}: {right}")
                check(wrong["score"] == 0, f"{category}: a wrong answer to {task['id']}: {wrong}")
            if category == "tile":
                forms = {task["form"] for task in tasks}
                check({"warp-cuda", "python"} <= forms, f"tasks of records with tiles: {forms}")
    print(f"{sum(seen.values())} tasks of {len(chosen)} categories, right and wrong: {dict(seen)}; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
