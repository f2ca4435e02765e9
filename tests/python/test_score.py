#!/usr/bin/env python3
"""weft.score from Python: what it gives is what the command writes, one by one and many at once; what cannot be judged raises.

    test_score.py     exits with 77 where the package was not built, or no sandbox is to be had"""

import os
import pathlib
import subprocess
import tempfile
import unittest

import test_judge
from package_env import COMMAND  # also finds the package

import weft  # noqa: E402


class Score(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="weft-score-test-")
        place = pathlib.Path(cls.folder.name)
        cls.set = place / "set"
        subprocess.run([COMMAND, "produce", "-n", "3", "-s", "505", "-o", cls.set, "--no-compress", "--full", "-q"], check=True)
        subprocess.run([COMMAND, "tasks", cls.set, "--all-kinds", "-o", place / "tasks.jsonl", "-q"], check=True)
        records = {record["id"]: record for path in cls.set.glob("*.jsonl") for record in test_judge.lines_of(path)}
        kinds = ("python-to-readable", "description-to-kernel", "wrong-gradient")
        cls.tasks = [task for task in test_judge.lines_of(place / "tasks.jsonl") if task["kind"] in kinds][:4]
        cls.right = [test_judge.right_answer(task, records[task["record"]]) for task in cls.tasks]

        cls.key = test_judge.key_file(place / "fixed.key", 31)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def score(self, task, answer, **options):
        try:
            return weft.score(task, answer, set=self.set, **options)
        except weft.Error as error:
            if "bubblewrap" in str(error):
                print("skipped:", error)
                os._exit(77)
            raise

    def test_one(self):
        right = self.score(self.tasks[0], self.right[0], hidden_key=self.key)
        self.assertEqual((right["score"], right["reason"], right["id"]), (1, None, self.tasks[0]["id"]))
        wrong = self.score(self.tasks[0], "I do not know.", hidden_key=self.key)
        self.assertEqual(wrong["score"], 0)
        self.assertTrue(wrong["reason"])

    def test_many_are_what_the_command_writes(self):
        lines = self.score(self.tasks, self.right, hidden_key=self.key, jobs=2)
        self.assertEqual([line["score"] for line in lines], [1] * len(self.tasks))
        place = pathlib.Path(self.folder.name)
        test_judge.write_lines(place / "answers.jsonl", [{"id": t["id"], "answer": a} for t, a in zip(self.tasks, self.right)])
        subprocess.run([COMMAND, "score", place / "tasks.jsonl", place / "answers.jsonl", "--data", self.set, "-o", place / "results.jsonl",
                        "--hidden-key", self.key, "-q"], check=True, capture_output=True)
        self.assertEqual(lines, test_judge.lines_of(place / "results.jsonl"))

    def test_several_answers_to_one_task(self):
        lines = self.score(self.tasks[0], ["no", self.right[0]])
        self.assertEqual([(line["score"], line["attempt"]) for line in lines], [(0, 0), (1, 1)])
        self.assertEqual(weft.score(self.tasks[0], [], set=self.set), [])

    def test_what_cannot_be_judged(self):
        other = {**self.tasks[0], "record": "no-such-record"}
        with self.assertRaisesRegex(weft.Error, "has no record no-such-record"):
            weft.score(other, "x", set=self.set)
        with self.assertRaisesRegex(FileNotFoundError, "set is the folder of the data set"):
            weft.score(self.tasks[0], "x", set=self.set / "nowhere")
        with self.assertRaisesRegex(weft.Error, "^task 1: it is not a task"):
            weft.score({"id": "a"}, "x", set=self.set)
        with self.assertRaisesRegex(TypeError, "task .* has a value that JSON does not have"):
            weft.score({**self.tasks[0], "x": object()}, "x", set=self.set)
        with self.assertRaisesRegex(ValueError, "1 tasks and 2 answers"):
            weft.score(self.tasks[:1], ["x", "y"], set=self.set)
        with self.assertRaisesRegex(ValueError, "two different tasks"):
            weft.score([self.tasks[0], other], ["x", "y"], set=self.set)
        with self.assertRaisesRegex(TypeError, "an answer is a str, not int"):
            weft.score(self.tasks[0], [3], set=self.set)
        with self.assertRaisesRegex(TypeError, "a task is a dict"):
            weft.score(["x"], ["y"], set=self.set)


if __name__ == "__main__":
    unittest.main()
