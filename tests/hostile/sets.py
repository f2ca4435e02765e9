"""What the tests of hostile data sets share: running weft, and forging manifests so that only their meaning is wrong."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))
import parts  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")
        if parts.FIRST:
            sys.exit(1)
    return bool(condition)


def weft(*args, timeout=60, **keywords):
    """A crash or a hang is never right."""
    call = [WEFT, *map(str, args)]
    try:
        done = subprocess.run(call, capture_output=True, timeout=timeout, **keywords)
    except subprocess.TimeoutExpired:
        check(False, f"{' '.join(call)}: no end after {timeout} s")
        return subprocess.CompletedProcess(call, 124, "", "")
    done.stdout, done.stderr = (s.decode(errors="backslashreplace") for s in (done.stdout, done.stderr))
    check(0 <= done.returncode < 126, f"{' '.join(call)}: ends with {done.returncode}: {done.stderr[-2000:]}")
    return done


def produce(folder, *args, **keywords):
    return weft("produce", "-o", folder, *args, **keywords)


def contents(folder):
    """Everything but the clock."""
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.name != "run.json"}


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
    return target


def xxh3(path):
    done = subprocess.run([BUILD / "xxh3", path], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def sealed(text):
    """The manifest with the last line that belongs to it."""
    at = text.rindex('"sha256": ') if '"sha256": ' in text else len(text)
    body = text[:at]
    return body + '"sha256": "' + hashlib.sha256(body.encode()).hexdigest() + '"\n}\n'


def edit_manifest(folder, change, seal=True):
    """`change` gets and returns its text."""
    path = folder / "manifest.json"
    text = change(path.read_text())
    path.write_text(sealed(text) if seal else text)


def forge(folder):
    """Makes the manifest say what the shards are now: rows, bytes and hash, and seals it."""
    def describe(match):
        path = folder / match[1]
        if "*" in match[1] or not path.exists():
            return match[0]
        data = path.read_bytes()
        rows = data.count(b"\n") if path.suffix == ".jsonl" else int(match[3])
        beside = folder / ("details-" + match[1].replace(".jsonl", ".ndjson"))
        size = beside.stat().st_size if beside.exists() else 0
        details = f', "details": {{"file": "{beside.name}", "bytes": {size}, "xxh3_128": "{xxh3(beside)}"}}' if beside.exists() else match[4] or ""
        return f'{{"file": "{match[1]}", "split": "{match[2]}", "rows": {rows}, "bytes": {len(data)}, "xxh3_128": "{xxh3(path)}"{details}}}'

    pattern = r'\{"file": "([^"]*)", "split": "([^"]*)", "rows": (\d+), "bytes": \d+, "xxh3_128": "[^"]*"(, "details": \{[^}]*\})?\}'
    edit_manifest(folder, lambda text: re.sub(pattern, describe, text))


class Record(dict):
    """A record that remembers the line it was read from."""

    line = None


def read_records(path):
    records = []
    for line in path.read_text().splitlines():
        records.append(Record(json.loads(line)))
        records[-1].line = line
    return records


def write_records(path, records):
    """As weft writes them; a record that was not changed is the line it came from, down to how its numbers are spelled."""
    lines = []
    for record in records:
        line = getattr(record, "line", None)
        if line is None or json.dumps(record) != json.dumps(json.loads(line)):
            line = json.dumps(record, ensure_ascii=False).replace("\x7f", "\\u007f")
        lines.append(line + "\n")
    path.write_text("".join(lines))


def finish(name):
    print(f"{len(failures)} failed" if failures else f"{name}: ok")
    return 1 if failures else 0


def need_weft():
    for path in (pathlib.Path(WEFT), BUILD / "xxh3"):
        if not path.exists():
            print(f"skipped: {path} is not built")
            sys.exit(77)
