#!/usr/bin/env python3
"""tools/mutation/operators.py: which changes are made of C, and which are not, as nothing can notice them."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/mutation"))

import c_syntax  # noqa: E402
import operators  # noqa: E402


def changes(body):
    text = f"static int f(int a, int b)\n{{\n{body}\n}}\n"
    return [change.what for function in c_syntax.Parser(text, set()).functions() for change in operators.Changes(text).collect(function)]


class Operators(unittest.TestCase):
    def test_a_break_of_a_loop(self):
        self.assertIn("break becomes continue", changes("for (;;) { if (a) break; b = 2; }"))
        self.assertIn("break becomes continue", changes("for (;;) { switch (a) { case 1: b = 1; break; } b = 2; }"))
        self.assertIn("break becomes continue", changes("for (;;) { switch (a) { case 1: while (a) { if (b) break; a = b; } } }"))

    def test_a_break_at_the_end_of_a_turn(self):
        for loop in ("for (;;)", "while (a)"):
            self.assertNotIn("break becomes continue", changes(f"{loop} switch (a) {{ case 1: b = 1; break; default: break; }}"))
            self.assertNotIn("break becomes continue", changes(f"{loop} {{ b = 3; switch (a) {{ case 1: if (b) break; b = 1; break; }} }}"))

    def test_both_sides_of_a_condition(self):
        self.assertIn("only the left side of &&", changes("return a && b;"))

    def test_what_gives_memory_back(self):
        self.assertNotIn("statement dropped", changes("free(a);"))
        self.assertIn("statement dropped", changes("store(a);"))


if __name__ == "__main__":
    unittest.main()
