import elsewhere
import warp as wp


def given(values: wp.array(dtype=float)):
    values[wp.tid()] = 1.0


def numbered(values: wp.array(dtype=float)):
    values[wp.tid()] = 2.0


def wrapped(values: wp.array(dtype=float)):
    values[wp.tid()] = 3.0


elsewhere.register(given)
one = wp.kernel(given)
numbered.__qualname__ = elsewhere.next_name()
two = wp.Kernel(numbered)
three = wp.kernel(wrapped)
three.options["enable_backward"] = False
