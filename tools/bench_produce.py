#!/usr/bin/env python3
"""Pairs per second: `weft produce` against a small Python pipeline on Warp for the same kernels, one core each.

    tools/bench_produce.py [-n PAIRS] [--warp-pairs PAIRS] [--seed SEED]

weft: invents the kernels, compiles them, drops duplicates, writes JSONL; start-up included. Once plain with --no-verify, once
with compressed shards, once with every pair run and checked, too. Warp: gets the first of the very same kernels as text, imports
them, generates the CUDA module with forward and backward, finds duplicates by structure and writes plain JSONL, all that is in a
record of weft; its start-up is not counted, nor is inventing, nor are descriptions and launches, which it gets ready-made. Both by
processor time, so that what else the machine does counts for neither; wall time stands beside it. At the end the texts of both
sides are compared: the work is the same only if they are equal.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))


def warp_side(source_file, out_file):
    """Prints one JSON line: pairs, processor seconds, wall seconds."""
    import measure
    import warp as wp
    import warp_oracle

    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    rows = [json.loads(line) for line in open(source_file)]
    known = set()
    with tempfile.TemporaryDirectory() as folder, open(out_file, "w") as out:
        cpu, wall = time.process_time(), time.perf_counter()
        for number, row in enumerate(rows):
            source = row["python_source"]
            structure, masked = measure.shapes(source)
            if structure in known:
                continue
            known.add(structure)
            path = pathlib.Path(folder, f"bench_kernel_{number}.py")
            path.write_text("import warp as wp\n\n\n" + source)
            kernel = list(warp_oracle.kernels_of(path))[-1]
            text = warp_oracle.build(kernel, "cuda").codegen("cuda")
            start = text.rfind('extern "C"')
            forward, backward = text[:start], text[start:]
            record = {"row": number} | row | {"cuda_forward": forward, "cuda_backward": backward}
            record |= {"forward_lines": forward.count("\n"), "backward_lines": backward.count("\n")}
            record |= {"structure_hash": f"{structure:x}", "masked_structure_hash": f"{masked:x}"}
            out.write(json.dumps(record) + "\n")
        print(json.dumps({"pairs": len(known), "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}))


def module_texts(lines):
    """Source to module text without comments.

    Warp numbers functions of one name through all modules of a process (falloff_0, falloff_1 in the next file); weft, like Warp in
    a process of its own, begins anew for each. So the numbers are left out.
    """
    import warp_oracle

    texts = {}
    for line in lines:
        record = json.loads(line)
        whole = "".join(record.get(f"cuda_{part}", "") for part in ("prelude", "forward", "backward"))
        text = warp_oracle.drop_preamble(warp_oracle.strip_comments(whole))
        for name in set(re.findall(r"@wp\.func\ndef (\w+)", record["python_source"])):
            text = re.sub(rf"\b((?:adj_)?{name})_\d+\b", r"\1", text)
        texts[record["python_source"]] = text
    return texts


def one_core():
    if hasattr(os, "sched_getaffinity"):
        return ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    return []


def weft_rate(weft, count, seed, *args):
    """And the first records, where they are plain text."""
    with tempfile.TemporaryDirectory() as folder:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [*one_core(), weft, "produce", "-d", "cuda", "-n", count, "-s", seed, "-j", 1, "-o", f"{folder}/set", *args]
        subprocess.run([str(c) for c in command], check=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        records = [line for path in pathlib.Path(folder, "set").glob("*.jsonl") for line in open(path)]
        return records, {"pairs": count, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "wall": wall}


def warp_rate(weft, python, count, seed):
    with tempfile.TemporaryDirectory() as folder:
        sources = pathlib.Path(folder, "sources.jsonl")
        with open(sources, "w") as out:
            subprocess.run([str(weft), "synth", "--json", "-n", str(count), "-s", str(seed)], stdout=out, check=True)
        command = [*one_core(), python, __file__, "--warp-side", sources, f"{folder}/out.jsonl"]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode or not lines:
            sys.exit(f"bench_produce: the Warp side failed: {done.stderr[-600:]}")
        return list(open(f"{folder}/out.jsonl")), json.loads(lines[-1])


def show(name, row):
    print(f"{name:<34}{row['pairs'] / row['cpu']:>12.1f}{row['pairs'] / row['wall']:>12.1f}{row['pairs']:>9}")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--warp-side":
        return warp_side(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-n", "--count", type=int, default=5000, help="pairs without checks (default 5000)")
    parser.add_argument("--verified-pairs", type=int, default=1000, help="pairs with checks (default 1000)")
    parser.add_argument("--warp-pairs", type=int, default=200, help="of these for Warp (default 200)")
    parser.add_argument("-s", "--seed", type=int, default=0)
    parser.add_argument("--weft", default=os.environ.get("WEFT", ROOT / "build" / "weft"))
    options = parser.parse_args()

    import warp_package

    warp = warp_package.find_warp()
    if not warp:
        sys.exit("bench_produce: Warp is not installed; run tools/venv.sh")
    records, plain = weft_rate(options.weft, options.count, options.seed, "--no-verify", "--no-compress", "--full")
    _, packed = weft_rate(options.weft, options.count, options.seed, "--no-verify")
    _, verified = weft_rate(options.weft, options.verified_pairs, options.seed)
    their_records, theirs = warp_rate(options.weft, warp[0], options.warp_pairs, options.seed)
    print(f"{'pairs per second, one core':<34}{'cpu time':>12}{'wall time':>12}{'pairs':>9}")
    show("weft produce --no-verify", plain)
    show("  with compressed shards", packed)
    show("weft produce, every pair checked", verified)
    show(f"Python pipeline on Warp {warp_package.VERSION}", theirs)
    rate = {name: row["pairs"] / row["cpu"] for name, row in (("plain", plain), ("verified", verified), ("warp", theirs))}
    print(f"\nweft is {rate['plain'] / rate['warp']:.0f} times as fast; {rate['verified'] / rate['warp']:.1f} times with every pair checked")
    ours, expected = module_texts(records), module_texts(their_records)
    equal = sum(ours.get(source) == text for source, text in expected.items())
    print(f"{equal} of {len(expected)} texts of the Warp side are weft's, comments apart")
    if equal < len(expected):
        sys.exit("bench_produce: the two sides did not do the same")


if __name__ == "__main__":
    main()
