import warp as wp


# The text of this mode is not known, whatever the kernel does.
@wp.kernel(module="unique", module_options={"deterministic": wp.DeterministicMode.RUN_TO_RUN})
def in_fixed_order(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, x[i])


@wp.kernel(module="unique", module_options={"max_unroll": 2, "deterministic": "run_to_run"})
def in_fixed_order_by_name(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, x[i])
