#!/usr/bin/env python3
"""Live kernels: weft.extract_ir of objects gives what Warp writes for them in the same process.

    test_live.py            the kernels of tests/live, and what cannot be described; exits with 77 without Warp or without the package
    test_live.py --sample   kernel objects of a few files of Warp's own package (`make conformance` does all)
"""

import ast
import copy
import gc
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest
import weakref

import warp_env

ROOT = warp_env.ROOT
PACKAGE = warp_env.BUILD / "python"
SAMPLE = ["examples/core/example_sph.py", "tests/test_struct.py", "tests/test_static.py", "tests/test_generics.py", "tests/test_grad_customs.py"]

if not (PACKAGE / "weft" / "_native.abi3.so").exists() or not warp_env.reexec_with_warp():
    print("skipped: the Python package was not built, or this version of Warp is not installed")
    sys.exit(77)
sys.path[:0] = [str(PACKAGE), str(ROOT / "tests" / "live"), str(ROOT / "tools")]
if "--sample" in sys.argv:
    folder = warp_env.warp_package.find_warp(warp_env.wanted_version())[1]
    command = [sys.executable, ROOT / "tools" / "live_conformance.py", "--show", "3", "--at-least", "97"]
    sys.exit(subprocess.run([*command, *(folder / name for name in SAMPLE)], env=warp_env.os.environ | {"WEFT_PACKAGE": str(PACKAGE)}).returncode)

wp, np = warp_env.start_warp()
import kernels  # noqa: E402
import warp_oracle  # noqa: E402

import weft  # noqa: E402

SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
ALL = [value for value in vars(kernels).values() if isinstance(value, wp.Kernel) and not value.is_generic]
ALL += kernels.generic.overloads.values()


def texts(kernel):
    found = weft.extract_ir(kernel, "both")
    return {
        "name": found["full_name"],
        "cuda": warp_oracle.strip_comments(found["cuda_module"]),
        "cpu": warp_oracle.strip_comments(found["cpp_module"]),
    }


class Same(unittest.TestCase):
    maxDiff = 4000

    def test_every_kernel(self):
        self.assertGreater(len(ALL), 14)
        for kernel in ALL:
            with self.subTest(kernel.key):
                mine, warps = texts(kernel), warp_oracle.texts_and_name(kernel)
                for field in ("cuda", "cpu", "name"):
                    self.assertEqual(mine[field], warps[field])
                again, warps = texts(kernel), warp_oracle.texts_and_name(kernel)  # also after Warp has built it
                self.assertEqual(again["cuda"], warps["cuda"])

    def test_equal_types(self):
        """The same in a file, where weft has to tell the classes apart by how they are made."""
        import equal_types

        for found in (weft.extract_module(equal_types), weft.extract_module(pathlib.Path(equal_types.__file__), warp=wp.__version__)):
            warps = [warp_oracle.texts_and_name(getattr(equal_types, k["kernel_name"]))["name"] for k in found]
            self.assertEqual([k["full_name"] for k in found], warps)
            self.assertEqual(len(found), 3)

    def test_a_value_that_changes(self):
        before = texts(kernels.attributes)
        kernels.elsewhere.SCALE = 8.5
        try:
            after = texts(kernels.attributes)
            self.assertNotEqual(before["name"], after["name"])
            self.assertEqual(after, {k: v for k, v in warp_oracle.texts_and_name(kernels.attributes).items()})
        finally:
            kernels.elsewhere.SCALE = wp.constant(7.0)

    def test_undecorated(self):
        def plain(x: wp.array(dtype=float)):
            x[wp.tid()] = kernels.SCALE

        mine = texts(plain)
        self.assertEqual(mine, warp_oracle.texts_and_name(wp.kernel(plain)) | {})

    def test_modules(self):
        found = weft.extract_module(kernels)
        self.assertEqual(found.refused, [])
        self.assertEqual(sorted(k["full_name"] for k in found), sorted(texts(k)["name"] for k in ALL))
        of_module = {k["full_name"] for k in weft.extract_module(wp.get_module("kernels"))}
        self.assertLess({texts(kernels.constants)["name"], texts(kernels.static_one)["name"]}, of_module)

    def test_what_comes_back(self):
        found = weft.extract_ir(kernels.constants)
        self.assertEqual(found["python_source"].rstrip("\n"), kernels.constants.adj.source.rstrip("\n"))
        self.assertEqual(found["metadata"]["warp_version"], wp.__version__)
        self.assertEqual(found["metadata"]["arg_names"], ["x", "y"])


GAIN = 2.0
AXIS = wp.vec3(1.0, 2.0, 3.0)



class Beyond(unittest.TestCase):
    def test_what_warp_builds_is_not_called_wrong(self):
        import beyond

        for kernel in [v for v in vars(beyond).values() if isinstance(v, wp.Kernel)]:
            try:
                expected = warp_oracle.texts_and_name(kernel)
            except Exception:
                continue  # this version does not build it
            try:
                self.assertEqual(texts(kernel), expected, kernel.key)
            except weft.Refused:
                continue  # a CompileError would say that Warp refuses it, too

class Holder:
    gain = 1.0


@wp.func
def scaled(x: float):
    return x * 3.0


@wp.struct
class Pair:
    a: float
    b: float


def changeable(level):
    def raised(by):
        nonlocal level
        level += by

    @wp.kernel(module="unique")
    def changing(x: wp.array(dtype=float), pair: Pair):
        i = wp.tid()
        x[i] = scaled(x[i]) * GAIN + AXIS[0] + level + Holder.gain + pair.a
        for k in range(3):
            x[i] += float(k)

    return changing, raised


class Kept(unittest.TestCase):
    """A kernel keeps what weft found out about it, and whatever changes in the program is seen all the same."""

    def changes(self, kernel, change, undo):
        before = texts(kernel)
        self.assertIn("_weft_description", vars(kernel))
        self.assertEqual(texts(kernel), before)
        change()
        try:
            after = texts(kernel)
            self.assertTrue(after != before)
            vars(kernel).pop("_weft_description", None)
            self.assertEqual(after, texts(kernel))
        finally:
            undo()
        self.assertEqual(texts(kernel), before)

    def test_values(self):
        kernel, raised = changeable(1.5)
        module = globals()
        cases = {
            "a global": (lambda: module.update(GAIN=5.0), lambda: module.update(GAIN=2.0)),
            "an element of a vector": (lambda: AXIS.__setitem__(0, 9.0), lambda: AXIS.__setitem__(0, 1.0)),
            "the closure": (lambda: raised(1.0), lambda: raised(-1.0)),
            "an attribute": (lambda: setattr(Holder, "gain", 4.0), lambda: setattr(Holder, "gain", 1.0)),
        }
        for name, (change, undo) in cases.items():
            with self.subTest(name):
                self.changes(kernel, change, undo)
        self.refuses(kernel, lambda: module.update(GAIN=2), lambda: module.update(GAIN=2.0))
        self.refuses(kernel, lambda: module.pop("AXIS"), lambda axis=AXIS: module.update(AXIS=axis))

    def refuses(self, kernel, change, undo):
        before = texts(kernel)
        change()
        try:
            self.assertRaises(weft.Error, weft.extract_ir, kernel)
        finally:
            undo()
        self.assertEqual(texts(kernel), before)

    def test_options(self):
        kernel, _ = changeable(2.5)
        options, config = kernel.module.options, wp.config
        overwrites = config.enable_vector_component_overwrites
        self.changes(kernel, lambda: options.update(max_unroll=1), lambda: options.update(max_unroll=16))
        self.changes(kernel, lambda: options.update(enable_backward=False), lambda: options.update(enable_backward=True))
        self.changes(kernel, lambda: kernel.options.update(enable_backward=False), lambda: kernel.options.pop("enable_backward"))
        before = texts(kernel)
        config.enable_vector_component_overwrites = not overwrites
        try:
            after = texts(kernel)
            vars(kernel).pop("_weft_description")
            self.assertEqual(after, texts(kernel))
        finally:
            config.enable_vector_component_overwrites = overwrites
        self.assertEqual(before, texts(kernel))

    def test_functions_and_structs(self):
        kernel, _ = changeable(3.5)
        module, old_function, old_struct = globals(), scaled, Pair

        def other_function():
            @wp.func
            def scaled(x: float):
                return x * 4.0

            module["scaled"] = scaled

        self.changes(kernel, other_function, lambda: module.update(scaled=old_function))
        adj = old_function.adj
        self.changes(kernel, lambda: setattr(adj, "skip_reverse_codegen", True), lambda: setattr(adj, "skip_reverse_codegen", False))
        types = kernel.adj.arg_types
        wide = wp.array(dtype=wp.float64)
        narrow = types["x"]
        self.refuses(kernel, lambda: types.update(x=wide), lambda: types.update(x=narrow))
        self.assertIs(types["pair"], old_struct)

    def test_overloads_are_not_mistaken(self):
        """Warp copies a kernel to make an overload of it."""
        texts(kernels.constants)
        copied = copy.copy(kernels.constants)
        copied.adj = kernels.attributes.adj
        vars(copied).pop("_mangled_name", None)
        self.assertNotEqual(weft.extract_ir(copied)["cuda_forward"], weft.extract_ir(kernels.constants)["cuda_forward"])

    def test_nothing_is_kept_alive(self):
        """A kernel that nobody needs is gone at once, not when garbage is collected: until then, Warp builds it with its module."""

        def make():
            @wp.kernel
            def at_module_level(x: wp.array(dtype=float)):
                x[wp.tid()] = GAIN

            return at_module_level

        global at_module_level
        gc.disable()
        try:
            at_module_level = make()  # under the name that its text has
            texts(at_module_level)
            there = weakref.ref(at_module_level)
            at_module_level = make()
            self.assertIsNone(there())
            first = make()
            texts(first)
            self.assertIn("_weft_description", vars(first))
            there = weakref.ref(first)
            del first
            make()  # Warp has the last one of a name
            self.assertIsNone(there())
        finally:
            gc.enable()


class Doubled(ast.NodeTransformer):
    """Twice the number that was written."""

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(2.0 * node.value), node) if isinstance(node.value, float) else node


class Transformed(unittest.TestCase):
    def kernel(self, options=None):
        def changed(x: wp.array(dtype=float)):
            i = wp.tid()
            if wp.static(GAIN > 1.0):
                x[i] = x[i] * 1.5

        return wp.Kernel(changed, code_transformers=[Doubled()], options=options)

    def test_transformers(self):
        kernel = self.kernel()
        mine = texts(kernel)
        self.assertIn("= 3.0;", mine["cuda"])
        self.assertEqual(mine, warp_oracle.texts_and_name(kernel))
        self.assertIn("1.5", weft.extract_ir(kernel)["python_source"])

    def test_options_of_the_module_again(self):
        module = wp.get_module(__name__)
        kernel = self.kernel({name: value for name, value in module.options.items() if name != "block_dim"})
        self.assertEqual(texts(kernel), warp_oracle.texts_and_name(kernel))
        other = self.kernel(dict(module.options, max_unroll=3, block_dim=None))
        with self.assertRaises(weft.Refused) as caught:
            weft.extract_ir(other)
        self.assertIn("'max_unroll' of its own", caught.exception.message)

    def test_blocks_on_the_cpu(self):
        """Since 1.18, kernels whose own options are for blocks of several threads have other entry points; tiles are as in the module."""

        def plain(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = 2.0 * x[i]

        def tiled(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
            i, j = wp.tid()
            a = x[i, j]
            t = wp.tile(a)
            y[i, j] = wp.untile(t * 2.0)

        module = wp.get_module(__name__)
        for function in (plain, tiled):
            for block in (1, 8, module.options["block_dim"]):
                for backward in (True, False):
                    kernel = wp.Kernel(function, options={"block_dim": block, "enable_backward": backward})
                    with self.subTest(function.__name__, block=block, backward=backward):
                        mine = texts(kernel)
                        self.assertEqual(mine, warp_oracle.texts_and_name(kernel))
                        self.assertEqual("wp_cpu_run_block" in mine["cpu"], block != 1 and wp.__version__ >= "1.18")

    def test_cluster_of_the_module(self):
        @wp.kernel(module="unique")
        def clustered(x: wp.array(dtype=float)):
            x[0] = 1.0

        for size in (4, 1):
            clustered.module.options["cluster_dim"] = size
            mine = texts(clustered)
            self.assertEqual(mine, warp_oracle.texts_and_name(clustered))
            self.assertEqual("WP_CLUSTER_DIMS(4, 1, 1)" in mine["cuda"], size == 4)
        for size in (0, -1, 17, 2.0, "2", True):
            clustered.module.options["cluster_dim"] = size
            self.assertRaises(weft.Refused, weft.extract_ir, clustered)

    def test_attributes_of_functions(self):
        """As warp.fem does it: what a kernel's function is called with is an attribute of the function."""

        @wp.func
        def first(pair: Pair):
            return pair.a

        @wp.func
        def again(x: float):
            return first(Pair(x, x))

        first.wrappers = type("Wrappers", (), {})()
        first.wrappers.pair, first.other, first.factor = Pair, again, 3.0

        @wp.kernel
        def wrapped(x: wp.array(dtype=float)):
            i = wp.tid()
            x[i] = again(x[i]) + first(first.wrappers.pair(x[i], 2.0)) * first.other(x[i])

        @wp.kernel
        def constant(x: wp.array(dtype=float)):
            i = wp.tid()
            x[i] = first(Pair(x[i], 2.0)) * first.factor

        self.assertEqual(texts(wrapped), warp_oracle.texts_and_name(wrapped))
        self.assertRaises(weft.Refused, weft.extract_ir, constant)
        first.other = scaled
        self.assertEqual(texts(wrapped), warp_oracle.texts_and_name(wrapped))
        del first.other
        self.assertRaises(weft.Error, weft.extract_ir, wrapped)

    def test_options_that_only_the_compiler_sees(self):
        kernel, _ = changeable(4.5)
        before = texts(kernel)
        for name in ("verify_fp", "verify_autograd_array_access"):
            setattr(wp.config, name, True)
            try:
                self.assertEqual(texts(kernel), before)
                self.assertEqual(warp_oracle.texts_and_name(kernel), before)
            finally:
                setattr(wp.config, name, False)


class Refusals(unittest.TestCase):
    def refused(self, kernel, kind, words, line=None):
        with self.assertRaises(kind) as caught:
            weft.extract_ir(kernel)
        self.assertIn(words, caught.exception.message)
        self.assertEqual(caught.exception.path, __file__)
        first = kernel.adj.func.__code__.co_firstlineno
        if line is not None:
            self.assertEqual(caught.exception.line, first + line)
        return caught.exception

    def test_a_subclass_of_float(self):
        number = np.float64(2.0)

        @wp.kernel
        def odd(x: wp.array(dtype=float)):
            x[0] = number

        self.refused(odd, weft.Refused, "float64", 2)

    def test_a_static_with_two_values(self):
        numbers = iter((1.0, 2.0, 3.0, 3.0))

        @wp.kernel
        def drawn(x: wp.array(dtype=float)):
            x[0] = wp.static(next(numbers)) + wp.static(next(numbers))

        self.refused(drawn, weft.Refused, "with different values")

        @wp.kernel
        def same(x: wp.array(dtype=float)):
            x[0] = wp.static(next(numbers)) + wp.static(next(numbers))

        self.assertEqual(texts(same)["cuda"], warp_oracle.texts_and_name(same)["cuda"])

    def test_an_object(self):
        settings = kernels.Settings(1.5)

        @wp.kernel
        def odd(x: wp.array(dtype=float)):
            x[0] = settings.double

        self.refused(odd, weft.CompileError, "settings", 2)

    def test_a_tile_of_five_dimensions(self):
        @wp.kernel
        def tiles(x: wp.array(dtype=float)):
            t = wp.tile_zeros(shape=(1, 2, 1, 2, 1), dtype=float)
            x[0] = 1.0

        self.refused(tiles, weft.Refused, "tile", 2)

    def test_the_kernel_is_wrong(self):
        @wp.kernel
        def wrong(x: wp.array(dtype=float)):
            x[0] = x

        self.refused(wrong, weft.CompileError, "", 2)

    def test_debug_mode(self):
        @wp.kernel(module="unique", module_options={"mode": "debug"})
        def debugged(x: wp.array(dtype=float)):
            x[0] = 1.0

        self.refused(debugged, weft.Refused, "mode")

    def test_generic_without_overloads(self):
        @wp.kernel
        def open_kernel(x: wp.array(dtype=kernels.Any)):
            x[0] = x[1]

        with self.assertRaises(weft.CompileError):
            weft.extract_ir(open_kernel)
        with self.assertRaises(ValueError):
            weft.extract_ir(kernels.generic)
        with self.assertRaises(ValueError):
            weft.extract_ir(kernels.constants, warp="1.16.0" if wp.__version__ != "1.16.0" else "1.17.0")


class Process(unittest.TestCase):
    def test_threads_give_the_same_texts(self):
        expected, differing = {k: texts(k) for k in ALL}, []

        def work(number):
            for i in range(len(ALL)):
                kernel = ALL[(i + number) % len(ALL)]
                if texts(kernel) != expected[kernel]:
                    differing.append(kernel.key)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(differing, [])

    @unittest.skipIf(SANITIZED, "a sanitizer takes time and memory of its own")
    def test_memory_stays_flat(self):
        """WEFT_CALLS=10000 for a long run."""
        data = [wp.ones(8, dtype=wp.vec3), wp.zeros(8, dtype=kernels.my_vec3)]

        def resident_kilobytes():
            status = pathlib.Path("/proc/self/status").read_text()
            return int(status.split("VmRSS:")[1].split()[0])

        def calls(count):
            for i in range(count):
                weft.extract_ir(ALL[i % len(ALL)], "both")
                if i % 4 == 0:
                    weft.check(kernels.equal_types, data)

        calls(200)
        before = resident_kilobytes()
        calls(int(warp_env.os.environ.get("WEFT_CALLS", "600")))
        self.assertLess(resident_kilobytes() - before, 2048)


class Speed(unittest.TestCase):
    def test_far_faster_than_warp(self):
        def seconds(call, count):
            best = 1e9
            for _ in range(3):
                start = time.perf_counter()
                for _ in range(count):
                    call()
                best = min(best, (time.perf_counter() - start) / count)
            return best

        kernel = kernels.functions
        mine, warps = seconds(lambda: weft.extract_ir(kernel), 50), seconds(lambda: warp_oracle.warp_text(kernel, "cuda"), 3)
        print(f"extract_ir of a live kernel: {mine * 1e6:.0f} µs, {warps / mine:.0f} times faster than Warp")
        self.assertLess(mine * 10, warps)


if __name__ == "__main__":
    unittest.main()
