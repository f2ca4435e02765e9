#!/usr/bin/env python3
"""Names that mean something in C++, CUDA, their headers or the program itself, as names of kernels, functions, structs, fields,
constants, arguments and variables: the programs must build without warnings and be right.

    test_standalone_names.py [all]     all: every word of reserved.txt, too (minutes)
"""

import concurrent.futures
import json
import keyword
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import standalone_batch

KEYWORDS = """alignas alignof and_eq asm auto bitand bitor bool case catch char char8_t char16_t char32_t class compl concept
const consteval constexpr constinit const_cast co_await co_return co_yield decltype default delete do double dynamic_cast enum
explicit export extern false float friend goto inline int long mutable namespace new noexcept not_eq nullptr operator or_eq
private protected public register reinterpret_cast requires restrict short signed sizeof static static_assert static_cast struct
switch template this thread_local throw true typedef typeid typename union unsigned using virtual void volatile wchar_t xor
xor_eq typeof""".split()
CUDA = """blockIdx blockDim threadIdx gridDim warpSize dim3 float3 make_float3 uint2 atomicAdd atomicCAS __syncthreads
__global__ __shfl_sync cudaMalloc cudaError_t cudaEvent_t rsqrtf __float_as_int saturate clock tex2D min max""".split()
LIBRARIES = """index time clock gamma y0 y1 j0 jn div random rand select signal stat exit abort abs labs printf puts stdin stderr
sqrtf sinf powf fabs floor log exp erf remainder memcpy strlen malloc free size_t int8_t uint32_t FILE errno std main fmaf hypot
signbit isnan""".split()
MACROS = "NULL NAN INFINITY EOF CHAR_BIT INT_MAX UINT8_MAX RAND_MAX M_PI HUGE_VAL assert linux unix BUFSIZ isfinite".split()
GENERATED = """threads thread threads_x turn turns g1 g2 result value first last before drawn adj_x adj_y adj_result x_size x_dim0
x_before s_before s_stack k_turn launch_size launch_run expected_y vec3d mat33f quatf transformf float16 _dim item visit
adj_helper helper_result point_2 own_adj_x run cpu clean all NAME wp_ self lambda_""".split()

# Roles: k kernel, f function, s struct, c constant, p/q/r fields, x/y/n arguments, a/b/d variables.
TEMPLATE = """import warp as wp

{c} = wp.constant(0.5)


@wp.struct
class {s}:
    {p}: float
    {q}: wp.vec3
    {r}: wp.float64


@wp.func
def {f}({x}: float, {b}: wp.vec3):
    {a} = {x} * {c} + wp.length({b})
    return {a}, -{a} * {x}


@wp.kernel
def {k}({x}: wp.array(dtype=float), {y}: wp.array(dtype={s}), {n}: int, {z}: wp.array2d(dtype=float)):
    {a} = wp.tid()
    {b} = {y}[{a}]
    {d} = {x}[{a}] * float({n}) + float(len({x}))
    for {e} in range(3):
        {g}, {h} = {f}({d} * 0.5, {b}.{q})
        {d} = {g} + {h} * {b}.{p} * {c} + wp.sin({x}[{a} + {e}])
    {z}[{a}, 0] = {d} + float({b}.{r}) + float({z}.shape[1])
"""
ROLES = "kfscpqrxynzabdegh"


def own_names(folder):
    """Every word that some programs define or mention."""
    text = "".join(next(f.glob("*.cu")).read_text() for f in standalone_batch.folders_of(folder))
    text = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"", "", text)
    return set(re.findall(r"\b[A-Za-z_]\w*", text))


def write_programs(names, folder):
    """One program a name, which is its kernel; the others of its names follow in the list."""
    stride = max(1, len(names) // len(ROLES))
    for i, name in enumerate(names):
        given = {role: names[(i + k * stride) % len(names)] for k, role in enumerate(ROLES)}
        source = folder / f"names_{i}.py"
        source.write_text(TEMPLATE.format(**given))
        yield name, source


def check_globally(folders, scratch):
    """Each file for itself, since a namespace would hide what headers declare. The headers are compiled once."""
    header = scratch / "headers.h"
    header.write_text('#include "weft_cpu_shim.h"\n#include <type_traits>\n')
    flags = ["-std=c++17", "-Wall", "-Werror", "-iquote", str(standalone_batch.SHIM.parent)]
    subprocess.run(["g++", *flags, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    def check(folder):
        program = next(folder.glob("*.cu"))
        done = subprocess.run(
            ["g++", *flags, "-fsyntax-only", "-include", header, "-x", "c++", program], capture_output=True, text=True
        )
        return (folder, done.stderr) if done.returncode else None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [pair for pair in pool.map(check, folders) if pair]
    for folder, text in wrong[:20]:
        print(f"{folder.name}: {text[:600]}")
    return len(wrong)


def check_names(names, folder):
    failed, made = 0, []
    for number, (name, source) in enumerate(write_programs(names, folder)):
        output = folder / f"programs_{number}"
        done = standalone_batch.weft(source, "-o", output, check=False)
        folders = standalone_batch.folders_of(output) if output.exists() else []
        if done.returncode or len(folders) != 1:
            failed += 1
            print(f"kernel {name}: {done.stderr[:500]}")
            continue
        made += folders
        about = json.loads((folders[0] / "metadata.json").read_text())
        if about["kernel_name"] != name or not about["has_backward"]:
            failed += 1
            print(f"kernel {name}: {about['kernel_name']}: {about.get('backward_reason')}")
    failed += check_globally(made, folder)
    chosen = made if sys.argv[1:] else made[::4]
    return failed + standalone_batch.report(standalone_batch.run_programs(chosen, folder))


def check_makefile(folder):
    """make takes run and clean for something else."""
    failed = 0
    for name in ("run", "clean", "cpu", "fine"):
        source = folder / f"made_{name}.py"
        source.write_text(
            f"import warp as wp\n\n@wp.kernel\ndef {name}(x: wp.array(dtype=float)):\n    i = wp.tid()\n    x[i] = 1.0\n"
        )
        output = folder / f"made_{name}"
        standalone_batch.weft(source, "-o", output)
        done = subprocess.run(["make", "-s", "cpu"], cwd=output / name, capture_output=True, text=True)
        if done.returncode or "PASS" not in done.stdout:
            failed += 1
            print(f"make cpu of a kernel '{name}': {done.stdout}{done.stderr}")
    return failed


def main():
    if not shutil.which("g++") or not shutil.which("make"):
        print("skipped: there is no g++ or no make")
        return 77
    words = set(KEYWORDS + CUDA + LIBRARIES + MACROS + GENERATED)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        standalone_batch.weft(standalone_batch.ROOT / "examples" / "standalone.py", "-o", folder / "examples")
        own = sorted(w for w in own_names(folder / "examples") - words if len(w) > 1)
        words |= set(own if sys.argv[1:] else random.Random(1).sample(own, 60))
        if sys.argv[1:] == ["all"]:
            words |= set(re.findall(r"^[^#].*", (standalone_batch.ROOT / "src/standalone/reserved.txt").read_text(), re.M))
            words = {w for line in words for w in line.split() if w.isidentifier()}
        names = sorted(w for w in words if not keyword.iskeyword(w) and w not in ("wp", "float", "int", "range", "len"))
        failed = check_names(names, folder) + check_makefile(folder)
    print(f"{len(names)} names, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
