#!/usr/bin/env python3
"""Invented kernels name nothing after a word of C++: arguments and fields keep their names in the text for the compiler.
They name nothing by a description, "speed_of_a_muscle", and take seeds as arguments, so that two launches may differ. Descriptions
have words, not pieces of names: no "the rot out of each vertex". Nobody is asked for a differentiable kernel: many have only integers."""
import ast
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
WORDS = set(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
    concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int linux long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
    return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
    typedef typeid typename union unix unsigned using virtual void volatile wchar_t while xor xor_eq rhs""".split()
)


PHRASE = re.compile(r"_of_(an?|the)_|^amount_of|_in_orbit$")
DANGLING = re.compile(r"^    (?!type)\w+_of: ", re.M)
FIXED_SEED = re.compile(r"rand_init\((?:wp\.static\()?(?:\d|[A-Z_]*SEED\b\)*,)")


EMPTY = re.compile(r":\n *pass\n *else:")
NUMBERED = re.compile(r"^def [a-z_]+[a-z]2\(", re.M)  # channel_discharge2, beside a kernel of that name


PIECE = re.compile(r"\b(in|out|rot|pos|vel|acc|val|idx|err|num) (of each|\(`)|\b(bodys|entrys|boxs|vertexs|indexs)\b")


def names_of(source):
    """Arguments, fields, functions and structs."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def main():
    printed = subprocess.run([WEFT, "synth", "-n", "6000", "-s", "77", "--json"], capture_output=True, text=True, check=True).stdout
    wrong = seeds = phrases = pieces = 0
    for line in printed.splitlines():
        record = json.loads(line)
        source = record["python_source"]
        if "_" in record["algorithm"] or "differentiable" in record["instruction"]:
            pieces += 1
            print(f"not words, or a promise that not every kernel keeps: {record['algorithm']}; {record['instruction']}")
        if PIECE.search(record["description"]):
            pieces += 1
            print(f"a piece of a name in a sentence: {record['description']}")
        named = set(names_of(source))
        for word in sorted(named & WORDS):
            wrong += 1
            print(f"named '{word}':\n{source}")
        for name in sorted(filter(PHRASE.search, named)):
            phrases += 1
            print(f"a description as a name, '{name}':\n{source}")
        for field in DANGLING.findall(source.split("@wp.kernel")[0]):
            phrases += 1
            print(f"a field that ends in a preposition, '{field.strip()}':\n{source}")
        if EMPTY.search(source) or (NUMBERED.search(source) and re.search(rf"\b{record['kernel_name']}2\(", source)):
            phrases += 1
            print(f"a branch without statements, or a function with the kernel's name and a number:\n{source}")
        if FIXED_SEED.search(source):
            seeds += 1
            print(f"a seed that is the same in every launch:\n{source}")
    print(f"{len(printed.splitlines())} kernels, {wrong} names that C++ cannot have, {phrases} descriptions as names, {seeds} fixed seeds, {pieces} pieces of names in descriptions")
    return 1 if wrong or phrases or seeds or pieces else 0


if __name__ == "__main__":
    sys.exit(main())
