"""A build in which a random sample of mutants is compiled in, each switched on by an environment variable.

    DIR/tree            the project with changed sources, and its build folder
    DIR/mutants.json    the mutants: file, line, what is changed
    DIR/tests.json      the tests, as CTest knows them
    DIR/lib             shared libraries that the programs need
    DIR/bin             zstd, for machines without it
    DIR/run.py          runs the tests; needs nothing else of this project
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

import c_syntax
import operators

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROOMS = ["src/check", "src/corpus", "src/standalone", "src/gpu/compare.c", "src/ir", "src/emit", "src/eval"]
# What is not defined in C ends the program, as under `make asan`, which runs the same tests.
TRAPS = "-fsanitize=bounds,shift,signed-integer-overflow,bool,pointer-overflow,nonnull-attribute -fsanitize-undefined-trap-on-error"
DOZEN = 12
INVALID = ["-fsyntax-only", "-Werror=int-conversion", "-Werror=incompatible-pointer-types", "-Werror=int-to-pointer-cast"]


class Place:
    """Somewhere in a file, and the changes that are possible there."""

    def __init__(self, file, changes):
        self.file, self.changes = file, changes


def fail(message):
    sys.exit(f"mutants: {message}")


# ---- places ----


def room_files(rooms):
    for room in rooms:
        path = ROOT / room
        if path.is_file():
            yield room
        elif path.is_dir():
            files = sorted(p for p in path.rglob("*") if p.suffix in (".c", ".inc"))
            yield from (str(p.relative_to(ROOT)) for p in files)
        else:
            fail(f"no {room} here")


def find_places(rooms):
    """All places of the rooms, in the order of files and offsets; and how many statements were not understood."""
    sources = [p for folder in ("src", "include") for p in (ROOT / folder).rglob("*.[ch]")]
    types = c_syntax.type_names(p.read_text() for p in sources)
    zeros = c_syntax.zero_enumerators(p.read_text() for p in sources)
    places, skipped = [], 0
    for file in room_files(rooms):
        text = (ROOT / file).read_text()
        parser = c_syntax.Parser(text, types)
        groups = {}
        for function in parser.functions():
            for change in operators.Changes(text, zeros).collect(function):
                groups.setdefault((change.node.start, -change.node.end), []).append(change)
        places += [Place(file, groups[key]) for key in sorted(groups)]
        skipped += parser.skipped
    return places, skipped


# ---- changed text ----


def instrument(text, chosen):
    """The text with the chosen changes {id: change} as alternatives."""
    groups = {}
    for number, change in chosen.items():
        groups.setdefault((change.node.start, -change.node.end), []).append((number, change))
    order = sorted(groups)

    def render(start, end, index):
        """The text from start to end with the groups from index on; returns it and the next group after end."""
        out, at = [], start
        while index < len(order) and order[index][0] < end:
            begin, stop = order[index][0], -order[index][1]
            inner, following = render(begin, stop, index + 1)
            out += [text[at:begin], alternatives(groups[order[index]], inner)]
            at, index = stop, following
        out.append(text[at:end])
        return "".join(out), index

    return render(0, len(text), 0)[0]


def alternatives(group, original):
    if group[0][1].form == "statement":
        out = original
        for number, change in group:
            out = f"{{ if (WEFT_AT({number})) {{ {change.text} }} else {{ {out} }} }}"
        return out
    chain = "".join(f"WEFT_AT({number}) ? ({flat(change.text)}) : " for number, change in group)
    return f"({chain}({original}))"


def flat(text):
    return " ".join(text.split("\n"))


# ---- does it compile? ----


class Compiler:
    """Says which changes compile. A file that is included is compiled with those that include it."""

    def __init__(self, tree):
        self.tree = tree
        commands = json.loads((tree / "build/compile_commands.json").read_text())
        self.commands = {}
        for entry in commands:
            file = str(pathlib.Path(entry["file"]).resolve().relative_to(tree))
            words = [w for w in shlex.split(entry["command"]) if not w.startswith("-W") and w != "-w"]
            out = words.index("-o")
            self.commands[file] = (entry["directory"], words[:out] + words[out + 2 :])
        self.users = {}
        for file in self.commands:
            for name in re.findall(r'#(?:include|define TREE_BODY)\s+"([^"]+\.inc)"', (tree / file).read_text()):
                self.users.setdefault("src/" + name, []).append(file)

    def units(self, file):
        return [file] if file in self.commands else self.users.get(file, [])

    def compiles(self, file, chosen):
        """Whether the file compiles with these changes, somewhere beside the tree."""
        text = instrument((ROOT / file).read_text(), chosen)
        scratch = self.tree.parent / "scratch" / re.sub(r"\W", "_", f"{file}_{min(chosen)}")
        (scratch / file).parent.mkdir(parents=True, exist_ok=True)
        (scratch / file).write_text(text)
        try:
            return all(self.unit_compiles(unit, file, scratch) for unit in self.units(file)) and bool(self.units(file))
        finally:
            shutil.rmtree(scratch)

    def unit_compiles(self, unit, file, scratch):
        directory, words = self.commands[unit]
        source = scratch / unit
        if unit != file:
            shutil.copy(ROOT / unit, source)
        words = [words[0], *INVALID, f"-I{scratch / 'src'}", *words[1:-1], str(source)]
        return subprocess.run(words, cwd=directory, capture_output=True).returncode == 0

    def valid(self, file, chosen):
        """Those of the changes {id: change} of a file that compile."""
        if self.compiles(file, chosen):
            return dict(chosen)
        if len(chosen) == 1:
            return {}
        numbers = sorted(chosen)
        half = len(numbers) // 2
        found = {}
        for part in (numbers[:half], numbers[half:]):
            found |= self.valid(file, {n: chosen[n] for n in part})
        return found


# ---- the sample ----


def draw(places, seed, count, compiler, jobs):
    """count mutants, each at a place of its own: [(file, change)]. Places are drawn at random, all alike; so is the change
    at a place, of those that compile."""
    rng = random.Random(seed)
    order = rng.sample(range(len(places)), len(places))
    options = {}
    for index in order:
        options[index] = rng.sample(places[index].changes, len(places[index].changes))
    accepted, refused, waiting = [], 0, order
    while len(accepted) < count and waiting:
        batch, waiting = waiting[: count - len(accepted)], waiting[count - len(accepted) :]
        left = set(batch)
        good = {}
        while left:
            by_file = {}
            for index in left:
                by_file.setdefault(places[index].file, {})[index] = options[index][0]
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for found in pool.map(lambda item: compiler.valid(*item), by_file.items()):
                    good |= found
            refused += sum(index not in good for index in left)
            left = {i for i in left if i not in good and len(options[i]) > 1}
            for index in left:
                options[index].pop(0)
        accepted += [(places[i].file, good[i]) for i in batch if i in good]
    return accepted, refused


def describe(number, file, change):
    text = (ROOT / file).read_text()
    line = text.count("\n", 0, change.node.start) + 1
    column = change.node.start - text.rfind("\n", 0, change.node.start)
    show = lambda part: " ".join(part.split())[:160]
    was = text[change.node.start : change.node.end]
    return {
        "id": number, "file": file, "line": line, "column": column, "what": change.what,
        "was": show(was), "becomes": show(change.text), "context": show(text.split("\n")[line - 1]),
    }  # fmt: skip


# ---- the build ----


def project_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    return sorted(name for name in set(listed.stdout.decode().split("\0")) if name and (ROOT / name).is_file())


def fingerprint(seed, count, rooms):
    """Of a sample and of all that it is made from."""
    digest = hashlib.sha256(repr((seed, count, rooms)).encode())
    for name in project_files():
        digest.update(name.encode() + b"\0" + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return digest.hexdigest()


def copy_tree(tree):
    for name in project_files():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    for environment in ROOT.glob(".venv*"):
        (tree / environment.name).symlink_to(environment.resolve())
    if (ROOT / "build/oracle-cache").exists():
        shutil.copytree(ROOT / "build/oracle-cache", tree / "build/oracle-cache")


def call(*words, cwd=None):
    done = subprocess.run(list(map(str, words)), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout[-4000:])
        fail(f"this failed: {' '.join(map(str, words))}")
    return done.stdout


def configure(tree, count):
    header = tree / "tools/mutation/runtime.h"
    launcher = shutil.which("ccache")
    call(
        "cmake", "-G", "Ninja", "-S", tree, "-B", tree / "build", "-DWEFT_LTO=OFF", "-DWEFT_WERROR=OFF",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG -w {TRAPS}",
        f"-DCMAKE_C_FLAGS=-include {header}", "-DCMAKE_EXE_LINKER_FLAGS=-s",
        *([f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"] if launcher else []),
    )  # fmt: skip
    runtime = (HERE / "runtime.c").read_text()
    (tree / "src/base/mutation_runtime.c").write_text(f"#define WEFT_MUTANTS {count}\n{runtime}")
    call("cmake", tree / "build")
    targets = call("ninja", "-C", tree / "build", "-t", "targets", "all").splitlines()
    generated = [t.split(":")[0] for t in targets if t.startswith("generated/")]
    call("ninja", "-C", tree / "build", *generated)


def gather_libraries(tree, folder):
    """Shared libraries of the programs, but those of the C library itself, so that they run on a machine without them."""
    (folder / "lib").mkdir(exist_ok=True)
    (folder / "bin").mkdir(exist_ok=True)
    programs = [p for p in (tree / "build").rglob("*") if p.is_file() and os.access(p, os.X_OK) and "CMakeFiles" not in p.parts]
    if shutil.which("zstd"):
        programs.append(shutil.copy(shutil.which("zstd"), folder / "bin"))
    for program in programs:
        listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
        for name, path in re.findall(r"(\S+) => (/\S+)", listed):
            if not re.match(r"lib(c|m|dl|rt|pthread)\.so|ld-linux", name):
                shutil.copy(path, folder / "lib" / name)


def list_tests(tree):
    listed = json.loads(call("ctest", "--test-dir", tree / "build", "--show-only=json-v1"))
    tests = []
    for test in listed["tests"]:
        values = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "gpu" in values.get("LABELS", []):
            continue
        words = [w.replace(str(tree), "@TREE@") for w in test["command"]]
        if re.search(r"/python3[\d.]*$", words[0]):
            words[0] = "python3"
        environment = dict(e.replace(str(tree), "@TREE@").split("=", 1) for e in values.get("ENVIRONMENT", []))
        tests.append({"name": test["name"], "command": words, "environment": environment, "cost": values.get("COST", 0)})
    return [part for test in tests for part in parts_of(test, tree)]


def parts_of(test, tree):
    """A test as several that take less time each, and reach less: those that name parts (tests/python/parts.py), and commands by the dozen."""
    script = next((pathlib.Path(w.replace("@TREE@", str(tree))) for w in test["command"] if w.endswith(".py")), None)
    parts = []
    if script and "parts.chosen(" in (tree / script).read_text():
        parts = [[name] for name in call(sys.executable, tree / script, "--parts").split()]
    elif test["name"] == "cli":
        names = sorted(p.stem for p in (tree / "tests/cli").glob("*.cmd"))
        parts = [names[i : i + DOZEN] for i in range(0, len(names), DOZEN)]
    named = [test | {"name": f"{test['name']}:{words[0]}", "command": test["command"] + words} for words in parts]
    return [part | {"cost": test["cost"] / len(parts)} for part in named] or [test]


def prepare(folder, seed, count, rooms, jobs, renew=()):
    folder = pathlib.Path(folder).resolve()
    key = fingerprint(seed, count, rooms)
    if (folder / "mutants.json").exists() and json.loads((folder / "mutants.json").read_text()).get("key") == key:
        print(f"mutants: {folder} is ready already")
        return
    shutil.rmtree(folder, ignore_errors=True)
    tree = folder / "tree"
    tree.mkdir(parents=True)
    places, skipped = find_places(rooms)
    changes = sum(len(p.changes) for p in places)
    print(f"mutants: {len(places)} places with {changes} changes; {skipped} statements not understood", flush=True)
    copy_tree(tree)
    configure(tree, count)
    chosen, refused = draw(places, seed, count, Compiler(tree), jobs)
    print(f"mutants: {len(chosen)} drawn with seed {seed}; {refused} more do not compile", flush=True)
    mutants = [describe(number, file, change) for number, (file, change) in enumerate(chosen)]
    by_file = {}
    for number, (file, change) in enumerate(chosen):
        by_file.setdefault(file, {})[number] = change
    for file, own in by_file.items():
        (tree / file).write_text(instrument((ROOT / file).read_text(), own))
    call("cmake", "--build", tree / "build", "-j", jobs)
    gather_libraries(tree, folder)
    if renew:
        call("env", f"WEFT={tree}/build/weft", f"WEFT_BUILD={tree}/build", sys.executable, tree / "tests/pinned/run.py", *renew, "--update")
    about = {"key": key, "seed": seed, "rooms": rooms, "places": len(places), "changes": changes, "mutants": mutants}
    (folder / "tests.json").write_text(json.dumps(list_tests(tree), indent=1))
    shutil.copy(HERE / "run.py", folder / "run.py")
    shutil.rmtree(folder / "scratch", ignore_errors=True)
    for part in (tree / "build").rglob("CMakeFiles"):
        shutil.rmtree(part, ignore_errors=True)
    for name in ("libweft_internal.a", "weft.o", "build.ninja", ".ninja_deps", ".ninja_log"):
        (tree / "build" / name).unlink(missing_ok=True)
    (folder / "mutants.json").write_text(json.dumps(about, indent=1))


# ---- for another machine ----

RUN = """#!/bin/bash
# run.sh [JOBS] [SECONDS] [OPTIONS OF run.py]: judges the mutants on this machine, which needs Python 3 alone (with g++, more tests run).
# What is known after SECONDS is copied to $OUT, or beside this file where that is not set; the same command goes on from there.
cd "$(dirname "$0")" || exit 1
work=${TMPDIR:-/tmp}/weft-mutants-@KEY@ out=${OUT:-$PWD}
if [ ! -e "$work/ready" ]; then
    mkdir -p "$work" && tar -xzf mutants.tar.gz -C "$work" && touch "$work/ready" || exit 1
fi
for name in baseline.json results.jsonl; do
    if [ -e "$name" ] && [ ! -e "$work/$name" ]; then cp "$name" "$work/"; fi
done
python3 "$work/run.py" --jobs "${1:-$(nproc)}" --seconds "${2:-540}" --copies "$out" "${@:3}"
code=$?
for name in baseline.json results.jsonl report.txt report.json; do
    if [ -e "$work/$name" ]; then cp "$work/$name" "$out/"; fi
done
exit $code
"""


def pack(folder, target):
    """All of a prepared folder in one archive, and run.sh that unpacks it somewhere and runs it."""
    folder, target = pathlib.Path(folder), pathlib.Path(target)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    mine = lambda item: None if "/.venv" in item.name or "/.git" in item.name else item
    with tarfile.open(target / "mutants.tar.gz", "w:gz", compresslevel=6) as archive:
        for name in ("tree", "lib", "bin", "mutants.json", "tests.json", "run.py"):
            archive.add(folder / name, name, filter=mine)
    key = json.loads((folder / "mutants.json").read_text())["key"][:12]
    (target / "run.sh").write_text(RUN.replace("@KEY@", key))
    (target / "run.sh").chmod(0o755)
    return (target / "mutants.tar.gz").stat().st_size
