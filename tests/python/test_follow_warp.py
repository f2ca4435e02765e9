#!/usr/bin/env python3
"""The comparing part of tools/follow_warp.py, on two small made-up versions; and what it says when a release cannot be had."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import follow_compare  # noqa: E402
import follow_warp  # noqa: E402


def builtin(name, params=(), result="float32", native=None, flags=(), tile=False):
    params = [[*p.split(":"), None] for p in params]
    return {"name": name, "tile": tile, "result": result, "params": params, "native": native or name, "flags": list(flags)}


def row(kernel, body, name=None, cpu=None, file="f.py"):
    name = name or f"{kernel}_00000001"
    return {"file": file, "kernel": kernel, "name": name, "cuda": f"void {name}() {{\n{body}\n}}\n", "cpu": (cpu or body).replace("NAME", name)}


def refused(kernel, why="no\n;because of this"):
    return {"file": "f.py", "kernel": kernel, "error": why}


OLD = {
    "version": "1.18.0",
    "builtins": [
        builtin("sin", ["x:Float"]),
        builtin("old_one"),
        builtin("pick", ["a:int32"]),
        builtin("pick", ["a:float32"]),
        builtin("grow", ["a:int32"], flags=["no_adjoint"]),
    ],
    "library": {"norm_l1": "aa", "norm_l2": "bb", "norm_l3": "cc"},
    "texts": [
        row("same", "    var_1 = wp::sin(var_0);"),
        row("copies", "    wp::float32 var_1;\n    var_1 = wp::load(var_0);"),
        row("copies_too", "    wp::float32 var_5;\n    var_5 = wp::load(var_4);\n    wp::array_store(var_5);"),
        row("renumbered", "    var_2 = wp::sin(var_1);"),
        row("renamed", "    var_2 = wp::sin(var_1);"),
        row("framed", "    var_1 = wp::cos(var_0);", cpu="NAME_task();"),
        row("will_be_refused", "    f();"),
        refused("will_be_accepted"),
        row("will_be_gone", "    f();"),
    ],
}
NEW = {
    "version": "1.19.0",
    "builtins": [
        builtin("sin", ["x:Float"]),
        builtin("pick", ["a:float32"]),
        builtin("pick", ["a:int32"]),
        builtin("grow", ["a:int32"]),
        builtin("new_one", ["t:tile"], tile=True),
    ],
    "library": {"norm_l1": "aa", "norm_l2": "dd"},
    "texts": [
        row("same", "    var_1 = wp::sin(var_0);"),
        row("copies", "    wp::float32 var_1;\n    wp::float32 var_2;\n    var_2 = wp::load(var_0);\n    var_1 = wp::copy(var_2);"),
        row("copies_too", "    wp::float32 var_6;\n    var_6 = wp::load(var_4);\n    var_5 = wp::copy(var_6);\n    wp::array_store(var_5);"),
        row("renumbered", "    var_3 = wp::sin(var_1);"),
        row("renamed", "    var_2 = wp::sin(var_1);", name="renamed_00000002"),
        row("framed", "    var_1 = wp::cos(var_0);", cpu="NAME_task(); more();"),
        refused("will_be_refused"),
        row("will_be_accepted", "    f();"),
        {"kernel": "no_file", "error": "definition: x"},
    ],
}


class Builtins(unittest.TestCase):
    def test_rows(self):
        added, removed, changed, moved = follow_compare.compare_builtins(OLD["builtins"], NEW["builtins"])
        self.assertEqual([r["name"] for r in added], ["new_one"])
        self.assertEqual([r["name"] for r in removed], ["old_one"])
        self.assertEqual([(a["name"], b["flags"]) for a, b in changed], [("grow", [])])
        self.assertEqual(moved, ["pick"])

    def test_digests(self):
        self.assertEqual(follow_compare.compare_digests(OLD["library"], NEW["library"]), ({"norm_l2": "dd"}, ["norm_l3"]))


class Texts(unittest.TestCase):
    def setUp(self):
        self.texts = follow_compare.Texts(OLD["texts"], NEW["texts"])

    def test_like_differences_are_one_group(self):
        found = [(g.device, g.kind, g.kernels) for g in self.texts.groups]
        self.assertEqual(
            found,
            [
                ("cuda", "more copy", ["f.py copies", "f.py copies_too"]),
                ("cuda", "the same calls, in another order or with other operands", ["f.py renumbered"]),
                ("cpu", "more more", ["f.py framed"]),
            ],
        )

    def test_counts(self):
        self.assertEqual((self.texts.both, self.texts.same), (6, 1))
        self.assertEqual(self.texts.names, ["f.py renamed"])
        self.assertEqual(self.texts.refused, [("f.py will_be_refused", "because of this")])
        self.assertEqual(self.texts.accepted, [("f.py will_be_accepted", "because of this")])
        self.assertEqual(self.texts.gone, ["f.py will_be_gone"])

    def test_example_has_no_declarations_and_no_mere_numbers(self):
        shown = "\n".join(self.texts.groups[0].example)
        self.assertIn("+    var_1 = wp::copy(var_2);", shown)
        self.assertNotIn("float32", shown)
        self.assertNotIn("-", shown)
        self.assertEqual(self.texts.groups[1].example[2:4], ["-    var_2 = wp::sin(var_1);", "+    var_3 = wp::sin(var_1);"])

    def test_only_another_name(self):
        self.assertNotIn("f.py renamed", [k for g in self.texts.groups for k in g.kernels])


class Report(unittest.TestCase):
    def test_names_what_is_to_do(self):
        report = follow_compare.report(OLD, NEW)
        for line in (
            '- `versions.def`: `VERSION(1_19, "1.19.0")`',
            "- `builtins.def`: 3 rows, 1 of them of tiles",
            '    LIBRARY(1_19, "norm_l2", "dd")',
            "6 kernels that both accept: 1 the same, 4 with another text, 1 with another name.",
            "- `pick`",
            "- refusals: 1 new, 1 gone",
        ):
            self.assertIn(line, report.splitlines())

    def test_nothing_changed(self):
        report = follow_compare.report(OLD, OLD | {"version": "1.18.1"})
        self.assertIn("Nothing changed.", report)
        self.assertIn("None changed.", report)


class Messages(unittest.TestCase):
    def test_unknown_version(self):
        output = "ERROR: Could not find a version that satisfies the requirement warp-lang==9.9.9 (from versions: 1.17.0, 1.18.0)"
        self.assertEqual(
            follow_warp.why_not_installed("9.9.9", output), "there is no Warp 9.9.9; the newest releases are 1.17.0, 1.18.0"
        )

    def test_no_network(self):
        output = "Failed to establish a new connection\nERROR: No matching distribution found (from versions: none)"
        self.assertIn("cannot be reached", follow_warp.why_not_installed("1.20.0", output))

    def test_wrong_calls(self):
        for arguments, words in ((["1.20"], "not a full version number"), (["1.19.0", "--from", "1.19.0"], "both versions")):
            done = subprocess.run([sys.executable, ROOT / "tools/follow_warp.py", *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
