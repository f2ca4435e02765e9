#!/usr/bin/env python3
"""Writes tests/pinned/sources.jsonl.zst. Needs a built weft and .venv.

    tests/pinned/make_sources.py [FOLDER]       FOLDER: of builtins_*.py that tests/values/make_kernels.py made already

builtins: kernels that call every builtin on several types; odd: a sample of the calls with odd arguments of
tests/python/test_odd_arguments.py; bodies: a kernel for each paragraph of bodies.txt, right and wrong ones;
arrays: the same with arguments in arrays;
options: those of them that assign to parts or loop, with module options that change what is made of these."""

import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/values"), str(HERE)]

import make_kernels  # noqa: E402
import run  # noqa: E402
from kernels import PER_FILE, module  # noqa: E402
import test_odd_arguments as odd  # noqa: E402

ODD_CALLS = 4000
SEED = 20


OPTIONS = {  # name: what stands before the kernels, what marks them as kernels, and the bodies that it matters to
    "overwrites": ("wp.config.enable_vector_component_overwrites = True", "@wp.kernel", r"^\s*\w+(\.\w+|\[[^\]]*\])+ [-+*/|&^]?= "),
    "unrolled": ('wp.set_module_options({"max_unroll": 2})', "@wp.kernel", r"^\s*for .* in .*range"),
    "forward": ("", "@wp.kernel(enable_backward=False)", r"wp\.grad|own_gradient|atomic|for k|add_to|add_row|add_twice|swap|change_"),
}  # fmt: skip


def with_options(bodies):
    for name, (options, decorator, pattern) in OPTIONS.items():
        chosen = [body for body in bodies if re.search(pattern, body, re.M)]
        yield f"{name}.py", module(chosen, 0, f"\n\n{options}\n", decorator=decorator)


if __name__ == "__main__":
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else folder)
        if made == pathlib.Path(folder):
            make_kernels.main(made)
        for path in sorted(made.glob("builtins_*.py")):
            lines.append({"kind": "builtins", "name": path.name, "source": path.read_text()})
    calls = [call for call in dict.fromkeys(odd.odd_calls()) if odd.is_parsable(call)]
    calls = odd.REFUSED + random.Random(SEED).sample(calls, ODD_CALLS)
    for start in range(0, len(calls), odd.PER_FILE):
        name = f"odd_{start // odd.PER_FILE + 1:02}.py"
        lines.append({"kind": "odd", "name": name, "source": odd.module(calls[start : start + odd.PER_FILE])})
    bodies = (HERE / "bodies.txt").read_text().split("\n\n")
    for start in range(0, len(bodies), PER_FILE):
        name = f"bodies_{start // PER_FILE + 1}.py"
        lines.append({"kind": "bodies", "name": name, "source": module(bodies[start : start + PER_FILE], start)})
    for start in range(0, len(bodies), PER_FILE):
        name = f"arrays_{start // PER_FILE + 1}.py"
        lines.append({"kind": "arrays", "name": name, "source": module(bodies[start : start + PER_FILE], start, arrays=True)})
    lines += [{"kind": "options", "name": name, "source": source} for name, source in with_options(bodies)]
    run.write_lines(run.SOURCES, lines)
    print(f"{len(lines)} files, {run.SOURCES.stat().st_size} bytes")
