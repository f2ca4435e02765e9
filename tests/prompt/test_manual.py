#!/usr/bin/env python3
"""Manual pages and completions are made from the tables of the commands: complete, well formed, installed, and at work in a shell."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from prompt import ROOT, WEFT, command_names, expect, finish, options_of, run

MISSING = []  # tools that are not installed
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))


def test_pages(folder):
    done = run("man", "--all", folder)
    expect(done.returncode == 0, f"man --all: {done.err}")
    names = command_names()
    expect({p.name for p in folder.iterdir()} == {"weft.1"} | {f"weft-{name}.1" for name in names}, f"pages: {sorted(folder.iterdir())}")
    main = (folder / "weft.1").read_text()
    for name in names:
        expect(f"weft\\-{name} (1)" in main, f"weft.1 does not name {name}")
        text = (folder / f"weft-{name}.1").read_text()
        expect(text == run("man", name).out, f"weft man {name} prints another page")
        for _, option, _ in options_of(name):
            expect("\\fB\\-\\-" + option.replace("-", "\\-") + "\\fR" in text, f"weft-{name}.1 lacks --{option}")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
            expect(f".SH {section}\n" in text, f"weft-{name}.1 lacks {section}")
    for tool, command in (("mandoc", ["mandoc", "-Tlint", "-W", "warning"]), ("groff", ["groff", "-man", "-Tutf8", "-ww", "-z"])):
        if not shutil.which(tool):
            MISSING.append(tool)
            continue
        for page in sorted(folder.iterdir()):
            done = subprocess.run([*command, page], capture_output=True, text=True)
            expect(done.returncode == 0 and not done.stdout and not done.stderr, f"{tool} {page.name}: {done.stdout}{done.stderr}")


def bash_completes(script, line, cwd):
    """What bash offers at the end of a command line. Like readline, it takes '=' for the end of a word."""
    words = line.replace("=", " = ").split(" ") if "=" in line else line.split(" ")
    code = f"""source {script}
compopt() {{ :; }}
COMP_WORDS=({' '.join("'" + w + "'" for w in words)})
COMP_CWORD={len(words) - 1}
_weft
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, cwd=cwd)
    expect(done.returncode == 0 and not done.stderr, f"bash, {line!r}: {done.stderr}")
    return [word for word in done.stdout.splitlines() if word]


def test_bash(folder):
    script = folder / "weft.bash"
    script.write_text(run("completions", "bash").out)
    (folder / "a kernel.py").touch()
    (folder / "notes.txt").touch()
    (folder / "data").mkdir()
    expect(set(bash_completes(script, "weft ", folder)) == set(command_names()) | {"--help", "--version"}, "bash: commands")
    for line, offered in (
        ("weft ext", ["extract"]),
        ("weft extract --dev", ["--device"]),
        ("weft extract --device c", ["cuda", "cpu"]),
        ("weft extract -d ", ["cuda", "cpu", "both"]),
        ("weft extract --device=b", ["both"]),
        ("weft extract a", ["a kernel.py"]),
        ("weft extract -o n", ["notes.txt"]),
        ("weft extract n", []),
        ("weft stats ", ["data"]),
        ("weft produce -o ", ["data"]),
        ("weft produce --gradients m", ["marked"]),
        ("weft synth -c physics,geo", ["physics,geometry"]),
        ("weft synth -n ", []),
        ("weft bench ver", ["verify"]),
        ("weft help val", ["validate"]),
        ("weft completions ", ["bash", "zsh", "fish"]),
    ):
        got = bash_completes(script, line, folder)
        expect(sorted(got) == sorted(offered), f"bash, {line!r}: {got}, not {offered}")
    for name in command_names():
        offered = {word for word in bash_completes(script, f"weft {name} -", folder) if word.startswith("--")}
        expect(offered == {f"--{option}" for _, option, _ in options_of(name)}, f"bash, weft {name} -: {offered}")


def test_fish(folder):
    script = folder / "weft.fish"
    (folder / "data").mkdir()
    script.write_text(run("completions", "fish").out)
    if not shutil.which("fish"):
        return MISSING.append("fish")

    def offers(line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C {line!r}"], capture_output=True, text=True, cwd=folder)
        expect(done.returncode == 0 and not done.stderr, f"fish, {line!r}: {done.stderr}")
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    for line, offered in (("weft ext", ["extract"]), ("weft extract --dev", ["--device"]), ("weft extract -d c", ["cpu", "cuda"]),
                          ("weft produce --gradients m", ["marked"]), ("weft stats d", ["data/"]), ("weft synth -c physics,geo", ["physics,geometry"])):
        got = offers(line)
        expect(got == offered, f"fish, {line!r}: {got}, not {offered}")


def test_zsh(folder):
    script = folder / "_weft"
    script.write_text(run("completions", "zsh").out)
    if not shutil.which("zsh"):
        return MISSING.append("zsh")
    done = subprocess.run(["zsh", "-n", script], capture_output=True, text=True)
    expect(done.returncode == 0 and not done.stderr, f"zsh -n: {done.stderr}")
    code = f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; print $_comps[weft]"
    done = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True)
    expect(done.stdout == "_weft\n", f"zsh does not find the completion: {done.stdout}{done.stderr}")
    # As a person would: a terminal, a few letters, TAB.
    typed = f"""
zmodload zsh/zpty
zpty z 'TERM=dumb PS1= zsh -f -i'
zpty -w z 'fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; zstyle ":completion:*" verbose no; unsetopt zle_bracketed_paste; bindkey "^I" complete-word; print re""ady'
zpty -r z out '*ready*'
zpty -w -n z $'weft extract --devi\\t'
zpty -r -m z out '*--device*' && print FOUND
zpty -d z
"""
    done = subprocess.run(["timeout", "30", "zsh", "-f", "-c", typed], capture_output=True, text=True, cwd=folder)
    expect("FOUND" in done.stdout, f"zsh does not complete --devi: {done.stdout[-300:]} {done.stderr[-300:]}")


def test_install(folder):
    prefix = folder / "prefix"
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], capture_output=True, text=True)
    expect(done.returncode == 0, f"cmake --install: {done.stderr}")
    library = ["include/weft.h"] if (BUILD / "libweft.so").exists() else []  # builds under sanitizers have none
    for path in ("bin/weft", *library, "share/man/man1/weft.1", "share/man/man1/weft-extract.1", "share/bash-completion/completions/weft",
                 "share/zsh/site-functions/_weft", "share/fish/vendor_completions.d/weft.fish"):
        expect((prefix / path).is_file(), f"not installed: {path}")
    expect((prefix / "share/bash-completion/completions/weft").read_text() == run("completions", "bash").out, "another completion is installed")
    if shutil.which("man") and not done.returncode:
        shown = subprocess.run(["man", "-M", prefix / "share/man", "weft-extract"], capture_output=True, text=True, env=os.environ | {"MANPAGER": "cat", "MANWIDTH": "80"})
        expect(shown.returncode == 0 and "weft extract" in shown.stdout, f"man weft-extract: {shown.stderr}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="weft-manual-") as name:
        base = pathlib.Path(name)
        for test in (test_pages, test_bash, test_fish, test_zsh, test_install):
            (base / test.__name__).mkdir()
            test(base / test.__name__)
    finish(MISSING)
