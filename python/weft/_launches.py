"""Every launch of Warp, at the moment at which it runs: after Warp has taken, checked and packed its arguments.

Whatever a program has written ends there: wp.launch under any name, wp.launch_tiled, a recorded command. Nothing that it hands over is looked at
before Warp does, or twice; what Warp records and raises is as without. On the CPU, Warp's Python calls `invoke` and
`invoke_cpu_blocks`; on CUDA, and while it records a graph, functions of its native library. All of them are looked up by name at each launch.
"""

import functools
import math
import sys
import threading
import types

_BY_WARP = ("invoke", "invoke_cpu_blocks")  # (kernel, hooks, parameters, adjoint)
_NATIVE = ("wp_cuda_launch_kernel", "wp_cpu_launch_kernel")  # the second one records for a graph

_listeners = []
_replaced = []  # (owner, name, what was there)
_thread = threading.local()


class Launch:
    """A launch that is about to run: kernel, dim, the arguments as Warp has packed them, and whether a graph records it instead."""

    def __init__(self, kernel, parameters, device, is_captured):
        self.kernel, self.device, self.is_captured = kernel, device, is_captured
        bounds, self.packed = parameters[0], parameters[1 : 1 + len(kernel.adj.args)]
        # Dimensions that the kernel does not ask for are one number.
        self.dim = (*bounds.shape, *([bounds.coord_mult] if bounds.coord_mult > 1 else []))
        self.shapes = tuple(tuple(p.shape[: p.ndim]) if _is_array(p) else () for p in self.packed)

    def values(self):
        """The arguments as weft.check takes them, where they lie."""
        return [_unpack(arg.type, packed, self.device) for arg, packed in zip(self.kernel.adj.args, self.packed)]

    def size(self):
        """Elements of all arrays, structs left out."""
        return sum(math.prod(shape) for shape in self.shapes)


def _types():
    return sys.modules["warp._src.types"]


def _is_array(packed):
    return isinstance(packed, _types().array_t)


def _unpack(t, packed, device):
    kinds = _types()
    if hasattr(t, "vars") and hasattr(t, "native_name"):  # a struct
        return types.SimpleNamespace(**{name: _unpack(var.type, getattr(packed, name), device) for name, var in t.vars.items()})
    if _is_array(packed):
        shape, strides = tuple(packed.shape[: packed.ndim]), tuple(packed.strides[: packed.ndim])
        if not packed.data and 0 not in shape:
            return None
        return kinds.array(ptr=packed.data, dtype=t.dtype, shape=shape, strides=strides, device=device, copy=False)
    number = getattr(packed, "value", packed)
    if t is kinds.float16:
        return kinds.half_bits_to_float(number)
    if t is getattr(kinds, "bfloat16", None):
        return kinds.bfloat16_bits_to_float(number)
    return number


def _begin(*launch):
    """What is to be called after the launch. What weft makes of it must not disturb the program."""
    if not _listeners or getattr(_thread, "is_inside", False):
        return []
    with _inside():
        seen = Launch(*launch)
        return [after for after in [listener(seen) for listener in list(_listeners)] if after]


def _end(afters):
    with _inside():
        for after in afters:
            after()


class _inside:
    """What is launched in here is weft's own."""

    def __enter__(self):
        _thread.is_inside = True

    def __exit__(self, *_):
        _thread.is_inside = False


def _stand_in_for_warps(original):
    @functools.wraps(original)
    def invoke(kernel, hooks, params, adjoint):
        afters = [] if adjoint else _begin(kernel, params, "cpu", False)
        original(kernel, hooks, params, adjoint)
        _end(afters)

    return invoke


def _stand_in_for_native(original, name):
    def launch(*args):
        afters = _begin_native(sys._getframe(1).f_locals, name == "wp_cpu_launch_kernel")
        result = original(*args)
        if not result:
            _end(afters)
        return result

    return launch


def _begin_native(names, is_captured):
    """By the variables of Warp's function: `launch`, or a method of a recorded command."""
    of = names.get("self")
    kernel, params, device, adjoint = (
        (of.kernel, of.params, of.device, of.adjoint) if of is not None else (names.get(n) for n in ("kernel", "params", "device", "adjoint"))
    )
    if kernel is None or not params or adjoint:
        return []
    stream = names.get("stream")
    return _begin(kernel, params, device, is_captured or (stream is not None and bool(stream.is_capturing)))


def _replace(owner, name, make):
    original = getattr(owner, name, None)
    if original is not None:
        _replaced.append((owner, name, original))
        setattr(owner, name, make(original))


def _replace_native(context):
    for name in _NATIVE:
        _replace(context.runtime.core, name, lambda original, name=name: _stand_in_for_native(original, name))


def _begin_listening():
    context = sys.modules["warp._src.context"]
    for name in _BY_WARP:
        _replace(context, name, _stand_in_for_warps)
    if context.runtime is not None:
        _replace_native(context)
        return

    def when_there_is_a_library(original):
        @functools.wraps(original)
        def init(*args, **kwargs):
            result = original(*args, **kwargs)
            if not any(name in _NATIVE for _, name, _ in _replaced) and _listeners:
                _replace_native(context)
            return result

        return init

    _replace(context, "init", when_there_is_a_library)


def listen(listener):
    """From now on, listener(launch) is called before each; what it returns, if anything, is called after it."""
    if not _listeners:
        _begin_listening()
    _listeners.append(listener)


def unlisten(listener):
    _listeners.remove(listener)
    if not _listeners:
        while _replaced:
            owner, name, original = _replaced.pop()
            setattr(owner, name, original)
