"""Wrong gradients that invented kernels showed, made as small as possible: one kernel a pattern of docs/explanation/verification.md."""
import warp as wp


@wp.kernel
def extremum_over_start(x: wp.array(dtype=wp.float64), top: wp.array(dtype=wp.float64)):
    """Atomic extremum: the start value that loses keeps the gradient that goes to the winner as well."""
    i = wp.tid()
    top[i] = x[i] * wp.float64(0.5)
    wp.atomic_max(top, i, x[i])


@wp.kernel
def logarithm_of_sum(x: wp.array2d(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """Result of a loop: the adjoint of the logarithm divides by the start value of the sum, zero."""
    i = wp.tid()
    total = wp.float64(0.0)
    for j in range(x.shape[1]):
        total += wp.exp(x[i, j])
    out[i] = wp.log(total)


@wp.kernel
def last_of_row(x: wp.array2d(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """Last value of a loop: its adjoint is set to zero before the iteration that needs it is reversed."""
    i = wp.tid()
    for j in range(x.shape[1]):
        last = x[i, j]
    out[i] = last


@wp.kernel
def largest_of_row(x: wp.array2d(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """Value carried in a loop: which element was the largest so far is asked of the values in the other order."""
    i = wp.tid()
    peak = x[i, 0]
    for j in range(1, x.shape[1]):
        peak = wp.max(peak, x[i, j])
    out[i] = peak


@wp.kernel
def smallest_component_of_sum(x: wp.array(dtype=wp.vec3d), n: int, out: wp.array(dtype=wp.float64)):
    """Branch after a loop: the component that is the smallest of the sum is looked for in the start value."""
    i = wp.tid()
    total = wp.vec3d()
    for j in range(n):
        total += x[j]
    out[i] = total[wp.argmin(total)]


@wp.kernel
def choice_by_count(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
    """Branch after a loop: a loop counts, and the reverse pass chooses by a count of zero."""
    i = wp.tid()
    count = int(0)
    for j in range(n):
        count = count + 1
    out[i] = wp.where(count == 0, x[i], y[i] * y[i])


@wp.kernel
def fraction_of_element(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """Fraction: wp.frac has an empty adjoint."""
    i = wp.tid()
    out[i] = wp.frac(x[i])
