#!/usr/bin/env python3
"""Of invented kernels with floating outputs, Warp computes most gradients rightly, and what makes it so is in them:
second arrays, sums in functions, loops over constants. Marks of scenes are told from what was measured."""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
sys.path.insert(0, str(ROOT / "tools"))
import scene_gradients  # noqa: E402


def kernels_of(scene, count):
    done = subprocess.run([WEFT, "synth", "--scene", scene, "-n", str(count), "-s", "5"], capture_output=True, text=True, check=True)
    return done.stdout


class SceneGradients(unittest.TestCase):
    def test_most_gradients_are_right(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([WEFT, "produce", "-n", "1500", "-s", "616", "--launches", "0", "--gradients", "marked", "--no-compress", "--full",
                            "--no-readable", "-q", "-o", folder + "/set"], check=True, capture_output=True)  # fmt: skip
            records = list(scene_gradients.read_records(pathlib.Path(folder, "set").glob("*.jsonl")))
        floating = collections.Counter(verdict for _, _, verdict, floats, _ in records if floats)
        total = sum(floating.values())
        self.assertGreater(total, 1000)
        self.assertGreaterEqual(floating["pass"], 0.75 * total)
        self.assertLessEqual(floating["mismatch"], 0.14 * total)  # 0.12, and what chance adds to it in so few
        wrong = sum(verdict == "mismatch" for _, _, verdict, _, _ in records)
        self.assertGreater(wrong, 0, "wrong ones are a labelled part of the set")
        self.assertLessEqual(wrong, 0.12 * len(records))
        proven = sum(backward and verdict != "mismatch" for _, _, verdict, _, backward in records)
        self.assertGreaterEqual(proven, 0.83 * len(records))  # 0.85, and chance

    def test_what_changes_goes_into_a_second_array(self):
        text = kernels_of("integrate_rotation", 40)
        second = re.findall(r"(?:_new|_out|_next|new_\w+|out_\w+|next_\w+)\[", text)
        self.assertGreater(len(second) + text.count("Result()") + text.count("Output()"), 25)

    def test_sums_are_functions(self):
        text = kernels_of("dense_layer", 40)
        self.assertGreater(len(re.findall(r"@wp\.func\ndef \w+\([^)]*\)[^\n]*:\n(?:    .*\n)*?    for ", text)), 8)

    def test_loops_with_a_state_run_over_constants(self):
        text = kernels_of("dh_chain", 40)
        constants = len(re.findall(r"for \w+ in range\((?:0, )?(?:wp\.static\()?[A-Z_\d]+\)", text))
        self.assertGreater(constants, 0.7 * len(re.findall(r"for \w+ in range", text)))

    def test_marks(self):
        scenes = {"wrong": collections.Counter(mismatch=9), "right": collections.Counter({"pass": 9}),
                  "few": collections.Counter(mismatch=3), "wrong_too": collections.Counter(mismatch=9)}  # fmt: skip
        self.assertEqual(scene_gradients.wrong_marks(scenes, {"right", "wrong_too"}), (["wrong"], ["right"]))

    def test_marks_of_scenes_are_read(self):
        self.assertIn("decoder_layer", scene_gradients.marked_scenes())


if __name__ == "__main__":
    unittest.main()
