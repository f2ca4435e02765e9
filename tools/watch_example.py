#!/usr/bin/env python3
"""Runs a program under weft.watch().

    watch_example.py [--plain] [--report FILE] [--confirm] PROGRAM.py [ARGUMENT...]

with an interpreter that has Warp; $WEFT_PACKAGE: the package, by default build/python. The table is printed behind what the program prints; with
--report, the program alone prints, and FILE gets {"table": ..., "rows": [...], "mismatches": [...]}. --plain runs the program without the
watch. --confirm holds each mismatch against central differences of Warp's own forward pass, on the data of the launch that it was found in.

Exits with 1 if a gradient or an output is wrong, with the program's own code if that ends it.
"""

import argparse
import json
import os
import pathlib
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python"))


class Recorder:
    """Keeps the arguments of the first launch of each kernel and shapes, as they were before it."""

    def __init__(self):
        self.kept = {}

    def __call__(self, launch):
        import warp as wp

        key = launch.kernel.key, launch.dim, launch.shapes
        if key not in self.kept and not launch.is_captured and launch.size() < 1_000_000:
            values = launch.values()
            self.kept[key] = launch.kernel, launch.dim, [wp.clone(v) if isinstance(v, wp.array) and v.size else v for v in values]


def is_real(value):
    import warp as wp

    return isinstance(value, wp.array) and value.size > 0 and wp._src.types.type_scalar_type(value.dtype) in (wp.float32, wp.float64)


def flat(array):
    return array.numpy().reshape(-1).astype("f8")


def like(array, data):
    import warp as wp

    shape = array.numpy().shape
    return wp.array(data.astype(array.numpy().dtype).reshape(shape), dtype=array.dtype, device="cpu")


def confirm(kernel, dim, values, seed=0):
    """(by central differences, by Warp's reverse pass): the derivative of a random sum of the outputs along a random direction."""
    import numpy as np
    import warp as wp

    random = np.random.default_rng(seed)
    fresh = [wp.clone(v, requires_grad=is_real(v)) if isinstance(v, wp.array) and v.size else v for v in values]
    wp.launch(kernel, dim, fresh, device="cpu", record_tape=False)
    written = [is_real(v) and not np.array_equal(flat(v), flat(b), equal_nan=True) for v, b in zip(fresh, values)]
    in_place = all(w for v, w in zip(values, written) if is_real(v))  # then what is written is also what is read
    if in_place and any(isinstance(v, float) or hasattr(v, "_wp_scalar_type_") for v in values if not isinstance(v, wp.array)):
        raise ValueError("what the kernel reads is given by value, and a launch has no gradient of that")
    along = [random.uniform(-1, 1, flat(v).shape) if is_real(v) and (in_place or not w) else None for v, w in zip(values, written)]
    weights = [random.uniform(-1, 1, flat(v).shape) if w else None for v, w in zip(values, written)]

    def moved(step):
        inputs = [like(v, flat(v) + step * a) if a is not None else wp.clone(v) if isinstance(v, wp.array) and v.size else v for v, a in zip(values, along)]
        wp.launch(kernel, dim, inputs, device="cpu", record_tape=False)
        return sum(np.dot(w, flat(v)) for w, v in zip(weights, inputs) if w is not None)

    step = 1e-2
    difference = (moved(step) - moved(-step)) / (2 * step)
    grads = [like(v, w) if w is not None else wp.zeros_like(v) if is_real(v) else None for v, w in zip(fresh, weights)]
    wp.launch(kernel, dim, fresh, adj_inputs=grads, adj_outputs=[], adjoint=True, device="cpu", record_tape=False)
    return difference, sum(np.dot(a, flat(g)) for a, g in zip(along, grads) if a is not None)


def confirmed(verdict, kept):
    """What central differences say about a mismatch, in words."""
    for (key, _, _), launch in kept.items():
        if key == verdict.kernel:
            try:
                difference, reverse = confirm(*launch)
            except Exception as error:  # a kernel that Warp itself cannot run backwards
                return f"not confirmed: {type(error).__name__}: {error}"
            return f"central differences {difference:.6g}, Warp's reverse pass {reverse:.6g}"
    return "not confirmed: the launch was not kept"


def run(program):
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if end.code:
            print(f"the program ended with {end.code}", file=sys.stderr)
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--confirm", action="store_true")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    sys.argv = [options.program, *options.arguments]
    sys.path[0] = str(pathlib.Path(options.program).parent)
    if options.plain:
        return run(options.program)
    sys.path.insert(1, PACKAGE)
    import warp  # noqa: F401

    import weft
    from weft import _launches

    recorder = Recorder()
    if options.confirm:
        _launches.listen(recorder)
    with weft.watch() as report:
        code = run(options.program)
    if options.confirm:
        _launches.unlisten(recorder)
    if options.report is None:
        print(report)
    else:
        found = [{**v.to_dict(), "confirmed": confirmed(v, recorder.kept) if options.confirm else ""} for v in report.mismatches]
        options.report.write_text(json.dumps({"table": str(report), "rows": json.loads(report.to_json()), "mismatches": found}))
    return code or (1 if report.mismatches and options.report is None else 0)


if __name__ == "__main__":
    sys.exit(main())
