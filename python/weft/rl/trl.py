"""TRL: rows for its data sets, and a reward function for GRPOTrainer and others that take such functions.

    judge = weft.rl.Judge(set="data/set", tasks="tasks.jsonl", journal="journal.jsonl")
    rows = datasets.Dataset.from_list(weft.rl.trl.rows(weft.rl.read_tasks("tasks.jsonl")))
    trl.GRPOTrainer(model, reward_funcs=weft.rl.trl.reward(judge), train_dataset=rows, …)
"""

from weft.rl import passes, text_of


def rows(tasks):
    """A conversation per task; the column task_id tells the reward function which it is."""
    return [{"prompt": [{"role": "user", "content": task["prompt"]}], "task_id": task["id"]} for task in tasks]


def reward(judge, value=passes):
    """The reward function: a number per completion. None, where an answer could not be judged, is left out by TRL. value: weft.rl.passes,
    weft.rl.share, or any function of a result."""

    def weft_judge(completions, task_id, **_):
        return [value(row) for row in judge.score(zip(task_id, map(text_of, completions)))]

    return weft_judge
