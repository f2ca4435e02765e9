#!/usr/bin/env python3
"""The stubs and the package say the same: every public function and class has a docstring and a stub with its parameters, and the
stubs have nothing that is not there. docs/python.md has a row for every public function.

    test_stubs.py     exits with 77 where the package was not built
"""

import ast
import importlib
import inspect
import re
import unittest

from package_env import ROOT  # also finds the package

import weft  # noqa: E402

FOLDER = ROOT / "python" / "weft"


def stub(name):
    """{name: node} of the functions and classes of a stub."""
    tree = ast.parse((FOLDER / f"{name}.pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def names_in(name):
    """All names that a stub has at its module level."""
    tree = ast.parse((FOLDER / f"{name}.pyi").read_text())
    return set(stub(name)) | {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}


def parameters_of_stub(node):
    """[(name, kind, has a default)]; the first ones without `self`."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [False] * (len(plain) - len(a.defaults)) + [True] * len(a.defaults)
    found = [(arg.arg, "positional", default) for arg, default in zip(plain, defaults)]
    found += [(arg.arg, "keyword", default is not None) for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    return [one for one in found if one[0] != "self"]


def parameters_of(function):
    kinds = {inspect.Parameter.KEYWORD_ONLY: "keyword"}
    found = inspect.signature(function).parameters.values()
    return [(p.name, kinds.get(p.kind, "positional"), p.default is not p.empty) for p in found if p.name != "self"]


def public_methods(cls):
    return {name: value for name, value in vars(cls).items() if not name.startswith("_") and callable(value)}


class Stubs(unittest.TestCase):
    def test_all_names(self):
        self.assertEqual(sorted(weft.__all__), weft.__all__)
        self.assertEqual(names_in("__init__") - {"Device"}, set(weft.__all__))
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
            for method in told:
                with self.subTest(f"{name}.{method}"):
                    self.assertTrue(hasattr(cls, method))

    def test_attributes(self):
        """What a stub says that an exception has, it has."""
        for name in ("Error", "Refused", "CompileError"):
            said = [part.target.id for part in stub("__init__")["Error"].body if isinstance(part, ast.AnnAssign)]
            error = getattr(weft, name)("a message")
            self.assertEqual([field for field in said if not hasattr(error, field)], [])

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
        page = (ROOT / "docs" / "python.md").read_text()
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
