"""Loops: which are unrolled, how the others count, what they clear, and where `continue` leads."""

import warp as wp

STEPS = wp.constant(5)
NONE = wp.constant(0)


@wp.func
def settled(x: float, limit: int):
    s = float(0.0)
    for j in range(20):
        s += x
        if s > 10.0:
            return s
    for j in range(limit):
        s *= 0.5
    return s


@wp.kernel
def counted_in_function(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    x[i] = settled(x[i], n)


@wp.kernel
def counted_nested(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for a in range(20):
        for b in range(30, 0, -1):
            s += x[a] * float(b)
        for b in range(2):
            s -= x[b]
    out[i] = s


@wp.kernel
def counted_used_after(x: wp.array(dtype=float), out: wp.array(dtype=int)):
    i = wp.tid()
    last = int(0)
    for j in range(2, 40, 3):
        last = j
    out[i] = last


@wp.kernel
def counted_variable_assigned(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(25):
        k = j
        k = k + 1
        x[i] += float(k)


@wp.kernel
def counted_and_while(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    for j in range(17):
        c = int(0)
        while c < n:
            for k in range(n):
                x[i] = x[i] * 1.5
            c += 1


@wp.kernel
def dynamic_around_counted(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    s = float(1.0)
    for a in range(n):
        for b in range(64):
            s = s * x[b]
        while s > 2.0:
            s = s - 1.0
    x[i] = s


@wp.kernel
def range_of_constants(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(NONE, STEPS):
        x[i] += float(j)
    for j in range(NONE):
        x[i] = 7.0
    for j in range(STEPS, NONE, -2):
        x[i] -= float(j)


@wp.kernel
def sixteen_and_seventeen(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(16):
        x[i] += 1.0
    for j in range(17):
        x[i] += 2.0
    for j in range(0, 32, 2):
        x[i] += 3.0
    for j in range(32, 0, -2):
        x[i] += 4.0


@wp.kernel
def uneven_steps(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(0, 7, 3):
        x[i] += float(j)
    for j in range(7, 0, -3):
        x[i] += float(j)
    for j in range(0, 50, 3):
        x[i] += float(j)
    for j in range(50, 0, -3):
        x[i] += float(j)


@wp.kernel
def continue_in_else(x: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for j in range(4):
        if x[j] > 0.0:
            s += x[j]
        else:
            continue
        s *= 2.0
    x[i] = s


@wp.kernel
def continue_in_nested_if(x: wp.array(dtype=float), flag: bool):
    i = wp.tid()
    s = float(0.0)
    t = float(1.0)
    for j in range(3):
        if flag:
            if x[j] < 0.0:
                t = t + 1.0
                continue
            s += 1.0
        s += x[j]
        t = t * s
    x[i] = s + t


@wp.kernel
def continue_in_inner_loop(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    s = float(0.0)
    for j in range(3):
        for k in range(2):
            if x[k] < 0.0:
                continue
            s += x[k]
        if s > 5.0:
            continue
        s += float(j)
        for k in range(n):
            if k == j:
                continue
            s += 1.0
    x[i] = s


@wp.kernel
def continue_and_break(x: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for j in range(5):
        if x[j] < 0.0:
            continue
        if x[j] > 9.0:
            break
        s += x[j]
    for j in range(30):
        if x[j] < 0.0:
            continue
        s += x[j]
    x[i] = s


@wp.kernel
def continue_first(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(2):
        x[i] = x[i] + 1.0
        continue
        x[i] = 0.0


@wp.kernel
def continue_with_static(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(20):
        if wp.static(j % 3 == 0):
            continue
        x[i] += wp.static(float(j))


@wp.kernel
def same_name_in_siblings(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    s = float(0.0)
    for a in range(n):
        for b in range(n):
            t = x[b] * 2.0
            s += t
        for b in range(n):
            t = x[b] * 3.0
            s += t
        while s > 100.0:
            t = s * 0.5
            s = t
    x[i] = s


@wp.kernel
def three_deep(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    s = float(0.0)
    for a in range(n):
        u = x[a]
        for b in range(n):
            v = u * x[b]
            for c in range(n):
                w = v * x[c]
                s += w
            s += v
        s += u
    x[i] = s
