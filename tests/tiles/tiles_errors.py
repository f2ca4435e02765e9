"""Tile kernels that Warp refuses. The comment above each is the message, after the line that quotes the source.

Where 1.19.0 says something else, or accepts it, a second comment says so."""
from typing import Any

import warp as wp

N = wp.constant(16)
vec2_double = wp.types.vector(length=2, dtype=wp.float64)


@wp.struct
class Body:
    place: wp.vec3
    mass: float


# ValueError: Tile functions require shape to be a compile time constant.
@wp.kernel
def shape_not_constant(a: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=n)
    wp.tile_store(a, t)


# ValueError: Tile functions require shape to be a compile time constant.
@wp.kernel
def shape_computed(a: wp.array(dtype=float)):
    t = wp.tile_zeros(shape=N * 2, dtype=float)
    wp.tile_store(a, t)


# ValueError: tile_load() array argument must have same number of dimensions as the tile shape, trying to perform an 1
#   dimensional load from an array with 2 dimensions.
@wp.kernel
def shape_rank(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t)


# ValueError: tile_load() offset argument must have the same number of dimensions as the array to load from, got 1
#   indices for an array with 2 dimensions
@wp.kernel
def offset_rank(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4), offset=(0,))
    wp.tile_store(a, t)


# ValueError: tile_store() 'a' argument must have the same number of dimensions as the 't' argument, but got 1
#   dimensions for 'a' and 2 dimensions for 't'
@wp.kernel
def store_rank(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(b, t)


# TypeError: tile_store() 'a' and 't' arguments must have the same dtype, got <class 'warp._src.types.int32'> and
#   <class 'warp._src.types.float32'>
@wp.kernel
def store_type(a: wp.array(dtype=float), b: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(b, t)


# ValueError: Invalid value for 'storage': 'global'. Expected 'shared' or 'register'.
@wp.kernel
def storage_name(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N, storage="global")
    wp.tile_store(a, t)


# WarpCodegenError: Couldn't find function overload for 'tile_ones' that matched inputs with types: [int32]
# 1.19.0: accepted
@wp.kernel
def ones_without_type(a: wp.array(dtype=float)):
    t = wp.tile_ones(shape=N)
    wp.tile_store(a, t)


# WarpCodegenError: Couldn't find function overload for 'tile_full' that matched inputs with types: [int32, float32]
# 1.19.0: accepted
@wp.kernel
def full_without_type(a: wp.array(dtype=float)):
    t = wp.tile_full(shape=N, value=1.0)
    wp.tile_store(a, t)


# TypeError: unsupported operand type(s) for -: 'Var' and 'int'
# 1.19.0: RuntimeError: tile_arange() arguments must be compile time constants, but stop is not
@wp.kernel
def range_not_constant(a: wp.array(dtype=float), n: int):
    t = wp.tile_arange(n)
    wp.tile_store(a, t)


# WarpCodegenError: Couldn't find function overload for 'add' that matched inputs with types: [tile(shape=(16,),
#   dtype=float32), float32]
@wp.kernel
def add_scalar(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t + 1.0)


# ValueError: tile_map() shapes do not match on dimension 0, got (16,) and (8,)
@wp.kernel
def add_shapes(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_load(a, shape=8)
    wp.tile_store(a, t + u)


# TypeError: tile_map() arguments must have the same dtype for this operation, got <class 'warp._src.types.float32'>
#   and <class 'warp._src.types.int32'>
@wp.kernel
def add_types(a: wp.array(dtype=float), b: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_load(b, shape=N)
    wp.tile_store(a, t + u)


# TypeError: Cannot multiply tile<vec3f> by tile<vec3f>: at least one element type must be scalar
@wp.kernel
def multiply_vectors(p: wp.array(dtype=wp.vec3)):
    t = wp.tile_load(p, shape=N)
    wp.tile_store(p, t * t)


# TypeError: Underlying scalar types don't match: tile=float32, const=int32
@wp.kernel
def multiply_types(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t * 2)


# WarpCodegenError: Couldn't find function overload for 'pow' that matched inputs with types: [tile(shape=(16,),
#   dtype=float32), float32]
@wp.kernel
def power_of_tile(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t**2.0)


# WarpCodegenError: Construct `ast.Lambda` not supported in kernels.
@wp.kernel
def map_lambda(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_map(lambda x: x * 2.0, t)
    wp.tile_store(a, u)


# RuntimeError: No overload of <Function sin(x: bfloat16)> found for tile element type vec3f
@wp.kernel
def map_without_overload(p: wp.array(dtype=wp.vec3)):
    t = wp.tile_load(p, shape=N)
    wp.tile_store(p, wp.tile_map(wp.sin, t))


# ValueError: tile_map() shapes do not match on dimension 0, got (16,) and (8,)
@wp.kernel
def map_shapes(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_load(a, shape=8)
    wp.tile_store(a, wp.tile_map(wp.add, t, u))


# TypeError: tile_map() 'a' argument must be a tile, got <class 'warp._src.types.float32'>
@wp.kernel
def map_of_scalar(a: wp.array(dtype=float)):
    a[0] = wp.tile_map(wp.sin, a[0])


# WarpCodegenValueError: Tile index 16 is out of bounds for axis 0 with size 16.
@wp.kernel
def index_out_of_bounds(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    a[0] = t[16]


# WarpCodegenTypeError: Tile indices must be integers or slices, got float32.
@wp.kernel
def index_float(a: wp.array(dtype=float), x: float):
    t = wp.tile_load(a, shape=N)
    a[0] = t[x]


# IndexError: tile_extract: incorrect number of indices (3) for tile shape (4, 4)
@wp.kernel
def index_too_many(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    b[0] = t[0, 1, 2]


# IndexError: tile_extract: incorrect number of indices (2) for matrix tile shape (4,)
# 1.19.0: accepted
@wp.kernel
def index_matrix_row(m: wp.array(dtype=wp.mat22), p: wp.array(dtype=wp.vec2)):
    t = wp.tile_load(m, shape=4)
    p[0] = t[1][0]


# WarpCodegenValueError: Slice component must be a compile-time constant.
@wp.kernel
def slice_not_constant(a: wp.array(dtype=float), n: int):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t[0:n])


# ValueError: tile_view() slice produced an empty tile with shape (0,); zero-length tile dimensions are not supported.
@wp.kernel
def slice_empty(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, t[4:4])


# WarpCodegenError: Compound assignment to a tile view (e.g. `t[a:b, :] += x` or `t[i] += x`) is not supported. Read
#   the view, update it, and assign it back explicitly.
@wp.kernel
def slice_update(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    t[0:4] += wp.tile_load(a, shape=4)
    wp.tile_store(a, t)


# WarpCodegenError: Tile view assignment requires a tile of matching shape on the right-hand side (e.g. `t[a:b, :] =
#   src` or `t[0] = row`), but got a value of type float32.
@wp.kernel
def slice_assign_scalar(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    t[0:4] = 1.0
    wp.tile_store(a, t)


# WarpCodegenError: Tile view assignment shape mismatch: destination view has shape (4,) but source has shape (5,).
@wp.kernel
def slice_assign_shape(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    t[0:4] = wp.tile_load(a, shape=5)
    wp.tile_store(a, t)


# WarpCodegenError: Advanced-index assignment on tiles (e.g. `t[indices, :] = src`) is not supported. Use slice
#   assignment (`t[a:b, :] = src`) or construct the tile explicitly.
@wp.kernel
def gather_assign(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    i = wp.tile_arange(4, dtype=int)
    t[i] = wp.tile_load(a, shape=4)
    wp.tile_store(a, t)


# ValueError: tile_view() integer offset -1 is out of bounds for axis 0 with size 16; negative offsets are only
#   wrapped for subscript indexing (e.g. t[-1, :]), not explicit tile_view() calls.
@wp.kernel
def view_out_of_bounds(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, wp.tile_view(t, offset=(-1,), shape=(4,)))


# ValueError: tile_view() if shape is specified it must have same number of dimensions as source tile, expected 2, got
#   1
@wp.kernel
def view_rank(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(a, wp.tile_view(t, offset=(0, 0), shape=(2,)))


# ValueError: New shape (4, 5) has total size 20 which does not match original size 16
@wp.kernel
def reshape_size(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(a, wp.tile_reshape(t, shape=(4, 5)))


# ValueError: tile_reshape() requires a contiguous tile; a tile view with shape (4, 2) and strides (4, 1) cannot be
#   reshaped in place. Copy the view into a new tile first, e.g. with wp.tile_assign().
@wp.kernel
def reshape_of_view(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(b, wp.tile_reshape(t[:, :2], shape=(8,)))


# ValueError: Cannot select an axis to squeeze out which has size not equal to one, axis=0, size=4
@wp.kernel
def squeeze_axis(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(4, 1))
    wp.tile_store(b, wp.tile_squeeze(t, axis=(0,)))


# ValueError: tile_broadcast() cannot broadcast dimension 4 into 5 at index 1
@wp.kernel
def broadcast_shape(a: wp.array(dtype=float), b: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=4)
    wp.tile_store(b, wp.tile_broadcast(t, shape=(4, 5)))


# TypeError: tile_transpose() argument must be a tile, got <class 'warp._src.types.float32'>
@wp.kernel
def transpose_scalar(a: wp.array(dtype=float)):
    wp.tile_transpose(a[0])


# ValueError: tile_sum() axis 2 is out of bounds for tile with 2 dimensions
@wp.kernel
def sum_axis_range(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(b, wp.tile_sum(t, axis=2))


# TypeError: '<' not supported between instances of 'Var' and 'int'
@wp.kernel
def sum_axis_not_constant(a: wp.array2d(dtype=float), b: wp.array(dtype=float), k: int):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(b, wp.tile_sum(t, axis=k))


# TypeError: tile_scan_inclusive() argument must be a tile of type float32, int32, or uint32, got <class
#   'warp._src.types.float64'>
@wp.kernel
def scan_type(a: wp.array(dtype=wp.float64)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, wp.tile_scan_inclusive(t))


# TypeError: First tile_sort() argument must be a tile of type float32, int32, uint32, int64, or uint64, got <class
#   'warp._src.types.float64'>
@wp.kernel
def sort_type(a: wp.array(dtype=wp.float64), b: wp.array(dtype=int)):
    k = wp.tile_load(a, shape=N)
    v = wp.tile_load(b, shape=N)
    wp.tile_sort(k, v)


# TypeError: tile_min() does not support Warp struct tile elements
@wp.kernel
def min_of_structs(b: wp.array(dtype=Body)):
    t = wp.tile_load(b, shape=4)
    u = wp.tile_min(t)


# RuntimeError: tile_reduce() operator <Function min(a: bfloat16, b: bfloat16)> has no overload accepting Warp struct
#   tile element type tiles_errors.Body
@wp.kernel
def reduce_structs(b: wp.array(dtype=Body)):
    t = wp.tile_load(b, shape=4)
    u = wp.tile_reduce(wp.min, t)


# RuntimeError: tile_atomic_add() only supports tiles with [u]int32, [u]int64, float16, bfloat16, float32, or float64
#   as the underlying scalar type, but got int8
@wp.kernel
def atomic_type(a: wp.array(dtype=wp.int8)):
    t = wp.tile_load(a, shape=N)
    wp.tile_atomic_add(a, t)


# AttributeError: 'Reference' object has no attribute '__name__'
@wp.kernel
def tile_of_element(p: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    t = wp.tile(p[i])


# ValueError: untile() argument last dimension 16 does not match the expected block width 256
@wp.kernel
def untile_shape(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    a[0] = wp.untile(t)


# TypeError: tile_scatter_add() 'value' type must match tile dtype, got <class 'warp._src.types.int32'> and tile dtype
#   <class 'warp._src.types.float32'>
@wp.kernel
def scatter_type(a: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile_zeros(shape=N, dtype=float)
    wp.tile_scatter_add(t, i, 1, True)


# ValueError: tile_stack() requires capacity to be a compile-time constant.
@wp.kernel
def stack_capacity(a: wp.array(dtype=float), n: int):
    s = wp.tile_stack(capacity=n, dtype=float)


# TypeError: tile_stack_push() value type <class 'warp._src.types.float32'> does not match stack dtype <class
#   'warp._src.types.int32'>
@wp.kernel
def stack_type(a: wp.array(dtype=float)):
    s = wp.tile_stack(capacity=8, dtype=int)
    i = wp.tile_stack_push(s, a[0], True)


# ValueError: tile_matmul(A, B, C) requires sizes of A, B and C to be consistent for a matmul
@wp.kernel
def matmul_shapes(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 3))
    wp.tile_store(a, wp.tile_matmul(t, t))


# WarpCodegenError: Couldn't find function overload for 'tile_matmul' that matched inputs with types: [tile(shape=(4,
#   4), dtype=int32), tile(shape=(4, 4), dtype=int32)]
@wp.kernel
def matmul_integers(a: wp.array2d(dtype=int)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(a, wp.tile_matmul(t, t))


# TypeError: tile_matmul() does not support complex tiles (vec2h, vec2f, vec2d). Complex matrix multiplication is not
#   implemented; use real float tiles (float16, bfloat16, float32, or float64).
@wp.kernel
def matmul_complex(a: wp.array2d(dtype=wp.vec2)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(a, wp.tile_matmul(t, t))


# ValueError: tile_cholesky() argument must be square
@wp.kernel
def cholesky_square(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 3))
    wp.tile_store(a, wp.tile_cholesky(t))


# ValueError: tile_cholesky() fill_mode must be "lower" or "upper"
@wp.kernel
def cholesky_fill(a: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(a, wp.tile_cholesky(t, fill_mode="full"))


# ValueError: tile_lower_solve() 'y' argument must have the same number of elements as the number of rows in 'L', got
#   5 elements in 'y' and 4 rows in 'L'
@wp.kernel
def solve_rows(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    l = wp.tile_load(a, shape=(4, 4))
    y = wp.tile_load(b, shape=5)
    wp.tile_store(b, wp.tile_lower_solve(l, y))


# ValueError: tile_fft() argument must have 'register' storage, got shared
@wp.kernel
def fourier_of_shared(a: wp.array2d(dtype=wp.vec2f)):
    t = wp.tile_load(a, shape=(1, 256), storage="shared")
    wp.tile_fft(t)


# TypeError: tile_fft() argument must be a tile of vec2f or vec2d (interpreted as complex) entries, got <class
#   'warp._src.types.vector.<locals>.vec_t'>
@wp.kernel
def fourier_of_own_type(a: wp.array2d(dtype=vec2_double)):
    t = wp.tile_load(a, shape=(1, 256))
    wp.tile_fft(t)


@wp.func
def turned(z: wp.vec2f):
    return wp.vec2f(-z[1], z[0])


# TypeError: tile_fft() argument must be a tile of vec2f or vec2d (interpreted as complex) entries, got <class
#   'warp._src.types.vector.<locals>.vec_t'>
@wp.kernel
def fourier_of_mapped(a: wp.array2d(dtype=wp.vec2f)):
    t = wp.tile_map(turned, wp.tile_load(a, shape=(1, 256)))
    wp.tile_fft(t)


# TypeError: tile_matmul() does not support a bfloat16 'out' tile. Allowed 'out' dtypes are float16, float32, and float64.
@wp.kernel
def product_in_bfloat16(a: wp.array2d(dtype=wp.bfloat16)):
    t = wp.tile_load(a, shape=(16, 16))
    wp.tile_store(a, wp.tile_matmul(t, t))


# TypeError: tile_matmul() does not support bfloat16 'a' or 'b' tiles when the backward pass is enabled. …
@wp.kernel
def product_of_bfloat16(a: wp.array2d(dtype=wp.bfloat16), c: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(16, 16))
    s = wp.tile_zeros(shape=(16, 16), dtype=float)
    wp.tile_matmul(t, t, s)
    wp.tile_store(c, s)


# TypeError: tile_cholesky() argument must be a tile of float32 or float64 entries
@wp.kernel
def factor_of_halves(a: wp.array2d(dtype=wp.float16)):
    t = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(a, wp.tile_cholesky(t))


# TypeError: tile_upper_solve() arguments must be tiles of float64 or float32
@wp.kernel
def solve_of_halves(a: wp.array2d(dtype=wp.float16), b: wp.array(dtype=wp.float16)):
    wp.tile_store(b, wp.tile_upper_solve(wp.tile_load(a, shape=(4, 4)), wp.tile_load(b, shape=4)))


# 1.19.0: TypeError: tile_matmul() precision='tf32' requires float32 tiles for a, b, and out; before, the argument is not known
@wp.kernel
def less_precision_of_doubles(a: wp.array2d(dtype=wp.float64)):
    t = wp.tile_load(a, shape=(16, 16))
    wp.tile_store(a, wp.tile_matmul(t, t, precision="tf32"))


# ValueError: tile_fft() argument must be a tile with at least 2 dimensions, got 1D
@wp.kernel
def fourier_of_line(a: wp.array(dtype=wp.vec2f)):
    t = wp.tile_load(a, shape=256)
    wp.tile_fft(t)


# AttributeError: 'tuple' object has no attribute 'type'
@wp.kernel
def attribute_of_tile(a: wp.array(dtype=float), n: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    n[0] = t.shape[0]


# WarpCodegenTypeError: Error, assigning to existing symbol t (<warp._src.types.tile object at 0x…>) with different
#   type (<warp._src.types.tile object at 0x…>)
@wp.kernel
def rebound_with_other_type(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    t = wp.tile_astype(t, dtype=wp.float64)


# RuntimeError: where() true value type (<warp._src.types.tile object at 0x…>) must be of the same type as the false
#   type (<warp._src.types.tile object at 0x…>)
@wp.kernel
def chosen_by_type(a: wp.array(dtype=float), b: wp.array(dtype=int), n: int):
    t = wp.tile_load(a, shape=N)
    u = wp.tile_load(b, shape=N)
    v = wp.where(n > 0, t, u)


@wp.func
def sum_of(t: wp.tile[int, 16]):
    return wp.tile_sum(t)


# WarpCodegenError: Couldn't find function overload for 'sum_of' that matched inputs with types: [tile(shape=(16,),
#   dtype=float32)]
@wp.kernel
def argument_type(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(a, sum_of(t))
