from .types import Cell, Material
from .math import clamp_unit, wrap
from . import flags

__all__ = ["Cell", "Material", "clamp_unit"]
