"""Overloads that get names of their own: each is one kernel."""

from typing import Any

import warp as wp


@wp.kernel
def twice(values: wp.array(dtype=Any)):
    i = wp.tid()
    values[i] = values[i] + values[i]


@wp.kernel
def spread(values: wp.array(dtype=Any), source: wp.array(dtype=Any)):
    i = wp.tid()
    values[i] = source[0]


twice_single = wp.overload(twice, [wp.array(dtype=wp.float32)])

by_type = {}
for scalar in [wp.float32, wp.float64, wp.int32]:
    by_type[scalar] = wp.overload(spread, [wp.array(dtype=scalar), wp.array(dtype=scalar)])

for scalar in [wp.float16, wp.float32]:
    wp.overload(twice, [wp.array(dtype=scalar)])

several = [
    wp.overload(twice, [wp.array(dtype=wp.float32)]),
    wp.overload(twice, {"values": wp.array(dtype=wp.float64)}),
    wp.overload(twice, [wp.array(dtype=wp.float32)]),
]


def make(scalar):
    @wp.kernel
    def inner(values: wp.array(dtype=Any)):
        values[wp.tid()] = values[0]

    return wp.overload(inner, [wp.array(dtype=scalar)])


inner_single = make(wp.float32)
inner_double = make(wp.float64)
