import warp as wp

from . import flags as _flags


@wp.struct
class Material:
    density: float
    viscosity: float


@wp.struct
class Cell:
    velocity: wp.vec3
    pressure: float
    kind: int
    material: Material


WATER = int(_flags.Kind.WATER)
