#!/usr/bin/env python3
"""Do records of one split look like records of another? An exact search, with its own tokens, over all records of a data set.

    leakage.py SET [--threshold 0.7] [-v]

Likeness is the Jaccard similarity of sets of five tokens in a row, numbers masked, once with all names masked and once with names numbered
by first appearance. Every record of validation and test is compared with every record of the other splits, in two steps that miss
nothing. Grams are ordered by how many records have them, the rarest first. Two sets with a similarity of at least t have at least
t·|A| grams of A in common, and as many of B's, so the rarest gram that they share is among the first |A| - ⌈t·|A|⌉ + 1 of A and the first
|B| - ⌈t·|B|⌉ + 1 of B: records without such a gram in common need no further look. Of the others, the similarity is computed.
Printed, for each masking: the records that have such a neighbour elsewhere, and the closest pair. Exit code 1: there are some."""

import argparse
import array
import collections
import itertools
import json
import keyword
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

from warp_env import reexec_with_warp

TOKEN = re.compile(r'(?P<text>"""(?:.|\n)*?"""|"[^"\n]*")|(?P<note>\#[^\n]*)|(?P<number>(?:\d[\w.]*|\.\d\w*)(?:(?<=[eE])[-+]\d+)?)'
                   r"|(?P<name>[A-Za-z_]\w*)|(?P<op>[-+*/%<>=!&|^]=|\*\*|//|<<|>>|->|[^\s\w])")
KEPT = set(keyword.kwlist) | set("wp float int bool range dtype abs min max len print round pow sum".split())


class Tokens:
    """Of all sources, one after the other, as numbers; masked names are -1, -2, … in the order in which a source has them."""

    def __init__(self):
        self.numbers, self.found, self.ends = collections.defaultdict(itertools.count().__next__), array.array("i"), []

    def add(self, source):
        names, add, last = {}, self.found.append, ""
        for match in TOKEN.finditer(source):
            kind, text = match.lastgroup, match[0]
            if kind == "name" and text not in KEPT and last != ".":
                add(names.setdefault(text, -1 - len(names)))
            elif kind in ("name", "op"):
                add(self.numbers[text])
            elif kind == "number":
                add(self.numbers["1"])
            else:
                continue
            last = text
        self.ends.append(len(self.found))


def records(folder):
    """(split, record) of every line."""
    for path in sorted(folder.glob("*.jsonl*")):
        command = ["zstd", "-dcq", str(path)] if path.suffix == ".zst" else ["cat", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
            for line in reader.stdout:
                yield path.name.split("-")[0], json.loads(line)


class Grams:
    """The sets of all records one after the other, each gram being the number of its place by rarity."""

    def __init__(self, np, found, ends, threshold):
        self.np, self.threshold, self.starts = np, threshold, np.concatenate([[0], ends])
        owner = np.repeat(np.arange(len(ends)), np.diff(self.starts))
        keys = found.astype(np.int64) - found.min()
        for step in (1, 2, 1):  # of two, four, five tokens in a row
            keys = self.numbered(keys[:-step] * (keys.max() + 1) + keys[step:])
        own = owner[: len(keys)] == owner[len(owner) - len(keys) :]  # not across two records
        owner, keys = owner[: len(keys)][own], keys[own]
        holders = np.unique(owner * (keys.max() + 1) + keys)
        owner, keys = np.divmod(holders, keys.max() + 1)
        rarity = np.argsort(np.argsort(np.bincount(keys), kind="stable"), kind="stable")
        order = np.lexsort((rarity[keys], owner))
        self.owner, self.grams = owner, rarity[keys][order]
        self.sizes = np.bincount(owner, minlength=len(ends))
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.firsts = np.where(self.sizes > 0, self.sizes - np.ceil(threshold * self.sizes - 1e-9).astype(int) + 1, 0)
        place = np.arange(len(self.grams)) - self.starts[self.owner]
        first = place < self.firsts[self.owner]
        by_gram = np.argsort(self.grams[first], kind="stable")
        self.holders = self.owner[first][by_gram].astype(np.int32)  # of each gram, those that have it among their first ones
        self.held_from = np.searchsorted(self.grams[first][by_gram], np.arange(len(rarity) + 1))
        self.has = np.zeros(len(rarity), dtype=bool)

    def numbered(self, keys):
        return self.np.unique(keys, return_inverse=True)[1]

    def set_of(self, at):
        return self.grams[self.starts[at] : self.starts[at + 1]]

    def closest(self, at, splits):
        """(similarity, record) of the closest one in another split; None: none is as close as the threshold."""
        np, own, size = self.np, self.set_of(at), self.sizes[at]
        lists = [self.holders[self.held_from[g] : self.held_from[g + 1]] for g in own[: self.firsts[at]]]
        others = np.unique(np.concatenate(lists)) if lists else np.empty(0, dtype=int)
        sizes = self.sizes[others]
        others = others[(splits[others] != splits[at]) & (np.minimum(sizes, size) >= self.threshold * np.maximum(sizes, size))]
        if not len(others):
            return None
        sizes = self.sizes[others]
        ends = np.cumsum(sizes)
        all_grams = self.grams[np.arange(ends[-1]) + np.repeat(self.starts[others] - (ends - sizes), sizes)]
        self.has[own] = True
        common = np.add.reduceat(self.has[all_grams], ends - sizes, dtype=np.int64)
        self.has[own] = False
        similarity = common / (size + sizes - common)
        best = similarity.argmax()
        return (similarity[best], others[best]) if similarity[best] >= self.threshold else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="SET")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("-v", action="store_true", help="show each of them")
    options = parser.parse_args()
    if not reexec_with_warp():
        sys.exit("leakage.py: numpy is needed, which comes with Warp (tools/venv.sh)")
    import numpy as np

    tokens, ids, names = Tokens(), [], []
    for split, record in records(options.folder):
        ids.append(record["id"])
        names.append(split)
        tokens.add(record["python_source"])
    print(f"{len(names)} records:", ", ".join(f"{count} in {split}" for split, count in collections.Counter(names).items()), flush=True)
    splits = np.unique(names, return_inverse=True)[1]
    held_out = [i for i, split in enumerate(names) if split != "train"]
    numbered = np.array(tokens.found)
    leaks = 0
    for masking, found in {"all names masked": np.maximum(numbered, -1), "names numbered": numbered}.items():
        grams = Grams(np, found, tokens.ends, options.threshold)
        close = {at: pair for at in held_out if (pair := grams.closest(at, splits))}
        leaks += len(close)
        print(f"{masking}: {len(close)} of {len(held_out)} held-out records have a neighbour of at least {options.threshold} in another split", flush=True)
        for at, (similarity, other) in sorted(close.items(), key=lambda item: -item[1][0])[: None if options.v else 1]:
            print(f"  {similarity:.3f}: {ids[at]} in {names[at]}, {ids[other]} in {names[other]}")
    return 1 if leaks or not held_out else 0


if __name__ == "__main__":
    sys.exit(main())
