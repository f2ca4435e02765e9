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
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))

WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))
SOURCES = HERE / "sources.jsonl.zst"
SECONDS = 120
SHOWN = 6


# ---- running ----


def weft(*words, cwd=ROOT, codes=(0, 1)):
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


def unpack(folder, kind):
    """Writes the sources of a kind ("builtins", "odd") into the folder; returns it."""
    target = folder / kind
    target.mkdir(exist_ok=True)
    for line in read_lines(SOURCES):
        if line["kind"] == kind:
            (target / line["name"]).write_text(line["source"])
    return target


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
        yield name, rounded(record)
    yield f"messages {' '.join(flags)}", digest(re.sub(r"(?m)^/\S*/", "", err))


def said(sources, *flags):
    """What `weft check` prints for people."""
    out, _ = weft("check", *sources, *flags)
    yield f"text {' '.join(flags)}", rounded([number_or_word(word) for word in re.split(r"(\s+)", out)])


def number_or_word(word):
    return float(word) if re.fullmatch(r"-?\d+\.\d+(e[-+]\d+)?", word) else word


def case_check(folder):
    golden = ["tests/golden", "tests/gradients", "tests/tree", "tests/pinned/kernels"]
    yield from checked(golden)
    yield from checked(golden, "-s", "2", "--range", "-1.5,1.5", "--dim", "5")
    yield from checked(golden, "-s", "3", "--shape", "3", "--dim", "4,2")
    yield from said(golden, "--no-example")
    yield from said(["tests/gradients"], "-s", "4")


def case_check_builtins(folder):
    builtins = unpack(folder, "builtins")
    yield from checked([builtins], "--dim", "4", "--shape", "4")
    yield from checked([builtins], "--dim", "4", "--shape", "4", "-s", "2", "--range", "-1.5,1.5", "--range", "a1=1,5")
    yield from checked([builtins], "--dim", "3", "--shape", "3", "-s", "5", "--range", "-5,5", "--range", "a0=-3,4", "--range", "a1=-4,-1")


def texts(sources, label):
    """The text of every kernel on both devices, and its region tree."""
    out, err = weft("extract", *sources, "-d", "both", "--json")
    for line in out.splitlines():
        record = json.loads(line)
        file = pathlib.Path(record.pop("file", "")).name
        yield f"{label}: {file} {record.get('kernel_key')}: record", digest(json.dumps(record))
    yield f"{label}: messages", digest(re.sub(r"(?m)^/\S*/", "", err))
    tree, _ = weft("extract", *sources, "--dump", "ir")
    for part in re.split(r"(?m)^(?=kernel )", tree):
        yield f"{label}: region tree of {part.split()[1] if part.startswith('kernel ') else 'the rest'}", digest(part)


def case_extract(folder):
    golden = ["tests/golden", "tests/gradients", "tests/tree", "tests/pinned/kernels", "examples"]
    yield from texts(golden, "golden")
    for path in sorted((ROOT / "tests/golden").glob("*.py")):
        for flags in (("--preamble", "-d", "both"), ("--preamble", "--no-backward")):
            out, _ = weft("extract", path, *flags)
            yield f"{path.name} {' '.join(flags)}", digest(out)
    yield from texts([unpack(folder, "builtins")], "builtins")


def case_odd(folder):
    yield from texts([unpack(folder, "odd")], "odd")


def programs(target):
    for program in sorted(target.iterdir()):
        if program.is_dir():
            for file in sorted(program.iterdir()):
                yield f"{program.name}/{file.name}", digest(file.read_bytes())
        else:
            yield program.name, digest(program.read_bytes())


def case_standalone(folder):
    sources = sorted((ROOT / "tests/golden").glob("*.py")) + sorted((ROOT / "tests/pinned/kernels").glob("*.py"))
    sources = [str(p.relative_to(ROOT)) for p in sources if p.name != "errors.py"]
    _, err = weft("standalone", *sources, "-o", folder / "golden")
    yield "messages", digest(err)
    yield from (("golden/" + name, value) for name, value in programs(folder / "golden"))
    _, err = weft("standalone", "-n", "120", "-s", "3", "-o", folder / "invented")
    yield from (("invented/" + name, value) for name, value in programs(folder / "invented"))


def case_standalone_builtins(folder):
    unpack(folder, "builtins")
    _, err = weft("standalone", "builtins", "-o", "programs", cwd=folder)
    yield "messages", digest(err)
    yield from programs(folder / "programs")


SETS = {
    "all": ["-n", "90", "-s", "3", "--with-io", "-d", "both", "--splits", "80,10,10", "--shard-rows", "30", "--no-compress"],
    "files": ["-n", "20", "-s", "4", "--format", "json", "--gradients", "marked", "--no-backward"],
    "skip": ["-n", "60", "-s", "5", "--gradients", "skip", "--dedup", "masked", "-d", "cpu", "--checkpoint", "7"],
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


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}


# ---- comparing ----


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


def compare(case, found):
    path = HERE / f"{case}.jsonl.zst"
    if not path.exists():
        print(f"{case}: nothing is pinned; tests/pinned/run.py {case} --update")
        return 1
    pinned = {key: value for key, value in read_lines(path)}
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
            found = dict(CASES[case](pathlib.Path(folder)))
        if options.update:
            write_lines(HERE / f"{case}.jsonl.zst", found.items())
            print(f"{case}: {len(found)} pinned")
        else:
            failed |= compare(case, found)
    return failed


if __name__ == "__main__":
    sys.exit(main())
