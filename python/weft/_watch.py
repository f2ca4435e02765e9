"""weft.watch: a sanitizer for the gradients of a running program.

    with weft.watch() as report:
        program()
    print(report)

Inside, every launch goes on as usual. The first launches of each kernel and shapes are also run by both evaluators, on a copy of
the data: what the program computed is compared with them, and Warp's reverse pass with the true derivative, on these data.
"""

import contextlib
import html
import json
import math
import urllib.parse

from weft import _arguments, _check, _launches, _live, _native
from weft._errors import Error

CAPTURED = "not judged: captured"  # a graph records the launch, and nothing runs
MOST_CELLS = 4_000_000  # of all arguments of a launch; larger ones are not copied
MOST_SHAPES = 8  # of a kernel; launches with further ones are counted
MOST_STEPS = 2_000_000  # of an evaluator for one launch; where it takes more, fewer threads run
FEWER = 16  # times fewer


class Mismatch(Exception):
    """A launch that weft.watch(raise_on="mismatch") found something against; `verdict` says what."""

    def __init__(self, verdict):
        self.verdict = verdict
        super().__init__(f"{verdict.kernel}: {verdict.why}")

    def __reduce__(self):
        return Mismatch, (self.verdict,)


class Row:
    """One kernel with arguments of the same shapes: how often it was launched, and what was found out."""

    def __init__(self, kernel, dim, shapes):
        self.kernel, self.dim, self.shapes = kernel.key, dim, shapes
        self.path, self.line = kernel.adj.filename, kernel.adj.fun_lineno
        self.kept = kernel  # as long as the report lives, its id is not given to another
        self.launches, self.captured, self.verdicts, self.why = 0, 0, [], ""

    def __getstate__(self):
        return {**vars(self), "kept": None}  # a report can go to another process, a kernel cannot

    @property
    def worst(self):
        """The verdict that says most; None: no launch was run."""
        wrong = [v for v in self.verdicts if not v.ok]
        return (wrong or self.verdicts or [None])[0]

    @property
    def said(self):
        """(forward, gradient, why)"""
        worst = self.worst
        if worst:
            return worst.forward, worst.gradient, worst.why
        return "none", "none", self.why or (CAPTURED if self.captured else "")

    def to_dict(self):
        worst = self.worst
        fields = worst.to_dict() if worst else dict(zip(("forward", "gradient", "why"), self.said))
        counts = {"launches": self.launches, "captured": self.captured, "checked": len(self.verdicts)}
        return {**fields, "kernel": self.kernel, "path": self.path, "dim": list(self.dim), **counts}


class Report:
    """What was seen: rows, a table as text, JSON and SARIF."""

    def __init__(self):
        self.rows = {}
        self._shapes = {}  # of each kernel: how many rows

    def __iter__(self):
        return iter(self.rows.values())

    def __len__(self):
        return len(self.rows)

    def _row_of(self, launch):
        """The row that a launch belongs to."""
        kernel = id(launch.kernel)
        row = self.rows.get((kernel, launch.dim, launch.shapes)) or self.rows.get((kernel, None))
        if row is not None:
            return row
        count = self._shapes[kernel] = self._shapes.get(kernel, 0) + 1
        if count <= MOST_SHAPES:
            row = self.rows[kernel, launch.dim, launch.shapes] = Row(launch.kernel, launch.dim, launch.shapes)
        else:
            row = self.rows[kernel, None] = Row(launch.kernel, (), ())
            row.why = f"not judged: with more than {MOST_SHAPES} shapes"
        return row

    @property
    def mismatches(self):
        """The verdicts that something is known against."""
        return [v for row in self for v in row.verdicts if not v.ok]

    def __repr__(self):
        return f"<weft.Report: {len(self)} rows, {len(self.mismatches)} mismatches>"

    def _repr_html_(self):
        head = "<tr><th>kernel</th><th>launches</th><th>forward</th><th>gradient</th><th>why</th></tr>"
        rows = [(row.kernel, row.launches, *row.said) for row in self]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table>{head}{body}</table>"

    def to_json(self):
        return json.dumps([row.to_dict() for row in self], indent=2, allow_nan=False)

    def to_sarif(self):
        """For code scanning: one result for each mismatch."""
        results = []
        for verdict in self.mismatches:
            place = {"physicalLocation": {"artifactLocation": {"uri": urllib.parse.quote(verdict.path)}, "region": {"startLine": verdict.line or 1}}}
            rule = "gradient" if verdict.forward == "pass" else "forward"
            results.append({"ruleId": rule, "level": "warning", "message": {"text": f"{verdict.kernel}: {verdict.why}"}, "locations": [place]})
        driver = {"name": "weft", "version": _native.VERSION, "rules": [{"id": "gradient"}, {"id": "forward"}]}
        run = {"tool": {"driver": driver}, "results": results}
        return json.dumps({"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}, indent=2)

    def __str__(self):
        table = [("kernel", "launches", "forward", "gradient", "why")]
        for row in self:
            table.append((row.kernel, str(row.launches), *row.said))
        widths = [max(len(line[i]) for line in table) for i in range(4)]
        lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[4]]).rstrip() for line in table]
        wrong, captured = len(self.mismatches), sum(row.captured for row in self)
        summary = f"{len(self)} kernels, {sum(row.launches for row in self)} launches, {wrong} mismatch{'' if wrong == 1 else 'es'}"
        return "\n".join([*lines, summary + (f", {captured} {CAPTURED}" if captured else "")])


class Watcher:
    """Looks at each launch before it runs, and after."""

    def __init__(self, report, raise_on, per_kernel, threads, seed):
        self.report, self.raise_on = report, raise_on
        self.per_kernel, self.threads, self.seed = per_kernel, threads, seed

    def __call__(self, launch):
        row = self.report._row_of(launch)
        row.launches += 1
        if launch.is_captured:
            row.captured += 1
        elif len(row.verdicts) < self.per_kernel and not row.why:
            before = self.attempt(row, lambda: self.describe(launch))
            return before and (lambda: self.judge(row, launch, before))
        return None

    def attempt(self, row, do):
        """What it gives; None: the row says why not. The program must not hear of it."""
        try:
            return do()
        except Error as error:
            row.why = error.message
        except Exception as error:
            row.why = f"not judged: weft failed, {type(error).__name__}: {error}"
        return None

    def describe(self, launch):
        if launch.size() > MOST_CELLS:
            raise Error(f"not judged: the launch has more than {MOST_CELLS} elements")
        return _check.Data(launch.kernel, launch.values())

    def judge(self, row, launch, before):
        def run():
            arguments = before.arguments(_check.Data(launch.kernel, launch.values()))
            return self.run(launch.kernel, arguments, launch.dim)

        verdict = self.attempt(row, run)
        if verdict is None:
            return
        if verdict.forward == "none":
            row.why = verdict.why
        row.verdicts.append(verdict)
        if not verdict.ok and self.raise_on == "mismatch":
            raise Mismatch(verdict)

    def run(self, kernel, arguments, dim):
        """The verdict; of a launch that takes too many steps, about fewer and fewer threads of it."""
        count = min(self.threads, math.prod(dim))
        verdict = _check.run(kernel, arguments, dim, self.seed, count, MOST_STEPS)
        while verdict.ok and verdict.is_too_long and count > 1:
            count = max(count // FEWER, 1)
            fewer = _check.run(kernel, arguments, dim, self.seed, count, MOST_STEPS)
            fewer.output_error, verdict = verdict.output_error, fewer  # of the whole launch
        return verdict


def watch(*, raise_on=None, per_kernel=1, threads=_check.MOST_THREADS, seed=0, report=None):
    """Check the launches of the program inside; gives a Report.

    raise_on     "mismatch": raise weft.Mismatch at the first launch that something is found against
    per_kernel   how many launches of each kernel and shapes are run
    threads      of a launch, at most; spread over it where it is larger. Outputs are compared where all run
    report       one to go on with
    """
    if raise_on not in (None, "mismatch"):
        raise ValueError(f"raise_on is None or 'mismatch', not {raise_on!r}")
    if report is not None and not isinstance(report, Report):
        raise TypeError(f"report is a weft.Report to go on with, not {type(report).__name__}")
    per_kernel, seed = _arguments.whole("per_kernel", per_kernel, 0), _arguments.whole("seed", seed, 0)
    threads = _arguments.whole("threads", threads, 1, _check.MOST_AT_ALL)
    _arguments.needs_warp("weft.watch()")
    _live.warp_version()  # refuses what weft does not know
    return _watching(Watcher(Report() if report is None else report, raise_on, per_kernel, threads, seed))


@contextlib.contextmanager
def _watching(watcher):
    _launches.listen(watcher)
    try:
        yield watcher.report
    finally:
        _launches.unlisten(watcher)
