#!/usr/bin/env python3
"""Which kernels of a file need only that file? The oracle's rows, each with what the kernel depends on.

    own_file.py [--package] FILE.py     one JSON line per kernel: the fields of warp_oracle.py, and
      "needs":     names that come from another file, as "name (module)"; none: the kernel needs only its own file
      "numbered":  functions whose number in the text depends on what other files the process has imported
      "tile":      uses tile primitives, itself or in a function that it calls
      "made":      the kernel was made at run time, in a function; it is no kernel of the module level

Needs warp-lang importable, and imports the file. A third-party package that is missing is replaced by a dummy:
kernels cannot use it anyway. --package imports the file as the member of the package it lies in (relative
imports work, and it is executed once) instead of as a file of its own. `--serve` is for warp_package.py, see warp_oracle.serve().
"""
import ast
import builtins
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import sys
import types
import unittest.mock

import warp_oracle

# Modules whose attributes any reader of the file knows without opening another file.
KNOWN_MODULES = {"math", "numpy", "typing", "typing_extensions", "enum", "builtins", "ctypes", "__future__"}
KNOWN_WARP = {"warp", "warp.types", "warp.config", "warp._src.types", "warp._src.builtins"}


class DummyPackages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Last in sys.meta_path: answers for packages that are not installed and that files import for other ends."""

    NAMES = set("cupy cuda drjit flax jax jaxlib matplotlib mpi4py mpmath nccl numba nvshmem nvtx omni paddle PIL psutil "
                "pxr pyglet pyvista sympy taichi torch tqdm usd".split())

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in self.NAMES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = unittest.mock.MagicMock(name=spec.name)
        module.__path__, module.__version__, module.__version_info__ = [], "999.0", (999, 0)
        return module

    def exec_module(self, module):
        pass


class Numbering:
    """Watches Warp hand out `key_0`, `key_1`, …: which file took which number of which key."""

    def __init__(self):
        from warp._src import context

        self.taken = {}  # key: [(native name, file)]
        original = context.generate_unique_function_identifier

        def watched(key):
            name = original(key)
            func = sys._getframe(1).f_locals.get("func")
            code = getattr(func, "__code__", None)
            self.taken.setdefault(key, []).append((name, code.co_filename if code else None))
            return name

        context.generate_unique_function_identifier = watched

    def depends_on_imports(self, function, path):
        """Did another file take a number of this key before?"""
        for name, file in self.taken.get(function.key, []):
            if name == function.native_func:
                return False
            if file != path:
                return True
        return False


class Names:
    """What the names of a module's or a class's body are bound to, by its text."""

    def __init__(self, statements):
        self.bound = {}  # name: [statement or expression]
        self.imported = {}  # name: the module it is imported from, or None where it is a module itself
        self.bind(statements)

    def bind(self, statements):
        for s in statements:
            if isinstance(s, ast.Import):
                for alias in s.names:
                    self.imported[alias.asname or alias.name.split(".")[0]] = None
            elif isinstance(s, ast.ImportFrom):
                for alias in s.names:
                    self.imported[alias.asname or alias.name] = "." * s.level + (s.module or "")
            elif isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                self.bound.setdefault(s.name, []).append(s)
            elif isinstance(s, (ast.If, ast.Try, ast.For, ast.While, ast.With)):
                if isinstance(s, ast.For):
                    self.bind_targets(s.target, s.iter)
                for part in ("body", "orelse", "finalbody"):
                    self.bind(getattr(s, part, []))
                for handler in getattr(s, "handlers", []):
                    self.bind(handler.body)
            elif isinstance(s, ast.Assign):
                for target in s.targets:
                    self.bind_targets(target, s.value)
            elif isinstance(s, (ast.AnnAssign, ast.AugAssign)):
                self.bind_targets(s.target, s)

    def bind_targets(self, target, value):
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.bound.setdefault(node.id, []).append(value)


class File:
    def __init__(self, path, module):
        self.module = module
        self.tree = ast.parse(pathlib.Path(path).read_bytes())
        self.names = Names(self.tree.body)

    def definition(self, function):
        """The statement that made a Python function, found by its first line (a decorator counts)."""
        code = function.__code__
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
                if min([node.lineno] + [d.lineno for d in node.decorator_list]) == code.co_firstlineno:
                    return node
        return None

    def needs_of(self, statement):
        """Names that the statement, or anything of this file that it refers to, takes from another file."""
        needs, seen, queue = {}, set(), [statement]
        while queue:
            node = queue.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            local = local_names(node)
            for path in paths_in(node):
                name = path[0]
                if name in local and not is_value(vars(self.module).get(name)):
                    continue  # Warp hashes the module's value of a name even where an argument hides it
                if name in self.names.bound:
                    for statement in self.names.bound[name]:
                        queue += class_members(statement, path[1:]) or [statement]
                elif name in self.names.imported:
                    origin = self.foreign_origin(path)
                    if origin:
                        needs[".".join(path)] = origin
                elif hasattr(builtins, name):
                    pass
                elif name in vars(self.module):
                    needs[name] = "import *"
        return sorted(f"{name} ({origin})" for name, origin in needs.items())

    def foreign_origin(self, path):
        """The module that an imported dotted name comes from; None if that is common knowledge."""
        import warp as wp

        value, origin = vars(self.module).get(path[0]), self.names.imported[path[0]]
        for name in path[1:]:
            if not isinstance(value, types.ModuleType):
                break
            origin = value.__name__
            value = getattr(value, name, None)
        if isinstance(value, types.ModuleType):
            origin = value.__name__
        if origin is None or origin.split(".")[0] in KNOWN_MODULES or origin in KNOWN_WARP:
            return None
        if any(value is public for public in vars(wp).values()):
            return None  # wp.norm_l1 by another path
        if getattr(value, "is_builtin", None) and isinstance(value, wp.Function) and value.is_builtin():
            return None
        return origin


def is_value(value):
    from warp._src.types import is_value as warp_is_value

    try:
        return warp_is_value(value)
    except Exception:
        return False


def class_members(statement, path):
    """Of a class whose attribute is meant, only the statements that bind this attribute."""
    if not isinstance(statement, ast.ClassDef) or not path:
        return []
    return Names(statement.body).bound.get(path[0], [])


def local_names(node):
    names = set()
    if isinstance(node, ast.FunctionDef):
        for child in ast.walk(node):
            if isinstance(child, ast.arg):
                names.add(child.arg)
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                names.add(child.id)
    return names


def paths_in(node):
    """Every dotted name under a node, as a list of its parts."""
    if isinstance(node, ast.Attribute):
        parts, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            parts.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name):
            yield [root.id, *reversed(parts)]
        else:
            yield from paths_in(root)
        return
    if isinstance(node, ast.Name):
        yield [node.id]
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef)):  # methods are not for kernels
            yield from paths_in(child)


def functions_of(adj):
    """The user functions that an adjoint calls, itself or through others, with all their overloads."""
    import warp as wp

    found, queue = {}, [adj]
    while queue:
        adj = queue.pop()
        try:
            called = list(adj.get_references()[2])
        except Exception:
            continue  # Warp refuses this kernel, or will say why when it is built
        called += [v for v in adj.resolved_static_expressions.values() if isinstance(v, wp.Function)]
        for function in called:
            if function.is_builtin():
                continue
            for overload in [function, *function.user_overloads.values(), *function.user_templates.values()]:
                for part in (overload, overload.custom_grad_func, overload.custom_replay_func):
                    if part is not None and part not in found:
                        found[part] = None
                        queue.append(part.adj)
    return list(found)


def tile_names():
    from warp._src.context import builtin_functions

    return {name for name, f in builtin_functions.items() if f.group == "Tile Primitives" or "tile" in name}


def uses_tiles(adj, tiles):
    import warp as wp

    for node in ast.walk(adj.tree):
        if isinstance(node, ast.Attribute) and node.attr in tiles and isinstance(node.value, ast.Name):
            if adj.resolve_external_reference(node.value.id) is wp:
                return True
        elif isinstance(node, ast.Name) and node.id in tiles and node.id.startswith("tile_"):
            return True
    return any(getattr(v, "key", None) in tiles for v in adj.resolved_static_expressions.values())


def package_name(path):
    path, parts = pathlib.Path(path).resolve(), []
    while (path.parent / "__init__.py").exists():
        parts.insert(0, path.stem)
        path = path.parent
    return ".".join([path.name, *parts]) if parts else path.stem


def kernels_of_package_member(name):
    import warp as wp

    if name.startswith("warp._src.fem."):
        importlib.import_module("warp.fem")  # its parts import each other, and only this order works
    for value in list(vars(importlib.import_module(name)).values()):
        if isinstance(value, wp.Kernel) and value.func.__module__ == name:
            yield from value.overloads.values() if value.is_generic else [value]


def describe(kernel, file, path, numbering, tiles):
    functions = functions_of(kernel.adj)
    definition = file.definition(kernel.func)
    return {
        "needs": file.needs_of(definition) if definition else [],
        "numbered": sorted({f.key for f in functions if numbering.depends_on_imports(f, path)}),
        "tile": any(uses_tiles(adj, tiles) for adj in [kernel.adj] + [f.adj for f in functions]),
        "made": "__locals__" in kernel.key or definition is None,
    }


def answer(arguments):
    import warp as wp

    as_package = arguments[0] == "--package"
    path = os.path.realpath(arguments[-1])

    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    numbering = Numbering()
    name = package_name(path) if as_package else pathlib.Path(path).stem
    try:
        kernels = list(kernels_of_package_member(name) if as_package else warp_oracle.kernels_of(path))
    except Exception as error:
        print(json.dumps({"file": path, "error": warp_oracle.message(error)}))
        return
    file, tiles = File(path, sys.modules[name]), tile_names()
    for kernel in kernels:
        row = {"file": path, "kernel": kernel.key}
        row.update(describe(kernel, file, path, numbering, tiles))
        try:
            row.update(warp_oracle.texts_and_name(kernel))
        except Exception as error:
            row["error"] = warp_oracle.message(error)
        print(json.dumps(row))


def main():
    sys.meta_path.append(DummyPackages())
    if sys.argv[1:] == ["--serve"]:
        warp_oracle.serve(answer)
    else:
        answer(sys.argv[1:])


if __name__ == "__main__":
    main()
