"""Beside the packages: found through pyproject.toml."""
import numpy as np
import warp as wp

from fluid import Cell
from fluid.core import *
from fluid.core.math import wrap


@wp.kernel
def count(cells: wp.array(dtype=Cell), total: wp.array(dtype=int), m: Material):
    i = wp.tid()
    if clamp_unit(cells[i].pressure) > m.density:
        wp.atomic_add(total, wrap(i, 4), 1)
