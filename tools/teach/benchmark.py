#!/usr/bin/env python3
"""The real benchmark: kernels of public packages, with tasks of five kinds (docs/how-to/teach.md).

    benchmark.py [-o FOLDER]     the default: build/real-benchmark

Downloads the packages of benchmark.txt, each with its hash, and reads only their text: nothing of them is installed or run. `weft harvest` makes a set
of each project, `weft merge` joins them, and `weft tasks` makes the tasks. A record counts if it has launches and readable CUDA, and a licence that lets
others use it. Near copies of invented kernels are left out and counted in benchmark.json. Held-out kernels that are near copies of development ones are, too.
Near is as in tools/leakage.py: token 5-grams with a Jaccard similarity of at least 0.7, all names masked, or numbered."""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import files  # noqa: E402
import leakage  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))
KINDS = ("python-to-readable", "python-to-gradient", "forward-to-backward", "python-to-cuda", "repair")
SPLITS = ("development", "held-out")
LICENSES = {"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause"}
TEXTS = (".py", "METADATA", "LICENSE", "LICENSE.md", "LICENSE.txt")
INVENTED = ("-n", "20000", "-s", "37001", "--no-verify", "--launches", "0", "--no-backward", "--no-readable", "--no-compress")
NEAR = 0.7


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"benchmark.py: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def key_of(name):
    return name.replace("-", "_").lower()


def download(folder, pins):
    folder.mkdir(parents=True, exist_ok=True)
    run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
        "--python-version", "3.12", "--platform", "manylinux_2_28_x86_64", "--require-hashes", "-r", pins, "-d", folder)


def unpack(wheel, folder):
    """The texts of a wheel, and nothing that would lie outside of the folder."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            target = (folder / name).resolve()
            if name.endswith(TEXTS) and target.is_relative_to(folder.resolve()):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))


def declare(project, folder):
    """Where it is from, as `weft harvest` reads it: a pyproject.toml and the licence beside the packages, both of the wheel's own metadata."""
    known = next(folder.glob("*.dist-info"))
    fields = dict(line.split(": ", 1) for line in (known / "METADATA").read_text().split("\n\n")[0].splitlines() if re.match(r"[\w-]+: ", line))
    licence = fields.get("License-Expression") or fields.get("License", "")
    lines = [f'name = "{project["name"]}"', f'version = "{fields["Version"]}"'] + ([f'license = "{licence}"'] if re.fullmatch(r"[\w.+ ()-]+", licence) else [])
    (folder / "pyproject.toml").write_text("[project]\n" + "\n".join(lines) + "\n")
    for text in sorted(known.rglob("LICENSE*"))[:1]:
        (folder / "LICENSE").write_bytes(text.read_bytes())


def harvest(projects, out):
    """A set of each project; the folders of those that have records."""
    wheels = {key_of(path.name.split("-")[0]): path for path in (out / "packages").glob("*.whl")}
    for project in projects:
        if not (out / "source" / project["name"]).exists():
            unpack(wheels[key_of(project["name"])], out / "source" / project["name"])
            declare(project, out / "source" / project["name"])
    imports = [word for p in projects for word in ("-I", out / "source" / p["name"])]
    sets = []
    for project in projects:
        source, target = out / "source" / project["name"], out / "harvested" / project["name"]
        run(WEFT, "harvest", *(source / path for path in project["paths"]), *imports, "-o", target, "--resume", "-q")
        if json.loads((target / "manifest.json").read_text())["rows"]:
            sets.append(target)
    return sets


# ---- what counts ----


def close_pairs(sources, sides, threshold=NEAR):
    """The places of all sources that have a near copy on a side of a smaller number."""
    import numpy as np

    tokens = leakage.Tokens()
    for source in sources:
        tokens.add(source)
    numbered, sides = np.array(tokens.found), np.array(sides)
    close = set()
    for found in (np.maximum(numbered, -1), numbered):
        grams = leakage.Grams(np, found, tokens.ends, threshold)
        close |= {int(at) for at in np.flatnonzero(sides) if grams.closest(at, sides)}
    return close


def choose(records, split_of, invented):
    """({id: split} of the records that count, how many are left out and why)."""
    out, kept = collections.Counter(), []
    for record in records:
        reason = ("no launches" if not record["launches"] else "no readable CUDA" if not record["cuda_readable"]
                  else "licence" if record["license"] not in LICENSES else None)
        if reason:
            out[reason] += 1
        else:
            kept.append(record)
    sources = [r["python_source"] for r in kept]
    copies = {at - len(invented) for at in close_pairs(invented + sources, [0] * len(invented) + [1] * len(sources))}
    out["near copy of an invented kernel"] = len(copies)
    kept = [r for at, r in enumerate(kept) if at not in copies]
    sides = [SPLITS.index(split_of[key_of(r["project"])]) for r in kept]
    copies = close_pairs([r["python_source"] for r in kept], sides)
    out["held-out, near copy of a development kernel"] = len(copies)
    return {r["id"]: SPLITS[side] for at, (r, side) in enumerate(zip(kept, sides)) if at not in copies}, dict(out)


def make_tasks(out, chosen):
    """One file of tasks per split and kind; how many each has."""
    counts = {split: {} for split in SPLITS}
    for split in SPLITS:
        (out / "tasks" / split).mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        run(WEFT, "tasks", out / "set", "--kind", kind, "-o", out / "tasks/all.jsonl", "-q")
        tasks = files.lines_of(out / "tasks/all.jsonl")
        for split in SPLITS:
            wanted = [t for t in tasks if chosen.get(t["record"]) == split]
            counts[split][kind] = len(wanted)
            files.write_lines(out / "tasks" / split / f"{kind}.jsonl", wanted)
    (out / "tasks/all.jsonl").unlink()
    return counts


def describe(records, chosen):
    """A row per project: what was found and what counts."""
    rows = {}
    for record in records:
        row = rows.setdefault(record["project"], {"project": record["project"], "version": record["revision"], "licences": [], "records": 0, "with launches": 0, **dict.fromkeys(SPLITS, 0)})
        row["records"] += 1
        row["with launches"] += bool(record["launches"])
        if record["license"] not in row["licences"]:
            row["licences"].append(record["license"])
        if record["id"] in chosen:
            row[chosen[record["id"]]] += 1
    return sorted(rows.values(), key=lambda r: (-r["development"], -r["held-out"], r["project"]))


def print_table(found):
    print(f"{'project':20} {'version':9} {'licence':24} {'records':>8} {'launches':>9} {'development':>12} {'held-out':>9}")
    for r in found["projects"]:
        print(f"{r['project']:20} {r['version']:9} {', '.join(r['licences']):24} {r['records']:8} {r['with launches']:9} {r['development']:12} {r['held-out']:9}")
    print(f"{'all':55} {found['records']:8} {'':9} {found['kernels']['development']:12} {found['kernels']['held-out']:9}")
    for reason, count in found["left out"].items():
        print(f"left out: {count:5} {reason}")
    for split in SPLITS:
        print(f"tasks, {split}:", ", ".join(f"{kind} {count}" for kind, count in found["tasks"][split].items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/real-benchmark")
    parser.add_argument("--projects", type=pathlib.Path, default=HERE / "projects.json")
    parser.add_argument("--pins", type=pathlib.Path, default=HERE / "benchmark.txt")
    options = parser.parse_args()
    if not leakage.reexec_with_warp():
        sys.exit("benchmark.py: numpy is needed, which comes with Warp (tools/venv.sh)")
    out, projects = options.output, json.loads(options.projects.read_text())
    download(out / "packages", options.pins)
    sets = harvest(projects, out)
    if not (out / "set/manifest.json").exists():
        run(WEFT, "merge", *sets, "-o", out / "set", "-q")
    if not (out / "invented/manifest.json").exists():
        run(WEFT, "produce", *INVENTED, "-o", out / "invented", "-q")
    records = list(files.records(out / "set"))
    invented = [r["python_source"] for r in files.records(out / "invented")]
    chosen, left_out = choose(records, {key_of(p["name"]): p["split"] for p in projects}, invented)
    kernels = collections.Counter(chosen.values())
    found = {"records": len(records), "kernels": {split: kernels[split] for split in SPLITS}, "left out": left_out, "invented": len(invented),
             "projects": describe(records, chosen), "tasks": make_tasks(out, chosen), "chosen": chosen}
    (out / "benchmark.json").write_text(json.dumps(found, indent=1) + "\n")
    print_table(found)


if __name__ == "__main__":
    main()
