"""A wrong custom gradient in code that the usual launch does not run, and branches that no launch reaches."""

import warp as wp

LIMIT = wp.constant(3)


@wp.func
def triple(x: float):
    return 3.0 * x


@wp.func_grad(triple)
def adj_triple(x: float, adj_ret: float):
    wp.adjoint[x] += 5.0 * adj_ret


@wp.func
def above(x: float):
    if x > 40.0:
        return triple(x)
    return x


@wp.func
def chosen(x: float, mode: int):
    if mode == 3:
        return triple(x)
    return x


@wp.func
def doubled(x: float, mode: int):
    return 2.0 * chosen(x, mode)


@wp.struct
class Settings:
    mode: int
    scale: float


@wp.kernel
def wrong_above_two(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 2.0:
        out[i] = triple(a[i])
    else:
        out[i] = a[i]


@wp.kernel
def wrong_below_zero(a: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.where(a[i][1] < -7.5, triple(a[i][0]), a[i][0])


@wp.kernel
def wrong_above_ten(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    if n > 10:
        out[i] = triple(a[i])
    else:
        out[i] = a[i]


@wp.kernel
def wrong_after_long_loop(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    """The loop needs arrays as long as the count."""
    i = wp.tid()
    total = float(0.0)
    for k in range(n):
        total += a[k]
    out[i] = total
    if n >= 20:
        out[i] = triple(a[i])


@wp.kernel
def wrong_at_hundred(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if i == 100:
        out[i] = triple(a[i])
    else:
        out[i] = a[i]


@wp.kernel
def wrong_in_second_row(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    if i == 12 and j == 3:
        out[i, j] = triple(a[i, j])
    else:
        out[i, j] = a[i, j]


@wp.kernel
def wrong_unless_flag(a: wp.array(dtype=float), skip: bool, out: wp.array(dtype=float)):
    i = wp.tid()
    if skip:
        return
    out[i] = triple(a[i])


@wp.kernel
def wrong_in_mode(a: wp.array(dtype=float), s: Settings, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i]
    if s.mode == -4:
        out[i] = triple(a[i])


@wp.kernel
def wrong_by_scalar(a: wp.array(dtype=float), s: Settings, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = triple(a[i]) if s.scale >= 12.5 else a[i]


@wp.kernel
def wrong_in_both(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    if n > 10 and a[i] > 2.0:
        out[i] = triple(a[i])
    else:
        out[i] = a[i]


@wp.kernel
def wrong_inside(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i]
    if n > 10:
        if a[i] > 2.0:
            out[i] = triple(a[i])


@wp.kernel
def wrong_in_function(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = above(a[i])


@wp.kernel
def wrong_in_loop(a: wp.array(dtype=float), first: int, last: int, out: wp.array(dtype=float)):
    """Counts are drawn from 3 to 6: this range is empty."""
    i = wp.tid()
    out[i] = a[i]
    for k in range(first + 4, last):
        out[i] = triple(a[i])


@wp.kernel
def right_everywhere(a: wp.array(dtype=float), n: int, flag: bool, out: wp.array(dtype=float)):
    """Every branch can be reached, or is decided when the kernel is compiled."""
    i = wp.tid()
    x = a[i]
    if LIMIT > 4:
        x = triple(x)
    for k in range(3):
        if k == 1:
            x = x * 2.0
    if flag:
        x = wp.sin(x)
    if n > 30:
        x = x * x
    elif a[i] < -3.0:
        x = 2.0 * x
    out[i] = x


@wp.kernel
def partly_checked(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i]
    if wp.isnan(a[i]):
        out[i] = triple(a[i])
    for k in range(i, i):
        out[i] = triple(a[i])


@wp.kernel
def wrong_two_functions_down(a: wp.array(dtype=float), mode: int, out: wp.array(dtype=float)):
    """The number that is compared with 3 is seven less than the argument."""
    i = wp.tid()
    out[i] = doubled(a[i], mode - 7)
