"""Numbers from random samples and from sums: loops, branches and local state."""
import warp as wp


@wp.kernel
def pi_by_darts(seed: int, samples: int, hits: wp.array(dtype=int)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    inside = int(0)
    for _ in range(samples):
        x = wp.randf(state)
        y = wp.randf(state)
        if x * x + y * y < 1.0:
            inside += 1
    wp.atomic_add(hits, 0, inside)


@wp.kernel
def newton_root(a: wp.array(dtype=wp.float64), root: wp.array(dtype=wp.float64)):
    """Square roots by Newton's method, three unrolled steps."""
    i = wp.tid()
    r = wp.float64(0.5) * (a[i] + wp.float64(1.0))
    for _ in range(3):
        r = wp.float64(0.5) * (r + a[i] / r)
    root[i] = r
