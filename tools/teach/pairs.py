"""Pairs of a prompt and its answer, made of a set and the tasks of `weft tasks`: the prompts of training are those of the tasks.

Only the standard library is needed: this file also runs on the machine with the GPU."""

import concurrent.futures
import pathlib
import random
import re
import shutil
import subprocess

import files

PIECE = 5000  # pairs are invented in pieces, each with a seed of its own, so that the same come out on any number of cores
FENCED = re.compile(r"^(`{3,})([\w-]*)\n(.*?)\n\1$", re.M | re.S)
MARK = "//// "
BACKWARD = "forward-to-backward"
# The kinds that `weft mutate` has wrong answers for, and the form that it knows them by.
WRONG_FORMS = {"python-to-readable": "cuda", "python-to-gradient": "gradient", BACKWARD: "gradient"}


def blocks(text):
    """The fenced blocks of code."""
    return [match[3].strip("\n") for match in FENCED.finditer(text)]


def prompt_of(task, form):
    """`whole`: as weft writes it. `brief`: the kind and the blocks of code, without the rules, which are the same in every task of a kind."""
    if form == "whole":
        return task["prompt"]
    return f"{MARK}{task['kind']}\n" + f"\n{MARK}\n".join(blocks(task["prompt"]))


# ---- right answers ----


def without_forward(readable):
    """The first kernel is left out; structs and functions stay."""
    start = readable.index("__global__")
    return readable[:start] + readable[readable.index("\n}\n", start) + 3 :].lstrip("\n")


def without_backward(readable):
    """The backward kernel and the adjoint functions, which it calls, are left out. Parts of a text stand apart, at the margin."""
    parts = re.split(r"\n\n(?=[^\s}])", readable.strip("\n"))
    heads = [part.split("{")[0] for part in parts]
    return "\n\n".join(part for part, head in zip(parts, heads) if not re.search(r"\badj_\w+\(|__global__ void \w+_backward\(", head))


def right_answer(task, record):
    readable = record["cuda_readable"] or ""
    if task["kind"] == "python-to-cuda":
        return (record["cuda_helpers"] + "\n" + record["cuda_forward"]).strip("\n")
    if task["kind"] == "python-to-readable":
        return without_backward(readable)
    return (without_forward(readable + "\n") if task["kind"] == BACKWARD else readable).strip("\n")


def wrong_answer(right, mutant):
    """The right answer with the change of the mutant, where the changed line occurs once in it; otherwise None."""
    lines = right.split("\n")
    places = [at for at, line in enumerate(lines) if line.strip() == mutant["before"].strip()]
    if len(places) != 1:
        return None
    line = lines[places[0]]
    lines[places[0]] = line[: len(line) - len(line.lstrip())] + mutant["after"].strip()
    return "\n".join(lines)


# ---- pairs ----


def weft_lines(weft, command, folder, *options):
    path = pathlib.Path(f"{folder}.{command}.jsonl")
    subprocess.run([weft, command, folder, *map(str, options), "-o", path, "-q"], check=True)
    lines = files.lines_of(path)
    path.unlink()
    return lines


def make(weft, folder, kinds, form="brief", wrong=0.0, keep=None, seed=0):
    """All pairs of a set, in the order of kinds and records. `wrong`: the share of answers that are mutants, of the kinds that have some.
    `keep`: the ids of the records to take."""
    records = {r["id"]: r for r in files.records(folder) if keep is None or r["id"] in keep}
    tasks = {kind: [t for t in weft_lines(weft, "tasks", folder, "--kind", kind) if t["record"] in records] for kind in kinds}
    pairs = []
    for kind in kinds:
        mutants = {}
        if wrong and kind in WRONG_FORMS:
            mutants = {m["record"]: m for m in weft_lines(weft, "mutate", folder, "--form", WRONG_FORMS[kind], "--seed", seed)}
        rows = [dict(id=t["id"], kind=kind, prompt=prompt_of(t, form), answer=answer, wrong=False)
                for t in tasks[kind] if (answer := right_answer(t, records[t["record"]]))]
        spoil(rows, mutants, wrong, seed)
        pairs += rows
    return pairs


def spoil(rows, mutants, share, seed):
    """Replaces the answers of a share of the rows by wrong ones, as far as there are mutants."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    left = round(share * len(rows))
    for at in order:
        mutant = mutants.get(rows[at]["id"].split("/")[0])
        text = wrong_answer(rows[at]["answer"], mutant) if mutant and left else None
        if text:
            rows[at].update(answer=text, wrong=True)
            left -= 1


def invent_piece(job):
    weft, folder, count, seed, kinds, form, wrong = job
    subprocess.run([weft, "produce", "-n", str(count), "-s", str(seed), "--launches", "1", "--no-compress", "--full", "-j", "1", "-o", folder, "-q"], check=True)
    pairs = make(weft, folder, kinds, form, wrong, seed=seed)
    shutil.rmtree(folder)
    return pairs


def invent(weft, work, count, seed, kinds, form="brief", wrong=0.0, piece=PIECE, jobs=None):
    """Pairs of invented kernels: `count` records, in pieces of the seeds `seed`, `seed` + 1, …"""
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    sizes = [min(piece, count - at) for at in range(0, count, piece)]
    todo = [(weft, work / f"piece-{n}", size, seed + n, kinds, form, wrong) for n, size in enumerate(sizes)]
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        return [pair for piece_pairs in pool.map(invent_piece, todo) for pair in piece_pairs]
