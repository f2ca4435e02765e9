#!/usr/bin/env python3
"""The stubs and the package say the same: every public function and class has a docstring and a stub with its parameters, and the
stubs have nothing that is not there. docs/reference/python.md has a row for every public function.

    test_stubs.py     exits with 77 where the package was not built
"""

import ast
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest

from package_env import PACKAGE, ROOT  # also finds the package

import weft  # noqa: E402

FOLDER = ROOT / "python" / "weft"


def stub(name):
    """{name: node} of the functions and classes of a stub."""
    tree = ast.parse((FOLDER / f"{name}.pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")}


def names_in(name):
    """All names that a stub has at its module level."""
    tree = ast.parse((FOLDER / f"{name}.pyi").read_text())
    return set(stub(name)) | {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}


def written(default):
    return "none" if default is None else repr(ast.literal_eval(default))


def parameters_of_stub(node):
    """[(name, kind, default)]; the first ones without `self`."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    found = [(arg.arg, "positional", written(default)) for arg, default in zip(plain, defaults)]
    found += [(arg.arg, "keyword", written(default)) for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    return [one for one in found if one[0] != "self"]


def parameters_of(function):
    kinds = {inspect.Parameter.KEYWORD_ONLY: "keyword"}
    found = inspect.signature(function).parameters.values()
    return [(p.name, kinds.get(p.kind, "positional"), "none" if p.default is p.empty else repr(p.default)) for p in found if p.name != "self"]


def public_methods(cls):
    return {name: value for name, value in vars(cls).items() if not name.startswith("_") and callable(value)}


class Stubs(unittest.TestCase):
    def test_all_names(self):
        self.assertEqual(sorted(weft.__all__), weft.__all__)
        self.assertEqual(names_in("__init__"), set(weft.__all__))
        self.assertLess(set(weft.__all__), set(dir(weft)))

    def test_functions(self):
        for name, node in stub("__init__").items():
            thing = getattr(weft, name)
            with self.subTest(name):
                self.assertGreater(len(inspect.getdoc(thing) or ""), 20)
                if isinstance(node, ast.FunctionDef):
                    self.assertEqual(parameters_of(thing), parameters_of_stub(node))
                    self.assertIsNotNone(node.returns)

    def test_methods(self):
        for name, node in stub("__init__").items():
            if not isinstance(node, ast.ClassDef):
                continue
            cls, told = getattr(weft, name), {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
            for method, function in public_methods(cls).items():
                with self.subTest(f"{name}.{method}"):
                    self.assertIn(method, told)
                    self.assertEqual(parameters_of(function), parameters_of_stub(told[method]))
            if "__init__" in vars(cls):
                with self.subTest(f"{name}.__init__"):
                    self.assertIn("__init__", told)
                    self.assertEqual(parameters_of(cls.__init__), parameters_of_stub(told["__init__"]))
            for method in told:
                with self.subTest(f"{name}.{method}"):
                    self.assertTrue(hasattr(cls, method))

    def test_attributes(self):
        """What a stub says that an exception has, it has."""
        for name in ("Error", "Refused", "CompileError"):
            said = [part.target.id for part in stub("__init__")["Error"].body if isinstance(part, ast.AnnAssign)]
            error = getattr(weft, name)("a message")
            self.assertEqual([field for field in said if not hasattr(error, field)], [])

    def test_a_row_of_a_report(self):
        """The class is not public, and what iterating over a report gives is."""
        from weft._watch import Row

        node = next(n for n in ast.parse((FOLDER / "__init__.pyi").read_text()).body if getattr(n, "name", "") == "_Row")
        adjoint = types.SimpleNamespace(filename="f", fun_lineno=1)
        row = Row(types.SimpleNamespace(key="k", adj=adjoint), (1,), ())
        said = [part.target.id if isinstance(part, ast.AnnAssign) else part.name for part in node.body]
        self.assertEqual([name for name in said if not hasattr(row, name)], [])

    def test_by_mypy(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed")
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write("[mypy]\nignore_missing_imports = True\ndisable_error_code = var-annotated\n")
            file.flush()
            call = [sys.executable, "-m", "mypy.stubtest", "weft", "--concise", "--ignore-missing-stub", "--mypy-config-file", file.name]
            environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
            said = subprocess.run(call, env=environment, capture_output=True, text=True, cwd=os.path.dirname(file.name)).stdout
        private = re.compile(r"weft\.(_[a-z]+|ray|torch|rl\.[a-z]+)\b")  # modules without a stub are compared with themselves
        self.assertEqual([line for line in said.splitlines() if line.startswith("weft") and not private.match(line)], [])

    def test_the_extension(self):
        native = importlib.import_module("weft._native")
        told = stub("_native")
        self.assertEqual(set(told), {name for name in dir(native) if callable(getattr(native, name)) and not name.startswith("__")})
        for name, node in told.items():
            with self.subTest(name):
                function = getattr(native, name)
                self.assertGreater(len(function.__doc__), 20)
                given = re.sub(r"\([^()]*\)", "tuple", function.__text_signature__[1:-1])  # parts of a tuple count as one
                self.assertEqual(len(given.split(", ")), len(parameters_of_stub(node)), given)

    def test_the_page(self):
        page = (ROOT / "docs/reference/python.md").read_text()
        for name in stub("__init__"):
            if isinstance(stub("__init__")[name], ast.FunctionDef):
                self.assertIn(f"`weft.{name}(", page)

    def test_versions_of_the_language(self):
        """The stubs and the package can be read by the oldest Python that the wheel is for."""
        for path in sorted(FOLDER.glob("*.py*")):
            if path.suffix in (".py", ".pyi"):
                ast.parse(path.read_text(), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
