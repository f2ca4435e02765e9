#!/usr/bin/env python3
"""Records from Python, without any other package: weft.produce gives what the command writes, weft.load reads it, streams can be
left and continued.

    test_data.py            exits with 77 where the package was not built
    test_data.py --tools    what pyarrow, polars, DuckDB and datasets take from it; 77 where they cannot be installed
    test_data.py --torch    the same for a DataLoader (`make loaders`)
"""

import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from package_env import COMMAND, PACKAGE, ROOT  # also finds the package

if "--tools" in sys.argv or "--torch" in sys.argv:
    made = subprocess.run([ROOT / "tools" / "loaders.sh", *["torch"] * ("--torch" in sys.argv)], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"skipped: {made.stderr.strip()}")
        sys.exit(77)
    environment = os.environ | {"PYTHONPATH": str(PACKAGE), "HF_HUB_OFFLINE": "1"}
    sys.exit(subprocess.run([ROOT / made.stdout.strip(), ROOT / "tests" / "python" / "take_records.py"], env=environment).returncode)

import weft  # noqa: E402

QUICK = {"verify": False, "readable": False}


def ids(records):
    return [record["id"] for record in records]


def made_by_command(folder, *options):
    """The records of a set that the command writes."""
    subprocess.run([COMMAND, "produce", "-q", "-o", folder, "--no-compress", *map(str, options)], check=True)
    return [json.loads(line) for path in sorted(pathlib.Path(folder).glob("*.jsonl")) for line in path.read_text().splitlines()]


class Produced(unittest.TestCase):
    def test_the_records_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            expected = made_by_command(os.path.join(folder, "set"), "-n", 12, "-s", 3)
            self.assertEqual(list(weft.produce(12, seed=3)), expected)
            self.assertEqual(list(weft.load(os.path.join(folder, "set"))), expected)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ["-d", "both", "-c", "vector=3,math", "--no-verify", "--no-readable", "--dedup", "masked", "--warp", "1.16"]
            expected = made_by_command(os.path.join(folder, "set"), "-n", 40, "-s", 9, *options)
        found = list(weft.produce(40, 9, {"vector": 3, "math": 1}, False, device="both", readable=False, dedup="masked", warp="1.16"))
        self.assertEqual(found, expected)
        self.assertEqual(ids(weft.produce(5, 9, ["vector"], **QUICK)), ids(weft.produce(5, 9, "vector", jobs=1, **QUICK)))

    def test_hidden_launches(self):
        plain, hidden = next(weft.produce(1, seed=4)), next(weft.produce(1, seed=4, hidden_seed=5, launches=4))
        self.assertEqual(plain["python_source"], hidden["python_source"])
        self.assertNotEqual(plain["launches"], hidden["launches"])
        self.assertGreaterEqual(len(hidden["launches"]), 4)

    def test_pieces_are_disjoint(self):
        pieces = [ids(weft.produce(30, seed=1, piece=(i, 3), **QUICK)) for i in range(3)]
        self.assertEqual(len(set(itertools.chain(*pieces))), 90)

    def test_no_end(self):
        stream = weft.produce(seed=2, **QUICK)
        self.assertEqual(ids(itertools.islice(stream, 50)), ids(weft.produce(50, seed=2, **QUICK)))

    def test_place(self):
        whole = ids(weft.produce(60, seed=6, **QUICK))
        stream = weft.produce(60, seed=6, **QUICK)
        self.assertEqual(ids(itertools.islice(stream, 25)), whole[:25])
        rest = weft.produce(60, seed=6, place=stream.place(), **QUICK)
        self.assertEqual(ids(rest), whole[25:])
        self.assertEqual(ids(weft.produce(60, seed=6, place=rest.place(), **QUICK)), [])
        self.assertEqual(ids(weft.produce(60, seed=6, place=weft.produce(60, seed=6, **QUICK).place(), **QUICK)), whole)

    def test_wrong_places(self):
        place = weft.produce(60, seed=6, **QUICK).place()
        for wrong, why in ((place[:-1], "not a place"), (b"", "not a place"), (place[:16] + b"\xff" * 16, "not a place")):
            with self.assertRaisesRegex(ValueError, why):
                weft.produce(60, seed=6, place=wrong, **QUICK)
        with self.assertRaisesRegex(ValueError, "other options"):
            weft.produce(60, seed=7, place=place, **QUICK)

    def test_wrong_options(self):
        for options, why in (
            ({"n": 0}, "n is 0"),
            ({"n": 3, "device": "gpu"}, "device is one of cuda|cpu|both, not 'gpu'"),
            ({"n": 3, "categories": "vectr"}, "no category 'vectr'"),
            ({"n": 3, "warp": "1.2"}, "Warp 1.2"),
            ({"n": 3, "piece": (3, 3)}, "piece is"),
            ({"n": 3, "verify": False, "launches": 2}, "no launches"),
        ):
            with self.subTest(options), self.assertRaises(ValueError) as caught:
                weft.produce(**options)
            self.assertIn(why, str(caught.exception))

    def test_nothing_is_left_behind(self):
        def threads():
            return len(os.listdir("/proc/self/task"))

        before = threads()
        for _ in range(20):
            next(weft.produce(seed=1, jobs=2, **QUICK))
        self.assertEqual(threads(), before)

    def test_several_threads_share_one(self):
        stream, found, lock = weft.produce(200, seed=8, **QUICK), [], threading.Lock()

        def take():
            for record in stream:
                with lock:
                    found.append(record["id"])

        takers = [threading.Thread(target=take) for _ in range(4)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        self.assertEqual(sorted(found), sorted(ids(weft.produce(200, seed=8, **QUICK))))

    def test_interrupted(self):
        """Ctrl-C ends a wait for records at once."""
        text = "import weft\nprint('ready', flush=True)\nfor record in weft.produce(seed=1): pass\n"
        child = subprocess.Popen([sys.executable, "-c", text], env=os.environ | {"PYTHONPATH": str(PACKAGE)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=30)
        self.assertIn(b"KeyboardInterrupt", errors)


class Loaded(unittest.TestCase):
    def test_splits_and_formats(self):
        with tempfile.TemporaryDirectory() as folder:
            sets = [os.path.join(folder, form) for form in ("jsonl", "parquet")]
            for path, form in zip(sets, ("jsonl", "parquet")):
                call = [COMMAND, "produce", "-q", "-n", "60", "-o", path, "--format", form, "--splits", "50,25,25", "--no-verify"]
                subprocess.run(call, check=True)
            lines, columns = (list(weft.load(path)) for path in sets)
            self.assertEqual(lines, columns)
            parts = [ids(weft.load(sets[0], split)) for split in ("train", "validation", "test")]
            self.assertTrue(all(parts))
            self.assertEqual(sorted(sum(parts, [])), sorted(ids(lines)))

    def test_what_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ValueError, "not a weft data set"):
                weft.load(folder)
            with self.assertRaisesRegex(ValueError, "no such|No such|cannot"):
                weft.load(os.path.join(folder, "missing"))
            with self.assertRaisesRegex(ValueError, "split is one of"):
                weft.load(folder, "dev")
            path = os.path.join(folder, "set")
            made_by_command(path, "-n", 5, "--no-verify")
            with self.assertRaisesRegex(ValueError, "only a stream of invented kernels has a place"):
                weft.load(path).place()
            shard = next(pathlib.Path(path).glob("*.jsonl"))
            shard.write_text(shard.read_text().replace("wp.", "wq.", 1))
            with self.assertRaisesRegex(ValueError, "it was changed"):
                list(weft.load(path))


if __name__ == "__main__":
    unittest.main()
