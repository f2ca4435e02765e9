#!/usr/bin/env python3
"""tools/run_programs.py tells programs that pass from those that fail, crash, warn or do not compile, in a folder and in an archive,
and goes on behind what its log has."""

import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "run_programs.py"
PROGRAMS = {
    "right": 'int main() { puts("PASS"); }',
    "wrong": 'int main() { puts("y: off by 2"); puts("FAIL"); return 1; }',
    "silent": "int main() { return 0; }",
    "crash": 'int main() { puts("PASS"); fflush(stdout); abort(); }',
    "warning": 'int main() { int unused; puts("PASS"); }',
    "broken": "int main() { return nothing; }",
}
EXPECTED = {
    "wrong": "FAIL: exit code 1: y: off by 2", "silent": "FAIL: exit code 0", "crash": "FAIL: exit code -6",
    "warning": "does not build", "broken": "does not build",
}  # fmt: skip


def run(*words):
    return subprocess.run([sys.executable, TOOL, *map(str, words), "--jobs", "2"], capture_output=True, text=True, timeout=120)


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in PROGRAMS.items():
            (folder / "set" / name).mkdir(parents=True)
            (folder / "set" / name / f"{name}.cu").write_text(f"#include <cstdio>\n#include <cstdlib>\n{text}\n")
        done = run(folder / "set", "--log", folder / "log")
        for name, words in EXPECTED.items():
            assert f"g++ set/{name}: {words}" in done.stdout, (name, done.stdout)
        assert done.stdout.endswith("g++: 6 programs: 1 PASS, 3 FAIL, 2 do not build, 0 not tried\n") and done.returncode == 1, done.stdout

        (folder / "log").write_text("".join(line for line in (folder / "log").read_text().splitlines(True) if '"right"' not in line) + '["g+')
        for name in PROGRAMS:  # all that the log does not know is tried, and nothing else
            (folder / "set" / name / f"{name}.cu").write_text(f'#include <cstdio>\n{PROGRAMS["right"]}\n')
        again = run(folder / "set", "--log", folder / "log")
        assert again.stdout == done.stdout, again.stdout
        assert run(folder / "set", "--seconds", "0").stdout.endswith("0 PASS, 0 FAIL, 0 do not build, 6 not tried\n")

        with tarfile.open(folder / "two.tar.gz", "w:gz") as archive:
            for name in ("right", "wrong"):
                archive.add(folder / "set" / name, name)
        packed = run(folder / "two.tar.gz")
        assert packed.returncode == 0 and "2 programs: 2 PASS" in packed.stdout, packed.stdout
        (folder / "empty").mkdir()
        assert run(folder / "empty").returncode == 1
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
