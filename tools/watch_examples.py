#!/usr/bin/env python3
"""Runs Warp's own differentiable examples on the CPU, briefly, with weft.watch() around them, and prints what it finds.

    watch_examples.py [NAME ...]      by default, all of warp/examples/optim that have the packages they need

Run it with an interpreter that has Warp. A mismatch is confirmed, or not, by central differences: of the launch on whose data it was found,
forward passes of Warp itself on both sides of a random direction, held against the reverse pass of Warp on the same data.
"""

import contextlib
import io
import os
import pathlib
import re
import runpy
import sys

import numpy as np
import warp as wp

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, os.environ.get("WEFT_PACKAGE", str(ROOT / "build/python")))
import weft  # noqa: E402

# What makes each one short.
ARGUMENTS = {
    "diffray": ["--train-iters", "1", "--height", "64"],
    "fluid_checkpoint": ["--num-frames", "4", "--train-iters", "1", "--pressure-iterations", "2"],
    "fluid_checkpoint_custom_backward": ["--num-frames", "4", "--train-iters", "1", "--pressure-iterations", "2"],
    "navier_stokes_perturbation": ["--spin-up-steps", "2", "--lead-steps", "2", "--train-iters", "1"],
    "particle_repulsion": ["--num-frames", "2"],
}


class Recorder:
    """Keeps the arguments of the first launch of each kernel and shapes, as they were before it."""

    def __init__(self, launch):
        self.launch, self.kept = launch, {}

    def __call__(self, kernel, dim=None, inputs=(), outputs=(), *args, **kwargs):
        values = [*inputs, *outputs]
        key = kernel.key, tuple(tuple(getattr(v, "shape", ())) for v in values)
        if key not in self.kept and not kwargs.get("adjoint"):
            self.kept[key] = kernel, dim, [wp.clone(v) if isinstance(v, wp.array) else v for v in values]
        return self.launch(kernel, dim, inputs, outputs, *args, **kwargs)


def is_real(value):
    return isinstance(value, wp.array) and wp._src.types.type_scalar_type(value.dtype) in (wp.float32, wp.float64)


def flat(array):
    return array.numpy().reshape(-1).astype(np.float64)


def confirm(kernel, dim, values, seed=0):
    """(by central differences, by Warp's reverse pass): the derivative of a random sum of the outputs along a random direction."""
    random = np.random.default_rng(seed)
    fresh = [wp.clone(v, requires_grad=is_real(v)) if isinstance(v, wp.array) else v for v in values]
    wp.launch(kernel, dim, fresh, device="cpu")
    written = [is_real(v) and not np.array_equal(flat(v), flat(b)) for v, b in zip(fresh, values)]
    in_place = all(w for v, w in zip(values, written) if is_real(v))  # then what is written is also what is read
    along = [random.uniform(-1, 1, flat(v).shape) if is_real(v) and (in_place or not w) else None for v, w in zip(values, written)]
    weights = [random.uniform(-1, 1, flat(v).shape) if w else None for v, w in zip(values, written)]

    def moved(step):
        inputs = []
        for value, direction in zip(values, along):
            if direction is not None:
                data = flat(value) + step * direction
                value = wp.array(data.astype(value.numpy().dtype).reshape(value.numpy().shape), dtype=value.dtype, device="cpu")
            elif isinstance(value, wp.array):
                value = wp.clone(value)
            inputs.append(value)
        wp.launch(kernel, dim, inputs, device="cpu")
        return sum(np.dot(w, flat(v)) for w, v in zip(weights, inputs) if w is not None)

    step = 1e-2
    difference = (moved(step) - moved(-step)) / (2 * step)
    grads = []
    for value, weight in zip(fresh, weights):
        grad = wp.zeros_like(value) if isinstance(value, wp.array) else None
        if weight is not None:
            shape = value.numpy().shape
            grad = wp.array(weight.astype(value.numpy().dtype).reshape(shape), dtype=value.dtype, device="cpu")
        grads.append(grad)
    wp.launch(kernel, dim, fresh, adj_inputs=grads, adj_outputs=[], adjoint=True, device="cpu")
    reverse = sum(np.dot(a, flat(g)) for a, g in zip(along, grads) if a is not None)
    return difference, reverse


def watch(name):
    print(f"## {name}")
    recorder = Recorder(wp._src.context.launch)
    path = pathlib.Path(wp.__file__).parent / "examples" / "optim" / f"example_{name}.py"
    arguments, sys.argv = sys.argv, [str(path), "--device", "cpu", "--headless", *ARGUMENTS.get(name, [])]
    saved = wp.launch, wp._src.context.launch
    wp.launch = wp._src.context.launch = recorder
    try:
        with contextlib.redirect_stdout(io.StringIO()), weft.watch() as report:
            runpy.run_path(str(path), run_name="__main__")
    except ImportError as error:
        print(f"not run: {error}\n")
        return
    finally:
        sys.argv = arguments
        wp.launch, wp._src.context.launch = saved
    print(re.sub(r"[^ (]*/(warp/examples/)", r"\1", str(report)))
    wrong = {verdict.kernel for verdict in report.mismatches}
    for (key, _), (kernel, dim, values) in recorder.kept.items():
        if key in wrong:
            difference, reverse = confirm(kernel, dim, values)
            print(f"{key}: central differences {difference:.6g}, Warp's reverse pass {reverse:.6g}")
    print()


def main():
    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    names = sys.argv[1:] or [p.stem[len("example_") :] for p in sorted((pathlib.Path(wp.__file__).parent / "examples/optim").glob("example_*.py"))]
    for name in names:
        watch(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
