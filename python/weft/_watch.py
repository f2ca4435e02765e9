"""weft.watch: a sanitizer for the gradients of a running program.

    with weft.watch() as report:
        program()
    print(report)

Inside, every wp.launch goes on as usual. The first launches of each kernel and shapes are also run by both evaluators, on a copy of
the data: what the program computed is compared with them, and Warp's reverse pass with the true derivative, on these data.
"""

import contextlib
import json
import sys

from weft import _check, _live, _native
from weft._errors import Error

MOST_CELLS = 4_000_000  # of all arguments of a launch; larger ones are not copied


class Mismatch(Exception):
    """A launch that weft.watch(raise_on="mismatch") found something against; `verdict` says what."""

    def __init__(self, verdict):
        self.verdict = verdict
        super().__init__(f"{verdict.kernel}: {verdict.why}")


class Row:
    """One kernel with arguments of the same shapes: how often it was launched, and what was found out."""

    def __init__(self, kernel, dim, shapes):
        self.kernel, self.dim, self.shapes = kernel.key, dim, shapes
        self.path, self.line = kernel.adj.filename, kernel.adj.fun_lineno
        self.launches, self.verdicts, self.why = 0, [], ""

    @property
    def worst(self):
        """The verdict that says most; None: no launch was run."""
        wrong = [v for v in self.verdicts if not v.ok]
        return (wrong or self.verdicts or [None])[0]

    def to_dict(self):
        worst = self.worst
        fields = worst.to_dict() if worst else {"forward": "none", "gradient": "none", "why": self.why}
        return fields | {"kernel": self.kernel, "path": self.path, "dim": list(self.dim), "launches": self.launches, "checked": len(self.verdicts)}


class Report:
    """What was seen: rows, a table as text, JSON and SARIF."""

    def __init__(self):
        self.rows = {}

    def __iter__(self):
        return iter(self.rows.values())

    def __len__(self):
        return len(self.rows)

    @property
    def mismatches(self):
        """The verdicts that something is known against."""
        return [v for row in self for v in row.verdicts if not v.ok]

    def to_json(self):
        return json.dumps([row.to_dict() for row in self], indent=2)

    def to_sarif(self):
        """For code scanning: one result for each mismatch."""
        results = []
        for verdict in self.mismatches:
            place = {"physicalLocation": {"artifactLocation": {"uri": verdict.path}, "region": {"startLine": verdict.line or 1}}}
            rule = "gradient" if verdict.forward == "pass" else "forward"
            results.append({"ruleId": rule, "level": "warning", "message": {"text": f"{verdict.kernel}: {verdict.why}"}, "locations": [place]})
        driver = {"name": "weft", "version": _native.VERSION, "rules": [{"id": "gradient"}, {"id": "forward"}]}
        run = {"tool": {"driver": driver}, "results": results}
        return json.dumps({"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}, indent=2)

    def __str__(self):
        table = [("kernel", "launches", "forward", "gradient", "why")]
        for row in self:
            worst = row.worst
            said = (worst.forward, worst.gradient, worst.why) if worst else ("none", "none", row.why)
            table.append((row.kernel, str(row.launches), *said))
        widths = [max(len(line[i]) for line in table) for i in range(4)]
        lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[4]]).rstrip() for line in table]
        wrong = len(self.mismatches)
        return "\n".join([*lines, f"{len(self)} kernels, {sum(r.launches for r in self)} launches, {wrong} mismatch{'' if wrong == 1 else 'es'}"])


class Watcher:
    """Stands in for wp.launch."""

    def __init__(self, original, report, raise_on, per_kernel, threads, seed):
        self.original, self.report, self.raise_on = original, report, raise_on
        self.per_kernel, self.threads, self.seed = per_kernel, threads, seed
        self.inside = False

    def __call__(self, kernel, dim=None, inputs=(), outputs=(), *args, **kwargs):
        if dim is not None:
            kwargs["dim"] = dim
        call = (kernel, inputs, outputs, args, kwargs)
        if self.inside or args or kwargs.get("adjoint") or kwargs.get("record_cmd"):
            return self.launch(call)
        self.inside = True
        try:
            row, before = self.look(kernel, kwargs.get("dim"), [*inputs, *outputs])
            result = self.launch(call)
            if before is not None:
                self.judge(row, before, [*inputs, *outputs])
        finally:
            self.inside = False
        return result

    def launch(self, call):
        kernel, inputs, outputs, args, kwargs = call
        kwargs = dict(kwargs)
        return self.original(kernel, kwargs.pop("dim"), inputs, outputs, *args, **kwargs)

    def look(self, kernel, dim, values):
        """(the row that the launch belongs to, what to run it with or None)"""
        if not isinstance(kernel, _live.warp().Kernel):
            return None, None
        dim = (dim,) if isinstance(dim, int) else tuple(dim or ())
        shapes = tuple(tuple(getattr(v, "shape", ())) for v in values)
        key = (id(kernel), dim, shapes)
        row = self.report.rows.get(key)
        if row is None:
            row = self.report.rows[key] = Row(kernel, dim, shapes)
            row.kept = kernel  # as long as the report lives, its id is not given to another
        row.launches += 1
        if len(row.verdicts) >= self.per_kernel or row.why or not dim or min(dim) < 1:
            return row, None
        try:
            return row, self.describe(kernel, dim, values)
        except Error as error:
            row.why = error.message
        return row, None

    def describe(self, kernel, dim, values):
        chosen = _check._overload_of(kernel, values)
        cells = sum(getattr(v, "size", 1) for v in values)
        if cells > MOST_CELLS:
            raise Error(f"the launch has more than {MOST_CELLS} elements")
        return chosen, dim, _check.Data(chosen, values)

    def judge(self, row, before, values):
        kernel, dim, data = before
        try:
            arguments = data.arguments(_check.Data(kernel, values))
            verdict = _check.run(kernel, arguments, dim, self.seed, self.threads)
        except Error as error:
            row.why = error.message
            return
        if verdict.forward == "none":
            row.why = verdict.why
        row.verdicts.append(verdict)
        if not verdict.ok and self.raise_on == "mismatch":
            raise Mismatch(verdict)


@contextlib.contextmanager
def watch(*, raise_on=None, per_kernel=1, threads=_check.MOST_THREADS, seed=0, report=None):
    """Check the launches of the program inside; gives a Report.

    raise_on     "mismatch": raise weft.Mismatch at the first launch that something is found against
    per_kernel   how many launches of each kernel and shapes are run
    threads      of a launch, at most; spread over it where it is larger. Outputs are compared where all run
    report       one to go on with
    """
    if raise_on not in (None, "mismatch"):
        raise ValueError(f"raise_on is None or 'mismatch', not {raise_on!r}")
    wp = _live.warp()
    context = sys.modules["warp._src.context"]
    _live.warp_version()
    report = Report() if report is None else report
    watcher = Watcher(context.launch, report, raise_on, per_kernel, threads, seed)
    saved = wp.launch, context.launch
    wp.launch = context.launch = watcher
    try:
        yield report
    finally:
        wp.launch, context.launch = saved
