#!/usr/bin/env python3
"""Installs a wheel into a fresh virtual environment with nothing else in it, and uses it: the Python lines of README.md and docs/reference/python.md,
the command, and `python -m weft`. Then beside pyarrow, polars, DuckDB and datasets, where they can be installed, which read its streams.

    check_wheel.py [WHEEL]      by default the one in build/dist, as `make wheel` writes it
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lines_of(page, heading):
    """The first Python lines below a heading."""
    text = (ROOT / page).read_text().split(f"# {heading}\n", 1)[1]
    return re.search(r"```python\n(.*?)```", text, re.S).group(1)


def run(*command, cwd):
    answer = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"{command[-1]!r}: exit code {answer.returncode}\n{answer.stdout}{answer.stderr}")
    return answer.stdout


def check_tools(wheel, folder):
    """The wheel for the interpreter that has the tools which read data; returns what to say about it."""
    made = subprocess.run([ROOT / "tools" / "loaders.sh"], capture_output=True, text=True)
    if made.returncode != 0:
        return f"not tried beside other packages: {made.stderr.strip()}"
    python, place = ROOT / made.stdout.strip(), folder / "package"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--target", place, wheel, cwd=folder)
    lines = run("env", f"PYTHONPATH={place}", "HF_HUB_OFFLINE=1", python, ROOT / "tests" / "python" / "take_records.py", cwd=folder)
    return "beside other packages, " + "; ".join(line.split("ok: ")[1] for line in lines.splitlines() if "ok: " in line)


def main():
    wheels = [pathlib.Path(sys.argv[1])] if len(sys.argv) > 1 else sorted((ROOT / "build" / "dist").glob("weft_cuda-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"check_wheel.py: {len(wheels)} wheels in build/dist; `make wheel` writes one")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python, home = pathlib.Path(folder, "bin", "python"), pathlib.Path(folder, "home")
        home.mkdir()
        (home / "kernels.py").write_text((ROOT / "examples" / "saxpy.py").read_text())
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", wheels[0].resolve(), cwd=home)
        packages = set(run(python, "-m", "pip", "list", "--format=freeze", cwd=home).split())
        extra = {p for p in packages if p.split("==")[0] not in ("weft-cuda", "pip", "setuptools")}
        assert not extra, extra
        assert "saxpy_2f51673c_cuda_kernel_backward" in run(python, "-c", lines_of("README.md", "From Python"), cwd=home)
        assert "double_" in run(python, "-c", lines_of("docs/reference/python.md", "From Python"), cwd=home)
        said = run(python.parent / "weft", "--version", cwd=home)
        assert said == run(python, "-m", "weft", "--version", cwd=home) and said.startswith("weft "), said
        assert "saxpy_2f51673c" in run(python.parent / "weft", "extract", "kernels.py", cwd=home)
        assert run(python, "-c", "import weft; print(weft.__version__)", cwd=home).split() == [said.split()[1]]
        needs = run("sh", "-c", f"ldd {folder}/bin/weft {folder}/lib/python*/site-packages/weft/*.so", cwd=home)
        found = {line.split()[0]: line.split()[2] for line in needs.splitlines() if "=>" in line}
        foreign = {name for name, path in found.items() if not path.startswith(folder)} - {"libc.so.6", "libm.so.6"}
        assert not foreign, foreign
        assert run(python, "-c", "import weft; print(len(list(weft.produce(3))))", cwd=home) == "3\n"
        with_tools = check_tools(wheels[0].resolve(), home)
    print(f"{wheels[0].name}: {with_tools}")
    print(f"{wheels[0].name}: installed alone, the lines of the documentation run, nothing beyond the C library is needed")


if __name__ == "__main__":
    main()
