"""Kernels that exist in a running program: what their names mean, described for the compiler.

The source text of a kernel comes from the object that Warp made of it, and so does everything that its names stand for: constants,
types, structs, enums, functions with their own names, values of wp.static(). The compiler reads the text with its one front end and
finds these objects in the place of a file's module level (src/front/world.h). What cannot be described is refused where a kernel needs it.

Describing takes longer than compiling, so a kernel keeps its description, with a trail of all that was read for it: before it is used again,
everything is looked at again, and where anything is another object now, the kernel is described anew.

Nothing here is imported before a live object is given; Warp is the one that the program has imported.
"""

import ast
import builtins
import collections.abc
import enum
import keyword
import math
import re
import sys
import types
import typing

from weft import _arguments, _native
from weft._errors import CompileError, Refused
from weft._native import MISSING

EXPRESSION, STRUCT, INSTANCE, ENUM, NAMESPACE, OBJECT, FUNCTION, KERNEL, UNKNOWN = range(9)
ATTRIBUTES, TRUTHS, ITEMS, WHOLE, BYTES = range(5)  # what look() looks at
MOST_ITEMS = 4096  # of a list or tuple that is described element by element
OWN_NAME = re.compile(r"\bdef\s+(\w+)")
DOTTED_NAME = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
KEYWORDS = frozenset(keyword.kwlist)
KNOWN_MODULES = {
    "warp": "wp",
    "warp.types": "wp.types",
    "warp.config": "wp.config",
    "warp._src.types": "wp._src.types",
    "math": "math",
    "numpy": "np",
    "typing": "typing",
}
# A function of the program that has one of these names is what the operator means; no text mentions it. With what a text has that uses it.
OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**", "bit_and": "&", "bit_or": "|",
    "bit_xor": "^", "lshift": "<<", "rshift": ">>", "pos": "+", "neg": "-", "invert": "~", "unot": "not",
}  # fmt: skip
# What is read of Warp's objects.
OF_KERNEL = ("adj", "options", "module", "key", "return_annotation")
OF_MODULE = ("options", "has_unresolved_static_expressions")
OF_OPTIONS = tuple("mode lineinfo deterministic max_unroll cluster_dim enable_backward default_grid_stride strip_hash".split())
OF_CONFIG = ("mode", "default_grid_stride", "enable_vector_component_overwrites")
OF_ADJOINT = ("func", "source", "filename", "fun_lineno", "arg_types", "resolved_static_expressions", "transformers")
OF_CODE = ("__code__",)  # __closure__ and __globals__ of a function cannot be set
OF_FUNCTION = tuple(
    "adj key native_func defaults user_overloads user_templates native_snippet adj_native_snippet replay_snippet custom_grad_func "
    "custom_replay_func inline_hint".split()
)
OF_FUNCTION_ADJOINT = tuple(
    "skip_forward_codegen skip_reverse_codegen custom_reverse_mode custom_reverse_num_input_args used_by_backward_kernel "
    "force_adjoint_codegen uses_grad_call".split()
)
KEPT = "_weft_description"  # the attribute of a kernel that holds (trail, world, version)
ARRAY_CLASSES = ("array", "indexedarray", "fabricarray", "indexedfabricarray")


class Unknown(Exception):
    """An object that weft has no description for; the message completes "... is not known: "."""


def warp():
    """The Warp that the program has imported."""
    return sys.modules["warp"]


def warp_version():
    """The number of that Warp, if weft writes its text."""
    number = warp().__version__
    found = _native.find_warp(number)
    if found != number:
        raise Refused(f"weft does not write the text of Warp {number}")
    return found


_mentioned = {}  # by source text
_type_texts = {}  # of classes that need no other object


def names_in(source):
    """(every name that a text may refer to, with what is said behind it: {"wp": {"vec3": {}}, ...}; all that are looked up for it).

    More than there is does no harm.
    """
    known = _mentioned.get(source)
    if known is None:
        tree = {}
        own = OWN_NAME.search(source)
        for path in set(DOTTED_NAME.findall(source)):
            if path in KEYWORDS or (own and path == own[1] and len(re.findall(rf"\b{path}\b", source)) == 1):
                continue  # a definition that does not mention itself: what has its name is mostly the object itself, not to be kept by its own trail
            for start in starts_of(path):
                at = tree
                for part in path[start:].split("."):
                    at = at.setdefault(sys.intern(part.strip()), {})
        if len(_mentioned) > 10000:
            _mentioned.clear()
        operators = [name for name, sign in OPERATORS.items() if (sign in source or (name == "mul" and "@" in source)) and name not in tree]
        known = _mentioned[source] = tree, (*tree, *operators)
    return known


def starts_of(path):
    """Where a dotted name may begin: after a line break, too, since a comment may end in a dot."""
    return (0, *(found.end() for found in re.finditer(r"\.\s*\n\s*", path))) if "\n" in path else (0,)


def told(names, values):
    """{name: value}, None where there is none."""
    return {name: None if value is MISSING else value for name, value in zip(names, values)}


def pairs(items):
    """(a, b), (c, d), ... of what look(WHOLE) gives of a dict."""
    return zip(items[::2], items[1::2])


def number_text(value):
    """A number as an expression that gives it exactly."""
    if type(value) not in (bool, int, float) and hasattr(value, "item"):
        return numpy_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "wp.nan" if math.isnan(value) else "wp.inf" if value > 0 else "-wp.inf"
    return repr(int(value) if isinstance(value, enum.Enum) else value)


def numpy_text(value):
    """The same of a number of NumPy: Warp writes the digits that str() has, fewer than those of the equal float, but hashes that float."""
    number, digits = value.item(), str(value)
    if not isinstance(number, float) or not math.isfinite(number):
        return number_text(number)
    single = type(value).__name__ == "float32"
    if repr(float(digits)) != digits or (float(digits) != number and not single):
        raise Unknown(f"it is a number of NumPy, {value!r}")
    return digits


def plain(value):
    """A scalar of Warp as the number in it."""
    return getattr(value, "value", value)


def is_same(one, two):
    """Do two values of wp.static() stand for the same in a kernel?"""
    return one is two or (type(one) is type(two) and bool(one == two))


class World:
    """The objects that a kernel needs, in the form in which _native.keep_world takes them."""

    def __init__(self):
        self.trail = []  # (kind, thing, names, values, ...) of all that was read; None: it is not complete
        self.wp = warp()
        self.codegen = sys.modules["warp._src.codegen"]
        self.context = sys.modules["warp._src.context"]
        self.types = sys.modules["warp._src.types"]
        self.scalars = frozenset(self.types.scalar_and_bool_types)
        self.objects = []
        self.numbers = {}  # by id, of what is described once
        self.kept = []  # what the ids are of
        self.built = False  # a definition has values of wp.static() from a build

    # ---- reading ----

    def look(self, kind, thing, names=None):
        """Values that an object has, MISSING where it has none."""
        values = _native.look(kind, thing, names)
        if self.trail is not None:
            self.trail += (kind, thing, names, values)
        return values

    def forget_trail(self):
        """What is described may change unseen, or should not be kept alive."""
        self.trail = None

    # ---- objects ----

    def add(self, kind, text=None, key=None, native=None, of=None, names=(), definition=None):
        self.objects.append((kind, text, key, native, of, names, definition))
        return len(self.objects) - 1

    def expression(self, text, names=()):
        return self.add(EXPRESSION, text, names=names)

    def unknown(self, why):
        return self.add(UNKNOWN, why)

    def remember(self, thing, number):
        self.numbers[id(thing)] = number
        self.kept.append(thing)
        return number

    def value(self, value, said=None):
        """The number of an object; `said`: the attributes of it that are mentioned."""
        known = self.numbers.get(id(value))
        if known is not None:
            if said and self.objects[known][0] == FUNCTION:
                self.attributes(known, value, said)
            if said and self.objects[known][0] == ENUM:
                self.enum_functions(known, value, said)
            return known
        try:
            return self.describe(value, said or {})
        except Unknown as why:
            return self.unknown(str(why))
        except (MemoryError, Refused):
            raise
        except Exception as error:  # of the program's own object, of which something was asked
            self.forget_trail()
            return self.unknown(f"a look at it raises {type(error).__name__}")

    def describe(self, value, said):
        cls = type(value)
        if value is None or cls in (bool, int, str):
            return self.expression(repr(value))
        if cls is float:
            return self.expression(number_text(value))
        if cls is types.ModuleType:
            return self.module(value, said)
        if cls in (tuple, list):
            return self.sequence(value)
        if value is typing.Any:
            return self.expression("typing.Any")
        if cls is self.wp.Kernel:
            return self.namespace(value, said)
        if cls in self.scalars:
            return self.expression(f"wp.{cls.__name__}({number_text(self.scalar(value))})")
        if isinstance(value, (enum.IntEnum, enum.IntFlag)):
            return self.member(value)
        if isinstance(value, (bool, int, float, str)):
            raise Unknown(f"it is of the class {cls.__name__}, not a plain {'str' if isinstance(value, str) else 'number'}")
        if isinstance(value, self.context.Function):
            return self.function(value, said)
        if isinstance(value, self.codegen.StructInstance):
            return self.instance(value)
        if isinstance(value, types.ModuleType):
            return self.module(value, said)
        if isinstance(value, type) and issubclass(value, (enum.IntEnum, enum.IntFlag)):
            return self.enum_class(value, said)
        if hasattr(cls, "_wp_scalar_type_"):
            return self.composite(value)
        if isinstance(value, getattr(self.context, "GradWrapper", ())):
            return self.expression("wp.grad(f)", ("f", self.value(*self.look(ATTRIBUTES, value, ("func",)))))
        if isinstance(value, self.types.array_types):  # a live one: as the annotation of a parameter it is not described here
            return self.namespace(value, said)
        named = self.named(value)
        if named:
            return self.expression(named)
        try:
            return self.type(value)
        except Unknown:
            if said or not self.is_type(value):
                return self.namespace(value, said)
            raise

    def is_type(self, value):
        return isinstance(value, self.codegen.Struct) or self.types.is_array(value) or hasattr(value, "_wp_generic_type_str_")

    def named(self, value):
        """A function of Warp or of Python's math that is bound to a name of the program."""
        name = getattr(value, "__name__", None)
        if not callable(value) or not isinstance(name, str):
            return None
        if getattr(self.wp, name, None) is value and (isinstance(value, types.FunctionType) or name in ARRAY_CLASSES):
            return f"wp.{name}"
        if getattr(math, name, None) is value:
            return f"math.{name}"
        return name if getattr(builtins, name, None) is value else None

    def scalar(self, value):
        self.look(ATTRIBUTES, value, ("value",))
        number = plain(value)
        if type(value) is self.wp.float64 and type(number).__name__ == "float32":
            raise Unknown("it is a double with a float32 of NumPy in it")
        return number

    def sequence(self, items):
        if type(items) is list:
            self.look(WHOLE, items)
        if len(items) > MOST_ITEMS:
            raise Unknown(f"it is a {type(items).__name__} of more than {MOST_ITEMS} elements")
        names = []
        for i, item in enumerate(items):
            names += (f"a{i}", self.value(item))
        inner = ", ".join(names[::2])
        text = f"[{inner}]" if type(items) is list else f"({inner},)" if items else "()"
        return self.expression(text, tuple(names))

    def member(self, value):
        if getattr(type(value), "__members__", {}).get(value.name) is not value:
            raise Unknown(f"it is a combination of members of {type(value).__name__}")
        return self.expression(f"E.{value.name}", ("E", self.value(type(value))))

    def enum_class(self, cls, said):
        names = []
        for name, member in cls.__members__.items():
            names += (name, self.expression(repr(int(member))))
        number = self.remember(cls, self.add(ENUM, key=cls.__name__, names=tuple(names)))
        self.enum_functions(number, cls, said)
        return number

    def enum_functions(self, number, cls, said):
        """Warp functions in the body of an enum, as far as they are mentioned; they may mention the enum themselves."""
        known = self.objects[number][5][::2]
        new = tuple(name for name in said if name not in known)
        for name, value in zip(new, self.look(ATTRIBUTES, cls, new)):
            if isinstance(value, self.context.Function):
                function = self.value(value, said[name])
                kind, text, key, native, of, names, definition = self.objects[number]
                self.objects[number] = kind, text, key, native, of, (*names, name, function), definition

    def composite(self, value):
        try:
            self.look(BYTES, value)
        except TypeError:
            self.forget_trail()
        elements = []
        for part in value:
            elements += [number_text(plain(x)) for x in (part if hasattr(part, "__len__") else (part,))]
        text, names = self.type_text(type(value))
        return self.expression(f"{text}([{', '.join(elements)}])", names)

    def instance(self, value):
        self.forget_trail()
        names = []
        for name in value._cls.vars:
            names += (name, self.value(getattr(value, name)))
        return self.add(INSTANCE, of=self.value(value._cls), names=tuple(names))

    def module(self, module, said):
        known = KNOWN_MODULES.get(module.__name__)
        if known and sys.modules.get(module.__name__) is module:
            return self.expression(known)
        return self.namespace(module, said)

    def namespace(self, value, said):
        """Something of which attributes are used: a module, a class, any object."""
        names = []
        for (name, further), attribute in zip(said.items(), self.look(ATTRIBUTES, value, tuple(said))):
            if attribute is not MISSING:
                names += (name, self.value(attribute, further))
        if not isinstance(value, (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, self.wp.Kernel)):
            self.forget_trail()
        kind = NAMESPACE if isinstance(value, (type, types.ModuleType)) else OBJECT
        own = getattr(value, "__name__", None)
        return self.add(kind, key=own if isinstance(own, str) else f"<{type(value).__name__}>", names=tuple(names))

    # ---- types ----

    def type(self, value):
        if isinstance(value, self.codegen.Struct):
            return self.struct(value)
        text, names = self.type_text(value)
        number = self.expression(text, names)
        is_one = isinstance(value, type) or self.is_tile(value)  # what it is depends on which object it is
        return self.remember(value, number) if is_one else number

    def struct(self, struct):
        known = self.numbers.get(id(struct))
        if known is not None:
            return known
        names = []
        key, native, fields = self.look(ATTRIBUTES, struct, ("key", "native_name", "vars"))
        for name, var in pairs(self.look(WHOLE, fields)):
            names += (name, self.annotation(*self.look(ATTRIBUTES, var, ("type",))))
        return self.remember(struct, self.add(STRUCT, key=key, native=native, names=tuple(names)))

    def type_text(self, t):
        """(expression, what the names in it stand for) of a type."""
        if not isinstance(t, type):
            return self.array_text(t) if self.types.is_array(t) else self.find_type_text(t)
        known = _type_texts.get(t)
        if known is None:
            known = self.find_type_text(t)
            if not known[1]:
                _type_texts[t] = known
        return known

    def find_type_text(self, t):
        if isinstance(t, type) and t in (int, float, bool, str):
            return t.__name__, ()
        if isinstance(t, type) and t in self.scalars:
            return f"wp.{t.__name__}", ()
        if t is typing.Any:
            return "typing.Any", ()
        generic = getattr(t, "_wp_generic_type_str_", None)
        if generic and getattr(self.wp, t.__name__, None) is t:  # not the same class as the one that wp.types.vector() gives
            return f"wp.{t.__name__}", ()
        if generic:
            return self.composite_text(t, generic)
        if isinstance(t, self.codegen.Struct):
            number = self.struct(t)
            return f"S{number}", (f"S{number}", number)
        if isinstance(t, typing.TypeVar) and getattr(self.wp, t.__name__, None) is t:
            return f"wp.{t.__name__}", ()
        if t is typing.Callable or t is collections.abc.Callable or typing.get_origin(t) is collections.abc.Callable:
            return "typing.Callable", ()
        if t is typing.Tuple:
            return "typing.Tuple", ()
        if typing.get_origin(t) is tuple:
            parts = [self.type_text(a) if a is not ... else ("...", ()) for a in typing.get_args(t)]
            return f"tuple[{', '.join(p[0] for p in parts)}]", sum((p[1] for p in parts), ())
        if t is tuple:
            return "tuple", ()
        if self.is_tile(t):
            return self.tile_text(t)
        if isinstance(t, getattr(self.types, "Reference", ())) or type(t).__name__ == "Reference":
            text, names = self.type_text(*self.look(ATTRIBUTES, t, ("value_type",)))
            return f"wp.ref[{text}]", names
        name = getattr(t, "__name__", None)
        if isinstance(t, type) and name and getattr(self.wp, name, None) is t:
            return f"wp.{name}", ()
        raise Unknown(f"{t!r} is not a type that weft knows")

    def composite_text(self, t, generic):
        dtype, names = self.type_text(t._wp_scalar_type_)
        sizes = ["typing.Any" if n is typing.Any or n == 0 else str(n) for n in getattr(t, "_shape_", ())]
        if generic == "vec_t":
            return f"wp.types.vector(length={sizes[0]}, dtype={dtype})", names
        if generic == "mat_t":
            return f"wp.types.matrix(shape=({', '.join(sizes)}), dtype={dtype})", names
        if generic in ("quat_t", "transform_t"):
            return f"wp.types.{'quaternion' if generic == 'quat_t' else 'transformation'}(dtype={dtype})", names
        raise Unknown(f"{t!r} is not a type that weft knows")

    def array_text(self, t):
        cls = self.types.concrete_array_type(t).__name__
        element, ndim = self.look(ATTRIBUTES, t, ("dtype", "ndim"))
        dtype, names = self.type_text(element)
        if cls == "fixedarray":
            (shape,) = self.look(ATTRIBUTES, t, ("shape",))
            return f"wp.fixedarray(dtype={dtype}, shape={tuple(shape)})", names
        if cls not in ARRAY_CLASSES:
            raise Unknown(f"an array of the class {cls} is not one that weft knows")
        return f"wp.{cls}(dtype={dtype}, ndim={'typing.Any' if ndim is typing.Any else ndim})", names

    def is_tile(self, t):
        return isinstance(t, (getattr(self.types, "tile", ()), getattr(self.types, "tile_stack", ())))

    def tile_text(self, t):
        """Of an annotation as it was written: Warp itself changes the storage of tiles that need another."""
        element, shape, storage, layout, capacity = self.look(ATTRIBUTES, t, ("dtype", "shape", "storage", "layout", "capacity"))
        dtype, names = self.type_text(element)
        if capacity is not MISSING and isinstance(capacity, int):
            return f"wp.tile_stack(dtype={dtype}, capacity={capacity})", names
        if storage != "register" or layout != "rowmajor":
            raise Unknown(f"it is a tile with the storage '{storage}' and the layout '{layout}'")
        if shape is typing.Any:
            return f"wp.tile[{dtype}]", names
        if type(shape) is list:
            self.look(WHOLE, shape)
        return f"wp.tile(dtype={dtype}, shape=({', '.join(map(str, shape))},))", names

    # ---- definitions ----

    def names_of(self, function, code, source):
        """(closure, globals) of a function, as far as its text mentions them."""
        tree, names = names_in(source)
        around = {}  # without variables that have no value yet
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            (around[name],) = self.look(ATTRIBUTES, cell, ("cell_contents",))
        closure, found = [], []
        for name, value in zip(names, self.look(ITEMS, function.__globals__, names)):
            if around and name in around:
                self.bind(closure, name, around[name], tree.get(name))
            if value is not MISSING:
                self.bind(found, name, value, tree.get(name))
        return tuple(closure), tuple(found)

    def bind(self, names, name, value, said):
        """Gives a name a meaning; where no text mentions it (None), it is one of OPERATORS, and only a function counts."""
        if value is not MISSING and (said is not None or isinstance(value, self.context.Function)):
            names += (name, self.value(value, said))

    def definition(self, adj):
        """(source, names and types of the parameters, the parts that a kernel and a function have in common)"""
        function, source, path, line, arg_types, resolved, transformers = self.look(ATTRIBUTES, adj, OF_ADJOINT)
        (code,) = self.look(ATTRIBUTES, function, OF_CODE)
        params, returns = [], None
        for name, t in pairs(self.look(WHOLE, arg_types)):
            if name == "return":
                returns = self.value(t)
            else:
                params += (name, self.annotation(t))
        statics = []
        for text, value in pairs(self.look(WHOLE, resolved)):
            statics += (text, self.value(value))
        self.built |= self.look(TRUTHS, adj, ("deferred_static_expressions",))[0]
        line, written = line or code.co_firstlineno, None
        if transformers and transformers is not MISSING:
            self.forget_trail()  # a tree is not looked at again
            path, line, source, written = f"{path} (transformed from line {line})", 1, ast.unparse(adj.tree) + "\n", source
        closure, module = self.names_of(function, code, source)
        parts = {
            "path": path,
            "line": line,
            "written": written,
            "closure": closure,
            "globals": module,
            "statics": tuple(statics),
            "returns": returns,
            "refused": "is changed by code transformers, and has values of wp.static() that are not numbers"
            if written is not None and ("static(" in source or any(type(value) not in (bool, int, float) for value in resolved.values()))
            else "has the same wp.static() expression twice, with different values"
            if statics and written is None and self.statics_differ(adj)
            else None,
        }
        return source, tuple(params), parts

    def statics_differ(self, adj):
        """Has the same wp.static() expression several values? Warp keeps one of them by its text, and each where it stands in the tree."""
        if adj.source.count("static") <= len(adj.resolved_static_expressions):
            return False
        self.forget_trail()  # the tree is not looked at again
        found = {}
        for node in ast.walk(adj.tree):
            if isinstance(node, ast.Constant) or hasattr(node, "warp_func"):
                text = ast.get_source_segment(adj.source, node) or ""
                if "static" in text:
                    value = getattr(node, "warp_func", None) or getattr(node, "value", None)
                    if not is_same(found.setdefault(text, value), value):
                        return True
        return False

    def annotation(self, t):
        known = self.numbers.get(id(t))
        if known is not None:
            return known
        try:
            return self.type(t)
        except Unknown as why:
            return self.unknown(str(why))

    def attributes(self, number, f, said):
        """What the program has put onto a function, as far as it is mentioned."""
        names = self.objects[number][6].get("attributes", ())
        new = tuple(name for name in said if name not in names[::2])
        for name, value in zip(new, self.look(ATTRIBUTES, f, new)):
            if value is not MISSING:
                names += (name, self.value(value, said[name]))
        self.objects[number][6]["attributes"] = names

    def function(self, f, said):
        if f.is_builtin():
            if getattr(self.wp, f.key, None) is None:
                raise Unknown(f"weft does not know the builtin '{f.key}'")
            return self.expression(f"wp.{f.key}")
        if getattr(self.wp, f.key, None) is f:  # one that Warp ships
            return self.expression(f"wp.{f.key}")
        number = self.remember(f, self.unknown("it is not a function as Warp makes them"))  # unless it is
        has = told(OF_FUNCTION, self.look(ATTRIBUTES, f, OF_FUNCTION))
        source, params, parts = self.definition(has["adj"])
        parts.update(self.function_parts(has))
        self.objects[number] = (FUNCTION, source, has["key"], has["native_func"], None, params, parts)
        if said:
            self.attributes(number, f, said)
        return number

    def function_parts(self, has):
        adj = told(OF_FUNCTION_ADJOINT, self.look(ATTRIBUTES, has["adj"], OF_FUNCTION_ADJOINT))
        defaults, overloads = [], []
        for name, value in pairs(self.look(WHOLE, has["defaults"])):
            defaults += (name, self.value(value))
        for several in (has["user_overloads"], has["user_templates"]):
            for _, overload in pairs(self.look(WHOLE, several)):
                if self.look(ATTRIBUTES, overload, ("generic_parent",))[0] is None:
                    overloads.append(self.value(overload))
        grad, replay = has["custom_grad_func"], has["custom_replay_func"]
        return {
            "defaults": tuple(defaults),
            "overloads": tuple(overloads),
            "snippet": has["native_snippet"],
            "adj_snippet": has["adj_native_snippet"],
            "replay_snippet": has["replay_snippet"],
            "custom_grad": self.value(grad) if grad else None,
            "custom_replay": self.value(replay) if replay else None,
            "forceinline": has["inline_hint"] == "forceinline",
            "noinline": has["inline_hint"] == "noinline",
            "skip_forward": adj["skip_forward_codegen"],
            "skip_reverse": adj["skip_reverse_codegen"],
            "custom_reverse": adj["custom_reverse_mode"],
            "custom_reverse_inputs": max(adj["custom_reverse_num_input_args"], 0),
            "used_by_backward": adj["used_by_backward_kernel"],
            "force_adjoint": adj["force_adjoint_codegen"],
            "uses_grad": adj["uses_grad_call"],
        }

    def kernel(self, kernel):
        adj, options, module, key, returned = _native.look(ATTRIBUTES, kernel, OF_KERNEL)
        self.trail += (ATTRIBUTES, None, OF_KERNEL, (adj, options, module, key, returned))  # None: the kernel itself
        number = self.add(KERNEL)
        source, params, parts = self.definition(adj)
        options = dict(pairs(self.look(WHOLE, options)))
        parts.update(self.module_parts(module))
        parts.update(self.option_parts(options, module.options))
        if parts["cluster_dim"] and options.get("cluster_dim") is None:
            parts["options"] += ("cluster_dim", self.value(parts["cluster_dim"]))
        parts["built_first"] = parts["built_first"] or self.built
        if returned is not None and returned is not MISSING:
            parts["refused"] = "returns a value"
        if options.get("entry_point_abi", "warp") != "warp":
            parts["refused"] = "has an entry point of another form than Warp's usual one"
        self.objects[number] = (KERNEL, source, key, None, None, params, parts)
        return number

    def option_parts(self, options, of_module):
        """Options of a kernel. Some kernels repeat those of their module, which say nothing new but are hashed."""
        names = sorted(options)
        if not names:
            return {"options": (), "option_text": ""}
        repeated = told(names, self.look(ITEMS, of_module, tuple(names)))
        own = [name for name in names if options[name] is not None and not (name in of_module and is_same(options[name], repeated[name]))]
        own = [name for name in own if name != "block_dim"]  # see compile_kernel
        other = [name for name in own if name in of_module and name != "enable_backward"]
        parts = {
            "options": tuple(x for name in own for x in (name, self.value(options[name]))),
            "option_text": "".join(f"{name}:{options[name]}" for name in names),
        }
        if other:
            parts["refused"] = f"has an option '{other[0]}' of its own, which weft does not know"
        return parts

    def module_parts(self, module):
        options, unresolved = self.look(ATTRIBUTES, module, OF_MODULE)
        options = told(OF_OPTIONS, self.look(ITEMS, options, OF_OPTIONS))
        config = told(OF_CONFIG, self.look(ATTRIBUTES, self.wp.config, OF_CONFIG))
        stride, deterministic, cluster = options["default_grid_stride"], options["deterministic"], options["cluster_dim"]
        unusual = {
            "mode": (options["mode"] or config["mode"]) != "release",
            "lineinfo": bool(options["lineinfo"]),
            "deterministic": deterministic is not None and getattr(deterministic, "name", "") != "NOT_GUARANTEED",
            "max_unroll": options["max_unroll"] < 0,
            "cluster_dim": not (cluster is None or (type(cluster) is int and 1 <= cluster <= 16)),
        }
        unusual = [name for name, is_so in unusual.items() if is_so]
        if stride is None:
            stride = config["default_grid_stride"]
        return {
            "module_backward": options["enable_backward"],
            "max_unroll": max(int(options["max_unroll"]), 0),
            "grid_stride": True if stride is None else stride,
            "strip_hash": options["strip_hash"] or False,
            "component_overwrites": config["enable_vector_component_overwrites"],
            "built_first": unresolved,
            "cluster_dim": cluster if cluster != 1 else None,
            "unsupported": f"the module option '{unusual[0]}'" if unusual else None,
        }


# ---- which kernels ----


class Undecorated:
    """What Warp would make of a function under @wp.kernel, without registering it anywhere."""

    def __init__(self, function):
        codegen, context = sys.modules["warp._src.codegen"], sys.modules["warp._src.context"]
        self.func, self.options = function, {}
        self.key = codegen.make_full_qualified_name(function)
        self.module = context.user_modules.get(function.__module__) or context.Module(function.__module__, None)
        self.adj = codegen.Adjoint(function)
        self.adj.arg_types.pop("return", None)
        self.is_generic, self.overloads = False, {}


_GIVEN = "a kernel is given as a wp.Kernel, as a function that @wp.kernel would take, as source text, or as a path of a file (pathlib.Path)"


def _kind_of(thing):
    wp = sys.modules.get("warp")
    is_lambda = isinstance(thing, types.FunctionType) and thing.__name__ == "<lambda>"
    is_function = wp is not None and isinstance(thing, wp.Function)
    return "a lambda" if is_lambda else "a wp.Function, which has no text of its own" if is_function else f"{type(thing).__name__}"


def _undecorated(function):
    """A kernel of a plain function; Warp says what is wrong with one."""
    try:
        return Undecorated(function)
    except Exception as error:
        raise CompileError(f"@wp.kernel would not take the function '{function.__name__}': {error}", kernel=function.__name__) from error


def kernels_of(thing):
    """The kernels that an object stands for; of a generic one its overloads."""
    if not isinstance(thing, types.FunctionType) and "warp" not in sys.modules or getattr(thing, "__name__", "") == "<lambda>":
        raise TypeError(f"{_GIVEN}, not {_kind_of(thing)}")
    wp = _arguments.needs_warp("compiling a Python function")
    if isinstance(thing, wp.Kernel):
        return list(thing.overloads.values()) if thing.is_generic else [thing]
    if isinstance(thing, types.FunctionType):
        return [_undecorated(thing)]
    if isinstance(thing, wp.Module):
        return [k for kernel in thing._get_live_kernels() for k in kernels_of(kernel)]
    if isinstance(thing, types.ModuleType):
        found = dict.fromkeys(v for v in vars(thing).values() if isinstance(v, wp.Kernel))
        return [k for kernel in found for k in kernels_of(kernel)]
    raise TypeError(f"{_GIVEN}, not {_kind_of(thing)}")


def describe(kernel):
    """(trail, world, version): what the kernel needs, for _native.compile_kept, and the version of Warp."""
    world = World()
    world.look(ITEMS, sys.modules, ("warp",))
    world.look(ATTRIBUTES, world.wp, ("__version__",))
    version = warp_version()
    number = world.kernel(kernel)
    trail = tuple(world.trail) if world.trail else None
    described = trail, _native.keep_world(world.objects, number, trail), version
    if trail:
        kernel.__dict__[KEPT] = described
    else:
        kernel.__dict__.pop(KEPT, None)
    return described


def compile_kernel(kernel, cuda, cpu, backward, block_dim=0):
    """What _native.compile gives, for a live kernel; block_dim: of the module that it is built in, 0: the usual one of each device.

    A kernel's own block_dim changes only its entry points for the CPU; its tiles are those of the module.
    """
    blocks = cpu and (kernel.options.get("block_dim") or block_dim or 1) != 1
    kept = kernel.__dict__.get(KEPT)
    found = kept and _native.compile_kept(kept, kernel, cuda, cpu, backward, block_dim, blocks)
    return found or _native.compile_kept(describe(kernel), None, cuda, cpu, backward, block_dim, blocks)
