import warp as wp


@wp.kernel
def load(x: wp.array(dtype=float)):
    t = wp.tile_load(x, shape=16)
    wp.tile_store(x, t)
