import warp as wp


@wp.kernel
def load(x: wp.array(dtype=float), n: int):
    t = wp.tile_load(x, shape=n)
    wp.tile_store(x, t)
