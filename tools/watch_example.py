#!/usr/bin/env python3
"""Runs a program under weft.watch().

    watch_example.py [--plain] [--report FILE] [--confirm] PROGRAM.py [ARGUMENT...]

with an interpreter that has Warp; $WEFT_PACKAGE: the package, by default build/python. The table is printed behind what the program prints; with
--report, the program alone prints, and FILE gets {"table": ..., "rows": [...], "mismatches": [...], "seconds": ..., "inside": ...},
the last one of the watch alone. --plain runs the program without the watch. --confirm holds each mismatch against Warp itself: central
differences of the forward pass against a tape, on the data of a launch that it was found in.

Exits with 1 if a gradient or an output is wrong, with the program's own code if that ends it.
"""

import argparse
import json
import os
import pathlib
import runpy
import sys
import time

STEPS = (1e-2, 3e-3, 1e-3)  # of central differences: float32 has seven digits
ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python"))


class Clock:
    """Adds up the seconds that the watch takes."""

    def __init__(self, module):
        self.inside = 0.0
        for name in ("_begin", "_end"):
            setattr(module, name, self.timed(getattr(module, name)))

    def timed(self, function):
        def call(*args):
            begin = time.perf_counter()
            try:
                return function(*args)
            finally:
                self.inside += time.perf_counter() - begin

        return call


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


def copied(value, **options):
    import warp as wp

    return wp.clone(value, **options) if isinstance(value, wp.array) and value.size else value


class Launch:
    """A launch that was kept, as a function of its real arrays: a random sum of what it writes, along a random direction."""

    def __init__(self, kernel, dim, values, seed=0):
        import numpy as np

        self.kernel, self.dim, self.values = kernel, dim, values
        self.random = np.random.default_rng(seed)
        after = self.forward(values)
        self.written = [is_real(v) and not np.array_equal(flat(a), flat(v), equal_nan=True) for a, v in zip(after, values)]
        in_place = all(w for v, w in zip(values, self.written) if is_real(v))  # then what is written is also what is read
        self.is_moved = [is_real(v) and (in_place or not w) for v, w in zip(values, self.written)]
        self.weights = [self.draw(v) if w else None for v, w in zip(values, self.written)]
        self.along = [self.draw(v) if m else None for v, m in zip(values, self.is_moved)]

    def draw(self, array):
        return self.random.uniform(-1, 1, flat(array).shape)

    def forward(self, values):
        import warp as wp

        fresh = [copied(v) for v in values]
        wp.launch(self.kernel, self.dim, fresh, device="cpu", record_tape=False)
        return fresh

    def moved(self, along, step):
        """What the launch writes; None for the other arrays."""
        inputs = [v if a is None else like(v, flat(v) + step * a) for v, a in zip(self.values, along)]
        return [flat(v) if w else None for v, w in zip(self.forward(inputs), self.written)]

    def slopes(self, along):
        """Of each array that is written: central differences of its elements, a row for each step."""
        import numpy as np

        ends = [(self.moved(along, step), self.moved(along, -step), step) for step in STEPS]
        return [np.stack([(up[i] - down[i]) / (2 * step) for up, down, step in ends]) if w else None for i, w in enumerate(self.written)]

    def leave_jumps(self, slopes):
        """Elements that jump on the way have a difference at each step that is another one, and no derivative: their weight is zero."""
        import numpy as np

        for i, rows in enumerate(slopes):
            if rows is not None:
                sizes = np.abs(rows[0])
                usual = np.median(sizes[sizes > 0]) if (sizes > 0).any() else 0.0
                self.weights[i] = np.where(np.ptp(rows, axis=0) <= 0.05 * (sizes + usual), self.weights[i], 0.0)

    def summed(self, slopes):
        """The differences of the sum, for each step."""
        return [float(sum(w @ rows[k] for w, rows in zip(self.weights, slopes) if w is not None)) for k in range(len(STEPS))]

    def differences(self, along):
        return self.summed(self.slopes(along))

    def reverse(self):
        """The gradient by each array, as a tape gives it; None: it has none."""
        import warp as wp

        fresh = [copied(v, requires_grad=is_real(v)) for v in self.values]
        with wp.Tape() as tape:
            wp.launch(self.kernel, self.dim, fresh, device="cpu")
        tape.backward(grads={v: like(v, w) for v, w in zip(fresh, self.weights) if w is not None})
        return [flat(v.grad) if m else None for v, m in zip(fresh, self.is_moved)]

    def at_undefined(self, gradients):
        """Differences by the first element whose gradient is not finite, and which one it is; None: all are finite."""
        import numpy as np

        for i, gradient in enumerate(gradients):
            bad = [] if gradient is None else np.flatnonzero(~np.isfinite(gradient))
            if len(bad):
                along = [np.zeros_like(a) if a is not None else None for a in self.along]
                along[i][bad[0]] = 1.0
                return self.differences(along), f"{self.kernel.adj.args[i].label}, element {bad[0]}", gradient[bad[0]]
        return None


def confirm(kernel, dim, values):
    """(is it confirmed?, in words): on the data of the program or, where the error is too small for float32 there, on others."""
    import numpy as np

    sure, words = compare(Launch(kernel, dim, values))
    if sure:
        return sure, words
    random = np.random.default_rng(1)
    other = [like(v, flat(v) * random.uniform(0.5, 1.5, flat(v).shape)) if is_real(v) else v for v in values]
    sure, others = compare(Launch(kernel, dim, other))
    return sure, f"{words}; with each number times 0.5 to 1.5: {others}"


def compare(launch):
    """(are they apart?, in words): central differences of Warp's forward pass against its reverse pass."""
    import numpy as np

    gradients = launch.reverse()
    undefined = launch.at_undefined(gradients)
    if undefined:
        differences, where, reverse = undefined
        return bool(np.isfinite(differences).all()), f"by {where}: central differences {listed(differences)}, tape {reverse}"
    slopes = launch.slopes(launch.along)
    launch.leave_jumps(slopes)
    reverse = sum(np.dot(a, g) for a, g in zip(launch.along, launch.reverse()) if a is not None)
    differences = launch.summed(slopes)
    spread = max(differences) - min(differences)  # rounding, and what a step is too long for
    apart = min(abs(d - reverse) for d in differences)
    return bool(apart > 4 * spread), f"central differences {listed(differences)}, tape {reverse:.5g}"


def listed(numbers):
    return ", ".join(f"{number:.5g}" for number in numbers)


def confirmed(verdict, kept):
    """(is it confirmed?, in words)"""
    for (key, _, _), launch in kept.items():
        if key == verdict.kernel:
            try:
                return confirm(*launch)
            except Exception as error:  # a kernel that Warp itself cannot run backwards
                return False, f"{type(error).__name__}: {error}"
    return False, "the launch was not kept"


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
    clock, begin = Clock(_launches), time.perf_counter()
    with weft.watch() as report:
        code = run(options.program)
    total = time.perf_counter() - begin
    if options.confirm:
        _launches.unlisten(recorder)
    if options.report is None:
        print(report)
    else:
        found = [{**v.to_dict(), "confirmed": confirmed(v, recorder.kept) if options.confirm else None} for v in report.mismatches]
        seconds = {"seconds": total, "inside": clock.inside}
        options.report.write_text(json.dumps({"table": str(report), "rows": json.loads(report.to_json()), "mismatches": found, **seconds}))
    return code or (1 if report.mismatches and options.report is None else 0)


if __name__ == "__main__":
    sys.exit(main())
