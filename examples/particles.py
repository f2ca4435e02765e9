"""Particles that fall, bounce off the ground and pull on springs."""
import warp as wp


@wp.struct
class World:
    gravity: wp.vec3
    ground: float
    bounce: float
    dt: float


@wp.func
def reflect(velocity: wp.vec3, normal: wp.vec3, bounce: float):
    along = wp.dot(velocity, normal)
    if along < 0.0:
        return velocity - (1.0 + bounce) * along * normal
    return velocity


@wp.kernel
def spring_forces(
    x: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec2i),
    rest_length: wp.array(dtype=float),
    stiffness: float,
    force: wp.array(dtype=wp.vec3),
):
    s = wp.tid()
    a = ends[s][0]
    b = ends[s][1]
    between = x[b] - x[a]
    length = wp.length(between)
    if length > 0.0:
        pull = stiffness * (length - rest_length[s]) / length * between
        wp.atomic_add(force, a, pull)
        wp.atomic_sub(force, b, pull)


@wp.kernel
def step(
    world: World,
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    force: wp.array(dtype=wp.vec3),
    inverse_mass: wp.array(dtype=float),
    x_next: wp.array(dtype=wp.vec3),
    v_next: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    velocity = v[i] + (world.gravity + force[i] * inverse_mass[i]) * world.dt
    position = x[i] + velocity * world.dt
    if position[1] < world.ground:
        position = wp.vec3(position[0], world.ground, position[2])
        velocity = reflect(velocity, wp.vec3(0.0, 1.0, 0.0), world.bounce)
    x_next[i] = position
    v_next[i] = velocity
