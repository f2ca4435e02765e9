"""verl: rows for its Parquet files, and compute_score as its reward managers call it. The judge is one that runs, at $WEFT_JUDGE_URL, or named in
the configuration:

    reward.custom_reward_function.path=pkg://weft.rl.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.url=http://127.0.0.1:8080
"""

import functools

from weft import rl


def rows(tasks):
    """The truth that verl keeps beside each prompt is the id of the task."""
    return [
        {
            "data_source": "weft",
            "prompt": [{"role": "user", "content": task["prompt"]}],
            "ability": "code",
            "reward_model": {"style": "rule", "ground_truth": task["id"]},
            "extra_info": {"kind": task["kind"], "category": task["category"], "difficulty": task["difficulty"]},
        }
        for task in tasks
    ]


@functools.lru_cache(maxsize=None)
def _judge(url, token):
    return rl.Judge(url, token=token)


def _result(row, value):
    """verl wants a number: an answer that could not be judged counts as wrong, and `unjudged` tells so."""
    number = value(row)
    return {"score": 0.0 if number is None else number, "compiled": float(row["compiled"]), "ran": float(row["ran"]), "unjudged": float(row["score"] is None)}


def compute_scores(data_sources, solution_strs, ground_truths, extra_infos=None, *, url=None, token=None, value="passes", **_):
    """For the manager `batch`, all answers at once. value: "passes" or "share", of weft.rl."""
    function = {"passes": rl.passes, "share": rl.share}[value] if isinstance(value, str) else value
    return [_result(row, function) for row in _judge(url, token).score(zip(ground_truths, solution_strs))]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **options):
    """For the managers that ask for one answer at a time."""
    return compute_scores([data_source], [solution_str], [ground_truth], [extra_info], **options)[0]
