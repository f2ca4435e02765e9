#!/usr/bin/env python3
"""Compiles records and runs them on their own launches, from their columns and Warp's headers alone: values and gradients must be theirs.

    python3 run_record.py FILE.jsonl[.zst] WARP/native [--cuda | --compile-cuda] [--nvrtc FILE] [--driver FILE] [--arch sm_80]

Without a flag, the C++ texts run on the CPU (g++). --cuda runs the CUDA texts on a GPU, with NVRTC and the driver. --compile-cuda needs no
GPU: NVRTC compiles the CUDA texts and cuda_readable, with weft_math.cuh beside FILE. All that is used here is described in records.md. Exit code 0: all is as written.
"""
import argparse, ctypes, json, math, pathlib, subprocess, sys, tempfile  # noqa: E401

from record_arguments import Launch, asks_for_lane, index_count, read_records

RUNTIME = """extern "C" {  // what Warp's headers declare, and its library has
void _wp_assert(const char *, const char *, unsigned int) { __builtin_trap(); }
int _wp_isfinite(double x) { return __builtin_isfinite(x); }
int _wp_isnan(double x) { return __builtin_isnan(x); }
int _wp_isinf(double x) { return __builtin_isinf(x) != 0; }
uint16_t wp_float_to_half_bits(float x) { _Float16 h = x; uint16_t b; __builtin_memcpy(&b, &h, 2); return b; }
float wp_half_bits_to_float(uint16_t b) { _Float16 h; __builtin_memcpy(&h, &b, 2); return h; }
uint16_t wp_float_to_bfloat16_bits(float x) { uint32_t b; __builtin_memcpy(&b, &x, 4); return x != x ? 0x7fc0 : (b + 0x7fff + (b >> 16 & 1)) >> 16; }
float wp_bfloat16_bits_to_float(uint16_t b) { uint32_t w = uint32_t(b) << 16; float x; __builtin_memcpy(&x, &w, 4); return x; }
}
"""


def whole_text(record, language):
    return "".join(record.get(f"{language}_{part}") or "" for part in ("includes", "helpers", "forward", "backward"))


class Cpu:
    language = "cpp"

    def __init__(self, options):
        self.headers, self.folder = options.headers, tempfile.TemporaryDirectory()

    def place(self, part):
        return part.ctypes.data

    def fetch(self, part, address):
        pass

    send = fetch

    def build(self, record):
        name, text = record["mangled_name"], whole_text(record, "cpp") + RUNTIME
        if f"void {name}_cpu_forward(" not in text:  # entry points stand behind the backward text
            instance = "<false>" if "template <bool" in record["cpp_forward"] else ""
            text += (f'extern "C" void {name}_cpu_forward(wp::launch_bounds_t<{index_count(record, "cpp")}> *dim, wp_args_{name} *args)\n'
                     f"{{ for (size_t i = 0; i < dim->size; ++i) {name}_cpu_kernel_forward{instance}(*dim, i, args); }}\n")
        path = f"{self.folder.name}/{record['id']}.so"
        subprocess.run(["g++", "-std=c++17", "-w", "-DNDEBUG", "-ffp-contract=off", "-fPIC", "-shared", "-x", "c++", "-I", self.headers, "-o", path, "-"],
                       input=text, text=True, check=True)
        library = ctypes.CDLL(path)

        def kernel(launch, backward):
            packed = [launch.bounds(index_count(record, "cpp")), launch.packed()] + [launch.packed(True)] * backward
            getattr(library, f"{name}_cpu_{'backward' if backward else 'forward'}")(*(ctypes.c_void_p(p.ctypes.data) for p in packed))
        return kernel


class Cuda:
    language = "cuda"

    def __init__(self, options):
        self.options, self.nvrtc, self.arch = options, ctypes.CDLL(options.nvrtc), options.arch
        if options.cuda:
            self.driver, self.device, context = ctypes.CDLL(options.driver), ctypes.c_int(), ctypes.c_void_p()
            self.call("cuInit", 0)
            self.call("cuDeviceGet", ctypes.byref(self.device), 0)
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
            self.call("cuCtxSetCurrent", context)
            self.arch = f"sm_{self.attribute(75)}{self.attribute(76)}"

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code:
            sys.exit(f"{name}: the driver says {code}")

    def attribute(self, number):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, self.device)
        return value.value

    def place(self, part):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(part.nbytes, 16)))
        self.send(part, address.value)
        return address.value

    def send(self, part, address):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(part.ctypes.data), ctypes.c_size_t(part.nbytes))

    def fetch(self, part, address):
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(part.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(part.nbytes))

    def compile(self, text, *further):
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        flags = [flag.encode() for flag in ("--std=c++17", f"--gpu-architecture={self.arch}", "-default-device", "-w", *further)]
        self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"record.cu", 0, None, None)
        if self.nvrtc.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags)):
            self.nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            self.nvrtc.nvrtcGetProgramLog(program, log)
            raise subprocess.CalledProcessError(1, "NVRTC", stderr=log.value.decode())
        self.nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        self.nvrtc.nvrtcGetCUBIN(program, image)
        self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        return image

    def build(self, record):
        image, module = self.compile(whole_text(record, "cuda"), "-DNDEBUG", "-DWP_ENABLE_MATHDX=0", f"-I{self.options.headers}"), ctypes.c_void_p()
        if not self.options.cuda:
            return record.get("cuda_readable") and self.compile(record["cuda_readable"], f"-I{self.options.records.parent}")
        self.call("cuModuleLoadData", ctypes.byref(module), image)

        def kernel(launch, backward):
            function, own = ctypes.c_void_p(), ctypes.c_int()
            name = f"{record['mangled_name']}_cuda_kernel_{'backward' if backward else 'forward'}"
            self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
            self.call("cuFuncGetAttribute", ctypes.byref(own), 1, function)  # shared memory that it has by itself
            shared = self.attribute(97) - own.value if launch.block else 0  # for tiles: all that a block may have
            self.call("cuFuncSetAttribute", function, 8, shared)
            packed = [launch.packed()] + [launch.packed(True)] * backward
            parts = [launch.bounds(index_count(record, "cuda"))] + [whole[name].copy() for whole in packed for name in whole.dtype.names]
            block, threads = launch.block or 256, math.prod(launch.dim)
            self.call("cuLaunchKernel", function, -(-threads // block) or 1, 1, 1, block, 1, 1, shared, None,
                      (ctypes.c_void_p * len(parts))(*(part.ctypes.data for part in parts)), None)
            self.call("cuCtxSynchronize")
        return kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("headers")
    for flag, usual in (("--nvrtc", "libnvrtc.so"), ("--driver", "libcuda.so.1"), ("--arch", "sm_80")):
        parser.add_argument(flag, default=usual)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--compile-cuda", action="store_true")
    options = parser.parse_args()
    machine = Cuda(options) if options.cuda or options.compile_cuda else Cpu(options)
    records = launches = skipped = wrong = 0
    for record in read_records(options.records):
        records += 1
        try:
            kernel = machine.build(record)
        except subprocess.CalledProcessError as failed:
            wrong += 1
            print(f"{record['id']}: the {machine.language} text does not compile: {(failed.stderr or '')[:400]}")
            continue
        if not options.cuda and asks_for_lane(record):
            skipped += 1  # its values are those of blocks of several threads
        for launch in [] if options.compile_cuda or (not options.cuda and asks_for_lane(record)) else record.get("launches") or []:
            found = list(Launch(record, launch, machine).run(kernel, launch))
            launches, wrong = launches + 1, wrong + bool(found)
            print("".join(f"{record['id']} ({record['category']}): {what}\n" for what in found), end="")
    print(f"{records} records compiled, {launches} launches run, {skipped} records can only run on a GPU, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
