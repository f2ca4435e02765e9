#!/usr/bin/env python3
"""The installed library: it shows the functions of weft.h and nothing else, and a C program outside of this tree builds with
it and runs, found by pkg-config (shared, static) and by CMake's find_package."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))

PROGRAM = r"""
#include <stdio.h>
#include <string.h>
#include <weft.h>

/* Names that the library has inside: they must not meet. */
int step(void) { return 1; }
int load(void) { return 2; }

int main(void)
{
    static const char source[] = "import warp as wp\n\n\n@wp.kernel\ndef twice(x: wp.array(dtype=float)):\n"
                                 "    i = wp.tid()\n    x[i] = 2.0 * x[i]\n";
    Weft *weft = weft_new(NULL);
    WeftResult *result = weft ? weft_compile(weft, "twice.py", source, strlen(source), NULL) : NULL;
    if (!result || weft_kernel_count(result) != 1 || weft_error_count(result) != 0)
        return 1;
    const char *text = weft_kernel_text(result, 0, WEFT_CUDA, WEFT_FORWARD, NULL);
    printf("%s %d\n", weft_kernel(result, 0)->key, strstr(text, "__global__") != NULL && step() + load() == 3);
    weft_result_free(result);
    weft_free(weft);
    return 0;
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(outside LANGUAGES C)
find_package(weft 0.1 REQUIRED)
add_executable(shared main.c)
target_link_libraries(shared PRIVATE weft::weft)
add_executable(static main.c)
target_link_libraries(static PRIVATE weft::static)
"""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(str(word) for word in words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbols(*words):
    return sorted({line.split()[-1].split("@")[0] for line in run("nm", *words).splitlines() if len(line.split()) == 3})


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, expected {wanted}")


def pkg_config(lib, *options):
    env = dict(os.environ, PKG_CONFIG_PATH=str(lib / "pkgconfig"))
    return run("pkg-config", "--define-prefix", *options, "weft", env=env).split()


def main():
    missing = [tool for tool in ("cc", "nm", "cmake", "pkg-config") if not shutil.which(tool)]
    if missing or not (BUILD / "libweft.so").exists():
        print("skipped:", "no libweft in the build folder" if not missing else f"{missing} missing")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-library-") as name:
        folder = pathlib.Path(name)
        run("cmake", "--install", BUILD, "--prefix", folder / "usr", "--component", "library")
        lib = next((folder / "usr").rglob("libweft.a")).parent
        declared = sorted(set(re.findall(r"^[A-Za-z].*?\b(weft_\w+)\(", (ROOT / "include/weft.h").read_text(), re.M)))
        expect("functions of libweft.a", symbols("-g", "--defined-only", lib / "libweft.a"), declared)
        expect("functions of libweft.so", symbols("-D", "--defined-only", lib / "libweft.so"), declared)

        source = folder / "main.c"
        source.write_text(PROGRAM)
        flags = pkg_config(lib, "--cflags", "--libs")
        run("cc", "-o", folder / "shared", source, *flags)
        env = dict(os.environ, LD_LIBRARY_PATH=str(lib))
        expect("pkg-config", run(folder / "shared", env=env), "twice 1\n")

        alone = folder / "alone" / lib.relative_to(folder / "usr")  # without the shared one, -lweft is the static one
        shutil.copytree(folder / "usr", folder / "alone")
        for shared in alone.glob("libweft.so*"):
            shared.unlink()
        run("cc", "-o", folder / "static", source, *pkg_config(alone, "--cflags", "--static", "--libs"))
        expect("pkg-config --static", run(folder / "static"), "twice 1\n")

        project = folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(CMAKE)
        shutil.copy(source, project)
        run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={folder / 'usr'}")
        run("cmake", "--build", project / "build")
        for kind in ("shared", "static"):
            expect(f"find_package, {kind}", run(project / "build" / kind), "twice 1\n")
    print(f"{len(declared)} functions; pkg-config shared and static, find_package shared and static: all run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
