#!/usr/bin/env python3
"""Hostile objects and texts through the extension: whatever a program hands over, weft answers or raises, and never takes the process along.

    test_odd_objects.py [--rounds N] [--seed N]      exits with 77 without Warp or without the package

Values that a kernel's names may stand for, however odd, are refused by a weft.Error, or do no harm. Objects of Warp that somebody has
broken (attributes deleted, or of another type) raise some exception. Each kind runs in a process of its own, so that a crash is one failure.
"""

import argparse
import enum
import pathlib
import random
import subprocess
import sys
import types

import warp_env

PACKAGE = warp_env.BUILD / "python"
if not (PACKAGE / "weft" / "_native.abi3.so").exists() or not warp_env.reexec_with_warp():
    print("skipped: the Python package was not built, or this version of Warp is not installed")
    sys.exit(77)
sys.path[:0] = [str(PACKAGE), str(warp_env.ROOT / "tests" / "live")]


class Raises(type):
    def __getattr__(cls, name):
        raise RuntimeError(name)


class Odd(metaclass=Raises):
    """Every look at it is an error."""

    def _raise(self, *args):
        raise RuntimeError("odd")

    __bool__ = __eq__ = __len__ = __iter__ = __index__ = __float__ = __call__ = __getitem__ = _raise
    __hash__ = None
    broken = property(_raise)

    def __getattr__(self, name):
        raise ValueError(name)


class Lies:
    """It says that it is something else."""

    __class__ = property(lambda self: int)
    _wp_scalar_type_ = _wp_generic_type_str_ = vars = dtype = ndim = __name__ = property(lambda self: self)


class Number(int):
    def __repr__(self):
        return "1 +"


class Text(str):
    def __repr__(self):
        raise RuntimeError("a text")


class Flags(enum.IntFlag):
    A = 1
    B = 2


def nested(depth, of):
    value = 1.0
    for _ in range(depth):
        value = of(value)
    return value


def endless_list():
    items = [1.0]
    items.append(items)
    return items


def endless_object():
    thing = types.SimpleNamespace()
    thing.value = thing
    return thing


def endless_module():
    module = types.ModuleType("warp")
    module.value = module
    return module


ODD = [
    Odd, Odd(), Lies(), Number(3), Text("x"), Flags.A | Flags.B, Flags(0), None, ..., NotImplemented, b"\0\xff", "\udcff", "\0", 10**400, -(2**63), float("nan"),
    complex(1, 2), range(3), {1: 2}, {1, 2}, [], (), [[]], object(), object, type, print, lambda: 1, (i for i in ()), sys, types, memoryview(b"ab"), 1e400,
]  # fmt: skip
MADE = [
    lambda: nested(3000, lambda v: (v,)), lambda: nested(3000, lambda v: [v]), lambda: nested(3000, lambda v: types.SimpleNamespace(value=v)),
    endless_list, endless_object, endless_module, lambda: [0.0] * 100000, lambda: type("x" * 100000, (), {}), lambda: ("a" * 1000000),
    lambda: types.ModuleType("a\nb"), lambda: enum.IntEnum("E", {"class": 1, "a b": 2, "\n": 3}),
]  # fmt: skip


def attempt(call, allowed):
    """One call; an exception that is not allowed is shown."""
    try:
        call()
    except allowed:
        return 0
    except BaseException as error:
        if isinstance(error, (SystemExit, KeyboardInterrupt)) or allowed is not Exception:
            print(f"{type(error).__name__}: {str(error)[:300]}")
            return 1
    return 0


USES = ("x[0] = VALUE", "x[0] = VALUE.value", "x[0] = float(VALUE[0])", "x[0] = VALUE(1.0)", "x[0] = wp.static(VALUE)", "y = VALUE", "x[VALUE] = 1.0",
        "for i in range(VALUE):\n        x[i] = 1.0", "x[0] = wp.sin(VALUE) + VALUE.value.value.value", "if VALUE:\n        x[0] = 1.0")  # fmt: skip
CALL = "x[0] = twice(x[0])"


def kernels_with(uses, folder):
    """A kernel for each use of a global VALUE; Warp reads their source from a file."""
    import importlib.util

    path = pathlib.Path(folder, "using.py")
    head = "import warp as wp\n\nVALUE = 1.0\n\n\n@wp.func\ndef twice(v: float):\n    return 2.0 * v\n\n\n"
    path.write_text(head + "".join(f"@wp.kernel\ndef use_{i}(x: wp.array(dtype=float)):\n    {use}\n\n\n" for i, use in enumerate(uses)))
    spec = importlib.util.spec_from_file_location("using", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["using"] = module
    spec.loader.exec_module(module)
    return module, [getattr(module, f"use_{i}") for i in range(len(uses))]


def odd_values(rng, rounds, folder):
    """Globals of kernels."""
    import weft

    module, kernels = kernels_with(USES, folder)
    failed = 0
    values = [*ODD, *(make() for make in MADE)]
    for value in values:
        for kernel in kernels:
            module.VALUE = value
            bad = attempt(lambda: weft.extract_ir(kernel), weft.Error)
            if bad:
                print(f"  a global of the type {type(value)!r}, in: {kernel.adj.source.splitlines()[-1].strip()}")
            failed += bad
    return failed


def parts_of(kernel, function):
    owners = (kernel, kernel.adj, function, function.adj)
    parts = [(owner, name) for owner in owners for name in vars(owner) if not name.startswith("_weft")]
    return parts + [(kernel.module, name) for name in ("options", "has_unresolved_static_expressions", "name")]


def broken_kernels(rng, rounds, folder):
    """Kernels with attributes that are gone, or something else."""
    import weft

    module, kernels = kernels_with((USES[0], USES[4], CALL), folder)
    failed = 0
    values = [*ODD, *(make() for make in MADE)]
    for _ in range(rounds):
        kernel = rng.choice(kernels)
        owner, name = rng.choice(parts_of(kernel, module.twice))
        kept = vars(owner)[name]
        if rng.random() < 0.3:
            delattr(owner, name)
        else:
            setattr(owner, name, rng.choice(values))
        failed += attempt(lambda: weft.extract_ir(kernel, rng.choice(("cuda", "cpu", "both"))), Exception)
        failed += attempt(lambda: weft.check(kernel, [[1.0, 2.0]], 1), Exception)
        setattr(owner, name, kept)
    for kernel in kernels:
        weft.extract_ir(kernel)
    return failed


def broken_inside(rng, rounds, folder):
    """What the kernel's dicts hold: options, types of arguments, values of wp.static(), names of the module."""
    import weft

    module, kernels = kernels_with((USES[0], USES[4], CALL), folder)
    values = [*ODD, *(make() for make in MADE)]
    failed = 0
    for _ in range(rounds):
        kernel = rng.choice(kernels)
        dicts = (kernel.options, kernel.module.options, kernel.adj.arg_types, kernel.adj.resolved_static_expressions or {}, vars(module))
        held = rng.choice(dicts)
        name = rng.choice([*held, "VALUE", "wp", "x", "float", "\0", ""])
        kept = dict(held)
        if rng.random() < 0.3:
            held.pop(name, None)
        else:
            held[name] = rng.choice(values)
        failed += attempt(lambda: weft.extract_ir(kernel, "both"), Exception)
        held.clear()
        held.update(kept)
    return failed


def odd_native(rng, rounds, folder):
    """The extension's own functions, which only the package calls."""
    from weft import _native

    values = [*ODD, *(make() for make in MADE), 0, 1, -1, "cuda", b"", ([], 0, None)]
    functions = [getattr(_native, name) for name in dir(_native) if callable(getattr(_native, name)) and not name.startswith("__")]
    failed = 0
    for _ in range(10 * rounds):
        arguments = [rng.choice(values) for _ in range(rng.randrange(8))]
        failed += attempt(lambda: rng.choice(functions)(*arguments), Exception)
    for _ in range(rounds):
        whole = [rng.randrange(9), "x[0] = 1.0", "key", "native", 0, ("a", 0), {"path": "p", "line": 1}]
        whole[rng.randrange(7)] = rng.choice(values)
        objects = [tuple(whole)] * rng.randrange(1, 3)
        failed += attempt(lambda: _native.compile_kept((None, _native.keep_world(objects, 0, None), "1.19.0"), None, True, True, True, 0, False), Exception)
    return failed


def odd_texts(rng, rounds, folder):
    """Source texts with pieces cut out, doubled, moved, or of bytes that are no text."""
    import weft

    texts = [path.read_bytes() for path in sorted((warp_env.ROOT / "examples").glob("*.py"))]
    failed = 0
    for _ in range(rounds):
        text = bytearray(rng.choice(texts))
        for _ in range(rng.randrange(1, 6)):
            at, length = rng.randrange(len(text) or 1), rng.randrange(1, 40)
            kind = rng.randrange(4)
            if kind == 0:
                del text[at : at + length]
            elif kind == 1:
                text[at:at] = text[at : at + length] * rng.choice((1, 2, 300))
            elif kind == 2:
                text[at:at] = bytes(rng.randrange(256) for _ in range(length))
            else:
                text[at:at] = rng.choice((b"(" * 3000, b"\n" + b" " * 5000, b"wp.static(", b"[" * 200, b"lambda: " * 500, b"'" * 3, b"\\", b"0x", b"1e999999"))
        name = rng.choice((None, "saxpy", "", "\0", "saxpy_2f51673c"))
        failed += attempt(lambda: weft.extract_ir(bytes(text), rng.choice(("cuda", "cpu", "both")), name=name), (weft.Error, ValueError))
    return failed


KINDS = {f.__name__: f for f in (odd_values, broken_kernels, broken_inside, odd_native, odd_texts)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.kind:
        warp_env.start_warp()
        sys.exit(min(KINDS[args.kind](random.Random(args.seed), args.rounds, args.folder), 100))
    import tempfile

    failed = 0
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, "--kind", kind, "--rounds", str(args.rounds), "--seed", str(args.seed), "--folder", folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(f"{kind}: exit code {done.returncode}", *done.stdout.splitlines()[-30:], sep="\n")
            failed += 1
    print(f"{failed} of {len(KINDS)} kinds failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
