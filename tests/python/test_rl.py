#!/usr/bin/env python3
"""weft.rl: the client, and its adapters in the packages that they are for.

    test_rl.py              verifiers and inspect-ai; TRL and verl as far as they go without torch
    test_rl.py --torch      a step of TRL's trainer, and verl's reward manager: torch and 6 GB (`make loaders`)

Exit code 77 where there is no sandbox, no libmicrohttpd, no Python package, or an environment cannot be made."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from test_judge import WEFT, check, failures, lines_of, right_answer, weft

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))
KINDS = ["python-to-gradient", "cuda-to-python", "wrong-gradient"]  # without Warp's headers


def environment(name):
    made = subprocess.run([ROOT / "tools" / "loaders.sh", name], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"skipped: {made.stderr.strip()}")
        sys.exit(77)
    return ROOT / made.stdout.strip()


def make(folder):
    weft("produce", "-n", 2, "-s", 506, "-o", folder / "set", "--no-compress", "-q", "-j", 2)
    kinds = [word for kind in KINDS for word in ("--kind", kind)]
    weft("tasks", folder / "set", "--all-kinds", *kinds, "-o", folder / "tasks.jsonl", "-q")
    records = {record["id"]: record for path in (folder / "set").glob("train-*.jsonl") for record in lines_of(path)}
    right = {task["id"]: right_answer(task, records[task["record"]]) for task in lines_of(folder / "tasks.jsonl")}
    (folder / "right.json").write_text(json.dumps(right))
    return right


def raised(call):
    try:
        call()
    except (Exception,) as error:  # noqa: B013
        return f"{type(error).__name__}: {error}"
    return ""


def check_client(rl, folder, judge, right):
    weft("mutate", folder / "set", "-o", folder / "wrong.jsonl", "-q")
    wrong = [(row["id"], row["answer"]) for row in lines_of(folder / "wrong.jsonl") if row["id"] in right][:12]
    pairs = [(task, text) for task, answer in right.items() for text in (answer, "I cannot do that.")] + wrong
    rows = judge.score(pairs * 8)  # more than go into one request
    check([row["id"] for row in rows] == [task for task, _ in pairs * 8], "rows are in the order of answers")
    check(rows[: len(pairs)] == rows[len(pairs) : 2 * len(pairs)], "the same answers have the same rows")
    check([rl.passes(row) for row in rows[: 2 * len(right) : 2]] == [1.0] * len(right), "right answers have the reward 1")
    check(all(rl.share(row) == 1.0 if row["score"] else 0 <= rl.share(row) <= 0.5 for row in rows), "shares are below right answers")
    shares = {rl.share(row) for row in rows}
    check(any(0 < value < 0.5 for value in shares), f"some answer is right on some launches: {shares}")
    check(judge.health()["ok"] and judge.score([]) == [], "health, and no answers")
    said = raised(lambda: judge.score([("none", "")]))
    check(said.startswith("Error: the judge says 404: answer 0: there is no task"), said)
    for wanted, arguments in (("ValueError", {}), ("ValueError", {"set": "x"}), ("ValueError", {"url": "http://x", "set": "a", "tasks": "b", "journal": "c"}),
                              ("Error: ", {"set": folder, "tasks": folder / "tasks.jsonl", "journal": folder / "j"})):
        said = raised(lambda arguments=arguments: rl.Judge(**arguments))
        check(said.startswith(wanted), f"{arguments}: {said}")
    text = rl.text_of([{"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "text", "text": "b"}]}])
    check(text == "b" and rl.text_of("c") == "c" and rl.text_of([]) == "", f"texts of completions: {text}")


def check_restart(rl, folder, right):
    """The judge is gone for a while: whoever asks waits, and what was judged stays so."""
    def start(port):
        call = [WEFT, "judge", "--listen", f"127.0.0.1:{port}", "--data", folder / "set", "--tasks", folder / "tasks.jsonl", "-o", folder / "again", "-q"]
        process = subprocess.Popen([str(word) for word in call], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return process, process.stdout.readline().split()[0]

    process, url = start(0)
    judge, pairs, rows = rl.Judge(url, timeout=60), list(right.items()), []
    first = judge.score(pairs)
    process.kill()
    process.wait()
    waiting = threading.Thread(target=lambda: rows.extend(judge.score(pairs)))
    waiting.start()
    time.sleep(1)
    process, _ = start(url.rstrip("/").rsplit(":", 1)[1])
    waiting.join()
    check(rows == first, "a judge that starts again goes on")
    process.terminate()
    process.wait()


def check_orphan(folder):
    """A program that is killed leaves no judge behind."""
    lines = f"""
import sys, time
sys.path.insert(0, {str(BUILD / "python")!r})
from weft import rl
judge = rl.Judge(set={str(folder / "set")!r}, tasks={str(folder / "tasks.jsonl")!r}, journal={str(folder / "orphan")!r})
print(judge.process.pid, flush=True)
time.sleep(100)
"""
    process = subprocess.Popen([sys.executable, "-c", lines], stdout=subprocess.PIPE, text=True)
    judge = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    until = time.monotonic() + 20
    while pathlib.Path(f"/proc/{judge}/stat").exists() and "Z" not in pathlib.Path(f"/proc/{judge}/stat").read_text().split() and time.monotonic() < until:
        time.sleep(0.1)
    check(time.monotonic() < until, "the judge is still there")


def main():
    with_torch = "--torch" in sys.argv
    if not (BUILD / "python" / "weft" / "_native.abi3.so").exists():
        print("skipped: the Python package is not built")
        return 77
    from weft import rl

    names = ["trl", "verl"] if with_torch else ["verifiers", "inspect", "calls"]
    with tempfile.TemporaryDirectory(prefix="weft-rl-") as name:
        folder = pathlib.Path(name)
        right = make(folder)
        try:
            judge = rl.Judge(set=folder / "set", tasks=folder / "tasks.jsonl", journal=folder / "journal", options=["-j", "2"])
        except rl.Error as error:
            if "bubblewrap" not in str(error) and "libmicrohttpd" not in str(error):
                raise
            print(f"skipped: {error}")
            return 77
        with judge:
            if not with_torch:
                check_client(rl, folder, judge, right)
                check_restart(rl, folder, right)
                check_orphan(folder)
            python = environment("rl-torch" if with_torch else "rl")
            for adapter in names:
                call = [python, ROOT / "tests/python/rl_adapters.py", adapter, judge.url, folder / "tasks.jsonl", folder / "right.json"]
                done = subprocess.run(call, env={**os.environ, "PYTHONPATH": str(BUILD / "python")}, capture_output=True, text=True)
                check(done.returncode == 0, f"{adapter}: {done.stderr[-3000:]}")
                print(done.stdout.strip().split("\n")[-1], flush=True)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
