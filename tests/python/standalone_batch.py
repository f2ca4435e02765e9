"""Many standalone programs built in one call of g++: each in a namespace of its own, all of them run by one main()."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = pathlib.Path(os.environ.get("WEFT", ROOT / "build" / "weft"))
SHIM = ROOT / "share" / "weft_cpu_shim.h"
FLAGS = ["-std=c++17", "-O0", "-Wall", "-Werror", "-ffp-contract=off", "-iquote", str(SHIM.parent)]
BATCH = 40

HEAD = """#include "{shim}"
#include <cassert>
#include <type_traits>
#include <unistd.h>
#define main program_main
"""

MAIN = """#undef main
#include <sys/wait.h>
int main()
{{
    int (*const programs[])(int, char **) = {{{programs}}};
    char name[] = "program", *arguments[] = {{name, nullptr}};
    for (int i = 0; i < {count}; ++i) {{
        printf("program %d\\n", i);
        fflush(stdout);
        pid_t child = fork(); /* a trap ends its own program only */
        if (child == 0) {{
            alarm(20);
            int code = programs[i](1, arguments);
            fflush(stdout);
            _exit(code);
        }}
        int status = 0;
        waitpid(child, &status, 0);
        printf("\\ncode %d\\n", status);
    }}
}}
"""


def weft(*arguments, check=True):
    return subprocess.run(
        [WEFT, "standalone", *map(str, arguments)], check=check, capture_output=True, text=True, timeout=500
    )


def folders_of(output):
    return sorted(p for p in pathlib.Path(output).iterdir() if p.is_dir())


def build_and_run(number, folders, scratch, flags, environment):
    """{folder: (exit status, what it printed)} of some programs."""
    source = scratch / f"batch{number}.cpp"
    with open(source, "w") as out:
        out.write(HEAD.format(shim=SHIM))
        for i, folder in enumerate(folders):
            program = next(folder.glob("*.cu"))
            # A min() of the program's own would hide those of CUDA.
            out.write(f"namespace program{i} {{\nusing ::max;\nusing ::min;\n")
            out.write(f'#line 1 "{program}"\n{program.read_text()}\n}}\n#undef CHECK\n')
        names = ", ".join(f"program{i}::program_main" for i in range(len(folders)))
        out.write(MAIN.format(programs=names, count=len(folders)))
    binary = source.with_suffix("")
    built = subprocess.run(
        ["g++", *FLAGS, *flags, source.name, "-o", binary.name, "-lm"],
        cwd=scratch, capture_output=True, text=True, timeout=580,
    )
    if built.returncode:
        if len(folders) == 1:
            return {folders[0]: (-1, f"does not build without warnings:\n{built.stderr[:3000]}")}
        results = {}  # which of them?
        for half in (folders[: len(folders) // 2], folders[len(folders) // 2 :]):
            results |= build_and_run(f"{number}_{len(half)}_{half[0].name}", half, scratch, flags, environment)
        return results
    results = {folder: (-1, "it did not run") for folder in folders}
    for variables in environment:
        ran = subprocess.run(
            [binary], cwd=scratch, capture_output=True, text=True, timeout=580, env=os.environ | variables
        )
        for part in re.split(r"^program ", ran.stdout, flags=re.M)[1:]:
            head, _, rest = part.partition("\n")
            text, _, code = rest.rpartition("\ncode ")
            folder, code = folders[int(head)], int(code)
            known = results[folder]
            if known[0] in (0, -1) and not (known[0] == -1 and known[1] != "it did not run"):
                results[folder] = (code, f"{variables or ''} {text.strip()}")
    return results


def run_programs(folders, scratch, flags=(), environment=({},)):
    """Builds and runs the programs of these folders, once with each set of environment variables; the first failure counts."""
    scratch = pathlib.Path(scratch)
    batches = [folders[i : i + BATCH] for i in range(0, len(folders), BATCH)]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for made in pool.map(
            lambda pair: build_and_run(pair[0], pair[1], scratch, list(flags), environment), enumerate(batches)
        ):
            results |= made
    return results


def report(results):
    """Prints the programs that fail; how many."""
    failed = [(folder, *result) for folder, result in results.items() if result[0] or "PASS" not in result[1]]
    for folder, code, text in failed[:20]:
        print(f"{folder.name}: exit status {code}: {text[:800]}")
    return len(failed)


def has_backward(folder):
    return json.loads((folder / "metadata.json").read_text())["has_backward"]
