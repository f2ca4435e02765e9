#!/usr/bin/env python3
"""The rules for English: tools/prose_check.py finds what it says, and no file has more than tests/prose.txt allows."""

import pathlib
import subprocess
import sys

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import prose_check  # noqa: E402

PAGE = """# What a title says is left alone

Likewise a sentence. A short one. `Of code` is a word.

    What is indented is code.

```
Of a fence.
```

- What an item says.
- It goes on
  with two lines.

| What | a cell |
| --- | --- |
| Of a row | fine |
<!-- prose: off -->
What is left out.
<!-- prose: on -->
"""

C_TEXT = """// Copies a. What follows
// is one comment.
const char *a = "// What is no comment";
/* Of two
 * lines. */
int b; // Reads b.
"""

PYTHON_TEXT = '''"""Reads a file.

    What is indented is an example."""
# Those come first.
a = "# What is no comment"
'''


def check(holds, what, shown=""):
    tally.check(what, holds, shown)


def faults(paragraphs):
    return [fault for _, words, *_ in paragraphs for fault, _ in prose_check.faults_of(words)]


def test_rules():
    long = "One " + "word " * 24 + "more."
    check(faults([(1, long)]) == ["26 words"], "26 words are too many")
    check(faults([(1, long.replace("word ", "", 1))]) == [], "25 words are not")
    check(faults([(1, "Read `a b c d e f g` " + "word " * 22 + "now.")]) == [], "a code span is one word")
    check(faults([(1, "That is why. What is it? A file that was made anew.")]) == ["says 'anew'"], "a reason and a question may begin so")
    check(faults([(1, "See [what a very long link says](a/b.md#c). Of course.")]) == ["begins with Of"], "links are read as their words")


def test_places():
    found = [fault for _, words, running in prose_check.page_paragraphs(PAGE) for fault, _ in prose_check.faults_of(words, running)]
    wanted = ["begins with Likewise", "begins with What", "says 'goes on with'", "begins with What", "begins with Of"]
    check(found == wanted, "a page: paragraphs, items and cells", found)
    check(faults(prose_check.comment_paragraphs_c(C_TEXT)) == ["begins with What", "begins with Of"], "comments of C")
    check(faults(prose_check.comment_paragraphs_python(PYTHON_TEXT)) == ["begins with Those"], "comments and docstrings of Python")


def test_counts():
    done = subprocess.run([sys.executable, str(ROOT / "tools/prose_check.py")], capture_output=True, text=True)
    check(done.returncode == 0, "no file has more than tests/prose.txt allows", done.stdout + done.stderr)


test_rules()
test_places()
test_counts()
sys.exit(1 if tally.failures else 0)
