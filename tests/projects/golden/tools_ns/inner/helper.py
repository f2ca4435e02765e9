"""In folders without an __init__.py."""
import warp as wp


@wp.func
def twice(x: float):
    return 2.0 * x
