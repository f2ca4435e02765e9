"""produce and load: records one after the other, invented or from a data set, as dicts or as an Arrow stream."""

import functools
import json
import os
import threading
import weakref

from weft import _native

_SPLITS = ("train", "validation", "test")
_alive = weakref.WeakSet()  # all Records


def _renew_locks():
    """In a child: a thread of the parent that holds a lock is not there to give it back."""
    for records in list(_alive):
        records._lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_locks)


class Records:
    """Records as an iterator of dicts; or, for pyarrow, polars, DuckDB and `datasets`, as an Arrow C stream.

        for record in records: ...
        table = pyarrow.table(records)      # anything that knows __arrow_c_stream__

    Invented records are made in threads while others are used. An iterator gives each record once. As long as it has given none, there can be
    any number of Arrow streams, all with the same records; after that, the first has what is left.

    An iterator that has begun, and an Arrow stream, belong to the process that made them: in a child that is forked later, they raise
    RuntimeError. Records that nothing was taken of can be forked and pickled.
    """

    def __init__(self, open_stream):
        self._open = open_stream
        self._handle = None  # of the iterator
        self._lock = threading.Lock()  # a handle is used by one thread at a time
        _alive.add(self)
        open_stream()  # what is wrong is said here

    def __reduce__(self):
        if self._handle is not None:
            raise TypeError("records that have begun belong to the process that made them: give the other the options, and place() of an invented stream")
        return Records, (self._open,)

    def _started(self):
        if self._handle is None:
            self._handle = self._open()
        return self._handle

    def __iter__(self):
        return self

    def __next__(self):
        with self._lock:
            line = _native.stream_next(self._started())
        if line is None:
            raise StopIteration
        return json.loads(line)

    def __arrow_c_stream__(self, requested_schema=None):
        with self._lock:
            return _native.stream_arrow(self._handle or self._open())

    def place(self):
        """Where a stream of invented records is, as bytes: give it to weft.produce(..., place=) to go on there."""
        with self._lock:
            return _native.stream_place(self._started())


def _categories(categories):
    if categories is None or isinstance(categories, str):
        return categories
    if isinstance(categories, dict):
        return ",".join(f"{name}={weight}" for name, weight in categories.items())
    return ",".join(categories)


def produce(
    n=None,
    seed=0,
    categories=None,
    verify=True,
    *,
    device="cuda",
    backward=True,
    readable=True,
    launches=None,
    hidden_seed=None,
    gradients="proven",
    dedup="structure",
    piece=None,
    place=None,
    jobs=0,
    warp=None,
):
    """Invents kernels and gives their records, the same that `weft produce` writes with these options, as a weft.Records.

    n           how many; None: without an end
    categories  names, or a dict of names and weights; None: the usual mix
    verify      run each kernel with both evaluators, and give only those that agree
    launches    recorded in each record, at least (default 3, without `verify` none)
    piece       (i, n): of n pieces number i, from 0; pieces share no candidate, but may hold the same kernel twice
    place       go on where another stream with the same options was (Records.place)
    jobs        threads; 0: all cores. The records do not depend on it
    """
    if n is not None and n < 1:
        raise ValueError(f"n is {n}; it is how many records are wanted, or None for no end")
    if not verify and (launches or hidden_seed is not None):
        raise ValueError("without verify, there are no launches")
    number, pieces = piece or (0, 0)
    if piece and not 0 <= number < pieces:
        raise ValueError(f"piece is {piece}; the first number is from 0 to the second less 1")
    launches = (3 if verify else 0) if launches is None else launches
    parts = (bool(backward), bool(readable), bool(verify))
    options = n or 0, seed, _categories(categories), device, gradients, dedup, parts, launches, hidden_seed, (number, pieces), jobs, warp

    return Records(functools.partial(_open_invented, options, place))


def _open_invented(options, place):
    handle = _native.stream_invent(*options)
    if place is not None:
        _native.stream_go_to(handle, place)
    return handle


def load(folder, split=None):
    """The records of a finished data set, in order, as a weft.Records; split: "train", "validation" or "test" alone."""
    if split is not None and split not in _SPLITS:
        raise ValueError(f"split is one of {', '.join(_SPLITS)}, not {split!r}")
    path, number = os.path.abspath(folder), -1 if split is None else _SPLITS.index(split)
    return Records(functools.partial(_native.stream_read, path, number))
