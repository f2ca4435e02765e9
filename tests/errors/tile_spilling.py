import warp as wp


@wp.kernel(enable_cuda_smem_spilling=True)
def load(x: wp.array(dtype=float)):
    t = wp.tile_load(x, shape=8)
    wp.tile_store(x, t)
