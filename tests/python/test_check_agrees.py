#!/usr/bin/env python3
"""`weft check`, told of a record's launch, gives the kernel the verdict that the data set has: pass, mismatch or none. A gradient that
is wrong on some inputs only, in a launch too long to try several, may need another seed to be seen. A pass of the data set is wrong only where
hardly any thread shows it (a sampler that rejects a step once in a thousand times): in one of a hundred records at most. The data set
judges by some threads of a long launch, and `weft check` by all: of what these cannot judge (too many steps, or rounding decides), there is
one of a hundred records at most."""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
MISSED = 0.01  # of the passes
UNJUDGED = 0.01  # of all records
COUNT, SEED = map(int, sys.argv[1:3] or (220, 909))


def flags_of(record):
    yield from ("--dim", ",".join(map(str, record["launch_dim"])))
    if record["block_dim"]:
        yield from ("--block-dim", str(record["block_dim"]))
    for row in record["arguments"]:
        name = f"{row['name']}.{row['field']}" if row["field"] else row["name"]
        if row["shape"]:
            yield from ("--shape", f"{name}={','.join(map(str, row['shape']))}")
        if row["value"] is not None:
            yield from ("--set", f"{name}={row['value']}")
        elif row["low"] is not None:
            yield from ("--range", f"{name}={row['low']},{row['high']}")
        if row["sorted"]:
            yield from ("--sorted", name)


def disagreement(folder, record):
    file = pathlib.Path(folder, f"{record['row']}.py")
    file.write_text(record["python_source"])
    for seed in range(1, 9 if record["gradient_verdict"] == "mismatch" else 2):
        done = subprocess.run([WEFT, "check", file, "-k", record["kernel_name"], "--json", "--no-example", "-q", "--seed", str(seed), *flags_of(record)],
                              capture_output=True, text=True)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        if len(results) == 1 and results[0].get("gradient") == record["gradient_verdict"].replace("no_gradient", "none"):
            return None
    if len(results) == 1 and is_unjudged(results[0]):
        return f"{record['id']}: not judged: {results[0]['forward']}"
    return f"{record['id']}: {record['gradient_verdict']} ({record['gradient_error']}) in the data set, {results} {done.stderr}"


def is_unjudged(result):
    too_long = any(finding["kind"] == "too-many-steps" for finding in result["findings"])
    return result["forward"] == "rounding-decides" or (result["forward"] == "finding" and too_long)


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([WEFT, "produce", "-n", str(COUNT), "-s", str(SEED), "-o", folder + "/set", "--no-compress", "--full", "--no-readable", "--launches", "0", "-q"],
                       check=True)
        records = [json.loads(line) for path in sorted(pathlib.Path(folder, "set").glob("*.jsonl")) for line in path.open()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda record: disagreement(folder, record), records))
    wrong = [text for text in found if text]
    unjudged = sum("not judged:" in text for text in wrong)
    missed = sum(bool(text) and "not judged:" not in text and record["gradient_verdict"] == "pass" for text, record in zip(found, records))
    verdicts = collections.Counter(record["gradient_verdict"] for record in records)
    print(*wrong, f"{len(records)} records ({dict(verdicts)}), {len(wrong)} with another verdict", sep="\n")
    told = len(records) == COUNT and verdicts["pass"] > 20 and verdicts["mismatch"] > 10
    return 1 if len(wrong) > missed + unjudged or unjudged > UNJUDGED * len(records) or missed > MISSED * verdicts["pass"] or not told else 0


if __name__ == "__main__":
    sys.exit(main())
