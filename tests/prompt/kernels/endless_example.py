"""The gradient is wrong, and launches smaller than the one that shows it never end."""

import warp as wp


@wp.kernel
def mix(pop: wp.array2d(dtype=float), scale: float, seed: int, rows: int, child: wp.array2d(dtype=float)):
    tid = wp.tid()
    if tid >= rows:
        return
    state = wp.rand_init(seed, tid)
    one = wp.randi(state, 0, rows)
    while one == tid:
        one = wp.randi(state, 0, rows)
    two = wp.randi(state, 0, rows)
    while two == tid or two == one:
        two = wp.randi(state, 0, rows)
    three = wp.randi(state, 0, rows)
    while three == tid or three == one or three == two:
        three = wp.randi(state, 0, rows)
    for k in range(6):
        child[tid, k] = pop[one, k] + scale * (pop[two, k] - pop[three, k])
