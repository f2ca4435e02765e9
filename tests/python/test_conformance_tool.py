#!/usr/bin/env python3
"""The comparison itself: tools/conformance.py must see a changed byte, a wrong name, a refusal, a missing kernel, a crash."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import conformance  # noqa: E402
import conformance_page  # noqa: E402


def row(key, name, text="void NAME(int a)\n{\n    a = 1;\n}\n"):
    return {
        "file": "f.py",
        "kernel": key,
        "name": name,
        "cuda": text.replace("NAME", name),
        "cpu": text.replace("NAME", name),
    }


def record(key, name, text="void NAME(int a) // why\n{\n\n    a = 1; /* one */\n}\n"):
    text = text.replace("NAME", name)
    return {
        "kernel_key": key,
        "full_name": name,
        "cuda_prelude": "",
        "cuda_forward": text,
        "cuda_backward": "",
        "cpp_prelude": "// prelude\n",
        "cpp_forward": text[:9],
        "cpp_backward": text[9:],
    }


def refusal(key, message="no"):
    return {"kernel_key": key, "error": {"message": message, "kind": "error", "line": 1, "column": 1, "hint": None}}


def compare(rows, records, complaint=""):
    results = conformance.compare_file("golden", ["promised"] * len(rows), rows, records, complaint)
    return [(r.result, r.reason) for r in results]


class Comparing(unittest.TestCase):
    def test_comments_do_not_count(self):
        self.assertEqual(compare([row("k", "k_1")], [record("k", "k_1")]), [("identical", "")])

    def test_one_byte_counts(self):
        self.assertEqual(
            compare([row("k", "k_1")], [record("k", "k_1", "void NAME(int a)\n{\n    a = 2;\n}\n")]),
            [("different", "cuda and cpu")],
        )

    def test_indentation_counts(self):
        self.assertEqual(
            compare([row("k", "k_1")], [record("k", "k_1", "void NAME(int a)\n{\n  a = 1;\n}\n")])[0][0], "different"
        )

    def test_a_wrong_name_is_different(self):
        self.assertEqual(compare([row("k", "k_1")], [record("k", "k_2")]), [("different", "name")])

    def test_a_refusal_says_why(self):
        self.assertEqual(compare([row("k", "k_1")], [refusal("k", "no lambda")]), [("refused", "no lambda")])

    def test_one_refusal_stands_for_all_overloads(self):
        self.assertEqual(compare([row("k", "k_1"), row("k", "k_2")], [refusal("k")]), [("refused", "no")] * 2)

    def test_overloads_are_matched_by_name_not_by_order(self):
        rows = [row("k", "k_1"), row("k", "k_2")]
        self.assertEqual(compare(rows, [record("k", "k_2"), record("k", "k_1")]), [("identical", "")] * 2)

    def test_a_missing_record_is_never_identical(self):
        self.assertEqual(compare([row("k", "k_1")], [])[0][0], "refused")

    def test_a_refused_file_refuses_its_kernels(self):
        self.assertEqual(
            compare([row("k", "k_1")], [{"error": {"message": "bad indent"}}]), [("refused", "bad indent")]
        )

    def test_a_crash_is_different(self):
        self.assertEqual(
            compare([row("k", "k_1")], [], "weft exited with -11")[0], ("different", "weft exited with -11")
        )
        self.assertEqual(compare([row("k", "k_1")], [record("k", "k_1")], "weft exited with -11")[0][0], "different")

    def test_what_warp_refuses_must_be_refused(self):
        wrong = {"file": "f.py", "kernel": "k", "error": "RuntimeError: no"}
        self.assertEqual(compare([wrong], [record("k", "k_1")])[0][0], "different")
        self.assertEqual(compare([wrong], [refusal("k")])[0][0], "refused")


class Judging(unittest.TestCase):
    def results(self, group, good, bad, want="identical"):
        one = {"file": "f.py", "kernel": "k"}
        return [conformance.Result("x", group, one, want)] * good + [
            conformance.Result("x", group, one, "refused" if want == "identical" else "identical")
        ] * bad

    def test_goals(self):
        self.assertEqual(conformance.failures(self.results("promised", 9, 0), True), [])
        self.assertNotEqual(conformance.failures(self.results("promised", 99, 1), True), [])
        self.assertEqual(conformance.failures(self.results("own", 98, 2), True), [])
        self.assertNotEqual(conformance.failures(self.results("own", 97, 3), True), [])
        self.assertNotEqual(conformance.failures(self.results("errors", 72, 1, "refused"), True), [])

    def test_percent_is_never_rounded_up(self):
        self.assertEqual(conformance_page.percent(9999, 10000), "99.9 %")

    def test_like_reasons_count_together(self):
        self.assertEqual(
            conformance_page.normalised("name 'a' has 3 parts"), conformance_page.normalised("name 'b' has 12 parts")
        )


class Calling(unittest.TestCase):
    def weft(self, script):
        file = pathlib.Path(self.folder.name) / "weft"
        file.write_text("#!/bin/sh\n" + script)
        file.chmod(0o755)
        return conformance.weft_records(file, "f.py", "1.16.0")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_exit_codes(self):
        self.assertEqual(self.weft('echo \'{"kernel_key": "k"}\''), ([{"kernel_key": "k"}], ""))
        self.assertEqual(self.weft(f"echo '{json.dumps(refusal('k'))}'; exit 1")[1], "")
        self.assertIn("exited with 0", self.weft(f"echo '{json.dumps(refusal('k'))}'")[1])
        self.assertIn("exited with -6", self.weft("kill -ABRT $$")[1])
        self.assertIn("no JSON", self.weft("echo hello")[1])


if __name__ == "__main__":
    unittest.main()
