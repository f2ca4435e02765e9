"""What tools take from weft.produce and weft.load: run by test_data.py with an interpreter that has them."""

import importlib.util
import itertools
import os
import signal
import subprocess
import sys
import tempfile

import weft
from weft.__main__ import find_command

OPTIONS = {"verify": False, "readable": False}
failures = 0


def check(what, holds):
    global failures
    print(f"  {'ok' if holds else 'FAILED'}: {what}")
    failures += not holds


def check_tables(folder):
    import datasets
    import duckdb
    import polars
    import pyarrow

    path = os.path.join(folder, "set")
    subprocess.run([find_command(), "produce", "-q", "-n", "40", "-s", "2", "-d", "both", "-o", path], check=True)
    expected = list(weft.load(path))
    records = weft.load(path)  # not used yet: it can be taken several times
    table = pyarrow.table(records)
    table.validate(full=True)
    check(f"pyarrow {pyarrow.__version__}: a table of a set", table.to_pylist() == expected)
    check("pyarrow: the records that the iterator would give", pyarrow.table(weft.produce(40, 2, device="both")).to_pylist() == expected)
    first = next(records)
    check("pyarrow: what is left", [first, *pyarrow.table(records).to_pylist()] == expected)
    batches = pyarrow.RecordBatchReader.from_stream(weft.produce(600, 3, **OPTIONS))
    check("pyarrow: several batches", [batch.num_rows for batch in batches] == [512, 88])
    check(f"polars {polars.__version__}", polars.DataFrame(weft.load(path)).to_dicts() == expected)
    stream = weft.load(path)
    found = duckdb.sql("select row, kernel_name, arguments from stream order by row").fetchall()
    check(f"DuckDB {duckdb.__version__}", found == [(r["row"], r["kernel_name"], r["arguments"]) for r in expected] and bool(stream))
    data = datasets.Dataset(pyarrow.table(weft.load(path)))
    check(f"datasets {datasets.__version__}", data.to_list() == expected)


def check_interrupts():
    """Ctrl-C while another package reads a stream that does not end."""
    code = "import pyarrow, weft; print('begun', flush=True); pyarrow.table(weft.produce())"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reader:
        reader.stdout.readline()
        reader.send_signal(signal.SIGINT)
        try:
            said = reader.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            reader.kill()
            said = ""
    check("pyarrow: can be interrupted", "KeyboardInterrupt" in said)


def check_torch():
    import torch
    from torch.utils.data import DataLoader

    from weft.torch import KernelStream

    def ids(loader):
        return list(itertools.chain.from_iterable(loader))

    def stream(n=24):
        return KernelStream(n, seed=5, map=lambda record: record["id"], **OPTIONS)

    two = ids(DataLoader(stream(), batch_size=4, num_workers=2, collate_fn=list))
    check(f"torch {torch.__version__}: two workers give disjoint records", len(set(two)) == 48)
    check("torch: the same ones again", ids(DataLoader(stream(), batch_size=4, num_workers=2, collate_fn=list)) == two)
    begun = stream()
    next(iter(begun))
    check("torch: workers get a stream that has begun", ids(DataLoader(begun, batch_size=4, num_workers=2, collate_fn=list)) == two)
    whole, part = list(stream()), stream()
    some = list(itertools.islice(part, 9))
    rest = stream()
    rest.load_state_dict(part.state_dict())
    check("torch: a stream goes on from its state", some + list(rest) == whole)
    if importlib.util.find_spec("torchdata"):
        from torchdata.stateful_dataloader import StatefulDataLoader

        def loader():
            return StatefulDataLoader(stream(), batch_size=4, num_workers=2, collate_fn=list)

        whole, first = ids(loader()), loader()
        some = list(itertools.islice(first, 5))
        rest = loader()
        rest.load_state_dict(first.state_dict())
        check("torchdata: two workers go on from their states", ids(some) + ids(rest) == whole)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if importlib.util.find_spec("polars"):
            check_tables(folder)
            check_interrupts()
        if importlib.util.find_spec("torch"):
            check_torch()
    sys.exit(1 if failures else 0)
