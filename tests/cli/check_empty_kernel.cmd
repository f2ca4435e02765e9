weft check - <<EOF
import warp as wp


@wp.kernel
def empty():
    pass
EOF
