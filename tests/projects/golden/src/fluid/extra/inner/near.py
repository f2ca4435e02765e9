import warp as wp


@wp.func
def wrap(x: float):
    return x - wp.round(x)
