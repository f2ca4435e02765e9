/* The builtin table: one row per overload of a function that Warp provides.
 *
 * `builtins.def` is the language as data. A row reads
 *
 *     BUILTIN(1_16, NEWEST, "curlnoise", "state:uint32, xy:vec(2,float32), octaves:uint32=1u, gain:float=0.5",
 *             "vec(2,float32)", "curlnoise", FLAGS, "Random")
 *
 * first and last version of Warp, name, parameters, result, native name, flags, group. See docs/how-to/add-a-builtin.md. The rows of a name
 * are parsed when it is first asked for: a small file needs a dozen of a thousand, and all of them would take 0.3 ms. So a table
 * serves one thread at a time. */
#ifndef WEFT_LANG_BUILTIN_H
#define WEFT_LANG_BUILTIN_H

#include "lang/dialect.h"
#include "lang/type.h"

enum {
    BUILTIN_NO_ADJOINT = 1,   /* no reverse call is generated */
    BUILTIN_SKIP_REPLAY = 2,  /* left out when the forward pass is replayed */
    BUILTIN_NEEDS_OUTPUT = 4, /* the reverse call also gets the forward result */
    BUILTIN_GLOBAL = 8,       /* native function outside the namespace wp:: */
    BUILTIN_HIDDEN =
        16, /* not an attribute of the warp module: only reached as wp.NAME(...) in a call, or by the compiler */
    BUILTIN_VARIADIC = 32, /* its arguments are not checked; set by the table reader where there is a *parameter */
    BUILTIN_ADJOINT_TEMPLATE = 64, /* the reverse call has the template arguments, too */
    BUILTIN_HASHED = 128,          /* its native functions are part of the hash of a kernel that calls it by name */
};

/* How the result type is found. RESULT_LISTED: from the result column's types, in which T is the one scalar
 * type of all arguments. The others are "@name" in the column, but for those that are RULE_UNNAMED. */
typedef enum ResultRule {
#define RULE(name, result, dispatch, traits) RESULT_##name,
#include "lang/rule.def"
#undef RULE
    RESULT_RULE_COUNT
} ResultRule;

enum RuleTrait {
    RULE_BY_TYPES = 1,    /* the result follows from the types of the arguments alone */
    RULE_GRAD = 2,        /* wp.grad() knows what to do with it */
    RULE_CALLED_ONLY = 4, /* a builtin of this rule cannot be passed as a function */
    RULE_UNNAMED = 8,     /* the result column has another way to say it than "@name" */
    RULE_PAIR = 16        /* there are two results */
};

/* A default value: what stands after `=` in a parameter. */
typedef enum DefaultKind {
    DEFAULT_NONE,
    DEFAULT_OMITTED /* "None" */,
    DEFAULT_INT,
    DEFAULT_UINT,
    DEFAULT_FLOAT,
    DEFAULT_BOOL,
    DEFAULT_STR, /* 'register' */
    DEFAULT_TYPE /* "float": Python's own */
} DefaultKind;

typedef struct BuiltinParam {
    const char *name;
    const Type *type; /* may be generic; vec(*,Scalar) has length TYPE_DIM_ANY */
    bool variadic;    /* *args */
    bool is_dtype;    /* Any-typed, bound to a type rather than a value: "dtype:type" */
    DefaultKind default_kind;
    double default_value;
    const char *default_text; /* STR */
} BuiltinParam;

typedef struct Builtin {
    const char *name, *native, *group;
    uint32_t native_len;
    unsigned flags;
    const BuiltinParam *params;
    uint32_t param_count;
    ResultRule rule;
    const Type **results;  /* RESULT_LISTED; T is type_scalar(TYPE_ANY_SCALAR) */
    uint32_t result_count; /* as promised to a tuple assignment: > 1 only for several results */
    bool result_uses_arg_scalar;
    uint32_t row; /* line of the table, for messages and tests */
} Builtin;

typedef struct BuiltinSet { /* the overloads of one name, variadic ones last, otherwise in table order */
    const char *name;
    const Builtin **overloads;
    uint32_t count;               /* 0: its rows have not been read */
    unsigned flags;               /* of any overload */
    uint32_t first_row, last_row; /* of all rows: of the dialect's, this name's, and of others in between */
} BuiltinSet;

typedef struct BuiltinTable BuiltinTable;

/* Reads the rows of the table that the dialect has. `types` gives it the types it needs; both must outlive it. */
BuiltinTable *builtins_new(Arena *arena, TypeTable *types, const Dialect *dialect);
TypeTable *builtins_types(const BuiltinTable *); /* for tables that go on from it */
const Dialect *builtins_dialect(const BuiltinTable *);
const BuiltinSet *builtin_find(const BuiltinTable *, const char *name, size_t len);
bool builtin_is_hidden(const BuiltinTable *, const char *name, size_t len); /* or unknown; reads no row */
/* For whoever has no table: does the dialect have a builtin of this name? */
bool builtin_is_known(const Dialect *, const char *name);

/* For tests and tools: every set, in order of first appearance. */
uint32_t builtin_set_count(const BuiltinTable *);
const BuiltinSet *builtin_set_at(const BuiltinTable *, uint32_t index);
/* One JSON line per overload: {"name","params":[[name,type,default]],"result","native","flags":[…],"group"}. */
void builtins_dump(const BuiltinTable *, Text *out);

#endif
