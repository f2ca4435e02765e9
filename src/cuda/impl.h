/* Private to this room: lex.c (tokens), types.c, declare.c (structs, functions, statements), expression.c, builtin.c, run.c, launch.c. */
#ifndef WEFT_CUDA_IMPL_H
#define WEFT_CUDA_IMPL_H

#include "base/name.h"
#include "cuda/cuda.h"

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
    uint32_t offset;
} CudaField;

struct CudaType {
    CudaKind kind;
    uint32_t size, align;
    const CudaType *of; /* POINTER, ARRAY */
    uint32_t count;     /* ARRAY */
    CudaField *fields;  /* STRUCT */
    uint32_t field_count, field_cap;
    CudaType *pointer; /* to it, once it was asked for */
};

typedef enum TokenKind { CT_END, CT_NAME, CT_NUMBER, CT_TEXT, CT_SIGN } TokenKind;
typedef struct Token {
    TokenKind kind;
    Name name;     /* NAME */
    uint32_t sign; /* SIGN: see SIGN2 */
    const char *text;
    uint32_t length;
} Token;
#define SIGN2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define SIGN3(a, b, c) (SIGN2(a, b) | (uint32_t)(c) << 16)

typedef union Number {
    double real;
    int64_t whole;
    char *place;
} Number;

typedef enum NodeOp {
    /* places */
    ON_LOCAL,     /* at `offset` of the frame */
    ON_REFERENCE, /* where the pointer at `offset` of the frame leads */
    ON_FIELD,     /* `offset` behind a */
    ON_DEREF,
    ON_INDEX, /* a[b], a being an array */
    ON_STEP,  /* a[b], a being a pointer */
    /* values that are built in the frame, at `offset` */
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

typedef struct Node Node;
typedef struct Init { /* of a part of what braces build */
    uint32_t offset;
    const Node *value;
} Init;

struct Node {
    NodeOp op;
    const CudaType *type;
    bool is_post;
    uint32_t sign, offset, count;
    const Node *a, *b, *c;
    const Node **args;
    Init *inits;
    Number number;
    const CudaFunction *function;
    const struct Builtin *builtin;
};

typedef enum StatementKind {
    DO_NOTHING,
    DO_VALUE,
    DO_BLOCK,
    DO_IF,
    DO_LOOP,
    DO_BREAK,
    DO_CONTINUE,
    DO_RETURN
} StatementKind;
typedef struct Statement {
    StatementKind kind;
    const Node *value, *step;           /* LOOP: condition (NULL: always) and step */
    struct Statement *body, *otherwise; /* LOOP: otherwise is what comes first */
    bool body_first;                    /* do … while */
    struct Statement *next;
} Statement;

typedef struct Parameter {
    Name name;
    const CudaType *type;
    bool is_reference;
    uint32_t offset;
} Parameter;

struct CudaFunction {
    Name name;
    bool is_kernel;
    const CudaType *result; /* of a reference: a pointer */
    bool gives_reference;
    Parameter *params;
    uint32_t param_count, param_cap, frame;
    Statement *body;
    uint32_t extremes;         /* bits of parameters that atomic extrema update */
    struct CudaFunction *next; /* of the same name */
};

typedef struct Meaning { /* of a name, outside of functions */
    const CudaType *type;
    CudaFunction *functions;
    const CudaType *constant; /* its type, */
    uint32_t constant_at;     /* and the token that its value starts with */
    const struct Builtin *builtin;
} Meaning;

typedef struct Local {
    Name name;
    const CudaType *type;
    bool is_reference;
    uint32_t offset;
} Local;

struct CudaText {
    Arena *arena;
    bool wide;
    NameTable names;
    Meaning *meanings; /* by the number of the name */
    uint32_t meaning_count, meaning_cap;
    Token *tokens;
    uint32_t token_count, token_cap, at;
    CudaType scalars[CUDA_SCALARS], list;
    CudaFunction *kernels[2];
    char *stack; /* of whoever runs it; NULL: not yet */
    /* while a function is read */
    CudaFunction *current;
    Local *locals;
    uint32_t local_count, local_cap, depth;
    const char *why;
    jmp_buf failed;
};

_Noreturn void cannot(CudaText *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- lex.c ---- */
void read_tokens(CudaText *t, const char *text);
static inline Token *cuda_token(CudaText *t)
{
    return &t->tokens[t->at];
}
static inline bool at_sign(CudaText *t, uint32_t sign)
{
    return cuda_token(t)->kind == CT_SIGN && cuda_token(t)->sign == sign;
}
bool at_word(CudaText *t, const char *word);
bool take_sign(CudaText *t, uint32_t sign); /* if it is there */
bool take_word(CudaText *t, const char *word);
void expect_sign(CudaText *t, uint32_t sign);
Name next_name(CudaText *t);
void skip_braces(CudaText *t); /* from { to } */

/* ---- types.c ---- */
Meaning *meaning_of(CudaText *t, Name name);
void define_types(CudaText *t);
bool at_type(CudaText *t);
const CudaType *read_type(CudaText *t);                           /* without * and & behind it */
const CudaType *read_pointers(CudaText *t, const CudaType *type); /* *, const */
const CudaType *pointer_to(CudaText *t, const CudaType *type);
const CudaType *array_of(CudaText *t, const CudaType *type, uint32_t count);
void add_field(CudaText *t, CudaType *type, Name name, const CudaType *field);
void finish_struct(CudaType *type);
uint32_t cells_of(const CudaType *type); /* numbers in it */
static inline bool is_scalar(const CudaType *type)
{
    return type->kind < CUDA_SCALARS && type->kind != CUDA_VOID;
}
static inline bool is_real(const CudaType *type)
{
    return type->kind == CUDA_F32 || type->kind == CUDA_F64;
}
double cell_get(const CudaType *type, const char *place, size_t cell);
void cell_set(const CudaType *type, char *place, size_t cell, double real, int64_t whole);

/* ---- declare.c ---- */
void read_declarations(CudaText *t);
uint32_t room_in_frame(CudaText *t, const CudaType *type);

/* ---- expression.c ---- */
const Node *read_expression(CudaText *t);  /* with assignments */
const Node *read_initializer(CudaText *t); /* or a list in braces */
const Node *convert_to(CudaText *t, const Node *node, const CudaType *type);
const Node *local_node(CudaText *t, const Local *local);
Node *new_node(CudaText *t, NodeOp op, const CudaType *type);
const CudaType *common_type(CudaText *t, const CudaType *a, const CudaType *b);

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
void define_builtins(CudaText *t);
const Node *builtin_call(CudaText *t, const Builtin *builtin, const Node **args, uint32_t count);

/* ---- numbers in memory ---- */
static inline bool is_single(const CudaType *type)
{
    return type->kind == CUDA_F32 && type->size == sizeof(float);
}

static inline Number wrap_number(const CudaType *type, Number number)
{
    switch (type->kind) {
    case CUDA_BOOL: number.whole = number.whole != 0; break;
    case CUDA_I8: number.whole = (int8_t)number.whole; break;
    case CUDA_U8: number.whole = (uint8_t)number.whole; break;
    case CUDA_I16: number.whole = (int16_t)number.whole; break;
    case CUDA_U16: number.whole = (uint16_t)number.whole; break;
    case CUDA_I32: number.whole = (int32_t)number.whole; break;
    case CUDA_U32: number.whole = (uint32_t)number.whole; break;
    case CUDA_F32: number.real = is_single(type) ? (double)(float)number.real : number.real; break;
    default: break;
    }
    return number;
}

static inline Number number_at(const CudaType *type, const char *place)
{
    Number number = {0};
    float single;
    uint64_t bits = 0;
    if (is_single(type)) {
        memcpy(&single, place, sizeof single);
        number.real = (double)single;
        return number;
    }
    memcpy(&bits, place, type->size);
    memcpy(&number, &bits, sizeof bits);
    return type->kind <= CUDA_U32 ? wrap_number(type, number) : number;
}

static inline void put_number(const CudaType *type, char *place, Number number)
{
    if (is_single(type)) {
        float single = (float)number.real;
        memcpy(place, &single, sizeof single);
    } else
        memcpy(place, &number, type->size); /* the first bytes of a whole number are its lowest */
}

/* ---- run.c ---- */
typedef struct Run Run;
_Noreturn void end_run(Run *run, const char *why);
Number run_builtin(Run *run, const Node *node);
Number run_value(Run *run, const Node *node);
char *run_place(Run *run, const Node *node);
char *checked_place(Run *run, char *place, size_t size);

#endif
