#!/usr/bin/env python3
"""Conveniences of the package: weft.check of files, lengths and pictures of records, types of records, a missing compiled part.

    test_conveniences.py     exits with 77 where the package was not built
"""

import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import typing
import unittest

from package_env import COMMAND, PACKAGE  # also finds the package

import weft  # noqa: E402

KERNELS = """import warp as wp


@wp.kernel
def damp(v: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    x = v[i]
    for k in range(3):
        x = x * 0.5 + wp.sin(x)
        v[i] = x
    out[i] = x * v[i]


@wp.kernel
def fine(v: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = v[i] * v[i]


@wp.kernel
def far(v: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = v[i + 1000000]


@wp.kernel
def unknown(v: wp.array(dtype=float)):
    v[0] = wp.no_such_function(1.0)
"""
QUICK = {"verify": False, "readable": False}


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name, "kernels.py")
        self.path.write_text(KERNELS)

    def test_every_kernel_has_a_verdict(self):
        found = {verdict.kernel: verdict for verdict in weft.check(self.path)}
        self.assertEqual(set(found), {"damp", "fine", "far", "unknown"})
        damp, fine, far, unknown = (found[name] for name in ("damp", "fine", "far", "unknown"))
        self.assertEqual((damp.forward, damp.gradient, damp.ok), ("pass", "mismatch", False))
        self.assertEqual((damp.pattern, damp.line), ("element-rewritten", 9))
        self.assertIn("another array", damp.hint)
        self.assertNotAlmostEqual(damp.true_value, damp.warp_value, 3)
        self.assertEqual((fine.forward, fine.gradient, fine.ok, fine.pattern, fine.hint, fine.why), ("pass", "pass", True, None, None, ""))
        self.assertEqual((far.forward, far.finding, far.line, far.ok), ("finding", "out-of-bounds", 23, False))
        self.assertEqual((unknown.forward, unknown.line), ("none", 28))
        self.assertIn("no_such_function", unknown.why)
        for verdict in found.values():
            self.assertEqual(verdict.path, str(self.path))
            json.dumps(verdict.to_dict(), allow_nan=False)

    def test_options(self):
        one, other = (weft.check(self.path, seed=seed)[0].true_value for seed in (3, 4))
        self.assertNotEqual(one, other)
        self.assertEqual(one, weft.check(self.path, seed=3)[0].true_value)
        self.assertEqual(weft.check(self.path, dim=1)[1].gradient, "pass")

    def test_folders_and_what_is_wrong(self):
        self.assertEqual(len(weft.check(pathlib.Path(self.folder.name))), 4)
        with self.assertRaises(FileNotFoundError):
            weft.check(self.path.with_name("missing.py"))
        with self.assertRaisesRegex(TypeError, "pathlib.Path"):
            weft.check(str(self.path))
        with self.assertRaisesRegex(TypeError, "random data"):
            weft.check(self.path, [1.0])
        self.path.write_text("def (")
        with self.assertRaises(weft.CompileError) as caught:
            weft.check(self.path)
        self.assertEqual((caught.exception.line, caught.exception.path), (1, str(self.path)))

    def test_pictures(self):
        damp = weft.check(self.path)[0]
        picture = damp._repr_html_()
        self.assertIn("<td>element-rewritten</td>", picture)
        damp.why = "<script>"
        self.assertNotIn("<script>", damp._repr_html_())
        self.assertIn("damp", repr(damp))


class Lengths(unittest.TestCase):
    def test_invented(self):
        records = weft.produce(5, **QUICK)
        self.assertEqual((len(records), repr(records), bool(records)), (5, "<weft.Records: 5 records>", True))
        next(records)
        self.assertEqual((len(records), repr(records)), (5, "<weft.Records: 5 records, begun>"))
        self.assertEqual(len(list(records)), 4)
        self.assertEqual(len(pickle.loads(pickle.dumps(weft.produce(5, **QUICK)))), 5)

    def test_without_end(self):
        records = weft.produce(**QUICK)
        self.assertRaises(TypeError, len, records)
        self.assertTrue(records)
        self.assertEqual(records._repr_html_(), "<code>&lt;weft.Records: records without an end&gt;</code>")

    def test_sets(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([COMMAND, "produce", "-q", "-n", "40", "-o", folder + "/set", "--no-verify", "--no-readable", "--splits", "50,25,25"], check=True)
            lengths = [len(weft.load(folder + "/set", split)) for split in (None, "train", "validation", "test")]
            self.assertEqual(lengths[0], 40)
            self.assertEqual(lengths, [len(list(weft.load(folder + "/set", split))) for split in (None, "train", "validation", "test")])


class Types(unittest.TestCase):
    """The typed dicts have the columns of the schema, and their kinds."""

    KINDS = {"string": str, "integer": int, "number": float, "boolean": bool, "array": typing.List[int]}

    def test_columns(self):
        schema = json.loads(subprocess.run([COMMAND, "validate", "--schema"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(list(weft.Record.__annotations__), list(schema["properties"]))
        launch = schema["properties"]["launches"]["items"]["properties"]
        self.assertEqual(list(weft.Launch.__annotations__), list(launch))
        self.assertEqual(list(weft.Value.__annotations__), list(schema["$defs"]["value"]["properties"]))
        self.assertEqual(list(weft.Argument.__annotations__), list(schema["properties"]["arguments"]["items"]["properties"]))

    def test_values(self):
        hints = typing.get_type_hints(weft.Record)
        for record in weft.produce(20, device="both"):
            self.assertLessEqual(set(record), set(hints))
            for name, value in record.items():
                self.assertTrue(self.fits(value, hints[name]), f"{name}: {value!r} is not {hints[name]}")

    def fits(self, value, hint):
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Union:
            return any(self.fits(value, one) for one in args)
        if origin is list:
            return isinstance(value, list) and all(self.fits(one, args[0]) for one in value)
        if origin is dict or hasattr(hint, "__total__"):
            fields = typing.get_type_hints(hint) if hasattr(hint, "__total__") else {}
            return isinstance(value, dict) and all(self.fits(value[name], kind) for name, kind in fields.items())
        return type(value) is hint


class WithoutCompiledPart(unittest.TestCase):
    def test_it_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PACKAGE / "weft", os.path.join(folder, "weft"), ignore=shutil.ignore_patterns("*.so", "bin", "__pycache__"))
            done = subprocess.run([sys.executable, "-c", "import weft"], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True, cwd=folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"ImportError: the compiled part of weft is not there.*pip install \.")


if __name__ == "__main__":
    unittest.main()
