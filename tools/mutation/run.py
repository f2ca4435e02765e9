#!/usr/bin/env python3
"""Runs the tests on prepared mutants: DIR/run.py [--jobs N] [--seconds N]. Needs nothing but Python and what prepare.py wrote beside it.

Every test runs once without a mutant, and notes which places it reaches. Then each mutant runs the tests that reach it, up to
the first that fails; one that no test fails on survives. First comes what takes the least time for each mutant that it finds: the fast tests
of few places, and those that found the most in the same folder until then. A test that runs much longer than it did without the mutant has failed, too. Results are kept in baseline.json and results.jsonl as they come: a second call goes on
where the first ended, whether it was interrupted, killed, or came to the end of its --seconds.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
GIB = 1 << 30
THREADS = 8  # that a process may keep busy


class Odds:
    """How often a test finds a mutant that it reaches: at first more often the fewer it reaches, then as it did in that folder."""

    def __init__(self, share):
        self.share, self.found, self.tried = share, collections.Counter(), collections.Counter()

    def of(self, folder, test):
        first = 0.1 + 0.5 * (1 - self.share[test])
        return (self.found[folder, test] + 2 * first) / (self.tried[folder, test] + 2)

    def note(self, folder, test, found):
        self.tried[folder, test] += 1
        self.found[folder, test] += found


class Runner:
    def __init__(self, folder, jobs, only, slowest):
        self.folder, self.jobs, self.slowest = folder, jobs, slowest
        self.about = json.loads((folder / "mutants.json").read_text())
        self.tests = [t for t in json.loads((folder / "tests.json").read_text()) if not only or t["name"] in only]
        self.running, self.lock, self.stopped = set(), threading.Lock(), False
        self.trees = [self.tree_of(worker) for worker in range(jobs)]
        self.free = collections.deque(range(jobs))

    def tree_of(self, worker):
        """A copy of the tree for each worker, as tests write into the build folder. Large files are shared."""
        tree = self.folder / f"worker{worker}"
        if worker == 0:
            return self.folder / "tree"
        link = lambda a, b: os.link(a, b) if os.path.getsize(a) > 100_000 else shutil.copy2(a, b)
        shutil.rmtree(tree, ignore_errors=True)
        return pathlib.Path(shutil.copytree(self.folder / "tree", tree, symlinks=True, copy_function=link))

    # ---- one test ----

    def run(self, test, tree, variables, longest):
        """Ended after `longest` seconds, by the clock: "passed", "failed", "skipped", "too slow" or "stopped"; how long it took; the end of what it printed."""
        words = [w.replace("@TREE@", str(tree)) for w in test["command"]]
        own = {k: v.replace("@TREE@", str(tree)) for k, v in test["environment"].items()}
        libraries = f"{self.folder / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":")
        path = f"{os.environ.get('PATH', os.defpath)}:{self.folder / 'bin'}"
        with tempfile.TemporaryDirectory(prefix="weft-mutant-", ignore_cleanup_errors=True) as scratch, tempfile.TemporaryFile() as printed:
            extra = {"LD_LIBRARY_PATH": libraries, "PATH": path, "TMPDIR": scratch, "PYTHONDONTWRITEBYTECODE": "1"}
            start = time.monotonic()
            process = subprocess.Popen(
                words, cwd=tree, env={**os.environ, **own, **extra, **variables}, stdin=subprocess.DEVNULL, stdout=printed,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: limit(THREADS * longest),
            )  # fmt: skip
            with self.lock:
                self.running.add(process)
                stop = self.stopped
            try:
                if stop:
                    raise subprocess.TimeoutExpired(words, 0)
                code = process.wait(timeout=longest)
                outcome = {0: "passed", SKIPPED: "skipped"}.get(code, "failed")
            except subprocess.TimeoutExpired:
                outcome = "too slow"
            finally:
                kill_group(process)
                unmount_below(scratch)
                with self.lock:
                    self.running.discard(process)
            printed.seek(max(0, printed.seek(0, 2) - 2000))
            return "stopped" if self.stopped else outcome, time.monotonic() - start, printed.read().decode("utf-8", "replace")

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                kill_group(process)

    # ---- without a mutant ----

    def baseline(self):
        """{test: seconds and reached places}; tests that are skipped or fail here are left out, and named."""
        path = self.folder / "baseline.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        missing = [t for t in self.tests if t["name"] not in known or self.may_pass_now(known[t["name"]])]
        if missing:
            print(f"mutants: {len(missing)} tests without a mutant", flush=True)
        missing.sort(key=lambda test: -test["cost"])
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(self.reach, test): test["name"] for test in missing}
            for future in concurrent.futures.as_completed(futures):
                if future.result()["outcome"] != "stopped":
                    known[futures[future]] = future.result()
                    write_whole(path, json.dumps(known))
        for test in missing:
            found = known.get(test["name"], {"outcome": "passed"})
            if found["outcome"] != "passed":
                print(f"mutants: {test['name']} {found['outcome']} without a mutant, and is left out\n{found['printed']}")
        return known

    def may_pass_now(self, found):
        """Whether a test failed, perhaps for want of time, and has more of it now."""
        return found["outcome"] in ("failed", "too slow") and found.get("limit", self.slowest) < self.slowest

    def reach(self, test):
        if self.stopped:
            return {"outcome": "stopped"}
        worker = self.take_worker()
        reached = self.folder / f"reached.{test['name']}"
        reached.write_bytes(bytes(len(self.about["mutants"])))
        try:
            nobody = {"WEFT_MUTANT": str(len(self.about["mutants"]))}  # all is as with a mutant, but there is none
            outcome, seconds, printed = self.run(test, self.trees[worker], nobody | {"WEFT_REACHED": str(reached)}, 1.25 * self.slowest)
        finally:
            self.free.append(worker)
        ids = [i for i, byte in enumerate(reached.read_bytes()) if byte]
        reached.unlink()
        return {"outcome": outcome, "seconds": seconds, "reached": ids, "printed": "" if outcome == "passed" else printed, "limit": self.slowest}

    def take_worker(self):
        while True:
            try:
                return self.free.popleft()
            except IndexError:
                time.sleep(0.01)

    # ---- with one ----

    def judge(self, mutant, plan):
        if self.stopped:
            return None
        worker = self.take_worker()
        tried, left = [], list(plan)
        folder = mutant["file"].rsplit("/", 1)[0]
        try:
            while left:
                test, seconds = min(left, key=lambda item: item[1] / self.odds.of(folder, item[0]["name"]))
                left.remove((test, seconds))
                outcome, _, printed = self.run(test, self.trees[worker], {"WEFT_MUTANT": str(mutant["id"])}, 4 * seconds + 10)
                if outcome == "stopped":
                    return {"id": mutant["id"], "killed": None, "passed": tried}
                tried.append(test["name"])
                self.odds.note(folder, test["name"], outcome != "passed")
                if outcome in ("failed", "too slow"):
                    return {"id": mutant["id"], "killed": True, "by": test["name"], "how": outcome, "printed": printed[-600:]}
        finally:
            self.free.append(worker)
        return {"id": mutant["id"], "killed": False, "passed": tried}

    def run_all(self, wanted, again):
        baseline = self.baseline()
        if self.stopped:
            return {}
        path = self.folder / "results.jsonl"
        known, begun = read_results(path)
        mutants = [m for m in self.about["mutants"] if not wanted or m["id"] in wanted]
        todo = [m for m in mutants if m["id"] not in known or (again and not known[m["id"]]["killed"])]
        order = [t for t in self.tests if baseline[t["name"]]["outcome"] == "passed"]
        self.odds = Odds({t["name"]: len(baseline[t["name"]]["reached"]) / len(self.about["mutants"]) for t in order})
        plans = {}
        for mutant in todo:
            passed = set(known.get(mutant["id"], {}).get("passed", []) + begun.get(mutant["id"], []))
            plans[mutant["id"]] = [
                (t, baseline[t["name"]]["seconds"] + 0.05) for t in order if t["name"] not in passed and mutant["id"] in baseline[t["name"]]["reached"]
            ]
        begin, done = time.monotonic(), 0
        with path.open("a") as log, concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(self.judge, m, plans[m["id"]]): m for m in todo}
            try:
                for future in concurrent.futures.as_completed(futures):
                    result = future.result()
                    if not result:
                        continue
                    if not result["killed"]:
                        result["passed"] += known.get(result["id"], {}).get("passed", []) + begun.get(result["id"], [])
                    log.write("\n" + json.dumps(result) + "\n")
                    log.flush()
                    if result["killed"] is None:
                        continue
                    known[result["id"]] = result
                    done += 1
                    show_progress(done, len(todo), known, time.monotonic() - begin)
            except KeyboardInterrupt:
                self.stop()
                for future in futures:
                    future.cancel()
                print(flush=True)
        return known


def read_results(path):
    """Results by mutant, and for those that were not judged to the end, the tests that they passed."""
    known, begun = {}, {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            result = json.loads(line)
        except json.JSONDecodeError:  # cut off when the run was killed
            continue
        if result["killed"] is None:
            begun[result["id"]] = result["passed"]
        else:
            known[result["id"]] = result
    return known, begun


def write_whole(path, text):
    path.with_suffix(".new").write_text(text)
    path.with_suffix(".new").replace(path)


def limit(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))
    resource.setrlimit(resource.RLIMIT_AS, (16 * GIB, 16 * GIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def unmount_below(folder):
    """What a test mounted that was ended before it could undo that."""
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        if line.split()[1].startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", line.split()[1]], stderr=subprocess.DEVNULL)


def show_progress(done, total, known, seconds):
    killed = sum(r["killed"] for r in known.values())
    left = seconds / done * (total - done)
    line = f"mutants: {done}/{total}, {killed} killed, {len(known) - killed} survived, {left / 60:.1f} min left"
    if sys.stderr.isatty():
        print(f"\r{line}   ", end="\n" if done == total else "", file=sys.stderr, flush=True)
    elif done % 25 == 0 or done == total:
        print(line, file=sys.stderr, flush=True)


# ---- the report ----


def room_of(file):
    return "/".join(file.split("/")[:2]) if not file.startswith("src/gpu") else file


def write_report(folder, about, known):
    mutants = [m for m in about["mutants"] if m["id"] in known]
    survived = [m | {"passed": known[m["id"]]["passed"]} for m in mutants if not known[m["id"]]["killed"]]
    rooms = {}
    for m in mutants:
        rooms.setdefault(room_of(m["file"]), []).append(known[m["id"]]["killed"])
    by = collections.Counter(known[m["id"]]["by"] for m in mutants if known[m["id"]]["killed"])
    killed = len(mutants) - len(survived)
    share = 100 * killed / max(1, len(mutants))
    left = len(about["mutants"]) - len(mutants)
    lines = [f"seed {about['seed']}: {killed} of {len(mutants)} mutants killed ({share:.1f} %), {len(survived)} survived, {left} not judged", ""]
    lines += [f"  {room:24} {sum(found):4} of {len(found):4}" for room, found in sorted(rooms.items())]
    lines += ["", "killed by: " + ", ".join(f"{name} {n}" for name, n in by.most_common()), ""]
    for m in survived:
        reached = f"passes {', '.join(m['passed'])}" if m["passed"] else "no test reaches it"
        lines += [
            f"{m['file']}:{m['line']}:{m['column']}: {m['what']} (mutant {m['id']})",
            f"    {m['context']}",
            f"    {m['was']}  ->  {m['becomes'] or '(nothing)'}",
            f"    {reached}",
        ]
    report = {"seed": about["seed"], "killed": killed, "count": len(mutants), "rooms": {r: [sum(f), len(f)] for r, f in rooms.items()}}
    report |= {"survived": survived, "killed_by": {str(m["id"]): known[m["id"]]["by"] for m in mutants if known[m["id"]]["killed"]}}
    (folder / "report.json").write_text(json.dumps(report, indent=1))
    (folder / "report.txt").write_text("\n".join(lines) + "\n")
    return lines, share


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="run the survivors again, with the tests they have not passed")
    parser.add_argument("--tests", default="", help="only these tests, by name, separated by commas")
    parser.add_argument("--mutants", default="", help="only these mutants, by number, separated by commas")
    parser.add_argument("--slowest", type=float, default=90, help="leave out tests that take more seconds without a mutant")
    parser.add_argument("--seconds", type=float, help="end after so long; the same command goes on")
    parser.add_argument("--at-least", type=float, default=0, help="exit with 1 if less than this percentage is killed")
    options = parser.parse_args()
    os.environ.pop("WEFT_MUTANT", None)
    runner = Runner(HERE, options.jobs, set(filter(None, options.tests.split(","))), options.slowest)
    if options.seconds:
        timer = threading.Timer(options.seconds, runner.stop)
        timer.daemon = True
        timer.start()
    known = runner.run_all({int(n) for n in options.mutants.split(",") if n}, options.again)
    lines, share = write_report(HERE, runner.about, known)
    print("\n".join(lines))
    print(f"mutants: written to {HERE / 'report.txt'}")
    if runner.stopped:
        print("mutants: ended early; the same command goes on")
    sys.exit(130 if runner.stopped else share < options.at_least)


if __name__ == "__main__":
    main()
