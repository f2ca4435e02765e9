#!/usr/bin/env python3
"""Compiles records and runs them on their own launches, from their columns and Warp's headers alone: values and gradients must be theirs.

    python3 run_record.py FILE.jsonl[.zst] WARP/native [--cuda | --compile-cuda] [--nvrtc FILE] [--driver FILE] [--arch sm_80]

Without a flag, the C++ texts run on the CPU (g++). --cuda runs the CUDA texts on a GPU, with NVRTC and the driver. --compile-cuda needs no
GPU: NVRTC compiles the CUDA texts and cuda_readable. All that is used here is described in records.md. Exit code 0: all is as written.
"""
import argparse, ctypes, json, math, re, subprocess, sys, tempfile  # noqa: E401

import numpy as np

NUMBERS = {"bool": "?", "float16": "f2", "bfloat16": "u2", "float32": "f4", "float64": "f8"}
NUMBERS.update({f"{u}int{bits}": f"{u or 'i'}{bits // 8}" for u in ("", "u") for bits in (8, 16, 32, 64)})
ARRAY = np.dtype([("data", "u8"), ("grad", "u8"), ("shape", "i4", 4), ("strides", "i4", 4), ("ndim", "u2"), ("flags", "u2")], align=True)
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


def numbers(row):
    values = np.array(row["floats"] or row["ints"] or [], "f8" if row["floats"] else "i8").reshape(row["shape"])
    return (values.astype("f4").view("u4") >> 16 if row["type"] == "bfloat16" else values).astype(NUMBERS[row["type"]])


def as_floats(values, kind):
    return (values.astype("u4") << 16).view("f4") if kind == "bfloat16" else values


# ---- arguments: the same bytes for both devices ----

class Argument:
    """A parameter, or a field of a struct; `fields`: those of a struct, also where it is an element of an array."""

    def __init__(self, rows, launch_rows):
        self.name, self.path = rows[0]["name"], rows[0]["field"]
        array = re.match(r"array\(ndim=(\d)", rows[0]["type"])
        self.ndim = int(array[1]) if array else 0
        self.row = launch_rows.get((self.name, self.path))  # its numbers; of a struct None
        depth = len(self.path.split(".")) if self.path else 0
        starts = [i for i in range(1, len(rows)) if rows[i]["field"].count(".") == depth] + [len(rows)]
        self.fields = [Argument(rows[a:b], launch_rows) for a, b in zip(starts, starts[1:])]
        leaf = self
        while leaf.fields:
            leaf = leaf.fields[0]
        self.label = (self.path or self.name).split(".")[-1]
        self.shape = leaf.row["shape"][:self.ndim] if self.ndim else []
        if self.ndim:
            self.data = np.zeros(self.shape, self.layout(self.ndim))
            self.fill(self.data)
            self.grad = np.zeros_like(self.data) if self.has_floats() else None

    def has_floats(self):
        return any(field.has_floats() for field in self.fields) or (not self.fields and "float" in self.row["type"])

    def layout(self, dims=0):
        """Of the value; of an element, where `dims` are the dimensions of the array."""
        if self.ndim and not dims:
            return ARRAY
        if self.fields:
            return np.dtype([(field.label, field.layout(dims)) for field in self.fields], align=True)
        return np.dtype((NUMBERS[self.row["type"]], tuple(self.row["shape"][dims:])))

    def fill(self, target):
        for field in self.fields:
            field.fill(target[field.label])
        if not self.fields:
            target[...] = numbers(self.row)

    def arrays(self):
        return [self] if self.ndim else [array for field in self.fields for array in field.arrays()]

    def put(self, target, adjoint, in_struct=False):
        """As the kernel gets it. Adjoints: an array of the gradients; plain fields of a struct as they are, other plain values 0."""
        if self.ndim and not (adjoint and self.grad is None):
            target["data"], target["grad"] = (self.on_device[1], 0) if adjoint else self.on_device
            target["ndim"], target["shape"][:self.ndim] = self.ndim, self.shape
            size = self.layout(self.ndim).itemsize
            target["strides"][:self.ndim] = [size * math.prod(self.shape[i + 1:]) for i in range(self.ndim)]
        elif not self.ndim and self.fields:
            for field in self.fields:
                field.put(target[field.label], adjoint, True)
        elif not self.ndim and (in_struct or not adjoint):
            target[...] = numbers(self.row)


class Launch:
    def __init__(self, record, launch, machine):
        rows, given = {}, {(row["name"], row["field"]): row for row in launch["inputs"]}
        for row in record["arguments"]:
            rows.setdefault(row["name"], []).append(row)
        self.machine, self.dim, self.block = machine, list(launch["dim"]), record["block_dim"]
        if self.block and machine.language == "cpp" and len(self.dim) > 1 and self.dim[-1] == self.block:
            self.dim[-1] = 1  # the lanes of a block: on the CPU there is one
        self.arguments = [Argument(group, given) for group in rows.values()]
        self.arrays = {(a.name, a.path): a for argument in self.arguments for a in argument.arrays()}
        for array in self.arrays.values():
            array.on_device = [0 if part is None else machine.place(part) for part in (array.data, array.grad)]

    def packed(self, adjoint=False):
        whole = np.zeros((), np.dtype([(a.name, a.layout()) for a in self.arguments], align=True))
        for argument in self.arguments:
            argument.put(whole[argument.name], adjoint)
        return whole

    def bounds(self, count):
        """launch_bounds_t<count>, of a kernel that asks for `count` indices: threads of all further dimensions have the same ones."""
        whole = np.zeros((), np.dtype([("shape", "u4", (count,)), ("size", "u8"), ("coord_mult", "u8")], align=True))
        whole["shape"] = (self.dim + [1] * count)[:count]
        whole["size"], whole["coord_mult"] = math.prod(self.dim), math.prod(self.dim[count:])
        return whole

    def rows_of(self, rows, gradients):
        """Each row with the memory that it is about."""
        for row in rows:
            path = row["field"].split(".") if row["field"] else []
            cut = next(i for i in range(len(path) + 1) if (row["name"], ".".join(path[:i]) or None) in self.arrays)
            array = self.arrays[row["name"], ".".join(path[:cut]) or None]
            part = array.grad if gradients else array.data
            for label in path[cut:]:
                part = part[label]
            yield row, part

    def move(self, call, gradients):
        for array in self.arrays.values():
            if not gradients or array.grad is not None:
                call(array.grad if gradients else array.data, array.on_device[gradients])

    def differences(self, rows, gradients):
        self.move(self.machine.fetch, gradients)
        for row, part in self.rows_of(rows, gradients):
            off = np.abs(as_floats(part, row["type"]).astype("f8") - as_floats(numbers(row), row["type"]).astype("f8"))
            if not np.all(off <= (row["tolerance"] or 0)):
                yield f"{'gradient of ' if gradients else ''}{row['name']}.{row['field'] or ''} is off by {np.max(off)}, tolerance {row['tolerance']}"

    def run(self, kernel, launch):
        before = {key: array.data.tobytes() for key, array in self.arrays.items()}
        kernel(self, False)
        yield from self.differences(launch["outputs"], False)
        changed = {row["name"] for row in launch["outputs"]}
        for (name, path), array in self.arrays.items():
            if name not in changed and array.data.tobytes() != before[name, path]:
                yield f"{name} changes"
        if launch["gradients"] is not None:
            for row, part in self.rows_of(launch["cotangents"], True):
                part[...] = numbers(row)
            self.move(self.machine.send, True)
            kernel(self, True)
            yield from self.differences(launch["gradients"], True)


# ---- devices ----

def whole_text(record, language):
    return "".join(record[f"{language}_{part}"] or "" for part in ("preamble", "prelude", "forward", "backward"))


def asks_for_lane(record):
    return record["block_dim"] and index_count(record, record["device"].replace("both", "cuda").replace("cpu", "cpp")) == len(record["launch_dim"])


def index_count(record, language):
    return int(re.search(r"launch_bounds_t<(\d)>", record[f"{language}_forward"])[1])


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
        name, text = record["native_name"], whole_text(record, "cpp") + RUNTIME
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
            return record["cuda_readable"] and self.compile(record["cuda_readable"])
        self.call("cuModuleLoadData", ctypes.byref(module), image)

        def kernel(launch, backward):
            function, own = ctypes.c_void_p(), ctypes.c_int()
            name = f"{record['native_name']}_cuda_kernel_{'backward' if backward else 'forward'}"
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
    parser.add_argument("records")
    parser.add_argument("headers")
    for flag, usual in (("--nvrtc", "libnvrtc.so"), ("--driver", "libcuda.so.1"), ("--arch", "sm_80")):
        parser.add_argument(flag, default=usual)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--compile-cuda", action="store_true")
    options = parser.parse_args()
    machine = Cuda(options) if options.cuda or options.compile_cuda else Cpu(options)
    records = launches = skipped = wrong = 0
    for record in map(json.loads, subprocess.run(["zstd", "-dcqf", options.records], check=True, capture_output=True).stdout.splitlines()):
        records += 1
        try:
            kernel = machine.build(record)
        except subprocess.CalledProcessError as failed:
            wrong += 1
            print(f"{record['id']}: the {machine.language} text does not compile: {(failed.stderr or '')[:400]}")
            continue
        if not options.cuda and asks_for_lane(record):
            skipped += 1  # its values are those of blocks of several threads
        for launch in [] if options.compile_cuda or (not options.cuda and asks_for_lane(record)) else record["launches"] or []:
            found = list(Launch(record, launch, machine).run(kernel, launch))
            launches, wrong = launches + 1, wrong + bool(found)
            print("".join(f"{record['id']} ({record['category']}): {what}\n" for what in found), end="")
    print(f"{records} records compiled, {launches} launches run, {skipped} records can only run on a GPU, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
