"""Reads sets of records and other files of lines."""

import json
import pathlib
import subprocess


def lines_of(path):
    """Every line of a file as JSON; `.zst` is read through zstd."""
    if str(path).endswith(".zst"):
        raw = subprocess.run(["zstd", "-dcq", str(path)], check=True, capture_output=True).stdout
    else:
        raw = pathlib.Path(path).read_bytes()
    return [json.loads(line) for line in raw.splitlines() if line.strip()]


def records(path):
    """Every record of a set, or of one file."""
    path = pathlib.Path(path)
    for file in sorted(p for p in path.rglob("*.jsonl*") if p.suffix in (".jsonl", ".zst")) if path.is_dir() else [path]:
        details = file.with_name("details-" + file.name.replace(".jsonl", ".ndjson"))
        rows = lines_of(details) if details.exists() else []
        yield from ({**record, **more} for record, more in zip(lines_of(file), rows)) if rows else lines_of(file)


def write_lines(path, rows):
    pathlib.Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
