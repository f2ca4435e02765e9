weft check - --no-example <<EOF
import warp as wp

SCALE = 2.5


@wp.struct
class Pair:
    left: float
    right: wp.vec3


@wp.kernel
def inside(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Read where it was joined, in the same branch."""
    i = wp.tid()
    if a[i] > 0.5:
        if a[i] > 0.6:
            out[i] = SCALE
        else:
            out[i] = SCALE * 2.0
        out[i] = out[i] + SCALE


@wp.kernel
def in_loop(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 0.5:
        if a[i] > 0.6:
            out[i] = SCALE
        else:
            out[i] = SCALE * 2.0
    for k in range(n):
        out[i] = out[i] * SCALE


@wp.kernel
def in_while(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 0.5:
        if a[i] > 0.6:
            out[i] = SCALE
        else:
            out[i] = SCALE * 2.0
    y = float(1.0)
    while y < 9.0:
        y = y + 1.0
        out[i] = y * SCALE


@wp.kernel
def in_test(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 0.5:
        if a[i] > 0.6:
            out[i] = SCALE
        else:
            out[i] = SCALE * 2.0
    y = float(1.0)
    while y < SCALE:
        y = y + 1.0
    out[i] = y


@wp.kernel
def in_component(a: wp.array(dtype=float), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = wp.vec3(1.0, 2.0, 3.0)
    if a[i] > 0.5:
        if a[i] > 0.6:
            v = v * SCALE
        else:
            v = v / SCALE
    v[1] = SCALE
    out[i] = v


@wp.kernel
def in_update(a: wp.array(dtype=float), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = wp.vec3(1.0, 2.0, 3.0)
    if a[i] > 0.5:
        if a[i] > 0.6:
            v = v * SCALE
        else:
            v = v / SCALE
    v[1] += SCALE
    out[i] = v


@wp.kernel
def in_member(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = Pair()
    if a[i] > 0.5:
        if a[i] > 0.6:
            out[i] = SCALE
        else:
            out[i] = SCALE * 2.0
    s.left = SCALE
    out[i] = s.left


@wp.kernel
def in_variable(a: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    y = float(1.0)
    for k in range(n):
        if a[i] > 0.5:
            if a[i] > 0.6:
                y = y + SCALE
            else:
                y = SCALE
        y = SCALE
    out[i] = y


@wp.kernel
def twice_inside(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Two branches deep, read one branch out."""
    i = wp.tid()
    if a[i] > 0.3:
        if a[i] > 0.5:
            if a[i] > 0.6:
                out[i] = SCALE
            else:
                out[i] = SCALE * 2.0
        out[i] = out[i] + SCALE
EOF
