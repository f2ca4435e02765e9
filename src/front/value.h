/* The value of a module-level name, as far as it can be told without running Python.
 *
 * Values are immutable once made, but for lists and dicts, which Python can change. VALUE_UNKNOWN stands for something that exists in the
 * real program but that weft cannot compute; it is an error only where a kernel needs it. */
#ifndef WEFT_FRONT_VALUE_H
#define WEFT_FRONT_VALUE_H

#include "front/ast.h"
#include "lang/builtin.h"
#include "lang/type.h"

typedef struct Func Func;
typedef struct Kernel Kernel;
typedef struct Scope Scope;
typedef struct File File;

typedef enum ValueKind {
#define VALUE(kind, words) VALUE_##kind,
#include "front/value.def"
#undef VALUE
} ValueKind;

/* Numbers and strings have memory for their own members alone (new_sized in value.c), so that a module may have millions of them.
 * No other member of the union is read of such a value, and it is not copied by assignment. */
typedef struct Value Value;

/* A value that is not known may still be one of these (objects.def). */
typedef enum ObjectKind {
    OBJECT_UNSURE,
    OBJECT_ARRAY,
    OBJECT_NUMPY,
    OBJECT_NUMPY_ANY,
    OBJECT_RANDOM,
    OBJECT_OTHER,
} ObjectKind;

/* A number as Python has it: an integer or a float. */
typedef struct Number {
    bool is_int;
    BigInt integer;
    double real;
} Number;

typedef struct EnumClass {
    Name name;
    Name *member_names;
    const Value **members;
    uint32_t count, cap, value_cap;
    const Scope *scope; /* of its body, with the functions in it; NULL: none */
} EnumClass;

/* The names that a program gave a function; NULL: those of its definition. */
typedef struct FunctionNames {
    const Value *name, *qualname;
} FunctionNames;

typedef struct PythonFunc {
    const Node *def;    /* FUNCTION_DEF or LAMBDA */
    const Scope *scope; /* where it was defined */
    const Value **defaults;
    const char *qualname; /* of its definition: what is defined inside has it before its name */
    FunctionNames *names;
    bool is_property;     /* an attribute asks for what it returns */
    bool is_wrapper;      /* functools.wraps() made it look like another function */
    const Value *results; /* of a function with @functools.cache: a dict by arguments; NULL: it has none */
} PythonFunc;

struct Value {
    ValueKind kind;
    bool of_variable;  /* TYPE: in wp.static(), it stands for a variable of that type */
    bool is_module;    /* KERNEL: not the kernel but its module */
    ObjectKind object; /* UNKNOWN: if anything, no constant of Warp */
    bool wrong;        /* UNKNOWN: the source is wrong, it is not merely beyond weft */
    union {
        struct {
            const char *reason; /* UNKNOWN: completes "… is not known: " */
            const Type *array;  /* of an array that a program makes; NULL: it is none, or its type is not known */
            bool outside;       /* from a package that has nothing of Warp (packages.def) */
        };
        bool truth;
        BigInt integer;
        double real;
        struct {
            const char *text;
            uint32_t len;
        } str;
        struct {
            const Type *type;
            Number number;
            bool as_single; /* a float32 of NumPy, with fewer digits as text */
        } scalar;           /* NUMPY, too */
        struct {
            const Type *type;
            Number *elements;
            uint32_t count;
        } composite;
        struct {
            const Type *type;
            const Value **fields;
        } instance;
        struct {
            const EnumClass *cls;
            Name name;
            BigInt value;
        } member;
        struct {
            const Value **items;
            uint32_t count, room; /* room: of items that are this list's own; 0: none is */
            Value *appendable;    /* a LIST itself */
        } sequence;               /* TUPLE, LIST */
        struct {
            const Value **keys, **values;
            uint32_t count, room;
            Value *changeable;  /* the dict itself */
            const char *unsure; /* why what is in it is not known; NULL: it is */
            bool is_set;        /* a set of the keys */
        } dict;
        struct {
            const Type *type;
            const Scope *members; /* Warp functions of a class that is derived from a type; NULL: it has none */
            /* TYPE: by which call a function such as wp.types.vector() made it. Warp keeps the classes that these make by the
             * arguments as they were given, so that equal types may be two; each counts in a kernel's hash. NULL: one that has a
             * name in Warp. */
            const char *made_by;
        };
        Func *func;
        const Value *grad_of; /* GRAD: VALUE_FUNC or VALUE_BUILTIN */
        const BuiltinSet *builtin;
        Kernel *kernel;
        EnumClass *enum_class;
        struct {
            Name name;
            Scope *scope;
            const struct Value *base; /* whose attributes it has, too; NULL: none */
            bool derived;             /* of bases that are not followed */
            bool is_object; /* not a class but one of its objects: a kernel can call functions that it has, no more */
            const Node *dataclass;    /* the definition, of @dataclass; NULL: it is none */
            bool is_frozen;           /* a dataclass whose objects do not change */
            struct Value *changeable; /* of an object that a constructor makes: itself; NULL: of any other */
        } class_object;
        const PythonFunc *python;
        const char *module; /* MODULE: its dotted name, from known_module() */
        const File *file;
        struct {
            const char *name;
            int id;
        } intrinsic;
    };
};

const Value *value_unknown(Arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where Python or Warp would raise an error. */
const Value *value_wrong(Arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
const Value *value_none(void);
const Value *value_bool(bool truth);
const Value *value_int(Arena *, BigInt integer);
const Value *value_float(Arena *, double real);
const Value *value_str(Arena *, const char *text, uint32_t len);
const Value *value_number(Arena *, Number number);
const Value *value_scalar(Arena *, const Type *type, Number number);
const Value *value_type(Arena *, const Type *type);
const Value *value_of_variable(Arena *, const Type *type);    /* a type, where a variable is meant */
const Value *value_known_module(Arena *, const char *module); /* module: from known_module() */
const Value *value_file(Arena *, const File *file);
const Value *value_sequence(Arena *, ValueKind kind, const Value **items, uint32_t count);
/* Rounds the elements to the element type, as storing them in memory does. */
const Value *value_composite(Arena *, const Type *type, const Number *elements, uint32_t count);
const Value *composite_element(Arena *, const Value *composite, uint32_t index); /* as Python gives it */

/* A value that may stand in generated code as a constant (Warp's is_value). */
bool value_is_constant(const Value *);
/* int, float, bool and IntEnum members as Python sees them; scalars too when `unwrap`. */
bool value_as_number(const Value *, bool unwrap, Number *out);
bool value_as_int(const Value *, BigInt *out); /* int, bool, enum member */
bool value_is_true(const Value *, bool *known);

/* The type a variable gets that holds this constant: int32 for a Python int, and so on. NULL: none. */
const Type *value_variable_type(const Value *);
const char *value_kind_name(ValueKind kind); /* for messages: "a Python list" */

double round_to_type(double value, TypeKind kind);
double round_half(double value); /* to float16 and back */
double round_bfloat16(double value);
BigInt wrap_to_type(BigInt value, TypeKind kind);
BigInt wrap_bits(BigInt value, unsigned bits, bool is_signed); /* as two's complement of so many bits */
BigInt truncate_real(double value);                            /* towards zero; 0 for what has no integer value */
void text_bigint(Text *out, BigInt value);

#endif
