#!/usr/bin/env python3
"""weft serve and guests that are slow, many or wordy: none locks the others out, none stays, and what is refused is refused with a
sentence. A port that is taken is noticed before the set is read."""

import contextlib
import http.client
import json
import os
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
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PLACES = 64
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


@contextlib.contextmanager
def served(folder):
    process = subprocess.Popen([WEFT, "serve", folder, "-p", "0", "-q"], stdout=subprocess.PIPE, text=True)
    try:
        yield int(re.search(r":(\d+)/", process.stdout.readline()).group(1))
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        expect(process.wait(20) == 0, "weft serve does not end well")
        expect(time.monotonic() - start < 4, f"ending takes {time.monotonic() - start:.1f} s")
    finally:
        process.kill()


def get(port, path, timeout=4):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError as error:
        return 0, str(error)
    finally:
        connection.close()


def check_crowd(port):
    """All places taken, twice over, by guests that say nothing, part of a request, or do not take their answer."""
    request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    for name, said in {"silent": b"", "half": b"GET / HTT", "deaf": request}.items():
        crowd = [socket.create_connection(("127.0.0.1", port), timeout=4) for _ in range(2 * PLACES)]
        for guest in crowd:
            with contextlib.suppress(OSError):
                guest.sendall(said)
        for path in ("/list?limit=1", "/", "/record?n=0"):
            status, body = get(port, path)
            expect(status == 200, f"{path} beside {len(crowd)} {name} guests: {status} {body[:80]}")
        if name != "deaf":
            last = crowd[-1]  # the youngest still has its place
            with contextlib.suppress(OSError):
                last.sendall(request[len(said):])
                expect(last.recv(12) == b"HTTP/1.1 200", f"the youngest {name} guest has no answer")
        for guest in crowd:
            guest.close()


def check_times(port):
    """A byte now and then keeps no place, and neither does silence."""
    seconds = {}

    def drip():
        with socket.create_connection(("127.0.0.1", port), timeout=25) as guest, contextlib.suppress(OSError):
            start = time.monotonic()
            guest.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
            while time.monotonic() - start < 22:
                guest.settimeout(0.5)
                with contextlib.suppress(TimeoutError):
                    got = guest.recv(4096)
                    expect(got.startswith(b"HTTP/1.1 408"), f"a slow guest gets {got[:40]!r}")
                    break
                guest.sendall(b"x")
        seconds["slow"] = time.monotonic() - start

    def wait():
        with socket.create_connection(("127.0.0.1", port), timeout=25) as guest:
            start = time.monotonic()
            expect(guest.recv(4096) == b"", "a silent guest gets an answer")
            seconds["silent"] = time.monotonic() - start

    threads = [threading.Thread(target=work) for work in (drip, wait)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(seconds["slow"] < 14, f"a slow guest stays {seconds['slow']:.1f} s")
    expect(seconds["silent"] < 9, f"a silent guest stays {seconds['silent']:.1f} s")


def check_words(port):
    """A question that is too long is refused; one of the longest is answered."""
    everything = json.loads(get(port, "/list?limit=1")[1])["found"]
    longest = get(port, "/list?q=" + "z" * 200)
    expect(longest[0] == 200 and json.loads(longest[1])["found"] == 0 < everything, f"200 bytes: {longest}")
    for words in ("z" * 201, "%7a" * 201, "z" * 9000, "a%00b"):
        status, body = get(port, "/list?q=" + words)
        expect(status == 400 and "too long: at most 200 bytes" in body, f"{words[:4]}… {len(words)}: {status} {body[:80]}")
    expect(get(port, "/list?category=" + "z" * 300)[0] == 400, "a long category is taken")
    status, body = get(port, "/list?q=" + "z" * 100000)
    expect(status == 431 and "too long" in body, f"a request of 100 KB: {status} {body[:80]}")


def check_cut_off(folder):
    """A shard is cut off, or removed, while the server runs: the server refuses its records and serves the others."""
    subprocess.run([WEFT, "produce", "-n", "300", "-s", "5", "-o", folder / "cut", "-q", "--no-verify", "--launches", "0"], check=True)
    shard = next((folder / "cut").glob("*.jsonl.zst"))
    bytes_of = shard.read_bytes()
    with served(folder / "cut") as port:
        expect(get(port, "/record?n=0")[0] == 200, "a record of the whole shard")
        for length in (len(bytes_of) // 3, 1, 0):
            os.truncate(shard, length)
            status, body = get(port, "/record?n=299")
            expect(status >= 400, f"a record that is cut off at {length}: {status} {body[:80]}")
            expect(get(port, "/list?limit=1")[0] == 200, f"the list after a cut at {length}")
        shard.unlink()
        expect(get(port, "/record?n=200")[0] >= 400, "a record of a shard that is gone")
        shard.write_bytes(bytes_of)
        expect(get(port, "/record?n=299")[0] == 200, "a record of the shard that is there again")


def check_busy_port(folder):
    """It is told at once, whatever there is to read: here a set that is none."""
    (folder / "none").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = subprocess.run([WEFT, "serve", folder / "none", "-p", str(port)], capture_output=True, text=True, timeout=20)
        expect(done.returncode == 1 and f"cannot listen at 127.0.0.1:{port}" in done.stderr, f"a busy port: {done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-serve-") as name:
        folder = pathlib.Path(name)
        subprocess.run([WEFT, "produce", "-n", "12", "-s", "4", "-o", folder / "set", "-q", "--no-verify", "--launches", "0"], check=True)
        check_busy_port(folder)
        check_cut_off(folder)
        with served(folder / "set") as port:
            for test in (check_words, check_crowd, check_times):
                test(port)
            idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]  # they do not hold up the end
        for guest in idle:
            guest.close()
    print(f"{len(failures)} failed" if failures else "all passed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
