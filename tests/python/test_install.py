#!/usr/bin/env python3
"""weft.install(): Warp builds its modules from weft's text, and computes the same.

    test_install.py            exits with 77 without Warp or without the package
    test_install.py --sample   some of Warp's own unit tests, with and without (tools/peer_tests.py does all)
"""

import inspect
import subprocess
import sys
import tempfile
import unittest

import warp_env

PACKAGE = warp_env.BUILD / "python"
SAMPLE = ["tests/test_func.py"]

if not (PACKAGE / "weft" / "_native.abi3.so").exists() or not warp_env.reexec_with_warp():
    print("skipped: the Python package was not built, or this version of Warp is not installed")
    sys.exit(77)
sys.path.insert(0, str(PACKAGE))
if "--sample" in sys.argv:
    folder = warp_env.warp_package.find_warp(warp_env.wanted_version())[1]
    command = [sys.executable, warp_env.ROOT / "tools" / "peer_tests.py", *(folder / name for name in SAMPLE)]
    sys.exit(subprocess.run(command, env=warp_env.os.environ | {"WEFT_PACKAGE": str(PACKAGE)}).returncode)

wp, np = warp_env.start_warp()
import weft  # noqa: E402
from weft._install import definitions_in  # noqa: E402

# Does a module have one text for each device?
BY_DEVICE = "target" in inspect.signature(sys.modules["warp._src.context"].ModuleBuilder.__init__).parameters


@wp.struct
class Particle:
    speed: float
    place: wp.vec3


@wp.func
def square(x: float):
    return x * x


@wp.func
def energy(p: Particle):
    return square(p.speed) + wp.length_sq(p.place)


def make_kernels():
    """Kernels of a module of their own, which is built for the first time."""
    name = f"made_{len(made)}"
    made.append(name)
    module = wp.Module(name, None)

    @wp.kernel(enable_backward=False, module=module)
    def forward_only(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = square(x[i])

    @wp.kernel(module=module)
    def both(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        p = Particle()
        p.speed = x[i]
        p.place = wp.vec3(x[i], 1.0, 2.0)
        y[i] = energy(p)

    @wp.kernel(module=module)
    def tiled(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        wp.tile_store(y, 2.0 * wp.tile_load(x, shape=4))

    return forward_only, both, tiled


made = []


def run(kernel):
    x = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, device="cpu", requires_grad=True)
    y = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, 4, [x], [y], device="cpu")
    tape.backward(grads={y: wp.ones_like(y)})
    return y.numpy().tolist(), x.grad.numpy().tolist()


class Installing(unittest.TestCase):
    def tearDown(self):
        weft.uninstall()

    def test_counts_and_values(self):
        counts = weft.install()
        forward_only, both, tiled = make_kernels()
        self.assertEqual(run(both), ([7.0, 13.0, 23.0, 37.0], [4.0, 8.0, 12.0, 16.0]))
        self.assertEqual(run(forward_only)[0], [1.0, 4.0, 9.0, 16.0])
        x = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, device="cpu")
        y = wp.zeros_like(x)
        wp.launch_tiled(tiled, dim=[1], inputs=[x, y], block_dim=both.module.options["block_dim"], device="cpu")
        self.assertEqual(y.numpy().tolist(), [2.0, 4.0, 6.0, 8.0])
        if BY_DEVICE:
            self.assertEqual((counts.by_weft, counts.by_warp), (3, 0))
            self.assertIn("3 kernels by weft, 0 by Warp", repr(counts))
        else:
            self.assertEqual((counts.by_weft, counts.by_warp), (2, 1))
            self.assertIn("tiles of CUDA are left to Warp", next(iter(counts.reasons)))

    def test_the_text_is_wefts(self):
        weft.install()
        _, both, _ = make_kernels()
        context = sys.modules["warp._src.context"]
        options = both.module.options
        hasher = context.ModuleHasher(both.module._get_live_kernels(), options)
        for device in ("cpu", "cuda"):
            target = {"target": device} if BY_DEVICE else {}
            one = {"output_arch": None} | ({"block_dim": 1} if device == "cpu" else {})
            builder = context.ModuleBuilder(both.module, options | one, hasher, **target)
            warps, ours = builder.codegen(device).split("namespace weft_text {")
            self.assertEqual(ours.count(" square_0("), 1 + 3)  # defined once; called by another function, its reverse pass, and a kernel
            self.assertIn("both_", ours)
            self.assertNotIn("both_", warps)
            self.assertIn("tiled_", ours if target and device == "cpu" else warps)
        meta = builder.build_meta()
        self.assertEqual(sum("_both_" in name for name in meta), 2)
        self.assertEqual(sum("_forward_only_" in name for name in meta), 1)

    def test_blocks_on_the_cpu(self):
        """Several threads of a block take another form of text; it computes the same, and tiles have their size."""
        if not BY_DEVICE:
            self.skipTest("this Warp has one form")
        results = []
        for installed in (False, True):
            counts = weft.install() if installed else None
            module = wp.Module(f"blocks_{installed}", None)

            @wp.kernel(module=module)
            def of_block(x: wp.array(dtype=float), y: wp.array(dtype=float)):
                i = wp.tid()
                a = x[i]
                t = wp.tile(a * a)
                y[i] = wp.untile(t + t)

            @wp.kernel(module=module)
            def plain(x: wp.array(dtype=float), y: wp.array(dtype=float)):
                i = wp.tid()
                y[i] = x[i] * x[i] * float(wp.block_dim())

            for kernel in (of_block, plain):
                x = wp.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dtype=float, device="cpu", requires_grad=True)
                y = wp.zeros(6, dtype=float, device="cpu", requires_grad=True)
                tape = wp.Tape()
                with tape:
                    wp.launch(kernel, 6, [x], [y], device="cpu", block_dim=2)
                tape.backward(grads={y: wp.ones_like(y)})
                results.append((y.numpy().tolist(), x.grad.numpy().tolist()))
        self.assertEqual(results[:2], results[2:])
        self.assertEqual((counts.by_weft, counts.by_warp), (2, 0), counts.reasons)

    def test_arrays_that_are_watched_are_warps(self):
        """Warp notes which arrays a kernel reads and writes while it writes the text."""
        counts = weft.install()
        wp.config.verify_autograd_array_access = True
        try:
            run(make_kernels()[1])
        finally:
            wp.config.verify_autograd_array_access = False
        self.assertEqual(counts.by_weft, 0)

    def test_analysis_is_warps(self):
        """A builder that is asked for no text builds the kernels, so that Warp learns what it wants to know."""
        context = sys.modules["warp._src.context"]
        counts = weft.install()
        _, both, _ = make_kernels()
        context.ModuleBuilder(both.module, both.module.options | {"output_arch": None})
        self.assertEqual((counts.by_weft, counts.by_warp), (0, 0))
        self.assertTrue(both.adj.variables)

    def test_uninstalled(self):
        before = sys.modules["warp._src.context"].ModuleBuilder
        counts = weft.install()
        self.assertIs(weft.install(), counts)
        self.assertIsNot(sys.modules["warp._src.context"].ModuleBuilder, before)
        self.assertIs(weft.uninstall(), counts)
        self.assertIs(sys.modules["warp._src.context"].ModuleBuilder, before)
        self.assertIsNone(weft.uninstall())
        run(make_kernels()[1])
        self.assertEqual(counts.by_weft, 0)

    def test_as_context(self):
        before = sys.modules["warp._src.context"].ModuleBuilder
        with weft.install() as counts:
            self.assertIsNot(sys.modules["warp._src.context"].ModuleBuilder, before)
            run(make_kernels()[1])
        self.assertGreater(counts.by_weft, 0)
        self.assertIs(sys.modules["warp._src.context"].ModuleBuilder, before)
        with self.assertRaises(ZeroDivisionError), weft.install():
            raise ZeroDivisionError
        self.assertIs(sys.modules["warp._src.context"].ModuleBuilder, before)

    def test_errors_are_warps(self):
        counts = weft.install()

        @wp.kernel(module="unique")
        def wrong(x: wp.array(dtype=float)):
            x[0] = nothing(1.0)  # noqa: F821

        with self.assertRaises(Exception) as caught:
            wp.launch(wrong, 1, [wp.zeros(1, dtype=float, device="cpu")], device="cpu")
        self.assertNotIsInstance(caught.exception, weft.Error)
        self.assertEqual(counts.by_warp, 1)


class Definitions(unittest.TestCase):
    def test_braces_in_texts(self):
        text = 'struct A\n{\n    int x;\n};\n\nstatic int  f(\n    int a)\n{\n    if (a) { g("}"); } // {\n    return \'{\'; /* } */\n}\n'
        self.assertEqual(
            definitions_in(text),
            [("struct A", "struct A\n{\n    int x;\n};\n\n"), ("static int f( int a)", text[text.index("static") :].strip() + "\n\n")],
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        wp.config.kernel_cache_dir = folder
        unittest.main()
