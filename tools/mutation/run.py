#!/usr/bin/env python3
"""Runs the tests on prepared mutants: DIR/run.py [--jobs N] [--seconds N]. Needs nothing but Python and what prepare.py wrote beside it.

Every test runs once without a mutant, and notes which places it reaches. Then each mutant runs the tests that reach it, up to
the first that fails; one that no test fails on survives. First comes what takes the least time for each mutant that it finds: the fast tests
of few places, and those that found the most in the same folder until then. The mutants take turns, one test each, and whichever has
had the least time goes first: so what can be found quickly is found first, and what no test finds, which takes the longest, comes last.
A test that runs much longer than without the mutant has failed, too; it runs again without one before that is said, as a machine may be
busier than it was. Results are kept in baseline.json and results.jsonl as
they come: a second call goes on where the first ended, whether it was interrupted, killed, or came to the end of its --seconds.
"""

import argparse
import collections
import heapq
import json
import os
import pathlib
import re
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
KEPT = ("baseline.json", "results.jsonl", "report.txt", "report.json")
THREADS = 8  # that a process may keep busy


class Odds:
    """How often a test finds a mutant that it reaches: at first more often the fewer it reaches, then as it did in that folder."""

    def __init__(self):
        self.share, self.found, self.tried = {}, collections.Counter(), collections.Counter()

    def of(self, folder, test):
        first = 0.1 + 0.5 * (1 - self.share[test])
        return (self.found[folder, test] + 2 * first) / (self.tried[folder, test] + 2)

    def note(self, folder, test, found):
        self.tried[folder, test] += 1
        self.found[folder, test] += found


class Case:
    """A mutant, and how far it is."""

    def __init__(self, mutant, passed):
        self.mutant, self.passed, self.spent = mutant, list(passed), 0.0
        self.next, self.cost, self.busy, self.ended = None, None, False, False


class Runner:
    def __init__(self, folder, jobs, only, without, slowest):
        self.folder, self.slowest = folder, slowest
        self.about = json.loads((folder / "mutants.json").read_text())
        tests = json.loads((folder / "tests.json").read_text())
        self.tests = [t for t in tests if (not only or t["name"] in only) and not (without and re.search(without, t["name"]))]
        self.by_name = {test["name"]: test for test in self.tests}
        self.running, self.lock, self.stopped = set(), threading.Lock(), False
        self.changed = threading.Condition()
        self.trees = [self.tree_of(worker) for worker in range(jobs)]

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

    # ---- what is next ----

    def run_all(self, wanted, again):
        """Judges the mutants; returns the results by number."""
        path = self.folder / "results.jsonl"
        self.known, begun = read_results(path)
        todo = [m for m in self.about["mutants"] if (not wanted or m["id"] in wanted) and (m["id"] not in self.known or (again and not self.known[m["id"]]["killed"]))]
        self.cases = {m["id"]: Case(m, self.known.get(m["id"], {}).get("passed", []) + begun.get(m["id"], [])) for m in todo}
        self.queue, self.total, self.done, self.busy = [], len(todo), 0, 0
        self.odds = Odds()
        self.baseline = {}
        self.waiting = self.take_known_baseline()
        if self.waiting:
            print(f"mutants: {len(self.waiting)} tests without a mutant", flush=True)
        self.begin = time.monotonic()
        with path.open("a") as self.log:
            threads = [threading.Thread(target=self.work, args=(tree,)) for tree in self.trees]
            for thread in threads:
                thread.start()
            try:
                for thread in threads:
                    thread.join()
            except KeyboardInterrupt:
                self.stop()
                for thread in threads:
                    thread.join()
                print(flush=True)
            self.close()
        return self.known

    def work(self, tree):
        while True:
            with self.changed:
                task = self.next_task()
                while not task and self.busy and not self.stopped:
                    self.changed.wait(1)
                    task = self.next_task()
                if not task or self.stopped:
                    self.changed.notify_all()
                    return
                self.busy += 1
            try:
                task(tree)
            finally:
                with self.changed:
                    self.busy -= 1
                    self.changed.notify_all()

    def next_task(self):
        """First all tests without a mutant; then the mutant that has had the least time, so that what is found quickly is found first."""
        if self.waiting:
            test = self.waiting.pop(0)
            return lambda tree: self.reach(test, tree)
        while self.queue:
            cost, number = heapq.heappop(self.queue)
            case = self.cases[number]
            if case.cost == cost and not case.busy and not case.ended:
                case.busy = True
                return lambda tree: self.judge(case, tree)
        return None

    def plan(self, case):
        """Chooses the next test of a mutant: the one that takes the least time for each mutant that it finds."""
        folder = case.mutant["file"].rsplit("/", 1)[0]
        left = [n for n in self.baseline if n not in case.passed and case.mutant["id"] in self.baseline[n]["reached"]]
        if not left:
            case.cost = None
            return
        seconds = lambda name: self.baseline[name]["seconds"] + 0.05
        case.next = min(left, key=lambda name: seconds(name) / self.odds.of(folder, name))
        case.cost = case.spent + seconds(case.next)
        heapq.heappush(self.queue, (case.cost, case.mutant["id"]))

    # ---- without a mutant ----

    def take_known_baseline(self):
        """What an earlier call found; returns the tests that have still to run, the longest first."""
        path = self.folder / "baseline.json"
        self.tried = json.loads(path.read_text()) if path.exists() else {}
        for test in self.tests:
            found = self.tried.get(test["name"])
            if found and not self.may_pass_now(found):
                self.take_baseline(test["name"], found)
        missing = [t for t in self.tests if t["name"] not in self.tried or self.may_pass_now(self.tried[t["name"]])]
        return sorted(missing, key=lambda test: -test["cost"])

    def may_pass_now(self, found):
        """Whether a test failed, perhaps for want of time, and has more of it now."""
        return found["outcome"] in ("failed", "too slow") and found.get("limit", self.slowest) < self.slowest

    def take_baseline(self, name, found):
        """A test that passes without a mutant may judge those that it reaches."""
        if found["outcome"] != "passed":
            return
        self.baseline[name] = found | {"reached": set(found["reached"])}
        self.odds.share[name] = len(found["reached"]) / len(self.about["mutants"])
        for number in self.baseline[name]["reached"] & self.cases.keys():
            if not self.cases[number].busy and not self.cases[number].ended:
                self.plan(self.cases[number])

    def reach(self, test, tree):
        reached = self.folder / f"reached.{test['name']}"
        reached.write_bytes(bytes(len(self.about["mutants"])))
        outcome, seconds, printed = self.run(test, tree, self.nobody() | {"WEFT_REACHED": str(reached)}, 1.25 * self.slowest)
        ids = [i for i, byte in enumerate(reached.read_bytes()) if byte]
        reached.unlink()
        if outcome == "stopped":
            return
        found = {"outcome": outcome, "seconds": seconds, "reached": ids, "printed": "" if outcome == "passed" else printed, "limit": self.slowest}
        with self.changed:
            self.tried[test["name"]] = found
            write_whole(self.folder / "baseline.json", json.dumps(self.tried))
            self.take_baseline(test["name"], found)
            if outcome != "passed":
                print(f"mutants: {test['name']} {outcome} without a mutant, and is left out\n{printed}", flush=True)

    def nobody(self):
        """All is as with a mutant, but there is none."""
        return {"WEFT_MUTANT": str(len(self.about["mutants"]))}

    # ---- with one ----

    def judge(self, case, tree):
        """Runs the next test on a mutant."""
        name = case.next
        mutant = {"WEFT_MUTANT": str(case.mutant["id"])}
        outcome, spent, printed = self.run(self.by_name[name], tree, mutant, patience(self.baseline[name]["seconds"]))
        if outcome == "too slow":  # or is the machine busier than it was?
            _, seconds, _ = self.run(self.by_name[name], tree, self.nobody(), patience(patience(self.slowest)))
            if patience(seconds) > spent:
                outcome, spent, printed = self.run(self.by_name[name], tree, mutant, patience(seconds))
        with self.changed:
            case.busy = False
            if outcome == "stopped":
                return
            case.spent += spent
            case.passed.append(name)
            killed = outcome in ("failed", "too slow")
            self.odds.note(case.mutant["file"].rsplit("/", 1)[0], name, killed)
            if killed:
                self.end(case, {"killed": True, "by": name, "how": outcome, "printed": printed[-600:]})
            else:
                self.plan(case)

    def end(self, case, result):
        case.ended = True
        result = {"id": case.mutant["id"], **result}
        self.log.write("\n" + json.dumps(result) + "\n")
        self.log.flush()
        if result["killed"] is None:
            return
        self.known[result["id"]] = result
        self.done += 1
        show_progress(self.done, self.total, self.known, time.monotonic() - self.begin)

    def close(self):
        """Whoever passed all tests that reach it has survived; where the run was ended before, it is not known."""
        all_known = all(test["name"] in self.tried for test in self.tests)
        for case in self.cases.values():
            if not case.ended:
                survived = not self.stopped or (all_known and case.cost is None and not case.busy)
                self.end(case, {"killed": False if survived else None, "passed": case.passed})


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


def patience(seconds):
    """How long a test may take with a mutant that takes so long without one."""
    return 4 * seconds + 10


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
    lines = [f"seed {about['seed']}: {killed} of {len(mutants)} mutants killed ({share:.1f} %), {len(survived)} survived, {left} not judged to the end"]
    lines += [f"of all {len(about['mutants'])} that were drawn, at least {100 * killed / len(about['mutants']):.1f} % are killed", ""]
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
    for m in about["mutants"]:
        if m["id"] not in known:
            lines.append(f"{m['file']}:{m['line']}:{m['column']}: {m['what']} (mutant {m['id']}): not judged to the end")
    report = {"seed": about["seed"], "killed": killed, "count": len(mutants), "rooms": {r: [sum(f), len(f)] for r, f in rooms.items()}}
    report |= {"survived": survived, "killed_by": {str(m["id"]): known[m["id"]]["by"] for m in mutants if known[m["id"]]["killed"]}}
    (folder / "report.json").write_text(json.dumps(report, indent=1))
    (folder / "report.txt").write_text("\n".join(lines) + "\n")
    return lines, share


def keep_copies(folder, target, runner, ended):
    """What is known so far, for whoever ends this before it has ended."""
    while not ended.wait(10):
        with runner.changed:
            write_report(folder, runner.about, dict(getattr(runner, "known", {})))
        for name in KEPT:
            if (folder / name).exists():
                shutil.copy(folder / name, target)


def renew(folder, cases):
    """Where the generator has changed since they were pinned."""
    tree = folder / "tree"
    environment = {"WEFT": f"{tree}/build/weft", "WEFT_BUILD": f"{tree}/build", "LD_LIBRARY_PATH": str(folder / "lib"),
                   "PATH": f"{os.environ.get('PATH', os.defpath)}:{folder / 'bin'}"}  # fmt: skip
    running = {case: subprocess.Popen([sys.executable, tree / "tests/pinned/run.py", case, "--update"], env=os.environ | environment) for case in cases}
    wrong = [case for case, process in running.items() if process.wait()]
    if wrong:
        sys.exit(f"mutants: these cannot be pinned anew: {', '.join(wrong)}")
    (folder / "renewed").touch()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="run the survivors again, with the tests they have not passed")
    parser.add_argument("--tests", default="", help="only these tests, by name, separated by commas")
    parser.add_argument("--mutants", default="", help="only these mutants, by number, separated by commas")
    parser.add_argument("--slowest", type=float, default=90, help="leave out tests that take more seconds without a mutant")
    parser.add_argument("--seconds", type=float, help="end after so long; the same command goes on")
    parser.add_argument("--at-least", type=float, default=0, help="exit with 1 if less than this percentage is killed")
    parser.add_argument("--without", default="", metavar="PATTERN", help="leave out tests whose name this regular expression finds")
    parser.add_argument("--copies", metavar="DIR", help="copy there what is known, every ten seconds")
    parser.add_argument("--renew", default="", metavar="CASES", help="pinned cases to write anew before, without a mutant, separated by commas")
    options = parser.parse_args()
    os.environ.pop("WEFT_MUTANT", None)
    if options.renew and not (HERE / "renewed").exists():
        renew(HERE, options.renew.split(","))
    runner = Runner(HERE, options.jobs, set(filter(None, options.tests.split(","))), options.without, options.slowest)
    if options.seconds:
        timer = threading.Timer(options.seconds, runner.stop)
        timer.daemon = True
        timer.start()
    ended = threading.Event()
    if options.copies:
        threading.Thread(target=keep_copies, args=(HERE, options.copies, runner, ended), daemon=True).start()
    known = runner.run_all({int(n) for n in options.mutants.split(",") if n}, options.again)
    ended.set()
    lines, share = write_report(HERE, runner.about, known)
    print("\n".join(lines))
    print(f"mutants: written to {HERE / 'report.txt'}")
    if runner.stopped:
        print("mutants: ended early; the same command goes on")
    sys.exit(130 if runner.stopped else share < options.at_least)


if __name__ == "__main__":
    main()
