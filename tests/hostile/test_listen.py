#!/usr/bin/env python3
"""weft judge --listen: results are those of weft score, and the same answer is judged once. A killed server loses nothing that it told, the
queue has an end, and memory stays flat. Requests that are wrong, slow, large or not allowed are refused while others are served.

Exit code 77 where there is no sandbox, or no libmicrohttpd."""

import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))
from parts import chosen, key_file  # noqa: E402
from test_judge import WEFT, check, failures, lines_of, right_answer, weft, write_lines  # noqa: E402

GUESTS = 512  # places of the server
KINDS = ["python-to-readable", "python-to-gradient", "cuda-to-python", "wrong-gradient"]  # without Warp's headers
TOKEN = "a-token-of-the-test-0123456789"


class Server:
    def __init__(self, folder, *options, journal="journal", address="127.0.0.1"):
        key_file(folder / "fixed.key", 31)
        call = [WEFT, "judge", "--listen", f"{address}:0", "--data", folder / "set", "--tasks", folder / "tasks.jsonl", "-o", folder / journal,
                "--hidden-key", folder / "fixed.key", "-j", "2", "-q", *options]
        self.process = subprocess.Popen([str(word) for word in call], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            why = self.process.stderr.read()
            if "bubblewrap" in why or "libmicrohttpd" in why:
                print("skipped:", why.strip())
                sys.exit(77)
            raise RuntimeError(why)
        self.port = int(re.search(r":(\d+)/", line).group(1))

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """(status, parsed body, headers)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            sent = {"Content-Type": "application/json"} | (headers or {})
            connection.request(method, path, body if isinstance(body, (bytes, type(None))) else json.dumps(body), sent)
            answer = connection.getresponse()
            text = answer.read().decode()
            return answer.status, json.loads(text) if "json" in answer.getheader("Content-Type", "") else text, dict(answer.getheaders())
        finally:
            connection.close()

    def score(self, body, **keywords):
        return self.ask("POST", "/score", body, **keywords)

    def metric(self, name):
        return float(re.search(rf"^weft_judge_{re.escape(name)} (\S+)$", self.ask("GET", "/metrics")[1], re.M).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            check(self.process.wait(20) == 0, "the server does not end well")
        self.process.stdout.close()
        self.process.stderr.close()


def answers_of(folder):
    """Right answers, wrong ones, and some that are none."""
    records = {record["id"]: record for path in (folder / "set").glob("train-*.jsonl") for record in lines_of(path)}
    answers = []
    for task in lines_of(folder / "tasks.jsonl"):
        right = right_answer(task, records[task["record"]])
        answers += [{"id": task["id"], "answer": text} for text in (right, right.replace("+", "-", 1), "I cannot do that.")]
    return answers


def same(row, line):
    names = ("id", "score", "stage", "forward", "backward", "forward_launches", "backward_launches", "reason", "difference", "hidden")
    return all(row[name] == line[name] for name in names)


def check_results(folder):
    """They are those of weft score, in order, alone or together; nothing is judged twice; feedback keeps what is hidden."""
    answers = answers_of(folder)
    write_lines(folder / "answers.jsonl", answers)
    key_file(folder / "fixed.key", 31)
    weft("score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "results.jsonl", "--hidden-key",
         folder / "fixed.key", "-j", 2, "-q")
    expected = lines_of(folder / "results.jsonl")
    with Server(folder) as server:
        status, body, _ = server.score({"answers": answers})
        rows = body["results"]
        check(status == 200 and len(rows) == len(answers) and all(map(same, rows, expected)), "results are those of weft score")
        check(sum(row["score"] for row in rows) >= len(answers) // 3, "right answers pass")
        judged = len({(a["id"], a["answer"]) for a in answers})
        check(server.metric("answers_known_total") == len(answers) - judged, "the same answer in one request is judged once")
        again = server.score(answers)[1]["results"]
        check(again == rows, "the same request gets the same answer, as a list, too")
        check(server.score(answers[1])[1] == rows[1], "an answer alone has a result alone")
        check(server.metric('judged_total{result="passed"}') + server.metric('judged_total{result="failed"}') == judged, "nothing is judged twice")
        check(server.score({"answers": []})[1] == {"results": []}, "no answers, no results")
        status, health, _ = server.ask("GET", "/health")
        check(status == 200 and health["ok"] and health["tasks"] == len(lines_of(folder / "tasks.jsonl")), f"health: {health}")
    for row in rows:
        feedback = row["feedback"]
        check((row["score"] == 1) == (feedback == "The answer is right.\n"), f"feedback: {feedback}")
        if row["kind"] == "wrong-gradient" and row["stage"] == "ran":
            check(feedback == "The answer is not right.\n", f"feedback holds the solution: {feedback}")
        if row["difference"] and row["difference"].startswith("hidden"):
            check("instead of" not in feedback and "expected" not in feedback, f"feedback tells of a hidden launch: {feedback}")
        elif row["difference"]:
            check(row["difference"] in feedback, f"feedback lacks the difference: {feedback}")
        for share in (row["forward_launches"], row["backward_launches"]):
            check(share is None or 0 <= share[0] <= share[1], f"shares: {row}")
        if row["score"] == 1 and row["forward_launches"]:
            check(row["forward_launches"][0] == row["forward_launches"][1] > 0, f"what passes agrees everywhere: {row}")
    check(any("does not compile" in row["feedback"] for row in rows), "what the compiler says is in the feedback")


def check_kill(folder):
    """Killed in the middle: each result that was told is there, the same, and the server goes on where it was."""
    answers = answers_of(folder)
    told = {}
    (folder / "journal").unlink(missing_ok=True)
    server = Server(folder)

    def send(number):
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            status, row, _ = server.score(answers[number])
            if status == 200:
                told[number] = row

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for number in range(len(answers)):
            pool.submit(send, number)
        until = time.monotonic() + 60
        while len(told) < len(answers) // 2 and time.monotonic() < until:
            time.sleep(0.01)
        server.process.kill()
    server.process.wait()
    server.process.stdout.close()
    server.process.stderr.close()
    check(0 < len(told) < len(answers), f"killed in the middle: {len(told)} of {len(answers)} told")
    with open(folder / "journal", "ab") as file:
        file.write(b'{"id": "cut off')
    with Server(folder) as server:
        for number, row in told.items():
            check(server.score(answers[number])[1] == row, f"answer {number} is lost")
        check(server.metric("answers_known_total") == len(told), "answers that were told are not judged again")
        check(len(server.score(answers)[1]["results"]) == len(answers), "the rest is judged")
        other = subprocess.run([WEFT, "judge", "--listen", "127.0.0.1:0", "--data", folder / "set", "--tasks", folder / "tasks.jsonl", "-o",
                                folder / "journal", "--hidden-key", folder / "fixed.key"], capture_output=True, text=True, timeout=60)
        check(other.returncode == 1 and "another weft writes" in other.stderr, f"two servers with one journal: {other.stderr}")
    lines = lines_of(folder / "journal")
    check(len({line["hash"] for line in lines[1:]}) == len(lines) - 1, "the journal has each answer once")


def check_journals(folder):
    """Files that are no journal, or one of another judge, are refused and stay as they were."""
    weft("judge", "--listen", "127.0.0.1:0", "--data", folder / "set", "--tasks", folder / "set", "-o", folder / "j", code=1)
    for name, text in {"tasks": (folder / "tasks.jsonl").read_text(), "words": "to be kept", "other": '{"journal": "weft judge", "weft": "0"}\n'}.items():
        (folder / name).write_text(text)
        key_file(folder / "fixed.key", 31)
        done = weft("judge", "--listen", "127.0.0.1:0", "--data", folder / "set", "--tasks", folder / "tasks.jsonl", "-o", folder / name,
                    "--hidden-key", folder / "fixed.key", code=1)
        check("journal" in done.stderr or "another judge" in done.stderr, f"{name}: {done.stderr}")
        check((folder / name).read_text() == text, f"{name} was changed")


def check_queue(folder):
    """More than the queue takes is refused for now, and nothing of it is judged; trying again gets there."""
    task = next(task for task in lines_of(folder / "tasks.jsonl") if task["kind"] == "python-to-readable")
    answers = [{"id": task["id"], "answer": f"int x = {number};"} for number in range(24)]
    refused = []

    def send(answer):
        while True:
            status, body, headers = server.score(answer)
            if status == 200:
                return body["score"]
            refused.append((status, headers.get("Retry-After")))
            time.sleep(0.05)

    with Server(folder, "--queue", 2, "-j", 1, journal="queue") as server:
        status, body, _ = server.score(answers[:3])
        check(status == 413 and "queue" in body["error"], f"three answers for a queue of two: {status} {body}")
        check(server.metric("answers_total") == 0, "nothing of a request that was refused is judged")
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            scores = list(pool.map(send, answers))
        check(scores == [0] * len(answers), "all are judged in the end")
        check(refused and set(refused) == {(503, "1")}, f"a full queue: {set(refused)}")
        check(server.metric("requests_queue_full_total") == len(refused), "refused requests are counted")


def check_requests(folder):
    """Wrong requests: a status, a sentence, and the server goes on."""
    known = lines_of(folder / "tasks.jsonl")[0]["id"]
    cases = {
        "no JSON": (400, b"{"),
        "NUL bytes": (400, b"\x00" * 100),
        "nothing": (400, b""),
        "deep": (400, b"[" * 1000000),
        "deep objects": (400, b'{"a":' * 200000),
        "a number": (400, b"7"),
        "no answer": (400, {"id": known}),
        "numbers": (400, {"id": known, "answer": 5}),
        "no list": (400, {"answers": {"1": 2}}),
        "a list of lists": (400, [[]]),
        "twice": (400, f'{{"id": "{known}", "id": "{known}", "answer": ""}}'.encode()),
        "unknown": (404, [{"id": known, "answer": ""}, {"id": "\x1b[31mnone", "answer": ""}]),
        "long": (413, {"id": known, "answer": "x" * (1 << 20) + "x"}),
        "many": (413, [{"id": known, "answer": "x"}] * 2000),
    }
    with Server(folder, journal="requests") as server:
        for name, (wanted, body) in cases.items():
            status, answer, _ = server.score(body)
            check(status == wanted and answer["error"], f"{name}: {status} {str(answer)[:100]}")
        check(server.metric("answers_total") == 0, "nothing of them is judged")
        for name, text in {"NUL": '"a\\u0000b"', "half a pair": '"a\\ud800"'}.items():
            status, row, _ = server.score(f'{{"id": "{known}", "answer": {text}}}'.encode())
            check(status == 200 and row["score"] == 0 and "not text" in row["reason"], f"{name}: {status} {row}")
        for name, method, path, headers, wanted in (
            ("a page of another site", "POST", "/score", {"Host": f"evil.example:{server.port}"}, 403),
            ("another port", "GET", "/health", {"Host": "127.0.0.1:1"}, 403),
            ("a form", "POST", "/score", {"Content-Type": "text/plain"}, 415),
            ("another path", "GET", "/../../etc/passwd", {}, 404),
            ("another method", "GET", "/score", {}, 405),
            ("another method", "DELETE", "/health", {}, 405),
        ):
            status, body, _ = server.ask(method, path, b"{}" if method == "POST" else None, headers)
            check(status == wanted and body["error"], f"{name}: {status} {body}")
        check_raw(server)
        check(server.ask("GET", "/health")[0] == 200, "the server is there")


def first_line(port, request, seconds=20):
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as guest:
        with contextlib.suppress(OSError):
            guest.sendall(request)
            return guest.recv(12)
    return b""


def check_raw(server):
    """Requests that http.client would not send."""
    head = f"POST /score HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n".encode()
    check(first_line(server.port, head + b"Content-Length: 99999999999\r\n\r\n") == b"HTTP/1.1 413", "a large body is refused before it is sent")
    piece = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as guest:
        got = b""
        with contextlib.suppress(OSError):
            guest.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n" + piece * 40 + b"0\r\n\r\n")
        with contextlib.suppress(OSError):
            got = guest.recv(12)
        check(got == b"HTTP/1.1 413", f"a large body in pieces: {got}")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as guest:  # and it does not go on forever
        with contextlib.suppress(OSError):
            guest.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            sent = 0
            while sent < 400:
                guest.sendall(piece)
                sent += 1
        check(sent < 400, "a body without an end is taken")
    for request in (b"\x16\x03\x01" * 100 + b"\r\n\r\n", b"GET /health\r\n\r\n", b"GET /health HTTP/1.1\r\nX: " + b"x" * 100000 + b"\r\n\r\n",
                    b"POST /score HTTP/1.1\r\nContent-Length: -5\r\n\r\n"):
        got = first_line(server.port, request)
        check(not got or got.split(b" ")[1][:1] == b"4", f"{request[:20]}: {got}")


def drip(port, name, start, seconds):
    """Sends a byte now and then until the server has had enough."""
    with socket.create_connection(("127.0.0.1", port), timeout=1) as guest:
        began = time.monotonic()
        with contextlib.suppress(OSError):
            guest.sendall(start)
            while time.monotonic() - began < 50:
                guest.sendall(b"x")
                with contextlib.suppress(TimeoutError):
                    if not guest.recv(100):
                        break
        seconds[name] = time.monotonic() - began


def check_crowd(server, name, said):
    """More guests than there are places, all of which keep theirs: others get in, as each that comes makes a slow one leave."""
    crowd = []
    for _ in range(GUESTS + 60):
        with contextlib.suppress(OSError):
            crowd.append(socket.create_connection(("127.0.0.1", server.port), timeout=4))
            crowd[-1].sendall(said)
    time.sleep(1.5)
    tries = 0
    while tries < 20:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if server.ask("GET", "/health", timeout=4)[0] == 200:
                break
        tries += 1
    check(tries < 20, f"beside {len(crowd)} {name} guests nobody gets in")
    for guest in crowd:
        guest.close()


def check_slow(folder):
    """Guests that say nothing, a part, or a byte now and then keep no place; a crowd of them does not lock others out."""
    def head(server):
        host = f"Host: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
        return f"POST /score HTTP/1.1\r\n{host}".encode()

    with Server(folder, journal="slow") as server, Server(folder, journal="crowd") as other:
        seconds = {}
        said = {"head": b"GET /health HTTP/1.1\r\nX: ", "body": head(server), "line": b"GE"}
        threads = [threading.Thread(target=drip, args=(server.port, name, start, seconds)) for name, start in said.items()]
        for thread in threads:
            thread.start()
        for name, start in {"silent": b"", "half": head(other)}.items():
            check_crowd(other, name, start)
        for thread in threads:
            thread.join()
        check(len(seconds) == 3, f"guests that drip: {seconds}")
        for name, taken in seconds.items():
            check(20 < taken < 45, f"a guest that drips its {name} stays {taken:.0f} s")


def check_token(folder):
    """Beyond this machine a token is needed, and asked for."""
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "short").write_text("secret\n")
    base = ["judge", "--data", folder / "set", "--tasks", folder / "tasks.jsonl", "-o", folder / "token-journal"]
    for address, options, wanted in (("0.0.0.0:0", [], "--token FILE"), ("127.0.0.1:0", ["--token", folder / "short"], "is no token"),
                                     ("127.0.0.1:0", ["--token", folder / "none"], "cannot be read"), ("host:80", [], "not an IPv4 address")):
        done = subprocess.run([WEFT, *map(str, base), "--listen", address, *map(str, options)], capture_output=True, text=True, timeout=60)
        check(done.returncode == 1 and (wanted in done.stderr or "libmicrohttpd" in done.stderr or address == "host:80" and "--token" in done.stderr),
              f"{address} {options}: {done.stderr}")
    with Server(folder, "--token", folder / "token", journal="token-journal", address="0.0.0.0") as server:
        answer = {"id": lines_of(folder / "tasks.jsonl")[0]["id"], "answer": ""}
        check(server.ask("GET", "/health")[0] == 200, "health needs no token")
        for header in (None, "Bearer ", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN):
            headers = {"Authorization": header} if header else {}
            check(server.score(answer, headers=headers)[0] == 401, f"the token {header}")
            check(server.ask("GET", "/metrics", headers=headers)[0] == 401, f"metrics with the token {header}")
        check(server.score(answer, headers={"Authorization": f"Bearer {TOKEN}"})[0] == 200, "the token opens")


def check_memory(folder):
    """10,000 answers: memory grows by their places in the journal, and no more."""
    task = next(task for task in lines_of(folder / "tasks.jsonl") if task["kind"] == "wrong-gradient")
    code = next(task for task in lines_of(folder / "tasks.jsonl") if task["kind"] == "cuda-to-python")

    def batch(start):
        rows = [{"id": task["id"], "answer": f"{number}\n" + "words " * 300 + "\nright"} for number in range(start, start + 500)]
        rows += [{"id": code["id"], "answer": f"x = {start + number}"} for number in range(4)]
        status, body, _ = server.score(rows)
        check(status == 200 and len(body["results"]) == len(rows), f"a batch: {status}")

    with Server(folder, journal="memory") as server:
        for start in range(0, 2000, 500):
            batch(start)
        before = server.metric("resident_bytes")
        for start in range(2000, 10000, 500):
            batch(start)
        grown = server.metric("resident_bytes") - before
        check(server.metric("answers_total") == 20 * 504, "all were judged")
        check(grown < 4 << 20, f"8,000 answers of 2 KB take {grown / 1e6:.1f} MB")
        print(f"8,000 answers: {grown / 1e6:.1f} MB more")
    check((folder / "memory").stat().st_size > 3e6, "they are in the journal")


def check_end(folder):
    """Ctrl-C in the middle: the server ends soon, in good order, and whoever waits gets an answer or an end."""
    answers = answers_of(folder)
    ends = []
    server = Server(folder, journal="end")

    def send(answer):
        try:
            ends.append(server.score(answer)[0])
        except (OSError, http.client.HTTPException):
            ends.append("closed")

    threads = [threading.Thread(target=send, args=(answer,)) for answer in answers]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    with server:
        pass
    check(time.monotonic() - began < 10, "ending takes too long")
    for thread in threads:
        thread.join()
    check(len(ends) == len(answers) and set(ends) <= {200, 503, "closed"}, f"requests end with {set(ends)}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-listen-") as name:
        folder = pathlib.Path(name)
        weft("produce", "-n", 3, "-s", 506, "-o", folder / "set", "--no-compress", "-q", "-j", 2)
        kinds = [word for kind in KINDS for word in ("--kind", kind)]
        weft("tasks", folder / "set", "--all-kinds", *kinds, "-o", folder / "tasks.jsonl", "-q")
        for test in chosen(check_results, check_kill, check_journals, check_queue, check_requests, check_slow, check_token, check_memory, check_end):
            began = time.monotonic()
            test(folder)
            print(f"{test.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
