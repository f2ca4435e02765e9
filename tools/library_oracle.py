#!/usr/bin/env python3
"""What Warp writes for tile kernels of a file where code of the vendor's library is used: `weft extract --arch`.

    library_oracle.py FILE.py [...] --arch 90 --block-dim 64        one JSON line per kernel: {"warp", "file", "kernel", "arch", "block_dim",
                                                                "name", "cuda"}

Needs warp-lang importable. Warp asks the library to compile each piece of code, which takes seconds and has no influence on the
text unless the library refuses; so the library is not asked here, unless --compile says so. Without it, kernels with
Fourier transforms are left out: only the library knows how much memory they take. So are kernels that call no such function.
"""

import argparse
import json
import pathlib
import tempfile

import warp_oracle

def build(kernel, arch, block_dim):
    import warp as wp
    from warp._src.context import ModuleBuilder, ModuleHasher

    options = kernel.module.resolve_options(wp.config, block_dim) | {"output_arch": arch}
    return ModuleBuilder(kernel.module, options, ModuleHasher([kernel], options))


def leave_the_library_out():
    """Every piece of code is compiled at once, to nothing."""
    from warp._src import context

    core = context.runtime.core

    def compiled(*paths):
        for path in paths:
            pathlib.Path(path.decode()).write_bytes(b"")
        return True

    class Core:
        def __getattr__(self, name):
            return getattr(core, name)

        def wp_cuda_compile_dot(self, path, *_):
            return compiled(path)

        def wp_cuda_compile_solver(self, fatbin, path, *_):
            return compiled(fatbin, path)

    context.runtime.core = Core()


def row_of(kernel, arch, block_dim):
    row = {"kernel": kernel.key, "arch": arch, "block_dim": block_dim}
    try:
        if kernel.module.has_unresolved_static_expressions:
            build(kernel, arch, block_dim)
        text = build(kernel, arch, block_dim).codegen("cuda")
        row["cuda"] = warp_oracle.drop_preamble(warp_oracle.strip_comments(text))
        row["name"] = kernel.get_mangled_name()
    except Exception as error:
        row["error"] = warp_oracle.message(error)
    return row


def calls_library(kernel, with_transforms):
    is_transform = "fft(" in kernel.adj.source
    words = ("tile_matmul", "tile_cholesky", "_solve", "product_")
    return with_transforms if is_transform else any(word in kernel.adj.source for word in words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--arch", type=int, nargs="+", default=[90])
    parser.add_argument("--block-dim", type=int, nargs="+", default=[256])
    parser.add_argument("--compile", action="store_true", help="ask the library")
    parser.add_argument("--kernel", nargs="+", help="only these, by their keys")
    options = parser.parse_args()
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    with tempfile.TemporaryDirectory() as folder:
        wp.config.kernel_cache_dir = folder  # what is not compiled must not be found by others
        wp.init()
        if not options.compile:
            leave_the_library_out()
        for path in options.files:
            kernels = [kernel for kernel in warp_oracle.kernels_of(path) if calls_library(kernel, options.compile)]
            if options.kernel:
                kernels = [kernel for kernel in kernels if kernel.key in options.kernel]
            refused = {}  # Warp 1.16 takes what it built until an error for all of the kernel when it is asked again
            for arch in options.arch:
                for block_dim in options.block_dim:
                    for kernel in kernels:
                        row = row_of(kernel, arch, block_dim) if kernel not in refused else {}
                        refused |= {kernel: row} if "error" in row else {}
                        row = refused.get(kernel, row) | {"arch": arch, "block_dim": block_dim}
                        print(json.dumps({"warp": wp.__version__, "file": pathlib.Path(path).name} | row), flush=True)


if __name__ == "__main__":
    main()
