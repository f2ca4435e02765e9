"""Values that few kernels have: identities of integers, structs in structs that hold arrays, numbers at the limits of integers."""

# check: --range=1,4
import warp as wp


@wp.struct
class Holder:
    data: wp.array(dtype=float)
    count: int


@wp.struct
class Shelf:
    other: wp.array(dtype=float)
    holder: Holder
    scale: float


@wp.kernel
def identity_of_integers(a: wp.array(dtype=int), out: wp.array(dtype=int)):
    i = wp.tid()
    m = wp.identity(n=3, dtype=wp.int32)
    out[i] = a[i] * (m[0, 0] + 10 * m[1, 1] + 100 * m[2, 2] + 1000 * m[0, 2] + 10000 * m[1, 0])


@wp.kernel
def shelf_by_name(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    holder = Holder(data=b, count=3)
    shelf = Shelf(other=a, holder=holder, scale=2.5)
    out[i] = shelf.other[i] * 10.0 + shelf.holder.data[i] * shelf.scale + float(shelf.holder.count)


@wp.kernel
def largest_integers(a: wp.array(dtype=wp.float64), out: wp.array(dtype=int)):
    i = wp.tid()
    least = wp.float64(-2147483648.0)
    most = wp.float64(2147483647.0)
    zero = a[i] - a[i]
    out[i] = int(most + zero) - 5 + int(least + zero) + 7
