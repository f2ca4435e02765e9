#!/usr/bin/env python3
"""Runs examples of Warp and of newton on the CPU, briefly, with and without weft.watch() around them, and prints a table.

    watch_examples.py [--python PYTHON] [--seconds N] [NAME ...]

"slower": the time with the watch, relative to what is left without the seconds inside it. PYTHON has Warp, newton and what their examples need. A name is that of the file without "example_". Each example runs without the watch and with
it; what it prints must be the same, but for times, and for where a module comes from. Mismatches are held against Warp itself
(watch_example.py). Exits with 1 if an output differs or a mismatch is not confirmed.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
FRAMES = ["--headless", "--num-frames", "2", "--stage-path", "None"]
OPTIM = ["--headless", "--train-iters", "1"]
NEWTON = ["--viewer", "null", "--num-frames", "2"]

# Package, folder, name, and what makes it short.
EXAMPLES = [
    ("warp", "optim", "diffray", [*OPTIM, "--height", "64"]),
    ("warp", "optim", "fluid_checkpoint", [*OPTIM, "--num-frames", "4", "--pressure-iterations", "2"]),
    ("warp", "optim", "fluid_checkpoint_custom_backward", [*OPTIM, "--num-frames", "4", "--pressure-iterations", "2"]),
    ("warp", "optim", "navier_stokes_perturbation", [*OPTIM, "--spin-up-steps", "2", "--lead-steps", "2"]),
    ("warp", "optim", "particle_repulsion", ["--headless", "--num-frames", "2"]),
    ("warp", "core", "fluid", ["--headless", "--num-frames", "2"]),
    ("warp", "core", "graph_capture", ["--headless", "--num-frames", "2"]),
    ("warp", "core", "wave", FRAMES),
    ("warp", "core", "raymarch", ["--headless", "--height", "64", "--width", "64"]),
    ("warp", "core", "raycast", ["--headless", "--height", "64", "--width", "64"]),
    ("warp", "core", "mesh", FRAMES),
    ("warp", "core", "nvdb", FRAMES),
    ("warp", "core", "sample_mesh", FRAMES),
    ("warp", "core", "mesh_intersect", FRAMES),
    ("warp", "geometry", "isosurface", FRAMES),
    ("warp", "fem", "diffusion", ["--headless", "--resolution", "8"]),
    ("warp", "fem", "burgers", ["--headless", "--num-frames", "1", "--resolution", "8"]),
    ("warp", "fem", "stokes", ["--headless", "--resolution", "6"]),
    ("warp", "tile", "tile_matmul", []),
    ("newton", "diffsim", "diffsim_ball", NEWTON),
    ("newton", "diffsim", "diffsim_spring_cage", NEWTON),
    ("newton", "diffsim", "diffsim_cloth", NEWTON),
    ("newton", "diffsim", "diffsim_soft_body", NEWTON),
    ("newton", "diffsim", "diffsim_drone", NEWTON),
    ("newton", "basic", "basic_pendulum", NEWTON),
    ("newton", "basic", "basic_shapes", NEWTON),
    ("newton", "basic", "basic_joints", NEWTON),
    ("newton", "basic", "basic_dzhanibekov", NEWTON),
    ("newton", "basic", "basic_heightfield", NEWTON),
    ("newton", "basic", "basic_conveyor", NEWTON),
    ("newton", "cloth", "cloth_hanging", NEWTON),
    ("newton", "cloth", "cloth_bending", NEWTON),
    ("newton", "cable", "cable_twist", NEWTON),
    ("newton", "contacts", "newton_cradle", NEWTON),
]
TIME = re.compile(r"[0-9.]+(e-?[0-9]+)? ?(ms|s|sec|seconds|fps|FPS|it/s)\b|in [0-9.]+|(compiled|cached)")


def folder_of(python, package):
    call = [python, "-c", f"import importlib.util as u; print(u.find_spec({package!r}).submodule_search_locations[0])"]
    return pathlib.Path(subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()) / "examples"


def run(options, call, cwd):
    """(exit code, what it printed without times, the last line of what it complained about)"""
    try:
        done = subprocess.run(call, cwd=cwd, capture_output=True, text=True, timeout=options.seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, "", f"more than {options.seconds} s"
    complaint = (done.stderr.strip().splitlines() or [""])[-1]
    return done.returncode, TIME.sub("TIME", done.stdout), complaint


def watch(options, path, arguments):
    """A row of the table as a dict."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        script = [options.python, str(HERE / "watch_example.py")]
        program = [str(path), *arguments, *(["--device", "cpu"] if "--device" in path.read_text() or "newton" in path.parts else [])]
        code, expected, complaint = run(options, [*script, "--plain", *program], folder)
        if code != 0:
            return {"why": complaint}
        code, said, complaint = run(options, [*script, "--report", str(report), "--confirm", *program], folder)
        if code != 0 or not report.exists():
            return {"why": f"with the watch: {complaint}", "same": code is None and None}
        return {**json.loads(report.read_text()), "same": said == expected, "expected": expected, "said": said}


def count_judged(rows):
    return sum(1 for row in rows if row["checked"] and row["forward"] != "none")


def reasons(rows):
    """Why the others were not judged, each with how many."""
    found = Counter()
    for row in rows:
        if not row["checked"] or row["forward"] == "none":
            why = re.sub(r" \(.*", "", row["why"].splitlines()[0] if row["why"] else "").replace("not judged: ", "")
            why = re.sub(r"the argument '.*?'", "an argument", re.sub(r"the arguments '.*?' and '.*?'", "arguments", why))
            found[why] += 1
    return "; ".join(f"{count}: {why}" for why, count in found.most_common(4))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--verbose", action="store_true", help="also the tables of the reports")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    folders = {package: folder_of(options.python, package) for package in {example[0] for example in EXAMPLES}}
    print("| example | kernels | launches | captured | judged | mismatches | output | slower | not judged |\n" + "| --- " * 9 + "|")
    differ, notes = 0, []
    for package, folder, name, arguments in EXAMPLES:
        if options.names and name not in options.names:
            continue
        label = f"`{name}`" if package == "warp" else f"{package} `{name}`"
        found = watch(options, folders[package] / folder / f"example_{name}.py", arguments)
        if "rows" not in found:
            print(f"| {label} | – | – | – | – | – | – | – | not run: {found['why']} |", flush=True)
            differ += "same" in found
            continue
        rows, wrong = found["rows"], found["mismatches"]
        counts = [len(rows), sum(r["launches"] for r in rows), sum(r["captured"] for r in rows), count_judged(rows)]
        names = ", ".join(f"`{v['kernel']}`{'' if v['confirmed'][0] else ' (not confirmed)'}" for v in wrong) or "–"
        slower = f"{found['seconds'] / max(found['seconds'] - found['inside'], 1e-9):.2f}"
        same = "the same" if found["same"] else "**differs**"
        print(f"| {label} | {' | '.join(map(str, counts))} | {names} | {same} | {slower} | {reasons(rows) or '–'} |", flush=True)
        differ += not found["same"] or not all(v["confirmed"][0] for v in wrong)
        notes += [f"{name}: {v['kernel']}: {v['why']}\n    {v['confirmed'][1]}" for v in wrong]
        if options.verbose:
            notes.append(found["table"])
        if not found["same"]:
            notes.append(f"{name} printed\n{found['expected']}\nand with the watch\n{found['said']}")
    print("\n" + "\n".join(notes))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
