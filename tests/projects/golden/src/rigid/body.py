"""Of another package of the project, without re-exports."""
import warp as wp

import fluid
import fluid.core.flags
from fluid import advect_field, GRAVITY
from . import contact


@wp.func
def wrap(x: float):
    return x - wp.floor(x)


@wp.kernel
def fall(q: wp.array(dtype=wp.transform), qd: wp.array(dtype=wp.spatial_vector), kind: wp.array(dtype=int), dt: float):
    i = wp.tid()
    if kind[i] == fluid.core.flags.Kind.EMPTY:
        return
    v = wp.spatial_bottom(qd[i]) - fluid.UP * (GRAVITY * dt)
    qd[i] = wp.spatial_vector(wp.spatial_top(qd[i]), v)
    q[i] = wp.transform(wp.transform_get_translation(q[i]) + v * dt * contact.softness(wrap(dt)), wp.transform_get_rotation(q[i]))
