#!/usr/bin/env python3
"""weft_math.cuh: it is what `weft standalone --header` prints, compiles without a warning, and its functions are those of numpy on random
values; a program's own function of the same name and parameters is called instead; answers may include it, or bring their own operators.
No readable text defines what the header has."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
HEADER = ROOT / "share" / "weft_math.cuh"
COMPILE = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Wno-unused-parameter", "-Wno-unused-variable", "-Werror", "-O1", f"-I{HEADER.parent}"]

# Prints, for a scalar S and random numbers, "name numbers…" per function; numpy computes the same from the first lines.
VALUES = r"""
#include "weft_cpu_shim.h"
#include "weft_math.cuh"
template <class T, class = composite<T>> static void say(const char *name, T value)
{
    std::printf("%s", name);
    for (int i = 0; i < part_count<T>; ++i)
        std::printf(" %.17g", (double)component(value, i));
    std::printf("\n");
}
static void say(const char *name, double value) { std::printf("%s %.17g\n", name, value); }
template <class S> static S draw(unsigned &state) { return (S)(random_float(state) * 4.0f - 2.0f); }
template <class T> static T random_value(unsigned &state)
{
    T value = {};
    for (int i = 0; i < part_count<T>; ++i)
        component(value, i) = draw<scalar_of<T>>(state);
    return value;
}
template <class S, int R, int C> static void run(unsigned state)
{
    using V = vec<S, C>;
    using M = mat<S, R, C>;
    using Q = mat<S, R, R>;
    V a = random_value<V>(state), b = random_value<V>(state);
    M m = random_value<M>(state);
    mat<S, C, R> n = random_value<mat<S, C, R>>(state);
    vec<S, R> r = random_value<vec<S, R>>(state);
    Q q = random_value<Q>(state), p = random_value<Q>(state);
    vec<S, 3> x = random_value<vec<S, 3>>(state), y = random_value<vec<S, 3>>(state);
    S s = draw<S>(state);
    say("a", a), say("b", b), say("m", m), say("n", n), say("r", r), say("q", q), say("p", p), say("x", x), say("y", y), say("s", s);
    say("add", a + b), say("sub", a - b), say("neg", -a), say("scale", a * s), say("scaled", s * a), say("div", a / s), say("reciprocal", reciprocal(s, a));
    V changed = a;
    changed += b;
    say("accumulate", changed);
    changed -= b;
    say("decrease", changed);
    say("equal", a == a), say("unequal", a == b);
    say("cw_mul", cw_mul(a, b)), say("cw_div", cw_div(a, b)), say("mod", mod(a, b)), say("trunc_parts", trunc_parts(a));
    say("abs_parts", abs_parts(a)), say("sign", sign(a)), say("min", min(a, b)), say("max", max(a, b));
    say("where_less", where_less(a, b, a)), say("where_more", where_more(a, b, a));
    say("any_nan", any_nan(a)), say("any_inf", any_inf(a)), say("all_finite", all_finite(a));
    say("smallest_part", smallest_part(a)), say("largest_part", largest_part(a)), say("smallest", smallest(a)), say("largest", largest(a));
    say("unit_part", unit_part(a, 1, s)), say("component", component(a, 1));
    say("dot", dot(a, b)), say("length", length(a)), say("normalize", normalize(a)), say("adj_length", adj_length(a, s)), say("adj_normalize", adj_normalize(a, b));
    say("nothing", normalize(V{})), say("adj_nothing", adj_normalize(V{}, b));
    say("cross", cross(x, y)), say("skew", skew(x)), say("adj_skew", adj_skew(skew(x)));
    say("mat_vec", m * a), say("vec_mat", r * m), say("mat_mat", m * n), say("transpose", transpose(m)), say("outer", outer(r, a));
    say("trace", trace(q)), say("identity", identity<Q>()), say("diag", diag(r)), say("get_diag", get_diag(q)), say("row_of", row_of(m, 1));
    say("with_row_of", with_row_of<M>(1, a)), say("determinant", determinant(q)), say("cofactors", cofactors(q)), say("inverse", inverse(q));
    say("adj_inverse", adj_inverse(q, p)), say("singular", inverse(Q{}));
    V sum = a, low = a, high = a;
    atomic_add(&sum, b), atomic_min(&low, b), atomic_max(&high, b);
    say("atomic_add", sum), say("atomic_min", low), say("atomic_max", high);
    S exchanged = s;
    say("atomic_add_number", atomic_min(&exchanged, s - 1)), say("atomic_min_number", exchanged);
    say("clamp", clamp(s, 0, 1)), say("sign_number", sign(s)), say("floor_div", floor_div(-7, 2)), say("bit_count", bit_count(0x70f0));
    say("p_of", adj_translation(x)), say("q_of", adj_rotation(quat<S>{x.x, x.y, x.z, s}));
    vec<int, R> w = {};
    for (int i = 0; i < R; ++i)
        component(w, i) = i + 5;
    say("w", w), say("and", w & (w + w)), say("or", w | (w + w)), say("xor", w ^ (w + w)), say("lshift", w << w), say("rshift", w >> (w - w)), say("invert", ~w);
    S stack[3] = {};
    save(stack, 1, s);
    say("save", stack[1]);
    const S sorted[] = {1, 2, 4, 8};
    say("lower_bound", lower_bound(sorted, 0, 4, 3));
    say("float16", (float)float16(0.1f));
}
int main()
{
    RUNS
}
"""


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def expected(given, np):
    """What numpy makes of the values that were drawn."""
    rows, cols = len(given["r"]), len(given["a"])
    a, b, r, x, y, w = (given[name] for name in "abrxyw")
    m, n, q, p = given["m"].reshape(rows, cols), given["n"].reshape(cols, rows), given["q"].reshape(rows, rows), given["p"].reshape(rows, rows)
    s, w, unit = given["s"][0], w.astype(int), a / np.linalg.norm(a)
    inverse, skew = np.linalg.inv(q), np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
    one, row = np.zeros(cols), np.zeros((rows, cols))
    one[1], row[1] = s, a
    return {
        "add": a + b, "sub": a - b, "neg": -a, "scale": a * s, "scaled": a * s, "div": a / s, "reciprocal": s / a, "accumulate": a + b, "decrease": a,
        "equal": 1, "unequal": 0, "cw_mul": a * b, "cw_div": a / b, "mod": np.fmod(a, b), "trunc_parts": np.trunc(a), "abs_parts": abs(a), "sign": np.where(a < 0, -1, 1),
        "min": np.minimum(a, b), "max": np.maximum(a, b), "where_less": np.where(a <= b, a, 0), "where_more": np.where(a >= b, a, 0),
        "any_nan": 0, "any_inf": 0, "all_finite": 1, "smallest_part": a.argmin(), "largest_part": a.argmax(), "smallest": a.min(), "largest": a.max(),
        "unit_part": one, "component": a[1], "dot": a @ b, "length": np.linalg.norm(a), "normalize": unit, "adj_length": unit * s,
        "adj_normalize": (b - unit * (unit @ b)) / np.linalg.norm(a), "nothing": 0 * a, "adj_nothing": 0 * a,
        "cross": np.cross(x, y), "skew": skew, "adj_skew": 2 * x, "mat_vec": m @ a, "vec_mat": r @ m, "mat_mat": m @ n, "transpose": m.T, "outer": np.outer(r, a),
        "trace": np.trace(q), "identity": np.eye(rows), "diag": np.diag(r), "get_diag": np.diag(q), "row_of": m[1], "with_row_of": row,
        "determinant": np.linalg.det(q), "cofactors": inverse.T * np.linalg.det(q), "inverse": inverse, "adj_inverse": -inverse.T @ p @ inverse.T, "singular": 0 * q,
        "atomic_add": a + b, "atomic_min": np.minimum(a, b), "atomic_max": np.maximum(a, b), "atomic_add_number": s, "atomic_min_number": s - 1,
        "clamp": min(max(s, 0), 1), "sign_number": -1 if s < 0 else 1, "floor_div": -4, "bit_count": 7, "p_of": np.append(x, np.zeros(4)),
        "q_of": np.concatenate([np.zeros(3), x, [s]]), "and": w & (w + w), "or": w | (w + w), "xor": w ^ (w + w), "lshift": w << w, "rshift": w, "invert": ~w,
        "save": s, "lower_bound": 2, "float16": float(np.float16(0.1)),
    }


def run_values(folder, np):
    sizes = [(scalar, rows, cols) for scalar in ("float", "double") for rows in (2, 3, 4) for cols in (2, 3, 4, 6)]
    runs = "\n    ".join(f'std::printf("# {scalar} {rows} {cols}\\n"), run<{scalar}, {rows}, {cols}>({seed}u);' for seed, (scalar, rows, cols) in enumerate(sizes, 1))
    (folder / "values.cpp").write_text(VALUES.replace("RUNS", runs))
    built = subprocess.run([*COMPILE, folder / "values.cpp", "-o", folder / "values"], capture_output=True, text=True)
    check(built.returncode == 0, f"the header does not compile without warnings:\n{built.stderr[:3000]}")
    blocks = subprocess.run([folder / "values"], capture_output=True, text=True, check=True).stdout.split("# ")[1:]
    check(len(blocks) == len(sizes), f"{len(blocks)} runs")
    compared = 0
    for block in blocks:
        head, *lines = block.splitlines()
        found = {line.split()[0]: np.array([float(word) for word in line.split()[1:]]) for line in lines}
        near = 2e-3 if head.startswith("float") else 1e-9
        for name, value in expected(found, np).items():
            value = np.asarray(value, dtype=float).reshape(-1)
            close = len(value) == len(found[name]) and np.allclose(found[name], value, rtol=near, atol=near * max(1, abs(value).max()))
            check(close, f"{head}: {name} is {found[name]} instead of {value}")
            compared += 1
    return compared


OWN = r"""
#include "weft_cpu_shim.h"
#include "weft_math.cuh"
static inline float3 operator*(float3 a, float s) { return {s, a.x, 7.0f}; }
static inline float3 cross(float3, float3) { return {1.0f, 2.0f, 3.0f}; }
static inline quatf quat_inverse(quatf) { return {9.0f, 9.0f, 9.0f, 9.0f}; }
int main()
{
    float3 a = {1.0f, 2.0f, 3.0f};
    quatf q = {};
    return !((a * 2.0f).z == 7.0f && cross(a, a).z == 3.0f && quat_inverse(q).w == 9.0f && (2.0f * a).z == 6.0f);
}
"""


def run_own(folder):
    (folder / "own.cpp").write_text(OWN)
    built = subprocess.run([*COMPILE, folder / "own.cpp", "-o", folder / "own"], capture_output=True, text=True)
    check(built.returncode == 0, f"own functions beside those of the header:\n{built.stderr[:3000]}")
    check(subprocess.run([folder / "own"]).returncode == 0, "the header's functions were called instead of a program's own")


def records_of(folder):
    subprocess.run([WEFT, "produce", "-q", "-n", "120", "-s", "909", "--no-compress", "--full", "-o", folder], check=True)
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def check_texts(records):
    """Each text begins with the header, and defines no operator, and nothing that the header has."""
    texts = [record["cuda_readable"] for record in records if record["cuda_readable"]]
    check(len(texts) > 90, f"{len(texts)} readable texts")
    known = set(re.findall(r"^__device__ inline .*?(\w+\([^)]*\))", HEADER.read_text(), re.M | re.S))
    check(len(known) > 150, f"{len(known)} functions")
    for text in texts:
        check(text.startswith('#include "weft_math.cuh"\n\n'), text[:200])
        check(not re.search(r"\boperator *[-+*/<>=&|^~]", text), text[:2000])
        own = re.findall(r"^__device__ inline .*?(\w+\([^)]*\))", text, re.M | re.S)
        check(not known.intersection(own), f"defined again: {known.intersection(own)}")




def check_judge(folder, records):
    """Answers that include the header, that define its operators themselves, that do both, or that hide it."""
    if not shutil.which("bwrap"):
        print("no sandbox: the judge was not tried")
        return
    record = next(r for r in records if re.search(r"float3 \w+ = .* \* .*;", r["cuda_readable"] or "") and r["launches"] and "make_float3" in r["cuda_readable"])
    text, task = record["cuda_readable"], record["id"] + "/python-to-readable"
    bare = text.replace('#include "weft_math.cuh"\n', "")
    wrong = "static inline __device__ float3 operator*(float3 a, float s) { return {a.x * s + 1.0f, a.y, a.z}; }\n"
    cut = text.index("__global__")
    answers = {"included": (text, 1), "own beside it": (text[:cut].rstrip() + "\n\n" + wrong.replace("a.x * s + 1.0f, a.y, a.z", "a.x * s, a.y * s, a.z * s") + text[cut:], 1),
               "without": (bare, 0), "itself": ((HEADER.read_text() + "\n" + bare), 1),
               "hidden": ("#define WEFT_MATH_CUH\n" + text, 0), "after that": (text, 1)}
    subprocess.run([WEFT, "tasks", folder, "--kind", "python-to-readable", "-q", "-o", folder.parent / "tasks.jsonl"], check=True)
    prompts = [json.loads(line) for line in (folder.parent / "tasks.jsonl").read_text().splitlines()]
    check(all("`weft_math.cuh`" in prompt["prompt"] for prompt in prompts), "a prompt does not name the header")
    (folder.parent / "answers.jsonl").write_text("".join(json.dumps({"id": task, "answer": f"```cuda\n{answer}\n```"}) + "\n" for answer, _ in answers.values()))
    done = subprocess.run([WEFT, "score", folder.parent / "tasks.jsonl", folder.parent / "answers.jsonl", "--data", folder, "-o", folder.parent / "results.jsonl", "-q"],
                          capture_output=True, text=True)
    if "bubblewrap" in done.stderr:
        print("no sandbox: the judge was not tried")
        return
    results = [json.loads(line) for line in (folder.parent / "results.jsonl").read_text().splitlines()]
    check(len(results) == len(answers), done.stderr)
    for (name, (_, score)), result in zip(answers.items(), results):
        check(result["score"] == score, f"{name}: {result}")


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    try:
        import numpy as np
    except ImportError:
        python = ROOT / ".venv" / "bin" / "python"  # with what Warp needs
        if python.exists() and pathlib.Path(sys.prefix) != python.parent.parent:
            return subprocess.run([python, __file__]).returncode
        print("skipped: there is no numpy")
        return 77
    printed = subprocess.run([WEFT, "standalone", "--header"], capture_output=True, check=True).stdout
    check(printed == HEADER.read_bytes(), "weft standalone --header prints something else")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        compared = run_values(folder, np)
        run_own(folder)
        records = records_of(folder / "set")
        check((folder / "set" / "weft_math.cuh").read_bytes() == printed, "the data set has another header")
        check_texts(records)
        check_judge(folder / "set", records)
        (folder / "set" / "weft_math.cuh").write_bytes(printed + b"\n")
        done = subprocess.run([WEFT, "validate", folder / "set"], capture_output=True, text=True)
        check(done.returncode == 1 and "weft_math.cuh" in done.stdout + done.stderr, "a header that was changed is not noticed")
    print(f"{compared} values as numpy has them; {len(records)} records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
