weft check --dim 6000 --shape 3 - <<EOF
import warp as wp


@wp.kernel
def twice(out: wp.array(dtype=float)):
    for k in range(2):
        wp.atomic_add(out, 0, wp.static(float(k) * 0.5))
EOF
