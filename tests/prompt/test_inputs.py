#!/usr/bin/env python3
"""Several files and folders as inputs, and what JSON says about each kernel: which file, which kernel, and why it was refused."""

import json
import os
import pathlib
import tempfile

from prompt import ROOT, SAXPY, expect, finish, run

KERNEL = "import warp as wp\n\n\n@wp.kernel\ndef {name}(x: wp.array(dtype=float)):\n    x[wp.tid()] = {value}\n"
# (path, kernel, what it stores); `missing` is refused
FILES = [("b.py", "second", "2.0"), ("a.py", "first", "1.0"), ("b/z.py", "inner", "missing"), ("b/.hidden/c.py", "hidden", "3.0"),
         ("__pycache__/d.py", "cached", "4.0"), ("notes.txt", "text", "5.0"), ("c/d/e/deep.py", "deep", "6.0")]
FOUND = [("a.py", "first"), ("b.py", "second"), ("b/z.py", "inner"), ("c/d/e/deep.py", "deep")]


def make(folder):
    for path, name, value in FILES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(KERNEL.format(name=name, value=value))
    (folder / "module_without_kernels.py").write_text("import warp as wp\n")
    os.symlink(folder, folder / "c" / "loop")


def records(*call):
    done = run(*call, "--json")
    return done.returncode, [json.loads(line) for line in done.out.splitlines()], done.err


def test_folders(folder):
    """Folders are searched in a sorted order, whatever else is in them."""
    order = sorted(FOUND, key=lambda f: f[0].split("/"))
    for command in (["extract"], ["check"], ["bench", "extract", "--repeat", "1"]):
        code, rows, err = records(*command, folder)
        got = [(str(pathlib.Path(row["file"]).relative_to(folder)), row["kernel_name"]) for row in rows]
        expected = sorted(order, key=lambda f: f[1] != "inner") if command[0] == "bench" else order  # times come after all refusals
        expect(got == expected, f"{command}: {got}, not {expected}")
        expect(code == 1 and "'missing' is not defined" in err, f"{command}: exit code {code}: {err}")
        refused = [row for row in rows if "error" in row]
        expect([row["kernel_name"] for row in refused] == ["inner"] and refused[0]["error"]["line"] == 6, f"{command}: {refused}")
        full = [row.get("full_name", "") for row in rows if "error" not in row]
        expect(all(name.startswith(row["kernel_name"] + "_") for name, row in zip(full, (r for r in rows if "error" not in r))), f"{command}: {full}")


def test_several(folder):
    _, rows, _ = records("extract", folder / "b.py", SAXPY, folder / "c")
    expect([row["kernel_name"] for row in rows][0] == "second" and rows[-1]["kernel_name"] == "deep", f"several: {[r['file'] for r in rows]}")
    code, rows, err = records("extract", folder, "-k", "deep")
    expect(code == 0 and [row["kernel_name"] for row in rows] == ["deep"] and not err, f"-k deep: {code} {rows} {err}")
    code, rows, err = records("extract", folder / "a.py", folder / "b.py", "-k", "nope")
    expect(code == 1 and rows[0]["error"]["message"] == "there is no kernel 'nope' in any of the files", f"-k nope: {code} {rows} {err}")
    code, rows, err = records("extract", folder / "a.py", folder / "gone.py", folder / "b.py")
    expect(code == 1 and [row.get("kernel_name") for row in rows] == ["first", None, "second"] and "gone.py" in err, f"a missing file: {code} {rows} {err}")
    expect(rows[1]["file"].endswith("gone.py") and rows[1]["error"]["message"] == "the file cannot be read", f"a missing file: {rows[1]}")
    programs = folder / "programs"
    done = run("standalone", folder / "a.py", folder / "c", "-o", programs)
    expect(done.returncode == 0 and {"first", "deep"} <= {p.name for p in programs.iterdir()}, f"standalone: {done.err}")


def test_kernel_name(folder):
    """One meaning of kernel_name in all records: the name in the source."""
    synth = json.loads(run("synth", "--json").out)
    (folder / "synth.py").write_text(run("synth").out)
    for command in ("extract", "check"):
        _, rows, _ = records(command, folder / "synth.py")
        expect([row["kernel_name"] for row in rows] == [synth["kernel_name"]], f"{command}: {rows}")


def test_odd_names(folder):
    """A file's name need not be UTF-8; JSON must be."""
    odd = os.fsencode(folder) + b"/\xff\xc3\xa9\"\n.py"
    with open(odd, "w") as file:
        file.write(KERNEL.format(name="odd", value="1.0"))
    done = run("extract", os.fsdecode(odd), "--json")
    text = done.stdout.decode("utf-8")  # strictly
    expect(json.loads(text)["file"].endswith('/�é"\n.py'), f"odd name: {text[:200]}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-inputs-") as name:
        folder = pathlib.Path(name).resolve()
        make(folder)
        test_folders(folder)
        test_several(folder)
        test_kernel_name(folder)
        test_odd_names(folder)
    finish()


if __name__ == "__main__":
    main()
