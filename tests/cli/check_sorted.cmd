weft check --dim 7 --shape start=8 --range start=0,20 --shape x=20 --shape out=20 --sorted start - <<EOF
import warp as wp


@wp.kernel
def rows(start: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    for k in range(start[i], start[i + 1]):
        out[k] = 2.0 * x[k]
EOF
