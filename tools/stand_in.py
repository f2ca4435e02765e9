"""Stand-ins for packages that a project imports and that are not installed: kernels cannot use what is in them.

A stand-in has every attribute. What an attribute is can be called, subscripted, inherited from, compared and computed with, and given to other
functions; it is a class, as most of what module levels take from a package are classes: bases, annotations, decorators, default values."""

import abc
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types


class Anything(abc.ABCMeta):
    def __getattr__(cls, name):
        if name.startswith("_"):  # no class that Python or Warp asks for its marks has them
            raise AttributeError(name)
        made = Anything(name, (Stand,), {"__module__": cls.__module__})
        setattr(cls, name, made)
        return made

    def __call__(cls, *args, **kwargs):
        if cls.__module__ not in StandIns.made:  # a class of the project with a stand-in as its base
            return super().__call__(*args, **kwargs)
        if len(args) == 1 and not kwargs and isinstance(args[0], type):  # a decorator of a class
            return args[0]
        return Decorated(args[0]) if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType) else cls

    def __getitem__(cls, key):
        return cls

    def __iter__(cls):
        return iter(())

    def __len__(cls):
        return 0

    def __bool__(cls):
        return True

    def __mro_entries__(cls, bases):
        return (cls,)

    def __lt__(cls, other):
        return False

    __gt__ = __lt__

    def __le__(cls, other):
        return True

    __ge__ = __le__

    def __enter__(cls):
        return cls

    def __exit__(cls, *error):
        return None


class Decorated:
    """A function that was given to a stand-in: it can still be called, and has what decorators add (`op.register_fake`)."""

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(Stand, name)


def _same(cls, *others):
    return cls


for _name in "add radd sub rsub mul rmul truediv rtruediv floordiv mod pow rpow matmul neg pos abs invert and rand xor".split():
    setattr(Anything, f"__{_name}__", _same)


class Stand(metaclass=Anything):
    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Last in sys.meta_path: answers for the packages of these names, and all that is in them."""

    made = {__name__}

    def __init__(self):
        self.names = set()

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in self.names else None

    def create_module(self, spec):
        StandIns.made.add(spec.name)
        module = types.ModuleType(spec.name)
        space = {"__module__": spec.name}
        root = Anything(spec.name.rsplit(".", 1)[-1], (Stand,), space)
        module.__path__, module.__version__ = [], "999.0"
        module.__getattr__ = lambda name: getattr(root, name)
        return module

    def exec_module(self, module):
        pass


def missing_in(name, finder):
    """Imports the module in a child. What it needs that is not there: the name of a package, or none."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        answer = ""
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            answer = (error.name or "").split(".")[0]
            answer = answer if not importlib.util.find_spec(answer) else ""
        except BaseException:
            pass
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    answer = os.read(read, 1000).decode()
    os.close(read)
    os.waitpid(child, 0)
    return answer if answer and answer != name.split(".")[0] and answer not in finder.names else None


def install():
    finder = StandIns()
    sys.meta_path.append(finder)
    return finder


def stand_in_for_missing(name, finder):
    """Until the module can be imported, or what is wrong is something else. A package that no module so far was in need of stays missing."""
    for _ in range(100):
        missing = missing_in(name, finder)
        if not missing:
            return
        finder.names.add(missing)
