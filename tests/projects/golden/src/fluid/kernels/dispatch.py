"""Overloads that the constructor of a class makes, settings from the environment, and a decorator behind a question about the module."""

import os
from itertools import product
from typing import Any

import warp as wp

WIDTHS = (wp.int32, wp.int64)


class ByIndexType:
    """One overload for each way to choose the types of the index arrays."""

    def __init__(self, kernel, index_names, others=None):
        if not index_names:
            raise ValueError("which arguments?")
        others = {} if others is None else others
        twice = set(index_names).intersection(others)
        if twice:
            raise ValueError(f"given twice: {twice}")
        self._kernel = kernel
        self._made = {}
        for types in product(WIDTHS, repeat=len(index_names)):
            signature = others.copy()
            signature.update({name: wp.array(dtype=t) for name, t in zip(index_names, types, strict=True)})
            self._made[types] = wp.overload(kernel, signature)

    def choose(self, *types):
        return self._made[types]


@wp.kernel
def pick(cells: wp.array(dtype=Any), faces: wp.array(dtype=Any), values: wp.array(dtype=Any), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = float(values[cells[i]]) * float(faces[j])


@wp.kernel
def scatter(cells: wp.array(dtype=Any), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, int(cells[i]), 1.0)


PICK = ByIndexType(pick, ("cells", "faces"), {"values": wp.array(dtype=wp.float64)})
SCATTER = ByIndexType(scatter, ("cells",))

if getattr(wp, "__drawn_for_manuals__", False):

    def record(cls):
        return cls

else:
    record = wp.struct

PRECISIONS = {"half": wp.float16, "single": wp.float32, "double": wp.float64}
scalar = PRECISIONS[os.environ.get("FLUID_PRECISION", " Single ").strip().lower()]
ORDER = int(2) if os.getenv("FLUID_ORDER") is None else 3
CHECKED = "FLUID_CHECKED" in os.environ
FAST = {"half", "single"}


@record
class Sample:
    place: wp.vec3
    weight: scalar


@wp.kernel
def weigh(samples: wp.array(dtype=Sample), out: wp.array(dtype=scalar)):
    i = wp.tid()
    total = scalar(0.0)
    for k in range(wp.static(ORDER)):
        total += samples[i].weight * scalar(k)
    if wp.static(not CHECKED and "half" in FAST):
        out[i] = total
