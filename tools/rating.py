#!/usr/bin/env python3
"""Kernels rated by readers who do not know which are real: invented ones of a seed, mixed with some of Warp's examples.

    tools/rating.py draw DIR --seed N [--count 100] [--real 30]      DIR/sheet.txt to read, DIR/key.json not to read
    tools/rating.py score DIR RATINGS... [-o docs/lab/rating.md]         means by category; a reader's lines are "NUMBER SCORE REASON"; halves are allowed

The scale: 1 absurd, 2 grammar without thought, 3 plausible, but odd, 4 could be from a repository with small changes,
5 could be from a repository as it is.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEFT = str(ROOT / "build/weft")
SCORES = {f"{n / 2:g}" for n in range(2, 11)}


def invented(seed, count):
    done = subprocess.run([WEFT, "synth", "-n", str(count), "-s", str(seed), "--json", "-q"], capture_output=True, text=True, check=True)
    return [{"source": r["python_source"], "category": r["category"], "scene": r["plan"]["scenes"][0]} for r in map(json.loads, done.stdout.splitlines())]


def real(count, rng):
    """Kernels of Warp's examples, with what they call, as weft lists them."""
    import importlib.util

    spec = importlib.util.find_spec("warp")
    if not spec:
        sys.exit("rating: Warp is not installed; its examples are the real kernels")
    files = sorted(map(str, (pathlib.Path(spec.origin).parent / "examples").rglob("*.py")))
    done = subprocess.run([WEFT, "extract", "--json", "--no-backward", "-q", *files], capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    rows = [r for r in rows if r.get("python_source") and "tile" not in r["python_source"]]
    return [{"source": r["python_source"], "category": "real", "scene": r["kernel_name"]} for r in rng.sample(rows, min(count, len(rows)))]


def draw(options):
    rng = random.Random(options.seed)
    kernels = invented(options.seed, options.count) + real(options.real, rng)
    rng.shuffle(kernels)
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "key.json").write_text(json.dumps({"seed": options.seed, "kernels": [{k: v for k, v in row.items() if k != "source"} for row in kernels]}))
    text = "".join(f"######## kernel {i} ########\n{row['source'].strip()}\n\n\n" for i, row in enumerate(kernels, 1))
    (folder / "sheet.txt").write_text(text)
    print(f"rating: {len(kernels)} kernels in {folder / 'sheet.txt'}")


def read_ratings(path, count):
    ratings = {}
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        if not line.strip():
            continue
        parts = line.split(None, 2)
        if len(parts) < 3 or not parts[0].isdigit() or parts[1] not in SCORES or not 1 <= int(parts[0]) <= count:
            sys.exit(f"rating: {path}:{number}: not NUMBER SCORE REASON: {line[:60]}")
        ratings[int(parts[0])] = (float(parts[1]), parts[2])
    missing = [i for i in range(1, count + 1) if i not in ratings]
    if missing:
        sys.exit(f"rating: {path}: kernels {missing[:10]} are not rated")
    return ratings


def score(options):
    key = json.loads((pathlib.Path(options.folder) / "key.json").read_text())
    kernels = key["kernels"]
    readers = [read_ratings(path, len(kernels)) for path in options.ratings]
    means = [statistics.mean(reader[i][0] for reader in readers) for i in range(1, len(kernels) + 1)]
    groups = {}
    for row, mean in zip(kernels, means):
        groups.setdefault(row["category"], []).append(mean)
    own = [m for row, m in zip(kernels, means) if row["category"] != "real"]
    lines = [f"| kernels | number | mean of {len(readers)} readers | lowest |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| invented, seed {key['seed']} | {len(own)} | {statistics.mean(own):.2f} | {min(own):.1f} |"]
    lines += [f"| {'real, from Warp' if name == 'real' else name} | {len(found)} | {statistics.mean(found):.2f} | {min(found):.1f} |" for name, found in sorted(groups.items())]
    apart = statistics.mean(max(r[i][0] for r in readers) - min(r[i][0] for r in readers) for i in range(1, len(kernels) + 1))
    lines += ["", f"The readers are {apart:.2f} apart on average.", "", "| kernel | category | scores | reasons |", "| ---: | --- | --- | --- |"]
    for i, row in enumerate(kernels, 1):
        what = f"{row['category']}, `{row['scene']}`" if row["scene"] else row["category"]
        reasons = "; ".join(reader[i][1].replace("|", "/") for reader in readers)
        lines.append(f"| {i} | {what} | {', '.join(f'{reader[i][0]:g}' for reader in readers)} | {reasons} |")
    text = "\n".join(lines) + "\n"
    if options.output:
        path = pathlib.Path(options.output)
        head = path.read_text().split("<!-- rated -->")[0] if path.exists() else "# Rated by readers\n\n"
        path.write_text(head + "<!-- rated -->\n" + text)
    print("\n".join(lines[: 5 + len(groups)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("draw")
    one.add_argument("folder")
    one.add_argument("--seed", type=int, required=True)
    one.add_argument("--count", type=int, default=100)
    one.add_argument("--real", type=int, default=30)
    two = commands.add_parser("score")
    two.add_argument("folder")
    two.add_argument("ratings", nargs="+")
    two.add_argument("-o", "--output")
    options = parser.parse_args()
    (draw if options.command == "draw" else score)(options)


if __name__ == "__main__":
    main()
