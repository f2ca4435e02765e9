#!/usr/bin/env python3
"""`weft check` as a linter: the pattern behind each wrong gradient, SARIF, comments that silence a finding, baselines."""

import contextlib
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile

import tally
from tally import check
from test_produce import WEFT, weft

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The kernels of tests/gradients whose gradient Warp 1.19 gets wrong; the files say in words what each is about.
PATTERNS = {
    "carried_square": "loop-carried", "seventeen_steps": "loop-carried", "factor_after_loop": "loop-result", "inner_sum_squared": "loop-result",
    "while_index_after_use": "while-loop", "while_decay": "while-loop", "break_at_count": "loop-exit", "continue_on_carried": "loop-decides",
    "branch_on_carried": "loop-decides", "chased_index": "loop-decides", "square_in_place": "element-rewritten",
    "overwritten_through_view": "element-rewritten", "running_total_in_array": "element-rewritten", "component_rewritten": "component-rewritten",
    "local_array_product": "local-array", "atomic_max_keeps_loser": "atomic-extremum", "fraction_by_builtin": "fraction",
    "extremum_over_start": "atomic-extremum", "logarithm_of_sum": "loop-result", "last_of_row": "loop-last-value", "largest_of_row": "loop-carried",
    "smallest_component_of_sum": "loop-decides", "choice_by_count": "loop-decides", "fraction_of_element": "fraction",
    "long_stepped_range": "loop-carried", "short_break": "loop-exit", "return_in_loop": "loop-exit", "modulus_by_variable": "modulus",
    "branch_not_taken": "gradient-undefined", "old_value_of_atomic": "atomic-old-value", "row_from_itself": "component-rewritten",
    "element_from_itself": "component-rewritten", "quaternion_from_itself": "component-rewritten", "overwritten_after_read": "element-rewritten",
}  # fmt: skip
HEAD = "import warp as wp\n\n\n"
CARRIED = """@wp.kernel
def {name}(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):{head}
    i = wp.tid()
    s = x[i]
    for k in range(n):
        s = s * s{line}
    y[i] = s
"""
RIGHT = "\n\n@wp.kernel\ndef double(x: wp.array(dtype=float)):\n    x[wp.tid()] *= 2.0\n\n\n@wp.kernel\ndef refused(x: wp.array(dtype=float)):\n    x[wp.tid()] = nothing\n"
BOUNDS = "\n\n@wp.kernel\ndef beyond(x: wp.array(dtype=float)):\n    x[wp.tid() + 1000] = 1.0\n"
FOUR = """@wp.kernel(enable_backward=False)
def four(a: wp.array4d(dtype=wp.vec3), out: wp.array4d(dtype=wp.uint8), n: int):
    i, j, k, l = wp.tid()
    out[i, j, k, l * 5 * n] = wp.uint8(a[i, j, k, l][1])
"""
# What SARIF 2.1.0 asks of the parts that weft writes.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LOCATIONS = {
    "type": "array", "items": {"type": "object", "additionalProperties": False, "properties": {"physicalLocation": {
        "type": "object", "additionalProperties": False, "required": ["artifactLocation", "region"],
        "properties": {
            "artifactLocation": {"type": "object", "additionalProperties": False, "properties": {"uri": {"type": "string"}}},
            "region": {"type": "object", "additionalProperties": False, "properties": {
                "startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1}}}}}}},
}  # fmt: skip
SCHEMA = {
    "type": "object", "required": ["version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"}, "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": {
            "type": "object", "required": ["tool"], "additionalProperties": False,
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "additionalProperties": False, "properties": {"driver": {
                    "type": "object", "required": ["name"], "additionalProperties": False,
                    "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "rules": {"type": "array", "items": {
                        "type": "object", "required": ["id"], "additionalProperties": False,
                        "properties": {"id": {"type": "string"}, "shortDescription": TEXT, "help": TEXT}}}}}}},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "invocations": {"type": "array", "items": {
                    "type": "object", "required": ["executionSuccessful"], "additionalProperties": False,
                    "properties": {
                        "executionSuccessful": {"type": "boolean"},
                        "toolExecutionNotifications": {"type": "array", "items": {
                            "type": "object", "required": ["message"], "additionalProperties": False,
                            "properties": {"level": {"enum": ["none", "note", "warning", "error"]}, "message": TEXT, "locations": LOCATIONS}}}}}},
                "results": {"type": "array", "items": {
                    "type": "object", "required": ["message"], "additionalProperties": False,
                    "properties": {
                        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": -1}, "message": TEXT,
                        "level": {"enum": ["none", "note", "warning", "error"]},
                        "locations": LOCATIONS,
                        "partialFingerprints": {"type": "object"},
                        "suppressions": {"type": "array", "items": {"type": "object", "required": ["kind"], "additionalProperties": False,
                                         "properties": {"kind": {"enum": ["inSource", "external"]}}}}}}}}}},
    },
}  # fmt: skip
TYPES = {"boolean": bool, "object": dict, "array": list, "string": str, "integer": int}

def misfits(value, schema, path="$"):
    """What of a value does not fit a schema; as much of JSON Schema as SCHEMA uses."""
    if "type" in schema and not isinstance(value, TYPES[schema["type"]]):
        return [f"{path}: {value!r} is not of type {schema['type']}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{path}: {value!r} is none of {schema['enum']}"]
    if "minimum" in schema and value < schema["minimum"]:
        return [f"{path}: {value!r} is too small"]
    found = [f"{path}: there is no {name}" for name in schema.get("required", ()) if name not in value]
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name in schema.get("properties", {}):
            found += misfits(inner, schema["properties"][name], f"{path}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{path}: {name} is not in the schema")
    for i, inner in enumerate(value if isinstance(value, list) else ()):
        found += misfits(inner, schema.get("items", {}), f"{path}[{i}]")
    return found


def rows_of(done):
    return {row["kernel_name"]: row for row in map(json.loads, done.stdout.splitlines()) if "error" not in row}


def results_of(path):
    log = json.loads(path.read_text())
    check("the log fits the schema of SARIF", not misfits(log, SCHEMA), misfits(log, SCHEMA))
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    for result in log["runs"][0]["results"]:
        check("ruleIndex", rules[result["ruleIndex"]] == result["ruleId"], result)
    return log["runs"][0]["results"]


def notices_of(path):
    results_of(path)
    invocation = json.loads(path.read_text())["runs"][0]["invocations"][0]
    return invocation["executionSuccessful"], invocation["toolExecutionNotifications"]


def test_patterns(folder):
    rows = {}
    for name in ("wrong", "found", "versions"):
        rows |= rows_of(weft("check", ROOT / f"tests/gradients/{name}.py", "--json", "--no-example"))
    found = {name: row["why"]["pattern"] for name, row in rows.items() if row["gradient"] == "mismatch"}
    check("the pattern of each wrong gradient", found == PATTERNS, {name: found.get(name) for name in found | PATTERNS if found.get(name) != PATTERNS.get(name)})
    check("there is none for what is right", not any("why" in row for row in rows.values() if row["gradient"] != "mismatch"))


def test_words(folder):
    """One line per finding as compilers print them, in the file that the cause is in."""
    (folder / "lib.py").write_text(HEAD + "@wp.func\ndef part(x: float):\n    return wp.frac(x)\n")
    kernel = HEAD + "from lib import part\n\n\n@wp.kernel\ndef apply(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    y[wp.tid()] = part(x[wp.tid()])\n"
    (folder / "a b.py").write_text(kernel)
    done = weft("check", "a b.py", "--sarif", "log.sarif", cwd=folder)
    words = "lib.py:6:5: error: Warp's gradient of apply is wrong: d y[0] / d x[0] is 1, but Warp has 0; wp.frac has an empty adjoint [fraction]\n"
    check("the place in another file", done.returncode == 1 and words in done.stdout and "    hint: subtract the whole part" in done.stdout, done.stdout)
    place = results_of(folder / "log.sarif")[0]["locations"][0]["physicalLocation"]
    check("the same as SARIF", place == {"artifactLocation": {"uri": "lib.py"}, "region": {"startLine": 6, "startColumn": 5}}, place)
    (folder / "a b.py").write_text(HEAD + CARRIED.format(name="carried", head="", line=""))
    weft("check", "a b.py", "--sarif", "log.sarif", cwd=folder)
    place = results_of(folder / "log.sarif")[0]["locations"][0]["physicalLocation"]
    check("a path with a space", place["artifactLocation"]["uri"] == "a%20b.py", place)
    (folder / "a b.py").write_text(HEAD + RIGHT)
    weft("check", "a b.py", "--sarif", "log.sarif", cwd=folder)
    check("nothing wrong", results_of(folder / "log.sarif") == [])


def test_comments(folder):
    for number, (head, line, silent) in enumerate((
        ("", "", False),
        ("", "  # weft: ignore[loop-carried]", True),
        ("", "  # weft: ignore[fraction, loop-carried]", True),
        ("", "  # weft: ignore[loop-carried-not]", False),
        ("", "  # weft: ignore[fraction]", False),
        ("", "  # weft: ignore", True),
        ("", "  # weft: ignored", False),
        ("  # weft: ignore[loop-carried]", "", True),
        ("  # weft: ignore[fraction]", "", False),
    )):  # fmt: skip
        path = folder / f"k{number}.py"
        path.write_text(HEAD + CARRIED.format(name="carried", head=head, line=line))
        done = weft("check", path)
        check(f"{head}{line}: silent is {silent}", (done.returncode == 0 and "WRONG" not in done.stdout) == silent, done.stdout)
    done = weft("check", folder / "k1.py", "--sarif", folder / "log.sarif", "--json")
    check("the log has it, as suppressed", results_of(folder / "log.sarif")[0]["suppressions"] == [{"kind": "inSource"}])
    check("and JSON says by what", rows_of(done)["carried"]["why"]["known_by"] == "comment", done.stdout)


def test_causes_are_tried(folder):
    """A pattern whose gradient makes no difference is not the cause, wherever it stands."""
    wrap = "    angle = wp.mod(x[i] * 3.0 + 0.5, {divisor})\n    s = angle\n    for k in range({count}):\n        s = s * s\n    y[i] = s\n"
    head = "@wp.kernel\ndef {name}(x: wp.array(dtype=float), z: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):\n    i = wp.tid()\n    turn = 2.0 * wp.pi\n"
    kernels = (("constant", "turn", "n"), ("variable", "z[i]", "2"))
    (folder / "k.py").write_text(HEAD + "\n\n".join(head.format(name=name) + wrap.format(divisor=divisor, count=count) for name, divisor, count in kernels))
    rows = rows_of(weft("check", "k.py", "--json", "--no-example", cwd=folder))
    check("the divisor does not move", (rows["constant"]["why"]["pattern"], rows["constant"]["why"]["tried"]) == ("loop-carried", True), rows["constant"])
    check("the divisor moves", (rows["variable"]["why"]["pattern"], rows["variable"]["why"]["tried"]) == ("modulus", True), rows["variable"])
    shown = weft("check", "k.py", "--no-example", cwd=folder).stdout
    check("both are told", "; a value is carried" in shown and "; the remainder by a variable" in shown and "perhaps" not in shown, shown)


def test_launch_of_the_verdict(folder):
    """--with-io has the launch that shows the wrong gradient, not the first that was tried."""
    kernel = "@wp.kernel\ndef seldom(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    i = wp.tid()\n    if x[0] > 0.8:\n        y[i] = wp.frac(x[i])\n    else:\n        y[i] = x[i] * 2.0\n"
    (folder / "k.py").write_text(HEAD + kernel)
    for seed in range(1, 6):
        row = rows_of(weft("check", "k.py", "--json", "--with-io", "--no-example", "--seed", seed, cwd=folder))["seldom"]
        first = next(given["floats"][0] for given in row["launches"][0]["inputs"] if given["name"] == "x")
        check(f"seed {seed}: the branch is taken", row["gradient"] == "mismatch" and first > 0.8, first)


def test_launch_of_a_right_gradient(folder):
    """The same where the gradient is right: on most inputs of this kernel there is none."""
    kernel = "@wp.kernel\ndef seldom(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    i = wp.tid()\n    if x[0] > 0.85:\n        y[i] = x[i] * x[i]\n    else:\n        y[i] = 1.0\n"
    (folder / "k.py").write_text(HEAD + kernel)
    for seed in range(1, 6):
        row = rows_of(weft("check", "k.py", "--json", "--with-io", "--seed", seed, cwd=folder))["seldom"]
        first = next(given["floats"][0] for given in row["launches"][0]["inputs"] if given["name"] == "x")
        check(f"seed {seed}: the gradient is not zero", row["gradient"] != "pass" or first > 0.85, (row["gradient"], first))


def test_launch_without_equal_numbers(folder):
    """Branches that need arrays of zeros are taken, but a verdict stands on usual inputs: where all numbers are equal, kinks tell nothing."""
    kernel = """@wp.kernel
def guarded(x: wp.array(dtype=wp.vec3), z: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    if wp.length(x[i]) < 1.0e-6:
        y[i] = wp.sin(z[i]) * wp.exp(z[i]) / (1.0 + z[i] * z[i])
    else:
        y[i] = 2.0 * z[i]
"""
    (folder / "k.py").write_text(HEAD + kernel)
    for seed in range(1, 6):
        row = rows_of(weft("check", "k.py", "--json", "--with-io", "--seed", seed, cwd=folder))["guarded"]
        given = next(given["floats"] for given in row["launches"][0]["inputs"] if given["name"] == "x")
        check(f"seed {seed}: both ways are taken", row["gradient"] == "pass" and not row["never_taken"], row)
        check(f"seed {seed}: the launch is a usual one", min(given) >= 0.25, given)


def test_misspelt_comments(folder):
    """A comment that names no pattern says nothing, and the user is told."""
    path, log = folder / "k.py", folder / "log.sarif"
    for name, words in (("loop_carried", " (did you mean 'loop-carried'?)"), ("fraction, loop-caried", " (did you mean 'loop-carried'?)"), ("zzz", "")):
        path.write_text(HEAD + CARRIED.format(name="carried", head="", line=f"  # weft: ignore[{name}]"))
        done = weft("check", "k.py", "--sarif", "log.sarif", cwd=folder)
        column = 35 + len(name) - len(name.split(", ")[-1])
        warning = f"k.py:9:{column}: warning: there is no pattern '{name.split(', ')[-1]}' to ignore{words}\n"
        check(f"ignore[{name}]", done.returncode == 1 and done.stderr.startswith(warning), done.stderr)
        check("as SARIF", [(n["level"], n["message"]["text"]) for n in notices_of(log)[1]] == [("warning", warning[warning.index("there"):-1])])
        check("it is no failure", notices_of(log)[0] is True)
    path.write_text(HEAD + CARRIED.format(name="carried", head="  # weft: ignore[fraction]", line=""))
    check("a pattern that exists", not weft("check", path).stderr)
    for comment, warned in (("# weft: ignroe[loop-carried]", True), ("# weft:ignore[loop-carried]", True), ("# Weft: Ignore", True), ("#weft: ignore", True),
                            ("# weft: ignored", True), ("# weft: ignore", False), ("# weft: the loop", False), ("# a weft: ignroe", False), ("# weft", False)):  # fmt: skip
        path.write_text(HEAD + CARRIED.format(name="carried", head="", line="  " + comment))
        done = weft("check", "k.py", "--sarif", "log.sarif", cwd=folder)
        check(f"{comment}: warned is {warned}", ("k.py:9:20: warning: this comment has no effect" in done.stderr) == warned, done.stderr)
        check(f"{comment}: in the log", len(notices_of(log)[1]) == warned, notices_of(log))


def test_no_kernel(folder):
    """A file without the kernel that is asked for fails, and its log says why."""
    (folder / "k.py").write_text("x = 3\n")
    (folder / "l.py").write_text("x = 3\n")
    for names in (["k.py"], ["k.py", "-k", "other"], ["k.py", "l.py"]):
        done = weft("check", *names, "--sarif", "log.sarif", cwd=folder)
        successful, notices = notices_of(folder / "log.sarif")
        said = [(n["level"], n["message"]["text"], "locations" in n) for n in notices]
        check(f"{names}", done.returncode == 1 and not successful and said == [("error", "there is no kernel", len(names) < 2 or names[1] == "-k")], said)


def test_no_verdict(folder):
    """Kernels that are refused, or cannot be checked, are in the log: none of them is green."""
    (folder / "k.py").write_text(HEAD + RIGHT + RIGHT.replace("def refused", "def again").replace("double", "twice") + BOUNDS)
    done = weft("check", "k.py", "missing.py", "--sarif", "log.sarif", cwd=folder)
    successful, notices = notices_of(folder / "log.sarif")
    places = [(n["level"], n["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], n["locations"][0]["physicalLocation"]["region"]["startLine"])
              for n in notices]  # fmt: skip
    check("each has a notification", places == [("error", "k.py", 28), ("error", "k.py", 13), ("error", "k.py", 23), ("error", "missing.py", 1)], notices)
    check("and says why", "beyond: not checked: this launch is not valid: an index is out of bounds" in notices[0]["message"]["text"], notices)
    check("the run was not complete", done.returncode == 1 and successful is False)
    weft("check", "k.py", "-k", "double", "--sarif", "log.sarif", cwd=folder)
    check("a complete run", notices_of(folder / "log.sarif") == (True, []))


def test_several_kernels(folder):
    """-k may be repeated: all that are named are worked on, and those that are not there are named."""
    (folder / "k.py").write_text(HEAD + "".join(f"\n\n@wp.kernel\ndef k{n}(x: wp.array(dtype=float)):\n    x[wp.tid()] *= 2.0\n" for n in range(3)))
    for command, names in (("check", ["k0", "k2"]), ("extract", ["k0", "k2"])):
        done = weft(command, "k.py", "--json", "-k", "k2", "-k", "k0", cwd=folder)
        check(f"{command}: both", [json.loads(line)["kernel_name"] for line in done.stdout.splitlines()] == names and done.returncode == 0, done.stdout)
        done = weft(command, "k.py", "--json", "-k", "k1,gone", "-k", "k7", cwd=folder)
        missing = "k.py: error: there is no kernel 'gone'\nk.py: error: there is no kernel 'k7'\n    hint: the kernels are k0, k1, k2\n"
        check(f"{command}: those that are not there", done.returncode == 1 and done.stderr.endswith(missing) and '"k1"' in done.stdout, done.stderr)
    done = weft("standalone", "k.py", "-o", "out", "-k", "k2", "-k", "k0", cwd=folder)
    check("standalone: both", done.returncode == 0 and sorted(path.name for path in (folder / "out").glob("k*")) == ["k0", "k2"], done.stderr)
    full = json.loads(weft("extract", "k.py", "--json", "-k", "k1", cwd=folder).stdout)["full_name"]
    done = weft("extract", "k.py", "--json", "-k", full, "-k", "k0", cwd=folder)
    check("a full name and a key", [json.loads(line)["kernel_name"] for line in done.stdout.splitlines()] == ["k0", "k1"], done.stderr)
    check("an empty name", weft("check", "k.py", "-k", "a,,b", cwd=folder).returncode == 2)
    categories = [json.loads(line)["category"] for line in weft("synth", "-n", 30, "-c", "vector", "-c", "stencil", "--json").stdout.splitlines()]
    check("-c, too", set(categories) == {"vector", "stencil"}, categories)


def test_memory(folder):
    """A check that takes too much memory is told, and those that follow are done."""
    many = ", ".join(f"a{n}: wp.array(dtype=float)" for n in range(12))
    (folder / "k.py").write_text(HEAD + f"@wp.kernel\ndef large({many}):\n    a0[wp.tid()] = {' + '.join(f'a{n}[0]' for n in range(12))}\n" + RIGHT)
    limited = ["sh", "-c", f"ulimit -v 600000; exec {WEFT} check k.py --shape 1048576 --dim 4 --json"]
    done = subprocess.run(limited, cwd=folder, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    check("all three", [row.get("kernel_name") for row in rows] == ["large", "double", "refused"], done.stdout + done.stderr)
    check("the first is too large", rows[0]["findings"][0]["kind"] == "too-much-memory" and rows[1]["forward"] == "pass", rows[:2])
    (folder / "four.py").write_text(HEAD + FOUR + RIGHT)
    limited = ["sh", "-c", f"ulimit -v 200000; exec {WEFT} check four.py -v"]
    done = subprocess.run(limited, cwd=folder, capture_output=True, text=True)
    check("trying other launches takes little", "four: forward agrees" in done.stdout and "double: forward agrees" in done.stdout, done.stdout + done.stderr)


def test_baseline(folder):
    """A project starts clean; what comes later counts, whatever else moves in the file."""
    path, known = folder / "k.py", folder / "known.txt"
    path.write_text(HEAD + CARRIED.format(name="first", head="", line="") + RIGHT)
    done = weft("check", "k.py", "--baseline", "known.txt", cwd=folder)
    check("it is written, and all is known", done.returncode == 0 and not done.stdout and "known.txt (1 finding)\n" in done.stderr, done.stderr)
    check("its lines", known.read_text() == "k.py: first [loop-carried]\n", known.read_text())
    path.write_text("# moved\n" * 5 + path.read_text())
    done = weft("check", "k.py", "--baseline", "known.txt", "--sarif", "log.sarif", cwd=folder)
    check("what moves stays known", done.returncode == 0 and not done.stdout, done.stdout)
    check("as SARIF", [result["suppressions"] for result in results_of(folder / "log.sarif")] == [[{"kind": "external"}]])
    path.write_text(path.read_text() + "\n\n" + CARRIED.format(name="second", head="", line=""))
    done = weft("check", "k.py", "--baseline", "known.txt", cwd=folder)
    check("what is new is told", done.returncode == 1 and "of second is wrong" in done.stdout and "first" not in done.stdout, done.stdout)
    check("and not added", known.read_text() == "k.py: first [loop-carried]\n", known.read_text())
    done = weft("check", "k.py", "--baseline", "no/known.txt", cwd=folder)
    check("a baseline that cannot be written", done.returncode == 1 and "no/known.txt" in done.stderr, done.stderr)


def at_terminal(*args):
    """Standard output, where that is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([WEFT, *map(str, args)], stdout=theirs, stderr=subprocess.DEVNULL, env=os.environ | {"TERM": "xterm"}):
        os.close(theirs)
        text = b""
        with contextlib.suppress(OSError):  # the other side is closed
            while piece := os.read(ours, 65536):
                text += piece
    os.close(ours)
    return text


def test_jobs(folder):
    """Several files at a time: the same lines in the same order, the same files, the same exit code."""
    for n in range(12):
        line = "  # weft: ignore" if n % 3 == 1 else ""
        kernel = CARRIED.format(name=f"carried{n}", head="", line=line).replace("n: int", "n: int, scale: float" if n % 2 else "n: int")
        (folder / f"k{n:02}.py").write_text(HEAD + kernel + (RIGHT if n % 4 else ""))
    (folder / "k03.py").write_text(HEAD)
    (folder / "wrong.py").write_text("def (")
    names = [*sorted(path.name for path in folder.glob("*.py")), "missing.py"]

    def outcome(jobs, *flags):
        for file in ("known.txt", "log.sarif"):
            (folder / file).unlink(missing_ok=True)
        done = weft("check", *names, "-j", jobs, *flags, cwd=folder)
        left = [path.read_text() for file in ("known.txt", "log.sarif") if (path := folder / file).exists()]
        return done.returncode, done.stdout, re.sub(r"[0-9.]+ s$", "", done.stderr, flags=re.M), left

    for flags in (("-v",), ("--json",), ("--sarif", "log.sarif", "--no-example", "-v"), ("--baseline", "known.txt", "--sarif", "log.sarif"), ("--set", "scald=1")):
        one, four = outcome(1, *flags), outcome(4, *flags)
        check(f"one file and four at a time, {' '.join(flags)}", one == four and one[2], f"{one}\n{four}")
        check("the missing one comes last", "missing.py" in one[2].split("weft check:")[0].splitlines()[-1], one[2])
    paths = [folder / name for name in names]
    one, four = at_terminal("check", *paths), at_terminal("check", *paths, "-j", 4)
    check("at a terminal, with colours", one == four and b"\033[" in one, f"{one}\n{four}")


def test_interrupt(folder):
    """Ctrl-C while a file is being read ends it at once; nothing is written then."""
    os.mkfifo(folder / "k.py")
    (folder / "a.py").write_text(HEAD + CARRIED.format(name="carried", head="", line=""))
    with subprocess.Popen([WEFT, "check", "a.py", "k.py", "-j", "4", "--baseline", "known.txt"], cwd=folder) as running:
        with open(folder / "k.py", "w"):  # when it is read, and no sooner
            running.send_signal(signal.SIGINT)
            code = running.wait(timeout=20)
    check("it ends by the signal", code == -signal.SIGINT, code)
    check("no baseline", not (folder / "known.txt").exists())


def test_confirmed_by_warp(folder):
    """tools/confirm_findings.py runs a finding with Warp, and notices one that is not true."""
    python = ROOT / ".venv/bin/python"
    if not python.exists():
        return
    (folder / "pk").mkdir()
    (folder / "pk/__init__.py").write_text("")
    (folder / "pk/k.py").write_text(HEAD + CARRIED.format(name="carried", head="", line=""))
    row = json.loads(weft("check", "pk", "--json", cwd=folder).stdout)
    other = json.loads(json.dumps(row))
    other["example"]["true"], other["example"]["warp"] = row["example"]["warp"], row["example"]["true"]
    (folder / "found.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n")
    done = subprocess.run([python, ROOT / "tools/confirm_findings.py", "pk", "found.jsonl"], cwd=folder, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(folder), "WARP_CACHE_PATH": str(folder / "cache")})
    check("one is true, the other is not", done.returncode == 1 and "1 confirmed, 1 not confirmed, 0 could not be run" in done.stdout, done.stdout + done.stderr)


def main():
    for test in (test_patterns, test_words, test_comments, test_causes_are_tried, test_launch_of_the_verdict, test_launch_of_a_right_gradient, test_launch_without_equal_numbers, test_misspelt_comments, test_no_kernel, test_no_verdict, test_several_kernels, test_memory, test_baseline, test_jobs, test_interrupt, test_confirmed_by_warp):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
