#!/usr/bin/env python3
"""Both evaluators against what Warp computed, as tests/values/expected-VERSION.jsonl.zst has it; without Warp.

    test_values.py [-v] [TEXT]      only files and kernels with TEXT in their name

The tree evaluator must give Warp's values and Warp's gradients, in the kernel's own types and in double; the evaluator of
the syntax tree Warp's values, and derivatives that fit Warp's gradients where those are right (recorded as "dot").
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
FOLDERS = ["tests/golden", "tests/tree"]
VERSIONS = ("1.16.0", "1.19.0")  # with 1.16, also kernels for each builtin
TOLERANCE = {"float16": 2e-2, "float32": 3e-5, "float64": 1e-11}
LEAST = {"1.16.0": 2000, "1.19.0": 1300}  # launches that each evaluator must agree on


def flat(values):
    """All numbers of lists and objects, in order."""
    if isinstance(values, dict):
        return [number for part in values.values() for number in flat(part)]
    if isinstance(values, list):
        return [number for part in values for number in flat(part)]
    return [values]


def far(a, b, tolerance, scale):
    if isinstance(b, int):
        return int(a) != b
    if isinstance(b, str) and b.lstrip("-").isdigit():
        return str(a) != b
    a, b = float(a), float(b)
    return not (a == b or (a != a and b != b) or abs(a - b) <= tolerance * scale)


def compare(what, got, want, kind):
    """What differs, or None."""
    got, want = flat(got), flat(want)
    if len(got) != len(want):
        return f"{what}: {len(got)} numbers, Warp has {len(want)}"
    reals = [abs(x) for x in want if isinstance(x, float)]
    scale = max([1.0, *reals])
    for i, (a, b) in enumerate(zip(got, want)):
        if far(a, b, TOLERANCE[kind], scale):
            return f"{what}[{i}]: {a!r}, Warp has {b!r}"
    return None


# Their reverse pass uses what an atomic operation returned, which it does not repeat: what Warp got is luck, and must be called undefined.
UNDEFINED_GRADIENTS = {"stream_compaction"}


def differences(result, expected, kind, parts=("outputs", "gradients")):
    """The first difference of a result of tree_run from what Warp computed; None: there is none."""
    if "outputs" not in result:
        return f"{result.get('finding')}: {result.get('message')}"
    for part in parts:
        for name, want in expected[part].items():
            if isinstance(want, dict):
                want = {k: v for k, v in want.items() if v is not None}
                got = {k: result[part][name][k] for k in want}
            else:
                got = result[part][name]
            found = compare(f"{part} of {name}", got, want, kind)
            if found:
                return found
    return None


def expected_path(version):
    return ROOT / f"tests/values/expected-{version}.jsonl.zst"


def run(version, tool, path, requests, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(requests, file)
        file.flush()
        done = subprocess.run([BUILD / tool, path, file.name, "--warp", version, *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{tool} failed ({done.returncode}) on {path}: {done.stderr.strip()[-500:]}")
    numbers = re.compile(r'("true_dot":)(-?)(nan|inf)')
    return [json.loads(numbers.sub(r"\1NaN", line)) for line in done.stdout.splitlines()]


def read(version):
    """{file: its source or path}, {file: its records}."""
    text = subprocess.run(["zstd", "-dc", str(expected_path(version))], capture_output=True, check=True).stdout.decode()
    sources, records = {}, {}
    for line in map(json.loads, text.splitlines()):
        if "source" in line:
            sources[line["file"]] = line["source"]
        else:
            records.setdefault(line["file"], []).append(line)
    return sources, records


def check_tree(version, path, records):
    wrong = []
    for in_double in (False, True):
        requests = [dict(r["request"], in_double=in_double) for r in records]
        for record, result in zip(records, run(version, "tree_run", path, requests), strict=True):
            kind = record["kinds"]
            if in_double and (record.get("rounds") or kind == "float16"):
                continue
            found = differences(result, record["expected"], "float32" if in_double else kind)
            if record["key"] in UNDEFINED_GRADIENTS:
                found = None if result.get("finding") == "unset-variable" else f"its gradient is undefined, but {found or 'is taken'}"
            if found:
                wrong.append(f"{record['file']}: {record['key']}, tree{' in double' if in_double else ''}: {found}")
    return wrong


def ast_requests(records):
    """Launches by name; ast_run takes one of each name at a time."""
    rounds = []
    for record in records:
        place = next((r for r in rounds if record["key"] not in r), None)
        if place is None:
            rounds.append(place := {})
        place[record["key"]] = record
    return rounds


def check_ast(version, path, records):
    wrong, compared = [], 0
    for part in ast_requests([r for r in records if r.get("ast")]):
        for options in (["--rounded"], []):
            requests = {}
            for key, record in part.items():
                requests[key] = {"input": {k: record["request"][k] for k in ("dim", "args")}}
                if "wrt" in record and not options:
                    requests[key]["input"] |= {"wrt": record["wrt"], "out_grad": record["request"]["out_grad"]}
            for result in run(version, "ast_run", path, requests, "--no-races", *options):
                record = part[result["kernel"]]
                where = f"{record['file']}: {record['key']}, syntax tree{'' if options else ' in double'}"
                compared += 1
                found = ast_difference(record, result, bool(options))
                if found:
                    wrong.append(f"{where}: {found}")
    return wrong, compared


def ast_difference(record, result, rounded):
    if result["finding"]:
        return f"{result['finding']}: {result['message']}"
    kind = record["kinds"]
    if rounded or not (record.get("rounds") or kind == "float16"):
        for name, want in record["expected"]["outputs"].items():
            if not isinstance(want, dict):
                found = compare(f"outputs of {name}", result["outputs"][name], want, kind if rounded else "float32" if kind == "float64" else kind)
                if found:
                    return found
    if not rounded and "dot" in record:
        want, got = record["dot"], result["true_dot"]
        if not abs(got - want) <= 1e-7 * max(1.0, abs(want)):
            return f"derivative {got!r}, was {want!r} and fits Warp's gradient"
    return None


def main():
    for tool in ("tree_run", "ast_run"):
        if not (BUILD / tool).exists():
            print(f"skipped: {tool} was not built")
            return 77
    only = "".join(a for a in sys.argv[1:] if not a.startswith("-"))
    return max([check_version(version, only) for version in VERSIONS])


def check_version(version, only):
    sources, files = read(version)
    wrong, launches, compared = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, records in files.items():
            path = next((ROOT / f / name for f in FOLDERS if (ROOT / f / name).exists()), pathlib.Path(folder) / name)
            if name in sources:
                path.write_text(sources[name])
            records = [r for r in records if only in name or only in r["key"]]
            wrong += check_tree(version, path, records)
            launches += len(records)
            found, count = check_ast(version, path, records)
            wrong += found
            compared += count
    for line in wrong[:40]:
        print(line)
    print(f"Warp {version}: {launches} launches of the tree evaluator, {compared} of the other; {len(wrong)} differ from Warp")
    if not only and (launches < LEAST[version] or compared < LEAST[version]):
        print(f"too few: at least {LEAST[version]} of each")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
