#!/usr/bin/env python3
"""Pages: links lead to pages and headings that exist, docs/README.md lists every page, and files that pages and comments name are there."""

import pathlib
import re
import subprocess
import sys

import tally

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATH = re.compile(r"(?<![\w/.<-])(?:src|cli|include|tests|tools|docs|python|web|fuzz|cmake)/[\w./-]+\.(?:c|h|def|inc|py|md|sh|cu|cuh|js|txt)\b")
# Folders that a run makes, examples of a user's project, and files that pages tell the reader to write
MADE = re.compile(r"src/synth/meaning/scenes/(mine|finance|cooling)\.py|src/emit/omp\.c|src/base/mutation_runtime\.c|src/(solver|kernels)\.py|.*/(test_)?(NAME|FILE)\.")


def check(holds, what, shown=""):
    tally.check(what, holds, shown)


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


def heading_names(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def links_of(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:", link)]


def test_links(pages):
    count = 0
    for page in pages:
        for link in links_of(page):
            count += 1
            path, _, heading = link.partition("#")
            target = page.parent / path if path else page
            check(target.exists(), f"{page.relative_to(ROOT)}: no file for {link}")
            if heading and target.suffix == ".md" and target.exists():
                check(heading in heading_names(target), f"{page.relative_to(ROOT)}: no heading for {link}")
    check(count > 150, "the pages have links", count)


def test_index(pages):
    index = ROOT / "docs/README.md"
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links_of(index)}
    for page in pages:
        if (ROOT / "docs") in page.parents and page != index:
            check(page.resolve() in listed, f"docs/README.md does not list {page.relative_to(ROOT)}")


def test_names(paths):
    there = set(paths)
    for path in paths:
        if not path.endswith((".md", ".c", ".h", ".def", ".py", ".txt")) or path.startswith("tests/"):
            continue
        for name in set(PATH.findall((ROOT / path).read_text(errors="replace"))):
            known = name in there or MADE.match(name) or (ROOT / pathlib.Path(path).parent / name).is_file() or any(
                other.endswith("/" + name) for other in there)
            check(known, f"{path} names {name}, which does not exist")


def main():
    paths = tracked()
    pages = [ROOT / path for path in paths if path.endswith(".md") and not path.startswith("tests/")]
    test_links(pages)
    test_index(pages)
    test_names(paths)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
