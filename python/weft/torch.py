"""weft.torch.KernelStream: invented records as a torch IterableDataset."""

import os

import torch
import torch.distributed
import torch.utils.data

from weft._data import produce


class KernelStream(torch.utils.data.IterableDataset):
    """Invented records without an end, or `n` in each worker, for a DataLoader.

    Every worker of every rank has a piece of its own: no candidate is in two of them, and the same seed gives the same records for
    the same number of workers and ranks. `state_dict` and `load_state_dict` go on where a stream was, record for record; torchdata's
    StatefulDataLoader calls them in its workers. Options are those of weft.produce; `map` is applied to each record. In another process, forked
    or spawned, a stream that has begun is one that has not.
    """

    def __init__(self, n=None, seed=0, *, map=None, **options):
        super().__init__()
        if "piece" in options or "place" in options:
            raise TypeError("KernelStream chooses the piece itself; use load_state_dict for the place")
        self._options = {"n": n, "seed": seed, "jobs": 1, **options}
        self._map = map
        self._records = self._process = None  # what was taken from last, and where
        self._place = self._piece = None

    def __getstate__(self):
        begun = {} if self._records is None else {"_records": None, "_place": None, "_piece": None}
        return {**vars(self), **begun}

    def _own_records(self):
        """Those of this process; None: it has taken none."""
        if self._records is not None and self._process != os.getpid():
            self._records = self._piece = None
        return self._records

    @staticmethod
    def _own_piece():
        worker = torch.utils.data.get_worker_info()
        number, count = (worker.id, worker.num_workers) if worker else (0, 1)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            number += torch.distributed.get_rank() * count
            count *= torch.distributed.get_world_size()
        return number, count

    def __iter__(self):
        piece = self._own_piece()
        place, self._place = self._place, None
        if place is not None and self._piece != piece:
            raise ValueError(f"the state is of piece {self._piece}, and this worker has {piece}: use as many workers and ranks as before")
        self._piece = piece
        self._records, self._process = produce(**self._options, piece=piece, place=place), os.getpid()
        for record in self._records:
            yield self._map(record) if self._map else record

    def state_dict(self):
        records = self._own_records()
        place = self._place if records is None else records.place()
        return {"piece": self._piece, "place": place}

    def load_state_dict(self, state):
        self._records = None
        self._piece = state["piece"] and tuple(state["piece"])
        self._place = state["place"]
