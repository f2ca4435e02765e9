#!/usr/bin/env python3
"""`weft check`, as a user runs it, on the 40 kernels of tests/gradients: wrong gradients are called wrong, with an example
that shows it; their right twins are called right; and what only the backward pass does is reported."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from records import io_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
FOLDER = ROOT / "tests/gradients"
WARP = "1.16.0"  # the version that the two files are about
# The same kernel as its wrong twin: only these ranges, none of which is empty, make it right.
RIGHT_FLAGS = {"stepped_range": ["--range", "first=0,2", "--range", "last=3,7"]}
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")


def check(file, *flags):
    done = subprocess.run([WEFT, "check", FOLDER / file, "--warp", WARP, "--json", *flags], capture_output=True, text=True)
    expect(not done.stderr, f"{file} {flags}: {done.stderr}")
    return done.returncode, {result["kernel"]: result for result in map(json.loads, done.stdout.splitlines())}


def test_wrong():
    code, results = check("wrong.py")
    expect(code == 1 and len(results) == 20, f"wrong.py: exit code {code}, {len(results)} kernels")
    for name, result in results.items():
        expect(result["forward"] == "pass" and result["gradient"] == "mismatch", f"{name}: {result}")
        example = result.get("example")
        expect(example is not None, f"{name}: no example")
        if not example:
            continue
        expect(example["warp"] is None or abs(example["warp"] - example["true"]) > 1e-6 * abs(example["true"]), f"{name}: {example}")
        largest = max(len(value) for value in example["inputs"].values() if isinstance(value, list))
        expect(largest <= 4, f"{name}: the smallest example has arrays of {largest}")
        code, again = check("wrong.py", "-k", name, *example["flags"].split())
        expect(code == 1 and again[name]["example"] | {"flags": ""} == example | {"flags": ""},
               f"{name}: {example['flags']} does not give the example again: {again[name]}")


def test_right():
    code, results = check("right.py")
    expect(len(results) == 20, f"right.py: {len(results)} kernels")
    for name, result in results.items():
        if name in RIGHT_FLAGS:
            expect(result["gradient"] == "mismatch", f"{name} by default: {result}")
            code, again = check("right.py", "-k", name, *RIGHT_FLAGS[name])
            expect(code == 0, f"{name}: exit code {code}")
            result = again[name]
        expect(result["gradient"] == "pass" and result["gradient_error"] < 1e-9 and not result["findings"], f"{name}: {result}")


def test_out_of_bounds_backward():
    code, results = check("wrong.py", "-k", "while_index_after_use", "--shape", "x=5", "--set", "n=5")
    result = results["while_index_after_use"]
    expect(code == 1 and result["forward"] == "pass" and result["gradient"] == "mismatch", f"reverse access: {result}")
    expect([(f["kind"], f["pass"]) for f in result["findings"]] == [("out-of-bounds", "backward")], f"reverse access: {result}")
    expect(result["gradient_error"] is None and result["warp_dot"] is None, f"reverse access: {result}")


def test_inputs_of_the_user():
    """An array that is only written is no input, unless a range is given for it; one with a fixed value never is."""
    for flags, verdict in (([], "pass"), (["--range", "top=-2,-1"], "mismatch"), (["--set", "top=-2"], "pass")):
        _, results = check("right.py", "-k", "atomic_max_of_all", *flags)
        expect(results["atomic_max_of_all"]["gradient"] == verdict, f"atomic_max_of_all {flags}: {results}")


def test_io():
    _, results = check("right.py", "-k", "scale_in_place", "--with-io", "--dim", "3", "--shape", "3")
    io = io_of(results["scale_in_place"]["launches"][0])
    factor = (io["outputs"]["a"][1] - io["outputs"]["a"][0]) / (io["inputs"]["a"][1] - io["inputs"]["a"][0])
    expect(io["dim"] == [3] and set(io) == {"dim", "inputs", "outputs", "output_gradients", "gradients"}, f"io: {io}")
    for got, cotangent in zip(io["gradients"]["a"], io["output_gradients"]["a"], strict=True):
        expect(abs(got - factor * cotangent) < 1e-12, f"io: {io}")


INTEGER_FIELD = """import warp as wp

@wp.struct
class Material:
    exposure: float
    level: int

@wp.kernel
def copy_level(materials: wp.array(dtype=Material), out: wp.array(dtype=Material)):
    i = wp.tid()
    current = materials[i]
    made = Material()
    made.exposure = current.exposure * 2.0
    made.level = current.level
    out[i] = made
"""


def test_integers_have_no_gradient():
    """Neither have those that stand in a struct beside floats."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(INTEGER_FIELD)
        file.flush()
        _, results = check(file.name)
    expect(results["copy_level"]["gradient"] == "pass", f"an integer in a struct: {results}")


def test_places():
    """What cannot be run is shown at the statement that cannot, or at the kernel where no launch can be made."""
    text = (
        "import warp as wp\n\n@wp.kernel\ndef looks(mesh: wp.uint64, out: wp.array(dtype=float)):\n    i = wp.tid()\n"
        "    q = wp.mesh_query_point(mesh, wp.vec3(), 1.0)\n    out[i] = q.u\n\n"
        "@wp.kernel\ndef paints(image: wp.Texture2D, out: wp.array(dtype=float)):\n    out[wp.tid()] = 1.0\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "places.py"
        path.write_text(text)
        done = subprocess.run([WEFT, "check", path, "--json"], capture_output=True, text=True)
    lines = {row["kernel"]: [finding["line"] for finding in row["findings"]] for row in map(json.loads, done.stdout.splitlines())}
    expect(lines == {"looks": [6], "paints": [10]}, f"places: {done.stdout}{done.stderr}")


FAR_KERNEL = """
@wp.kernel
def far_{0}(x: wp.array(dtype=float), field: wp.array3d(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * field[i + 40, i, i]
"""


def test_many_kernels():
    """What is found out about a kernel does not depend on how many came before it: finding a launch for each takes memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "far.py"
        path.write_text("import warp as wp\n" + "".join(FAR_KERNEL.format(k) for k in range(40)))
        _, results = check(path)
        launches = {result.get("launched_with") for result in results.values()}
        expect(len(results) == 40 and launches == {"--shape 48"}, f"{len(results)} kernels are launched with {launches}")


NOISY = """import warp as wp


@wp.func
def triple(x: float):
    return 3.0 * x


@wp.func_grad(triple)
def adj_triple(x: float, adj_ret: float):
    wp.adjoint[x] += 5.0 * adj_ret


@wp.kernel
def k(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float), other: wp.array(dtype=float)):
    i = wp.tid()
    s = 1234.567
    t = 987.654
    out[i] = a[i] * s * t - a[i] * (s * t) + 1.0e6 + 0.001 * triple(a[i])
    other[i] = b[i] + 0.5 * triple(b[i])
"""


def test_steady_example():
    """The example shows what Warp shows: not an error that is lost among rounding errors of the gradient."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "noisy.py"
        path.write_text(NOISY)
        _, results = check(path)
        example = results["k"]["example"]
        expect((example["output"], example["input"]) == ("other[0]", "b[0]"), f"noisy: {example}")
        path.write_text(NOISY.replace("other[i] = b[i] + 0.5 * triple(b[i])", "other[i] = b[i]"))
        example = check(path)[1]["k"].get("example")
        expect(example and example["output"] == "out[0]", f"the only error there is: {example}")


def main():
    if not pathlib.Path(WEFT).exists():
        print(f"skipped: {WEFT} is not built")
        return 77
    for test in (test_wrong, test_right, test_out_of_bounds_backward, test_inputs_of_the_user, test_io,
                 test_integers_have_no_gradient, test_places, test_many_kernels, test_steady_example):
        test()
    print("failed" if failures else "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
