"""Heat on a square plate: one explicit step, and the total energy."""
import warp as wp

DIFFUSION = wp.constant(0.2)


@wp.func
def clamped(u: wp.array2d(dtype=float), i: int, j: int):
    """The temperature at (i, j), or at the nearest cell of the plate."""
    return u[wp.clamp(i, 0, u.shape[0] - 1), wp.clamp(j, 0, u.shape[1] - 1)]


@wp.kernel
def heat_step(u: wp.array2d(dtype=float), u_next: wp.array2d(dtype=float)):
    i, j = wp.tid()
    around = clamped(u, i - 1, j) + clamped(u, i + 1, j) + clamped(u, i, j - 1) + clamped(u, i, j + 1)
    u_next[i, j] = u[i, j] + DIFFUSION * (around - 4.0 * u[i, j])


@wp.kernel
def energy(u: wp.array2d(dtype=float), total: wp.array(dtype=float)):
    i, j = wp.tid()
    wp.atomic_add(total, 0, u[i, j] * u[i, j])
