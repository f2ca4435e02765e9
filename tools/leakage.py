#!/usr/bin/env python3
"""Do records of one split look like records of another? An exact search, with its own tokens, over all records of a data set.

    leakage.py SET [--threshold 0.7] [-v]

Likeness is the Jaccard similarity of sets of five tokens in a row, numbers masked, once with all names masked and once with names numbered
by first appearance. Every record of validation and test is compared with every record of the other splits: one that is as similar as the
threshold cannot lack more than 30 % of the grams, so the records that have one of its rarest 30 % are all that need a closer look.
Printed, for each masking: the records that have such a neighbour elsewhere, and the closest pair. Exit code 1: there are some."""

import argparse
import array
import collections
import json
import keyword
import math
import pathlib
import re
import subprocess
import sys

TOKEN = re.compile(r'(?P<text>"""(?:.|\n)*?"""|"[^"\n]*")|(?P<note>\#[^\n]*)|(?P<number>(?:\d[\w.]*|\.\d\w*)(?:(?<=[eE])[-+]\d+)?)'
                   r"|(?P<name>[A-Za-z_]\w*)|(?P<op>[-+*/%<>=!&|^]=|\*\*|//|<<|>>|->|[^\s\w])")
KEPT = set(keyword.kwlist) | set("wp float int bool range dtype abs min max len print round pow sum".split())


def tokens(source):
    """Of the source, numbers masked and names numbered."""
    names, found = {}, []
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup, match[0]
        if kind == "number":
            found.append("N")
        elif kind == "op":
            found.append(text)
        elif kind == "name" and (text in KEPT or found[-1:] == ["."]):
            found.append(text)
        elif kind == "name":
            found.append(names.setdefault(text, f"v {len(names)}"))
    return found


def records(folder):
    """(split, record) of every line."""
    for path in sorted(folder.glob("*.jsonl*")):
        command = ["zstd", "-dcq", str(path)] if path.suffix == ".zst" else ["cat", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
            for line in reader.stdout:
                yield path.name.split("-")[0], json.loads(line)


class Grams:
    """Sets of grams by record, and records by gram."""

    def __init__(self):
        self.numbers, self.sets, self.holders = {}, [], collections.defaultdict(lambda: array.array("I"))

    def add(self, found):
        grams = {tuple(found[i : i + 5]) for i in range(max(1, len(found) - 4))}
        numbers = array.array("I", sorted(self.numbers.setdefault(gram, len(self.numbers)) for gram in grams))
        for gram in numbers:
            self.holders[gram].append(len(self.sets))
        self.sets.append(numbers)

    def closest(self, at, splits, threshold):
        """(similarity, record) of the closest one in another split; None: none is as close as the threshold."""
        own = set(self.sets[at])
        rare = sorted(own, key=lambda gram: len(self.holders[gram]))[: len(own) - math.ceil(threshold * len(own)) + 1]
        best = None
        for other in set().union(*(self.holders[gram] for gram in rare)):
            size = len(self.sets[other])
            if splits[other] == splits[at] or min(size, len(own)) < threshold * max(size, len(own)):
                continue
            common = len(own.intersection(self.sets[other]))
            similarity = common / (len(own) + size - common)
            if similarity >= threshold and (not best or similarity > best[0]):
                best = (similarity, other)
        return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="SET")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("-v", action="store_true", help="show each of them")
    options = parser.parse_args()
    masked, numbered = Grams(), Grams()
    ids, splits = [], []
    for split, record in records(options.folder):
        ids.append(record["id"])
        splits.append(sys.intern(split))
        found = tokens(record["python_source"])
        numbered.add(found)
        masked.add(["v" if token.startswith("v ") else token for token in found])
    held_out = [i for i, split in enumerate(splits) if split != "train"]
    print(f"{len(splits)} records:", ", ".join(f"{count} in {split}" for split, count in collections.Counter(splits).items()))
    leaks = 0
    for name, grams in {"all names masked": masked, "names numbered": numbered}.items():
        found = {at: grams.closest(at, splits, options.threshold) for at in held_out}
        close = {at: pair for at, pair in found.items() if pair}
        leaks += len(close)
        print(f"{name}: {len(close)} of {len(held_out)} held-out records have a neighbour of at least {options.threshold} in another split")
        for at, (similarity, other) in sorted(close.items(), key=lambda item: -item[1][0])[: None if options.v else 1]:
            print(f"  {similarity:.3f}: {ids[at]} in {splits[at]}, {ids[other]} in {splits[other]}")
    return 1 if leaks or not held_out else 0


if __name__ == "__main__":
    sys.exit(main())
