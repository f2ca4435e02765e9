"""Constants, some of which follow from others; a star import takes what __all__ names."""
import math

import warp as wp

__all__ = ["GRAVITY", "HALF_TURN", "STENCIL", "UP"]

GRAVITY = wp.constant(9.81)
HALF_TURN = math.pi
STENCIL = 2 * 3
UP = wp.constant(wp.vec3(0.0, 1.0, 0.0))
HIDDEN = 17
