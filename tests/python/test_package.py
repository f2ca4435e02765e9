#!/usr/bin/env python3
"""The Python package as it lies in the build folder, without Warp: texts are those of the command, exceptions say what and where,
threads give the same texts, memory stays flat, importing is quick and imports nothing else.

    test_package.py     exits with 77 where the package was not built (no headers of CPython)
"""

import json
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

from package_env import COMMAND, PACKAGE, ROOT  # also finds the package

import weft  # noqa: E402

SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
SAXPY = (ROOT / "examples" / "saxpy.py").read_text()
HEAD = "import warp as wp\n\n"
TWO = HEAD + "".join(
    f"@wp.kernel\ndef {name}(x: wp.array(dtype=float)):\n    x[wp.tid()] = {value}\n\n\n" for name, value in (("one", "1.0"), ("two", "2.0"))
)
WRONG = HEAD + "@wp.kernel\ndef wrong(x: wp.array(dtype=float)):\n    x[0] = missing\n"
TILES = HEAD + "@wp.kernel\ndef tiles(x: wp.array(dtype=float)):\n    t = wp.tile_zeros(shape=(1, 2, 1, 2, 1), dtype=float)\n"


def from_command(*arguments, text=None):
    return subprocess.run([COMMAND, *arguments], input=text, capture_output=True, text=True, check=True).stdout


def resident_kilobytes():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Extract(unittest.TestCase):
    def test_every_example_is_what_the_command_writes(self):
        for path in sorted((ROOT / "examples").glob("*.py")):
            rows = [json.loads(line) for line in from_command("extract", str(path), "-d", "both", "--json").splitlines()]
            expected = {row["full_name"]: row for row in rows}
            found = weft.extract_module(path, device="both")
            self.assertEqual([k["full_name"] for k in found], list(expected), path)
            for kernel in found:
                row = expected[kernel["full_name"]]
                for field in set(row) - {"file", "kernel_key"}:
                    self.assertEqual(kernel[field], row[field], (path, field))

    def test_devices_and_passes(self):
        cuda = weft.extract_ir(SAXPY)
        self.assertIn("__global__ void saxpy_2f51673c_cuda_kernel_backward", cuda["cuda_backward"])
        self.assertEqual(cuda["cuda_module"], cuda["cuda_forward"] + cuda["cuda_backward"])
        self.assertFalse([field for field in cuda if field.startswith("cpp")])
        forward = weft.extract_ir(SAXPY, device="cpu", backward=False)
        self.assertNotIn("cpp_backward", forward)
        self.assertFalse(forward["metadata"]["has_backward"])
        self.assertEqual(forward["cpp_module"], forward["cpp_prelude"] + forward["cpp_forward"])
        with self.assertRaises(ValueError):
            weft.extract_ir(SAXPY, device="gpu")
        with self.assertRaises(TypeError):
            weft.extract_ir(42)

    def test_versions(self):
        self.assertEqual(weft.extract_ir(SAXPY)["metadata"]["warp_version"], weft.warp_versions[-1])
        for version in weft.warp_versions:
            expected = json.loads(from_command("extract", "--warp", version, str(ROOT / "examples/saxpy.py"), "--json"))
            self.assertEqual(weft.extract_ir(SAXPY, warp=version)["cuda_forward"], expected["cuda_forward"])
        with self.assertRaisesRegex(ValueError, "0.9"):
            weft.extract_ir(SAXPY, warp="0.9")

    def test_one_of_several(self):
        self.assertEqual(weft.extract_ir(TWO, name="two")["kernel_name"], "two")
        with self.assertRaisesRegex(ValueError, "one, two"):
            weft.extract_ir(TWO)
        with self.assertRaisesRegex(weft.CompileError, "no kernel 'three'"):
            weft.extract_ir(TWO, name="three")

    def test_preamble(self):
        self.assertIn("builtin.h", weft.preamble())
        self.assertNotEqual(weft.preamble("cpu"), weft.preamble("cuda"))


class Refusals(unittest.TestCase):
    def test_the_source_is_wrong(self):
        with self.assertRaises(weft.CompileError) as caught:
            weft.extract_ir(WRONG)
        error = caught.exception
        self.assertEqual((error.kind, error.kernel, error.path, error.line, error.column), ("error", "wrong", "<text>", 5, 12))
        self.assertIn("missing", error.message)
        self.assertIn("^", str(error))

    def test_a_syntax_error(self):
        for extract in (weft.extract_ir, weft.extract_module):
            with self.assertRaises(weft.CompileError) as caught:
                extract("def f(:\n")
            self.assertIsNone(caught.exception.kernel)

    def test_what_weft_cannot_do(self):
        with self.assertRaises(weft.Refused) as caught:
            weft.extract_ir(TILES)
        self.assertEqual((caught.exception.kind, caught.exception.kernel), ("unsupported", "tiles"))

    def test_the_others_are_compiled(self):
        found = weft.extract_module(TWO + TILES.removeprefix(HEAD))
        self.assertEqual([k["kernel_name"] for k in found], ["one", "two"])
        self.assertEqual([(type(e), e.kernel) for e in found.refused], [(weft.Refused, "tiles")])

    def test_pickled(self):
        try:
            weft.extract_ir(WRONG)
        except weft.Error as error:
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), vars(copy), str(copy)), (type(error), vars(error), str(error)))

    def test_odd_texts(self):
        for text in ("", "\0", "\udcff", b"\xff\xfe", "x" * 100000, "(" * 5000):
            try:
                self.assertEqual(weft.extract_module(text), [])
            except weft.Error:
                pass


class Process(unittest.TestCase):
    def test_threads_give_the_same_texts(self):
        texts = [path.read_text() for path in sorted((ROOT / "examples").glob("*.py"))]
        expected = [list(weft.extract_module(text, "both")) for text in texts]
        differing = []

        def work(number):
            for i in range(3 * len(texts)):
                at = (i + number) % len(texts)
                if list(weft.extract_module(texts[at], "both")) != expected[at]:
                    differing.append(at)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(differing, [])

    @unittest.skipIf(SANITIZED, "a sanitizer takes time and memory of its own")
    def test_memory_stays_flat(self):
        def calls(count):
            for _ in range(count):
                weft.extract_ir(SAXPY, "both")
                try:
                    weft.extract_ir(WRONG)
                except weft.CompileError:
                    pass

        calls(200)
        before = resident_kilobytes()
        calls(int(os.environ.get("WEFT_CALLS", "1500")))
        self.assertLess(resident_kilobytes() - before, 1024)

    @unittest.skipIf(SANITIZED, "a sanitizer takes time and memory of its own")
    def test_importing(self):
        code = (
            "import sys, time; start = time.process_time(); import weft; spent = time.process_time() - start;"
            "print(spent, 'warp' in sys.modules or 'numpy' in sys.modules)"
        )
        runs = []
        for _ in range(5):
            answer = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True)
            spent, imported = answer.stdout.split()
            self.assertEqual(imported, "False")
            runs.append(float(spent))
        self.assertLess(min(runs), 0.02)

    def test_the_command_line(self):
        def run(*arguments):
            return subprocess.run([sys.executable, "-m", "weft", *arguments], env=os.environ | {"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True)

        self.assertEqual(run("--version").stdout, from_command("--version"))
        self.assertEqual(run("extract").returncode, 2)

    def test_interrupted(self):
        def interrupt():
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        with self.assertRaises(KeyboardInterrupt):
            thread.start()
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                weft.extract_ir(SAXPY)
        thread.join()


if __name__ == "__main__":
    unittest.main()
