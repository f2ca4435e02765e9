"""Tile kernels whose text names code of the vendor's library, once an architecture is given: shapes, orders and types that the
names depend on. The kernels of tiles_golden.py that call the same functions are compared, too."""

import warp as wp


@wp.kernel
def product_of_transposed(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_transpose(wp.tile_load(a, shape=(12, 8)))
    y = wp.tile_transpose(wp.tile_load(b, shape=(4, 12)))
    wp.tile_store(c, wp.tile_matmul(x, y))


@wp.kernel
def product_into_transposed(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 16))
    y = wp.tile_load(b, shape=(16, 4))
    z = wp.tile_zeros(shape=(4, 8), dtype=float)
    wp.tile_matmul(x, y, out=wp.tile_transpose(z))
    wp.tile_store(c, z)


@wp.kernel
def product_of_parts(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(16, 24))
    x = wp.tile_view(t, offset=(0, 0), shape=(8, 8))
    y = wp.tile_view(t, offset=(8, 8), shape=(8, 4))
    wp.tile_store(c, wp.tile_matmul(x, y))


@wp.kernel
def product_of_steps(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(16, 8))
    wp.tile_store(c, wp.tile_matmul(t[::2, :], t[8:, :]))


@wp.kernel
def product_of_columns_apart(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(8, 16))
    wp.tile_store(c, wp.tile_matmul(t[:, ::2], t[:, 8:]))


@wp.kernel
def product_of_broadcast(a: wp.array(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_broadcast(wp.tile_load(a, shape=8), shape=(4, 8))
    y = wp.tile_load(b, shape=(8, 8))
    wp.tile_store(c, wp.tile_matmul(x, y))


@wp.kernel
def product_with_one_row(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(1, 8))
    y = wp.tile_load(b, shape=(1, 8))
    wp.tile_store(c, wp.tile_matmul(wp.tile_transpose(x), y))
    wp.tile_store(c, wp.tile_matmul(x, wp.tile_transpose(y)))


@wp.kernel
def product_of_doubles(a: wp.array2d(dtype=wp.float64), b: wp.array2d(dtype=wp.float64), c: wp.array2d(dtype=wp.float64)):
    x = wp.tile_load(a, shape=(3, 5))
    y = wp.tile_load(b, shape=(5, 2))
    wp.tile_store(c, wp.tile_matmul(x, y))


@wp.kernel
def product_of_halves(a: wp.array2d(dtype=wp.float16), b: wp.array2d(dtype=wp.float16), c: wp.array2d(dtype=wp.float16)):
    x = wp.tile_load(a, shape=(16, 32))
    y = wp.tile_load(b, shape=(32, 16))
    wp.tile_store(c, wp.tile_matmul(x, y))


@wp.kernel
def product_of_two_types(a: wp.array2d(dtype=wp.float16), b: wp.array2d(dtype=wp.float16), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(16, 8))
    y = wp.tile_load(b, shape=(8, 24))
    z = wp.tile_zeros(shape=(16, 24), dtype=float)
    wp.tile_matmul(x, y, z)
    wp.tile_store(c, z)


@wp.kernel(module="unique", module_options={"enable_backward": False})
def product_forward_only(a: wp.array2d(dtype=wp.bfloat16), b: wp.array2d(dtype=wp.bfloat16), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(16, 16))
    y = wp.tile_load(b, shape=(16, 16))
    z = wp.tile_zeros(shape=(16, 16), dtype=float)
    wp.tile_matmul(x, y, z)
    wp.tile_store(c, z)


@wp.kernel(enable_backward=False)
def kernel_forward_only(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    wp.tile_store(c, wp.tile_matmul(x, x))


@wp.kernel(module="unique", module_options={"enable_mathdx_gemm": False})
def without_products(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    wp.tile_store(c, wp.tile_cholesky(wp.tile_matmul(x, x)))


@wp.kernel(module="unique", module_options={"enable_mathdx_solver": False, "enable_backward": False})
def without_solvers(a: wp.array2d(dtype=float), y: wp.array(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    f = wp.tile_cholesky(wp.tile_matmul(x, x))
    wp.tile_store(c, f)
    wp.tile_store(y, wp.tile_lower_solve(f, wp.tile_load(y, shape=8)))


@wp.kernel(module="unique", module_options={"enable_backward": False})
def solvers_forward_only(a: wp.array2d(dtype=float), y: wp.array(dtype=float), c: wp.array2d(dtype=float)):
    f = wp.tile_cholesky(wp.tile_load(a, shape=(8, 8)))
    wp.tile_store(c, f)
    wp.tile_store(y, wp.tile_lower_solve(f, wp.tile_load(y, shape=8)))


@wp.kernel
def factor_of_transposed(a: wp.array2d(dtype=float), l: wp.array2d(dtype=float), u: wp.array2d(dtype=float)):
    m = wp.tile_transpose(wp.tile_load(a, shape=(6, 6)))
    wp.tile_store(l, wp.tile_cholesky(m))
    wp.tile_store(u, wp.tile_cholesky(m, fill_mode="upper"))


@wp.kernel
def factors_of_doubles(a: wp.array2d(dtype=wp.float64), b: wp.array2d(dtype=wp.float64)):
    m = wp.tile_load(a, shape=(5, 5))
    y = wp.tile_load(b, shape=(5, 3))
    f = wp.tile_cholesky(m)
    wp.tile_store(b, wp.tile_cholesky_solve(f, y))
    wp.tile_cholesky_solve_inplace(f, y)
    wp.tile_cholesky_inplace(m, fill_mode="upper")
    wp.tile_store(a, m)


@wp.kernel
def solves_of_transposed(l: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    m = wp.tile_load(l, shape=(4, 4))
    right = wp.tile_transpose(wp.tile_load(y, shape=(3, 4)))
    u = wp.tile_transpose(m)
    wp.tile_store(y, wp.tile_lower_solve(m, right))
    wp.tile_store(y, wp.tile_upper_solve(u, right))
    wp.tile_lower_solve_inplace(m, right)
    wp.tile_upper_solve_inplace(u, right)
    wp.tile_store(y, wp.tile_cholesky_solve(m, right))


@wp.struct
class Block:
    scale: float
    shift: float


@wp.kernel
def product_beside_structs(block: Block, a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    z = wp.tile_matmul(x, x, alpha=block.scale)
    wp.tile_matmul(z, x, out=z, beta=0.5)
    wp.tile_store(c, z)


@wp.func
def product_in_function(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float), row: int):
    x = wp.tile_load(a, shape=(8, 4), offset=(row, 0))
    y = wp.tile_load(a, shape=(4, 8), offset=(row, 4))
    wp.tile_store(c, wp.tile_matmul(x, y), offset=(row, 0))


@wp.kernel
def product_here_and_there(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(a, shape=(16, 16))
    product_in_function(a, c, i)
    wp.tile_store(c, wp.tile_matmul(t, t))


@wp.func
def product_of_parameters(x: wp.tile(dtype=float, shape=(8, 8), storage="shared"), y: wp.tile(dtype=float, shape=(8, 8), storage="shared")):
    z = wp.tile_matmul(x, y)
    return z[0, 0]


@wp.kernel
def product_in_called_function(a: wp.array2d(dtype=float), c: wp.array(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8), storage="shared")
    c[0] = product_of_parameters(x, x)


@wp.kernel
def product_of_less_precision(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(16, 16))
    wp.tile_store(c, wp.tile_matmul(x, x, precision="tf32"))
