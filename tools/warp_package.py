"""The kernels of an installed Warp's own package, what Warp writes for them, and which of them count.

A row is one kernel that Warp was asked to build: the oracle's fields, and its class:

    own       needs only its own file: what weft is measured by
    tile      uses tile primitives
    made      made at run time, in a function, and only bound to a name of the module
    foreign   refers to a function, struct or constant of another file
    unstable  Warp's own text or name is not always the same: it differs between two runs, or the number in a
              function's name depends on what else the process has imported
    refused   Warp itself refuses it

Asking Warp takes a second or two per file, so answers are kept in build/oracle-cache.
"""

import ast
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"
CACHE = ROOT / "build" / "oracle-cache"
VERSIONS = re.findall(r'^VERSION\(\w+, "(.*)"\)', (ROOT / "src/lang/versions.def").read_text(), re.M)  # oldest first
VERSION = VERSIONS[-1]  # what weft writes by default, and most tests compare with
FOLDERS = ("examples", "_src", "tests")
CLASSES = ("own", "tile", "made", "foreign", "unstable", "refused")
TIMEOUT_SECONDS = 120


def find_warp(version=VERSION):
    """(python, folder of the warp package) with that Warp, or None: $WEFT_PYTHON, .venv or .venv-VERSION (tools/venv.sh)."""
    for python in (os.environ.get("WEFT_PYTHON"), ROOT / ".venv/bin/python", ROOT / f".venv-{version}/bin/python"):
        if python and pathlib.Path(python).exists():
            ask = (
                "import importlib.metadata as m, importlib.util as u;"
                "print(m.version('warp-lang')); print(u.find_spec('warp').origin)"
            )
            answer = subprocess.run([python, "-c", ask], capture_output=True, text=True)
            if answer.returncode == 0 and answer.stdout.split()[0] == version:
                return str(python), pathlib.Path(answer.stdout.splitlines()[1]).parent
    return None


def files(package):
    """The package's files that can hold kernels, as paths relative to the folder that holds the package."""
    found = (p for folder in FOLDERS for p in sorted((package / folder).rglob("*.py")))
    return [p for p in found if b"kernel" in p.read_bytes()]


def code_of(path):
    """What a script does, whatever its comments and docstrings say."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            del body[0]
    return ast.dump(tree).encode()


class Oracle:
    def __init__(self, python, package, version=VERSION, cache=CACHE):
        self.python, self.package, self.version, self.cache = python, package, version, cache
        self.of_thread = threading.local()
        self.cache.mkdir(parents=True, exist_ok=True)
        self.salt = version.encode() + b"".join(code_of(TOOLS / f) for f in ("warp_oracle.py", "own_file.py"))

    def relative(self, path):
        return str(path.relative_to(self.package.parent))

    def cached(self, path):
        key = hashlib.sha256(self.salt + self.relative(path).encode() + path.read_bytes()).hexdigest()
        return self.cache / f"{key[:32]}.jsonl"

    def rows(self, path):
        """The rows of one file; a file that cannot be imported has one row without a kernel."""
        cached = self.cached(path)
        if not cached.exists():
            rows = self.ask(path)
            part = cached.with_suffix(f".{os.getpid()}")
            part.write_text("".join(json.dumps(row) + "\n" for row in rows))
            part.rename(cached)
        rows = [json.loads(line) for line in cached.read_text().splitlines()]
        return [row | {"file": self.relative(path)} for row in rows]

    def rows_of(self, paths, jobs, progress=sys.stderr):
        missing = sum(not self.cached(p).exists() for p in paths)
        if missing:
            print(
                f"asking Warp {self.version} about {missing} of {len(paths)} files (kept in {self.cache.relative_to(ROOT)})",
                file=progress,
            )
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            results = []
            for done, rows in enumerate(pool.map(self.rows, paths), 1):
                results += rows
                if missing and done % 50 == 0:
                    print(f"  {done} of {len(paths)} files", file=progress)
            return results

    def ask(self, path):
        """Two runs with different hash seeds: what differs is not Warp's fixed answer."""
        first, second = self.run("warp_oracle.py", 0, path), self.run("own_file.py", 1, path)
        if failed(first) and not failed(second):
            first = self.run("own_file.py", 0, path)  # it stands in for packages that are not installed
        in_package = self.relative(path).startswith("warp/_src")
        if in_package and (failed(second) or any(row["numbered"] for row in second)):
            member = [self.run("own_file.py", seed, "--package", path) for seed in (0, 1)]
            if not failed(member[1]):
                first, second = member
        if failed(first) or failed(second):
            return [(first if failed(first) else second)[0]]
        rows = []
        for a, b in zip(first, second, strict=True):
            a["unstable"] = [f for f in ("kernel", "name", "cuda", "cpu", "error") if a.get(f) != b.get(f)]
            rows.append(b | a)
        return rows

    def run(self, script, hash_seed, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder, "work")
            work.mkdir()
            out, complaints = pathlib.Path(folder, "out"), pathlib.Path(folder, "complaints")
            request = {"arguments": [str(a) for a in arguments], "folder": str(work), "stdout": str(out), "stderr": str(complaints)}
            status = self.server(script, hash_seed).ask(request | {"seconds": TIMEOUT_SECONDS})
            if status == signal.SIGALRM:
                return [{"error": f"no answer in {TIMEOUT_SECONDS} s"}]
            if status != 0:
                return [{"error": (complaints.read_text().strip().splitlines() or ["no message"])[-1]}]
            return [json.loads(line) for line in out.read_text().splitlines() if line.startswith('{"file": ')]

    def server(self, script, hash_seed):
        """The calling thread's own process that runs the script with this hash seed."""
        servers = self.of_thread.__dict__
        if (script, hash_seed) not in servers:
            env = os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONWARNINGS": "ignore"}
            env["WARP_CACHE_PATH"] = str(self.cache / "warp")
            servers[script, hash_seed] = Server([self.python, TOOLS / script, "--serve"], env)
        return servers[script, hash_seed]


class Server:
    """A process with Warp imported that runs a script on one file after the other, each in a fork of its own."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(
            command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def ask(self, request):
        """The exit status, as os.waitpid() gives it."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline() or -1)


def failed(rows):
    return len(rows) == 1 and "kernel" not in rows[0]


def class_of(row):
    if "error" in row:
        return "refused"
    if row["tile"]:
        return "tile"
    if row["made"]:
        return "made"
    if row["needs"]:
        return "foreign"
    if row["unstable"] or row["numbered"] or row["name"] not in row["cuda"] or row["name"] not in row["cpu"]:
        return "unstable"
    return "own"


def why(row):
    """Why a row is of no use for the comparison, in words."""
    if row["unstable"]:
        return "differs between two runs: " + ", ".join(row["unstable"])
    if row["numbered"]:
        return "functions numbered by what else was imported: " + ", ".join(row["numbered"])
    if row["needs"]:
        return "needs " + ", ".join(row["needs"])
    return "the name differs between the two devices"
