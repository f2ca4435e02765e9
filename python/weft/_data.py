"""produce and load: records one after the other, invented or from a data set, as dicts or as an Arrow stream."""

import functools
import html
import json
import math
import os
import threading
import weakref

from weft import _arguments, _native

MOST_RECORDS, MOST_LAUNCHES, MOST_JOBS = 10**12, 8, 1024  # as for the command
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

    def __init__(self, open_stream, count=None):
        if not callable(open_stream):
            raise TypeError("weft.Records are made by weft.produce and weft.load")
        self._open = open_stream
        self._count = count  # of all its records: a number, or a function; None: there is no end
        self._handle = None  # of the iterator
        self._lock = threading.Lock()  # a handle is used by one thread at a time
        _alive.add(self)
        open_stream()  # what is wrong is said here

    def __reduce__(self):
        if self._handle is not None:
            raise TypeError("records that have begun belong to the process that made them: give the other the options, and place() of an invented stream")
        return Records, (self._open, self._count)

    def _started(self):
        if self._handle is None:
            self._handle = self._open()
        return self._handle

    def __iter__(self):
        return self

    def __len__(self):
        """How many records there are in all, also those that the iterator has given already."""
        count = self._count() if callable(self._count) else self._count
        if count is None:
            raise TypeError("these records have no end, and so no length")
        return count

    def __bool__(self):
        return True

    def __repr__(self):
        many = "records without an end" if self._count is None else f"{len(self)} records"
        return f"<weft.Records: {many}{', begun' if self._handle is not None else ''}>"

    def _repr_html_(self):
        return f"<code>{html.escape(repr(self))}</code>"

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
    if categories is None:
        return None
    if isinstance(categories, str):
        names = [categories]
    elif isinstance(categories, dict):
        names = [f"{name}={_arguments.whole(f'the weight of category {name!r}', weight, 1, 1000000)}" for name, weight in categories.items()]
    else:
        try:
            names = list(categories)
        except TypeError:
            names = [None]
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"categories are names, or a dict of names and weights, not {categories!r}")
    if not any(names):
        raise ValueError("categories are empty; None stands for the usual mix")
    return ",".join(names)


def _piece(piece):
    """(number, how many)"""
    if piece is None:
        return 0, 0
    try:
        number, pieces = piece
    except (TypeError, ValueError):
        raise TypeError(f"piece is (i, n), number i of n pieces, not {piece!r}") from None
    pieces = _arguments.whole("the number of pieces", pieces, 0, 2**32 - 1)
    if not 0 <= _arguments.whole("the piece", number, -math.inf) < pieces:
        raise ValueError(f"piece is {piece}; the first number is from 0 to the second less 1")
    return int(number), pieces


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
    hidden_key=None,
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
    if n is not None and not 1 <= _arguments.whole("n", n, -math.inf, math.inf) <= MOST_RECORDS:
        raise ValueError(f"n is {n}; it is how many records are wanted, up to {MOST_RECORDS}, or None for no end")
    if not verify and (launches or hidden_key is not None):
        raise ValueError("without verify, there are no launches")
    if place is not None and not isinstance(place, (bytes, bytearray, memoryview)):
        raise TypeError(f"place is bytes, as Records.place() gives them, not {type(place).__name__}")
    launches = (3 if verify else 0) if launches is None else _arguments.whole("launches", launches, 0, MOST_LAUNCHES)
    options = (
        n or 0,
        _arguments.whole("seed", seed, 0),
        _categories(categories),
        _arguments.word("device", device, ("cuda", "cpu", "both")),
        _arguments.word("gradients", gradients, ("proven", "marked", "skip")),
        _arguments.word("dedup", dedup, ("structure", "masked")),
        (bool(backward), bool(readable), bool(verify)),
        launches,
        None if hidden_key is None else _arguments.path("hidden_key", hidden_key, "the file of a hidden key"),
        _piece(piece),
        _arguments.whole("jobs", jobs, 0, MOST_JOBS),
        _arguments.warp_version(warp),
    )

    return Records(functools.partial(_open_invented, options, place), None if n is None else int(n))


def _open_invented(options, place):
    handle = _native.stream_invent(*options)
    if place is not None:
        _native.stream_go_to(handle, place)
    return handle


def _count_rows(path, number):
    """The records of a set, by its manifest."""
    with open(os.path.join(os.fsdecode(path), "manifest.json"), encoding="utf-8") as file:
        by_split = json.load(file)["counters"]["by_split"]
    return sum(by_split.values()) if number < 0 else by_split[_SPLITS[number]]


def load(folder, split=None, *, details=True):
    """The records of a finished data set, in order, as a weft.Records; split: "train", "validation" or "test" alone.

    details   with launches, arguments, plan, line map and the like, of the files details-*; False: the records alone, which is faster

    Raises FileNotFoundError where there is no such folder, and ValueError where it is no data set, or a damaged one.
    """
    if split is not None and split not in _SPLITS:
        raise ValueError(f"split is one of {', '.join(_SPLITS)}, not {split!r}")
    path, number = _arguments.folder("folder", folder, "a data set that weft produce has written"), -1 if split is None else _SPLITS.index(split)
    return Records(functools.partial(_native.stream_read, path, number, bool(details)), functools.partial(_count_rows, path, number))
