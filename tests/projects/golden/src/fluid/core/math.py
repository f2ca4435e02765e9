"""Named like a module of Python; an absolute import elsewhere still gets Python's."""
import warp as wp


@wp.func
def wrap(i: int, n: int):
    return (i + n) % n


@wp.func
def clamp_unit(x: float):
    return wp.clamp(x, 0.0, 1.0)


@wp.func
def blend(a: float, b: float, t: float):
    s = clamp_unit(t)
    return a * (1.0 - s) + b * s
