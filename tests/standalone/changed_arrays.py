"""Arrays that a kernel changes and then reads: the reverse pass must have the value that was there, or there is none."""

import warp as wp


@wp.kernel
def plain(x: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 0.5:
        seen[i] = 2.0
    d = seen[i]
    out[i] = d * d * x[i]


@wp.kernel
def branched(x: wp.array(dtype=float), seen: wp.array(dtype=float), mode: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 0.5:
        seen[i] = 2.0
    d = x[i] * 3.0
    if mode[i] == 1:
        d = seen[i]
    out[i] = d * d * x[i]


@wp.func
def put(a: wp.array(dtype=float), i: int, v: float):
    a[i] = v


@wp.kernel
def by_call(x: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    put(seen, i, 2.0)
    d = seen[i]
    out[i] = d * d * x[i]


@wp.kernel
def in_loop(x: wp.array(dtype=float), seen: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    for k in range(3):
        seen[i, k] = float(k)
    d = seen[i, 1]
    out[i] = d * d * x[i]


@wp.kernel
def nested(x: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 0.0:
        if x[i] < 0.5:
            seen[i] = 3.0
        d = seen[i]
        out[i] = d * d * x[i]


@wp.kernel
def straight(x: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    seen[i] = 3.0
    d = seen[i]
    out[i] = d * d * x[i]


@wp.kernel
def not_read(x: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    d = seen[i]
    out[i] = d * d * x[i]
    if x[i] > 0.0:
        seen[i] = 3.0


@wp.kernel
def by_atomic(x: wp.array(dtype=float), seen: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(seen, i, 2)
    d = float(seen[i])
    out[i] = d * d * x[i]


@wp.kernel
def in_turns(x: wp.array(dtype=float), seen: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(3):
        d = seen[i]
        s += d * d * x[i]
        put(seen, i, float(k))
    out[i] = s
