weft check - <<EOF
import warp as wp

SCALE = 2.5


@wp.kernel
def unset(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Warp joins SCALE behind the inner branches, and reads that outside of the outer one."""
    i = wp.tid()
    y = float(1.0)
    for k in range(3):
        if a[i] > 0.5:
            if a[i] > 0.6:
                y = y + SCALE * float(k)
            else:
                y = y + SCALE
        y = y * SCALE
    out[i] = y


@wp.kernel
def compared(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """The same, and what reads it is a comparison in the next round."""
    i = wp.tid()
    for k in range(2):
        if a[i] > 0.5:
            if a[i] > 0.6:
                out[i] = SCALE
            else:
                out[i] = SCALE * 2.0
        if a[i] < SCALE:
            out[i] = out[i] + 1.0


@wp.kernel
def joined(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Joined where all threads come by."""
    i = wp.tid()
    y = float(1.0)
    for k in range(3):
        if a[i] > 0.5:
            y = y + SCALE * a[i]
        else:
            y = y - SCALE
    out[i] = y


@wp.kernel
def copied(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """The advice."""
    i = wp.tid()
    y = float(1.0)
    scale = float(SCALE)
    for k in range(3):
        if a[i] > 0.5:
            if a[i] > 0.6:
                y = y + scale * float(k)
            else:
                y = y + scale
        y = y * scale
    out[i] = y
EOF
