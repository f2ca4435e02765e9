"""Kernels made of bodies: the parameters that a body uses are found by their names."""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PER_FILE = 120
HEADER = (HERE / "bodies_head.py").read_text()
SIGNATURE = (
    "a: wp.array(dtype=float), ai: wp.array(dtype=int), av: wp.array(dtype=wp.vec3), am: wp.array(dtype=wp.mat33), "
    "at: wp.array(dtype=wp.transform), aq: wp.array(dtype=wp.quat), aw: wp.array(dtype=wp.spatial_vector), nests: wp.array(dtype=Nest), bodies: wp.array(dtype=Pair), grid: wp.array2d(dtype=float), cube: wp.array3d(dtype=float), "
    "n: int, x: float, d: wp.float64, u: wp.uint32, c: bool, v: wp.vec3, m: wp.mat33, q: wp.quat, t: wp.transform, "
    "w: wp.spatial_vector, s: Pair, hold: Holder, vi: wp.vec3i, avi: wp.array(dtype=wp.vec3i), outvi: wp.array(dtype=wp.vec3i), out: wp.array(dtype=float), outi: wp.array(dtype=int), outu: wp.array(dtype=wp.uint32), "
    "outd: wp.array(dtype=wp.float64), outv: wp.array(dtype=wp.vec3), outm: wp.array(dtype=wp.mat33), outq: wp.array(dtype=wp.quat), "
    "outt: wp.array(dtype=wp.transform), outw: wp.array(dtype=wp.spatial_vector), "
    "hyper: wp.array4d(dtype=float), ad: wp.array(dtype=wp.float64), ah: wp.array(dtype=wp.float16), al: wp.array(dtype=wp.int64), au: wp.array(dtype=wp.uint32), ab: wp.array(dtype=bool), "
    "avd: wp.array(dtype=wp.vec3d), gridv: wp.array2d(dtype=wp.vec3), gridi: wp.array2d(dtype=int), wides: wp.array(dtype=Wide), wide: Wide, nest: Nest, empty: Empty, big: wp.int64, hf: wp.float16, vd: wp.vec3d, qd: wp.quatd, outh: wp.array(dtype=wp.float16), outl: wp.array(dtype=wp.int64), outb: wp.array(dtype=bool), outvd: wp.array(dtype=wp.vec3d), outgrid: wp.array2d(dtype=float), outcube: wp.array3d(dtype=float), outhyper: wp.array4d(dtype=float), cloud: Cloud, clouds: wp.array(dtype=Cloud)"
)


def parameters(body):
    """Those of the signature that the body has."""
    params = re.split(r", (?=\w+: )", SIGNATURE)
    return ", ".join(p for p in params if re.search(rf"\b{p.split(':')[0]}\b", body))


def from_arrays(params, body):
    """The same with what is passed by value read from arrays, so that all of it has a gradient."""
    by_value = re.compile(r"\b(x|d|v|m|q|t|w|s|nest|wide|vd|qd|hf): ([\w.]+)(?=,|$)")
    reads = "".join(f"{name} = {name}_in[i]\n" for name, _ in by_value.findall(params))
    return by_value.sub(r"\1_in: wp.array(dtype=\2)", params), reads + body


def module(bodies, first, options="", arrays=False, decorator="@wp.kernel"):
    """A kernel for each; `first` is the number of the first."""
    kernels = []
    for number, body in enumerate(bodies, first):
        params = parameters(body)
        if arrays:
            params, body = from_arrays(params, body.strip("\n"))
        lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
        kernels.append(f"{decorator}\ndef body_{number}({params}):\n    i = wp.tid()\n{lines}\n")
    return HEADER + options + "\n\n" + "\n\n".join(kernels)
