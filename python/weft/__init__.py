"""Kernels of NVIDIA Warp as the CUDA and C++ that Warp writes, without Warp, a toolkit or a GPU.

    import weft

    ir = weft.extract_ir(kernel)            # a live wp.Kernel, or source text
    ir["cuda_forward"], ir["cuda_backward"]

What weft cannot do raises weft.Refused, what Warp refuses, too, weft.CompileError; both say where and why. Importing this
package does not import Warp.
"""

from weft._errors import CompileError, Error, Refused
from weft._extract import Extraction, extract_ir, extract_module, preamble
from weft._native import VERSION as __version__
from weft._native import WARP_VERSIONS as warp_versions

__all__ = [
    "CompileError",
    "Error",
    "Extraction",
    "Refused",
    "__version__",
    "extract_ir",
    "extract_module",
    "preamble",
    "warp_versions",
]
