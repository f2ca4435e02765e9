"""extract_ir and extract_module: generated text of kernels, from source text or from live objects."""

import os

from weft import _arguments, _native
from weft._errors import CompileError, Error, from_native

_LARGEST = 64 << 20  # bytes of a source file
_DEVICES = {"cuda": (True, False), "cpu": (False, True), "both": (True, True)}  # (CUDA, CPU)


_live = None  # the module that knows live objects, once there is one


class Extraction(list):
    """The kernels that were compiled, as extract_ir returns them; `refused` has an exception for each of the others."""

    def __init__(self, kernels=(), refused=()):
        super().__init__(kernels)
        self.refused = list(refused)


def extract_ir(kernel, device="cuda", backward=True, *, name=None, warp=None):
    """The text that Warp generates for a kernel.

    kernel    a live wp.Kernel, a Python function that could be one, source text (str or bytes), or the path of a file
              (os.PathLike)
    device    "cuda", "cpu" or "both"
    backward  also the reverse pass
    name      which kernel of a text with several: its name, or its full name with Warp's hash
    warp      whose text: a version from weft.warp_versions; None: the newest, and for a live object the one that is imported

    Returns a dict: kernel_name, full_name, python_source, cuda_prelude, cuda_forward, cuda_backward and cuda_module (the three
    together), cpp_... where the device is the CPU, and metadata. A text that does not exist is left out.
    Raises weft.Refused or weft.CompileError.
    """
    devices = _devices(device)
    if name is warp is None and getattr(kernel, "_weft_description", None):  # a live one that was compiled before
        return _extract_one(kernel, devices, backward)
    if not _is_text(kernel):
        return _extract_live(kernel, devices, backward, name, warp)
    text, path = _source_of(kernel)
    kernels, refusals = _compile(text, path, _arguments.text("name", name, "the name of a kernel"), devices, backward, warp)
    wrong = [r for r in refusals if r["kernel"] is None]
    if wrong and not kernels:
        _refuse_name_of_file(kernel)
        raise from_native(wrong[0])
    count = len(kernels) + len({r["kernel"] for r in refusals if r["kernel"] is not None})
    if name is None and count > 1:
        names = [k["kernel_name"] for k in kernels] + [r["kernel"] for r in refusals if r["kernel"] is not None]
        names = ", ".join(dict.fromkeys(names))
        raise ValueError(f"the text has several kernels ({names}); choose one with name=, or use weft.extract_module")
    if kernels:
        return kernels[0]
    if refusals:
        raise from_native(refusals[0])
    _refuse_name_of_file(kernel)
    known = _compile(text, path, None, devices, False, warp)[0] if name is not None else ()
    others = f"; it has {', '.join(one['kernel_name'] for one in known)}" if known else ""
    raise CompileError("there is no kernel" + (f" '{name}'" if name is not None else "") + f" in {path}" + others, path=path)


def extract_module(module, device="cuda", backward=True, *, warp=None):
    """All kernels of a wp.Module, a Python module, a source text or a file, as extract_ir returns them, in an Extraction.

    A text that is wrong as a whole raises weft.CompileError; kernels that cannot be compiled are in `refused`.
    """
    devices = _devices(device)
    if not _is_text(module):
        return _extract_all_live(module, devices, backward, warp)
    text, path = _source_of(module)
    kernels, refusals = _compile(text, path, None, devices, backward, warp)
    errors = [from_native(r) for r in refusals]
    is_wrong = errors and errors[0].kernel is None
    if not kernels and (is_wrong or not errors):
        _refuse_name_of_file(module)
    if not kernels and is_wrong:
        raise errors[0]
    return Extraction(kernels, errors)


def preamble(device="cuda", *, block_dim=256, warp=None):
    """What a module's text needs before it to compile against Warp's headers.

    `block_dim`: threads of a block of a GPU, as the kernel is launched; on the CPU a block has one.
    """
    if device not in ("cuda", "cpu"):
        raise ValueError(f"device is 'cuda' or 'cpu', not {device!r}")
    if not isinstance(block_dim, int) or not 1 <= block_dim <= 1024:
        raise ValueError(f"block_dim is a whole number from 1 to 1024, not {block_dim!r}")
    return _native.preamble(device == "cuda", block_dim, _arguments.warp_version(warp))


def _devices(device):
    try:
        return _DEVICES[device]
    except (KeyError, TypeError):
        raise ValueError(f"device is 'cuda', 'cpu' or 'both', not {device!r}") from None


def _source_of(source):
    """(bytes, path for messages)"""
    if isinstance(source, str):
        try:
            return source.encode("utf-8", "surrogateescape"), "<text>"
        except UnicodeEncodeError:  # half a pair: the compiler says where
            return source.encode("utf-8", "surrogatepass"), "<text>"
    if isinstance(source, (bytes, bytearray)):
        return bytes(source), "<text>"
    path = os.fspath(source)
    with open(path, "rb") as file:
        return file.read(_LARGEST + 1), path  # the compiler refuses what is larger


def _refuse_name_of_file(source):
    """A name of a file that was given as source text."""
    if isinstance(source, (str, bytes, bytearray)):
        name = source if isinstance(source, str) else os.fsdecode(bytes(source))
        if name and "\n" not in name and "\0" not in name and (name.endswith(".py") or os.path.exists(name)):
            raise CompileError(f"{name!r} is source text without a kernel; a file is given as a path: pathlib.Path({name!r})")


def _is_text(source):
    return isinstance(source, (str, bytes, bytearray, os.PathLike))


def _live_of(thing, warp):
    """The kernels that a live object stands for."""
    global _live
    from weft import _live

    kernels = _live.kernels_of(thing)
    _arguments.warp_version(warp)
    if warp is not None and _native.find_warp(warp) != _live.warp_version():
        raise ValueError(f"a live kernel gets the text of the Warp that is imported, {_live.warp_version()}, not that of {warp}")
    return kernels


def _extract_one(kernel, devices, backward):
    kernels, refusals = _live.compile_kernel(kernel, *devices, backward)
    if not kernels:
        raise from_native(refusals[0])
    return kernels[0]


def _extract_live(thing, devices, backward, name, warp):
    kernels = _live_of(thing, warp)
    if name is not None:
        kernels = [k for k in kernels if k.key == name]
    if len(kernels) == 1:
        return _extract_one(kernels[0], devices, backward)
    if not kernels and getattr(thing, "is_generic", False):
        raise CompileError("a generic kernel has no text of its own, and this one has no overloads", kernel=thing.key, hint="wp.overload(kernel, types) makes one")
    if not kernels:
        named = f" '{name}'" if name is not None else ""
        raise CompileError(f"there is no kernel{named} in {getattr(thing, '__name__', None) or getattr(thing, 'key', thing)}", kernel=name)
    raise ValueError(f"there are {len(kernels)} kernels; give one of them (kernel.overloads), or use weft.extract_module")


def _extract_all_live(thing, devices, backward, warp):
    kernels = _live_of(thing, warp)
    found = Extraction()
    for kernel in kernels:
        try:
            found.append(_extract_one(kernel, devices, backward))
        except Error as error:
            found.refused.append(error)
    return found


def _compile(text, path, name, devices, backward, warp):
    return _native.compile(text, path, name, *devices, bool(backward), _arguments.warp_version(warp))
