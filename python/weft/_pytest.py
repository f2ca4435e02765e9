"""pytest --weft-gradients: weft.watch around every test. A test that launches a kernel with a wrong gradient fails; a table is at the end.

Each test notes what it launched in its report (`user_properties`), so that workers of pytest-xdist tell it to the process that prints the table."""

import json
import os
import subprocess

NOTES = "weft-gradients"
SECONDS = 60  # that `weft check` may take to find the cause


def pytest_addoption(parser):
    group = parser.getgroup("weft")
    group.addoption("--weft-gradients", action="store_true", help="fail tests that launch Warp kernels with a wrong gradient")
    group.addoption("--weft-report-only", action="store_true", help="with --weft-gradients: print the table, and fail no test")
    parser.addini("weft_allow", "kernels that --weft-gradients lets pass, by their keys", type="linelist", default=[])


def pytest_configure(config):
    config.addinivalue_line("markers", "weft_allow(kernel, ...): --weft-gradients lets these kernels pass in the test; all without a name")
    if config.getoption("--weft-gradients"):
        import pytest

        Hooks.pytest_runtest_call = pytest.hookimpl(hookwrapper=True)(Hooks.pytest_runtest_call)
        config.pluginmanager.register(Hooks(config), "weft-gradients")


# ---- around one test ----


def noting(report):
    """A watcher that also knows which rows of the report the test launched."""
    from weft import _check, _watch

    class Noting(_watch.Watcher):
        def __call__(self, launch):
            row = self.report._row_of(launch)
            self.seen.setdefault(id(row), (row, row.launches, row.captured))
            return super().__call__(launch)

    watcher = Noting(report, None, 1, _check.MOST_THREADS, 0)
    watcher.seen = {}
    return watcher


def notes_of(watcher):
    """The launches of the test: one dict for each kernel with arguments of the same shapes."""
    notes = []
    for row, launches, captured in watcher.seen.values():
        worst = row.worst
        notes.append(
            {
                "kernel": row.kernel,
                "path": row.path,
                "line": row.line,
                "shapes": f"{row.dim} {row.shapes}",
                "launches": row.launches - launches,
                "captured": row.captured - captured,
                "said": list(row.said),
                "ok": worst is None or worst.ok,
            }
        )
    return notes


def allowed_by(item, config):
    """The kernels that a test may launch, by their keys; None: all."""
    names = set(config.getini("weft_allow"))
    for marker in item.iter_markers("weft_allow"):
        if not marker.args:
            return None
        names.update(str(name) for name in marker.args)
    return names


# ---- what to tell about a wrong kernel ----


class Causes:
    """Why gradients are wrong, and how to write it instead: `weft check` looks at each file once."""

    def __init__(self):
        self.files = {}

    def of(self, path, kernel):
        """Causes with file, line, text and rewrite; none: they are not known."""
        if path not in self.files:
            self.files[path] = self.ask(path)
        return self.files[path].get(kernel, [])

    def ask(self, path):
        from weft.__main__ import find_command

        command = find_command()
        if command is None or not os.path.isfile(path):
            return {}
        try:
            done = subprocess.run([command, "check", path, "--json", "-q"], capture_output=True, text=True, timeout=SECONDS)
        except (OSError, subprocess.SubprocessError):
            return {}
        found = {}
        for line in done.stdout.splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            why = row.get("why") if row.get("gradient") == "mismatch" else None
            if isinstance(why, dict):
                found.setdefault(row.get("kernel_name"), []).append(why)
        return found


def message(note, causes):
    forward, _, why = note["said"]
    what = "Warp's gradient" if forward == "pass" else "the result"
    lines = [f"{note['path']}:{note['line']}: {what} of {note['kernel']} is wrong: {why}"]
    for cause in causes:
        lines.append(f"{cause.get('file')}:{cause.get('line')}: {cause.get('text')} [{cause.get('pattern')}]")
        if cause.get("rewrite"):
            lines.append(f"    hint: {cause['rewrite']}")
    return "\n".join(lines)


# ---- the plugin ----


class Row:
    """A row of the table: what all tests said about a kernel with arguments of the same shapes."""

    def __init__(self, note):
        self.kernel, self.said, self.launches, self.captured = note["kernel"], note["said"], 0, 0
        self.verdicts = [self]
        self.ok = note["ok"]


class Hooks:
    """Hooks of a run; pytest needs to know that the one around a test wraps the others."""

    def __init__(self, config):
        self.config, self.report, self.causes, self.rows = config, None, Causes(), {}

    def watcher(self):
        """None: Warp is not installed."""
        try:
            import warp  # noqa: F401
        except ImportError:
            return None
        from weft import _live, _watch

        if self.report is None:
            _live.warp_version()  # refuses what weft does not know
            self.report = _watch.Report()
        return noting(self.report)

    def pytest_runtest_call(self, item):
        """Around one test: a generator, since it is a hook that wraps the others."""
        watcher = self.watcher()
        if watcher is None:
            yield
            return
        from weft import _watch

        with _watch._watching(watcher):
            outcome = yield
        notes = notes_of(watcher)
        if notes:
            item.user_properties.append((NOTES, json.dumps(notes)))
        allowed = allowed_by(item, self.config)
        if outcome.excinfo is not None or allowed is None or self.config.getoption("--weft-report-only"):
            return
        told = {}
        for note in notes:
            causes = [] if note["ok"] or note["kernel"] in allowed else self.causes.of(note["path"], note["kernel"])
            known = causes and all(cause.get("known_by") for cause in causes)  # by a comment in the source
            if not note["ok"] and note["kernel"] not in allowed and not known:
                told[message(note, causes)] = True
        if told:
            import pytest

            outcome.force_exception(pytest.fail.Exception("\n".join(told), pytrace=False))

    def pytest_runtest_logreport(self, report):
        """In the process that prints the table: also for tests that ran in others."""
        if report.when != "call":
            return
        for name, text in report.user_properties:
            for note in json.loads(text) if name == NOTES else []:
                key = note["kernel"], note["path"], note["line"], note["shapes"]
                row = self.rows.setdefault(key, Row(note))
                row.launches += note["launches"]
                row.captured += note["captured"]
                if row.ok and not note["ok"]:
                    row.ok, row.said = False, note["said"]

    def pytest_terminal_summary(self, terminalreporter):
        from weft import _watch

        report = _watch.Report()
        report.rows = self.rows
        terminalreporter.section("weft: gradients of Warp kernels")
        terminalreporter.write_line(str(report) if self.rows else "no kernel was launched")
