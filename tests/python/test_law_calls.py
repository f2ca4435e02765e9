#!/usr/bin/env python3
"""Arguments of laws stand where they belong, as far as their names tell, and every parameter of a scene or a law is read."""

import ast
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import law_calls  # noqa: E402


def function(text):
    return ast.parse(text).body[0]


class LawCalls(unittest.TestCase):
    def test_scenes_and_laws(self):
        done = subprocess.run([sys.executable, ROOT / "tools/law_calls.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_swapped_arguments_are_told(self):
        law = function("def mix(front: color, back: color, share: ratio): return front")
        self.assertEqual(list(law_calls.doubtful_arguments(ast.parse("mix(back[i], front, s)", mode="eval").body, law)),
                         [("back[i]", "front", "back"), ("front", "back", "front")])  # fmt: skip
        self.assertEqual(list(law_calls.doubtful_arguments(ast.parse("mix(front, back, s)", mode="eval").body, law)), [])

    def test_unread_parameters_are_told(self):
        scene = function("def f(x: each(value), idle: each(value), y: out(value)):\n    names(idle='a|b')\n    y[0] = x[0]")
        self.assertEqual(law_calls.unread_parameters(scene), ["idle"])


if __name__ == "__main__":
    unittest.main()
