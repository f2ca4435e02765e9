"""Kernels with tiles whose gradient Warp gets wrong, one for each named pattern, and twins that it gets right."""

import warp as wp

N = 8


@wp.kernel
def largest_of_tile(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_max(t))


@wp.kernel
def largest_by_index(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    k = wp.tile_argmax(t)
    out[0] = t[k[0]]


@wp.kernel
def product_of_tile(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_reduce(wp.mul, t))


@wp.kernel
def running_sums(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_scan_inclusive(t))


@wp.kernel
def sums_by_matrix(a: wp.array(dtype=float), lower: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    l = wp.tile_load(lower, shape=(N, N))
    s = wp.tile_matmul(l, wp.tile_reshape(t, shape=(N, 1)))
    wp.tile_store(out, wp.tile_reshape(s, shape=(N,)))


@wp.kernel
def shifted_diagonal(a: wp.array2d(dtype=float), d: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(N, N))
    s = wp.tile_load(d, shape=N)
    wp.tile_store(out, wp.tile_diag_add(t, s))


@wp.kernel
def backward_substitution(a: wp.array2d(dtype=float), b: wp.array(dtype=float), x: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(N, N))
    wp.tile_store(x, wp.tile_upper_solve(t, wp.tile_load(b, shape=N)))


@wp.kernel
def forward_substitution(a: wp.array2d(dtype=float), b: wp.array(dtype=float), x: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(N, N))
    wp.tile_store(x, wp.tile_lower_solve(t, wp.tile_load(b, shape=N)))


@wp.kernel
def sums_of_rows(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(N, 4))
    wp.tile_store(out, wp.tile_sum(t, axis=1))


@wp.kernel
def squared_then_transposed(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    s = t * t
    wp.tile_store(out, s + wp.tile_transpose(t))


@wp.kernel
def squared_and_copy_transposed(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    s = t * t
    wp.tile_store(out, s + wp.tile_transpose(t * 1.0))


@wp.kernel
def squared_tile_in_place(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t * t)


@wp.kernel
def squared_tile(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, t * t)
