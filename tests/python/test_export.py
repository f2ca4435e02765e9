#!/usr/bin/env python3
"""`weft export`: every record that serves for a task is there once, in its split; a question has all that its answer needs, and the
signature asked for; what cannot be exported is refused. That trainers accept the rows is tested by test_loaders.py."""

import json
import os
import pathlib
import re
import sys
import tempfile

import test_produce
from test_produce import check, weft

TASKS = ["python-to-cuda", "python-to-readable", "python-to-gradient", "cuda-to-backward", "cuda-to-python", "description-to-kernel", "warp-gradient"]
SPLITS = ("train", "validation", "test")


def rows_of(folder, split):
    return [json.loads(line) for path in sorted(folder.glob(f"{split}-*.jsonl")) for line in open(path)]


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)\n```", text, re.DOTALL)


def kernel_of(record):
    """python_source without its import, which prompts say stands before it."""
    assert record["python_source"].startswith("import warp as wp\n\n\n")
    return record["python_source"].split("\n", 1)[1].strip()


def tokens_of(text):
    return len(re.findall(r"\w+|[^\w\s]", text))


def serves(record, task):
    """Does a record serve for a task? Its answer, or None."""
    cuda = (record["cuda_helpers"] + record["cuda_forward"]).strip()
    if task == "python-to-cuda":
        return cuda
    if task == "cuda-to-backward":
        return record["gradient_verdict"] == "pass" and record["cuda_backward"] and record["cuda_backward"].strip()
    if task in ("python-to-readable", "python-to-gradient"):
        fits = record["cuda_readable"] and record["readable_backward"] == (task == "python-to-gradient")
        return record["cuda_readable"].strip() if fits and (task == "python-to-readable" or record["gradient_verdict"] == "pass") else None
    if task == "warp-gradient":
        return {"pass": "right", "mismatch": "wrong"}.get(record["gradient_verdict"]) if record["cuda_backward"] else None
    return kernel_of(record)


def signatures_of(block, code):
    """Those of kernels without a body; structs may stand before them."""
    if code == "python":
        return [block[block.index("@wp.kernel") :]] if "@wp.kernel" in block and block.endswith("):") else []
    return [found.strip() for found in re.findall(r'(?:extern "C" )?__global__ [^;{]*(?=;|\Z)', block)]


def check_row(record, task, prompt, answer):
    name = f"{record['id']}, {task}"
    expected = serves(record, task)
    code = "python" if task in ("cuda-to-python", "description-to-kernel") else "cuda"
    if task == "warp-gradient":
        check(answer == expected, f"{name}: the answer is {answer!r}")
    else:
        check(blocks(answer, code) == [expected], f"{name}: the answer is not the text of the record")
        # Every signature that the question asks for is in the answer, as it stands there, and no kernel is missing.
        start = "@wp.kernel" if code == "python" else "__global__"
        signatures = [signature for block in blocks(prompt, code) for signature in signatures_of(block, code)]
        check(signatures and all(block in expected for block in signatures), f"{name}: the signature is not in the answer")
        check(sum(block.count(start) for block in signatures) == expected.count(start), f"{name}: a signature is missing")
        check(expected not in prompt, f"{name}: the question has the answer")
    given = {"python-to-cuda": ["python_source"], "cuda-to-backward": ["cuda_forward"], "python-to-readable": ["python_source"], "python-to-gradient": ["python_source"],
             "cuda-to-python": ["cuda_forward"], "description-to-kernel": ["description"], "warp-gradient": ["python_source", "cuda_backward"]}
    told = {column: record[column].split("\n\n")[0] if column == "description" else kernel_of(record) if column == "python_source" else record[column]
            for column in given[task]}
    check(all(text.strip() in prompt for text in told.values()), f"{name}: the question lacks what it is about")


def test_prompts(work):
    """A kind of task has the same prompt in an export and in `weft tasks`."""
    done = weft("tasks", work / "lines", "--all-kinds", "-o", work / "tasks.jsonl")
    check(done.returncode == 0, f"weft tasks: {done.stderr}")
    asked = {(task["record"], task["kind"]): task["prompt"] for task in map(json.loads, open(work / "tasks.jsonl"))}
    rows = [row for split in SPLITS for row in rows_of(work / "trl" / "prompt_completion", split)]
    both = [row for row in rows if (row["id"], row["task"]) in asked]
    check({row["task"] for row in both} == set(TASKS) - {"warp-gradient"}, f"kinds that both have: {sorted({row['task'] for row in both})}")
    different = [row["id"] + "/" + row["task"] for row in both if asked[row["id"], row["task"]] != row["prompt"]]
    check(not different, f"{len(different)} of {len(both)} prompts differ: {different[:3]}")


def test_rows(work, records):
    expected = {(split, task): {r["id"]: r for r in records[split] if serves(r, task)} for split in SPLITS for task in TASKS}
    check(all(any(expected[split, task] for split in SPLITS) for task in TASKS), "the set lacks records for a task")
    for target, config, parts in (("trl", "messages", lambda row: [m["content"] for m in row["messages"]]),
                                  ("trl", "prompt_completion", lambda row: [row["prompt"], row["completion"]]),
                                  ("alpaca", ".", lambda row: [(row["instruction"] + "\n\n" + row["input"]).strip(), row["output"]])):
        for split in SPLITS:
            seen = {task: set() for task in TASKS}
            for row in rows_of(work / target / config, split):
                record = expected[split, row["task"]].get(row["id"])
                check(record and row["id"] not in seen[row["task"]], f"{target}: {row['id']} does not belong here, or is there twice")
                seen[row["task"]].add(row["id"])
                if record:
                    check_row(record, row["task"], *parts(row))
            for task in TASKS:
                check(len(seen[task]) == len(expected[split, task]), f"{target}, {split}, {task}: {len(seen[task])} of {len(expected[split, task])} rows")
    roles = [[m["role"] for m in row["messages"]] for row in rows_of(work / "trl" / "messages", "train")]
    check(all(r == ["user", "assistant"] for r in roles), "trl: roles")


def test_layout(work):
    for target, folders in {"hf": ["data", "cuda-to-python", "warp-gradient"], "trl": ["messages", "prompt_completion"], "alpaca": ["."], "verl": ["."], "parquet": ["."]}.items():
        suffix = "jsonl" if target in ("trl", "alpaca") else "parquet"
        files = sorted(os.path.normpath(f"{folder}/{split}-00000.{suffix}") for folder in folders for split in SPLITS)
        check(sorted(contents(work / target)) == sorted([*files, "README.md", "weft_math.cuh"]), f"{target}: {sorted(contents(work / target))}")
        card = (work / target / "README.md").read_text()
        for file in files:
            check(f'path: "{file.replace("00000", "*")}"' in card, f"{target}: the card does not name {file}")


def test_tokens(work, records):
    """--max-tokens leaves out what is longer, and says how much that is."""
    rows = [row for split in SPLITS for row in rows_of(work / "trl" / "prompt_completion", split)]
    long = [row["id"] + row["task"] for row in rows if tokens_of(row["prompt"]) + tokens_of(row["completion"]) > 2000]
    done = weft("export", work / "lines", "--format", "trl", "-o", work / "short", "--max-tokens", 2000)
    left = [row["id"] + row["task"] for split in SPLITS for row in rows_of(work / "short" / "prompt_completion", split)]
    check(done.returncode == 0 and f"{len(long)} have more than 2000 tokens and were left out" in done.stderr, f"--max-tokens: {done.stderr}")
    check(0 < len(left) < len(rows) and sorted(left + long) == sorted(row["id"] + row["task"] for row in rows), "--max-tokens: other rows")
    columns = ("python_source", "cuda_forward", "cuda_backward", "cuda_readable")
    counts = [max(tokens_of(record[column] or "") for column in columns) for split in SPLITS for record in records[split]]
    for record in (record for split in SPLITS for record in records[split]):
        found = [record[name] for name in ("python_tokens", "cuda_forward_tokens", "cuda_backward_tokens", "cuda_readable_tokens")]
        check(found == [tokens_of(record[column] or "") for column in columns], f"{record['id']}: it says {found} tokens")
    done = weft("export", work / "lines", "--format", "parquet", "-o", work / "short-records", "--max-tokens", 3000)
    wanted = sum(count > 3000 for count in counts)
    check(done.returncode == 0 and 0 < wanted < len(counts) and f"{wanted} ha" in done.stderr, f"records of {wanted} have more tokens: {done.stderr}")


def test_refusals(work):
    (work / "full").mkdir()
    (work / "full" / "file").write_text("")
    weft("produce", "-n", 4, "-o", work / "cpu", "-d", "cpu", "--no-verify")
    weft("produce", "-n", 4, "-o", work / "piece", "--shard", "1/2", "--no-verify")
    for args, code, words in (
        ([work / "lines", "--format", "hf", "-o", work / "full"], 1, "is not empty"),
        ([work / "piece", "--format", "hf", "-o", work / "no"], 1, "is a piece"),
        ([work, "--format", "hf", "-o", work / "no"], 1, "is not a weft data set"),
        ([work / "cpu", "--format", "trl", "--kind", "python-to-cuda", "-o", work / "no1"], 1, "has no record for the task python-to-cuda"),
        ([work / "cpu", "--format", "trl", "--kind", "warp-gradient", "-o", work / "no2"], 1, "--gradients marked"),
        ([work / "lines", "--format", "trl", "--warp", "1.16", "-o", work / "no3"], 1, "is of Warp"),
        ([work / "lines", "--format", "trl", "--kind", "python-to-cudo", "-o", work / "no"], 2, "did you mean 'python-to-cuda'"),
        ([work / "lines", "--format", "parquet", "--kind", "cuda-to-python", "-o", work / "no"], 2, "goes without --format parquet"),
        ([work / "lines", "-o", work / "no"], 2, "--format FORM is needed"),
        ([work / "lines", "--format", "hf"], 2, "-o DIR is needed"),
        (["--format", "hf", "-o", work / "no"], 2, "one folder is needed"),
    ):
        done = weft("export", *args)
        check(done.returncode == code and words in done.stderr, f"{args}: exit code {done.returncode}, {done.stderr}")
    check(not (work / "no").exists(), "a refused export made its folder")
    data = bytearray((work / "lines" / "train-00000-of-00001.jsonl.zst").read_bytes())
    data[len(data) // 2] ^= 4
    (work / "lines" / "train-00000-of-00001.jsonl.zst").write_bytes(data)
    done = weft("export", work / "lines", "--format", "alpaca", "-o", work / "damaged")
    check(done.returncode == 1 and not (work / "damaged" / "README.md").exists(), f"a damaged set: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-export-") as folder:
        work = pathlib.Path(folder)
        options = ["-n", 60, "-s", 8, "--gradients", "marked", "--splits", "60,20,20"]
        for name, more in (("lines", []), ("parquet-set", ["--format", "parquet"]), ("plain", ["--no-compress", "--full"])):
            done = weft("produce", "-o", work / name, *options, *more)
            check(done.returncode == 0, f"{name}: ends with {done.returncode}: {done.stderr}")
        for target, more in (("hf", ["--kind", "cuda-to-python", "--kind", "warp-gradient"]), ("trl", []), ("alpaca", []), ("verl", []), ("parquet", [])):
            for name, source in ((target, "lines"), (f"{target}-again", "parquet-set")):
                done = weft("export", work / source, "--format", target, "-o", work / name, *more)
                check(done.returncode == 0 and not done.stdout, f"{target}: {done.stderr}")
            check(contents(work / target) == contents(work / f"{target}-again"), f"{target}: lines and Parquet give other exports")
        records = {split: [json.loads(line) for line in open(work / "plain" / f"{split}-00000-of-00001.jsonl")] for split in SPLITS}
        test_rows(work, records)
        test_tokens(work, records)
        test_prompts(work)
        test_layout(work)
        listed = weft("export", "--list")
        check([line.split()[0] for line in listed.stdout.splitlines()] == TASKS, f"--list: {listed.stdout}")
        test_refusals(work)
    print("FAILED" if test_produce.failures else "ok")
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
