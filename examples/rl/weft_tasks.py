"""A plug-in of verifiers: put this folder on PYTHONPATH, then `eval weft_tasks …` (weft.rl.verifiers says more)."""

from weft.rl.verifiers import WeftTaskset

__all__ = ["WeftTaskset"]
