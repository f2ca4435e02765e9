/* Private to this room: what a text says. lex.c makes tokens of it, types.c, declare.c and expression.c a typed tree, builtin.c
 * knows CUDA's own functions, header.c those of weft_math.cuh. generate*.c make code of the tree (code.h), which run.c runs.
 *
 * Memory is counted in cells: a number or pointer of any type takes one, a struct or array those of its parts. So places are the
 * same whether floats are rounded or wide, and one code serves both. */
#ifndef WEFT_CUDA_SYNTAX_H
#define WEFT_CUDA_SYNTAX_H

#include "base/name.h"
#include "cuda/cuda.h"

/* ---- words ---- */

typedef enum Word { /* names that mean something in the language */
                    WORD_NONE,
#define WORD(name, text) WORD_##name,
#include "cuda/word.def"
#undef WORD
                    WORD_COUNT
} Word;

/* ---- types ---- */

typedef enum CudaKind {
    CUDA_VOID,
    CUDA_BOOL,
    CUDA_I8,
    CUDA_U8,
    CUDA_I16,
    CUDA_U16,
    CUDA_I32,
    CUDA_U32,
    CUDA_I64,
    CUDA_U64,
    CUDA_F32,
    CUDA_F64,
    CUDA_SCALARS, /* so many of them */
    CUDA_STRUCT = CUDA_SCALARS,
    CUDA_POINTER,
    CUDA_ARRAY,
    CUDA_LIST /* of an initializer in braces that has no type yet */
} CudaKind;

typedef struct CudaType CudaType;
typedef struct CudaField {
    Name name;
    const CudaType *type;
    uint32_t offset, cell; /* in bytes, as a compiler has it; in cells */
} CudaField;

struct CudaType {
    CudaKind kind;
    CudaKind stored; /* of scalars behind a pointer that was cast, (int *)x: what the cell holds; otherwise VOID */
    uint32_t size, align, cells;
    uint32_t depth;     /* of types within it */
    bool has_pointers;  /* it is one, or some are within it */
    const CudaType *of; /* POINTER, ARRAY */
    uint32_t count;     /* ARRAY */
    CudaField *fields;  /* STRUCT */
    uint32_t field_count, field_cap;
    Word shape; /* of weft_math.cuh's types: VEC, MAT, QUAT, TRANSFORM; their numbers, */
    const CudaType *scalar;
    uint32_t rows, cols;
    CudaType *next_shape; /* and the next such type */
    CudaType *pointer;    /* to it, once it was asked for */
    const uint8_t *kinds; /* CudaKind of each of its cells, once it was asked for */
};

static inline bool is_scalar(const CudaType *type)
{
    return type->kind < CUDA_SCALARS && type->kind != CUDA_VOID;
}
static inline bool is_real(const CudaType *type)
{
    return type->kind == CUDA_F32 || type->kind == CUDA_F64;
}
static inline bool is_aggregate(const CudaType *type)
{
    return type->kind == CUDA_STRUCT || type->kind == CUDA_ARRAY;
}

/* The value that a type of whole numbers has room for. */
static inline int64_t wrap_whole(CudaKind kind, int64_t whole)
{
    switch (kind) {
    case CUDA_BOOL: return whole != 0;
    case CUDA_I8: return (int8_t)whole;
    case CUDA_U8: return (uint8_t)whole;
    case CUDA_I16: return (int16_t)whole;
    case CUDA_U16: return (uint16_t)whole;
    case CUDA_I32: return (int32_t)whole;
    case CUDA_U32: return (uint32_t)whole;
    default: return whole;
    }
}

/* ---- tokens ---- */

typedef enum TokenKind { CT_END, CT_NAME, CT_NUMBER, CT_TEXT, CT_SIGN } TokenKind;
typedef struct Token {
    TokenKind kind;
    Word word;     /* NAME */
    uint32_t sign; /* SIGN: see SIGN2 */
    uint32_t length;
    Name name; /* NAME */
    const char *text;
} Token;
#define SIGN2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

/* ---- expressions ---- */

/* Where a value lies while code is made. A slot is a cell of the frame; negative: a constant. */
typedef struct Place {
    bool is_pointer; /* slot holds a pointer to it; otherwise it begins there */
    int32_t slot, index;
    uint32_t offset; /* behind the pointer; index: a slot with cells to add, or ZERO_SLOT */
} Place;

typedef struct Variable {
    Name name;
    const CudaType *type;
    bool is_reference;
    bool is_changed;             /* something is assigned to it, or it has an address */
    const struct Node *constant; /* of a loop that is written out: its number; otherwise NULL */
    Place place;
} Variable;

typedef enum NodeOp {
    /* places */
    ON_VARIABLE,
    ON_FIELD, /* `cell` behind a */
    ON_DEREF,
    ON_INDEX, /* a[b], a being an array */
    ON_STEP,  /* a[b], a being a pointer */
    /* values that are built */
    ON_BRACES,
    ON_CALL,
    /* other values */
    ON_NUMBER,
    ON_THREAD,
    ON_ADDRESS,
    ON_CONVERT,
    ON_NEGATE,
    ON_NOT,
    ON_INVERT,
    ON_BINARY, /* `sign`; both have the same type */
    ON_COMPARE,
    ON_AND,
    ON_OR,
    ON_CHOICE,
    ON_ASSIGN,
    ON_CHANGE, /* a = (type of b)a `sign` b; value: the place, or with is_post what it was */
    ON_BUILTIN,
    ON_LIST
} NodeOp;

typedef union CudaNumber {
    double real;
    int64_t whole; /* of a pointer, see code.h */
} CudaNumber;

typedef struct Node Node;
typedef struct Init { /* of a part of what braces build */
    uint32_t cell;
    const Node *value;
} Init;

struct Node {
    NodeOp op;
    bool is_post;
    uint32_t sign, cell, count;
    const CudaType *type;
    union {
        struct {
            const Node *a, *b, *c;
        };
        struct { /* NUMBER: rounded to its type; as floats are when they are wide */
            CudaNumber number, wide;
        };
        const Node **args; /* CALL, BUILTIN, LIST */
        Init *inits;       /* BRACES */
    };
    union {
        Variable *variable;
        CudaFunction *function;
        const struct Builtin *builtin;
    };
};

/* ---- statements and functions ---- */

typedef enum StatementKind {
    DO_NOTHING,
    DO_VALUE,
    DO_DECLARE,
    DO_BLOCK,
    DO_IF,
    DO_LOOP,
    DO_BREAK,
    DO_CONTINUE,
    DO_RETURN
} StatementKind;
typedef struct Statement {
    StatementKind kind;
    bool body_first;                    /* LOOP: do … while */
    bool is_group;                      /* BLOCK: without braces, `int a = 1, b = 2;` */
    const Node *value, *step;           /* LOOP: condition (NULL: always) and step */
    Variable *variable;                 /* DECLARE */
    struct Statement *body, *otherwise; /* LOOP: otherwise is what comes first */
    struct Statement *next;
} Statement;

struct CudaFunction {
    Name name;
    bool is_kernel, gives_reference;
    bool has_pointers;      /* among its parameters, so that it may write anywhere */
    bool is_open;           /* its calls are being replaced by its code */
    const CudaType *result; /* of a reference: a pointer */
    Variable **params;
    uint32_t param_count, param_cap;
    Statement *body;
    uint32_t extremes; /* bits of parameters that atomic extrema update */
    const struct Code *code;
    const struct HeaderPart *part; /* of weft_math.cuh, whose template it was made from; NULL: it is the text's own */
    struct CudaFunction *next;     /* of the same name */
};

typedef struct Meaning { /* of a name, outside of functions */
    Word word;
    bool is_extreme; /* of atomics: a function for the smallest or largest value */
    const CudaType *type;
    CudaFunction *functions;
    const Node *constant;
    const struct Builtin *builtin;
    struct HeaderPart *header; /* the definitions that weft_math.cuh has of it */
} Meaning;

struct CudaText {
    Arena *arena;
    NameTable names;
    Meaning *meanings; /* by the number of the name */
    uint32_t meaning_count, meaning_cap;
    Token *tokens;
    uint32_t token_count, token_cap, at;
    CudaType scalars[CUDA_SCALARS], list;
    CudaFunction *kernels[2];
    bool has_header;     /* it includes weft_math.cuh */
    bool is_half_closed; /* the first half of >> has closed a list */
    uint32_t in_header;  /* how many of its functions are being read, one in another */
    CudaType *shapes;    /* vectors, matrices and so on, as far as they were asked for */
    /* while a function is read */
    CudaFunction *current;
    Variable **locals;
    uint32_t local_count, local_cap, depth;
    const char *why;
    jmp_buf failed;
};

_Noreturn void cannot(CudaText *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- lex.c ---- */
void define_words(CudaText *t);
void read_tokens(CudaText *t, const char *text);
static inline Token *cuda_token(CudaText *t)
{
    return &t->tokens[t->at];
}
static inline bool at_sign(CudaText *t, uint32_t sign)
{
    return cuda_token(t)->sign == sign; /* other tokens have none */
}
static inline bool at_word(CudaText *t, Word word)
{
    return cuda_token(t)->word == word;
}
static inline bool take_sign(CudaText *t, uint32_t sign) /* if it is there */
{
    bool found = at_sign(t, sign);
    t->at += found;
    return found;
}
static inline bool take_word(CudaText *t, Word word)
{
    bool found = at_word(t, word);
    t->at += found;
    return found;
}
void read_part_tokens(CudaText *t, const char *text, const char *end); /* of a definition of weft_math.cuh */
void expect_sign(CudaText *t, uint32_t sign);
Name next_name(CudaText *t);
void skip_braces(CudaText *t); /* from { to } */
/* Around everything that can hold itself: whoever enters leaves again. */
void enter_text(CudaText *t);

/* ---- types.c ---- */
Meaning *meaning_of(CudaText *t, Name name);
void define_types(CudaText *t);
bool at_type(CudaText *t);
const CudaType *read_type(CudaText *t);                           /* without * and & behind it */
const CudaType *read_pointers(CudaText *t, const CudaType *type); /* *, const */
const CudaType *pointer_to(CudaText *t, const CudaType *type);
const CudaType *array_of(CudaText *t, const CudaType *type, uint32_t count);
const CudaType *stored_as(CudaText *t, const CudaType *type, CudaKind stored);
void add_field(CudaText *t, CudaType *type, Name name, const CudaType *field);
void finish_struct(CudaType *type);
const uint8_t *kinds_of(Arena *arena, const CudaType *type); /* of its cells */

const CudaType *shape_of(CudaText *t, Word shape, const CudaType *scalar, uint32_t rows, uint32_t cols);
void add_shape(CudaText *t, CudaType *type, Word shape, const CudaType *scalar, uint32_t rows, uint32_t cols);

/* ---- header.c: what weft_math.cuh defines, read when a text asks for it ---- */
void attach_header(CudaText *t);
const CudaType *named_type(CudaText *t, Name name); /* NULL: there is none */
bool at_template_type(CudaText *t);
const CudaType *read_template_type(CudaText *t); /* mat<float, 3, 3>; NULL: there is none of these */
const Node *read_part_count(CudaText *t);
/* The function of that name for these arguments; `given`: the type in f<TYPE>(…), or NULL. NULL: there is none. */
CudaFunction *header_function(CudaText *t, Name name, const CudaType *given, const Node **args, uint32_t count);
CudaFunction *choose(CudaText *t, Name name, const Node **args, uint32_t count, uint32_t *best_cost);
bool has_header_function(CudaText *t, Name name);
Node *component_node(CudaText *t, const Node *base, const Node *index);

/* ---- declare.c ---- */
void read_declarations(CudaText *t);
void read_struct(CudaText *t);
void read_alias(CudaText *t);
CudaFunction *read_function(CudaText *t, bool is_kernel);

/* ---- expression.c ---- */
const Node *read_expression(CudaText *t);  /* with assignments */
const Node *read_initializer(CudaText *t); /* or a list in braces */
const Node *convert_to(CudaText *t, const Node *node, const CudaType *type);
Node *new_node(CudaText *t, NodeOp op, const CudaType *type);
const CudaType *common_type(CudaText *t, const CudaType *a, const CudaType *b);
uint32_t conversion(const CudaType *from,
                    const CudaType *to); /* 0: the same type; 1: it can be converted; 2: it cannot */
const Node *read_primary(CudaText *t);
const Node *index_node(CudaText *t, const Node *base, const Node *index);
Node *number_node(CudaText *t, CudaKind kind, int64_t whole);
void note_change(const Node *place); /* its variable is no longer what it was */

/* ---- builtin.c ---- */
typedef enum BuiltinKind {
    BUILTIN_ONE, /* functions of one number, of two */
    BUILTIN_TWO,
    BUILTIN_TEST,
    BUILTIN_MIN,
    BUILTIN_MAX,
    BUILTIN_BITS,   /* __float_as_int and its kin */
    BUILTIN_ATOMIC, /* `sign` says which */
    BUILTIN_SWAP,   /* atomicCAS */
    BUILTIN_TRAP,
    BUILTIN_PRINT,
    BUILTIN_SAVE,
    BUILTIN_LOWER_BOUND
} BuiltinKind;

typedef struct Builtin {
    const char *name;
    BuiltinKind kind;
    CudaKind takes, gives; /* ONE, TWO, TEST, BITS */
    int sign;
    double (*one)(double);
    float (*one_f)(float);
    double (*two)(double, double);
    float (*two_f)(float, float);
} Builtin;
extern const Builtin cuda_builtins[];
void define_builtins(CudaText *t);
const Node *builtin_call(CudaText *t, const Builtin *builtin, const Node **args, uint32_t count);

#endif
