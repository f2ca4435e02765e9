"""weft.score: is what a model answered to a task right? Compiled, run and compared by the command weft score, in its sandbox."""

import json
import os
import re
import subprocess
import tempfile

from weft import _arguments
from weft._errors import Error


def score(
    task,
    answer,
    *,
    set,
    hidden_key=None,
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
    `weft score`: hidden launches are drawn from the key in the file hidden_key, which is made if there is none (None: from a new key each time;
    False: no hidden launches); gpu runs CUDA on a GPU. Raises weft.Error where nothing can be judged: no
    sandbox, no GPU, tasks of another data set.
    """
    is_single = isinstance(answer, str)
    answers = [answer] if is_single else _listed("answer", answer, "a str")
    tasks = [task] * len(answers) if isinstance(task, dict) else _listed("task", task, "a dict, a line of `weft tasks`")
    if len(tasks) != len(answers):
        raise ValueError(f"{len(tasks)} tasks and {len(answers)} answers")
    known = {}
    for one, text in zip(tasks, answers):
        if not isinstance(one, dict) or not isinstance(one.get("id"), str):
            raise TypeError(f"a task is a dict with an id, a line of `weft tasks`, not {one if isinstance(one, dict) else type(one).__name__}")
        if not isinstance(text, str):
            raise TypeError(f"an answer is a str, not {type(text).__name__}")
        if known.setdefault(one["id"], one) != one:
            raise ValueError(f"two different tasks have the id {one['id']}")
    place = os.fsdecode(_arguments.folder("set", set, "the folder of the data set that the tasks were made of"))
    options = {
        "--hidden-key": None if hidden_key in (None, False) else _arguments.path("hidden_key", hidden_key, "the file of a hidden key"),
        "-j": jobs,
        "--compile-time": compile_time,
        "--run-time": run_time,
        "--memory": memory,
        "--batch": batch,
        "--warp-include": warp_include,
        "--cuda": cuda,
    }
    arguments = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    arguments += [name for name, wanted in (("--gpu", gpu), ("--no-timing", not timing), ("--open-launches", hidden_key is False)) if wanted]
    lines = _run(known.values(), [{"id": one["id"], "answer": text} for one, text in zip(tasks, answers)], place, arguments) if answers else []
    return lines[0] if is_single else lines


def _listed(name, value, what):
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} is {what}, or a list of them, not {type(value).__name__}")
    return list(value)


def _write(path, rows):
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            try:
                file.write(json.dumps(row, allow_nan=False) + "\n")
            except (TypeError, ValueError) as error:
                raise TypeError(f"task {row.get('id')!r} has a value that JSON does not have: {error}") from None


def _in_words(message, paths):
    """What the command says, without the names of files that are gone."""
    for path, name in zip(paths, ("task", "answer", "result")):
        message = re.sub(re.escape(path) + r"(?::(\d+))?", lambda found, name=name: f"{name} {found[1]}" if found[1] else f"the {name}s", message)
    return message.replace("weft score: ", "", 1)


def _run(tasks, answers, folder, arguments):
    from weft.__main__ import find_command

    command = find_command()
    if command is None:
        raise Error("the command weft is not installed with this package")
    with tempfile.TemporaryDirectory(prefix="weft-score-") as place:
        paths = [os.path.join(place, name) for name in ("tasks.jsonl", "answers.jsonl", "results.jsonl")]
        _write(paths[0], tasks)
        _write(paths[1], answers)
        call = [command, "score", paths[0], paths[1], "--data", folder, "-o", paths[2], "-q", "--json", *arguments]
        done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        lines = []
        if os.path.exists(paths[2]):
            with open(paths[2], encoding="utf-8") as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
    if len(lines) != len(answers):  # exit code 1 alone may also say that some could not be judged
        raise Error(_in_words(done.stderr.strip(), paths) or f"weft score ended with {done.returncode}")
    return lines
