weft check --range -300,-2 --dim 2 --shape 2 - <<EOF
import warp as wp


@wp.kernel
def unsigned(a: wp.array(dtype=wp.uint8), b: wp.array(dtype=wp.int8), c: wp.array(dtype=wp.uint32), out: wp.array(dtype=bool)):
    i = wp.tid()
    out[i] = a[i] < wp.uint8(1) and b[i] < wp.int8(0) and c[i] < wp.uint32(1)
EOF
