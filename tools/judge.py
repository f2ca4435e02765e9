#!/usr/bin/env python3
"""The figures of docs/reference/judge.md: does the judge let right answers pass and wrong ones fail, how fast, and do CPU and GPU agree?

    tools/judge.py prepare FOLDER COUNT [--seed S]      a data set, tasks, the set's own texts as answers, wrong variants of them
    tools/judge.py cpu FOLDER COUNT [--limit SECONDS]   COUNT answers of each kind, and wrong variants, on the CPU
    tools/judge.py gpu FOLDER COUNT [--limit SECONDS]   the same on a GPU; then CPU and GPU compared, hostile answers, killed and resumed
    tools/judge.py http FOLDER COUNT [--limit SECONDS]  COUNT answers of five kinds through weft judge --listen, beside weft score
    tools/judge.py steps FILE                           what `weft score --trace FILE` wrote, added up

Rows go to --out (default: FOLDER/rows); the table is printed as it grows, and once more at the end. With --limit, what does not fit is left out, and
said so. `weft` is build/weft, or WEFT."""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))
from test_judge import WEFT, lines_of, right_answer, write_lines  # noqa: E402

READABLE = ["python-to-readable", "python-to-gradient", "forward-to-backward", "repair"]
WARP = ["python-to-cuda", "cuda-to-backward"]
WITHOUT_CARD = ["description-to-kernel", "wrong-gradient"]
CORES = os.cpu_count()


# ---- preparing ----


def set_lines(folder):
    for path in sorted(folder.glob("train-*.jsonl*")):
        if path.suffix == ".zst":
            text = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
        else:
            text = path.read_bytes()
        yield from text.splitlines()


def prepare(folder, count, seed):
    """Two records and a bit for each answer: not every kernel has a gradient that is proven."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "set").exists():
        subprocess.run([WEFT, "produce", "-n", str(21 * count // 10 + 20), "-s", str(seed), "--full", "-o", folder / "set"], check=True)
    subprocess.run([WEFT, "tasks", folder / "set", "--all-kinds", "-o", folder / "tasks.jsonl"], check=True)
    subprocess.run([WEFT, "mutate", folder / "set", "-o", folder / "all-wrong.jsonl"], check=True)
    records = {record["id"]: record for record in map(json.loads, set_lines(folder / "set"))}
    tasks = collections.defaultdict(list)
    for task in lines_of(folder / "tasks.jsonl"):
        tasks[task["kind"]].append(task)
    wrong = collections.defaultdict(list)
    for mutant in lines_of(folder / "all-wrong.jsonl"):
        if len(wrong[mutant["form"]]) < count:
            wrong[mutant["form"]].append({key: mutant[key] for key in ("id", "answer", "form", "change", "line", "before", "after")})
    ids = {row["id"] for rows in wrong.values() for row in rows}
    for kind, rows in tasks.items():
        write_lines(folder / f"{kind}.answers.jsonl", [{"id": t["id"], "answer": right_answer(t, records[t["record"]])} for t in rows[:count]])
    write_lines(folder / "wrong.answers.jsonl", [row for rows in wrong.values() for row in rows])
    kept = [task for rows in tasks.values() for n, task in enumerate(rows) if n < count or task["id"] in ids]
    write_lines(folder / "tasks.jsonl", [{**task, "prompt": ""} for task in kept])  # which are not read any more
    (folder / "all-wrong.jsonl").unlink()


# ---- running ----


class Bench:
    def __init__(self, options):
        self.folder, self.count, self.jobs = options.folder, options.count, options.jobs
        self.out = options.out or options.folder / "rows"
        self.out.mkdir(parents=True, exist_ok=True)
        self.began = time.monotonic()
        self.end = self.began + options.limit
        self.table, self.failed = [], []

    def left(self):
        return self.end - time.monotonic()

    def say(self, what, words):
        self.table.append(f"{what:44} {words}")
        print(f"[{time.monotonic() - self.began:6.1f} s] {what}: {words}", flush=True)

    def answers(self, name):
        return lines_of(self.folder / f"{name}.answers.jsonl")

    def score(self, name, answers, *args, stop_at=None):
        """The lines of results and the seconds that it took. It is killed when time is over, and with `stop_at` after so many lines."""
        paths = {what: self.out / f"{name}.{what}" for what in ("answers.jsonl", "rows.jsonl", "messages")}
        write_lines(paths["answers.jsonl"], answers)
        part = paths["rows.jsonl"].with_name(f"{name}.rows.jsonl.part")
        if "--resume" not in args:
            paths["rows.jsonl"].unlink(missing_ok=True)
            part.unlink(missing_ok=True)
        command = [WEFT, "score", self.folder / "tasks.jsonl", paths["answers.jsonl"], "--data", self.folder / "set", "-o", paths["rows.jsonl"],
                   "--hidden-key", self.folder / "fixed.key", "-q", *(["-j", str(self.jobs)] if "-j" not in args else []), *args]
        began = time.monotonic()
        with open(paths["messages"], "w") as messages, subprocess.Popen(list(map(str, command)), stdout=messages, stderr=messages) as process:
            while process.poll() is None:
                done = part.read_bytes().count(b"\n") if stop_at and part.exists() else 0
                if self.left() < 3 or (stop_at and done >= stop_at):
                    process.send_signal(signal.SIGKILL)
                time.sleep(0.02)
        seconds = time.monotonic() - began
        rows = paths["rows.jsonl"] if paths["rows.jsonl"].exists() else part
        whole = rows.read_text().split("\n")[:-1] if rows.exists() else []
        if len(whole) < len(answers) and process.returncode != -signal.SIGKILL:
            self.say(name, f"exit code {process.returncode}: {paths['messages'].read_text()[:300]}")
        return [json.loads(line) for line in whole], seconds

    def judge(self, title, name, answers, wanted, *args):
        """All are to have the score `wanted`; those that do not are kept."""
        if self.left() < 10:
            return self.say(title, "left out: no time") or []
        rows, seconds = self.score(name, answers, *args)
        odd = [{**row, "answer": answer["answer"]} for row, answer in zip(rows, answers) if row["score"] != wanted]
        self.failed += odd
        words = f"{len(rows) - len(odd) if wanted else len(odd)} of {len(rows)} pass"
        words += f" ({len(answers)} wanted)" if len(rows) < len(answers) else ""
        words += f", {len(rows) / seconds:.1f} per second ({seconds:.1f} s)"
        speeds = sorted(row["speed_up"] for row in rows if row.get("speed_up"))
        words += f", speed_up of {len(speeds)}: median {speeds[len(speeds) // 2]:.2f}, from {speeds[0]:.2f} to {speeds[-1]:.2f}" if speeds else ""
        self.say(title, words)
        return rows

    def wrong(self, *forms):
        return [row for row in self.answers("wrong") if row["form"] in forms]

    def resume(self, where, answers, *args):
        """Killed in the middle: the same bytes as without."""
        if self.left() < 30:
            return self.say(f"{where}: killed and resumed", "left out: no time")
        self.score("whole", answers, *args)
        half, _ = self.score("parts", answers, *args, stop_at=len(answers) // 3)
        self.score("parts", answers, *args, "--resume")
        parts, whole = (self.out / f"{name}.rows.jsonl" for name in ("parts", "whole"))
        same = parts.exists() and whole.exists() and parts.read_bytes() == whole.read_bytes()
        texts = [(self.out / f"{name}.messages").read_text() for name in ("whole", "parts")]
        self.say(f"{where}: killed and resumed", f"killed at {len(half)} of {len(answers)}; same rows: {same}; same summary: {texts[0] == texts[1]}")

    def one_core(self):
        """Seconds per answer, one at a time, on one core; by kind without the start."""
        if self.left() < 75:
            return self.say("CPU, one core", "left out: no time")
        kinds = READABLE + WARP + ["description-to-kernel"]
        answers = sum((self.answers(kind)[:8] for kind in kinds), [])
        trace, before = self.out / "one-core.trace", os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        rows, seconds = self.score("one-core", answers, "-j", "1", "--trace", trace)
        os.sched_setaffinity(0, before)
        took = collections.defaultdict(list)
        for step in lines_of(trace):
            if step["number"] < len(rows):
                took[rows[step["number"]]["kind"]].append(step["to"] - step["from"])
        words = ", ".join(f"{kind} {sum(each) / len(each):.2f}" for kind, each in took.items())
        longest = max(max(each) for each in took.values())
        self.say("CPU, one core, seconds per answer", f"{seconds / max(1, len(rows)):.2f} ({len(rows)} answers, longest {longest:.2f}): {words}")

    def finish(self):
        write_lines(self.out / "not-as-expected.jsonl", self.failed)
        text = "\n".join(self.table) + "\n"
        (self.out / "table.txt").write_text(text)
        print(f"\n{len(self.failed)} not as expected\n== table\n{text}", flush=True)


def run_cpu(bench):
    for kind in READABLE + WARP + WITHOUT_CARD:
        bench.judge(f"CPU references, {kind}", f"cpu-{kind}", bench.answers(kind)[: bench.count], 1)
    for form in ("cuda", "gradient", "python"):
        bench.judge(f"CPU wrong variants, {form}", f"cpu-wrong-{form}", bench.wrong(form)[: bench.count], 0)
    bench.resume("CPU", bench.answers(READABLE[1])[:100])
    bench.one_core()


def compare(bench, on_gpu, answers):
    """The same answers on the CPU: the same scores? on_gpu: [(answers, rows)]."""
    if bench.left() < 20:
        return bench.say("CPU and GPU", "left out: no time")
    cpu, seconds = bench.score("both-cpu", answers)
    known = {(answer["id"], answer["answer"]): row for some, rows in on_gpu for answer, row in zip(some, rows)}
    pairs = [(known.get((answer["id"], answer["answer"])), row, answer["answer"]) for row, answer in zip(cpu, answers)]
    pairs = [pair for pair in pairs if pair[0]]
    differing = [{"gpu": gpu, "cpu": row, "answer": answer} for gpu, row, answer in pairs if gpu["score"] != row["score"]]
    write_lines(bench.out / "differing.jsonl", differing)
    bench.say("CPU and GPU", f"{len(pairs) - len(differing)} of {len(pairs)} scores the same (CPU: {len(cpu) / seconds:.1f} per second)")


def run_hostile(bench):
    if bench.left() < 40:
        return bench.say("hostile answers on the GPU", "left out: no time")
    path = bench.out / "hostile.txt"
    with open(path, "w") as file:
        try:
            code = subprocess.run([sys.executable, ROOT / "tests/hostile/test_judge.py", "--gpu"], stdout=file, stderr=file,
                                  timeout=bench.left() - 5, env={**os.environ, "WEFT": WEFT}).returncode
        except subprocess.TimeoutExpired:
            code = "none: no time"
    lines = path.read_text().splitlines()
    bench.say("hostile answers on the GPU", f"exit code {code}; {lines[-1] if lines else ''}")


def run_gpu(bench):
    fast, count = ("--gpu", "--no-timing"), bench.count
    on_gpu = []

    def judge(title, name, answers, wanted, *args):
        on_gpu.append((answers, bench.judge(title, name, answers, wanted, *args)))

    bench.judge("GPU, first", "first", bench.answers(READABLE[0])[:4], 1, "--gpu")
    for kind in READABLE + WARP:
        judge(f"GPU references, {kind}", f"gpu-{kind}", bench.answers(kind)[:count], 1, *fast, "--trace", bench.out / f"{kind}.trace")
    wrong = bench.wrong("cuda")[:count] + bench.wrong("gradient")[:count]
    judge("GPU wrong variants", "gpu-wrong", wrong, 0, *fast)
    references = sum((bench.answers(kind)[: count // 4] for kind in READABLE), [])
    compare(bench, on_gpu, references + wrong[: count // 2] + wrong[-(count // 2):])
    run_hostile(bench)
    bench.resume("GPU", bench.answers(READABLE[1])[:150], *fast)
    for kind in (READABLE[0], WARP[0]):
        bench.judge(f"GPU, with timing, {kind}", f"gpu-timed-{kind}", bench.answers(kind)[:count], 1, "--gpu")
    bench.one_core()


def ask(url, body=None):
    request = urllib.request.Request(url, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def run_http(bench):
    """One batch to a server that has started, and the same answers to weft score, whose start counts."""
    answers = sum((bench.answers(kind)[: bench.count] for kind in [*READABLE, "cuda-to-python"]), [])
    bench.judge("weft score", "direct", answers, 1)
    journal = bench.out / "http.journal"
    journal.unlink(missing_ok=True)
    call = [WEFT, "judge", "--listen", "127.0.0.1:0", "--data", bench.folder / "set", "--tasks", bench.folder / "tasks.jsonl", "-o", journal,
            "--hidden-key", bench.folder / "fixed.key", "--queue", len(answers), "-j", bench.jobs, "-q"]
    with subprocess.Popen(list(map(str, call)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        url = server.stdout.readline().split("/ ")[0]
        if not url.startswith("http"):
            return bench.say("through HTTP", "the server does not start")
        began = time.monotonic()
        rows = json.loads(ask(f"{url}/score", {"answers": answers}))["results"]
        seconds = time.monotonic() - began
        resident = float(re.search(r"^weft_judge_resident_bytes (\S+)$", ask(f"{url}/metrics"), re.M).group(1))
        server.terminate()
    bench.failed += [row for row in rows if row["score"] != 1]
    bench.say("through HTTP", f"{sum(row['score'] for row in rows)} of {len(rows)} pass, {len(rows) / seconds:.1f} per second ({seconds:.1f} s), "
              f"{resident / 1e6:.0f} MB, load {os.getloadavg()[0]:.1f} on {CORES} cores")


def add_up(path):
    steps = collections.defaultdict(list)
    for step in lines_of(path):
        steps[step["step"]].append(step)
    print(f"{'step':20} {'count':>6} {'sum s':>8} {'mean ms':>8} {'max ms':>8} {'inside s':>8} {'first':>7} {'last':>7}")
    for name, rows in steps.items():
        took = [row["to"] - row["from"] for row in rows]
        print(f"{name:20} {len(rows):6} {sum(took):8.2f} {1000 * sum(took) / len(took):8.1f} {1000 * max(took):8.1f} "
              f"{sum(row['inside_ms'] for row in rows) / 1000:8.2f} {min(row['from'] for row in rows):7.2f} {max(row['to'] for row in rows):7.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("prepare", "cpu", "gpu", "http", "steps"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--limit", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=CORES)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    if options.command == "prepare":
        prepare(options.folder, options.count, options.seed)
    elif options.command == "steps":
        add_up(options.folder)
    else:
        bench = Bench(options)
        try:
            {"cpu": run_cpu, "gpu": run_gpu, "http": run_http}[options.command](bench)
        finally:
            bench.finish()
        return 1 if bench.failed else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
