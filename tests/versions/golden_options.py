"""Options of kernels and of their modules: which are taken, and which values Warp refuses."""

import warp as wp


@wp.kernel(cuda_max_registers=0)
def no_registers(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(cuda_max_registers=True)
def registers_by_truth(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(cuda_max_registers=32, launch_bounds=64)
def registers_and_bounds(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(cuda_max_registers=None, launch_bounds=64)
def bounds_alone(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(enable_cuda_smem_spilling=1)
def spilling_by_number(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(enable_cuda_smem_spilling=False, cuda_max_registers=16)
def spilling_switched_off(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(cluster_dim=0)
def empty_cluster(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(cluster_dim=17)
def large_cluster(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(cluster_dim=16)
def largest_cluster(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(name="1st")
def name_with_digit_first(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(name="a.b")
def name_with_dot(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(name="given_name_2", grid_stride=False)
def named_without_stride(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(entry_point_abi=None, name=None)
def options_left_out(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(module="unique", module_options={"max_unrol": 3})
def unknown_module_option(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel(module="unique", module_options={"fast_math": True, "block_dim": 64, "max_unroll": 2})
def known_module_options(x: wp.array(dtype=float)):
    for k in range(3):
        x[k] = 1.0


@wp.kernel(module="unique", module_options={"deterministic": wp.DeterministicMode.NOT_GUARANTEED})
def not_deterministic(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    wp.atomic_add(total, 0, x[wp.tid()])


@wp.kernel(module="unique", module_options={"deterministic": wp.config.DeterministicMode.NOT_GUARANTEED})
def not_deterministic_by_config(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    total[0] += x[wp.tid()]
