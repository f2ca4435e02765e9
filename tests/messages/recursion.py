import warp as wp


@wp.func
def factorial(n: int):
    if n < 2:
        return 1
    return n * factorial(n - 1)


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = float(factorial(n))
