#!/usr/bin/env python3
"""Checks the English of pages, comments and help texts, by the rules of docs/explanation/english.md.

    tools/prose_check.py                 all tracked files, against the counts of tests/prose.txt; exit code 1 if a file has more
    tools/prose_check.py FILE...         lists what it finds in these files
    tools/prose_check.py --list          lists what it finds in all files
    tools/prose_check.py --update        writes tests/prose.txt; refuses to raise a count, unless --raise is given

A sentence may have at most 25 words. A code span counts as one word. `<!-- prose: off -->` and `<!-- prose: on -->` leave out a part
of a page; a comment that contains `prose: ok` is left out.
"""

import argparse
import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = ROOT / "tests/prose.txt"
WORDS = 25
GENERATED = ("docs/explanation/gallery.md", "docs/reference/messages.md", "docs/lab/conformance.md")
FOLDERS = ("src/", "cli/", "include/", "python/", "web/", "tools/", "fuzz/", "examples/", "docs/", "tests/")

FIRST = re.compile(r"(Of|What|That|Those|Likewise)\b(?! is why)")
PHRASES = re.compile(
    r"\b(anew|by turns|an earlier state|not run again|goes? on with|is told|of one's own|without a word|in vain|all else)\b", re.I)


# ---- sentences ----


def sentences(text):
    """The sentences of running text, code spans as one word."""
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[[\w./-]+\.md\]\([^)]*\)", "PAGE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\s+", " ", text)
    for sentence in re.split(r"(?<=[.:;?!])\s+(?=[\"'(*_]*(?:[A-Z0-9]|weft\b))", text):
        sentence = sentence.strip(" *_>")
        if sentence:
            yield sentence


def words_of(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def faults_of(text, length=True):
    """Each fault of a paragraph with its sentence."""
    for sentence in sentences(text):
        if FIRST.match(sentence) and not sentence.endswith("?"):
            yield f"begins with {sentence.split()[0]}", sentence
        if found := PHRASES.search(sentence):
            yield f"says '{found.group(0).lower()}'", sentence
        count = len(words_of(sentence))
        if length and count > WORDS:
            yield f"{count} words", sentence


# ---- the text of a file ----


def page_paragraphs(text):
    """(line, paragraph, is it running text?) of a Markdown page without its code."""
    text = re.sub(r"<!-- prose: off -->.*?<!-- prose: on -->", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.S)
    line, kept, fenced = 0, [], False
    start = 0

    def flush():
        if kept:
            yield start, " ".join(kept), True
            kept.clear()

    for line, words in enumerate(text.split("\n"), 1):
        if words.lstrip().startswith("```"):
            fenced = not fenced
            yield from flush()
        elif fenced or re.match(r"    |\t", words) and not kept or re.match(r"\s*(#|<|\[[^\]]*\]:)", words) or not words.strip():
            yield from flush()
        elif words.startswith("|"):
            yield from flush()
            for cell in words.strip("| ").split("|"):
                if re.search(r"[a-zA-Z]", cell):
                    yield line, cell.strip(), False
        else:
            if re.match(r"\s*([-*]|\d+\.)\s", words):
                yield from flush()
                words = re.sub(r"^\s*([-*]|\d+\.)\s+", "", words)
            if not kept:
                start = line
            kept.append(words.strip())
    yield from flush()


def paragraphs_of(lines):
    """Lines joined to running text; a line with a gap inside it is a row of a list, and stands alone."""
    kept = []
    for line in lines:
        row = re.search(r"\S {2,}\S", line.strip())
        if (row or not line.strip()) and kept:
            yield " ".join(kept)
            kept = []
        if row:
            yield line.strip()
        elif line.strip():
            kept.append(line.strip())
    if kept:
        yield " ".join(kept)


def comment_paragraphs_c(text):
    """(line, paragraph) of the comments of C or JavaScript; neighbouring // lines are one."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
    start, kept, end = 0, [], -2

    def flush():
        for paragraph in paragraphs_of(kept):
            yield start, paragraph
        kept.clear()

    for found in pattern.finditer(text):
        words = found.group(0)
        if words[0] != "/":
            continue
        line = text.count("\n", 0, found.start()) + 1
        alone = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if words.startswith("/*"):
            yield from flush()
            for paragraph in paragraphs_of(re.sub(r"\n\s*\*", "\n", words[2:-2]).split("\n")):
                yield line, paragraph
            continue
        if not (kept and alone and line == end + 1):
            yield from flush()
            start = line
        if words[2:].strip():
            kept.append(words[2:].strip())
        else:
            kept.append("")
        end = line
    yield from flush()


def comment_paragraphs_python(text):
    """(line, paragraph) of docstrings and comments."""
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and (said := ast.get_docstring(node, clean=False)):
            said = re.sub(rf"(?m)^ {{{node.body[0].col_offset}}}", "", said)
            for part in re.split(r"\n\s*\n", said):
                if not re.match(r"\s{4}|\S+.*\n\s{4}", part):
                    for paragraph in paragraphs_of(part.split("\n")):
                        yield node.body[0].lineno, paragraph
    start, kept, end = 0, [], -2
    for token in tokens:
        if token.type != tokenize.COMMENT or token.string.startswith("#!"):
            continue
        line, column = token.start
        alone = not token.line[:column].strip()
        if kept and not (alone and line == end + 1):
            for paragraph in paragraphs_of(kept):
                yield start, paragraph
            kept = []
        if not kept:
            start = line
        kept.append(token.string.lstrip("#").strip())
        end = line
    for paragraph in paragraphs_of(kept):
        yield start, paragraph


def findings(path):
    """(line, fault, sentence) of a file."""
    text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
    if path.endswith(".md"):
        for line, paragraph, running in page_paragraphs(text):
            for fault, sentence in faults_of(paragraph, running):
                yield line, fault, sentence
        return
    if path.endswith((".c", ".h", ".def", ".js")):
        paragraphs = comment_paragraphs_c(text)
    elif path.endswith(".py"):
        paragraphs = comment_paragraphs_python(text)
    else:  # what a command prints as help
        paragraphs = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    for line, paragraph in paragraphs:
        if "prose: ok" not in paragraph and "----" not in paragraph:
            for fault, sentence in faults_of(paragraph):
                yield line, fault, sentence


def is_read(path):
    if path in GENERATED:
        return False
    if path.endswith(".md"):
        return True
    if re.match(r"tests/cli/\w*help\.out$", path):
        return True
    if path.startswith("tests/") and not path.startswith(("tests/unit/", "tests/tools/", "tests/python/", "tests/hostile/", "tests/prompt/")):
        return False  # what is read as input: its words are not ours to choose
    return path.startswith(FOLDERS) and path.endswith((".c", ".h", ".def", ".py", ".js")) and "synth/meaning/" not in path


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [path for path in listed.split("\0") if path and is_read(path) and (ROOT / path).is_file()]


# ---- counts ----


def read_counts():
    counts = {}
    if COUNTS.is_file():
        for line in COUNTS.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                count, path = line.split(None, 1)
                counts[path] = int(count)
    return counts


def write_counts(counts):
    head = "# Sentences that tools/prose_check.py still finds, by file. A count may only fall: tools/prose_check.py --update\n"
    COUNTS.write_text(head + "".join(f"{count} {path}\n" for path, count in sorted(counts.items()) if count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--raise", action="store_true", dest="may_raise")
    options = parser.parse_args()
    paths = [str(pathlib.Path(path).resolve().relative_to(ROOT)) for path in options.files] or tracked()
    found = {path: list(findings(path)) for path in paths}
    if options.files or options.list:
        for path, rows in found.items():
            for line, fault, sentence in rows:
                print(f"{path}:{line}: {fault}: {sentence[:160]}")
        return 1 if any(found.values()) else 0
    known = read_counts()
    worse = {path: rows for path, rows in found.items() if len(rows) > known.get(path, 0)}
    if options.update and (not worse or options.may_raise):
        write_counts({path: len(rows) for path, rows in found.items()})
        return 0
    for path, rows in sorted(worse.items()):
        print(f"{path}: {len(rows)} sentences to rewrite, {known.get(path, 0)} are allowed (tests/prose.txt):")
        for line, fault, sentence in rows:
            print(f"    {path}:{line}: {fault}: {sentence[:160]}")
    total = sum(len(rows) for rows in found.values())
    print(f"prose: {len(found)} files, {total} sentences to rewrite, {len(worse)} files have more than allowed")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
