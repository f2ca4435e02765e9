import warp as wp


@wp.kernel
def damped_wave(x: wp.array(dtype=float), damping: float, y: wp.array(dtype=float)):
    """A wave that dies away."""
    i = wp.tid()
    # what is left of the amplitude here
    envelope = wp.exp(-damping * wp.abs(x[i]))
    y[i] = envelope * wp.sin(x[i])


@wp.struct
class Ball:
    position: wp.vec3
    velocity: wp.vec3
    mass: float


@wp.func
def spring(p: wp.vec3, anchor: wp.vec3, stiffness: float):
    d = anchor - p
    stretch = wp.max(wp.length(d) - 0.5, 0.0)
    return wp.normalize(d) * (stiffness * stretch)


@wp.kernel
def pull(balls: wp.array(dtype=Ball), anchors: wp.array(dtype=wp.vec3), dt: float, moved: wp.array(dtype=wp.vec3)):
    tid = wp.tid()
    ball = balls[tid]
    force = spring(ball.position, anchors[tid], 4.0)
    velocity = ball.velocity + force * (dt / ball.mass)
    moved[tid] = ball.position + velocity * dt


@wp.kernel
def smooth(u: wp.array2d(dtype=float), rate: float, turns: int, out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    if i == 0 or j == 0 or i >= u.shape[0] - 1 or j >= u.shape[1] - 1:
        return
    around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
    value = u[i, j]
    for k in range(turns):
        value = value + rate * (around - 4.0 * value) * value
    out[i, j] = value
