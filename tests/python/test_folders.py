#!/usr/bin/env python3
"""Folders of many files: the time grows with their number and no faster, a file that all of them import is parsed
once, and several at a time write the same."""

import pathlib
import resource
import sys
import tempfile

from test_produce import check, weft
import test_produce

KERNEL = '''
@wp.kernel
def k{n}_{j}(cells: wp.array(dtype=Cell), out: wp.array(dtype=float), dt: float):
    i = wp.tid()
    c = cells[i]
    v = f{f}(c.a, dt) + wp.length(c.b)
    for k in range(4):
        v += wp.sin(v * float(k))
    if v > {j}.0:
        out[i] = v
    else:
        wp.atomic_add(out, i, v * dt)
'''
FUNCTION = "@wp.func\ndef f{f}(x: float, y: float):\n    z = x * y + {f}.0\n    if z > 2.0:\n        z = z - 1.0\n    return z\n\n\n"


def make_folder(folder, files, kernels, functions):
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    shared = "import warp as wp\n\n\n@wp.struct\nclass Cell:\n    a: float\n    b: wp.vec3\n\n\n"
    (folder / "shared.py").write_text(shared + "".join(FUNCTION.format(f=f) for f in range(functions)))
    for n in range(files):
        head = f"import warp as wp\nfrom .shared import Cell, f{n % functions}\n"
        (folder / f"m{n:03}.py").write_text(head + "".join(KERNEL.format(n=n, j=j, f=n % functions) for j in range(kernels)))
    return folder


def seconds(folder, kernels):
    """Of processor time; the least of two runs."""
    least = float("inf")
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = weft("extract", folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        check(done.returncode == 0 and done.stdout.count("_cuda_kernel_forward(") == kernels, f"{folder.name}: {done.stderr}")
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def check_growth(work):
    few, many = seconds(make_folder(work / "few", 75, 12, 50), 900), seconds(make_folder(work / "many", 300, 12, 50), 3600)
    print(f"{few:.3f} s for 75 files, {many:.3f} s for 300")
    check(many < 7 * few, f"four times the files take {many / few:.1f} times as long")
    check(many < 10, "300 files take more than ten seconds, even of a slow build")


def check_imported(work):
    """The shared file has 40,000 lines: parsed a hundred times, it would take some 80 times as long. Its definitions are made for each
    file anew, as in a process of its own, which takes a fifth of that."""
    one, hundred = seconds(make_folder(work / "one", 1, 1, 5000), 1), seconds(make_folder(work / "hundred", 100, 1, 5000), 100)
    print(f"{one:.3f} s for one file that imports it, {hundred:.3f} s for 100")
    check(hundred < 40 * one, f"a file that 100 others import costs {hundred / one:.0f} times as much as for one")


def check_jobs(work):
    """Several files at a time write the same; the summary counts what is refused by its reason."""
    for n in range(3):
        (work / f"many/bad{n}.py").write_text(f"import warp as wp\n\n\n@wp.kernel\ndef bad{n}(x: wp.array(dtype=float)):\n    x[wp.tid()] = unknown{n} + 1.0\n")
    one, three = weft("extract", work / "many", "--json"), weft("extract", work / "many", "--json", "-j", 3, "-v")
    check(one.returncode == three.returncode == 1 and one.stdout == three.stdout, "three files at a time write something else")
    check(one.stderr and three.stderr.startswith(one.stderr), "other messages, or in another order")
    check("3603 kernels of 305 files: 3600 written, 3 refused;" in three.stderr and "\n      3 '…' is not" in three.stderr, three.stderr[-400:])
    done = weft("check", work / "many/bad0.py", work / "many/bad1.py", "-v")
    check(done.returncode == 1 and "\n      2 '…' is not" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_growth(pathlib.Path(folder))
        check_imported(pathlib.Path(folder))
        check_jobs(pathlib.Path(folder))
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
