import warp as wp

DETAILED = True


@wp.struct
class Cell:
    level: float
    if DETAILED:
        slope: wp.vec2
    marker: int


@wp.kernel
def levels(cell: Cell, out: wp.array(dtype=float)):
    out[wp.tid()] = cell.level
