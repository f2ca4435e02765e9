#!/usr/bin/env python3
"""Compiles records from their own text and Warp's headers alone: C++ with g++, CUDA with NVRTC, as Warp does. No GPU is needed.

    python3 compile_record.py FILE.jsonl[.zst] WARP/native [libnvrtc.so]      exit code 0: all of them compile

With NVRTC, cuda_readable is compiled, too; weft_math.cuh, which it includes, stands beside FILE in a data set.
"""
import ctypes, json, pathlib, subprocess, sys  # noqa: E401

path, headers, *library = sys.argv[1:]
nvrtc = ctypes.CDLL(library[0]) if library else None


def compile_cpp(text):
    return subprocess.run(["g++", "-std=c++17", "-w", "-x", "c++", "-c", "-I", headers, "-o", "/dev/null", "-"], input=text, text=True).returncode


def compile_cuda(text, include=headers):
    program, flags = ctypes.c_void_p(), [b"--std=c++17", b"--gpu-architecture=sm_80", b"-default-device", b"-w", f"-I{include}".encode()]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"record.cu", 0, None, None)
    code = nvrtc.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
    return nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) or code


def lines_of(path):
    return map(json.loads, subprocess.run(["zstd", "-dcqf", path], check=True, capture_output=True).stdout.splitlines())


def records_of(path):
    """The records of a file, with the details that stand beside it, which have the same order."""
    details = pathlib.Path(path).with_name("details-" + pathlib.Path(path).name.replace(".jsonl", ".ndjson"))
    if not details.exists():
        return lines_of(path)
    return ({**record, **more} for record, more in zip(lines_of(path), lines_of(details)))


failed = compiled = 0
for record in records_of(path):
    for language, compiler in [("cpp", compile_cpp)] + [("cuda", compile_cuda)] * bool(nvrtc):
        if record.get(f"{language}_forward") is not None:
            code = compiler("".join(record.get(f"{language}_{part}") or "" for part in ("includes", "helpers", "forward", "backward")))
            compiled, failed = compiled + 1, failed + (code != 0)
            print(f"{record['id']}: the {language} text does not compile" if code else "", end="\n" if code else "")
    if nvrtc and record.get("cuda_readable"):
        code = compile_cuda(record["cuda_readable"], pathlib.Path(path).parent)
        compiled, failed = compiled + 1, failed + (code != 0)
        print(f"{record['id']}: cuda_readable does not compile" if code else "", end="\n" if code else "")
print(f"{compiled - failed} of {compiled} texts compile")
sys.exit(failed != 0)
