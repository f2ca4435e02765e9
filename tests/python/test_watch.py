#!/usr/bin/env python3
"""weft.check and weft.watch: verdicts about live kernels on the program's own data, confirmed by finite differences of the same launch;
the launches themselves go on as if nothing watched. Exits with 77 without Warp or without the package."""

import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings

import warp_env

PACKAGE = warp_env.BUILD / "python"
if not (PACKAGE / "weft" / "_native.abi3.so").exists() or not warp_env.reexec_with_warp():
    print("skipped: the Python package was not built, or this version of Warp is not installed")
    sys.exit(77)
sys.path.insert(0, str(PACKAGE))
wp, np = warp_env.start_warp()
import weft  # noqa: E402


@wp.struct
class Scale:
    factor: float
    axis: wp.vec3


@wp.kernel
def right(x: wp.array(dtype=wp.vec3), s: Scale, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.dot(x[i], s.axis) * s.factor


@wp.kernel
def carried(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    a = x[i]
    for _k in range(n):
        a = a * a + 0.5
    y[i] = a


@wp.kernel
def beyond(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i + 1]


@wp.kernel
def doubled(x: wp.array(dtype=wp.Any if hasattr(wp, "Any") else __import__("typing").Any)):
    i = wp.tid()
    x[i] = x[i] + x[i]


def scale():
    s = Scale()
    s.factor, s.axis = 2.0, wp.vec3(1.0, -2.0, 0.5)
    return s


def gradient_by_differences(x, n, w):
    """d/dx of w·y of `carried`, in double."""

    def value(v):
        for _ in range(n):
            v = v * v + 0.5
        return (w * v).sum()

    found = np.zeros_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = 1e-6
        found[i] = (value(x + step) - value(x - step)) / 2e-6
    return found


def gradient_by_warp(x, n, w):
    a, y = wp.array(x, dtype=float, requires_grad=True), wp.zeros(len(x), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(carried, dim=len(x), inputs=[a, n], outputs=[y])
    tape.backward(grads={y: wp.array(w, dtype=float)})
    return a.grad.numpy()


class Check(unittest.TestCase):
    def test_right(self):
        x = np.random.default_rng(1).random((8, 3), dtype=np.float32)
        for array in (x, wp.array(x, dtype=wp.vec3)):
            verdict = weft.check(right, [array, scale()], 8, outputs=[np.zeros(8, dtype=np.float32)])
            self.assertEqual((verdict.forward, verdict.gradient, verdict.ok, verdict.why), ("pass", "pass", True, ""))

    def test_wrong_gradient(self):
        x = np.random.default_rng(2).random(8)
        verdict = weft.check(carried, [x, 3, np.zeros(8)])
        self.assertEqual((verdict.forward, verdict.gradient, verdict.ok), ("pass", "mismatch", False))
        self.assertIn("mismatch", repr(verdict))
        self.assertNotAlmostEqual(verdict.true_value, verdict.warp_value)
        w = np.ones(8)
        self.assertGreater(np.abs(gradient_by_differences(x, 3, w) - gradient_by_warp(x, 3, w)).max(), 0.1)
        self.assertEqual(weft.check(carried, [x, 0, np.zeros(8)]).gradient, "pass")

    def test_no_derivative(self):
        """At zero, where a square root has none; the launch as a whole has no gradient to compare with."""

        @wp.kernel
        def step(g: wp.array(dtype=float), v: wp.array(dtype=float), p: wp.array(dtype=float)):
            i = wp.tid()
            v[i] = 0.9 * v[i] + 0.1 * g[i] * g[i]
            p[i] = p[i] - g[i] / (wp.sqrt(v[i]) + 1.0e-8)

        some_zero = weft.check(step, [np.array([0.0, 1.0, 2.0, 3.0]), np.zeros(4), np.ones(4)])
        self.assertEqual((some_zero.forward, some_zero.gradient, some_zero.ok), ("pass", "none", True))
        self.assertIn("not a finite number", some_zero.why)

    def test_found(self):
        verdict = weft.check(beyond, [np.ones(4), np.zeros(4)], dim=4)
        self.assertEqual((verdict.forward, verdict.ok), ("finding", False))
        self.assertIn("out-of-bounds", verdict.why)
        self.assertEqual((verdict.path, verdict.line), (__file__, beyond.func.__code__.co_firstlineno + 3))

    def test_no_numbers(self):
        """Memory that nobody has set: numpy warns of such a value, which a program may have made an error."""
        unset = np.full(4, 0x7FA00000, dtype=np.uint32).view(np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            verdict = weft.check(carried, [unset, 0, np.zeros(4, dtype=np.float32)], 4)
        self.assertNotEqual(verdict.forward, "mismatch")

    def test_generic(self):
        self.assertEqual(weft.check(doubled, [wp.array(np.ones(4), dtype=wp.float64)], 4).gradient, "pass")

    def test_arguments(self):
        with self.assertRaises(TypeError):
            weft.check(right, [np.ones((8, 3))], 8)
        with self.assertRaises(ValueError):
            weft.check(carried, [np.ones(8), 1, np.ones(8)], dim=0)
        with self.assertRaises(weft.Refused):
            weft.check(carried, [None, 1, np.ones(8)], dim=8)


class Watch(unittest.TestCase):
    def launches(self):
        x, y = wp.array(np.linspace(0.1, 0.8, 8), dtype=float), wp.zeros(8, dtype=float)
        for _ in range(3):
            wp.launch(carried, dim=8, inputs=[x, 3], outputs=[y])
        wp.launch(right, 8, [wp.ones(8, dtype=wp.vec3), scale(), y])
        return y.numpy()

    def test_report(self):
        original, expected = wp.launch, self.launches()
        with weft.watch() as report:
            self.assertTrue((self.launches() == expected).all())
        self.assertIs(wp.launch, original)
        rows = {row.kernel: row for row in report}
        self.assertEqual({k: (r.launches, len(r.verdicts)) for k, r in rows.items()}, {"carried": (3, 1), "right": (1, 1)})
        self.assertEqual((rows["carried"].worst.gradient, rows["right"].worst.gradient), ("mismatch", "pass"))
        self.assertLess(rows["carried"].worst.output_error, 1e-5)
        self.assertRegex(str(report), r"(?s)carried +3 +pass +mismatch.*2 kernels, 4 launches, 1 mismatch$")
        self.assertEqual([row["gradient"] for row in json.loads(report.to_json())], ["mismatch", "pass"])
        results = json.loads(report.to_sarif())["runs"][0]["results"]
        self.assertEqual([r["ruleId"] for r in results], ["gradient"])

    def test_raising(self):
        original = wp.launch
        with self.assertRaises(weft.Mismatch) as caught, weft.watch(raise_on="mismatch"):
            self.launches()
        self.assertEqual(caught.exception.verdict.kernel, "carried")
        self.assertIs(wp.launch, original)

    def test_wrong_outputs(self):
        """A program whose launch computes something else than its kernel says."""
        context = sys.modules["warp._src.context"]
        original = context.launch

        def broken(kernel, dim, inputs=(), outputs=(), **kwargs):
            original(kernel, dim, inputs, outputs, **kwargs)
            outputs[0].fill_(7.0)

        context.launch = broken
        try:
            with weft.watch() as report:
                wp.launch(carried, dim=4, inputs=[wp.ones(4, dtype=float), 1], outputs=[wp.zeros(4, dtype=float)])
        finally:
            context.launch = wp.launch = original
        self.assertEqual([row.worst.forward for row in report], ["wrong"])

    def test_what_cannot_be_run(self):
        @wp.kernel
        def tiles(x: wp.array(dtype=float)):
            t = wp.tile_load(x, shape=4)
            wp.tile_store(x, t)

        with weft.watch() as report:
            wp.launch(tiles, dim=1, inputs=[wp.ones(4, dtype=float)])
        self.assertEqual(len(report.mismatches), 0)
        self.assertIn("tile", str(report))


class Pytest(unittest.TestCase):
    def test_plugin(self):
        try:
            import pytest  # noqa: F401
        except ImportError:
            self.skipTest("pytest is not installed")
        with tempfile.TemporaryDirectory() as folder:
            test = pathlib.Path(folder, "test_it.py")
            test.write_text(textwrap.dedent("""
                import warp as wp

                @wp.kernel
                def simple(x: wp.array(dtype=float)):
                    x[wp.tid()] = x[wp.tid()] * 2.0

                def test_launch():
                    wp.launch(simple, dim=4, inputs=[wp.ones(4, dtype=float)])
            """))
            command = [sys.executable, "-m", "pytest", "-p", "weft._pytest", "-p", "no:cacheprovider", "--weft-gradients", "-q", str(test)]
            env = warp_env.os.environ | {"PYTHONPATH": str(PACKAGE)}
            answer = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True)
            self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
            self.assertIn("1 kernels, 1 launches, 0 mismatches", answer.stdout)


if __name__ == "__main__":
    unittest.main()
