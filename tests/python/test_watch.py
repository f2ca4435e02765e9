#!/usr/bin/env python3
"""weft.check and weft.watch: verdicts about live kernels on the program's own data, confirmed by finite differences of the same launch;
the launches themselves go on as if nothing watched. Exits with 77 without Warp or without the package."""

import json
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import warnings

import warp_env

PACKAGE = warp_env.BUILD / "python"
if not (PACKAGE / "weft" / "_native.abi3.so").exists() or not warp_env.reexec_with_warp():
    print("skipped: the Python package was not built, or this version of Warp is not installed")
    sys.exit(77)
sys.path.insert(0, str(PACKAGE))
wp, np = warp_env.start_warp()
from warp import launch as warp_launch  # noqa: E402

import weft  # noqa: E402
from weft import _check  # noqa: E402


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

    def test_undefined_gradient(self):
        """All values are finite, and so is the true derivative; Warp's is not."""

        @wp.kernel
        def side(a: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.where(a[i] > 1.0, wp.sqrt(a[i] - 1.0), 0.0)

        verdict = weft.check(side, [np.array([0.5, 1.5]), np.zeros(2)])
        self.assertEqual((verdict.forward, verdict.gradient, verdict.finding, verdict.ok), ("pass", "mismatch", "gradient-undefined", False))
        self.assertIn("square root of -0.5", verdict.why)
        self.assertEqual(verdict.line, side.func.__code__.co_firstlineno + 3)
        defined = weft.check(side, [np.array([2.5, 1.5]), np.zeros(2)])
        self.assertEqual((defined.gradient, defined.finding, defined.ok), ("pass", None, True))

    def test_kink(self):
        """Two numbers are equal, and each side has a derivative of its own; a gradient that is wrong close by is still found."""

        @wp.kernel
        def box(p: wp.array(dtype=wp.vec3), low: wp.array(dtype=wp.vec3), high: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            low[i] = wp.min(wp.min(p[3 * i], p[3 * i + 1]), p[3 * i + 2])
            high[i] = wp.max(wp.max(p[3 * i], p[3 * i + 1]), p[3 * i + 2])

        @wp.kernel
        def carried_box(p: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
            i = wp.tid()
            a = wp.max(p[i], p[i + 1])
            for _k in range(n):
                a = a * a + 0.5
            y[i] = a

        flat = np.random.default_rng(3).random((24, 3))
        flat[:, 1:] = [0.0, 2.0]
        for data in (flat, np.zeros((24, 3)), np.ones((24, 3))):
            verdict = weft.check(box, [data, np.full((8, 3), 5.0), np.full((8, 3), 5.0)], 8)
            self.assertEqual((verdict.forward, verdict.gradient, verdict.prior, verdict.why), ("pass", "pass", "pass", ""))
        verdict = weft.check(carried_box, [np.full(9, 0.4), 3, np.zeros(8)], 8)
        self.assertEqual((verdict.forward, verdict.gradient), ("pass", "mismatch"))

    def test_exact_data(self):
        """A gradient that is wrong at these data alone, where the true one does not jump, is no kink."""

        @wp.func
        def square(a: float):
            return a * a + a

        @wp.func_grad(square)
        def adj_square(a: float, adj_ret: float):
            if a != 0.5:
                wp.adjoint[a] += adj_ret * (2.0 * a + 1.0)

        @wp.kernel
        def squared(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = square(x[i])

        self.assertEqual(weft.check(squared, [np.full(4, 0.25), np.zeros(4)]).gradient, "pass")
        self.assertEqual(weft.check(squared, [np.full(4, 0.5), np.zeros(4)]).gradient, "mismatch")

    def test_limit_of_steps(self):
        """Wherever the evaluators are stopped: a reverse pass that did not come to its end says nothing against Warp's."""

        @wp.kernel
        def summed(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
            i = wp.tid()
            s = float(0.0)
            for _k in range(n):
                s += (x[i] + 1.0) * (x[i] + 2.0) * (x[i] + 3.0) * (x[i] + 4.0) * (x[i] + 5.0) * (x[i] + 6.0) * (x[i] + 7.0)
            y[i] = s

        arguments = _check.Data(summed, [np.linspace(0.1, 0.8, 8), 50, np.zeros(8)]).arguments()
        verdicts = [_check.run(summed, arguments, (8,), 0, 8, steps) for steps in range(200, 4000, 100)]
        self.assertEqual({v.ok for v in verdicts}, {True})
        self.assertEqual({(v.forward, v.gradient) for v in verdicts}, {("none", "none"), ("pass", "none"), ("pass", "pass")})
        self.assertTrue(all("the gradient is not judged: too long" in v.why for v in verdicts if (v.forward, v.gradient) == ("pass", "none")))

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
        context, y = sys.modules["warp._src.context"], wp.zeros(4, dtype=float)
        original = context.invoke

        def broken(*args):
            original(*args)
            y.fill_(7.0)

        context.invoke = broken
        try:
            with weft.watch() as report:
                wp.launch(carried, dim=4, inputs=[wp.ones(4, dtype=float), 1], outputs=[y])
        finally:
            context.invoke = original
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


@wp.kernel
def squared(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def product(x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float)):
    i = wp.tid()
    z[i] = x[i] * y[x.shape[0] - 1 - i]


@wp.kernel
def mixed(h: wp.float16, v: wp.vec2h, b: bool, u: wp.uint64, x: wp.array(dtype=wp.float16), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    if b:
        y[i, j] = float(h * x[j]) + float(v[1]) + float(u)


@wp.struct
class Pair:
    x: wp.array(dtype=float)
    gain: wp.float16
    y: wp.array(dtype=float)


@wp.kernel
def in_struct(p: Pair):
    i = wp.tid()
    p.y[i] = p.x[i] * float(p.gain)


@wp.kernel
def endless(n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        s = s + wp.sin(float(k))
    y[i] = s


@wp.kernel
def again(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    a = x[i]
    for _k in range(n):
        a = wp.sin(a)
    y[i] = a


def rows_of(report):
    return {row.kernel: row for row in report}


class Ways(unittest.TestCase):
    """Each way in which a program can launch is seen, and goes on as if nothing watched."""

    def setUp(self):
        self.x, self.y = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float), wp.zeros(4, dtype=float)

    def assert_judged(self, report, launches, gradient="pass"):
        self.assertEqual([(r.launches, r.said[:2], r.said[2]) for r in report], [(launches, ("pass", gradient), "")])
        self.assertEqual(list(self.y.numpy()), [1.0, 4.0, 9.0, 16.0])

    def test_arguments_of_any_kind(self):
        x, y = self.x, self.y
        before = warp_launch
        with weft.watch() as report:
            self.assertIs(warp_launch, before)
            self.assertIs(wp.launch, before)
            warp_launch(squared, np.int64(4), (v for v in (x,)), (v for v in (y,)))
            wp.launch(squared, dim=[np.int32(4)], inputs=iter([x, y]))
            wp.launch(kernel=squared, dim=(4,), outputs=(x, y), device="cpu", record_tape=False)
            wp.launch(squared, 4, [x, y], [], [], [], "cpu", None, False, True, False, 0, 1)
            wp.launch(squared, 4, [x.numpy(), y.numpy()])
            wp.launch(squared, wp.constant(4), [x, y])
        self.assert_judged(report, 6)

    def test_taken_once(self):
        class Counted(list):
            taken = 0

            def __iter__(self):
                self.taken += 1
                return super().__iter__()

        def launch():
            inputs, outputs = Counted([self.x]), Counted([self.y])
            wp.launch(squared, 4, inputs, outputs)
            return inputs.taken, outputs.taken

        expected = launch()
        with weft.watch():
            self.assertEqual(launch(), expected)

    def test_recorded_commands(self):
        with weft.watch() as report:
            command = wp.launch(squared, dim=4, inputs=[self.x], outputs=[self.y], record_cmd=True)
            self.assertEqual((type(command).__name__, len(report)), ("Launch", 0))
            command.launch()
            command.launch()
            self.assertIsNone(wp.launch(squared, dim=4, inputs=[self.x], outputs=[self.y]))
        self.assert_judged(report, 3)
        self.y.zero_()
        with weft.watch() as report:
            command.launch()
        self.assert_judged(report, 1)

    def test_tiled(self):
        @wp.kernel
        def by_block(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i, lane = wp.tid()
            if lane == 0:
                y[i] = x[i] * x[i]

        with weft.watch() as report:
            wp.launch_tiled(by_block, dim=[4], inputs=[self.x, self.y], block_dim=8)
            wp.launch_tiled(by_block, dim=4, inputs=[self.x], outputs=[self.y], block_dim=8)
        self.assert_judged(report, 2)

    def test_extra_dimensions(self):
        with weft.watch() as report:
            wp.launch(squared, dim=(4, 3), inputs=[self.x, self.y])
        self.assertEqual([(r.dim, r.launches) for r in report], [((4, 3), 1)])
        self.assertEqual(report.mismatches, [])

    def test_packed_types(self):
        y = wp.zeros((2, 3), dtype=float)
        inputs = [0.5, wp.vec2h(1.0, 2.5), True, 2**40, wp.array([1.0, 2.0, 3.0], dtype=wp.float16), y]
        with weft.watch() as report:
            wp.launch(mixed, dim=(2, 3), inputs=inputs)
            pair = Pair()
            pair.x, pair.y, pair.gain = self.x, self.y, 2.5
            wp.launch(in_struct, 4, [pair])
        for row in report:
            self.assertEqual(row.said, ("pass", "pass", ""))
            self.assertLess(row.worst.output_error, 1e-5)
        self.assertEqual(y.numpy()[0, 1], np.float32(3.5 + 2**40))

    def test_tapes(self):
        """Gradients, and where a tape says that a launch was made."""

        def train():
            x, y = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
            with wp.Tape() as tape:
                wp.launch(squared, dim=2, inputs=[x], outputs=[y])
            tape.backward(grads={y: wp.ones(2, dtype=float)})
            return x.grad.numpy().tolist(), tape.launches[0][7] if len(tape.launches[0]) > 7 else None

        expected = train()
        with weft.watch() as report:
            self.assertEqual(train(), expected)
        self.assertEqual([row.launches for row in report], [1])

    def test_exceptions(self):
        wrong = [
            lambda: wp.launch(squared),
            lambda: wp.launch(squared, 4, [self.x]),
            lambda: wp.launch(squared, 4, [self.x, 3.0]),
            lambda: wp.launch(squared, "four", [self.x, self.y]),
            lambda: wp.launch(squared, None, [self.x, self.y]),
            lambda: wp.launch(squared, (1, 2, 3, 4, 5), [self.x, self.y]),
            lambda: wp.launch(squared, 4, [self.x, self.y], device="nowhere"),
            lambda: wp.launch(len, 4, [self.x, self.y]),
            lambda: wp.launch(squared, 4, 5),
            lambda: wp.launch(squared, 4, [self.x, self.y], colour="red"),
            lambda: wp.launch_tiled(squared, 4, [self.x, self.y]),
            lambda: wp.launch(squared, 4, (1 / 0 for _ in range(2))),
        ]

        def raised(call):
            try:
                call()
            except Exception as error:
                return type(error), str(error)
            return None

        expected = [raised(call) for call in wrong]
        self.assertNotIn(None, expected)
        with weft.watch() as report:
            self.assertEqual([raised(call) for call in wrong], expected)
            self.assertIsNone(wp.launch(squared, 0, [self.x, self.y]))
        self.assertEqual(len(report), 0)

    def test_watches_end_in_any_order(self):
        context = sys.modules["warp._src.context"]
        original = context.invoke
        one, two = weft.watch(), weft.watch()
        first, second = one.__enter__(), two.__enter__()
        wp.launch(squared, 4, [self.x, self.y])
        one.__exit__(None, None, None)
        wp.launch(squared, 4, [self.x, self.y])
        two.__exit__(None, None, None)
        wp.launch(squared, 4, [self.x, self.y])
        self.assertEqual([[row.launches for row in report] for report in (first, second)], [[1], [2]])
        self.assertIs(context.invoke, original)

    def test_what_weft_prints(self):
        """The same output with and without, also where Warp starts at the first launch."""
        text = """
            import contextlib, sys
            sys.path.insert(0, {package!r})
            import warp as wp, weft
            wp.config.kernel_cache_dir = {cache!r}

            @wp.kernel
            def told(x: wp.array(dtype=float)):
                x[wp.tid()] = 1.0 / (x[wp.tid()] - 1.0)

            with weft.watch() if sys.argv[1:] else contextlib.nullcontext() as report:
                print("begun")
                x = wp.ones(3, dtype=float, device="cpu")
                wp.launch(told, 3, [x], device="cpu")
                print(x.numpy())
            assert report is None or len(report) == 1, report
        """
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "program.py")
            path.write_text(textwrap.dedent(text).format(package=str(PACKAGE), cache=folder))
            said = []
            for arguments in ([], [], ["watched"]):  # the first one compiles
                done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                said.append(re.sub(r"[0-9.]+ ms", "ms", done.stdout + done.stderr))
            self.assertEqual(said[1], said[2])

    def test_the_way_of_cuda(self):
        """No card is needed: Warp's native function is asked from a function with the variables that Warp's own has."""
        core = sys.modules["warp._src.context"].runtime.core
        original, x, y = core.wp_cuda_launch_kernel, self.x, self.y

        def on_the_card(*_):
            y.assign(x.numpy() ** 2)
            return 0

        def launch(stream):
            kernel, device, adjoint = squared, "cpu", False  # noqa: F841
            params = wp.launch(squared, 4, [x, y], record_cmd=True).params  # noqa: F841
            return core.wp_cuda_launch_kernel(0)

        core.wp_cuda_launch_kernel = on_the_card
        try:
            with weft.watch() as report:
                self.assertEqual(launch(types.SimpleNamespace(is_capturing=False)), 0)
            self.assert_judged(report, 1)
            with weft.watch() as report:
                launch(types.SimpleNamespace(is_capturing=True))
            self.assertEqual(rows_of(report)["squared"].said, ("none", "none", "not judged: captured"))
            self.assertIs(core.wp_cuda_launch_kernel, on_the_card)
        finally:
            core.wp_cuda_launch_kernel = original


class NotJudged(unittest.TestCase):
    def watched(self, *launches):
        with weft.watch() as report:
            for launch in launches:
                wp.launch(*launch)
        self.assertEqual(report.mismatches, [])
        return [row.said for row in report]

    @unittest.skipUnless(hasattr(wp.ScopedCapture, "__enter__") and hasattr(wp._src.context.Graph, "_retain_module_exec"), "no graphs of the CPU")
    def test_captured(self):
        x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2, dtype=float)
        with weft.watch() as report, wp.ScopedDevice("cpu"):
            command = wp.launch(squared, dim=2, inputs=[x, y], record_cmd=True)
            with wp.ScopedCapture() as capture:
                wp.launch(squared, dim=2, inputs=[x, y])
                command.launch()
            self.assertEqual(list(y.numpy()), [0.0, 0.0])
            row = rows_of(report)["squared"]
            self.assertEqual((row.launches, row.captured, row.said), (2, 2, ("none", "none", "not judged: captured")))
            wp.capture_launch(capture.graph)
            self.assertEqual(list(y.numpy()), [1.0, 4.0])
            self.assertIn("1 kernels, 2 launches, 0 mismatches, 2 not judged: captured", str(report))
            y.zero_()
            wp.launch(squared, dim=2, inputs=[x, y])
        self.assertEqual((row.launches, row.captured, row.said), (3, 2, ("pass", "pass", "")))
        self.assertEqual(json.loads(report.to_json())[0]["captured"], 2)

    def test_shared_memory(self):
        data = wp.array(np.linspace(0.5, 2.0, 8), dtype=float)
        shared = r"not judged: the arguments '.*' and '.*' share memory that the kernel may write to"
        table = wp.array(np.full((4, 2), 1.5), dtype=float)
        pair = Pair()
        pair.x, pair.y, pair.gain = data[:4], data[2:6], 1.0
        flat = wp.array(ptr=data.ptr, dtype=float, shape=(4,), strides=(0,), copy=False)
        for launch in (
            (squared, 4, [data, data]),
            (squared, 4, [data[:5], data[3:]]),
            (squared, 4, [data.numpy(), data]),
            (product, 4, [data, data, data]),
            (in_struct, 4, [pair]),
            (squared, 4, [wp.ones(4, dtype=float), flat]),
        ):
            with self.subTest(launch[0].key):
                said = self.watched(launch)
                self.assertEqual([s[:2] for s in said], [("none", "none")])
                self.assertRegex(said[0][2], shared if launch[2][-1] is not flat else "elements of the argument 'y' share memory")
        for inputs in ([data, data, wp.zeros(8, dtype=float)], [table[:, 0], table[:, 0], table[:, 1]]):
            with self.subTest("read only"):
                self.assertEqual(self.watched((product, 4, inputs)), [("pass", "pass", "")])

    def test_check_of_shared_memory(self):
        x = np.ones(4, dtype=np.float32)
        with self.assertRaisesRegex(weft.Refused, "share memory"):
            weft.check(squared, [x, x], 4)
        self.assertTrue(weft.check(squared, (v for v in (x, x.copy())), np.int64(4)).ok)

    def test_too_long(self):
        with weft.watch() as report:
            wp.launch(endless, dim=1, inputs=[30_000_000], outputs=[wp.zeros(1, dtype=float)])
        row = rows_of(report)["endless"]
        self.assertEqual((row.said[:2], report.mismatches), (("none", "none"), []))
        self.assertIn("not judged: too long", row.said[2])

    def test_fewer_threads(self):
        """A launch that takes too many steps as a whole is judged by some of its threads."""
        y = wp.zeros(1024, dtype=float)
        with weft.watch() as report:
            wp.launch(again, dim=1024, inputs=[wp.full(1024, 0.4, dtype=float), 5_000], outputs=[y])
            wp.launch(endless, dim=1024, inputs=[5_000], outputs=[y])
        rows = rows_of(report)
        self.assertEqual((rows["again"].said[:2], rows["endless"].said), (("pass", "mismatch"), ("pass", "none", "")))

    def test_many_shapes(self):
        """Of a kernel that is launched with ever new shapes, the first ones are judged, and the others are counted."""
        with weft.watch() as report:
            for n in range(1, 31):
                wp.launch(squared, dim=n, inputs=[wp.ones(n, dtype=float)], outputs=[wp.zeros(n, dtype=float)])
        self.assertEqual([(row.launches, len(row.verdicts)) for row in report], [(1, 1)] * 8 + [(22, 0)])
        self.assertIn("more than 8 shapes", str(report))
        self.assertEqual(json.loads(report.to_json())[-1]["launches"], 22)

    def test_trouble_of_its_own(self):
        """Whatever goes wrong in weft, the program does not hear of it."""
        from weft import _check

        original, _check.Data.array = _check.Data.array, None
        try:
            self.assertIn("not judged: weft failed, TypeError", self.watched((squared, 4, [wp.ones(4, dtype=float), wp.zeros(4, dtype=float)]))[0][2])
        finally:
            _check.Data.array = original


class WrongArguments(unittest.TestCase):
    def test_check(self):
        x = np.ones(4, dtype=np.float32)
        for arguments, kind, words in (
            ({"kernel": "k"}, TypeError, "a file is given as a path"),
            ({"inputs": None}, TypeError, "inputs are a list of arguments, as for wp.launch, not NoneType"),
            ({"inputs": x}, TypeError, "inputs are a list of arguments, as for wp.launch, not ndarray"),
            ({"inputs": [x]}, TypeError, r"kernel 'squared' takes 2 arguments \(x, y\), not 1"),
            ({"inputs": [3, x]}, weft.Refused, r"'x' is an array of shape \(\); the kernel wants 1 dimension"),
            ({"inputs": [np.ones((2, 2)), x]}, weft.Refused, r"'x' is an array of shape \(2, 2\); the kernel wants 1 dimension"),
            ({"dim": "4"}, TypeError, "dim is a number of threads, or one to four of them, not '4'"),
            ({"dim": 4.0}, TypeError, "dim is a number of threads"),
            ({"dim": 2**40}, ValueError, "dim has one to four numbers from 1 to 2147483647"),
            ({"seed": "a"}, TypeError, "seed is a whole number, not 'a'"),
            ({"seed": -1}, ValueError, "seed is -1"),
            ({"threads": 0}, ValueError, "threads is 0"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(kind, words):
                weft.check(**{"kernel": squared, "inputs": [x, x.copy()], "dim": 4, **arguments})
        with self.assertRaisesRegex(TypeError, r"kernel 'doubled' takes 1 argument \(x\), not 0"):
            weft.check(doubled)
        self.assertTrue(weft.check(doubled, [x]).ok)
        with self.assertRaisesRegex(weft.Refused, "the argument 's' is int, not the struct"):
            weft.check(right, [np.ones((4, 3)), 3, x])

    def test_watch(self):
        """Said at once, before anything is watched."""
        for arguments, kind, words in (
            ({"per_kernel": "a"}, TypeError, "per_kernel is a whole number, not 'a'"),
            ({"threads": -1}, ValueError, "threads is -1"),
            ({"seed": None}, TypeError, "seed is a whole number, not None"),
            ({"report": 3}, TypeError, "report is a weft.Report to go on with, not int"),
            ({"raise_on": "error"}, ValueError, "raise_on is None or 'mismatch', not 'error'"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(kind, words):
                weft.watch(**arguments)

    def test_what_is_no_kernel(self):
        def plain(x):
            return x

        @wp.func
        def part(x: float):
            return x

        for thing, kind, words in (
            (lambda: 0, TypeError, "not a lambda"),
            (plain, weft.CompileError, "@wp.kernel would not take the function 'plain'"),
            (part, TypeError, "not a wp.Function, which has no text of its own"),
            (np, weft.CompileError, "there is no kernel in numpy"),
        ):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                weft.extract_ir(thing)
        with self.assertRaisesRegex(weft.CompileError, "there is no kernel 'zz' in squared"):
            weft.extract_ir(squared, name="zz")

    def test_numbers_that_are_not_finite(self):
        """JSON has none of them."""

        @wp.kernel
        def at_zero(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = wp.sqrt(x[i]) + 1.0

        with weft.watch() as report:
            wp.launch(at_zero, 2, [wp.zeros(2, dtype=float), wp.zeros(2, dtype=float)])

        def refuse(word):
            raise ValueError(word)

        rows = json.loads(report.to_json(), parse_constant=refuse)
        self.assertIsNone(rows[0]["true_value"])
        json.loads(report.to_sarif(), parse_constant=refuse)
        self.assertEqual(str(pickle.loads(pickle.dumps(report))), str(report))


KERNELS = """\
import warp as wp


@wp.kernel
def carried(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = x[i]
    for k in range(n):
        s = s * s
    y[i] = s


@wp.kernel
def right(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def known(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = x[i]
    for k in range(n):
        s = s * s  # weft: ignore[loop-carried]
    y[i] = s
"""

TESTS = """\
import kernels
import pytest
import warp as wp


def launch_carried(kernel=kernels.carried):
    x = wp.full(4, 1.1, dtype=float)
    wp.launch(kernel, dim=4, inputs=[x, 3, wp.zeros(4, dtype=float)])


def test_right():
    wp.launch(kernels.right, dim=4, inputs=[wp.ones(4, dtype=float), wp.zeros(4, dtype=float)])


def test_wrong():
    launch_carried()


def test_wrong_again():
    launch_carried()


@pytest.mark.weft_allow("carried")
def test_allowed():
    launch_carried()


@pytest.mark.weft_allow
def test_allowed_all():
    launch_carried()


@pytest.mark.weft_allow("right")
def test_another_is_allowed():
    launch_carried()


def test_own_failure():
    launch_carried()
    assert False, "its own"


@pytest.mark.xfail(strict=True)
def test_expected():
    launch_carried()


def test_known():
    launch_carried(kernels.known)
"""

REPORT = """
import json


def pytest_runtest_logreport(report):
    if report.when == "call":
        with open("outcomes.jsonl", "a") as file:
            file.write(json.dumps([report.nodeid.split("::")[-1], report.outcome, report.longreprtext]) + "\\n")
"""


class Pytest(unittest.TestCase):
    FAILING = {"test_wrong", "test_wrong_again", "test_another_is_allowed", "test_own_failure"}

    def setUp(self):
        try:
            import pytest  # noqa: F401
        except ImportError:
            self.skipTest("pytest is not installed")

    def run_tests(self, *options, settings=""):
        """{test: (outcome, text)}, and what was printed; of the process that the workers report to."""
        with tempfile.TemporaryDirectory() as folder:
            files = {"kernels.py": KERNELS, "test_it.py": TESTS, "outcomes.py": REPORT, "pytest.ini": f"[pytest]\n{settings}"}
            for name, text in files.items():
                pathlib.Path(folder, name).write_text(text)
            command = [sys.executable, "-m", "pytest", "-p", "weft._pytest", "-p", "outcomes", "-p", "no:cacheprovider", "-q", *options]
            env = warp_env.os.environ | {"PYTHONPATH": f"{PACKAGE}:{folder}"}
            answer = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True)
            outcomes = pathlib.Path(folder, "outcomes.jsonl")
            rows = [json.loads(line) for line in outcomes.read_text().splitlines()] if outcomes.exists() else []
            return {name: (outcome, text) for name, outcome, text in rows}, answer.stdout + answer.stderr

    def failed(self, outcomes):
        return {name for name, (outcome, _) in outcomes.items() if outcome == "failed"}

    def check_all(self, outcomes, printed):
        self.assertEqual(len(outcomes), 9, printed)
        self.assertEqual(self.failed(outcomes), self.FAILING, printed)
        self.assertEqual(outcomes["test_expected"][0], "skipped", printed)
        text = outcomes["test_wrong_again"][1]
        self.assertIn("kernels.py:4: Warp's gradient of carried is wrong", text)
        self.assertIn("kernels.py:9: a value is carried through a loop", text)
        self.assertIn("[loop-carried]", text)
        self.assertIn("hint: store the value of each iteration in an array", text)
        self.assertNotIn("gradient of carried", outcomes["test_own_failure"][1])

    def test_wrong_gradients_fail(self):
        outcomes, printed = self.run_tests("--weft-gradients")
        self.check_all(outcomes, printed)
        self.assertIn("3 kernels, 9 launches, 2 mismatches", printed)

    def test_workers(self):
        try:
            import xdist  # noqa: F401
        except ImportError:
            print("not tested: pytest-xdist is not installed")  # the other tests count
            return
        outcomes, printed = self.run_tests("--weft-gradients", "-n", "2")
        self.check_all(outcomes, printed)
        self.assertIn("3 kernels, 9 launches, 2 mismatches", printed)

    def test_allowed_by_settings(self):
        outcomes, printed = self.run_tests("--weft-gradients", settings="weft_allow = carried\n")
        self.assertEqual(self.failed(outcomes), {"test_own_failure", "test_expected"}, printed)  # strict: it passes now

    def test_report_only(self):
        outcomes, printed = self.run_tests("--weft-gradients", "--weft-report-only", "-k", "wrong or right")
        self.assertEqual(self.failed(outcomes), set(), printed)
        self.assertIn("2 kernels, 3 launches, 1 mismatch", printed)

    def test_without_the_option(self):
        outcomes, printed = self.run_tests("-k", "wrong", "--strict-markers")
        self.assertEqual(self.failed(outcomes), set(), printed)
        self.assertNotIn("gradients of Warp kernels", printed)


if __name__ == "__main__":
    done = unittest.main(exit=False).result
    if done.wasSuccessful() and done.skipped:
        print(f"skipped: {done.skipped[0][1]}")
        sys.exit(77)
    sys.exit(not done.wasSuccessful())
