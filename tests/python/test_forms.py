#!/usr/bin/env python3
"""Invented kernels have the forms that real code has, and tools/forms.py tells them by what is there."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import forms  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
# In per cent of 1,500 kernels, at least; half of what was measured, or less.
LEAST = {"one thread, no wp.tid()": 2.5, "at most 5 statements": 7, "wp.tid() in 3 dimensions": 1.5, "wp.tid() in 4 dimensions": 0.3,
         "worlds or environments": 6, "an optional array": 1, "enable_backward=False": 2, "a docstring with Args:": 0.7,
         "a trailing comment": 1, "a section comment of arguments": 15, "wp.transform_*": 3, "wp.spatial_*": 1.4,
         "an index from an array": 18, "a test of bits": 2.2, "Any in the signature": 1}  # fmt: skip
EXAMPLE = '''
@wp.kernel(enable_backward=False)
def k(
    # inputs
    x: wp.array3d[wp.vec3], mask: wp.array[int], world_mask: wp.array[bool], y: wp.array[float]):
    """Text.

    Args:
        x: Points.
    """
    worldid, i = wp.tid()
    if mask:
        if mask[i] == 0:
            return  # masked
    slot = wp.atomic_add(mask, 0, 1)
    y[mask[i]] = wp.length(x[worldid, i, 0])
'''
HAS = {"wp.tid() in 2 dimensions", "an array of 3 dimensions", "worlds or environments", "an early return", "an early return by a mask or flag",
       "an optional array", "a slot from an atomic", "an atomic", "an index from an array", "@wp.kernel with options", "enable_backward=False",
       "wp.array[...]", "a docstring", "a docstring with Args:", "a trailing comment", "a section comment of arguments", "6 to 10 statements"}  # fmt: skip


def main():
    found = {name for name, has in forms.FORMS.items() for kernel in forms.kernels_of(EXAMPLE) if has(kernel)}
    assert found == HAS, f"missing {HAS - found}, too many {found - HAS}"
    done = subprocess.run([WEFT, "synth", "-n", "1500", "-s", "83211", "--json"], capture_output=True, text=True, check=True)
    kernels = [k for line in done.stdout.splitlines() for k in forms.kernels_of(json.loads(line)["python_source"])]
    shares = forms.shares(kernels)["forms"]
    rare = {name: shares[name] for name, least in LEAST.items() if 100 * shares[name] < least}
    assert not rare, f"too few: {rare}"
    sources = [json.loads(line)["python_source"] for line in done.stdout.splitlines()]
    named = [s for s in sources if "float32 = wp.float32\n" in s]
    assert len(named) > 30 and all("wp.float32" not in s.replace("= wp.float32\n", "", 1) for s in named)
    assert sum('wp.set_module_options({"enable_backward": False})' in s for s in sources) > 15
    print(f"{len(kernels)} kernels have the forms")


if __name__ == "__main__":
    main()
