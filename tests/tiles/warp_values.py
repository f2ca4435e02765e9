"""Runs tile kernels with Warp on the CPU and writes what comes out: warp_values.py FILE.py OUT.json.gz [-b 1,8] [-k NAME]

Needs Warp 1.19 or later, which runs blocks of several lanes on the CPU. One JSON object: kernel -> arguments, weights of the outputs,
and for each block size what changed: outputs, and gradients after a backward pass from these weights."""

import argparse
import gzip
import importlib.util
import inspect
import json
import pathlib
import random
import sys
import tempfile

import launches
import numpy as np
import warp as wp


def load(path):
    """Without the kernels at the end, whose C++ does not compile."""
    text = pathlib.Path(path).read_text().split("# ---- accepted, and the text is as good as any")[0]
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as copy:
        copy.write(text)
    spec = importlib.util.spec_from_file_location("tiles", copy.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules["tiles"] = module
    spec.loader.exec_module(module)
    return module


def kernels_of(module):
    return {name: value for name, value in vars(module).items() if isinstance(value, wp.Kernel)}


def is_struct(dtype):
    return isinstance(dtype, wp._src.codegen.Struct)


def scalar_of(dtype):
    return wp._src.types.type_scalar_type(dtype)


def is_real(dtype):
    return scalar_of(dtype) in (wp.float16, wp.float32, wp.float64, wp.bfloat16)


def width_of(dtype):
    if is_struct(dtype):
        return sum(width_of(field.type) for field in dtype.vars.values())
    return wp._src.types.type_size(dtype)


def fields_of(dtype):
    """(path, dtype) of each value field, nested ones included."""
    for name, field in dtype.vars.items():
        if is_struct(field.type):
            for path, kind in fields_of(field.type):
                yield (name, *path), kind
        else:
            yield (name,), field.type


def element_cells(dtype, kernel, name, rng):
    if not is_struct(dtype):
        count = width_of(dtype)
        return [launches.number(rng) for _ in range(count)] if is_real(dtype) else launches.integers(count, name, rng)
    cells = []
    for _, kind in fields_of(dtype):
        if is_real(kind):
            cells += [launches.number(rng) for _ in range(width_of(kind))]
        else:
            cells += [rng.randrange(2) for _ in range(width_of(kind))]
    return cells


def array_cells(dtype, kernel, name, shape, rng):
    count = int(np.prod(shape))
    if is_struct(dtype):
        return [cell for _ in range(count) for cell in element_cells(dtype, kernel, name, rng)]
    if is_real(dtype):
        return launches.floats(kernel, shape, width_of(dtype), rng)
    return launches.integers(count * width_of(dtype), name, rng)


def rounded(cells, dtype):
    """As the type holds them."""
    if is_struct(dtype) or not is_real(dtype):
        return [float(np.float32(c)) if isinstance(c, float) else c for c in cells]
    kind = {wp.float16: np.float16, wp.float32: np.float32, wp.float64: np.float64}[scalar_of(dtype)]
    return [float(kind(c)) for c in cells]


def warp_array(cells, dtype, shape, requires_grad):
    if is_struct(dtype):
        data = np.zeros(int(np.prod(shape)), dtype=dtype.numpy_dtype())
        width = width_of(dtype)
        for i in range(len(data)):
            at = i * width
            for path, kind in fields_of(dtype):
                place = data[i]
                for part in path[:-1]:
                    place = place[part]
                size = width_of(kind)
                place[path[-1]] = cells[at] if size == 1 else np.reshape(cells[at : at + size], np.shape(place[path[-1]]))
                at += size
        return wp.array(data.reshape(shape), dtype=dtype, device="cpu")
    kind = wp._src.types.warp_type_to_np_dtype[scalar_of(dtype)]
    data = np.array(cells, dtype=kind).reshape((*shape, *dtype._shape_)) if width_of(dtype) > 1 else np.array(cells, dtype=kind).reshape(shape)
    return wp.array(data, dtype=dtype, device="cpu", requires_grad=requires_grad and is_real(dtype))


def flat(array):
    data = array.numpy()
    if data.dtype.names is None:
        return [x.item() for x in data.reshape(-1)]
    out = []

    def walk(record):
        for name in record.dtype.names:
            part = record[name]
            if getattr(part, "dtype", None) is not None and part.dtype.names:
                walk(part)
            else:
                out.extend(x.item() for x in np.reshape(part, -1))

    for record in data.reshape(-1):
        walk(record)
    return out


def make_value(kernel, name, dtype, rng):
    """What Warp is given, and what JSON says."""
    if isinstance(dtype, wp.array):
        shape = launches.shape_of(kernel, dtype.ndim)
        cells = rounded(array_cells(dtype.dtype, kernel, name, shape, rng), dtype.dtype)
        per = width_of(dtype.dtype)
        nested = launches.nested([cells[i * per : (i + 1) * per] for i in range(len(cells) // per)], shape)
        return warp_array(cells, dtype.dtype, shape, True), nested
    if is_struct(dtype):
        instance, described = dtype(), {}
        for field, var in dtype.vars.items():
            value, described[field] = make_value(kernel, field, var.type, rng)
            setattr(instance, field, value)
        return instance, described
    if is_real(dtype):
        cells = rounded([launches.number(rng) for _ in range(width_of(dtype))], dtype)
    else:
        cells = [launches.INTEGERS.get(name, 1)] * width_of(dtype)
    return (dtype(*cells) if width_of(dtype) > 1 else dtype(cells[0])), cells if len(cells) > 1 else cells[0]


def arrays_of(args):
    for name, value in args.items():
        if isinstance(value, wp.array):
            yield name, value
        elif hasattr(value, "_cls"):
            yield from ((field, getattr(value, field)) for field in value._cls.vars if isinstance(getattr(value, field), wp.array))


def weights(array, rng):
    return [rng.randrange(-8, 9) / 8 for _ in range(array.size * width_of(array.dtype))]


def changed(before, after):
    """The places of what is not as it was, and the values there: a list of two lists."""
    places = [i for i, (old, new) in enumerate(zip(before, after)) if old != new]
    return [places, [float(f"{after[i]:.8g}") if isinstance(after[i], float) else after[i] for i in places]]


def run(kernel, name, block):
    rng = random.Random(name)
    args, described = {}, {}
    for parameter in kernel.adj.args:
        args[parameter.label], described[parameter.label] = make_value(name, parameter.label, parameter.type, rng)
    dim = launches.dimensions(name, inspect.getsource(kernel.func), block)
    before = {label: flat(array) for label, array in arrays_of(args)}
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=dim, inputs=list(args.values()), device="cpu", block_dim=block)
    result = {"dim": dim, "args": described, "out_grad": {}, "gradients": {}}
    result["outputs"] = {label: changed(before[label], flat(array)) for label, array in arrays_of(args)}
    if kernel.options.get("enable_backward") is False:
        return result
    for label, array in arrays_of(args):
        if array.grad is not None:
            result["out_grad"][label] = weights(array, rng)
            array.grad = warp_array(result["out_grad"][label], array.dtype, array.shape, False)
    tape.backward()
    for label, given in result["out_grad"].items():
        result["gradients"][label] = changed(given, flat(dict(arrays_of(args))[label].grad))
    return result


def keys_of(module):
    """As the evaluators name kernels: a second one of a name is `name#1`."""
    keys, seen = {}, {}
    for name, kernel in kernels_of(module).items():
        count = seen[kernel.key] = seen.get(kernel.key, -1) + 1
        keys[name] = f"{kernel.key}#{count}" if count else kernel.key
    return keys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("out")
    parser.add_argument("-b", default="1,8")
    parser.add_argument("-k")
    options = parser.parse_args()
    wp.config.quiet = True
    wp.config.enable_cpu_blocks = True
    module = load(options.file)
    results, refused, keys = {}, {}, keys_of(module)
    for name, kernel in kernels_of(module).items():
        if (options.k and name != options.k) or name.startswith("query_"):
            continue
        for block in options.b.split(","):
            try:
                one = run(kernel, name, int(block))
            except Exception as error:
                refused[name] = (str(error) or repr(error)).splitlines()[0][:200]
                continue
            entry = results.setdefault(keys[name], {"args": one.pop("args"), "out_grad": one.pop("out_grad"), "blocks": {}})
            entry["blocks"][block] = {part: one[part] for part in ("dim", "outputs", "gradients")}
    with gzip.GzipFile(options.out, "w", 9, mtime=0) as file:
        file.write(json.dumps(results, separators=(",", ":")).encode())
    print(len(results), "kernels run,", len(refused), "refused")
    for name, why in refused.items():
        print(" ", name, why)


if __name__ == "__main__":
    main()
