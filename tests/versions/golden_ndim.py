"""Numbers that belong to types, `x.ndim` and `v.length`: Warp makes a constant of one only where it is passed to something."""

import warp as wp


@wp.kernel
def ndim_added(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = i + grid.ndim


@wp.kernel
def ndim_first(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = grid.ndim + i


@wp.kernel
def ndim_squared(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = grid.ndim * grid.ndim


@wp.kernel
def ndim_added_to_name(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    s = int(0)
    s += grid.ndim
    outi[i] = s


@wp.kernel
def ndim_in_builtin(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = wp.max(grid.ndim, i)


@wp.func
def twice(n: int):
    return n * 2


@wp.kernel
def ndim_in_function(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = twice(grid.ndim)


@wp.kernel
def ndim_converted(grid: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = float(grid.ndim)


@wp.kernel
def ndim_as_range(grid: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    for k in range(grid.ndim):
        out[i] += 1.0


@wp.kernel
def length_converted(grid: wp.array2d(dtype=float), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = out[i]
    out[i] = v * float(v.length)


@wp.kernel
def ndim_as_index(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = outi[grid.ndim]


@wp.kernel
def ndim_negated(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = -grid.ndim


@wp.kernel
def ndim_chosen(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    outi[i] = grid.ndim if i > 3 else 0


@wp.kernel
def ndim_as_condition(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    if grid.ndim:
        outi[i] = 1


@wp.kernel
def ndim_compared(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    if grid.ndim > i:
        outi[i] = 1


@wp.kernel
def ndim_in_logic(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    if i > 0 and grid.ndim:
        outi[i] = 1


@wp.kernel
def ndim_in_while(grid: wp.array2d(dtype=float), outi: wp.array(dtype=int)):
    i = wp.tid()
    while grid.ndim:
        outi[i] = 2


@wp.kernel
def ndim_as_view_index(grid: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    row = grid[grid.ndim]
    out[i] = row[0]
