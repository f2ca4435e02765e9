#!/usr/bin/env python3
"""Calls of laws whose arguments may stand in each other's place, and parameters that nothing reads, in all scenes and laws.

    tools/law_calls.py [-v]

Told are: a parameter of a scene or a law that its body never mentions; a call in which an argument is called like another parameter
of the same quantity, and not like its own (letters do not count: b, c and a go round). -v lists every call with two arguments of one quantity, to be read. The exit code is 1 if
anything is told."""

import argparse
import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEANING = ROOT / "src/synth/meaning"


def definitions(folder):
    for path in sorted((MEANING / folder).glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                yield path, node


def decorated_as(function, word):
    return any(isinstance(d, ast.Call) and getattr(d.func, "id", "") == word for d in function.decorator_list)


def laws():
    return {f.name: f for folder in ("laws", "scenes") for _, f in definitions(folder) if decorated_as(f, "law")}


def is_names_call(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "names"


def unread_parameters(function):
    read = {n.id for statement in function.body if not is_names_call(statement) for n in ast.walk(statement) if isinstance(n, ast.Name)}
    return [a.arg for a in function.args.args if a.arg not in read and not ast.unparse(a.annotation).startswith("tile(")]


def words_of(expression):
    """The words by which an argument is called: off_axis[i] has off and axis."""
    while isinstance(expression, (ast.Subscript, ast.Attribute)):
        expression = expression.value
    return set(expression.id.strip("_").split("_")) | {expression.id} if isinstance(expression, ast.Name) else set()


def doubtful_arguments(call, law):
    """(argument, its parameter, the parameter that it is called like) of one call."""
    parameters = [(a.arg, ast.unparse(a.annotation)) for a in law.args.args]
    for at, (argument, (own, quantity)) in enumerate(zip(call.args, parameters)):
        words = words_of(argument)
        for other_at, (other, other_quantity) in enumerate(parameters):
            if other_at != at and quantity == other_quantity and len(other) > 2 and other in words and own not in words:
                yield ast.unparse(argument), own, other


def calls_of_laws(function, known):
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in known:
            yield node, known[node.func.id]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-v", "--verbose", action="store_true")
    verbose, known, told = parser.parse_args().verbose, laws(), 0
    for folder in ("laws", "scenes"):
        for path, function in definitions(folder):
            place = f"{path.name}:{function.lineno}: {function.name}"
            for name in unread_parameters(function):
                told += 1
                print(f"{place}: nothing reads '{name}'")
            for call, law in calls_of_laws(function, known):
                quantities = [ast.unparse(a.annotation) for a in law.args.args]
                if verbose and len(set(quantities)) < len(quantities):
                    print(f"{place}: {law.name}({', '.join(a.arg for a in law.args.args)}): {ast.unparse(call)}")
                for argument, own, other in doubtful_arguments(call, law):
                    told += 1
                    print(f"{place}: {ast.unparse(call)} gives '{argument}' for '{own}', not for '{other}'")
    print(f"{told} found in {len(known)} laws and all scenes")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
