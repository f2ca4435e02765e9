"""The judge as a reward: a client of `weft judge --listen`, and adapters for trainers and evaluators (weft.rl.trl, verl, verifiers, inspect).

    with weft.rl.Judge(set="data/set", tasks="tasks.jsonl", journal="journal.jsonl") as judge:     # starts a judge
        rows = judge.score([(task["id"], answer), …])
    judge = weft.rl.Judge("http://127.0.0.1:8080")                                # one that runs; also $WEFT_JUDGE_URL
"""

import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request

from weft._errors import Error

__all__ = ["Judge", "passes", "share", "read_tasks", "text_of"]

_MOST_AT_ONCE = 64  # answers of one request: a queue that others use, too, has room for them soon


def passes(row):
    """1.0: right, 0.0: not, None: it could not be judged."""
    return None if row["score"] is None else float(row["score"])


def share(row):
    """Like passes; an answer that is not right gets half of the share of launches that agree, gradients and values alike. Questions about a gradient
    have no launches, and no half."""
    if row["score"] != 0 or not row["ran"]:
        return passes(row)
    parts = [part for part in (row["forward_launches"], row["backward_launches"]) if part]
    return 0.5 * sum(passed / of for passed, of in parts) / len(parts) if parts else 0.0


def text_of(completion):
    """The text of a completion: a str, or a list of messages, whose last one of the assistant counts."""
    if isinstance(completion, str):
        return completion
    for message in reversed(completion):
        if message.get("role") == "assistant":
            content = message.get("content")
            return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])
    return ""


def read_tasks(path):
    """The lines of `weft tasks`, as dicts."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


class Judge:
    """A client of `weft judge --listen`. Threads may share it.

    With url and token it asks a judge that runs; they default to $WEFT_JUDGE_URL and $WEFT_JUDGE_TOKEN. With set, tasks and journal it
    starts a judge on this machine, and close() ends it; options are words of its command line. A request may take timeout seconds,
    waiting for a place in the queue included. Raises weft.Error where the judge refuses or does not answer.
    """

    def __init__(self, url=None, *, token=None, set=None, tasks=None, journal=None, options=(), timeout=1800):
        self.process = None
        self.timeout = timeout
        self.token = token or os.environ.get("WEFT_JUDGE_TOKEN")
        given = [set, tasks, journal]
        if any(given) and not all(given):
            raise ValueError("a judge that is started needs set, tasks and journal")
        if url and any(given):
            raise ValueError("url is of a judge that runs; set, tasks and journal start one")
        self.url = url or (None if any(given) else os.environ.get("WEFT_JUDGE_URL"))
        if self.url is None:
            if not any(given):
                raise ValueError("url, or WEFT_JUDGE_URL, or set, tasks and journal are needed")
            self._start([os.fspath(path) for path in given], [str(word) for word in options])
        self.url = self.url.rstrip("/")

    def _start(self, paths, options):
        from weft.__main__ import find_command

        command = find_command()
        if command is None:
            raise Error("the command weft is not installed with this package")
        call = [command, "judge", "--listen", "127.0.0.1:0", "--data", paths[0], "--tasks", paths[1], "-o", paths[2], "-q", "--until-eof", *options]
        self.process = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = re.match(r"(http://\S+)", self.process.stdout.readline())
        if not found:
            why = self.process.stderr.read().strip()
            self.close()
            raise Error(why.replace("weft judge: ", "", 1) or "the judge did not start")
        self.url = found[1]
        threading.Thread(target=self.process.stderr.read, daemon=True).start()  # so that it never waits for a reader

    def close(self):
        """Ends the judge, if it was started here."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _ask(self, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        until = time.monotonic() + self.timeout
        while True:
            request = urllib.request.Request(self.url + path, data, headers)
            try:
                with urllib.request.urlopen(request, timeout=max(until - time.monotonic(), 1)) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                text = error.read().decode(errors="replace")
                if error.code != 503 or time.monotonic() >= until:
                    raise Error(f"the judge says {error.code}: {_words(text)}") from None
            except OSError as error:  # it may start again, and then knows what it has judged
                if time.monotonic() >= until or self.process is not None:
                    raise Error(f"the judge at {self.url} does not answer: {error}") from None
            time.sleep(0.5)

    def health(self):
        return self._ask("/health")

    def score(self, answers):
        """Results, dicts as `POST /score` gives them, of pairs (id of the task, answer), in their order."""
        pairs = [{"id": task, "answer": text} for task, text in answers]
        rows = []
        for start in range(0, len(pairs), _MOST_AT_ONCE):
            rows += self._ask("/score", {"answers": pairs[start : start + _MOST_AT_ONCE]})["results"]
        return rows


def _words(text):
    try:
        return json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return text.strip()[:200]
