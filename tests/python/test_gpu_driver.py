#!/usr/bin/env python3
"""weft gpu against a driver whose card does nothing (tests/gpu/fake_driver.c): it must not say that anything agrees.

Protects the way to the card: every call is checked, processes that NVRTC has started the driver in do not fork, outputs that were not written are seen, memory is given back, and a
card that is lost is reported and taken up again by another process. Needs NVRTC and Warp's headers; no GPU.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))


def run(work, *args, **settings):
    env = os.environ | {"LD_LIBRARY_PATH": f"{work}:{os.environ.get('LD_LIBRARY_PATH', '')}"} | settings
    command = [WEFT, "gpu", *args, "--cache", str(work / "cache"), "--keep", str(work / "kept")]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env)


def expect(condition, what, result):
    if not condition:
        print("FAILED:", what)
        print(result.returncode, result.stdout[-3000:], result.stderr[-3000:])
        sys.exit(1)


def main():
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        print("skipped: no C compiler")
        return 77
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        library = work / "libcuda.so.1"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, ROOT / "tests/gpu/fake_driver.c"], check=True)
        kernels = ("--generate", "6", "-s", "21")
        none = run(work, *kernels, FAKE_NONE="1")
        expect(none.returncode == 1 and "no GPU: cuInit: no CUDA-capable device" in none.stderr, "no card", none)
        idle = run(work, *kernels, "--json")
        if "is not found" in idle.stderr or "are not found" in idle.stderr:
            print("skipped:", idle.stderr.strip())
            return 77
        report = json.loads(idle.stdout)
        total = report["categories"]["all"]
        expect(idle.returncode == 1 and report["machine"].startswith("card that does nothing, sm_90, driver 13.0"),
               "a card that does nothing passes", idle)
        expect(total["compiled"] == 6 and total["ran"] == 6, "not all are run", idle)
        expect(total["forward_agrees"] == 0, "outputs that nobody wrote agree", idle)
        expect(all(kernel["registers_forward"] == 40 for kernel in report["kernels"]), "registers", idle)
        expect("allocations are left" not in idle.stderr, "memory is not given back", idle)
        expect(len(list((work / "kept").iterdir())) == 6, "evidence", idle)
        expect(all(kernel["message"].endswith("; without fused multiply-add, too") for kernel in report["kernels"]),
               "what differs is not tried without fused operations", idle)
        expect(total["agree_only_without_fma"] == 0, "fused operations are blamed", idle)
        plain = run(work, *kernels, "--json", "--no-fma")
        expect("fused" not in plain.stdout.replace("without_fma", ""), "fused operations where there are none", plain)
        lost = run(work, *kernels, "--json", "-j", "3", FAKE_LOST="3")
        report = json.loads(lost.stdout)
        messages = [kernel.get("message", "") for kernel in report["kernels"]]
        killed = [text for text in messages if "the launch: an illegal memory access was encountered" in text]
        expect(lost.returncode == 1 and report["restarts"] >= 2, "a lost card is not taken up again", lost)
        expect(len(killed) >= 2 and all(messages), "who lost it is not said", lost)
        expect(all("lost too often" not in text for text in messages), "samples are left out", lost)
        bench = run(work, "--bench", "-c", "vector", "-j", "2")
        expect(bench.returncode == 0 and "0.2500" in bench.stdout, "the speed table", bench)
    print("a card that does nothing, and one that is lost: both are told")
    return 0


if __name__ == "__main__":
    sys.exit(main())
