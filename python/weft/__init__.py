"""Kernels of NVIDIA Warp as the CUDA and C++ that Warp writes, without Warp, a toolkit or a GPU.

    import weft

    ir = weft.extract_ir(kernel)            # a live wp.Kernel, or source text
    ir["cuda_forward"], ir["cuda_backward"]

What weft cannot do raises weft.Refused, what Warp refuses, too, weft.CompileError; both say where and why. Importing this
package does not import Warp.
"""

try:
    from weft import _native  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"the compiled part of weft is not there or does not fit this Python ({error}); install the package with `pip install .` "
        "in weft's folder, or a wheel that `make wheel` wrote"
    ) from error

from weft._errors import CompileError, Error, Refused
from weft._extract import Extraction, extract_ir, extract_module, preamble
from weft._native import CUDA_HEADER as cuda_header
from weft._native import VERSION as __version__
from weft._native import WARP_VERSIONS as warp_versions

# Imported when it is asked for: `import weft` is quick, what runs kernels on data needs numpy, and what changes Warp needs Warp.
_LATER = {
    "produce": "_data",
    "load": "_data",
    "Records": "_data",
    "Record": "_records",
    "Launch": "_records",
    "Value": "_records",
    "Argument": "_records",
    "check": "_check",
    "Verdict": "_check",
    "watch": "_watch",
    "Report": "_watch",
    "Mismatch": "_watch",
    "install": "_install",
    "uninstall": "_install",
    "Installed": "_install",
    "score": "_score",
}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"weft.{_LATER[name]}"), name)
    return value


def __dir__():
    return sorted({*globals(), *_LATER})


__all__ = [
    "Argument",
    "CompileError",
    "Error",
    "Extraction",
    "Installed",
    "Launch",
    "Mismatch",
    "Record",
    "Records",
    "Refused",
    "Report",
    "Value",
    "Verdict",
    "__version__",
    "check",
    "cuda_header",
    "extract_ir",
    "extract_module",
    "install",
    "load",
    "preamble",
    "produce",
    "score",
    "uninstall",
    "warp_versions",
    "watch",
]
