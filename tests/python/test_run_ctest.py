#!/usr/bin/env python3
"""tools/run_ctest.sh: what it counts, the reasons that it repeats, and which skips fail in CI."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIST = "# hardware\n\ngpu: no GPU\nprefix: one of\n"
PASSES, FAILS = "exit 0", "exit 1"
NO_GPU = "echo before; echo 'skipped: no GPU here'; echo after; exit 77"
NO_TOOL = "echo 'skipped: <node> & \"npm\" are missing'; exit 77"


class RunCtest(unittest.TestCase):
    def run_tests(self, tests, ci, expected):
        """The lines that it prints, after its last line and exit status were compared with `expected`."""
        with tempfile.TemporaryDirectory() as folder:
            text = ""
            for name, script in tests.items():
                pathlib.Path(folder, f"{name}.sh").write_text(script + "\n")
                text += f"add_test({name} sh {folder}/{name}.sh)\nset_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n"
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(text)
            pathlib.Path(folder, "list.txt").write_text(LIST)
            environment = {k: v for k, v in os.environ.items() if k != "CI"} | {"ALLOWED_SKIPS": f"{folder}/list.txt"} | ({"CI": ci} if ci else {})
            done = subprocess.run([ROOT / "tools/run_ctest.sh", folder, "2"], env=environment, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], expected, done.stdout + done.stderr)
        self.assertEqual(done.returncode == 0, ", 0 failed," in expected)
        return lines

    def test_without_ci_a_skip_is_seen_and_passes(self):
        for ci in (None, "false"):
            lines = self.run_tests({"good": PASSES, "gpu": NO_GPU, "web": NO_TOOL}, ci, "1 passed, 0 failed, 2 skipped")
            self.assertIn("    gpu: no GPU here", lines)
            self.assertIn('    web: <node> & "npm" are missing', lines)

    def test_ci_allows_what_the_list_names(self):
        self.run_tests({"good": PASSES, "gpu": NO_GPU}, "true", "1 passed, 0 failed, 1 skipped")

    def test_ci_fails_on_any_other_reason(self):
        lines = self.run_tests({"good": PASSES, "gpu": NO_TOOL}, "true", "1 passed, 1 failed, 0 skipped")
        self.assertTrue(any(line.startswith("Skipped, and so failed") for line in lines))

    def test_ci_fails_on_any_other_test(self):
        self.run_tests({"good": PASSES, "gpu": NO_GPU, "web": NO_GPU, "gpu_more": NO_GPU}, "true", "1 passed, 2 failed, 1 skipped")

    def test_ci_fails_where_no_reason_is_given(self):
        lines = self.run_tests({"gpu": "exit 77"}, "true", "0 passed, 1 failed, 0 skipped")
        self.assertIn("    gpu: says no reason", lines)

    def test_a_reason_is_the_first_and_its_own(self):
        self.run_tests({"a": "echo 'skipped: no GPU'", "gpu": "exit 77"}, "true", "1 passed, 1 failed, 0 skipped")
        self.run_tests({"prefix": "echo 'skipped: one of two'; echo 'skipped: other'; exit 77"}, "true", "0 passed, 0 failed, 1 skipped")

    def test_failures_count(self):
        self.run_tests({"good": PASSES, "bad": FAILS, "gpu": NO_GPU}, "true", "1 passed, 1 failed, 1 skipped")
        self.run_tests({"good": PASSES}, "true", "1 passed, 0 failed, 0 skipped")
        self.run_tests({}, None, "0 passed, 1 failed, 0 skipped")

    def test_the_list_names_tests_that_are_there(self):
        listed = subprocess.run(["ctest", "--test-dir", os.environ["WEFT_BUILD"], "-N"], capture_output=True, text=True).stdout
        for line in (ROOT / "tests/allowed_skips.txt").read_text().splitlines():
            if line and not line.startswith("#"):
                name, _, reason = line.partition(": ")
                self.assertTrue(reason, f"{line}: no reason")
                self.assertRegex(listed, rf": {name}\n")


if __name__ == "__main__":
    if not shutil.which("ctest"):
        print("skipped: ctest is not installed")
        sys.exit(77)
    os.environ.setdefault("WEFT_BUILD", str(ROOT / "build"))
    unittest.main()
