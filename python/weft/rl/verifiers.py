"""verifiers (0.4 and later): a taskset of `weft tasks`, each with a reward. A model answers in one turn, so any harness that passes the prompt on will do.

A plug-in of verifiers is a module of one word: examples/rl/weft_tasks.py is one.

    eval weft_tasks --env.taskset.tasks tasks.jsonl --env.taskset.task.url http://127.0.0.1:8080 …
"""

import asyncio
import functools

import verifiers.v1 as vf

from weft import rl

__all__ = ["WeftTaskset"]


class WeftTaskConfig(vf.TaskConfig):
    url: str = ""
    """The judge; empty: $WEFT_JUDGE_URL. Its token is in $WEFT_JUDGE_TOKEN."""
    value: str = "passes"
    """The reward: "passes" or "share", of weft.rl."""


class WeftConfig(vf.TasksetConfig):
    tasks: str = "tasks.jsonl"
    """The file of `weft tasks`."""
    task: WeftTaskConfig = WeftTaskConfig()


class WeftData(vf.TaskData):
    kind: str
    category: str
    difficulty: str


@functools.lru_cache(maxsize=None)
def _judge(url):
    return rl.Judge(url or None)


class WeftTask(vf.Task[WeftData, vf.State, WeftTaskConfig]):
    @property
    def key(self):
        return self.data.id

    async def _row(self, trace):
        """What the judge says of the last reply; asked for by reward and metrics, and judged once."""
        return (await asyncio.to_thread(_judge(self.config.url).score, [(self.data.id, trace.last_reply)]))[0]

    @vf.reward
    async def judged(self, trace):
        row = await self._row(trace)
        number = {"passes": rl.passes, "share": rl.share}[self.config.value](row)
        if number is None:
            raise RuntimeError(f"the answer could not be judged: {row['reason']}")
        return number

    @vf.metric
    async def stages(self, trace):
        row = await self._row(trace)
        return {"compiled": float(row["compiled"]), "ran": float(row["ran"]), "passed": float(row["score"] or 0)}


class WeftTaskset(vf.Taskset[WeftTask, WeftConfig]):
    def load(self):
        for task in rl.read_tasks(self.config.tasks):
            data = WeftData(id=task["id"], name=task["kernel_name"], prompt=task["prompt"], kind=task["kind"], category=task["category"],
                            difficulty=task["difficulty"])
            yield WeftTask(data, self.config.task)
