"""The records of a data set of lines, each with its details, read without weft."""

import json
import subprocess


def lines_of(path):
    return subprocess.run(["zstd", "-dcqf", path], capture_output=True, check=True).stdout.decode().splitlines()


def files_of(folder, pattern="*.jsonl*"):
    """The files with records, in order; those with details are beside them."""
    return sorted(path for path in folder.glob(pattern) if not path.name.startswith("pending-"))


def whole_records(folder, pattern="*.jsonl*"):
    """Every record, file by file."""
    found = []
    for path in files_of(folder, pattern):
        records, details = list(map(json.loads, lines_of(path))), path.with_name("details-" + path.name.replace(".jsonl", ".ndjson"))
        more = list(map(json.loads, lines_of(details))) if details.exists() else [{}] * len(records)
        assert len(records) == len(more), path
        for record, beside in zip(records, more):
            assert beside.get("id", record["id"]) == record["id"], record["id"]
            found.append({**record, **beside})
    return found
