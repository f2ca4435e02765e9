"""install and uninstall: Warp builds its modules from weft's text.

Warp makes the text of a module in its ModuleBuilder. While weft is installed, another builder stands in its place: the kernels that
weft can compile are written by weft, into a namespace of their own behind the rest; for the others it is Warp's builder, as
before. Everything after the text (hashes, caches, compilers, launches) is Warp's.
"""

import inspect
import re
import sys
from collections import Counter

from weft import _arguments, _live
from weft._errors import Error, from_native

_OPTIONS = ("enable_backward", "max_unroll", "mode", "lineinfo", "default_grid_stride", "strip_hash", "deterministic")
_NO_BFLOAT16 = "#define WP_NO_BFLOAT16\n"
# What can hide a brace, or is one.
_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{}]', re.DOTALL)

_replaced = None  # Warp's own builder, while weft is installed
_counts = None


class Installed:
    """How many kernels weft has written since it was installed, how many it left to Warp, and why."""

    def __init__(self):
        self.by_weft = 0
        self.by_warp = 0
        self.reasons = Counter()  # of those left to Warp

    def __enter__(self):
        return self

    def __exit__(self, *error):
        uninstall()

    def __repr__(self):
        return f"<weft.Installed: {self.by_weft} kernels by weft, {self.by_warp} by Warp>"


class _Different(Exception):
    """Two kernels of a module have another text for a definition of the same name."""


def definitions_in(text):
    """The definitions at the outermost level of C++ text, each with what comes before its brace: [(head, text), ...]."""
    found, depth, start, brace = [], 0, 0, 0
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            if depth == 0:
                brace = token.start()
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                end = token.end() + (text[token.end() : token.end() + 1] == ";")
                found.append((" ".join(text[start:brace].split()), text[start:end].strip() + "\n\n"))
                start = end
    return found


class _Part:
    """The text of those kernels of a module that weft writes, without repeating what they share."""

    def __init__(self):
        self.known = {}  # texts of definitions, by head
        self.shared = []
        self.kernels = []

    def add(self, prelude, kernel, has_backward):
        new = {}
        for head, text in definitions_in(prelude):
            before = self.known.get(head)
            if before is None:
                new[head] = text
            elif before != text and (has_backward or " adj_" not in head):
                raise _Different(head)
        self.known.update(new)
        self.shared += new.values()
        self.kernels.append(kernel)

    def text(self):
        return f"\nnamespace weft_text {{\n\n{''.join(self.shared)}{''.join(self.kernels)}}} // namespace\n" if self.kernels else ""


class _Rest:
    """The kernels that are left to Warp, in the place of its ModuleHasher."""

    def __init__(self, hasher, done):
        self.unique_kernels = {key: kernel for key, kernel in hasher.unique_kernels.items() if kernel not in done}

    def get_unique_kernels(self):
        return list(self.unique_kernels.values())


def _has_other_options(module, options):
    """Is the module built with other options than its own, which weft reads?"""
    own = module.options
    return any(own.get(name) is not None and name in options and own[name] != options[name] for name in _OPTIONS)


def _compile(kernel, options, devices):
    """A kernel as weft.extract_ir returns it. Raises weft.Error."""
    backward = kernel.options.get("enable_backward", options["enable_backward"])
    kernels, refusals = _live.compile_kernel(kernel, "cuda" in devices, "cpu" in devices, bool(backward), options["block_dim"])
    if not kernels:
        raise from_native(refusals[0])
    if kernels[0]["full_name"] != kernel.get_mangled_name():
        raise Error("Warp has another name for the kernel")
    if "cuda" in devices and "shared_bytes" in kernels[0]["metadata"]:
        raise Error("tiles of CUDA are left to Warp, which links what some of them need and counts their shared memory as it goes")
    return kernels[0]


def _builder_class(warps):
    knows_target = "target" in inspect.signature(warps.__init__).parameters
    config = sys.modules["warp"].config

    class Builder(warps):
        """Warp's ModuleBuilder, with weft's text where there is one."""

        def __init__(self, module, options, hasher=None, **rest):
            target = rest.get("target")
            self.of_weft = {}  # kernels, and how much shared memory their tiles take
            self.parts = {device: _Part() for device in ([target] if target else ["cpu", "cuda"])}
            # Without hashes, or without a target, Warp wants to know something about the kernels, such as values of wp.static(), and no text.
            if hasher is None or (knows_target and target is None):
                super().__init__(module, options, hasher, **rest)
                return
            for number, kernel in hasher.unique_kernels.items():
                kernel.hash = number
            kernels = hasher.get_unique_kernels()
            # A forward-only kernel takes the definitions of the others: its own have empty reverse passes.
            for kernel in sorted(kernels, key=lambda k: not k.options.get("enable_backward", options["enable_backward"])):
                self._try(kernel, options)
            super().__init__(module, options, _Rest(hasher, self.of_weft), **rest)

        def _try(self, kernel, options):
            try:
                if config.verify_autograd_array_access:
                    raise Error("Warp finds out while it writes the text which arrays the kernel reads and writes")
                if _has_other_options(kernel.module, options):
                    raise Error("the module is built with other options than its own")
                found = _compile(kernel, options, self.parts)
                for device, part in self.parts.items():
                    field = "cpp" if device == "cpu" else device
                    backward = found.get(f"{field}_backward", "")
                    part.add(found.get(f"{field}_prelude", ""), found[f"{field}_forward"] + backward, bool(backward))
            except (Error, _Different) as error:
                why = error.message if isinstance(error, Error) else "another kernel of the module needs other text of a function"
                _counts.by_warp += 1
                _counts.reasons[why] += 1
                return
            _counts.by_weft += 1
            self.of_weft[kernel] = found["metadata"].get("shared_bytes", (0, 0))

        def codegen(self, device):
            source = super().codegen(device)
            ours = self.parts[device].text() if device in self.parts else ""
            if "bfloat16" in ours:
                source = source.replace(_NO_BFLOAT16, "", 1)
            return source + ours

        def build_meta(self):
            meta = super().build_meta()
            for kernel, shared_bytes in self.of_weft.items():
                name = f"{kernel.get_mangled_name()}_cuda_kernel"
                meta[f"{name}_forward_smem_bytes"] = shared_bytes[0]
                if kernel.options.get("enable_backward", self.options["enable_backward"]):
                    meta[f"{name}_backward_smem_bytes"] = shared_bytes[1]
            return meta

    return Builder


def install():
    """From now on, Warp builds its modules from weft's text, kernel by kernel where weft can, and from its own elsewhere.

    Returns a weft.Installed, which counts both; `with weft.install() as counts:` uninstalls at its end. Modules that are loaded, or in Warp's cache of kernels, are not built again.
    """
    global _replaced, _counts
    if _replaced is not None:
        return _counts
    _arguments.needs_warp("weft.install()")
    _live.warp_version()  # refuses what weft does not know
    context = sys.modules["warp._src.context"]
    _replaced, _counts = context.ModuleBuilder, Installed()
    context.ModuleBuilder = _builder_class(_replaced)
    return _counts


def uninstall():
    """Warp writes its own text again. Returns what install returned; None: weft was not installed."""
    global _replaced, _counts
    if _replaced is None:
        return None
    sys.modules["warp._src.context"].ModuleBuilder = _replaced
    counts, _replaced, _counts = _counts, None, None
    return counts
