"""weft.score: is what a model answered to a task right? Compiled, run and compared by the command weft score, in its sandbox."""

import json
import os
import subprocess
import tempfile

from weft._errors import Error


def score(
    task,
    answer,
    *,
    set,
    hidden_seed=None,
    gpu=False,
    timing=True,
    jobs=None,
    compile_time=None,
    run_time=None,
    memory=None,
    batch=None,
    warp_include=None,
    cuda=None,
):
    """Judge an answer to a task, or many at once, which takes far less time for each.

    score(task, "…")                  a dict: score (1: right, 0: not, None: it could not be judged), reason, difference, …
    score(task, ["…", "…"])           a list of them, for several answers to one task
    score([task, task], ["…", "…"])   a list of them, for answers to the tasks at the same places

    task is a line of `weft tasks`, as a dict; set is the folder of the data set that it was made of. The rest are options of
    `weft score`: hidden launches are drawn from hidden_seed; gpu runs CUDA on a GPU. Raises weft.Error where nothing can be judged: no
    sandbox, no GPU, tasks of another data set.
    """
    is_single = isinstance(answer, str)
    answers = [answer] if is_single else list(answer)
    tasks = [task] * len(answers) if isinstance(task, dict) else list(task)
    if len(tasks) != len(answers):
        raise ValueError(f"{len(tasks)} tasks and {len(answers)} answers")
    known = {}
    for one, text in zip(tasks, answers):
        if not isinstance(one, dict) or not isinstance(one.get("id"), str):
            raise TypeError("a task is a dict, a line of `weft tasks`")
        if not isinstance(text, str):
            raise TypeError(f"an answer is a str, not {type(text).__name__}")
        if known.setdefault(one["id"], one) != one:
            raise ValueError(f"two different tasks have the id {one['id']}")
    options = {
        "--hidden-seed": hidden_seed,
        "-j": jobs,
        "--compile-time": compile_time,
        "--run-time": run_time,
        "--memory": memory,
        "--batch": batch,
        "--warp-include": warp_include,
        "--cuda": cuda,
    }
    arguments = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    arguments += [name for name, wanted in (("--gpu", gpu), ("--no-timing", not timing)) if wanted]
    lines = _run(known.values(), [{"id": one["id"], "answer": text} for one, text in zip(tasks, answers)], set, arguments) if answers else []
    return lines[0] if is_single else lines


def _write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def _run(tasks, answers, folder, arguments):
    from weft.__main__ import find_command

    command = find_command()
    if command is None:
        raise Error("the command weft is not installed with this package")
    with tempfile.TemporaryDirectory(prefix="weft-score-") as place:
        paths = [os.path.join(place, name) for name in ("tasks.jsonl", "answers.jsonl", "results.jsonl")]
        _write(paths[0], tasks)
        _write(paths[1], answers)
        call = [command, "score", paths[0], paths[1], "--set", os.fspath(folder), "-o", paths[2], "-q", "--json", *arguments]
        done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        lines = []
        if os.path.exists(paths[2]):
            with open(paths[2], encoding="utf-8") as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
    if len(lines) != len(answers):  # exit code 1 alone may also say that some could not be judged
        raise Error(done.stderr.strip().replace("weft score: ", "", 1) or f"weft score ended with {done.returncode}")
    return lines
