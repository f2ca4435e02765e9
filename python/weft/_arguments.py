"""What is wrong with an argument, said in the words of whoever gave it."""

import errno
import importlib.util
import operator
import os
import sys

from weft import _native


def whole(name, value, low, high=2**64 - 1):
    """A whole number from low to high."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} is {number}; it is a whole number from {low} to {high}")
    return number


def word(name, value, words):
    """One of some words."""
    if value not in words:
        raise ValueError(f"{name} is one of {'|'.join(words)}, not {value!r}")
    return value


def text(name, value, what):
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise (ValueError if isinstance(value, str) else TypeError)(f"{name} is a str: {what}, not {value!r}")
    return value


def warp_version(value):
    """A version of Warp whose text weft writes; None stays."""
    text("warp", value, f"a version of Warp, such as {_native.WARP_VERSIONS[-1]!r}")
    if value is not None and _native.find_warp(value) is None:
        raise ValueError(f"weft does not write the text of Warp {value}; it writes that of {', '.join(_native.WARP_VERSIONS)}")
    return value


def folder(name, value, what):
    """The absolute path of a folder that is there, as bytes."""
    try:
        path = os.fspath(value)
    except TypeError:
        raise TypeError(f"{name} is {what}, as a str or a path, not {value!r}") from None
    given, path = os.fsdecode(path), os.path.abspath(os.fsencode(path) or b"\0")
    problem = errno.ENOENT if not given or b"\0" in path or not os.path.exists(path) else 0 if os.path.isdir(path) else errno.ENOTDIR
    if problem:
        raise OSError(problem, f"{os.strerror(problem)}: {name} is {what}", given)  # a FileNotFoundError or a NotADirectoryError
    return path


def path(name, value, what):
    """A path, which need not be there, as a str."""
    try:
        return os.fsdecode(os.fspath(value))
    except TypeError:
        raise TypeError(f"{name} is {what}, as a str or a path, not {value!r}") from None


def needs_warp(who):
    """Warp, which the program has imported."""
    module = sys.modules.get("warp")
    if module is None and importlib.util.find_spec("warp") is None:
        raise ModuleNotFoundError(f"{who} needs Warp, which is not installed: pip install warp-lang", name="warp")
    if module is None:
        raise ImportError(f"{who} works on the Warp that the program uses, and none is imported: write `import warp` before it", name="warp")
    return module
