"""What an atomic operation returned, read by the reverse pass: it does not repeat the operation, and finds whatever was there."""

# not compared
import warp as wp


@wp.kernel
def place_by_old_value(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    k = wp.atomic_add(count, 0, 1)
    out[k] = 2.0 * x[i]


@wp.kernel
def room_by_old_value(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    """Right only where the variable happens to be small."""
    i = wp.tid()
    k = wp.atomic_add(count, 0, 1)
    if k < 100:
        out[i] = 2.0 * x[i]


@wp.func
def take_ticket(count: wp.array(dtype=int)):
    return wp.atomic_add(count, 0, 1)


@wp.kernel
def ticket_in_function(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
    """The function is called again by the reverse pass, and the operation in it with it."""
    i = wp.tid()
    if take_ticket(count) < 100:
        out[i] = 2.0 * x[i]


@wp.kernel
def factor_by_old_value(x: wp.array(dtype=float), total: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    before = wp.atomic_add(total, i, 1.0)
    out[i] = before * x[i]


@wp.kernel
def old_value_stored(x: wp.array(dtype=float), count: wp.array(dtype=int), order: wp.array(dtype=int), out: wp.array(dtype=float)):
    """Right: no gradient depends on it."""
    i = wp.tid()
    order[i] = wp.atomic_add(count, 0, 1)
    out[i] = x[i] * x[i]
