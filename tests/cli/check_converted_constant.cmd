weft check - --no-example <<EOF
import warp as wp

K = wp.constant(wp.float64(0.3))


@wp.kernel
def after_branch(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """wp.float64(K) sets the variable that K is from here on."""
    i = wp.tid()
    x = wp.float64(1.0)
    if a[i] > wp.float64(0.5):
        x = wp.float64(K)
    out[i] = a[i] * x * K


@wp.func
def shifted(v: wp.float64):
    x = wp.float64(0.0)
    if v > wp.float64(0.5):
        x = wp.float64(K)
    return x + wp.float64(K) * v


@wp.kernel
def in_function(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = shifted(a[i])


@wp.kernel
def before(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y = a[i] * K
    x = wp.float64(K)
    out[i] = x + y


@wp.kernel
def changed(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """The sum is kept where K is."""
    i = wp.tid()
    total = wp.float64(K)
    for j in range(20):
        total += a[i]
    out[i] = total * wp.float64(K)


@wp.kernel
def same_branch(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    if a[i] > wp.float64(0.5):
        x = wp.float64(K)
        out[i] = a[i] * x * K


@wp.kernel
def copied(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """The advice."""
    i = wp.tid()
    k = K
    total = wp.float64(k)
    for j in range(20):
        total += a[i]
    if a[i] > wp.float64(0.5):
        total += wp.float64(k)
    out[i] = total * wp.float64(k) * k
EOF
