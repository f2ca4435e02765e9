"""Reads a data set with the tools that people use, and compares what they read with the lines themselves:

    load_set.py FOLDER [--lines FOLDER] [--datasets-only]

FOLDER holds lines, or Parquet files; then --lines names the same set as lines. Runs in an environment of its own (tools/loaders.sh
makes it): test_loaders.py starts it there.
"""

import argparse
import json
import pathlib
import sys
import tempfile

SCHEMA_LIMIT = 5000
AT_ONCE = 200  # rows that are made Python objects together
CLOCK = "generation_time_ms"  # differs between two runs


RECORDS = "[tv]*"  # train, test and validation, not details


def lines_of(folder, files=RECORDS):
    import zstandard

    for path in sorted(folder.glob(f"{files}.*.zst")):
        with zstandard.open(path, "rt", encoding="utf-8") as file:
            yield from file


def load_datasets(folder, streaming, config=None):
    import datasets

    with tempfile.TemporaryDirectory() as cache:
        splits = datasets.load_dataset(str(folder), *([config] if config else []), cache_dir=cache, streaming=streaming)
        for split in splits.values():
            yield from map(dict, split)


def from_pandas(frames):
    columns = set()
    for frame in frames:
        columns.add(tuple(frame.columns))
        for start in range(0, len(frame), AT_ONCE):
            yield from frame[start : start + AT_ONCE].to_dict("records")
    assert len(columns) == 1


def from_table(table):
    for batch in table.to_batches(max_chunksize=AT_ONCE):
        yield from batch.to_pylist()


def from_duckdb(query):
    import duckdb

    cursor = duckdb.connect().execute(query)
    columns = [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(AT_ONCE):
        yield from (dict(zip(columns, row)) for row in rows)


def tools_for_lines(folder):
    files = sorted(folder.glob(f"{RECORDS}.jsonl.zst"))

    def pandas():
        import pandas

        return from_pandas(pandas.read_json(path, lines=True, dtype=False, precise_float=True) for path in files)

    def pyarrow():
        import pyarrow.json

        block = pyarrow.json.ReadOptions(block_size=64 << 20)
        for path in files:
            yield from from_table(pyarrow.json.read_json(path, read_options=block))

    def polars():
        import polars

        for path in files:
            yield from polars.read_ndjson(path, infer_schema_length=None).iter_rows(named=True)

    def duckdb():
        return from_duckdb(f"from read_json('{folder}/{RECORDS}.jsonl.zst', sample_size=-1, maximum_object_size=67108864)")

    return {"pandas": pandas, "pyarrow": pyarrow, "polars": polars, "duckdb": duckdb}


def tools_for_parquet(folder):
    files = sorted(folder.glob(f"{RECORDS}.parquet"))

    def pandas():
        import pandas

        return from_pandas(map(pandas.read_parquet, files))

    def pyarrow():
        import pyarrow.parquet

        for path in files:
            yield from from_table(pyarrow.parquet.read_table(path))

    def polars():
        import polars

        return polars.read_parquet(folder / f"{RECORDS}.parquet").iter_rows(named=True)

    def duckdb():
        return from_duckdb(f"from '{folder}/{RECORDS}.parquet'")

    return {"pandas": pandas, "pyarrow": pyarrow, "polars": polars, "duckdb": duckdb}


def same(a, b):
    """As tools read it: lists, objects and numbers of the same value; what is missing is null."""
    if hasattr(b, "tolist"):  # numpy
        b = b.tolist()
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same(a.get(key), b.get(key)) for key in a.keys() | b.keys())
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 1e-15 * abs(a) or (a != a and b != b)
    if b is None or b != b:  # pandas has NaN for null
        return a is None or a != a
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def difference(expected, found, ignored):
    """`expected`: lines by id."""
    seen = set()
    for row in found:
        name = row["id"]
        if name not in expected or name in seen:
            return f"row {name} is not in the set, or there twice"
        seen.add(name)
        record = json.loads(expected[name])
        record.pop(ignored, None)
        if isinstance(row.get("launches"), list) and row["launches"] == record["launches"]:
            del record["launches"]  # most of the numbers, and no booleans: there is no quicker way to compare them
        wrong = [key for key, value in record.items() if not same(value, row.get(key))]
        if wrong:
            return f"row {name}: {wrong[0]} differs"
    return "" if len(seen) == len(expected) else f"{len(seen)} rows instead of {len(expected)}"


def check_schema(lines):
    """The schema in the tree, by a validator that is not weft's."""
    import jsonschema

    path = pathlib.Path(__file__).resolve().parents[2] / "docs" / "record.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text()))
    wrong = [error.message[:200] for line in lines for error in validator.iter_errors(json.loads(line))]
    small = path.stat().st_size < SCHEMA_LIMIT
    print(f"JSON Schema: {path.stat().st_size} bytes, {len(wrong)} errors {wrong[:1]}")
    return bool(wrong) or not small


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--lines", type=pathlib.Path)
    parser.add_argument("--datasets-only", action="store_true")
    options = parser.parse_args()
    folder, failures = options.folder, 0
    expected = {json.loads(line)["id"]: line for line in lines_of(options.lines or folder)}
    tools = {"datasets": lambda: load_datasets(folder, False), "datasets, streaming": lambda: load_datasets(folder, True)}
    if not options.datasets_only:
        tools |= tools_for_parquet(folder) if options.lines else tools_for_lines(folder)
    details = {json.loads(line)["id"]: line for line in lines_of(options.lines or folder, "details-*")}
    if details:
        tools["datasets, details"] = lambda: load_datasets(folder, False, "details")
    for name, load in tools.items():
        try:
            wrong = difference(details if name.endswith("details") else expected, load(), CLOCK if options.lines else None)
        except Exception as error:  # whatever a tool says against the set
            wrong = f"{type(error).__name__}: {str(error)[:300]}"
        print(f"{name}: {wrong or f'{len(expected)} rows'}", flush=True)
        failures += bool(wrong)
    if not options.datasets_only and not options.lines:
        failures += check_schema(list(expected.values())[:200])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
