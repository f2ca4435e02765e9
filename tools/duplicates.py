#!/usr/bin/env python3
"""How many of N candidates would be duplicates, from far fewer than N.

    build/weft synth --duplicates -n 300000 -s 77 > counts.txt
    tools/duplicates.py counts.txt --at 1e7 1e9

Kernels of two scenes are hardly ever the same. So the duplicates of N candidates are the sum of those of each scene, which gets
the same share of all candidates. Some scenes are measured alone, `weft synth --scene NAME --duplicates -n M`: those with most
duplicates in counts.txt, and others at random, as often as they are drawn. M is what the scene gets of N candidates. Where
M is more than --most, the count is extrapolated: duplicates grow with a power of M, found from both halves of --most candidates.
The power falls as a scene is exhausted: the result is too high rather than too low.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))


def read_counts(path):
    """{scene: (candidates, duplicates)} of what weft synth --duplicates printed."""
    rows = [line.split() for line in pathlib.Path(path).read_text().splitlines()[1:]]
    return {name: (int(drawn), int(duplicates)) for name, drawn, _, duplicates in rows if name != "all"}


def grown(first, whole, size, wanted):
    """How many duplicates `wanted` candidates have, where `size` have `whole`, and the first half of them `first`."""
    if wanted <= size or not whole:
        return whole
    power = math.log2(whole / first) if first else 2.0
    power = min(max(power, 1.0), 2.0)
    return min(whole * (wanted / size) ** power, wanted)


def measure(scene, seed, wanted, most):
    """The share of duplicates among the candidates that a scene gets; None: it gets hardly any."""
    size = int(min(wanted, most))
    if size < 2:
        return 0.0
    command = [WEFT, "synth", "-q", "--scene", scene, "--duplicates", "-n", str(size), "-s", str(seed)]
    last = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1].split()
    return grown(int(last[2]), int(last[3]), size, wanted) / wanted


def estimate(counts, at, options):
    """The share of duplicates among `at` candidates, its standard error, and the shares of the scenes that were measured."""
    total = sum(drawn for drawn, _ in counts.values())
    order = sorted(counts, key=lambda name: -counts[name][1])
    top, rest = order[: options.top], order[options.top :]
    rng = random.Random(options.seed)
    drawn = rng.choices(rest, [counts[name][0] for name in rest], k=options.scenes) if rest else []
    wanted = {name: at * counts[name][0] / total for name in [*top, *drawn]}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        shares = dict(zip(wanted, pool.map(lambda n: measure(n, options.seed, wanted[n], options.most), wanted)))
    of_top = sum(counts[name][0] / total * shares[name] for name in top)
    weight = sum(counts[name][0] for name in rest) / total
    others = [shares[name] for name in drawn]
    mean = sum(others) / max(len(others), 1)
    spread = math.sqrt(sum((s - mean) ** 2 for s in others) / max(len(others) - 1, 1) / max(len(others), 1))
    return of_top + weight * mean, weight * spread, shares


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts")
    parser.add_argument("--at", type=float, nargs="+", default=[1e7, 1e9])
    parser.add_argument("--top", type=int, default=20, help="scenes that are measured in any case")
    parser.add_argument("--scenes", type=int, default=60, help="others that are measured, drawn at random")
    parser.add_argument("--most", type=float, default=40000, help="candidates of one scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    counts = read_counts(options.counts)
    for at in options.at:
        share, error, shares = estimate(counts, at, options)
        worst = sorted(shares, key=lambda name: -shares[name] * counts[name][0])[:5]
        print(f"{at:.0e} candidates: {100 * share:.2f} % duplicates, standard error {100 * error:.2f}")
        print("  most in", ", ".join(f"{name} ({100 * shares[name]:.0f} %)" for name in worst), flush=True)


if __name__ == "__main__":
    main()
