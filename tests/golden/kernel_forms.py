"""Kernels that are not simply decorated functions of the module: in classes, made by a call, under other decorators."""
import warp as wp


class Solver:
    rate = 0.5

    @wp.func
    def damped(x: float):
        return x * 0.25

    @wp.kernel
    def relax(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = Solver.damped(x[i]) + 1.0

    class Setup:
        @wp.kernel(enable_backward=False)
        def clear(x: wp.array(dtype=float)):
            x[wp.tid()] = 0.0


class Derived(Solver):
    @wp.kernel
    def scale(x: wp.array(dtype=float), s: float):
        i = wp.tid()
        x[i] = x[i] * s


relax_in_class = Solver.relax
clear_in_inner_class = Solver.Setup.clear
scale_in_derived_class = Derived.scale


def shift_body(x: wp.array(dtype=float), by: float):
    i = wp.tid()
    x[i] = x[i] + by


shift = wp.kernel(shift_body)


def fill_body(x: wp.array(dtype=float), value: float):
    x[wp.tid()] = value


fill = wp.kernel(fill_body, enable_backward=False)


def unchanged(kernel):
    return kernel


@unchanged
@wp.kernel
def under_a_decorator(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = wp.sin(x[i])


@wp.kernel
def replaced(x: wp.array(dtype=float)):
    x[0] = 1.0


kept_under_another_name = replaced


@wp.kernel
def replaced(x: wp.array(dtype=float)):  # noqa: F811
    x[0] = 2.0
