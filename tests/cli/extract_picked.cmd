weft extract - --no-backward <<EOF
import warp as wp

HALF = wp.bool(0.5)
NONE = wp.bool(0.0)


@wp.kernel
def flags(out: wp.array(dtype=wp.bool)):
    out[0] = HALF
    out[1] = NONE
    out[2] = wp.static(wp.bool(0.5))
    out[3] = wp.bool(0.25)


@wp.kernel
def pick_extracted(a: wp.array(dtype=float), i: wp.array(dtype=int), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=8)
    n = wp.tile_load(i, shape=2)
    out[0] = t[wp.tile_extract(n, 1)]


@wp.kernel
def pick_sum(a: wp.array(dtype=float), i: wp.array(dtype=int), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=8)
    n = wp.tile_load(i, shape=2)
    s = t[n * 2]
    wp.tile_store(out, s)


@wp.kernel
def pick_rows(a: wp.array2d(dtype=float), i: wp.array(dtype=int), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(4, 4))
    n = wp.tile_load(i, shape=2)
    s = t[1][n * 2]
    r = t[wp.tile_extract(n, 0)][1]
    u = t[wp.tile_extract(n, 1)][n]
    out[0, 0] = r
    wp.tile_store(out[0], s)
    wp.tile_store(out[1], u)


@wp.kernel
def too_many(a: wp.array2d(dtype=float), i: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=(4, 4))
    n = wp.tile_load(i, shape=2)
    s = t[n, 0, 0]
EOF
