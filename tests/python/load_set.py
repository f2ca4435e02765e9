"""Reads a data set with the tools that people use, and compares what they read with the lines themselves: load_set.py FOLDER.

Runs in an environment of its own (tools/loaders.sh makes it): test_loaders.py starts it there.
"""

import json
import pathlib
import sys
import tempfile

SCHEMA_LIMIT = 4096


def lines_of(folder):
    import zstandard

    for path in sorted(folder.glob("*.jsonl.zst")):
        with zstandard.open(path, "rt", encoding="utf-8") as file:
            yield from map(json.loads, file)


def by_id(rows):
    return {row["id"]: row for row in rows}


def load_datasets(folder, streaming):
    import datasets

    with tempfile.TemporaryDirectory() as cache:
        splits = datasets.load_dataset(str(folder), cache_dir=cache, streaming=streaming)
        return [dict(row) for split in splits.values() for row in split]


def load_pandas(folder):
    import pandas

    frames = [pandas.read_json(path, lines=True, dtype=False, precise_float=True) for path in sorted(folder.glob("*.jsonl.zst"))]
    assert len({tuple(frame.columns) for frame in frames}) == 1
    return [row for frame in frames for row in frame.to_dict("records")]


def load_pyarrow(folder):
    import pyarrow
    import pyarrow.json

    block = pyarrow.json.ReadOptions(block_size=64 << 20)
    return [row for path in sorted(folder.glob("*.jsonl.zst")) for row in pyarrow.json.read_json(path, read_options=block).to_pylist()]


def load_polars(folder):
    import polars

    return [row for path in sorted(folder.glob("*.jsonl.zst")) for row in polars.read_ndjson(path, infer_schema_length=None).to_dicts()]


def load_duckdb(folder):
    import duckdb

    query = duckdb.sql(f"from read_json('{folder}/*.jsonl.zst', sample_size=-1, maximum_object_size=67108864)")
    return [dict(zip(query.columns, row)) for row in query.fetchall()]


def same(a, b):
    """As tools read it: lists, objects and numbers of the same value; what is missing is null."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same(a.get(key), b.get(key)) for key in a.keys() | b.keys())
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-15 * abs(a) or (a != a and b != b)
    if b is None or b != b:  # pandas has NaN for null
        return a is None or a != a
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def difference(expected, found):
    if len(found) != len(expected):
        return f"{len(found)} rows instead of {len(expected)}"
    found = by_id(found)
    for name, row in by_id(expected).items():
        wrong = [key for key in row if name not in found or not same(row[key], found[name].get(key))]
        if wrong:
            return f"row {name}: {wrong[0]} differs"
    return ""


def main():
    folder, failures = pathlib.Path(sys.argv[1]), 0
    expected = list(lines_of(folder))
    tools = {"datasets": lambda: load_datasets(folder, False), "datasets, streaming": lambda: load_datasets(folder, True)}
    if "--datasets-only" not in sys.argv:
        tools |= {"pandas": lambda: load_pandas(folder), "pyarrow": lambda: load_pyarrow(folder), "polars": lambda: load_polars(folder), "duckdb": lambda: load_duckdb(folder)}
    for name, load in tools.items():
        try:
            wrong = difference(expected, load())
        except Exception as error:  # whatever a tool says against the set
            wrong = f"{type(error).__name__}: {str(error)[:300]}"
        print(f"{name}: {wrong or f'{len(expected)} rows'}", flush=True)
        failures += bool(wrong)
    if "--datasets-only" not in sys.argv:
        failures += check_schema(expected)
    return 1 if failures else 0


def check_schema(records):
    """The schema in the tree, by a validator that is not weft's."""
    import jsonschema

    path = pathlib.Path(__file__).resolve().parents[2] / "docs" / "record.schema.json"
    schema = json.loads(path.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    wrong = [error.message[:200] for record in records[:200] for error in validator.iter_errors(record)]
    small = path.stat().st_size < SCHEMA_LIMIT
    print(f"JSON Schema: {path.stat().st_size} bytes, {len(wrong)} errors {wrong[:1]}")
    return bool(wrong) or not small


if __name__ == "__main__":
    sys.exit(main())
