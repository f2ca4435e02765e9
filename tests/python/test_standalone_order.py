#!/usr/bin/env python3
"""Standalone programs on another machine, as far as that can be imitated: the threads run in other orders, and the functions of the
mathematical library are off by a unit in the last place. Programs must still pass; and fail where their results are wrong."""

import pathlib
import shutil
import sys
import tempfile

import standalone_batch

SAMPLES = 40
# Another machine may contract products and sums, too.
CONTRACTED = ["-O1", "-mfma", "-ffp-contract=fast"]
CPU = pathlib.Path("/proc/cpuinfo")
NOISE = ["-DWEFT_NOISE"] + (CONTRACTED if CPU.exists() and " fma " in CPU.read_text() else [])
ORDERS = [{"WEFT_THREAD_ORDER": str(i), "WEFT_NOISE_SEED": str(i)} for i in range(5)]

# What the program must know of each kernel's result, as it says it in its text.
UNSURE = "NAN: not compared"
SET, NOTHING, PLACE = "compare_set(\"out\"", "is_finite(\"out\", data.out); // it depends on the order", "compare(\"out\""
KERNELS = {
    "compact": (SET, """
    if x[i] > 0.4:
        slot = wp.atomic_add(counter, 0, 1)
        out[slot] = i"""),
    "compact_floats": (SET, """
    slot = wp.atomic_add(counter, 0, 1)
    out[slot] = x[i] * 3.0"""),
    "last_one": (NOTHING, """
    wp.atomic_exch(out, 0, i)"""),
    "exchanged": (NOTHING, """
    out[i] = wp.atomic_exch(counter, i % 3, i + 10)"""),
    "who_came": (SET, """
    out[i] = wp.atomic_add(counter, 0, 1)"""),
    "branch_on_order": (NOTHING, """
    if wp.atomic_add(counter, 0, 1) % 2 == 0:
        out[i] = i + 5"""),
    "by_function": (SET, """
    slot = take(counter)
    out[slot] = i"""),
    "sums": (PLACE, """
    wp.atomic_add(out, i % 3, x[i])
    wp.atomic_max(top, 0, x[i])"""),
    "counts": (PLACE, """
    wp.atomic_add(out, i % 3, 1)
    wp.atomic_sub(counter, 0, i)"""),
    "cut_off": (PLACE, """
    cell = int(wp.exp(wp.log(x[i] * 40.0)))
    out[i] = cell"""),
    "same_products": (UNSURE, """
    p = x[i] * x[i + 1] - x[i + 1] * x[i]
    out[i] = i
    if i % 2 == 0 and p > 0.0:
        out[i] = 77"""),
    "parallel_edges": (UNSURE, """
    a = wp.vec3(x[i], x[i + 1], x[i + 2])
    n = wp.cross(a, a * (1.0 + float(i % 2)))
    if wp.length(n) < 1.0e-12:
        out[i] = x[i]
    else:
        out[i] = n[0] / wp.length(n)"""),
    "flat_triangle": (PLACE, """
    a = wp.vec3(x[i], x[i + 1], 0.0)
    b = wp.vec3(x[i + 2], x[i + 3], 0.0)
    c = wp.vec3(x[i + 4], x[i + 5], 0.0)
    n = wp.cross(b - a, c - a)
    out[i] = wp.dot(wp.cross(b - a, a - c), n) / wp.dot(n, n)"""),
}
HEAD = """import warp as wp


@wp.func
def take(counter: wp.array(dtype=int)):
    return wp.atomic_add(counter, 0, 1)

"""


def kernel(name, body):
    is_float = name in ("compact_floats", "sums", "flat_triangle", "parallel_edges")
    return f"""
@wp.kernel
def {name}(x: wp.array(dtype=float), counter: wp.array(dtype=int), top: wp.array(dtype=float), out: wp.array(dtype={"float" if is_float else "int"})):
    i = wp.tid(){body}

"""


def check_kernels(folder):
    source, output = folder / "orders.py", folder / "programs"
    source.write_text(HEAD + "".join(kernel(name, body) for name, (_, body) in KERNELS.items()))
    # The counter starts where a launch lets it start: indices must fit.
    text = source.read_text().replace("slot = ", "slot = 8 + ")
    source.write_text(text)
    done = standalone_batch.weft(source, "-o", output, check=False)
    failed = 0
    if done.returncode:
        failed += 1
        print(done.stderr[-2000:])
    made = standalone_batch.folders_of(output)
    for program in made:
        text = next(program.glob("*.cu")).read_text()
        if KERNELS[program.name][0] not in text:
            failed += 1
            print(f"{program.name}: '{KERNELS[program.name][0]}' is not in its text")
    return failed + standalone_batch.report(standalone_batch.run_programs(made, folder, NOISE, ORDERS))


def check_mistakes(folder):
    """One element too many in a set is noticed, and a wrong one between others that are not compared."""
    failed = 0
    for name in ("compact", "same_products"):
        program = folder / "programs" / name
        path = program / f"{name}.cu"
        text = path.read_text()
        path.write_text(text.replace("= i;", "= i == 5 ? 6 : i;", 1))
        code, printed = standalone_batch.run_programs([program], folder)[program]
        path.write_text(text)
        if text.count("= i;") < 1 or code == 0 or "PASS" in printed:
            print(f"{name}: a wrong result still passes: {printed}")
            failed += 1
    return failed


def check_samples(folder):
    output = folder / "samples"
    standalone_batch.weft("-n", SAMPLES, "-s", 77123, "-c", "atomic=3,reduction,random,geometry,combined,stencil,math", "-o", output)
    made = standalone_batch.folders_of(output)
    return standalone_batch.report(standalone_batch.run_programs(made, folder, NOISE, ORDERS))


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        failed = check_kernels(folder) + check_mistakes(folder) + check_samples(folder)
    print(f"{len(KERNELS)} kernels and {SAMPLES} invented ones in {len(ORDERS)} orders, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
