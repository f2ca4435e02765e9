"""A package whose __init__ re-exports, as most do: importing any module of it runs this first."""
from .core import Cell, clamp_unit, flags
from .core.constants import *
from . import kernels
from .kernels.advect import advect as advect_field

VERSION = (1, 2)
