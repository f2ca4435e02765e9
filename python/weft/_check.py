"""weft.check: a live kernel, run by both evaluators on the program's own data.

The forward pass and its derivative are computed twice and independently: from the syntax tree, with exact tangents, and from the form that
Warp's text is written from, with Warp's adjoint rules. For a random direction u and a random cotangent w, w·(J u) must equal (Jᵀ w)·u.
"""

import ast
import html
import json
import math
import operator
import os
import subprocess

from weft import _arguments, _live, _native
from weft._errors import CompileError, Error, Refused

MOST_AT_ALL = 2**31 - 1
MOST_THREADS = 4096  # of larger launches, as many threads that lie all over them
MOST_STEPS = 20_000_000  # of the evaluator of the syntax tree, in one run of a launch; eight times as many of the other one
TOO_LONG = "too-many-steps"  # of weft's own evaluators: nothing is known against the kernel
OUTPUT_TOLERANCE = 5e-3  # relative; a launch in parallel adds in another order


class Verdict:
    """What was found out about a kernel on some data.

    forward     "pass", "mismatch" (the evaluators disagree), "wrong" (the program's outputs are others), "finding" (an access out of
                bounds, a race, ...), or "none" (it could not be run: see why)
    gradient    "pass", "mismatch" (Warp's reverse pass does not give the true derivative), or "none"
    prior       the same for what arrays held before that are only written
    true_value, warp_value   of the directional derivative: the true one, and that of Warp's reverse pass
    gradient_error, forward_error, output_error   relative; output_error: against what the program had after the launch, or None
    finding     what went wrong while it ran: "gradient-undefined" (all values and the true gradient are finite, Warp's gradient is not),
                "out-of-bounds", ..., or None
    pattern     of a wrong gradient of a file: which of weft's patterns is the cause, as `weft check` names it, or None
    line, hint  where that is, or where the finding is; what to write instead, or None
    why         in words, with the line of the kernel's file
    """

    def __init__(self, kernel, path, answer):
        self.kernel, self.path = kernel, path
        self.line = self.element = self.output_error = self.finding = self.pattern = self.hint = None
        self.gradient = self.prior = "none"
        self.true_value = self.warp_value = self.gradient_error = self.forward_error = 0.0
        if isinstance(answer, str):
            self.forward, self.why = "none", answer.strip()
            return
        self.line, self.element = answer["line"], answer["element"] or None
        for name in ("gradient", "prior", "true_value", "warp_value", "gradient_error", "forward_error"):
            setattr(self, name, answer[name])
        if not math.isnan(answer["output_error"]):
            self.output_error = answer["output_error"]
        if not math.isfinite(self.true_value):  # a square root of zero, say: nothing to compare with
            self.gradient = self.prior = "none"
        if answer["finding"] != "none":
            self.finding = answer["finding"]
        self.forward, self.why = self._judge(answer)

    def _judge(self, answer):
        failure, message = answer["failure"], answer["message"]
        place = f" ({self.path}:{self.line})"
        if failure == "unsupported":
            return "none", f"it cannot be run: {message}" + place
        if failure == "evaluators-disagree":
            values = f"{answer['syntax_tree']:.9g} and {answer['region_tree']:.9g}"
            return "mismatch", f"two evaluations differ, at {self.element or 'a result'}: {values}" + place
        if self.is_too_long and not answer["in_reverse"]:
            return "none", "not judged: too long" + place
        if failure in ("finding", "warp-reads-unset", "warp-changes-constant"):
            return "finding", f"{answer['finding']}: {message}" + place
        if failure != "ok":
            return "none", failure.replace("-", " ") + place
        if self.output_error is not None and not self.output_error <= OUTPUT_TOLERANCE:
            return "wrong", f"the outputs of the program differ from those of the kernel by {self.output_error:.3g}"
        if not math.isfinite(self.true_value):
            return "pass", "the derivative is not a finite number at these data"
        if self.finding == "gradient-undefined":
            return "pass", f"Warp's reverse pass is not finite, the true derivative is {self.true_value:.9g}: {self.finding}, {message}" + place
        if self.gradient == "mismatch" and self.is_too_long:
            return "pass", "Warp's reverse pass does not end, or takes far more steps than the forward pass" + place
        if self.gradient == "mismatch":
            return "pass", f"Warp's reverse pass gives {self.warp_value:.9g}, the true derivative is {self.true_value:.9g}"
        if self.is_too_long:
            return "pass", "the gradient is not judged: too long" + place
        if answer["in_reverse"]:
            return "pass", f"in the reverse pass: {answer['finding']}: {message}" + place
        return "pass", ""

    @property
    def is_too_long(self):
        """An evaluator was stopped; with fewer threads or more steps, more may be found out."""
        return self.finding == TOO_LONG

    @property
    def ok(self):
        """True if no problem was found."""
        return self.forward in ("pass", "none") and self.gradient != "mismatch" and self.prior != "mismatch"

    def to_dict(self):
        """All of it, for JSON: numbers that are not finite are None."""
        return {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in vars(self).items()}

    @classmethod
    def of_report(cls, report):
        """The verdict about a kernel of a file, from a line of `weft check --json`."""
        if "error" in report:
            error = report["error"]
            found = cls(report.get("kernel_name") or "", report["file"], f"it cannot be compiled: {error['message']} ({report['file']}:{error.get('line')})")
            found.line, found.hint = error.get("line"), error.get("hint")
            return found
        found, cause = cls(report["kernel_name"], report["file"], ""), report.get("why") or {}
        finding = (report["findings"] or [{}])[0]
        found.forward = {"pass": "pass", "finding": "finding", "evaluators-disagree": "mismatch"}.get(report["forward"], "none")
        found.gradient = report["gradient"]
        found.true_value, found.warp_value = (math.nan if report[name] is None else report[name] for name in ("true_dot", "warp_dot"))
        found.gradient_error = math.inf if report["gradient_error"] is None and found.gradient == "mismatch" else report["gradient_error"] or 0.0
        found.finding, found.pattern, found.hint = finding.get("kind"), cause.get("pattern"), cause.get("rewrite")
        found.line = cause.get("line") or finding.get("line")
        found.element = report.get("example", {}).get("output")
        place = f" ({found.path}:{found.line})" if found.line else ""
        if found.gradient == "mismatch":
            values = f"Warp's reverse pass gives {found.warp_value:.9g}, the true derivative is {found.true_value:.9g}"
            found.why = values + (f": {cause['text']}" if cause.get("text") else "") + place
        elif finding:
            found.why = f"{finding['kind']}: {finding['message']}" + place
        elif found.forward == "none":
            found.why = report["forward"].replace("-", " ")
        return found

    def _repr_html_(self):
        rows = [("kernel", self.kernel), ("forward", self.forward), ("gradient", self.gradient), ("why", self.why), ("pattern", self.pattern), ("hint", self.hint)]
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows if value)
        return f"<table>{cells}</table>"

    def __repr__(self):
        return f"<weft.Verdict {self.kernel}: forward {self.forward}, gradient {self.gradient}{'; ' + self.why if self.why else ''}>"


def check(kernel, inputs=(), dim=None, *, outputs=(), seed=0, threads=MOST_THREADS):
    """Run a kernel on these data with both evaluators, and compare. Or run all kernels of a file on random data.

    kernel    a wp.Kernel; of a generic one, the overload that the data ask for. Or the path of a file or folder (os.PathLike): its
              kernels are run on random data, as by the command `weft check`, with these `dim` and `seed`. Warp is not needed for that
    inputs, outputs   its arguments, as for wp.launch; arrays of Warp or numpy. They are not changed
    dim       of the launch; None: the shape of the first array
    seed      of the direction in which the gradient is checked
    threads   run at most this many, spread over the launch

    Returns a Verdict; of a file, a list of them. Raises FileNotFoundError where there is no such file, and weft.Refused where the kernel cannot be compiled, or an argument cannot be described.
    """
    if isinstance(kernel, os.PathLike):
        return _check_file(kernel, [*_listed("inputs", inputs), *_listed("outputs", outputs)], dim, seed, threads)
    if isinstance(kernel, (str, bytes)):
        raise TypeError(f"a file is given as a path: pathlib.Path({kernel!r})")
    _arguments.needs_warp("weft.check()")
    values = [*_listed("inputs", inputs), *_listed("outputs", outputs)]
    seed, threads = _arguments.whole("seed", seed, 0), _arguments.whole("threads", threads, 1, MOST_AT_ALL)
    kernel = _overload_of(kernel, values)
    data = Data(kernel, values)
    return run(kernel, data.arguments(), _launch_dim(dim, data), seed, threads)


def _check_file(path, values, dim, seed, threads):
    """The verdicts of the command about all kernels of a file or folder."""
    from weft.__main__ import find_command

    if values or threads != MOST_THREADS:
        raise TypeError("kernels of a file are run on random data: inputs, outputs and threads are for live kernels")
    path, command = os.fspath(path), find_command()
    os.stat(path)  # raises FileNotFoundError
    if command is None:
        raise Error("the command weft is not installed with this package")
    extents = [] if dim is None else ["--dim", ",".join(map(str, dim if hasattr(dim, "__iter__") else [dim]))]
    seeds = ["--seed", str(_arguments.whole("seed", seed, 0))] if seed else []
    done = subprocess.run([command, "check", "-q", "--json", *extents, *seeds, "--", path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Error(done.stderr.strip().replace("weft check: ", "", 1) or f"weft check ended with {done.returncode}")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [report for report in reports if "error" in report and not report.get("kernel_name")]
    if wrong and len(wrong) == len(reports):
        error = wrong[0]["error"]
        cls = Refused if error["kind"] == "unsupported" else CompileError
        raise cls(error["message"], hint=error.get("hint"), path=path, line=error.get("line"), column=error.get("column"))
    if not reports and done.stderr.strip():
        raise Error(done.stderr.strip())
    return [Verdict.of_report(report) for report in reports]


def _listed(name, values):
    is_array = hasattr(values, "dtype") and hasattr(values, "shape")
    if isinstance(values, (str, bytes, dict)) or is_array or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} are a list of arguments, as for wp.launch, not {type(values).__name__}")
    return values


def run(kernel, arguments, dim, seed, threads, steps=MOST_STEPS):
    """The verdict about a kernel with all its data described."""
    world = _live.World()
    number = world.kernel(kernel)
    total = math.prod(dim)
    few = threads if total > threads else 0
    answer = _native.check(_live.warp_version(), (world.objects, number, arguments, tuple(dim), few, seed, steps))
    return Verdict(kernel.key, kernel.adj.filename, answer)


def _overload_of(kernel, values):
    if not isinstance(kernel, _live.warp().Kernel):
        raise TypeError(f"a kernel that is run is a wp.Kernel, not {type(kernel).__name__}")
    if not kernel.is_generic:
        return kernel
    _check_count(kernel, values)
    wp = _live.warp()
    known = [wp.array(value, device="cpu") if type(value).__module__ == "numpy" and getattr(value, "shape", ()) else value for value in values]
    return kernel.add_overload(kernel.infer_argument_types(known))


def _check_count(kernel, values):
    names = [arg.label for arg in kernel.adj.args]
    if len(values) != len(names):
        raise TypeError(f"kernel '{kernel.key}' takes {len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)}), not {len(values)}")


def _launch_dim(dim, data):
    if dim is None:
        shapes = [shape for _, shape, _ in data.parts if shape]
        if not shapes:
            raise ValueError("dim is needed: no argument is an array")
        dim = shapes[0]
    try:
        dim = tuple(operator.index(n) for n in dim) if hasattr(dim, "__iter__") else (operator.index(dim),)
    except TypeError:
        raise TypeError(f"dim is a number of threads, or one to four of them, not {dim!r}") from None
    if not dim or len(dim) > 4 or min(dim) < 1 or max(dim) > MOST_AT_ALL:
        raise ValueError(f"dim has one to four numbers from 1 to {MOST_AT_ALL}, not {dim}")
    return dim


def _numbers(value):
    """A scalar, a vector or a matrix as numbers and lists."""
    return [_numbers(one) for one in value] if hasattr(value, "__len__") and not isinstance(value, str) else _live.plain(value)


class _Memory:
    """Where an array lies, on any device; numpy compares addresses and never looks there."""

    def __init__(self, address, shape, strides, size):
        self.__array_interface__ = {"data": (address, False), "shape": shape, "strides": strides, "typestr": f"|V{size}", "version": 3}


def _only_reads(kernel, name, ndim):
    """Does the text of the kernel read elements of this array parameter, and do nothing else with it?"""
    if "." in name:  # of a struct
        return False
    parents = {child: node for node in ast.walk(kernel.adj.tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(kernel.adj.tree):
        if not isinstance(node, ast.Name) or node.id != name:
            continue
        at, indices = parents[node], 0
        while isinstance(at, (ast.Subscript, ast.Attribute)) and isinstance(at.ctx, ast.Load) and indices < ndim:
            if isinstance(at, ast.Attribute):
                indices = ndim if at.attr == "shape" else -1
                break
            indices += len(at.slice.elts) if isinstance(at.slice, ast.Tuple) else 1
            node, at = at, parents[at]
        while isinstance(at, (ast.Subscript, ast.Attribute)) and isinstance(at.ctx, ast.Load):
            at = parents[at]
        if indices != ndim or isinstance(getattr(at, "ctx", None), (ast.Store, ast.Del)):
            return False
    return True


class Data:
    """The arguments of a launch as they are now: (path, shape or None, cells), scalars as 8-byte numbers."""

    def __init__(self, kernel, values):
        import numpy

        self.numpy = numpy
        self.types = _live.warp()._src.types
        self.parts, self.memory = [], []
        _check_count(kernel, values)
        for arg, value in zip(kernel.adj.args, values):
            self.describe(arg.label, arg.type, value)
        self.refuse_shared(kernel)

    def refuse_shared(self, kernel):
        """Evaluators give each array a memory of its own; where a launch writes to one that overlaps another, it means something else."""
        for i, (path, one, ndim) in enumerate(self.memory):
            if any(n > 1 and not stride for n, stride in zip(one.shape, one.strides)) and not _only_reads(kernel, path, ndim):
                raise Refused(f"not judged: elements of the argument '{path}' share memory that the kernel may write to")
            for other_path, other, other_ndim in self.memory[:i]:
                if self.overlap(one, other) and not (_only_reads(kernel, path, ndim) and _only_reads(kernel, other_path, other_ndim)):
                    raise Refused(f"not judged: the arguments '{other_path}' and '{path}' share memory that the kernel may write to")

    def overlap(self, one, other):
        try:
            return self.numpy.shares_memory(one, other, max_work=10_000)
        except RuntimeError:  # it takes too long to find out
            return True

    def arguments(self, after=None):
        """What _native.check takes; `after`: the same arguments after the launch."""
        later = {path: cells for path, shape, cells in after.parts if shape} if after else {}
        return [(path, shape, cells, later.get(path)) for path, shape, cells in self.parts]

    def describe(self, path, t, value):
        if hasattr(t, "vars") and hasattr(t, "native_name"):  # a struct
            for name, var in t.vars.items():
                if not hasattr(value, name):
                    raise Refused(f"the argument '{path}' is {type(value).__name__}, not the struct {t.key}")
                self.describe(f"{path}.{name}", var.type, getattr(value, name))
        elif self.types.is_array(t):
            self.array(path, t, value)
        else:
            self.parts.append((path, None, self.cells(path, self.numpy.array(_numbers(value)))))

    def array(self, path, t, value):
        if value is None:
            raise Refused(f"the argument '{path}' is None")
        if not self.types.matches_array_class(t, self.types.array):
            raise Refused(f"the argument '{path}' is an array of a kind that cannot be run")
        data = value.numpy() if hasattr(value, "numpy") else self.numpy.asarray(value)
        shape, inner = data.shape[: t.ndim], self.inner_shape(t.dtype)
        if data.dtype.names:
            raise Refused(f"the argument '{path}' is an array of structs")
        if not data.size:
            raise Refused(f"the argument '{path}' is empty")
        if len(shape) != t.ndim or data.shape[t.ndim :] != inner:
            wanted = f"{t.ndim} dimension{'s' * (t.ndim != 1)}{f' of elements of shape {inner}' if inner else ''}"
            raise Refused(f"the argument '{path}' is an array of shape {data.shape}; the kernel wants {wanted}")
        self.parts.append((path, tuple(int(n) for n in shape), self.cells(path, data)))
        where = value if isinstance(value, self.numpy.ndarray) else data
        if hasattr(value, "ptr"):
            where = self.numpy.asarray(_Memory(value.ptr, tuple(value.shape), tuple(value.strides), self.types.type_size_in_bytes(value.dtype)))
        self.memory.append((path, where, t.ndim))

    def inner_shape(self, dtype):
        """Of one element: () for a scalar."""
        return tuple(getattr(dtype, "_shape_", ()))

    def cells(self, path, data):
        np = self.numpy
        if data.dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # numpy warns of some that are not numbers
                return np.ascontiguousarray(data, dtype="<f8").tobytes()
        if data.dtype.kind in "iub":
            wide = data.astype("<u8").view("<i8") if data.dtype == np.uint64 else data.astype("<i8")
            return np.ascontiguousarray(wide).tobytes()
        raise Refused(f"the argument '{path}' is not a number or an array of numbers")
