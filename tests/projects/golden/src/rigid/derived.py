"""Classes with a base: attributes that are inherited, types of Warp under names of their own."""

import warp as wp

from rigid.body import *  # noqa: F403


class Limits:
    SPEED = 2.5
    STEPS = 3


class TightLimits(Limits):
    STEPS = 5


class Tightest(TightLimits):
    """Has no attributes of its own."""


class Wrench(wp.types.vector(length=6, dtype=wp.float32)):
    pass


class Twist(wp.types.vector(length=6, dtype=wp.float32)):
    """The same numbers, another class."""


class Attitude(wp.quat):
    pass


@wp.struct
class Contact:
    force: Wrench
    motion: Twist


@wp.func
def power(f: Wrench, m: Twist):
    return wp.dot(f, m) * Tightest.SPEED


@wp.kernel
def spend(contacts: wp.array(dtype=Contact), out: wp.array(dtype=float)):
    i = wp.tid()
    c = contacts[i]
    out[i] = power(c.force, c.motion) + float(Tightest.STEPS) + float(Limits.STEPS)


@wp.kernel
def turn(q: wp.array(dtype=Attitude), w: wp.array(dtype=Twist)):
    i = wp.tid()
    q[i] = Attitude(0.0, 0.0, 0.0, 1.0) * q[i]
    w[i] = Twist(1.0) + Wrench(2.0) * Limits.SPEED
