"""Functions that have the names of functions in Warp's own modules, before and after an import of these."""

import warp as wp


@wp.func
def bsr_row_index(x: float):
    return x + 1.0


@wp.kernel
def before_the_import(values: wp.array(dtype=float)):
    values[0] = bsr_row_index(values[0])


import warp.sparse
from warp.optim import linear


@wp.func
def bsr_row_index(x: int, y: int):
    return x + y


@wp.func
def _find_batch(x: float):
    return x * 2.0


@wp.func
def usual(x: float):
    return x * 3.0


@wp.kernel
def after_the_import(values: wp.array(dtype=float), counts: wp.array(dtype=int)):
    values[0] = usual(_find_batch(values[0]))
    counts[0] = bsr_row_index(counts[0], 1)


import warp.fem as fem
import warp.optim


@wp.func
def generalized_inner(x: float, y: float):
    return x * y


@wp.func
def _bsr_row_count(x: int):
    return x + 2


@wp.kernel
def after_finite_elements(values: wp.array(dtype=float), counts: wp.array(dtype=int)):
    values[0] = generalized_inner(values[0], usual(values[1]))
    counts[0] = _bsr_row_count(counts[0])
