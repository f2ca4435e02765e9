"""Writes the public constants and enums of an installed package, with those of its modules that are loaded, as JSON: PACKAGE OUTPUT."""

import enum
import importlib
import json
import math
import sys
import types


def constant(value):
    """The value, where a kernel can use it; None: it cannot."""
    if type(value) is int:
        return value if -(1 << 63) <= value < 1 << 63 else None
    if type(value) is float:
        return value if math.isfinite(value) else None
    return value if type(value) in (bool, str) else None


def members(cls):
    """The integers of an enum, of Python or of pybind11; None: it is none."""
    if not isinstance(cls, type):
        return None
    found = getattr(cls, "__members__", None)
    if not isinstance(found, (dict, types.MappingProxyType)):
        return None
    if isinstance(cls, enum.EnumMeta) and not issubclass(cls, int):
        return None
    try:
        return {name: int(value) for name, value in found.items()}
    except (TypeError, ValueError):
        return None


def facts_of(module):
    constants, enums = {}, {}
    for name, value in sorted(vars(module).items()):
        if name.startswith("_"):
            continue
        fact, found = constant(value), members(value)
        if fact is not None:
            constants[name] = fact
        elif found:
            enums[name] = {"is_int": issubclass(value, int), "members": {k: v for k, v in found.items() if constant(v) is not None}}
    return {"constants": constants, "enums": enums}


def main():
    package, output = sys.argv[1:3]
    try:
        module = importlib.import_module(package)
    except BaseException as error:
        sys.exit(f"{type(error).__name__}: {error}")
    version = getattr(module, "__version__", None)
    modules = {}
    for name, loaded in sorted(sys.modules.items()):
        inner = name == package or name.startswith(package + ".")
        if inner and not any(part.startswith("_") for part in name.split(".")) and isinstance(loaded, types.ModuleType):
            found = facts_of(loaded)
            if found["constants"] or found["enums"] or name == package:
                modules[name] = found
    with open(output, "w") as file:
        json.dump({"facts": 1, "package": package, "version": str(version) if version else "", "modules": modules}, file, indent=1, sort_keys=True)
        file.write("\n")


main()
