import numpy as np
import warp as wp


@wp.kernel
def taken(total: float, first: float, dot: float, out: wp.array(dtype=float)):
    out[wp.tid()] = total


@wp.kernel
def element(first: float, out: wp.array(dtype=float)):
    out[wp.tid()] = first


@wp.kernel
def product(dot: float, out: wp.array(dtype=float)):
    out[wp.tid()] = dot


@wp.kernel
def unshaped(scaled: float, out: wp.array(dtype=float)):
    out[wp.tid()] = scaled


@wp.kernel
def through_a_call(given: float, out: wp.array(dtype=float)):
    out[wp.tid()] = given


def keep(value):
    global given
    given = value


values = np.linspace(0.0, 1.0, 8)
total = values.sum()
first = values[0]
dot = values @ values
scaled = np.array(3.0) * 2.0
keep(values[3])
out = wp.zeros(8)
