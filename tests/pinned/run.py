#!/usr/bin/env python3
"""What weft says about fixed inputs, written down: no change goes unnoticed.

    tests/pinned/run.py [CASE …] [--update]

A case is some commands (CASES below); tests/pinned/CASE.jsonl.zst has what came out, one line for each kernel, program or
file. Numbers are compared with a small tolerance, as they depend on the mathematical library; texts of which only the
digest is kept, byte by byte. That what is pinned is right is for other tests to say (golden, values, …).
--update writes what comes out now: read what the test says before you do that.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import records  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests/python"), str(HERE)]

import edges  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))
SOURCES = HERE / "sources.jsonl.zst"
INVENTED = HERE / "invented.jsonl.zst"  # 80 kernels of scenes and 40 of random expressions, as the generator once drew them
MUTATED = HERE / "mutated_sources.jsonl.zst"  # of mutated.py
WARP = "1.19.0"  # unless a case says otherwise
OLDEST = "1.16.0"
SECONDS = 600
SHOWN = 6
FIRST = "WEFT_MUTANT" in os.environ  # one difference says it all: tools/mutants.py wants to know whether there is one


# ---- running ----


def weft(*words, cwd=ROOT, codes=(0, 1)):
    if words[0] in ("extract", "check", "standalone") and "--warp" not in words:
        words = (*words, "--warp", WARP)
    done = subprocess.run([WEFT, *map(str, words)], cwd=cwd, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    if done.returncode not in codes:
        sys.exit(f"weft {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr.decode('utf-8', 'replace')[-2000:]}")
    return done.stdout.decode(), done.stderr.decode()


def read_lines(path):
    done = subprocess.run(["zstd", "-dc", str(path)], capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def write_lines(path, lines):
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    subprocess.run(["zstd", "-q", "-19", "-f", "-o", str(path)], input=text.encode(), check=True)


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:16]


def unpack(folder, kind, path=SOURCES):
    """Writes the sources of a kind ("builtins", "odd") into the folder; returns it."""
    target = folder / kind
    target.mkdir(exist_ok=True)
    for line in read_lines(path):
        if line["kind"] == kind:
            (target / line["name"]).write_text(line["source"])
    return target


def write_edges(folder):
    """The kernels of edges.py."""
    target = folder / "edges"
    target.mkdir(exist_ok=True)
    for name, source in edges.modules():
        (target / name).write_text(source)
    return target


def without_folders(text):
    """Files are unpacked in another folder each time."""
    return re.sub(r"/\S*/(?=\w+\.py\b)", "", text)


def rounded(value):
    """Numbers to nine digits."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return value


# ---- cases: each yields (key, value) ----


def checked(sources, *flags):
    """What `weft check` finds out: verdicts, derivatives of both evaluators, outputs and gradients."""
    out, err = weft("check", *sources, "--json", "--with-io", *flags)
    for line in out.splitlines():
        record = json.loads(line)
        name = f"{pathlib.Path(record.pop('file')).name} {record.get('kernel', record.get('kernel_name'))} {' '.join(flags)}"
        if isinstance(record.get("gradient_error"), float) and record["gradient_error"] < 1e-9:
            record["gradient_error"] = 0  # only rounding
        for place in [record.get("why"), *record.get("never_taken", [])]:
            if place:
                place["file"] = pathlib.Path(place["file"]).name
        if "launches" in record:  # by name, without tolerances
            launches = record.pop("launches")
            record["io"] = launches and records.io_of(launches[0])
        yield name, rounded(record)
    yield f"messages {' '.join(flags)}", digest(without_folders(err))


def said(sources, *flags):
    """What `weft check` prints for people."""
    out, _ = weft("check", *sources, *flags)
    out = without_folders(out)
    yield f"text {' '.join(flags)}", rounded([number_or_word(word) for word in re.split(r"(\s+)", out)])


def number_or_word(word):
    return float(word) if re.fullmatch(r"-?\d+\.\d+(e[-+]\d+)?", word) else word


def case_check(folder):
    golden = ["tests/golden", "tests/gradients", "tests/tree"]
    yield from checked(golden)
    yield from checked(golden, "-s", "2", "--range", "-1.5,1.5", "--dim", "5")
    yield from checked(golden, "-s", "3", "--shape", "3", "--dim", "4,2")
    yield from said(golden, "--no-example")
    yield from said(["tests/gradients"], "-s", "4")
    yield from checked(["tests/gradients", "tests/tree"], "-s", "5", "--warp", OLDEST)


def case_check_builtins(folder):
    builtins = unpack(folder, "builtins")
    yield from checked([builtins], "--dim", "4", "--shape", "4")
    yield from checked([builtins], "--dim", "4", "--shape", "4", "-s", "2", "--range", "-1.5,1.5", "--range", "a1=1,5")
    yield from checked([builtins], "--dim", "3", "--shape", "3", "-s", "5", "--range", "-5,5", "--range", "a0=-3,4", "--range", "a1=-4,-1")


def case_check_bodies(folder):
    bodies = unpack(folder, "bodies")
    yield from checked([bodies])
    yield from checked([bodies], "-s", "2", "--range", "-1.5,1.5", "--dim", "3")
    yield from said([bodies], "-s", "3")
    yield from checked([unpack(folder, "options")], "-s", "4")
    yield from checked([bodies], "-s", "5", "--warp", OLDEST)


def texts(sources, label, *flags):
    """The text of every kernel on both devices, and its region tree."""
    out, err = weft("extract", *sources, "-d", "both", "--json", *flags)
    for line in out.splitlines():
        record = json.loads(line)
        file = pathlib.Path(record.pop("file", "")).name
        yield f"{label}: {file} {record.get('kernel_key')}: record", digest(json.dumps(record))
    yield f"{label}: messages", digest(without_folders(err))
    tree, _ = weft("extract", *sources, "--dump", "ir", *flags)
    for part in re.split(r"(?m)^(?=kernel )", tree):
        yield f"{label}: region tree of {part.split()[1] if part.startswith('kernel ') else 'the rest'}", digest(part)


def case_extract(folder):
    golden = ["tests/golden", "tests/gradients", "tests/tree", "examples"]
    yield from texts(golden, "golden")
    yield from texts(golden, "golden with the oldest Warp", "--warp", OLDEST)
    for path in sorted((ROOT / "tests/golden").glob("*.py")):
        for flags in (("--preamble", "-d", "both"), ("--preamble", "--no-backward")):
            out, _ = weft("extract", path, *flags)
            yield f"{path.name} {' '.join(flags)}", digest(out)
    yield from texts([unpack(folder, "builtins")], "builtins")


def case_bodies(folder):
    bodies, options = unpack(folder, "bodies"), unpack(folder, "options")
    yield from texts([bodies], "bodies")
    yield from texts([options], "options")
    for version in (OLDEST, "1.17", "1.18"):
        for path in sorted([*bodies.iterdir(), *options.iterdir()]):
            found = texts([path], path.name, "--warp", version)
            yield f"{path.name} with Warp {version}", digest(json.dumps(list(found)))


def case_odd(folder):
    yield from texts([unpack(folder, "odd")], "odd")


def alone(tool, path, version=OLDEST):
    """One evaluator without the other, on a small launch of each kernel: sums of what it computed, and what it found."""
    build = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
    done = subprocess.run([build / tool, path, "--smoke", "--warp", version], capture_output=True, timeout=SECONDS, text=True)
    if done.returncode:
        sys.exit(f"{tool} {path.name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        found = json.loads(line)
        yield f"{path.name} {found.pop('kernel')} {found.pop('mode')} {version}", found


def of_versions(tool):
    """What is new or different in each version of Warp."""
    for version in ("1.16.0", "1.17.0", "1.18.0", "1.19.0"):
        for path in sorted([*(ROOT / "tests/evaluators").glob("*.py"), *(ROOT / "tests/versions").glob("*.py")]):
            yield from ((name, list(found.values())) for name, found in alone(tool, path, version))


def case_syntax(folder):
    """The syntax-tree evaluator: also what it says about calls and bodies that the builder of the region tree refuses."""
    sources = [path for kind in ("odd", "bodies", "arrays", "builtins") for path in unpack(folder, kind).iterdir()]
    for path in sorted(sources):
        path.write_text(path.read_text().replace("ax: wp.indexedarray(dtype=float), ", ""))  # no launch has one
        for name, found in alone("ast_run", path):
            plain = re.search(r" (rounded|double) ", name) or not path.name.startswith("odd")  # odd calls say the same on any numbers
            if plain and (found["finding"] != "none" or found["numbers"]):
                yield name, list(found.values())
    yield from of_versions("ast_run")


def case_trees(folder):
    """The evaluator of region trees: also where the other one finds something before it, or does not follow."""
    sources = [path for kind in ("bodies", "arrays", "options", "builtins") for path in unpack(folder, kind).iterdir()]
    for path in sorted(sources):
        yield from ((name, list(found.values())) for name, found in alone("tree_run", path))
    for path in sorted((folder / "bodies").iterdir()):
        yield from ((name, list(found.values())) for name, found in alone("tree_run", path, "1.19.0"))
    yield from of_versions("tree_run")


def case_edges(folder):
    """Kernels at the edges of what may be done: each evaluator alone, both against each other, and their text."""
    edge_folder = write_edges(folder)
    for path in sorted(edge_folder.iterdir()):
        yield from ((f"syntax: {name}", list(found.values())) for name, found in alone("ast_run", path))
        yield from ((f"tree: {name}", list(found.values())) for name, found in alone("tree_run", path))
    rare = sorted(f"edges/{path.name}" for path in edge_folder.iterdir() if re.match(r"(rare|nesting)_\d", path.name))
    _, err = weft("standalone", *rare, "-o", "programs", "--warp", OLDEST, cwd=folder)
    yield "standalone: messages", digest(without_folders(err))
    yield from ((f"standalone: {name}", value) for name, value in programs(folder / "programs"))
    yield from said([edge_folder], "--no-example", "--shape", "7,5,4,3", "--dim", "2")
    yield from texts([edge_folder], "text")
    yield from texts([str(folder / name) for name in rare], "text with the oldest Warp", "--warp", OLDEST)


def case_mutated(folder):
    """Kernels with one word changed: their text and what is said of them, each evaluator alone, and standalone programs."""
    changed = unpack(folder, "mutated", MUTATED)
    yield from texts([changed], "text")
    for path in sorted(changed.iterdir()):
        for tool in ("ast_run", "tree_run"):
            yield from ((f"{tool}: {name}", list(found.values())) for name, found in alone(tool, path))
    _, err = weft("standalone", changed.name, "-o", "programs", "--warp", OLDEST, cwd=folder)
    for number, line in enumerate(without_folders(err).splitlines()):
        yield f"standalone: message {number}", digest(line)
    for path in sorted((folder / "programs").glob("*/*.cu")):
        yield f"standalone: {path.name}", digest(re.sub(r"-?\d+\.\d{4,}(e[-+]\d+)?|-?\d+(\.\d+)?e[-+]\d+", "#", path.read_text()))


def total(value, place=1):
    """A sum in which every number of a value counts, by its place."""
    if isinstance(value, dict):
        return sum(total(item, k + 1) for k, item in enumerate(value.values()))
    if isinstance(value, list):
        return sum(total(item, place * (1 + k % 7)) for k, item in enumerate(value))
    return float(value or 0) * place


def case_spread(folder):
    """Checks as data sets are checked: on chosen threads, with filters; and the small launches of records."""
    build = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
    sources = [*sorted((ROOT / "tests/golden").glob("*.py")), *sorted(unpack(folder, "invented", INVENTED).iterdir()), *sorted(unpack(folder, "bodies").iterdir())]
    for path in sources:
        done = subprocess.run([build / "check_run", path, "--warp", OLDEST], capture_output=True, timeout=SECONDS, text=True)
        if done.returncode:
            sys.exit(f"check_run {path.name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        for line in done.stdout.splitlines():
            found = json.loads(line)
            launches = found.pop("launches", [])
            parts = [(part, row) for launch in launches for part in launch if part != "dim" for row in launch[part] or ()]
            found["io"] = [[part, row["name"], rounded(total(row["floats"] or row["ints"]))] for part, row in parts]
            yield f"{path.name} {found.pop('kernel')} {found.pop('mode')}", list(rounded(found).values())


def case_drawn(folder):
    """Kernels that mean nothing, with many builtins in odd combinations: see tests/drawn/README.md."""
    yield from texts(["tests/drawn"], "drawn")
    yield from checked(["tests/drawn"], "-s", "2", "--range", "-1.5,1.5", "--dim", "5")


def programs(target):
    for program in sorted(target.iterdir()):
        if program.is_dir():
            for file in sorted(program.iterdir()):
                yield f"{program.name}/{file.name}", digest(file.read_bytes())
        else:
            yield program.name, digest(program.read_bytes())


def case_standalone(folder):
    sources = sorted((ROOT / "tests/golden").glob("*.py"))
    sources = [str(p.relative_to(ROOT)) for p in sources if p.name != "errors.py"]
    _, err = weft("standalone", *sources, "-o", folder / "golden", "--warp", OLDEST)
    yield "messages", digest(err)
    yield from (("golden/" + name, value) for name, value in programs(folder / "golden"))
    unpack(folder, "invented", INVENTED)
    _, err = weft("standalone", "invented", "-o", "programs", "--warp", OLDEST, cwd=folder)
    yield "messages of invented kernels", digest(err)
    yield from (("invented/" + name, value) for name, value in programs(folder / "programs"))


def case_standalone_builtins(folder):
    for kind in ("builtins", "bodies"):
        unpack(folder, kind)
        _, err = weft("standalone", kind, "-o", f"programs_{kind}", "--warp", OLDEST, cwd=folder)
        yield f"messages of {kind}", digest(err)
        yield from programs(folder / f"programs_{kind}")


SETS = {
    "all": ["-n", "90", "-s", "3", "-d", "both", "--splits", "80,10,10", "--shard-rows", "30", "--no-compress"],
    "files": ["-n", "20", "-s", "4", "--format", "json", "--gradients", "marked", "--no-backward"],
    "skip": ["-n", "60", "-s", "5", "--gradients", "skip", "--dedup", "masked", "-d", "cpu", "--checkpoint", "7"],
    "many": ["-n", "500", "-s", "1", "-c", "atomic", "--dedup", "masked", "--no-verify"],  # with duplicates
    "few": ["-n", "40", "-s", "6", "-c", "vector=3,physics=1", "--no-verify", "--shard-rows", "9"],
}


def case_sets(folder):
    for name, flags in SETS.items():
        weft("produce", *flags, "-o", folder / name, "-j", "2", "-q")
        for path in sorted(p for p in (folder / name).rglob("*") if p.is_file()):
            where = f"{name}/{path.relative_to(folder / name)}"
            if path.suffix == ".jsonl":
                for number, line in enumerate(path.read_bytes().splitlines()):
                    yield f"{where}:{number + 1}", digest(line)
            elif path.name not in ("run.json", "stats.json"):
                yield where, digest(path.read_bytes())
        out, _ = weft("stats", name, cwd=folder)
        yield f"stats of {name}", [number_or_word(word) for word in re.split(r"(\s+)", out)]
        out, _ = weft("validate", "-i", name, cwd=folder)
        yield f"validate {name}", out
        out, _ = weft("validate", name, "--sample", "40", "--messages", "3", "-j", "1", cwd=folder)
        yield f"validate some of {name}", out


SMALL = ["-n", "24", "-s", "7", "--no-verify", "--shard-rows", "5", "--checkpoint", "4", "-j", "1", "-q"]
SPLIT = ["--splits", "70,15,15"]


def everything(folder, name):
    """The files of a data set, but those that have times in them."""
    for path in sorted(p for p in (folder / name).rglob("*") if p.is_file()):
        if path.name not in ("run.json", "stats.json"):
            yield f"{name}/{path.relative_to(folder / name)}", digest(path.read_bytes())


def answer(folder, *words, limit=None):
    """Exit code and messages of a command that may go wrong."""
    before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    done = subprocess.run([WEFT, *map(str, words)], cwd=folder, capture_output=True, timeout=SECONDS, preexec_fn=before)
    return [done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")]


def piecewise(folder, name, flags):
    for number in (1, 2, 3):
        weft("produce", *SMALL, *flags, "--shard", f"{number}/3", "-o", folder / f"{name}-{number}")
        yield from everything(folder, f"{name}-{number}")
    pieces = [f"{name}-{number}" for number in (1, 2, 3)]
    yield f"two of three {name}", answer(folder, "merge", *pieces[:2], "-o", "joined")
    yield f"one twice {name}", answer(folder, "merge", *pieces, pieces[0], "-o", "joined")
    yield f"joined {name}", answer(folder, "merge", *reversed(pieces), "-o", f"joined-{name}", "-q")
    yield from everything(folder, f"joined-{name}")
    yield f"stats of a piece of {name}", answer(folder, "stats", pieces[0])
    yield f"validate a piece of {name}", answer(folder, "validate", pieces[0])
    yield f"validate {name}", answer(folder, "validate", f"joined-{name}", "-j", "1")


def case_pieces(folder):
    """Pieces and what they are joined to; runs that fail in the middle and go on."""
    for flags, name in (([*SPLIT, "--no-compress"], "plain"), (SPLIT, "packed"), (["--format", "json"], "files")):
        weft("produce", *SMALL, *flags, "-o", folder / name)
        yield from everything(folder, name)
        if name != "files":
            yield from piecewise(folder, name, flags)
        yield f"numbers of {name}", answer(folder, "stats", name, "--json")
        sizes = sorted({p.stat().st_size for p in (folder / name).rglob("*") if p.is_file()})
        for limit in (1, 700, sizes[len(sizes) // 2], sizes[-1] - 1):
            broken = f"broken-{name}-{limit}"
            yield broken, answer(folder, "produce", *SMALL, *flags, "-o", broken, limit=limit)
            yield f"{broken} unfinished", answer(folder, "validate", broken, "-j", "1")
            yield f"{broken} resumed", answer(folder, "produce", *SMALL, *flags, "-o", broken, "--resume")
            yield from everything(folder, broken)
    yield "pieces of different sets", answer(folder, "merge", "plain-1", "packed-2", "plain-3", "-o", "joined")
    yield "no piece", answer(folder, "merge", "plain", "plain-2", "plain-3", "-o", "joined")


def case_damage(folder):
    """What validate, stats and --resume say about sets that were changed."""
    weft("produce", *SMALL, *SPLIT, "--no-compress", "--full", "-o", folder / "set")
    resume = ["produce", *SMALL, *SPLIT, "--no-compress", "--full", "-o", "set", "--resume"]
    for wrong in (["-s", "8"], ["-n", "30"], ["--launches", "1"], ["--shard-rows", "6"], ["-d", "cpu"], ["--splits", "80,10,10"],
                  ["--gradients", "skip"], ["--dedup", "masked"], ["-c", "vector"], ["--shard", "1/2"], ["--format", "json"]):  # fmt: skip
        yield f"other options {wrong}", answer(folder, *resume, *wrong)
    shards = sorted((folder / "set").glob("train-*.jsonl"))
    first = shards[0].read_bytes()
    record = json.loads(first.splitlines()[0])
    changes = [(f"no {key}", lambda r, key=key: r.pop(key)) for key in record]
    changes += [(f"other {key}", lambda r, key=key: r.update({key: 7 if isinstance(r[key], str) else "x"})) for key in record]
    changes += [(f"longer {key}", lambda r, key=key: r.update({key: (r[key] or "") + "x"})) for key in record if isinstance(record[key], str)]
    changes += [("new field", lambda r: r.update(new=1))]
    for what, change in changes:
        changed = json.loads(first.splitlines()[1])
        change(changed)
        lines = first.splitlines(keepends=True)
        shards[0].write_bytes(b"".join([lines[0], json.dumps(changed).encode() + b"\n", *lines[2:]]))
        yield what, answer(folder, "validate", "set", "-j", "1")
    lines = first.splitlines(keepends=True)
    for what, parts in (("swapped", [lines[1], lines[0], *lines[2:]]), ("lost", lines[1:]), ("doubled", [lines[0], *lines]),
                        ("cut", [first[:-40]]), ("no record", [b"{}\n", *lines[1:]]), ("no JSON", [b"x\n", *lines[1:]]), ("empty", [])):  # fmt: skip
        shards[0].write_bytes(b"".join(parts))
        yield f"{what}: validate", answer(folder, "validate", "set", "-j", "1")
        yield f"{what}: stats", answer(folder, "stats", "set")
        yield f"{what}: resume", answer(folder, *resume)
    shards[0].unlink()
    for command in (["validate", "set"], ["stats", "set"], resume):
        yield f"missing: {command[0]}", answer(folder, *command)
    shards[0].write_bytes(first)
    (folder / "set" / "stranger.txt").write_text("x")
    yield "stranger: validate", answer(folder, "validate", "set")
    yield "stranger: resume", answer(folder, *resume)
    (folder / "set" / "stranger.txt").unlink()
    manifest = (folder / "set/manifest.json").read_text()
    for what, text in (("empty", ""), ("cut", manifest[:-30]), ("changed", manifest.replace('"rows": 24', '"rows": 25')), ("list", "[]"),
                       ("other", manifest.replace('"format"', '"former"')), ("number", "7")):  # fmt: skip
        (folder / "set/manifest.json").write_text(text)
        for command in (["validate", "set"], ["stats", "set"], resume):
            yield f"manifest {what}: {command[0]}", answer(folder, *command)
    (folder / "set/manifest.json").unlink()
    for command in (["validate", "set"], ["stats", "set"], resume, resume[:-1]):
        yield f"no manifest: {command[0]} {command[-1]}", answer(folder, *command)


STORED = HERE / "stored"  # seven records as weft once made them, as lines and as Parquet; what is pinned does not depend on the generator
# Made by this, with zeros for the fingerprint of the generator; to be made again when the columns change.
MADE_BY = ["-n", "7", "-s", "5", "-c", "integer,vector,ml,control_flow,random,function", "--gradients", "marked", "--splits", "40,30,30",
           "--shard-rows", "2", "--launches", "1"]  # fmt: skip
EXPORTS = {
    "hf": ["--kind", "cuda-to-python", "--kind", "warp-gradient"], "hf records": [], "trl": [], "alpaca": [], "verl": [], "parquet": [],
    "trl backward": ["--kind", "cuda-to-backward"], "verl readable": ["--kind", "python-to-gradient"],
}  # fmt: skip


def case_stored(folder):
    """What is counted in a data set and exported from it, and who may go on with it; the same from lines and from Parquet."""
    for layout in ("lines", "parquet"):
        shutil.copytree(STORED / layout, folder / layout)
        yield f"numbers of {layout}", answer(folder, "stats", layout, "--json")[1].split(", ")
        yield f"stats of {layout}", answer(folder, "stats", layout)[1].splitlines()
        yield f"continue {layout}", answer(folder, "produce", *MADE_BY, "-o", layout, "--resume", "--format", "jsonl" if layout == "lines" else layout)
        for name, flags in EXPORTS.items():
            target = f"{layout} {name}"
            yield f"export {target}", answer(folder, "export", layout, "--format", name.split()[0], "-o", target, *flags)
            yield from everything(folder, target)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}


# ---- comparing ----


def numbered(items):
    """The same key again is another one: generic kernels, say."""
    seen = {}
    for key, value in items:
        seen[key] = seen.get(key, 0) + 1
        yield (key if seen[key] == 1 else f"{key} ({seen[key]})"), value


def differ(got, want):
    if isinstance(want, float) or isinstance(got, float):
        if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (got, want)):
            return True
        return abs(got - want) > 2e-6 * max(abs(got), abs(want)) + 1e-9
    if isinstance(want, list) and isinstance(got, list):
        return len(want) != len(got) or any(map(differ, got, want))
    if isinstance(want, dict) and isinstance(got, dict):
        return list(want) != list(got) or any(differ(got[name], want[name]) for name in want)
    return got != want


def show(got, want):
    """The first difference, in few words."""
    if isinstance(want, dict) and isinstance(got, dict) and list(want) == list(got):
        name = next(name for name in want if differ(got[name], want[name]))
        return f"{name}: {show(got[name], want[name])}"
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        place = next(i for i in range(len(want)) if differ(got[i], want[i]))
        return f"[{place}]: {show(got[place], want[place])}"
    short = lambda value: text if len(text := json.dumps(value)) < 100 else text[:97] + "…"
    return f"{short(got)}, pinned is {short(want)}"


def compare(case, items):
    path = HERE / f"{case}.jsonl.zst"
    if not path.exists():
        print(f"{case}: nothing is pinned; tests/pinned/run.py {case} --update")
        return 1
    pinned = {key: value for key, value in read_lines(path)}
    found = {}
    for key, value in items:
        found[key] = value
        if FIRST and (key not in pinned or differ(value, pinned[key])):
            print(f"{case}: {key}")
            return 1
    wrong = [f"{key} is new" for key in found if key not in pinned]
    wrong += [f"{key} is missing" for key in pinned if key not in found]
    wrong += [f"{key}: {show(found[key], want)}" for key, want in pinned.items() if key in found and differ(found[key], want)]
    for line in wrong[:SHOWN]:
        print(f"{case}: {line}")
    if wrong:
        print(f"{case}: {len(wrong)} of {len(pinned)} differ; if that is right: tests/pinned/run.py {case} --update")
    else:
        print(f"{case}: {len(pinned)} as pinned")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", choices=[*CASES, []])
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    failed = 0
    for case in options.case or CASES:
        with tempfile.TemporaryDirectory(prefix="weft-pinned-") as folder:
            items = numbered(CASES[case](pathlib.Path(folder)))
            if options.update:
                found = dict(items)
                write_lines(HERE / f"{case}.jsonl.zst", found.items())
                print(f"{case}: {len(found)} pinned")
            else:
                failed |= compare(case, items)
    return failed


if __name__ == "__main__":
    sys.exit(main())
