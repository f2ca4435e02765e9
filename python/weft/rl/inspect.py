"""inspect-ai: a task of `weft tasks`, and its scorer.

    inspect eval examples/rl/inspect_weft.py -T tasks=tasks.jsonl -T url=http://127.0.0.1:8080 --model …
"""

import asyncio

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, grouped, scorer, stderr

from weft import rl


def samples(tasks):
    return [
        Sample(input=one["prompt"], id=one["id"], metadata={name: one[name] for name in ("kind", "category", "difficulty")})
        for one in tasks
    ]


@scorer(metrics=[grouped(accuracy(), "kind"), accuracy(), stderr()])
def judged(url=None):
    """Right or not; the words say why not. An answer that could not be judged is an error of its sample."""
    judge = rl.Judge(url)

    async def score(state, target):
        row = (await asyncio.to_thread(judge.score, [(state.sample_id, state.output.completion)]))[0]
        if row["score"] is None:
            raise RuntimeError(f"the answer could not be judged: {row['reason']}")
        return Score(value=CORRECT if row["score"] else INCORRECT, answer=state.output.completion, explanation=row["feedback"],
                     metadata={name: row[name] for name in ("stage", "forward", "backward", "forward_launches", "backward_launches")})

    return score


@task
def weft_tasks(tasks="tasks.jsonl", url=None, kind=None):
    """All tasks of a file, or those of one kind."""
    chosen = [one for one in rl.read_tasks(tasks) if kind is None or one["kind"] == kind]
    return Task(dataset=MemoryDataset(samples(chosen), name="weft"), scorer=judged(url))
