weft check - --no-example <<EOF
import warp as wp


@wp.kernel
def loaded(a: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    q, d = wp.eig3(a[i])
    out[i] = wp.vec3(q[0, 0] * q[0, 1], d[1], q[2, 2] * q[2, 2])


@wp.kernel
def added(a: wp.array(dtype=wp.mat33d), b: wp.array(dtype=wp.mat33d), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    q, d = wp.eig3(a[i] + b[i])
    out[i] = q[0, 0] * q[0, 0] * d[0]


@wp.kernel
def squared(a: wp.array(dtype=wp.mat33), out: wp.array(dtype=float)):
    i = wp.tid()
    q, d = wp.eig3(wp.transpose(a[i]) * a[i])
    out[i] = q[0, 0] * q[0, 0] + d[2]


@wp.kernel
def overwritten(a: wp.array(dtype=wp.mat33), out: wp.array(dtype=float)):
    i = wp.tid()
    q, d = wp.eig3(a[i])
    out[i] = q[0, 0] * q[0, 0] * d[1]
    out[i] = out[i] * out[i]


@wp.kernel
def lopsided(v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    q, d = wp.eig3(wp.outer(v[i], wp.vec3(1.0, 2.0, 3.0)))
    out[i] = q[0, 0] * q[0, 0]


@wp.kernel
def forward_only(a: wp.mat33, out: wp.array(dtype=wp.vec3)):
    q, d = wp.eig3(a)
    out[wp.tid()] = d
EOF
other='import warp as wp


@wp.kernel
def k(a: wp.array(dtype=wp.mat22), b: wp.types.matrix(shape=(2, 3), dtype=float)):
    a[wp.tid()] = a[wp.tid()] * b[0, 0]
'
for name in a b c a=1; do
    echo "$other" | weft check - --symmetric $name
done
