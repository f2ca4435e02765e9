"""For `inspect eval examples/rl/inspect_weft.py` (weft.rl.inspect says more)."""

from weft.rl.inspect import weft_tasks  # noqa: F401
