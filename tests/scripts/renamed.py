"""Functions that get another __qualname__ before they become kernels."""

import functools

import warp as wp


def plain(values: wp.array(dtype=float)):
    values[wp.tid()] = 1.0


plain.__qualname__ = "filled"
filled = wp.kernel(plain)


def make(n: int):
    def kernel(values: wp.array(dtype=float)):
        values[wp.tid()] = wp.static(float(n))

    return kernel


def make_directly(n: int):
    def kernel(values: wp.array(dtype=float)):
        values[wp.tid()] = wp.static(float(n))

    kernel.__name__ = f"direct{n}"
    kernel.__qualname__ = f"direct{n}"
    return wp.kernel(kernel)


def named(function, name):
    function.__name__ = name
    function.__qualname__ = name
    return wp.kernel(function)


direct3 = make_directly(3)
helped = named(make(4), f"helped{4}")

dotted_function = make(5)
setattr(dotted_function, "__qualname__", "Outer.inner")
dotted = wp.kernel(dotted_function, enable_backward=False)

longer_function = make(6)
longer_function.__qualname__ += "_longer"
longer = wp.Kernel(longer_function)

named_only = make(7)
named_only.__name__ = "without_effect"
without_effect = wp.kernel(named_only)

# The functions that it makes keep the name under which it was defined.
make.__qualname__ = "other"
made_later = wp.kernel(make(8))


def traced(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@traced
def named_like_a_parameter(n: int):
    return n


traced_function = make(9)
traced_function.__qualname__ = traced(plain).__qualname__ + "_" + named_like_a_parameter.__name__
copied_name = wp.kernel(traced_function)


@wp.kernel
def takes_it(named_like_a_parameter: wp.array(dtype=float)):
    i = wp.tid()
    named_like_a_parameter[i] = named_like_a_parameter[i] * 2.0


changed_key = wp.kernel(make(10))
changed_key.key = "another_key"
