"""Tile kernels: one builtin or one feature each, and some that combine them. Our own writing.

The types, shapes and storages are chosen so that every rule of docs/reference/tiles.md shows in the text of at least one kernel.
A function with a tile parameter is used by one kernel only, and forces no storage there: see tiles_history.py."""
from typing import Any

import warp as wp

N = wp.constant(16)
ROWS = wp.constant(8)
COLS = wp.constant(4)
HALF = 8
mat23 = wp.types.matrix(shape=(2, 3), dtype=float)


@wp.struct
class Body:
    place: wp.vec3
    mass: float
    tag: int
    awake: wp.bool


@wp.struct
class Span:
    data: wp.array(dtype=float)
    first: int
    scale: float


@wp.struct
class Pair:
    body: Body
    weight: wp.float64
    data: wp.array(dtype=float)


# ---- making tiles


@wp.kernel
def make_zeros(out: wp.array(dtype=float)):
    t = wp.tile_zeros(shape=N)
    u = wp.tile_zeros(shape=(N,), dtype=wp.float32)
    v = wp.tile_zeros(N, float)
    wp.tile_store(out, t + u + v)


@wp.kernel
def make_zeros_types(c: wp.array(dtype=wp.vec3), d: wp.array2d(dtype=wp.mat22), e: wp.array(dtype=wp.uint8)):
    t = wp.tile_zeros(shape=4, dtype=wp.vec3)
    u = wp.tile_zeros(shape=(2, 3), dtype=wp.mat22, storage="shared")
    v = wp.tile_zeros(shape=8, dtype=wp.uint8)
    b = wp.tile_zeros(shape=8, dtype=bool)
    h = wp.tile_zeros(shape=8, dtype=wp.float16)
    q = wp.tile_zeros(shape=2, dtype=wp.quat)
    s = wp.tile_zeros(shape=2, dtype=wp.spatial_vector)
    wp.tile_store(c, t)
    wp.tile_store(d, u)
    wp.tile_store(e, v)


@wp.kernel
def make_ones(out: wp.array2d(dtype=int), f: wp.array(dtype=wp.float64)):
    t = wp.tile_ones(shape=(2, 3), dtype=int)
    u = wp.tile_ones(shape=(2, 3), dtype=wp.int32, storage="shared")
    v = wp.tile_ones(3, dtype=wp.float64)
    wp.tile_store(out, t + u)
    wp.tile_store(f, v)


@wp.kernel
def make_empty(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_empty(shape=(ROWS, COLS), dtype=float, storage="shared")
    r = wp.tile_empty(shape=4)
    wp.tile_assign(t, wp.tile_load(a, shape=(ROWS, COLS)))
    wp.tile_store(out, t)


@wp.kernel
def make_full(x: float, out: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
    t = wp.tile_full(shape=N, value=x, dtype=float)
    u = wp.tile_full(shape=(N,), value=2.5, dtype=wp.float32, storage="shared")
    w = wp.tile_full(shape=3, value=wp.vec3(x, 0.0, 1.0), dtype=wp.vec3)
    wp.tile_store(out, t + u)
    wp.tile_store(v, w)


@wp.kernel
def make_ranges(out: wp.array(dtype=float), whole: wp.array(dtype=int)):
    a = wp.tile_arange(6)
    b = wp.tile_arange(1, 7, dtype=float)
    c = wp.tile_arange(0.0, 3.0, 0.5, dtype=float)
    d = wp.tile_arange(12, 0, -2, dtype=int, storage="shared")
    wp.tile_store(out, a + b + c)
    wp.tile_store(whole, d)


@wp.kernel
def make_range_of_constants(out: wp.array(dtype=wp.float64)):
    a = wp.tile_arange(0, N, HALF, dtype=wp.float64)
    wp.tile_store(out, a)


@wp.kernel
def make_random(seed: int, out: wp.array2d(dtype=float), dice: wp.array(dtype=int)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    a = wp.tile_randf(shape=(2, 3), rng=state)
    b = wp.tile_randf(shape=(2, 3), rng=state, min=-1.0, max=1.0, storage="shared")
    c = wp.tile_randi(shape=4, rng=state)
    d = wp.tile_randi(shape=4, rng=state, min=1, max=7)
    wp.tile_store(out, a + b)
    wp.tile_store(dice, c + d)


@wp.kernel
def make_random_too(seed: int, out: wp.array(dtype=float), dice: wp.array2d(dtype=int)):
    state = wp.rand_init(seed)
    a = wp.tile_randf(shape=N, rng=state)
    b = wp.tile_randf(N, state, -0.25, 0.75)
    c = wp.tile_randi(shape=(2, 2), rng=state, storage="shared")
    d = wp.tile_randi((2, 2), state, -5, 5)
    wp.tile_store(out, a - b)
    wp.tile_store(dice, c - d)


@wp.kernel
def make_from_thread(data: wp.array(dtype=int), out: wp.array2d(dtype=int)):
    i, j = wp.tid()
    last = wp.block_dim() - 1
    t = wp.tile_from_thread(shape=(2, 4), value=data[i] + j, thread_idx=last)
    u = wp.tile_from_thread(shape=8, value=wp.vec3(1.0, 2.0, 3.0), thread_idx=0, storage="shared")
    wp.tile_store(out, t, offset=(i * 2, 0))


# ---- loading and storing


@wp.kernel
def load_one_dimension(a: wp.array(dtype=float), out: wp.array(dtype=float), start: int):
    t = wp.tile_load(a, N)
    u = wp.tile_load(a, shape=(N,), offset=(start,))
    v = wp.tile_load(a, shape=16, offset=start, bounds_check=False)
    w = wp.tile_load(a, shape=N, offset=3, storage="shared", aligned=True)
    wp.tile_store(out, t)
    wp.tile_store(out, u, offset=(16,))
    wp.tile_store(out, v, offset=start, bounds_check=False)
    wp.tile_store(out, w, offset=2 * N)


@wp.kernel
def load_two_dimensions(a: wp.array2d(dtype=wp.float64), out: wp.array2d(dtype=wp.float64)):
    i, j = wp.tid()
    t = wp.tile_load(a, shape=(ROWS, COLS), offset=(i * ROWS, 0), storage="shared", aligned=True)
    u = wp.tile_load(a, (ROWS, COLS), (0, j * COLS), "register")
    wp.tile_store(out, t, offset=(i * ROWS, 0), aligned=True)
    wp.tile_store(out, u, (0, j * COLS))


@wp.kernel
def load_more_dimensions(a: wp.array3d(dtype=int), b: wp.array4d(dtype=wp.float16), c: wp.array3d(dtype=int)):
    i, j, k = wp.tid()
    t = wp.tile_load(a, shape=(2, 3, 4), offset=(i * 2, j * 3, k * 4))
    u = wp.tile_load(b, shape=(1, 2, 2, 4), offset=(0, i, j, k))
    wp.tile_store(c, t, offset=(i * 2, j * 3, k * 4))
    wp.tile_store(b, u, offset=(1, i, j, k))


@wp.kernel
def load_vectors(p: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.quat), m: wp.array2d(dtype=wp.mat33), out: wp.array(dtype=wp.vec3)):
    t = wp.tile_load(p, shape=4)
    r = wp.tile_load(q, shape=4)
    s = wp.tile_load(m, shape=(2, 2))
    wp.tile_store(out, t, offset=4)
    wp.tile_store(q, r, offset=4)
    wp.tile_store(m, s, offset=(2, 2))


@wp.kernel
def load_from_row(a: wp.array2d(dtype=float), start: wp.array(dtype=int), out: wp.array2d(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(a[i], shape=N, offset=start[i], bounds_check=False)
    wp.tile_store(out[i], t, offset=(start[0],))
    wp.tile_atomic_add(out[i + 1], t, offset=start[1])


@wp.kernel
def load_at_elements(a: wp.array2d(dtype=float), start: wp.array(dtype=int), out: wp.array2d(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(a, shape=(1, 4), offset=(start[i], 0))
    wp.tile_store(out, t, offset=(start[i], start[i + 1]))


@wp.kernel
def load_from_struct(s: Span, out: wp.array(dtype=float)):
    t = wp.tile_load(s.data, shape=N, offset=s.first)
    wp.tile_store(out, t * s.scale)


@wp.kernel
def load_shape_in_variables(a: wp.array2d(dtype=float), i: int):
    shape = (4, 4)
    where = (i, 0)
    n = 2
    t = wp.tile_load(a, shape=shape, offset=where)
    u = wp.tile_load(a, shape=(n, n), offset=where)
    wp.tile_store(a, t, offset=where)
    wp.tile_store(a, u)


@wp.kernel
def load_gathered(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    evens = wp.tile_arange(HALF, dtype=int) * 2
    t = wp.tile_load_indexed(a, indices=evens, shape=(HALF, COLS), offset=(i * N, j * COLS), axis=0)
    u = wp.tile_load_indexed(a, evens, (COLS, HALF), axis=1, storage="shared")
    wp.tile_store(out, t)
    wp.tile_store(out, u, offset=(HALF, 0))


@wp.kernel
def store_scattered(a: wp.array2d(dtype=float), where: wp.array(dtype=int), out: wp.array2d(dtype=float)):
    rows = wp.tile_load(where, shape=ROWS, storage="shared")
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store_indexed(out, indices=rows, t=t)
    wp.tile_store_indexed(out, rows, t, offset=(0, COLS), axis=0)


@wp.kernel
def add_atomically(a: wp.array2d(dtype=float), total: wp.array2d(dtype=float), count: wp.array(dtype=wp.uint64)):
    i, j = wp.tid()
    t = wp.tile_load(a, shape=(ROWS, COLS), offset=(i * ROWS, j * COLS))
    old = wp.tile_atomic_add(total, t, offset=(0, j * COLS), bounds_check=False)
    wp.tile_atomic_add(total, old)
    one = wp.tile_ones(shape=1, dtype=wp.uint64, storage="shared")
    wp.tile_atomic_add(count, one, offset=i)


@wp.kernel
def add_atomically_indexed(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(a, shape=(2, 2), offset=(i * 2, 0), storage="shared")
    bins = wp.tile_zeros(2, dtype=int)
    wp.tile_atomic_add_indexed(out, indices=bins, t=t, offset=(i, 0), axis=0)


# ---- views


@wp.kernel
def view_block(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float), k: int):
    t = wp.tile_load(a, shape=(ROWS, COLS), storage="shared")
    block = wp.tile_view(t, offset=(2, 1), shape=(4, 2))
    moving = wp.tile_view(t, offset=(k, 0), shape=(2, 2))
    wp.tile_store(out, block)
    wp.tile_store(out, moving, offset=(4, 0))


@wp.kernel
def view_row(a: wp.array3d(dtype=float), out: wp.array2d(dtype=float), flat: wp.array(dtype=float), k: int):
    t = wp.tile_load(a, shape=(2, 3, 4))
    plane = t[k]
    line = t[1, 2]
    same = wp.tile_view(t, offset=(0,))
    wp.tile_store(out, plane)
    wp.tile_store(flat, line)
    wp.tile_store(out, same, offset=(3, 0))


@wp.kernel
def view_slices(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float), flat: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS), storage="shared")
    top = t[:2]
    middle = t[2:-2, 1:3]
    odd = t[1::2, :]
    column = t[:, 1]
    last = t[-1, ::2]
    wp.tile_store(out, top)
    wp.tile_store(out, middle, offset=(2, 0))
    wp.tile_store(out, odd, offset=(0, COLS))
    wp.tile_store(flat, column)
    wp.tile_store(flat, last, offset=ROWS)


@wp.kernel
def view_reversed(a: wp.array2d(dtype=float), flat: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    flipped = t[::-1, ::-1]
    corner = t[::-1][:2]
    row = t[2][1:3]
    wp.tile_store(out, flipped)
    wp.tile_store(out, corner, offset=(ROWS, 0))
    wp.tile_store(flat, row)


@wp.kernel
def view_slice_runtime_row(a: wp.array2d(dtype=float), order: wp.array(dtype=int), out: wp.array(dtype=float), k: int):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    by_argument = t[k, 1:]
    by_array = t[order[0], :]
    wp.tile_store(out, by_argument)
    wp.tile_store(out, by_array, offset=COLS)


@wp.kernel
def view_row_of_other_integers(a: wp.array2d(dtype=float), out: wp.array(dtype=float), i: wp.int64, j: wp.uint8):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store(out, t[i])
    wp.tile_store(out, t[j, 1:], offset=COLS)


@wp.kernel
def view_assign(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), out: wp.array2d(dtype=float), k: int):
    t = wp.tile_zeros(shape=(ROWS, COLS), dtype=float)
    part = wp.tile_load(a, shape=(2, COLS))
    row = wp.tile_load(a, shape=(1, COLS))
    t[2:4, :] = part
    t[k] = wp.tile_squeeze(row)
    wp.tile_assign(t, part, offset=(4, 0))
    wp.tile_assign(t, part, offset=(k, 0))
    wp.tile_assign(t, row)
    wp.tile_store(out, t)


@wp.kernel
def view_gather(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float), flat: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    pick = wp.tile_arange(6, 0, -2, dtype=int)
    rows = t[pick]
    rows_too = t[pick, :]
    swap = wp.tile_arange(3, -1, -1, dtype=int, storage="shared")
    columns = t[:, swap]
    one = t[1][swap]
    wp.tile_store(out, rows + rows_too)
    wp.tile_store(out, columns, offset=(ROWS, 0))
    wp.tile_store(flat, one)


@wp.kernel
def squeeze(a: wp.array3d(dtype=float), flat: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(1, 4, 1))
    u = wp.tile_squeeze(t)
    v = wp.tile_squeeze(t, axis=(2,))
    w = wp.tile_squeeze(t, axis=(-3, 2))
    wp.tile_store(flat, u)
    wp.tile_store(out, v)
    wp.tile_store(flat, w, offset=4)


@wp.kernel
def reshape(a: wp.array2d(dtype=float), flat: wp.array(dtype=float), cube: wp.array3d(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    u = wp.tile_reshape(t, shape=(32,))
    v = wp.tile_reshape(t, shape=(2, -1, 4))
    wp.tile_store(flat, u)
    wp.tile_store(cube, v)


@wp.kernel
def transpose(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    u = wp.tile_transpose(t)
    v = wp.tile_transpose(u)
    wp.tile_store(out, u)
    wp.tile_store(out, v, offset=(COLS, 0))


@wp.kernel
def broadcast(a: wp.array(dtype=float), b: wp.array2d(dtype=float), out: wp.array3d(dtype=float), flat: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=COLS)
    u = wp.tile_load(b, shape=(ROWS, 1))
    wide = wp.tile_broadcast(t, shape=(2, ROWS, COLS))
    tall = wp.tile_broadcast(u, (ROWS, COLS))
    wp.tile_store(out, wide)
    wp.tile_store(flat, tall)


@wp.kernel
def cast(a: wp.array(dtype=float), d: wp.array(dtype=wp.float64), n: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(d, wp.tile_astype(t, dtype=wp.float64))
    wp.tile_store(n, wp.tile_astype(t, int))
    wp.tile_store(a, wp.tile_astype(t, dtype=float))


@wp.kernel
def cast_of_a_view(a: wp.array2d(dtype=float), d: wp.array(dtype=wp.float64)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    u = wp.tile_astype(t[:, 0], dtype=wp.float64)
    wp.tile_store(d, u)
    d[0] = u[1]


# ---- elements


@wp.kernel
def element_read(a: wp.array2d(dtype=float), out: wp.array(dtype=float), i: int, j: int):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    out[0] = t[1, 2]
    out[1] = t[1][2]
    out[2] = t[-1, -2]
    out[3] = t[i, j]
    out[4] = wp.tile_extract(t, i, j)
    out[5] = wp.tile_extract(t, 3, 0)


@wp.kernel
def element_of_call(a: wp.array(dtype=float), out: wp.array(dtype=float), i: int):
    out[0] = wp.tile_sum(wp.tile_load(a, shape=N))[0] * 2.0
    out[1] = (wp.tile_load(a, shape=N) * 3.0)[i]
    out[2] = wp.tile_load(a, shape=N)[2:4][1]


@wp.kernel
def element_read_by_loop(a: wp.array(dtype=float), order: wp.array(dtype=int), out: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=N)
    s = float(0.0)
    for k in range(3):
        s += t[k]
    for k in range(n):
        s += t[k] * t[order[k]]
    out[0] = s


@wp.kernel
def element_write(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float), i: int, x: float):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    t[0, 1] = 2.0
    t[i, -1] = x
    t[i][2] = t[0, 0] * x
    wp.tile_store(out, t)


@wp.kernel
def element_update(a: wp.array(dtype=float), out: wp.array(dtype=float), i: int, x: float):
    t = wp.tile_load(a, shape=N, storage="shared")
    t[i] += x
    t[1] -= x * x
    t[2] *= x
    t[3] /= t[4]
    wp.tile_store(out, t)


@wp.kernel
def element_update_bits(a: wp.array2d(dtype=wp.uint32), out: wp.array2d(dtype=wp.uint32), mask: wp.uint32):
    t = wp.tile_load(a, shape=(2, 4))
    t[0, 1] &= mask
    t[0, 2] |= mask
    t[1, 3] ^= mask
    wp.tile_store(out, t)


@wp.kernel
def element_of_vectors(p: wp.array(dtype=wp.vec3), out: wp.array(dtype=float), i: int):
    t = wp.tile_load(p, shape=4)
    v = t[i]
    out[0] = v[0] + t[1].y
    out[1] = t[2][2]
    out[2] = t[i, 0]
    t[3] = v * 2.0
    t[2] += v
    wp.tile_store(p, t)


@wp.kernel
def element_of_vectors_write(p: wp.array(dtype=wp.vec3)):
    t = wp.tile_load(p, shape=4)
    t[1][2] = 3.0
    wp.tile_store(p, t)


@wp.kernel
def element_of_matrices(m: wp.array2d(dtype=wp.mat22), out: wp.array(dtype=float)):
    t = wp.tile_load(m, shape=(2, 2))
    a = t[0, 1]
    out[0] = a[1, 0] + wp.determinant(t[1, 1])
    out[1] = t[1, 0][0, 1]
    out[2] = t[1, 0, 1, 1]


@wp.kernel
def element_of_structs(b: wp.array(dtype=Body), out: wp.array(dtype=float)):
    t = wp.tile_load(b, shape=4)
    first = t[0]
    out[0] = first.mass + t[1].mass
    out[1] = wp.length(t[2].place)
    first.mass = 1.0
    t[3] = first
    wp.tile_store(b, t)


@wp.kernel
def element_scatter(value: wp.array(dtype=float), bins: wp.array(dtype=int), out: wp.array(dtype=float)):
    i, j = wp.tid()
    t = wp.tile_zeros(shape=N, dtype=float, storage="shared")
    b = bins[j]
    wp.tile_scatter_add(t, b, value[j], b >= 0)
    wp.tile_scatter_add(t, b, 1.0, True, atomic=False)
    wp.tile_scatter_masked(t, j, value[j] * 2.0, j < 4)
    wp.tile_store(out, t, offset=i * N)


@wp.kernel
def element_scatter_two(value: wp.array(dtype=wp.vec2), out: wp.array2d(dtype=wp.vec2)):
    i, j = wp.tid()
    t = wp.tile_zeros(shape=(ROWS, COLS), dtype=wp.vec2)
    wp.tile_scatter_add(t, i, j, value[j], True)
    wp.tile_scatter_masked(t, i, j, value=wp.vec2(1.0, 2.0), has_value=j > 0)
    wp.tile_store(out, t)


@wp.kernel
def element_three_dimensions(a: wp.array3d(dtype=float), out: wp.array(dtype=float), i: int):
    t = wp.tile_load(a, shape=(2, 3, 4))
    out[0] = t[i, 1, -1]
    t[0, i, 3] = 1.0
    t[0, 1, 2] += 2.0
    t[1, 2, 3] -= 3.0
    wp.tile_scatter_add(t, 0, i, 1, 4.0, True)
    wp.tile_scatter_masked(t, 1, 0, i, 5.0, i > 0)
    wp.tile_store(a, t)


@wp.kernel
def element_four_dimensions(a: wp.array4d(dtype=int), out: wp.array(dtype=int), i: int):
    t = wp.tile_load(a, shape=(2, 1, 3, 2))
    out[0] = t[i, 0, 1, -1] + wp.tile_extract(t, 0, 0, 2, i)
    t[0, 0, i, 1] = 1
    t[1, 0, 2, 0] += 2
    t[1, 0, 2, 1] -= 3
    t[0, 0, 0, 0] &= 7
    t[0, 0, 1, 0] |= 8
    t[0, 0, 2, 0] ^= 9
    wp.tile_scatter_add(t, 0, 0, i, 1, 4, True, atomic=False)
    wp.tile_scatter_masked(t, 1, 0, 2, i, 5, i > 0)
    wp.tile_store(a, t)


@wp.kernel
def element_two_dimensions_update(a: wp.array2d(dtype=int), i: int):
    t = wp.tile_load(a, shape=(2, 4), storage="shared")
    t[0, i] += 1
    t[i, 1] -= 2
    u = wp.tile_load(a, shape=(4, 2))
    v = u[0]
    v[0] &= 3
    v[1] |= 4
    v[-1] ^= 5
    wp.tile_store(a, t)
    wp.tile_store(a, u)


@wp.kernel
def element_three_dimensions_bits(a: wp.array3d(dtype=wp.int64), m: wp.int64):
    t = wp.tile_load(a, shape=(2, 2, 2))
    t[0, 0, 0] &= m
    t[0, 1, 0] |= m
    t[1, 1, 1] ^= m
    wp.tile_store(a, t)


@wp.kernel
def element_of_matrices_deep(m: wp.array4d(dtype=wp.mat22), p: wp.array3d(dtype=wp.mat22), out: wp.array(dtype=float)):
    t = wp.tile_load(m, shape=(1, 2, 1, 2))
    u = wp.tile_load(p, shape=(1, 2, 2))
    out[0] = t[0, 1, 0, 1, 1, 0]
    out[1] = u[0, 1, 1, 0, 0]
    t[0, 0, 0, 0, 1, 1] = 5.0
    u[0, 0, 1, 1, 0] = 6.0
    wp.tile_store(m, t)
    wp.tile_store(p, u)


# ---- arithmetic


@wp.kernel
def arithmetic_tiles(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(b, shape=N, storage="shared")
    wp.tile_store(out, (x + y) * (x - y) / y - (-x))


@wp.kernel
def arithmetic_scalars(a: wp.array(dtype=float), out: wp.array(dtype=float), k: float):
    x = wp.tile_load(a, shape=N)
    y = 2.0 * x
    z = x * k + k * y
    w = z / k + 1.0 / z
    wp.tile_store(out, w)


@wp.kernel
def arithmetic_vectors(p: wp.array(dtype=wp.vec3), s: wp.array(dtype=float), out: wp.array(dtype=wp.vec3), d: wp.vec3):
    v = wp.tile_load(p, shape=N)
    f = wp.tile_load(s, shape=N)
    a = v * f + f * v
    b = v * 2.0 + 0.5 * v
    c = f * d + d * f
    e = v / f + v / 2.0
    wp.tile_store(out, a + b + c - e)


@wp.kernel
def arithmetic_matrices(m: wp.array(dtype=mat23), s: wp.array(dtype=float), out: wp.array(dtype=mat23)):
    t = wp.tile_load(m, shape=4)
    f = wp.tile_load(s, shape=4)
    wp.tile_store(out, t * f - t / 2.0 + (-t))


@wp.kernel
def arithmetic_bits(a: wp.array(dtype=int), b: wp.array(dtype=int), out: wp.array(dtype=int)):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(b, shape=N)
    wp.tile_store(out, (x & y) | (x ^ y))


@wp.kernel
def arithmetic_in_place(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(b, shape=N)
    x += y
    x -= wp.tile_map(wp.sin, y)
    wp.tile_store(out, x)


@wp.kernel
def arithmetic_in_place_new(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(b, shape=N)
    x *= 2.0
    x *= y
    x /= y
    x /= 3.0
    wp.tile_store(out, x)


@wp.kernel
def arithmetic_in_place_bits(a: wp.array(dtype=wp.uint64), out: wp.array(dtype=wp.uint64)):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(a, shape=N, offset=N, storage="shared")
    x &= y
    x |= y
    x ^= y
    wp.tile_store(out, x)


@wp.kernel
def arithmetic_in_place_slice(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    part = t[0:2, :]
    part += wp.tile_load(a, shape=(2, COLS), offset=(ROWS, 0))
    wp.tile_store(out, t)


@wp.kernel
def arithmetic_structs(b: wp.array(dtype=Body), out: wp.array(dtype=Body)):
    t = wp.tile_load(b, shape=4)
    u = wp.tile_load(b, shape=4, offset=4)
    wp.tile_store(out, t + u - t)


# ---- reductions


@wp.kernel
def reduce_all(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store(out, wp.tile_sum(t), offset=0)
    wp.tile_store(out, wp.tile_min(t), offset=1)
    wp.tile_store(out, wp.tile_max(t), offset=2)


@wp.kernel
def reduce_arguments(a: wp.array(dtype=int), out: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    lo = wp.tile_argmin(t)
    hi = wp.tile_argmax(t)
    out[0] = lo[0]
    out[1] = hi[0]


@wp.kernel
def reduce_axis(a: wp.array3d(dtype=float), out: wp.array2d(dtype=float), flat: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(2, 3, 4))
    wp.tile_store(out, wp.tile_sum(t, axis=0))
    wp.tile_store(out, wp.tile_sum(t, axis=2), offset=(3, 0))
    line = wp.tile_load(a, shape=(1, 1, 4))
    wp.tile_store(flat, wp.tile_sum(wp.tile_squeeze(line), axis=0))


@wp.kernel
def reduce_vectors(p: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    t = wp.tile_load(p, shape=N)
    s = wp.tile_sum(t)
    out[0] = s[0]


@wp.func
def product(a: float, b: float):
    return a * b


@wp.kernel
def reduce_custom(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_reduce(product, t))
    wp.tile_store(out, wp.tile_reduce(wp.add, t), offset=1)
    wp.tile_store(out, wp.tile_reduce(wp.min, t), offset=2)


@wp.func
def keep_larger(a: int, b: int):
    if a > b:
        return a
    return b


@wp.kernel
def reduce_custom_axis(a: wp.array2d(dtype=int), out: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store(out, wp.tile_reduce(keep_larger, t, axis=1))
    wp.tile_store(out, wp.tile_reduce(wp.max, t, axis=0), offset=ROWS)
    wp.tile_store(out, wp.tile_reduce(wp.mul, t, 0), offset=ROWS + COLS)


@wp.func
def join(a: Body, b: Body):
    c = Body()
    c.mass = a.mass + b.mass
    c.place = (a.place * a.mass + b.place * b.mass) / c.mass
    return c


@wp.kernel
def reduce_structs(b: wp.array(dtype=Body), out: wp.array(dtype=Body)):
    t = wp.tile_load(b, shape=N)
    wp.tile_store(out, wp.tile_reduce(join, t))
    wp.tile_atomic_add(out, wp.tile_sum(t), offset=1)


@wp.kernel
def reduce_dot(a: wp.array(dtype=float), p: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    x = wp.tile_load(a, shape=N)
    v = wp.tile_load(p, shape=N)
    d = wp.tile_dot(x, x)
    e = wp.tile_dot(v, v * 2.0)
    out[0] = d[0] + e[0]


@wp.kernel
def accumulate_scaled(a: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3), k: float):
    x = wp.tile_load(a, shape=N)
    acc = wp.tile_zeros(shape=N, dtype=wp.vec3)
    wp.tile_axpy(k, x, acc)
    wp.tile_axpy(0.5, src=x, dest=acc)
    wp.tile_store(out, acc)


@wp.kernel
def sort_pairs(k: wp.array(dtype=float), v: wp.array(dtype=int)):
    keys = wp.tile_load(k, shape=32)
    values = wp.tile_load(v, shape=32, storage="shared")
    wp.tile_sort(keys, values)
    wp.tile_store(k, keys)
    wp.tile_store(v, values)


@wp.kernel
def scan(a: wp.array(dtype=int), f: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    x = wp.tile_load(f, shape=N)
    wp.tile_store(a, wp.tile_scan_inclusive(t) + wp.tile_scan_exclusive(t))
    wp.tile_store(f, wp.tile_scan_max_inclusive(x) - wp.tile_scan_min_inclusive(x))


# ---- maps


@wp.func
def curve(x: float):
    return wp.tanh(x) * x


@wp.kernel
def map_unary(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_map(wp.sin, t)
    v = wp.tile_map(curve, u)
    w = wp.tile_map(wp.abs, -v)
    wp.tile_store(out, w)


@wp.func
def blend(x: float, y: float):
    return 0.5 * (x + y) * x


@wp.kernel
def map_binary(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float), k: float):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(b, shape=N)
    u = wp.tile_map(blend, x, y)
    v = wp.tile_map(wp.atan2, u, k)
    w = wp.tile_map(wp.max, v, 0.0)
    z = wp.tile_map(blend, w, 2.0)
    wp.tile_store(out, wp.tile_map(wp.mul, z, z))


@wp.func
def clip(x: float, lo: float, hi: float):
    return wp.min(wp.max(x, lo), hi)


@wp.kernel
def map_many(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float), hi: float):
    x = wp.tile_load(a, shape=N)
    y = wp.tile_load(b, shape=N)
    u = wp.tile_map(clip, x, y, hi)
    v = wp.tile_map(clip, u, -hi, y)
    wp.tile_store(out, v)


@wp.func
def doubled(x: Any):
    return x + x


@wp.kernel
def map_generic(a: wp.array(dtype=float), b: wp.array(dtype=int), p: wp.array(dtype=wp.vec2)):
    wp.tile_store(a, wp.tile_map(doubled, wp.tile_load(a, shape=N)))
    wp.tile_store(b, wp.tile_map(doubled, wp.tile_load(b, shape=N)))
    wp.tile_store(p, wp.tile_map(doubled, wp.tile_load(p, shape=N)))


@wp.func
def ripple(x: float):
    return wp.sin(x) * 0.5


@wp.func
def halved(x: float):
    return x * 0.5


@wp.func
def halved(x: int):
    return x // 2


@wp.kernel
def map_overloads(a: wp.array(dtype=float), b: wp.array(dtype=int)):
    wp.tile_store(b, wp.tile_map(halved, wp.tile_load(b, shape=N)))
    wp.tile_store(a, wp.tile_map(halved, wp.tile_load(a, shape=N)))


@wp.kernel
def map_without_adjoint(a: wp.array(dtype=float), b: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_load(b, shape=N)
    wp.tile_store(a, wp.tile_map(wp.floor, t) + wp.tile_map(wp.rint, t))
    wp.tile_store(b, wp.tile_map(wp.bit_and, u, 7))


@wp.func
def whitened(x: float):
    return ripple(x) + ripple(2.0 * x)


@wp.kernel
def map_nested(a: wp.array(dtype=float)):
    wp.tile_store(a, wp.tile_map(whitened, wp.tile_load(a, shape=N)))


@wp.func
def to_plane(v: wp.vec3, angle: float):
    return wp.vec2(v[0] * wp.cos(angle), v[1] * wp.sin(angle))


@wp.func
def is_big(x: float) -> int:
    if x > 1.0:
        return 1
    return 0


@wp.kernel
def map_changes_type(p: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.vec2), n: wp.array(dtype=int), angle: float):
    v = wp.tile_load(p, shape=N)
    wp.tile_store(q, wp.tile_map(to_plane, v, angle))
    wp.tile_store(n, wp.tile_map(is_big, wp.tile_map(wp.length_sq, v)))


@wp.func
def weigh(b: Body, k: float):
    return b.mass * k


@wp.func
def wake(b: Body):
    b.awake = True
    return b


@wp.kernel
def map_structs(b: wp.array(dtype=Body), out: wp.array(dtype=float), k: float):
    t = wp.tile_load(b, shape=N)
    wp.tile_store(out, wp.tile_map(weigh, t, k))
    wp.tile_store(b, wp.tile_map(wake, t))


@wp.func
def scaled_cube(x: wp.float64):
    return x * x * x


@wp.func_grad(scaled_cube)
def adj_scaled_cube(x: wp.float64, adj_ret: wp.float64):
    wp.adjoint[x] += wp.float64(3.0) * x * x * adj_ret


@wp.kernel
def map_custom_gradient(a: wp.array(dtype=wp.float64)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, wp.tile_map(scaled_cube, t))


def chosen(kind):
    if kind == "curve":
        return curve
    return ripple


@wp.kernel
def map_static_function(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=wp.static(N // 2))
    u = wp.tile_map(wp.static(chosen("ripple")), t)
    wp.tile_store(a, u)


# ---- threads and tiles


@wp.kernel
def thread_values(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile(a[i] * 2.0)
    total = wp.tile_sum(t)
    out[i] = wp.untile(t) / total[0]


@wp.kernel
def thread_vectors(p: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = p[i]
    spread = wp.tile(v)
    whole = wp.tile(v, preserve_type=True)
    s = wp.tile_sum(whole)
    out[i] = wp.untile(spread) + s[0] + wp.untile(whole)


@wp.kernel
def thread_matrices(m: wp.array(dtype=wp.mat22), q: wp.array(dtype=wp.quat), out: wp.array(dtype=wp.mat22)):
    i = wp.tid()
    a = m[i]
    r = q[i]
    spread = wp.tile(a)
    turned = wp.tile(r, preserve_type=True)
    packed = wp.tile(m[i] * 2.0, preserve_type=True)
    out[i] = wp.untile(spread) + wp.untile(packed)


@wp.kernel
def thread_structs(b: wp.array(dtype=Body), out: wp.array(dtype=Body)):
    i = wp.tid()
    one = b[i]
    t = wp.tile(one)
    s = wp.tile_sum(t)
    out[i] = s[0]


@wp.kernel
def thread_integers(a: wp.array(dtype=int), out: wp.array(dtype=int)):
    i, lane = wp.tid()
    flags = wp.tile(int(a[lane] > 0))
    before = wp.untile(wp.tile_scan_exclusive(flags))
    if a[lane] > 0:
        out[before] = i * wp.block_dim() + lane


@wp.kernel
def thread_stack(a: wp.array(dtype=int), out: wp.array(dtype=int), found: wp.array(dtype=int)):
    _, lane = wp.tid()
    s = wp.tile_stack(capacity=64, dtype=int)
    slot = wp.tile_stack_push(s, a[lane], a[lane] > 5)
    if lane == 0:
        found[0] = wp.tile_stack_count(s)
    value, where = wp.tile_stack_pop(s)
    if where != -1:
        out[where] = value + slot
    wp.tile_stack_clear(s)


@wp.kernel
def thread_stack_loop(a: wp.array(dtype=wp.vec2), out: wp.array(dtype=wp.vec2), rounds: int):
    _, lane = wp.tid()
    s = wp.tile_stack(ROWS, wp.vec2)
    for k in range(rounds):
        wp.tile_stack_push(s, a[lane], lane > k)
        v, at = wp.tile_stack_pop(s)
        if at >= 0:
            out[lane] = v


# ---- linear algebra


@wp.kernel
def matmul(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    x = wp.tile_load(a, shape=(ROWS, N), offset=(i * ROWS, 0))
    y = wp.tile_load(b, shape=(N, COLS), offset=(0, j * COLS))
    z = wp.tile_matmul(x, y)
    wp.tile_store(c, z, offset=(i * ROWS, j * COLS))


@wp.kernel
def matmul_accumulate(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float), steps: int):
    i, j = wp.tid()
    acc = wp.tile_zeros(shape=(ROWS, COLS), dtype=float)
    for k in range(steps):
        x = wp.tile_load(a, shape=(ROWS, N), offset=(i * ROWS, k * N))
        y = wp.tile_load(b, shape=(N, COLS), offset=(k * N, j * COLS))
        wp.tile_matmul(x, y, acc)
    wp.tile_store(c, acc, offset=(i * ROWS, j * COLS))


@wp.kernel
def matmul_scaled(a: wp.array2d(dtype=wp.float64), c: wp.array2d(dtype=wp.float64), k: wp.float64):
    x = wp.tile_load(a, shape=(4, 4))
    y = wp.tile_matmul(x, wp.tile_transpose(x), alpha=wp.float64(2.0))
    wp.tile_matmul(x, y, x, alpha=k, beta=k)
    wp.tile_store(c, x)


@wp.kernel
def matmul_half(a: wp.array2d(dtype=wp.float16), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    acc = wp.tile_zeros(shape=(8, 8), dtype=float)
    wp.tile_matmul(x, x, out=acc, alpha=0.5)
    wp.tile_store(c, acc)


@wp.kernel
def matmul_of_views(a: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(8, 8))
    left = x[:, :4]
    right = wp.tile_view(x, offset=(4, 0), shape=(4, 8))
    wp.tile_store(c, wp.tile_matmul(left, right))


@wp.kernel
def cholesky(a: wp.array2d(dtype=float), b: wp.array(dtype=float), l: wp.array2d(dtype=float), x: wp.array(dtype=float)):
    m = wp.tile_load(a, shape=(4, 4))
    rhs = wp.tile_load(b, shape=4)
    factor = wp.tile_cholesky(m)
    wp.tile_store(l, factor)
    wp.tile_store(x, wp.tile_cholesky_solve(factor, rhs))


@wp.kernel
def cholesky_upper(a: wp.array2d(dtype=wp.float64), b: wp.array2d(dtype=wp.float64)):
    m = wp.tile_load(a, shape=(4, 4))
    rhs = wp.tile_load(b, shape=(4, 2))
    factor = wp.tile_cholesky(m, fill_mode="upper")
    wp.tile_store(b, wp.tile_cholesky_solve(factor, rhs, fill_mode="upper"))


@wp.kernel
def cholesky_in_place(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    m = wp.tile_load(a, shape=(4, 4), storage="shared")
    rhs = wp.tile_load(b, shape=4, storage="shared")
    wp.tile_cholesky_inplace(m)
    wp.tile_cholesky_solve_inplace(m, rhs)
    wp.tile_store(b, rhs)


@wp.kernel
def cholesky_in_place_upper(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    m = wp.tile_load(a, shape=(4, 4))
    rhs = wp.tile_load(b, shape=4)
    wp.tile_cholesky_inplace(m, fill_mode="upper")
    wp.tile_cholesky_solve_inplace(m, rhs, fill_mode="upper")
    wp.tile_store(b, rhs)


@wp.kernel
def triangular_solves(l: wp.array2d(dtype=float), y: wp.array(dtype=float), z: wp.array2d(dtype=float)):
    m = wp.tile_load(l, shape=(4, 4))
    v = wp.tile_load(y, shape=4)
    w = wp.tile_load(z, shape=(4, 3))
    wp.tile_store(y, wp.tile_upper_solve(wp.tile_transpose(m), wp.tile_lower_solve(m, v)))
    wp.tile_store(z, wp.tile_lower_solve(m, w))


@wp.kernel
def triangular_solves_in_place(l: wp.array2d(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    m = wp.tile_load(l, shape=(4, 4))
    v = wp.tile_load(y, shape=4)
    wp.tile_lower_solve_inplace(m, v)
    wp.tile_upper_solve_inplace(wp.tile_transpose(m), v)
    wp.tile_store(y, v)


@wp.kernel
def add_to_diagonal(a: wp.array2d(dtype=float), d: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    m = wp.tile_load(a, shape=(4, 4))
    v = wp.tile_load(d, shape=4)
    wp.tile_store(out, wp.tile_diag_add(m, v))


@wp.kernel
def fourier(a: wp.array2d(dtype=wp.vec2f), out: wp.array2d(dtype=wp.vec2f)):
    t = wp.tile_load(a, shape=(2, 256))
    wp.tile_fft(t)
    wp.tile_store(out, t)


@wp.kernel
def fourier_filter(a: wp.array3d(dtype=wp.vec2d), k: wp.float64, out: wp.array3d(dtype=wp.vec2d)):
    t = wp.tile_load(a, shape=(2, 3, 512))
    wp.tile_fft(t)
    u = t * k
    wp.tile_ifft(u)
    wp.tile_store(out, u)


# ---- queries by a block


@wp.kernel
def query_boxes(bvh: wp.uint64, lo: wp.vec3, hi: wp.vec3, hits: wp.array(dtype=int)):
    q = wp.bvh_query_aabb_tiled(bvh, lo, hi)
    while wp.tile_query_valid(q):
        item = wp.untile(wp.bvh_query_next_tiled(q))
        if item >= 0:
            wp.atomic_add(hits, item, 1)


@wp.kernel
def query_ray(bvh: wp.uint64, start: wp.vec3, ray: wp.vec3, hits: wp.array(dtype=int)):
    q = wp.bvh_query_ray_tiled(bvh, start, ray)
    found = wp.bvh_query_next_tiled(q)
    most = wp.tile_max(found)
    hits[0] = most[0]


@wp.kernel
def query_mesh(mesh: wp.uint64, lo: wp.vec3, hi: wp.vec3, hits: wp.array(dtype=int)):
    q = wp.mesh_query_aabb_tiled(mesh, lo, hi)
    while wp.tile_query_valid(q):
        face = wp.untile(wp.mesh_query_aabb_next_tiled(q))
        if face >= 0:
            wp.atomic_add(hits, 0, face)


@wp.kernel
def query_old_names(bvh: wp.uint64, mesh: wp.uint64, lo: wp.vec3, hi: wp.vec3, hits: wp.array(dtype=int)):
    q = wp.tile_bvh_query_aabb(bvh, lo, hi)
    r = wp.tile_bvh_query_ray(bvh, lo, hi)
    m = wp.tile_mesh_query_aabb(mesh, lo, hi)
    a = wp.tile_bvh_query_next(q)
    b = wp.tile_bvh_query_next(r)
    c = wp.tile_mesh_query_aabb_next(m)
    s = wp.tile_sum(a + b + c)
    hits[0] = s[0]


# ---- storage: what becomes shared, and with whom


@wp.kernel
def storage_late(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_astype(t, dtype=wp.float64)
    v = wp.tile_map(wp.sin, t)
    wp.tile_store(out, v)
    out[0] = t[0] + float(u[1]) + v[2]


@wp.kernel
def storage_copy_of_register(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    u = t
    u[0] = 1.0
    wp.tile_store(out, t)


@wp.kernel
def storage_copy_of_shared(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N, storage="shared")
    u = t
    u[0] = 1.0
    wp.tile_store(out, t + u)


@wp.kernel
def storage_chosen(a: wp.array(dtype=float), out: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_ones(shape=N, dtype=float, storage="shared")
    w = wp.where(n > 0, u, t)
    x = wp.where(n > 1, w, u)
    out[0] = x[3]
    wp.tile_store(out, w)


@wp.kernel
def storage_of_store(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store(out, t, aligned=True)
    t[0, 0] = 1.0
    wp.tile_store(out, t, aligned=True)


# ---- control flow


@wp.kernel
def flow_branch(a: wp.array(dtype=float), out: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=N)
    if n > 0:
        t = t * 2.0
    elif n < -1:
        t = -t
    else:
        t = wp.tile_map(wp.cos, t)
    wp.tile_store(out, t)


@wp.kernel
def flow_branch_view(a: wp.array2d(dtype=float), out: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=(ROWS, COLS), storage="shared")
    row = t[0]
    if n > 0:
        row = t[1]
    wp.tile_store(out, row)


@wp.kernel
def flow_conditional(a: wp.array(dtype=float), out: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=N)
    u = t * 2.0 if n > 0 else t
    wp.tile_store(out, u)


@wp.kernel
def flow_for(a: wp.array2d(dtype=float), out: wp.array(dtype=float), n: int):
    acc = wp.tile_zeros(shape=COLS, dtype=float)
    peak = wp.tile_zeros(shape=COLS, dtype=float)
    for k in range(n):
        t = wp.tile_load(a, shape=(1, COLS), offset=(k, 0))
        row = wp.tile_squeeze(t)
        acc += row
        peak = wp.tile_map(wp.max, peak, row)
    wp.tile_store(out, acc - peak)


@wp.kernel
def flow_for_unrolled(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    acc = wp.tile_zeros(shape=COLS, dtype=float)
    t = wp.tile_load(a, shape=(3, COLS))
    for k in range(3):
        acc += t[k] * float(k + 1)
    wp.tile_store(out, acc)


@wp.kernel
def flow_for_static(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    for k in range(wp.static(HALF // 4)):
        t = wp.tile_load(a, shape=(wp.static(ROWS // 2), COLS), offset=(wp.static(ROWS // 2) * k, 0))
        wp.tile_store(out, t * wp.static(1.0 / ROWS), offset=(k * wp.static(ROWS // 2), 0))


@wp.kernel
def flow_while(a: wp.array(dtype=float), out: wp.array(dtype=float), n: int):
    k = int(0)
    t = wp.tile_zeros(shape=N, dtype=float, storage="shared")
    while k < n:
        u = wp.tile_load(a, shape=N, offset=k * N, storage="shared")
        t += u
        part = wp.tile_view(u, offset=(0,), shape=(4,))
        s = wp.tile_sum(part)
        if s[0] > 100.0:
            break
        k += 1
    wp.tile_store(out, t)


@wp.kernel
def flow_nested(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float), n: int):
    i, j = wp.tid()
    for k in range(n):
        best = wp.tile_full(shape=(2, 2), value=-1.0e6, dtype=float)
        for m in range(k):
            t = wp.tile_load(a, shape=(2, 2), offset=(2 * k, 2 * m))
            best = wp.tile_map(wp.max, best, t)
            if m > j:
                continue
        wp.tile_atomic_add(out, best, offset=(2 * i, 2 * j))


@wp.kernel
def flow_return(a: wp.array(dtype=float), out: wp.array(dtype=float), n: int):
    i, lane = wp.tid()
    if i >= n:
        return
    t = wp.tile_load(a, shape=N, offset=i * N)
    s = wp.tile_sum(t)
    if lane == 0:
        out[i] = s[0]


# ---- functions


@wp.func
def twice(t: wp.tile[float, 16]):
    return t * 2.0


@wp.kernel
def function_of_tile(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N, storage="shared")
    wp.tile_store(out, twice(t))


@wp.func
def mean(t: Any, n: float):
    return wp.tile_sum(t) / n


@wp.kernel
def function_generic(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store(out, mean(t, 32.0))


@wp.func
def spread(t: wp.tile[float]):
    return wp.tile_max(t) - wp.tile_min(t)


@wp.kernel
def function_of_any_shape(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, spread(t))


@wp.func
def lowest_and_highest(t: wp.tile[float, 8, 4]):
    return wp.tile_min(t), wp.tile_max(t)


@wp.kernel
def function_two_results(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    lo, hi = lowest_and_highest(t)
    out[0] = lo[0]
    wp.tile_store(out, hi, offset=1)


@wp.func
def read_block(a: wp.array(dtype=float), i: int):
    return wp.tile_load(a, shape=N, offset=i * N)


@wp.kernel
def function_returns_tile(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    t = read_block(a, i)
    u = read_block(a, i + 1)
    out[i] = t[0]
    wp.tile_store(out, u, offset=i * N)


@wp.func
def add_to(acc: wp.tile[float, 16], t: wp.tile[float, 16], k: float):
    acc += t * k


@wp.kernel
def function_in_place(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    acc = wp.tile_zeros(shape=N, dtype=float)
    t = wp.tile_load(a, shape=N, storage="shared")
    add_to(acc, t, 2.0)
    add_to(acc, t, 3.0)
    wp.tile_store(out, acc)


@wp.func
def sum_of_squares(a: wp.array(dtype=float), i: int):
    t = wp.tile_load(a, shape=N, offset=i * N, storage="shared")
    s = wp.tile_sum(t * t)
    return s[0]


@wp.kernel
def function_with_shared_memory(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = sum_of_squares(a, i)


@wp.func
def scale_rows(t: wp.tile[float, 8, 4], n: int):
    u = t * 0.5
    for k in range(n):
        u = u * 0.5
    return u


@wp.kernel
def function_with_loop(a: wp.array2d(dtype=float), n: int):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    wp.tile_store(a, scale_rows(t, n))


@wp.func
def energy(t: wp.tile[float, 16]):
    return wp.tile_sum(t * t)


@wp.func_grad(energy)
def adj_energy(t: wp.tile[float, 16], adj_ret: wp.tile[float, 1]):
    wp.adjoint[t] += t * 2.0


@wp.kernel
def function_custom_gradient(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, energy(t))


@wp.func_native("""
    return tile_sum(t).data[0];
""")
def native_sum(t: wp.tile[float, 16]) -> float: ...


@wp.kernel(enable_backward=False)
def function_native(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    out[0] = native_sum(t)


@wp.func
def apply_twice(f: wp.Function, t: wp.tile[float, 16]):
    return wp.tile_map(f, wp.tile_map(f, t))


@wp.kernel
def function_takes_function(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, apply_twice(curve, t))


# ---- other


@wp.kernel
def length_of_tile(a: wp.array2d(dtype=float), out: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    for k in range(len(t)):
        out[k] = len(t) - k


@wp.kernel
def print_tile(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    print(t)


@wp.kernel
def structs_with_structs(p: wp.array(dtype=Pair), out: wp.array(dtype=Pair)):
    t = wp.tile_load(p, shape=4)
    wp.tile_store(out, t)


@wp.kernel(enable_backward=False)
def forward_only(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS), storage="shared")
    s = wp.tile_sum(t, axis=1)
    wp.tile_store(out, s)


@wp.kernel(grid_stride=False)
def lean_launch(a: wp.array(dtype=float)):
    i, lane = wp.tid()
    t = wp.tile_load(a, shape=N, offset=i * N)
    if lane > 3:
        return
    wp.tile_store(a, t * t, offset=i * N)


@wp.func
def power(x: float):
    return wp.exp(x)


@wp.kernel
def softmax(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    row = wp.tile_squeeze(wp.tile_load(a, shape=(1, N), offset=(i, 0)))
    top = wp.tile_broadcast(wp.tile_max(row), shape=(N,))
    e = wp.tile_map(power, row - top)
    s = wp.tile_sum(e)
    wp.tile_store(out, wp.tile_reshape(e / s[0], shape=(1, N)), offset=(i, 0))


@wp.kernel
def least_squares(a: wp.array3d(dtype=float), b: wp.array2d(dtype=float), x: wp.array2d(dtype=float), damp: float):
    i = wp.tid()
    j = wp.tile_reshape(wp.tile_load(a, shape=(1, ROWS, COLS), offset=(i, 0, 0)), shape=(ROWS, COLS))
    r = wp.tile_reshape(wp.tile_load(b, shape=(1, ROWS), offset=(i, 0)), shape=(ROWS, 1))
    jt = wp.tile_transpose(j)
    h = wp.tile_matmul(jt, j)
    d = wp.tile_full(shape=COLS, value=damp, dtype=float)
    l = wp.tile_cholesky(wp.tile_diag_add(h, d))
    g = wp.tile_matmul(jt, r)
    s = wp.tile_cholesky_solve(l, wp.tile_squeeze(g, axis=(1,)))
    wp.tile_store(x, wp.tile_reshape(s, shape=(1, COLS)), offset=(i, 0))


def make_scaled(width: int, factor: float):
    @wp.kernel
    def scaled(a: wp.array(dtype=float)):
        i = wp.tid()
        t = wp.tile_load(a, shape=width, offset=i * width)
        wp.tile_store(a, t * factor, offset=i * width)

    return scaled


closure_narrow = make_scaled(4, 0.5)
closure_wide = make_scaled(64, 2.0)


# ---- accepted, and the text is as good as any; but the C++ does not compile (for the CPU, with Warp's own clang)


@wp.kernel
def broken_copy_of_view(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(ROWS, COLS))
    row = t[1]
    copy = row
    copy[0] = 1.0
    wp.tile_store(out, row + copy)


@wp.kernel
def broken_map_with_output(a: wp.array(dtype=float), p: wp.array(dtype=wp.vec3), out: wp.array(dtype=float), k: float):
    t = wp.tile_load(a, shape=N)
    v = wp.tile_load(p, shape=N)
    e = wp.tile_map(wp.exp, t) + wp.tile_map(wp.sqrt, t) + wp.tile_map(wp.tanh, t)
    wp.tile_store(out, wp.tile_map(wp.pow, e, k) + wp.tile_map(wp.length, v))


@wp.kernel
def broken_map_of_constants(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_map(clip, t, -1.0, 1.0))


@wp.kernel
def broken_map_of_builtin(a: wp.array(dtype=float), out: wp.array(dtype=float), lo: float, hi: float):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_map(wp.clamp, t, lo, hi))


@wp.kernel
def broken_thread_quaternions(q: wp.array(dtype=wp.quat), out: wp.array(dtype=float)):
    i = wp.tid()
    r = q[i]
    t = wp.tile(r)
    s = wp.tile_sum(t)
    out[i] = s[0]


@wp.kernel
def broken_matrix_write(m: wp.array4d(dtype=wp.mat22)):
    t = wp.tile_load(m, shape=(1, 2, 1, 2))
    t[0, 1, 0, 1] = wp.mat22(1.0, 2.0, 3.0, 4.0)
    wp.tile_store(m, t)


@wp.func
def raised(x: float, y: int):
    return x + float(y)


@wp.func
def raised(x: float, y: float):
    return x + y


@wp.kernel
def broken_map_overloads(a: wp.array(dtype=float), b: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_load(b, shape=N)
    wp.tile_store(a, wp.tile_map(raised, t, t) + wp.tile_map(raised, t, u))
