"""weft.ray.produce: a data set made by the tasks of a Ray cluster, the same bytes as one machine writes.

Two passes, both of tasks that know nothing of each other: keys of ranges of candidates; which of all of them are duplicates, found by one
task; and the ranges themselves, each a folder with its own manifest. At the end the folders are joined without a record being written
again. A task that dies is made again by Ray; what it left behind has a name that nobody reads.
"""

import os
import pathlib
import shutil
import subprocess
import uuid

import ray

from weft.__main__ import find_command


def _weft(*args):
    """Runs the command; what it says is the message of the error."""
    command = os.environ.get("WEFT") or find_command()
    if command is None:
        raise RuntimeError("the weft command is not installed with this package")
    done = subprocess.run([command, *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"weft {args[0]} ended with {done.returncode}: {done.stderr.strip()}")


def _aside(target, make):
    """Makes a file or folder under a name of its own, and gives it its name when it is whole; nothing to do where it is there."""
    if target.exists():
        return str(target)
    aside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        make(aside)
        aside.rename(target)
    except OSError:
        if not target.exists():  # another attempt was faster
            raise
    finally:
        if aside.is_dir():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            aside.unlink(missing_ok=True)
    return str(target)


def _make_keys(work, first, end, chosen):
    return _aside(pathlib.Path(work) / f"keys-{first}-{end}", lambda to: _weft("range", "keys", "--candidates", f"{first}:{end}", "-j", 1, *chosen, "-o", to))


def _find_losers(work, keys):
    return _aside(pathlib.Path(work) / "losers", lambda to: _weft("range", "duplicates", *keys, "-o", to))


def _make_range(work, first, end, losers, options):
    target = pathlib.Path(work) / f"range-{first}-{end}"
    return _aside(target, lambda to: _weft("produce", "--candidates", f"{first}:{end}", "--duplicates", losers, "-j", 1, *options, "-o", to))


def _ranges(first, end, size):
    return [(at, min(at + size, end)) for at in range(first, end, size)]


def _all(tasks, most=1000):
    """The results of tasks, in order, with no more than so many of them waiting at a time."""
    results, waiting = {}, {}
    for number, start in enumerate(tasks):
        if len(waiting) == most:
            done, _ = ray.wait(list(waiting))
            for one in done:
                results[waiting.pop(one)] = ray.get(one)
        waiting[start()] = number
    for one, number in waiting.items():
        results[number] = ray.get(one)
    return [results[number] for number in sorted(results)]


def produce(path, candidates, seed=0, *, categories=None, dedup="structure", shard_rows=10000, keys_per_task=50000, warp=None, options=()):
    """Makes the data set of candidates 0 to `candidates` - 1 in the folder `path`, which must be new; every node must see its parent.

    The files are those of `weft produce --candidates 0:CANDIDATES --shard-rows SHARD_ROWS`, byte by byte. A task makes one shard on one core.
    `options` are further ones of `weft produce`, as a list of words: ["--format", "parquet", "--no-readable"]. What is done is kept in
    `path`.tasks until all is: the same call goes on there.
    """
    path = pathlib.Path(path).absolute()
    work = path.with_name(path.name + ".tasks")
    work.mkdir(parents=True, exist_ok=True)
    chosen = ["-s", str(seed), "--dedup", dedup]
    chosen += ["-c", categories] if categories else []
    chosen += ["--warp", warp] if warp else []
    options = [*chosen, "--shard-rows", str(shard_rows), *options]
    task = ray.remote(num_cpus=1, max_retries=-1)
    make_keys, find_losers, make_range = task(_make_keys), task(_find_losers), task(_make_range)
    keys = _all(lambda a=a, b=b: make_keys.remote(str(work), a, b, chosen) for a, b in _ranges(0, candidates, keys_per_task))
    losers = ray.get(find_losers.remote(str(work), keys))
    made = _all(lambda a=a, b=b: make_range.remote(str(work), a, b, losers, options) for a, b in _ranges(0, candidates, shard_rows))
    _weft("range", "join", *made, "-o", path)
    shutil.rmtree(work)
    return str(path)
