weft check - --no-example <<EOF
import warp as wp


@wp.kernel
def factor(a: wp.array2d(dtype=float), l: wp.array2d(dtype=float)):
    m = wp.tile_load(a, shape=(4, 4))
    wp.tile_store(l, wp.tile_cholesky(m))


@wp.kernel
def factors_of_batch(a: wp.array3d(dtype=wp.float64), l: wp.array3d(dtype=wp.float64)):
    i = wp.tid()
    wp.tile_store(l[i], wp.tile_cholesky(wp.tile_load(a[i], shape=(3, 3))))


@wp.kernel
def some_lanes(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i, lane = wp.tid()
    t = wp.tile_load(a, shape=16, offset=i * 16)
    if lane > 3:
        return
    wp.tile_store(out, t * t, offset=i * 16)


@wp.func
def energy(t: wp.tile[float, 16]):
    return wp.tile_sum(t * t)


@wp.func_grad(energy)
def adj_energy(t: wp.tile[float, 16], adj_ret: wp.tile[float, 1]):
    wp.adjoint[t] += t * 2.0


@wp.kernel
def own_gradient(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=16)
    wp.tile_store(out, energy(t))
EOF
other='import warp as wp


@wp.kernel
def k(a: wp.array(dtype=float), b: wp.array2d(dtype=float)):
    a[wp.tid()] = b[0, 0] + b[0, 1]
'
for name in b a c b=1; do
    echo "$other" | weft check - --definite $name
done
