# A field that is annotated twice is one member: in its first place, with its last type.
weft extract -d cuda --no-backward - <<'END' | sed -n '1,7p'
import warp as wp


@wp.struct
class Annotated:
    corner: wp.vec3
    weight: int
    corner: wp.vec2
    last: wp.uint8
    weight: float


@wp.kernel
def annotated_again(s: Annotated, out: wp.array(dtype=float)):
    out[wp.tid()] = s.corner[1] * s.weight
END
