#!/usr/bin/env python3
"""weft as WebAssembly says what the command says: every text of the golden set, byte by byte, for every version of Warp, and every
verdict on the kernels of tests/gradients. In node, through the page's own engine.

    tests/web/test_engine.py [--quick]      quick: a few files, the newest version"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PAGE = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "playground"
VERSIONS = ["1.16.0", "1.17.0", "1.18.0", "1.19.0"]
CUDA, CPP, VERDICT = 1, 2, 16
TEXTS = [f"{device}_{part}" for device in ("cuda", "cpp") for part in ("prelude", "forward", "backward")]


def records(command, path, version, *more):
    done = subprocess.run([WEFT, command, path, "--json", "--warp", version, *more], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask(requests):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(["node", ROOT / "tests/web/run_engine.mjs", PAGE / "weft.wasm", PAGE / "engine.js"], input=lines, capture_output=True,
                          text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def split(found):
    """(kernels, errors without what only one side says)"""
    errors = [{key: record.get(key) for key in ("kernel_name", "error")} for record in found if "error" in record]
    return [record for record in found if "error" not in record], errors


def text_differences(path, version, answer):
    kernels, errors = split(records("extract", path, version, "-d", "both"))
    got = answer.get("kernels", [])
    if [kernel["full_name"] for kernel in kernels] != [kernel["full_name"] for kernel in got]:
        yield f"{path} {version}: {len(kernels)} kernels by the command, {len(got)} in WebAssembly"
        return
    for mine, other in zip(kernels, got):
        for name in TEXTS:
            if mine.get(name, "") != other[name]:
                yield f"{path} {version}: {mine['full_name']}: {name} differs"
    if errors != split(answer["errors"])[1]:
        yield f"{path} {version}: the errors differ"


def verdict_differences(path, version, answer):
    kernels, _ = split(records("check", path, version))
    got = [kernel["verdict"] for kernel in answer.get("kernels", [])]
    if [kernel["full_name"] for kernel in kernels] != [verdict["full_name"] for verdict in got]:
        yield f"{path} {version}: other kernels are checked"
    for mine, other in zip(kernels, got):
        for name in ("forward", "gradient", "launched_with"):
            if mine.get(name) != other.get(name):
                yield f"{path} {version}: {mine['full_name']}: {name} is {mine.get(name)} by the command, {other.get(name)} in WebAssembly"
        if mine.get("why", {}).get("pattern") != other.get("why", {}).get("pattern"):
            yield f"{path} {version}: {mine['full_name']}: another pattern"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true")
    quick = options.parse_args().quick
    if not (PAGE / "weft.wasm").exists() or not shutil.which("node"):
        print("skipped: node is missing" if (PAGE / "weft.wasm").exists() else "skipped: the playground is not built (make web)")
        return 77
    texts = [path for folder in ("golden", "versions") for path in sorted((ROOT / "tests" / folder).glob("*.py"))]
    checked = sorted((ROOT / "tests/gradients").glob("*.py"))
    if quick:
        texts, checked = texts[::6], checked[:1]
    versions = VERSIONS[-1:] if quick else VERSIONS
    requests = [{"path": str(path), "warp": version, "asked": CUDA | CPP} for version in versions for path in texts]
    requests += [{"path": str(path), "warp": versions[-1], "asked": VERDICT} for path in checked]
    wrong, kernels, verdicts = [], 0, 0
    for request, got in zip(requests, ask(requests), strict=True):
        answer = got["answer"]
        differences = verdict_differences if request["asked"] == VERDICT else text_differences
        kernels += len(answer.get("kernels", [])) if request["asked"] != VERDICT else 0
        verdicts += len(answer.get("kernels", [])) if request["asked"] == VERDICT else 0
        wrong += [answer["failed"]] if "failed" in answer else differences(request["path"], request["warp"], answer)
    print(*wrong[:30], sep="\n")
    print(f"{kernels} kernels compiled by the command and in WebAssembly, {verdicts} checked; {len(wrong)} differences")
    return 1 if wrong or not kernels or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
