#!/usr/bin/env python3
"""Records from Python, without any other package: weft.produce gives what the command writes, weft.load reads it, streams can be
left and continued.

    test_data.py            exits with 77 where the package was not built
    test_data.py --tools    what pyarrow, polars, DuckDB and datasets take from it; 77 where they cannot be installed
    test_data.py --torch    the same for a DataLoader (`make loaders`)
"""

import ctypes
import gc
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import types
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
    subprocess.run([COMMAND, "produce", "-q", "-o", folder, "--no-compress", "--full", *map(str, options)], check=True)
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
        with tempfile.TemporaryDirectory() as folder:
            key = os.path.join(folder, "hidden.key")
            plain, hidden, again = (next(weft.produce(1, seed=4, hidden_key=path, launches=4)) for path in (None, key, key))
        self.assertEqual(hidden, again)
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


def in_child(function):
    """What a function gives, or the exception that it raises, in a forked process; everything that the child has is freed there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that hangs
        try:
            answer = function()
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        gc.collect()
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(answer) if answer and status == 0 else f"ended by {status}"


class ArrowStream(ctypes.Structure):
    """The C interface, as far as it is needed to ask for a batch."""

    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
        ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]

    @classmethod
    def of(cls, capsule):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return cls.from_address(pointer(capsule, b"arrow_array_stream"))

    def next(self):
        batch = ctypes.create_string_buffer(80)  # a struct ArrowArray; it begins with the number of rows
        if self.get_next(ctypes.addressof(self), ctypes.addressof(batch)):
            return self.get_last_error(ctypes.addressof(self)).decode()
        return ctypes.c_int64.from_buffer(batch).value


class Forked(unittest.TestCase):
    """A child has none of the threads, and shares the places in files: what was begun stays the parent's."""

    FOREIGN = "RuntimeError: these records belong to the process that made them; make new ones in the child"

    def test_an_iterator_that_was_begun(self):
        expected = ids(weft.produce(200, seed=5, **QUICK))
        stream = weft.produce(200, seed=5, **QUICK)
        first = next(stream)["id"]
        self.assertEqual(in_child(lambda: next(stream)), self.FOREIGN)
        self.assertEqual(in_child(lambda: ids(stream)), self.FOREIGN)
        self.assertEqual(in_child(lambda: str(stream.place())), self.FOREIGN)
        self.assertEqual(in_child(lambda: str(stream.__arrow_c_stream__())), self.FOREIGN)
        self.assertEqual(in_child(lambda: len(list(weft.produce(20, **QUICK)))), 20)
        self.assertEqual([first, *ids(stream)], expected)

    def test_a_set_that_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for form in ("jsonl", "parquet"):
                path = os.path.join(folder, form)
                subprocess.run([COMMAND, "produce", "-q", "-n", "150", "-o", path, "--format", form, "--no-verify"], check=True)
                expected, stream = ids(weft.load(path)), weft.load(path)
                some = ids(itertools.islice(stream, 3))

                def read(stream=stream):
                    return ids(stream)

                self.assertEqual(in_child(read), self.FOREIGN)
                self.assertEqual(in_child(lambda path=path: ids(weft.load(path))), expected)
                self.assertEqual([*some, *ids(stream)], expected)

    def test_arrow_streams(self):
        records = weft.produce(600, **QUICK)
        begun, fresh = records.__arrow_c_stream__(), records.__arrow_c_stream__()
        self.assertEqual(ArrowStream.of(begun).next(), 512)
        for capsule in (begun, fresh):
            self.assertEqual(in_child(lambda capsule=capsule: ArrowStream.of(capsule).next()), self.FOREIGN.split(": ", 1)[1])
        self.assertEqual((ArrowStream.of(begun).next(), ArrowStream.of(fresh).next()), (88, 512))

    def test_what_has_not_begun(self):
        stream = weft.produce(10, seed=3, **QUICK)
        self.assertEqual(in_child(lambda: ids(stream)), ids(stream))
        again = pickle.loads(pickle.dumps(weft.produce(10, seed=3, **QUICK)))
        self.assertEqual(ids(again), ids(weft.produce(10, seed=3, **QUICK)))
        with self.assertRaisesRegex(TypeError, "records that have begun"):
            pickle.dumps(again)

    def test_while_threads_are_busy(self):
        """A thread that takes records or compiles at the moment of the fork is not in the child; what it held must not be missing there."""
        stream, stop = weft.produce(seed=4), threading.Event()  # with checks: a thread waits for records most of the time
        source = "import warp as wp\n" + next(weft.produce(1, **QUICK))["python_source"]

        def take():
            while not stop.is_set():
                next(stream)

        def compile_again():
            while not stop.is_set():
                weft.extract_ir(source)

        threads = [threading.Thread(target=one) for one in (take, compile_again)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                self.assertEqual(in_child(lambda: next(stream)), self.FOREIGN)
                self.assertEqual(in_child(lambda: [len(list(weft.produce(2, **QUICK))), len(weft.extract_ir(source)) > 4]), [2, True])
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def test_multiprocessing(self):
        begun, fresh = weft.produce(20, seed=3, **QUICK), weft.produce(20, seed=3, **QUICK)
        next(begun)
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()

        def work(stream):
            try:
                answers.put(ids(stream))
            except RuntimeError as error:
                answers.put(f"RuntimeError: {error}")

        for stream, expected in ((begun, self.FOREIGN), (fresh, ids(weft.produce(20, seed=3, **QUICK)))):
            worker = context.Process(target=work, args=(stream,))
            worker.start()
            self.assertEqual(answers.get(), expected)
            worker.join(20)
            self.assertEqual(worker.exitcode, 0)
        self.assertEqual(len(list(begun)), 19)

    def test_the_end_of_a_child(self):
        """A child that ends as usual frees everything that its parent had."""
        text = """
            import os, sys, weft
            held = [weft.produce(seed=1, verify=False), weft.produce(seed=2, verify=False)]
            [next(stream) for stream in held]
            held.append(held[1].__arrow_c_stream__())
            child = os.fork()
            if child == 0:
                sys.exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            next(held[0])
        """
        call = [sys.executable, "-c", textwrap.dedent(text)]
        ended = subprocess.run(call, env=os.environ | {"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, timeout=60)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_dataset_of_torch(self):
        """A stand-in for torch: workers are forked or spawned, with a dataset that has begun or not."""
        data = types.SimpleNamespace(IterableDataset=object, get_worker_info=lambda: None)
        names = {"torch": types.ModuleType("torch"), "torch.distributed": types.ModuleType("torch.distributed")}
        names |= {"torch.utils": types.ModuleType("torch.utils"), "torch.utils.data": data}
        names["torch"].distributed, names["torch"].utils = names["torch.distributed"], names["torch.utils"]
        names["torch.utils"].data, names["torch.distributed"].is_available = data, lambda: False
        if "torch" in sys.modules:
            self.skipTest("torch itself is here")
        sys.modules.update(names)
        try:
            from weft.torch import KernelStream
        finally:
            for name in names:
                del sys.modules[name]
        dataset = KernelStream(10, seed=3, **QUICK)
        whole, taken = ids(dataset), iter(dataset)
        first = next(taken)["id"]
        self.assertEqual(in_child(lambda: next(taken)), self.FOREIGN)
        self.assertEqual(in_child(lambda: dataset.state_dict()), {"piece": None, "place": None})
        self.assertEqual(in_child(lambda: ids(dataset)), whole)
        self.assertEqual(ids(pickle.loads(pickle.dumps(dataset))), whole)
        self.assertEqual([first, *ids(taken)], whole)


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
            with self.assertRaisesRegex(FileNotFoundError, "No such file or directory: folder is a data set") as caught:
                weft.load(os.path.join(folder, "missing"))
            self.assertEqual(caught.exception.filename, os.path.join(folder, "missing"))
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
