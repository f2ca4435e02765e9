#!/usr/bin/env python3
"""Data sets and folders that somebody has prepared against us: nothing in them is run, nothing outside is written, nothing hangs.

Every test plants a canary: a file that must stay as it is, or one that must not come into being."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from sets import WEFT, check, contents, copy, edit_manifest, finish, forge, need_weft, parts, produce, read_records, sealed, weft, write_records

SET = ["-n", "6", "-s", "4", "-d", "both", "--no-compress", "--no-verify", "--splits", "70,20,10", "--shard-rows", "3", "--checkpoint", "2"]
PRECIOUS = "precious\n"


class Canary:
    """A file that must stay as it is, and a place where nothing must appear."""

    def __init__(self, work):
        self.file = work / "canary.txt"
        self.file.write_text(PRECIOUS)
        self.ran = work / "ran"

    def check(self, what):
        check(self.file.read_text() == PRECIOUS, f"{what}: the canary was overwritten")
        check(not self.ran.exists(), f"{what}: something of the data set was run")
        self.file.write_text(PRECIOUS)
        self.ran.unlink(missing_ok=True)


# ---- text that would run ----


def poison(folder, canary, field):
    """A record whose C++ runs a command when it is loaded; shards and manifest fit it."""
    shard = sorted(folder.glob("train-*"))[0]
    records = read_records(shard)
    code = f'struct canary {{ canary() {{ __builtin_system_("touch {canary.ran}"); }} }};'
    code = code.replace("__builtin_system_", "::system")
    records[0][field] = f'}}\n#include <cstdlib>\nnamespace evil {{ static {code} static canary bird; }}\nnamespace again {{\n' + records[0][field]
    write_records(shard, records)
    forge(folder)


def test_nothing_is_run(work, clean, canary):
    for field in ("cpp_forward", "cpp_backward", "cuda_forward", "python_source"):
        folder = copy(clean, work / "poisoned")
        poison(folder, canary, field)
        for call in (["validate", folder, "--compile"], ["gpu", "--cpu", folder, "--no-cache", "--keep", work / "kept"],
                     ["gpu", folder, "--no-cache", "--keep", work / "kept"]):
            done = weft(*call, timeout=300, cwd=work)
            check(done.returncode == 1 and "is compiled" in done.stderr, f"poisoned {field}, {call[0]}: {done.returncode} {done.stderr}")
            canary.check(f"poisoned {field}, {call[:2]}")
    folder = copy(clean, work / "poisoned")
    native = "@wp.func_native('''\nsystem(\"touch %s\");\n''')\ndef f(): ...\n\n\n" % canary.ran
    shard = sorted(folder.glob("train-*"))[0]
    records = read_records(shard)
    records[0]["python_source"] = native + records[0]["python_source"]
    write_records(shard, records)
    forge(folder)
    done = weft("gpu", "--cpu", folder, "--no-cache", "--keep", work / "kept", timeout=300)
    check(done.returncode == 1 and "nothing of this data set is compiled" in done.stderr, f"native code: {done.stderr}")
    canary.check("native code in python_source")
    folder = copy(clean, work / "changed")
    shard = sorted(folder.glob("train-*"))[0]
    data = bytearray(shard.read_bytes())
    data[-3] ^= 1
    shard.write_bytes(data)
    done = weft("gpu", "--cpu", folder, "--no-cache")
    check(done.returncode == 1 and done.stderr, f"a changed shard: {done.stderr}")
    edit_manifest(copy(clean, work / "foreign"), lambda text: re.sub(r'"weft_version": "[^"]*"', '"weft_version": "9.9"', text))
    done = weft("gpu", "--cpu", work / "foreign", "--no-cache")
    check(done.returncode == 1 and "nothing is compiled" in done.stderr, f"another version: {done.stderr}")


def say_version(headers):
    """The headers say that they are of the version whose text is compiled."""
    version = re.search(r"Warp ([\d.]+)", weft("--version").stdout)[1]
    (headers / "version.h").write_text(f'#define WP_VERSION_STRING "{version}"\n')


def test_headers(work, canary):
    """Neither a folder `warp` nor an environment of the current folder is taken for Warp."""
    for place in ("warp/native", ".venv/lib/python3.11/site-packages/warp/native", "venv/lib/python3.11/site-packages/warp/native"):
        current = work / "current"
        shutil.rmtree(current, ignore_errors=True)
        (current / place).mkdir(parents=True)
        (current / place / "builtin.h").write_text(f'#include <cstdlib>\nstatic int bird = ::system("touch {canary.ran}");\n#error canary\n')
        say_version(current / place)
        (current / place).parent.joinpath("__init__.py").write_text(f"import os\nos.system('touch {canary.ran}')\n")
        environment = {k: v for k, v in os.environ.items() if k != "VIRTUAL_ENV"} | {"PYTHONPATH": str(current)}
        done = weft("gpu", "--cpu", "--generate", "1", "--no-cache", "--keep", current / "kept", cwd=current, env=environment, timeout=300)
        check("canary" not in done.stderr + done.stdout, f"{place} is taken for Warp: {done.stderr}")
        canary.check(place)


# ---- names that lead elsewhere ----


def test_ids(work, clean, canary):
    outside = work / "outside"
    for name in ("../outside/escaped", "/tmp/weft-escaped", "..", "cuda_00000000", "cuda_1", "cuda_0000000\\u001b[2J", ""):
        outside.mkdir(exist_ok=True)
        folder = copy(clean, work / "ids")
        shard = sorted(folder.glob("train-*"))[0]
        text = shard.read_text()
        shard.write_text(re.sub(r'"id": "[^"]*"', lambda m: f'"id": "{name}"', text, count=1))
        forge(folder)
        for call in (["gpu", "--cpu", folder, "--no-cache", "--keep", work / "kept"], ["validate", folder], ["stats", folder]):
            done = weft(*call, timeout=300)
            if call[0] != "stats":
                check(done.returncode == 1, f"id {name!r} is taken by {call[0]}")
            check("\x1b" not in done.stdout + done.stderr, f"id {name!r} steers the terminal")
        check(not list(outside.iterdir()) and not pathlib.Path("/tmp/weft-escaped").exists(), f"id {name!r}: something was written outside")
        canary.check(f"id {name!r}")


def test_file_names(work, clean, canary):
    first = json.loads((clean / "manifest.json").read_text())["shards"][0]["file"]
    for name in ("../canary.txt", str(canary.file), "manifest.json", "..", "train-00000-of-00099.jsonl", "a" * 300, "train-*-of-00001.jsonl"):
        folder = copy(clean, work / "names")
        edit_manifest(folder, lambda text: text.replace(f'"{first}"', f'"{name}"'))
        for call in (["validate", folder], ["stats", folder], ["gpu", "--cpu", folder], ["produce", "-o", folder, *SET, "--resume"]):
            done = weft(*call)
            check(done.returncode == 1 and "is damaged" in done.stderr, f"file {name!r}, {call[0]}: {done.returncode} {done.stderr}")
            check(PRECIOUS.strip() not in done.stdout + done.stderr, f"file {name!r}: the canary was read")
        canary.check(f"file {name!r}")


# ---- numbers that do not fit ----


def test_pieces(work, canary):
    pieces = [work / f"piece{i}" for i in (1, 2, 3)]
    for i, piece in enumerate(pieces, 1):
        check(produce(piece, "-n", 6, "--no-verify", "--shard", f"{i}/3").returncode == 0, f"piece {i}")
    for pair in ("500000, 3", "0, 3", "4, 3", "-1, 3", "1e300, 3", "1, 1e300", "1.5, 3", "1, 0", "null, 3", "[1], 3", "1, 4294967299", "2147483648, 3"):
        bad = copy(pieces[0], work / "bad")
        edit_manifest(bad, lambda text: text.replace('"piece": [1, 3]', f'"piece": [{pair}]'))
        done = weft("merge", bad, pieces[1], pieces[2], "-o", work / "merged")
        check(done.returncode == 1 and done.stderr.startswith("weft merge:"), f"piece [{pair}]: {done.returncode} {done.stderr}")
        shutil.rmtree(work / "merged", ignore_errors=True)
    for i, piece in enumerate(pieces):  # twice the same, and one too few
        done = weft("merge", piece, piece, pieces[(i + 1) % 3], "-o", work / "merged")
        check(done.returncode == 1 and "the same piece" in done.stderr, f"twice the same piece: {done.stderr}")
    canary.check("pieces")


NUMBERS = ["-1", "0", "1e300", "-1e300", "1.5", "18446744073709551616", "9007199254740993", "null", "true", "[]", "{}", '"7"', "1e-300", "[" * 900 + "]" * 900]


def test_numbers(work, clean, canary):
    """Every number of the manifest, replaced by numbers that none can be."""
    text = (clean / "manifest.json").read_text()
    places = [m.span() for m in re.finditer(r"(?<=[:\[ ])-?\d+(?=[,\]}\n])", text)]
    check(len(places) > 40, f"only {len(places)} numbers")
    folder, tried = copy(clean, work / "numbers"), 0
    for number, (start, end) in enumerate(places):
        for step in range(3):
            value = NUMBERS[(number * 3 + step) % len(NUMBERS)]
            if value == text[start:end] or (value == "0" and re.search(r'"(launches": |splits": \[[\d, ]*)$', text[:start])):
                continue  # no launches and an empty split can be asked for: only a look into the records would tell
            (folder / "manifest.json").write_text(sealed(text[:start] + value + text[end:]))
            calls = (["validate", folder, "-j", 1, "--sample", 0], ["stats", folder], ["produce", "-o", folder, *SET, "--resume"])
            call = calls[(number + step) % 3] if step else calls[0]
            done = weft(*call)
            if call[0] != "stats":
                check(done.returncode == 1, f"{call[0]} takes {text[start - 30:start]!r} {value[:30]}: {done.stderr}")
            tried += 1
    print(f"{tried} odd numbers")
    canary.check("numbers")


# ---- links ----


def half(folder, *args):
    """A run that was ended half-way, behind a checkpoint, by a limit on the size of files: the smallest that lets one be reached."""
    import resource
    for size in range(8_000, 2_000_000, 8_000):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([WEFT, "produce", "-o", str(folder), *HALF, *args], capture_output=True,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        manifest = json.loads((folder / "manifest.json").read_text()) if (folder / "manifest.json").exists() else {}
        if manifest.get("rows"):
            break
    check(manifest.get("complete") is False, "the run was not ended half-way")


HALF = ["-n", "60", "--no-verify", "--splits", "80,10,10", "--shard-rows", "9", "--checkpoint", "7", "-s", "5"]


def test_links(work, canary):
    """A link where weft is going to write: what it points to stays as it is."""
    reference, start = work / "reference", work / "half"
    check(produce(reference, *HALF).returncode == 0, "the reference")
    half(start)
    folder = work / "linked"
    folder.mkdir()
    (folder / "manifest.json.tmp").symlink_to(canary.file)
    done = produce(folder, *HALF)
    check(done.returncode == 0 and contents(folder) == contents(reference), f"manifest.json.tmp: {done.stderr}")
    canary.check("manifest.json.tmp of a new folder")
    next_shard = f"train-{len(list(start.glob('train-*'))):05d}.jsonl.zst.part"
    names = [f"{n}.tmp" for n in ("manifest.json", "stats.json", "README.md", "LICENSE", "run.json")]
    names += ["stats.json", "README.md", "LICENSE", "run.json", next_shard, "details-" + next_shard.replace(".jsonl", ".ndjson"), "pending-40.jsonl", "pending-40.jsonl.tmp", ".weft-lock"]
    for name in names:
        for make in ("symlink", "hard link"):
            copy(start, folder)
            (folder / name).unlink(missing_ok=True)
            if make == "symlink":
                (folder / name).symlink_to(canary.file)
            else:
                os.link(canary.file, folder / name)
            done = produce(folder, *HALF, "--resume")
            canary.check(f"{make} {name}")
            if done.returncode == 0:
                (folder / ".weft-lock").unlink(missing_ok=True)
                check(contents(folder) == contents(reference), f"{make} {name}: other bytes")
            else:
                check(done.stderr.startswith("weft produce:"), f"{make} {name}: {done.stderr}")
    manifest = json.loads((start / "manifest.json").read_text())
    open_shard = next(shard["file"] for shard in manifest["shards"] if shard["file"].endswith(".part") and shard["bytes"])
    for make in ("symlink", "hard link"):  # an open shard itself, with just the bytes that the manifest names
        copy(start, folder)
        data = (folder / open_shard).read_bytes() + b"more"
        canary.file.write_bytes(data)
        (folder / open_shard).unlink()
        if make == "symlink":
            (folder / open_shard).symlink_to(canary.file)
        else:
            os.link(canary.file, folder / open_shard)
        done = produce(folder, *HALF, "--resume")
        check(done.returncode == 1, f"{make} {open_shard} is written to")
        check(canary.file.read_bytes() == data, f"{make} {open_shard}: the canary was cut")
        canary.file.write_text(PRECIOUS)


def test_single_files(work, canary):
    args = ["-n", "6", "--no-verify", "--format", "json", "--checkpoint", "2"]
    start, folder = work / "half-json", work / "linked-json"
    subprocess.run([WEFT, "produce", "-o", str(start), *args], capture_output=True)
    text = (start / "manifest.json").read_text()
    check('"complete": true' in text, "single files")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("cuda_synth_0000.json", "cuda_synth_0003.json"):
        (folder / name).symlink_to(canary.file)
    done = produce(folder, *args)
    check(done.returncode == 1, "a folder with links in it is taken for an empty one")
    canary.check("links of single files")


def test_evidence(work, clean, canary):
    """Where failures are kept: a link that has the name of a sample is not followed."""
    program = work / "wrong.py"
    program.write_text("import warp as wp\n\n\n@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = a[i] + 1.0\n")
    name = json.loads(weft("extract", program, "--json").stdout.splitlines()[0])["full_name"]
    keep, outside = work / "keep", work / "elsewhere"
    keep.mkdir()
    outside.mkdir()
    (keep / name).symlink_to(outside)
    headers = work / "headers"
    headers.mkdir()
    (headers / "builtin.h").write_text("#error there is nothing here\n")
    say_version(headers)
    done = weft("gpu", "--cpu", program, "--no-cache", "--keep", keep, "--warp-include", headers)
    check(done.returncode == 1, f"evidence: {done.stderr}")
    check(not list(outside.iterdir()), f"evidence went through a link: {list(outside.iterdir())}")
    canary.check("evidence")


# ---- outputs ----


def test_outputs(work, canary):
    source = work / "kernel.py"
    source.write_text("import warp as wp\n\n\n@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = 1.0\n")
    text = source.read_text()
    (work / "alias.py").symlink_to(source)
    for output in (source, work / "alias.py", work / "." / "kernel.py"):
        done = weft("extract", source, "-o", output)
        check(done.returncode == 2 and source.read_text() == text, f"extract onto its own input {output}: {done.returncode}")
    broken = work / "broken.py"
    broken.write_text("import warp as wp\n\n\n@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = nothing()\n")
    for what in (work / "nofile.py", broken):
        done = weft("extract", what, "-o", canary.file)
        check(done.returncode == 1, f"extract {what.name}")
        canary.check(f"extract {what.name} -o")
    done = weft("extract", source, "-o", canary.file)
    check(done.returncode == 0 and "__global__" in canary.file.read_text(), "extract -o")
    canary.file.write_text(PRECIOUS)
    import resource
    for call in (["extract", source, "-o", canary.file], ["synth", "-n", "50", "-o", canary.file]):
        subprocess.run([WEFT, *map(str, call)], capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        canary.check(f"{call[0]} on a full disk")
        left = [p.name for p in work.iterdir() if p.name.startswith(".canary")]
        for name in left:
            (work / name).unlink()


# ---- files that are none ----


def test_odd_files(work, clean, canary):
    calls = [["validate"], ["stats"], ["gpu", "--cpu"]]
    shard = sorted(clean.glob("train-*"))[0].name
    for name in ("manifest.json", "stats.json", "README.md", "LICENSE", shard):
        for kind in ("fifo", "folder", "device", "socket", "empty", "zeros", "deep"):
            folder = copy(clean, work / "odd")
            path = folder / name
            path.unlink()
            if kind == "fifo":
                os.mkfifo(path)
            elif kind == "folder":
                path.mkdir()
            elif kind == "device":
                path.symlink_to("/dev/zero")
            elif kind == "socket":
                import socket
                cwd = os.getcwd()
                os.chdir(folder)
                socket.socket(socket.AF_UNIX).bind(name)
                os.chdir(cwd)
            else:
                path.write_bytes({"empty": b"", "zeros": b"\0" * 5000, "deep": b"[" * 100000}[kind])
            for call in [*calls, ["produce", "-o"]]:
                done = weft(*call, folder, *(["--resume", *SET] if call[0] == "produce" else []), timeout=90)
                expected = name in ("manifest.json", shard) or call[0] in ("validate", "produce")
                check(done.returncode == 1 or not expected, f"{kind} as {name}: {call[0]} is content")
    canary.check("odd files")


def test_foreign_bytes(work, clean, canary):
    """A shard that is a link to a file of the user: nothing of it is shown."""
    folder = copy(clean, work / "spy")
    shard = sorted(folder.glob("train-*"))[0]
    shard.unlink()
    shard.symlink_to(canary.file)
    forge(folder)
    for call in (["validate", folder], ["stats", folder], ["gpu", "--cpu", folder]):
        done = weft(*call)
        check(done.returncode == 1 and PRECIOUS.strip() not in done.stdout + done.stderr, f"{call[0]} shows foreign bytes: {done.stderr}")
    canary.check("foreign bytes")


def main():
    on_clean = [test_ids, test_file_names, test_numbers, test_odd_files, test_foreign_bytes, test_nothing_is_run, test_evidence]
    tests = parts.chosen(*on_clean, test_headers, test_pieces, test_links, test_single_files, test_outputs)
    need_weft()
    with tempfile.TemporaryDirectory(prefix="weft-hostile-") as name:
        work = pathlib.Path(name)
        clean = work / "clean"
        canary = Canary(work)
        check(produce(clean, *SET).returncode == 0, "the clean set")
        check(weft("validate", clean).returncode == 0, "the clean set is valid")
        forge(copy(clean, work / "forged"))
        check(contents(work / "forged") == contents(clean), "forging what is right changes nothing")
        for test in tests:
            test(*((work, clean, canary) if test in on_clean else (work, canary)))
    return finish("hostile")


if __name__ == "__main__":
    sys.exit(main())
