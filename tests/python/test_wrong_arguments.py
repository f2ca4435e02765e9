#!/usr/bin/env python3
"""Wrong types, values and names for every public function: the exception, and words that say what is wrong and what to write.

    test_wrong_arguments.py     exits with 77 where the package was not built; Warp is not needed
"""

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

from package_env import PACKAGE  # also finds the package

import weft  # noqa: E402

KERNEL = "import warp as wp\n\n@wp.kernel\ndef own(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n"
GIVEN = "a kernel is given as a wp.Kernel, as a function that @wp.kernel would take, as source text, or as a path of a file (pathlib.Path), not "
AS_PATH = "'kernels.py' is source text without a kernel; a file is given as a path: pathlib.Path('kernels.py')"
WRITES = "; it writes that of " + ", ".join(weft.warp_versions)


class Wrong(unittest.TestCase):
    def check(self, call, *rows):
        for arguments, kind, words in rows:
            with self.subTest(arguments), self.assertRaises(kind) as caught:
                call(**arguments) if isinstance(arguments, dict) else call(*arguments)
            self.assertIn(words, str(caught.exception))

    def test_kernels(self):
        for call in (weft.extract_ir, weft.extract_module):
            self.check(
                call,
                (("kernels.py",), weft.CompileError, AS_PATH),
                ((b"kernels.py",), weft.CompileError, AS_PATH),
                ((__file__,), weft.CompileError, "a file is given as a path"),
                ((pathlib.Path("no such"),), FileNotFoundError, "no such"),
                ((lambda: 0,), TypeError, GIVEN + "a lambda"),
                ((None,), TypeError, GIVEN + "NoneType"),
                (([KERNEL],), TypeError, GIVEN + "list"),
                (("\ud800",), weft.CompileError, "invalid UTF-8"),
                ((KERNEL, "gpu"), ValueError, "device is 'cuda', 'cpu' or 'both', not 'gpu'"),
            )
            self.check(lambda warp, call=call: call(KERNEL, warp=warp), *self.versions())

    def versions(self):
        yield ("9.9",), ValueError, "weft does not write the text of Warp 9.9" + WRITES
        yield (3,), TypeError, f"warp is a str: a version of Warp, such as '{weft.warp_versions[-1]}', not 3"

    def test_names_of_kernels(self):
        self.check(
            lambda name: weft.extract_ir(KERNEL, name=name),
            (("other",), weft.CompileError, "there is no kernel 'other' in <text>; it has own"),
            ((3,), TypeError, "name is a str: the name of a kernel, not 3"),
            (("a\0b",), ValueError, "name is a str"),
        )
        self.check(lambda warp: weft.preamble(warp=warp), *self.versions())

    def test_a_function_without_warp(self):
        def function(x):
            return x

        self.check(weft.extract_ir, ((function,), ImportError, "Warp"))

    def test_produce(self):
        def number(name, *wrong, kind=ValueError):
            return [({"n": 1, name: value}, kind, f"{name} is {value}" if kind is ValueError else f"{name} is a whole number, not {value!r}") for value in wrong]

        names = "categories are names, or a dict of names and weights, not "
        self.check(
            weft.produce,
            *number("n", -1, 2**70),
            *number("seed", -1, 2**64),
            *number("launches", -1, 9),
            *number("jobs", -1, 1025),
            *number("n", "3", 2.5, kind=TypeError),
            *number("seed", "a", None, 1.5, kind=TypeError),
            ({"n": 1, "hidden_key": 31}, TypeError, "hidden_key is the file of a hidden key, as a str or a path, not 31"),
            *number("launches", "3", kind=TypeError),
            *number("jobs", None, kind=TypeError),
            ({"categories": 3}, TypeError, names + "3"),
            ({"categories": [3]}, TypeError, names + "[3]"),
            ({"categories": []}, ValueError, "categories are empty; None stands for the usual mix"),
            ({"categories": {"vector": 0}}, ValueError, "the weight of category 'vector' is 0"),
            ({"categories": {"vector": 1.5}}, TypeError, "the weight of category 'vector' is a whole number, not 1.5"),
            ({"categories": "vectr"}, ValueError, "there are arithmetic, vector, "),
            ({"device": None}, ValueError, "device is one of cuda|cpu|both, not None"),
            ({"gradients": 3}, ValueError, "gradients is one of proven|marked|skip, not 3"),
            ({"dedup": None}, ValueError, "dedup is one of structure|masked, not None"),
            ({"piece": 3}, TypeError, "piece is (i, n), number i of n pieces, not 3"),
            ({"piece": (1,)}, TypeError, "piece is (i, n)"),
            ({"piece": ("a", 2)}, TypeError, "the piece is a whole number, not 'a'"),
            ({"piece": (0, 2**40)}, ValueError, "the number of pieces is"),
            ({"place": "abc"}, TypeError, "place is bytes, as Records.place() gives them, not str"),
        )
        self.check(lambda warp: weft.produce(1, warp=warp), *self.versions())
        self.check(weft.Records, ((3,), TypeError, "weft.Records are made by weft.produce and weft.load"))

    def test_load(self):
        what = "folder is a data set that weft produce has written"
        self.check(
            weft.load,
            (("nowhere",), FileNotFoundError, what),
            ((b"nowhere",), FileNotFoundError, what),
            (("",), FileNotFoundError, what),
            (("a\0b",), FileNotFoundError, what),
            (("\udcff",), FileNotFoundError, what),
            ((__file__,), NotADirectoryError, what),
            ((None,), TypeError, what + ", as a str or a path, not None"),
        )
        with tempfile.TemporaryDirectory() as folder:
            odd = os.path.join(os.fsencode(folder), b"\xff")  # not UTF-8
            os.mkdir(odd)
            self.check(weft.load, ((odd,), ValueError, "has no manifest.json"))

    def test_score(self):
        task = {"id": "a"}
        self.check(
            lambda task, answer, set: weft.score(task, answer, set=set),
            ((None, "x", "/"), TypeError, "task is a dict, a line of `weft tasks`, or a list of them, not NoneType"),
            ((task, None, "/"), TypeError, "answer is a str, or a list of them, not NoneType"),
            ((task, b"x", "/"), TypeError, "answer is a str, or a list of them, not bytes"),
            (({}, "x", "/"), TypeError, "a task is a dict with an id, a line of `weft tasks`, not {}"),
            ((task, "x", "nowhere"), FileNotFoundError, "set is the folder of the data set"),
            ((task, "x", None), TypeError, "set is the folder of the data set"),
        )

    def test_without_warp(self):
        """Where it is not installed, and where it is not imported."""
        calls = {"weft.install()": "weft.install()", "weft.watch()": "weft.watch()", "weft.check()": "weft.check(None)"}
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "warp.py").touch()
            for path, words in (("", "needs Warp, which is not installed: pip install warp-lang"), (folder, "none is imported: write `import warp` before it")):
                for who, call in calls.items():
                    text = f"import sys; sys.path[:0] = {[str(PACKAGE), *[path] * bool(path)]}\nimport weft\ntry:\n    {call}\nexcept ImportError as e:\n    print(e.name, e)"
                    said = subprocess.run([sys.executable, "-S", "-c", text], capture_output=True, text=True)
                    self.assertEqual((said.stdout.split()[:2], said.stderr), (["warp", who], ""))
                    self.assertIn(words, said.stdout)

    def test_pickled(self):
        verdict = weft.Verdict("k", "k.py", "it is too old")
        found = pickle.loads(pickle.dumps(weft.Mismatch(verdict)))
        self.assertEqual((str(found), found.verdict.why), ("k: it is too old", "it is too old"))


if __name__ == "__main__":
    unittest.main()
