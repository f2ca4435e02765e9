"""A pseudo-terminal to run weft in: what a person would see, line by line, and how wide each line was."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

SEQUENCE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Screen:
    """Everything that was printed, escape sequences included."""

    def __init__(self, text, code):
        self.text, self.code = text, code

    def painted(self):
        """Every line that was on the screen at some time, without colours: a bar that was redrawn counts each time."""
        lines = []
        for line in self.text.replace("\r\n", "\n").split("\n"):
            lines += [SEQUENCE.sub("", part) for part in line.split("\r")]
        return [line for line in lines if line]

    def lines(self):
        """What remains in the end."""
        lines = []
        for line in self.text.replace("\r\n", "\n").split("\n"):
            last = line.split("\r")[-1]
            if "\x1b[K" in last:
                last = last.split("\x1b[K")[-1]
            lines.append(SEQUENCE.sub("", last))
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def has_colours(self):
        return re.search(r"\x1b\[[0-9;]*m", self.text) is not None


def run_in_terminal(command, columns, stdout=True, env=None, seconds=120, cwd=None, program=None):
    """Runs a command whose stderr, and stdout if wanted, are a terminal of that many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | (env or {})
    process = subprocess.Popen([str(c) for c in command], executable=program, stdin=subprocess.DEVNULL, stdout=slave if stdout else subprocess.DEVNULL,
                               stderr=slave, env=environment, cwd=cwd)
    os.close(slave)
    output, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            output += data
        elif process.poll() is not None:
            break
    else:
        process.kill()
    code = process.wait()
    os.close(master)
    return Screen(output.decode("utf-8", "replace"), code)
