/* Private to this room: a kernel as a person would write it, between the syntax tree and the text.
 *
 *     lower*.c    syntax tree and the types of its expressions to steps and terms; structure is kept     names.c    and names
 *     tile*.c     the same for tiles: shared memory, and loops that the threads of a block share (tile.h)
 *     op.c        the table of operations (op.def): text and derivatives; of other builtins (form.def)
 *     helper.c    functions of blocks (helper.cuh)        piece.c    pieces of text, and brackets around them (tight.def)
 *     library.c   functions that are written in the kernel language itself (library.py)
 *     print*.c    steps and terms to CUDA                                    reverse*.c  the backward text
 *     scope.c     where variables are declared     flow.c     what carries a gradient, what the reverse pass needs
 *     program.c   the device side: structs, functions, kernels               host.c     the whole file (host.cu)
 *     sample.c    the data of a program, and its other files
 *
 * Everything lives in the unit's arena. What cannot be translated ends in refuse(), which goes back to translate(). */
#ifndef WEFT_STANDALONE_MODEL_H
#define WEFT_STANDALONE_MODEL_H

#include "standalone/standalone.h"

typedef struct Term Term;
typedef struct Step Step;
typedef struct Routine Routine;
typedef struct Block Block;

/* How tightly a piece of text binds, so that parentheses are written only where they are needed. */
typedef enum Tight {
#define TIGHT(name) TIGHT_##name,
#include "standalone/tight.def"
#undef TIGHT
} Tight;

/* A set of local names or variables, by their numbers; it is never changed, and sets share their parts. NULL: empty.
 * It is a word of 64 members, or two halves, neither of which is empty. */
typedef struct Bits {
    uint32_t index; /* of the word; of halves: of the first word that could be in it */
    uint32_t half;  /* of halves: how many words could be in each, a power of two; 0: it is a word */
    union {
        uint64_t word;
        const struct Bits *halves[2];
    };
} Bits;

/* A piece of text, and what must be known of it to use it in another one. */
typedef struct Piece {
    const char *text; /* NULL: there is none */
    Tight tight;
    const Bits *uses;            /* the local names in it */
    const struct Piece *negated; /* it is this one with a minus in front; NULL: it is not */
    bool has_effect;             /* it does more than to have a value */
    bool is_plain;               /* it may be written several times */
} Piece;

typedef struct Var {
    Name name;
    struct Var *older; /* of the same name */
    const Type *type;
    const char *text;     /* its name in C */
    Piece label, adjoint; /* the same, and that of its adjoint once it was asked for */
    uint32_t number;      /* among those of the routine */
    const Bits *bit;      /* the set of it alone */
    bool is_param, is_loop_var;
    bool is_natural;          /* of a loop that counts up from a number that is not negative */
    bool is_local_array;      /* in the source; here a vector or matrix */
    struct Tile *tile;        /* a tile: its own memory, or that of another one (see tile.h) */
    bool is_peeked;           /* of a tile: threads look at elements of it by themselves */
    bool is_lane;             /* of a kernel with tiles: the threads of a block may have different values */
    Term *alias;              /* of a part of an array, or of several values: what it stands for */
    Term *term;               /* its value: one for all that mention it */
    bool dim_used[4];         /* of an array parameter: which sizes the text mentions */
    bool adjoint_used;        /* of an array: its gradient is mentioned */
    bool is_read, is_written; /* of an array */
    bool is_updated;          /* of an array: by atomics, */
    bool is_extreme;          /* by those that keep the smallest or largest */
    bool is_unordered;        /* it depends on the order of threads */
    bool active;              /* depends on the arrays in a differentiable way */
    uint32_t stores;          /* steps that assign it */
    Block *home;              /* the block that declares it */
    Step *first;              /* where in that block */
    bool declared_by_step;    /* its first assignment is the declaration */
    Block *mention;           /* while homes are looked for: the first block that mentions it, */
    uint32_t loops;           /* and the loops with this variable around the step */
    bool outside_loop;        /* a loop variable that is used elsewhere, too */
} Var;

typedef enum TermKind {
    TERM_LITERAL,
    TERM_VAR,
    TERM_FIELD,     /* args[0].text */
    TERM_COMPONENT, /* args[0], part number or args[1]… */
    TERM_ELEMENT,   /* args[0] is an array, then indices */
    TERM_CELL,      /* of a tile in shared memory: args[0] is the variable, args[1] the number of the element */
    TERM_VIEW,      /* an array of fewer dimensions */
    TERM_SHAPE,     /* size of dimension `part` of the array args[0] */
    TERM_TUPLE,     /* several values: array.shape, (a, b), or a name for such */
    TERM_OP,
    TERM_CALL,
    TERM_CHOICE /* args[0] ? args[1] : args[2] */
} TermKind;

typedef struct Op { /* a row of op.def; a text "&…" changes its first argument, "@…" is a function of the library */
    const char *name, *kinds, *text, *adjoint[3];
} Op;

typedef enum AtomicKind { ATOMIC_ADD, ATOMIC_SUB, ATOMIC_EXTREME, ATOMIC_BITS, ATOMIC_EXCH, ATOMIC_CAS } AtomicKind;

typedef struct Atomic { /* a row of form.def */
    const char *name, *function;
    AtomicKind kind;
} Atomic;

struct Term {
    TermKind kind;
    const Type *type;
    Term **args;
    uint32_t count;
    uint32_t part;
    const char *text; /* LITERAL; FIELD: the field */
    int64_t number;   /* LITERAL: its value, where it is a small integer */
    bool has_number;
    struct Need *constant; /* LITERAL: that it is a name of; NULL: none */
    union {
        Var *var;         /* VAR */
        const Op *op;     /* OP */
        Routine *routine; /* CALL */
    };
    bool keeps_part;           /* COMPONENT: known now, in `part`; otherwise args[1] (and [2]) say which */
    bool is_own;               /* CELL: no other thread is at it in the same loop */
    bool is_lane;              /* LITERAL: the threads of a block have different values */
    bool active, is_unordered; /* as of variables: see find_activity, which sets these, */
    const Bits *vars;          /* the variables in it */
    Piece printed;             /* see print_term; text NULL: not yet */
};

/* A step reads its `values`: */
typedef enum StepKind {
    STEP_ASSIGN, /* place = value */
    STEP_ATOMIC, /* place, value, and what a swap compares with; `atomic` says what; it may set the old value */
    STEP_CALL,   /* value, for its effect */
    STEP_PRINT,  /* printf(format, values) */
    STEP_UNPACK, /* several are set to parts of the value */
    STEP_IF,     /* condition */
    STEP_FOR,    /* start, stop, stride; it sets the variable */
    STEP_WHILE,  /* condition */
    STEP_EACH, /* count: the threads of a block share the turns, and wait for each other behind it; it sets the variable */
    STEP_SYNC, /* the threads of a block wait for each other */
    STEP_BREAK,
    STEP_CONTINUE,
    STEP_RETURN
} StepKind;

#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        uint32_t count, cap;                                                                                           \
    }
typedef LIST(Var *) VarList;

struct Block {
    Step **items;
    uint32_t count, cap;
    Block *parent; /* set by scope.c */
    Step *owner;
    VarList vars; /* whose home it is */
    bool active;  /* a step of it is */
};

typedef LIST(Term *) TermList;
typedef struct SharedCopy { /* of a tile */
    Piece name;
    Var *of;
} SharedCopy;
typedef LIST(SharedCopy) SharedList;
typedef struct SavedVar { /* a variable, and where its value is kept */
    Var *var;
    Piece name;
} SavedVar;
typedef LIST(SavedVar) SavedList;

struct Step {
    StepKind kind;
    Term *place; /* ASSIGN, ATOMIC */
    Term **values;
    uint32_t count;
    VarList sets;         /* local variables */
    const char *sign;     /* ASSIGN: it was written +=, -=, … */
    const Atomic *atomic; /* ATOMIC */
    const char *format;   /* PRINT: a literal of C */
    Var *tile;            /* that it fills, without looking at it before; SYNC: before this one is changed */
    int64_t stride_sign;  /* FOR: of the stride; 0: not known */
    Block body, orelse;
    const char *comment;        /* lines above it, without the sign; NULL: none */
    const char *remark;         /* behind it */
    VarList declared;           /* variables that are first seen here, but that the step does not declare itself */
    const Bits *own, *mentions; /* variables in its terms (set by find_activity); in its blocks, too (by find_homes) */
    const Bits *assigns, *inner_assigns; /* variables that it sets; that its blocks set */
    const Bits *reads, *changes;         /* arrays whose elements it reads; that it changes; its blocks, too */
    uint32_t number;                     /* in its block */
    bool active;                         /* the reverse pass does something there (set by find_activity) */
    bool is_guard;                       /* `if …: return` before anything happened */
    const Bits *earlier;                 /* reverse pass: variables whose values steps before it in its block use; */
    const Bits *later;                   /* that steps behind it mention, */
    const Bits *later_reads;             /* and arrays that those read */
    Piece saved;       /* reverse pass: where the value is that the step overwrites; of loops: the number of turns */
    SavedList before;  /* reverse pass: variables that the blocks in it change */
    SavedList carried; /* of loops: the same at the start of each turn */
};

typedef struct StructNames { /* of a struct and its fields in C */
    const StructDecl *decl;
    const char *name, **fields;
} StructNames;

typedef LIST(const char *) TextList;

typedef struct Need { /* a text that a program needs once: a type, a helper, a constant */
    const char *key, *text;
    const char *name; /* of a constant, in C */
    bool is_used;     /* of a constant: something mentions it */
} Need;

typedef struct NeedList { /* in the order in which they were asked for */
    Need **items;
    uint32_t count, cap;
    HashTable places; /* of their keys, in the list */
} NeedList;

/* A kernel, a function of the file, or one of the library. */
struct Routine {
    const IrFunction *source;
    const char *name;       /* in C */
    const char *adjoint;    /* name of its adjoint; NULL: it has none */
    const char *no_adjoint; /* why */
    bool is_kernel;
    Var **params;
    uint32_t param_count;
    VarList vars;
    HashTable by_name; /* the newest of them with a name of the source */
    HashTable texts;   /* their names in C */
    const Type **results;
    uint32_t result_count;
    const char *result_struct; /* of several results */
    Block body, normal;        /* normal: see normalize() */
    const char *comment;       /* the docstring, in C */
    bool writes_arrays;
    bool writes_floats; /* into elements of arrays, itself or by what it calls */
    const char *text, *adjoint_text;
    const char *head, *adjoint_head; /* declarations of tiles */
    bool adjoint_called;
    bool is_unordered; /* a call of it tells which thread came first */
    /* of the library: its name and the C types of its parameters; everything that its text refers to, in order, the last helpers
     * being functions, then adjoints; so many are for the function alone */
    const char *signature;
    NeedList types, helpers;
    uint32_t forward_helpers;
    Routine *next; /* of the library */
};
typedef LIST(Routine *) RoutineList;

/* A line of a body: see tidy.c. */
typedef enum LineKind {
    LINE_PLAIN,  /* value: all of it */
    LINE_EFFECT, /* value; */
    LINE_SET,    /* type target sign value; the target being a local name, the sign =, += or -= */
    LINE_STORE,  /* target sign value; of anything else */
    LINE_IF,     /* value: the condition */
    LINE_ELSE_IF,
    LINE_ELSE,
    LINE_LOOP, /* value: the head */
    LINE_SYNC, /* __syncthreads(); */
    LINE_CLOSE
} LineKind;

typedef struct Line {
    LineKind kind;
    bool is_dropped;
    bool starts_sum; /* SET: a variable to zero that is added to */
    uint32_t indent;
    const char *type; /* SET: of a declaration; NULL: it is none */
    Piece target, value;
    const char *sign, *remark; /* the remark may be NULL */
} Line;

typedef struct Body {
    Line *lines;
    uint32_t count, cap;
} Body;

typedef struct Translator {
    Unit *unit;
    Arena *arena;
    const IrModule *module;
    StandaloneLibrary *library;
    NeedList types, helpers, constants;
    HashTable globals;   /* names that were given to functions, structs and constants */
    HashTable structs;   /* StructNames by their declarations */
    HashTable functions; /* numbers of the module's functions, by Func; and their routines */
    const char *kernel_name, **function_names;
    RoutineList routines;   /* of the file and the library, callees first */
    HashTable by_signature; /* those of the library */
    Routine *kernel;
    /* while a routine is lowered or printed */
    Routine *current;
    Block *block;
    HashTable names;    /* given in the current body, */
    HashTable stems;    /* and what they begin with: the number from which on none was given yet */
    uint32_t locals;    /* all its local names */
    const Bits *needed; /* variables whose values the current region of the reverse pass needs */
    uint32_t nesting, copies;
    Body forward, reverse;
    Body *body;          /* that is printed: one of them */
    uint32_t indent;     /* of the next line: it follows from what opens and closes blocks */
    bool forward_only;   /* nothing gets an adjoint */
    bool has_news;       /* find_activity has found out something */
    bool backward;       /* the body of a backward kernel or adjoint is printed, */
    bool jumps;          /* with break and continue; behind them in a turn that is reversed, nothing follows anyway */
    const Node *direct;  /* the right side of an assignment */
    const Node *indexed; /* what a subscript is of */
    uint32_t turns;      /* how many turns of a loop may be saved where that is not known */
    Piece thread;        /* name of the thread's number in a kernel of one dimension */
    uint32_t lanes;      /* threads of a block, in a kernel with tiles; 0: it has none */
    uint32_t block_dims; /* of a launch of blocks: how many dimensions number them; 0: the threads are numbered */
    uint32_t in_each;    /* the body of a STEP_EACH is lowered */
    VarList scoped;      /* variables of such bodies: their names are used again */
    SharedList shared;   /* copies of tiles in the current body */
    const char *reason;  /* of a refusal */
    uint32_t offset;     /* in the source, of what was refused */
    jmp_buf refused;
} Translator;

/* ---- refusing ---- */
_Noreturn void refuse(Translator *, const Node *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define REFUSE_IF(t, at, condition, ...)                                                                               \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            refuse((t), (at), __VA_ARGS__);                                                                            \
    } while (0)

enum { MAX_ARGS = 64 };                        /* of a call */
enum { FEWEST_SAVED = 64, MOST_SAVED = 4096 }; /* turns of a loop */

/* ---- lowering (lower_routine.c, lower.c, lower_expr.c, lower_call.c, lower_message.c) ---- */
typedef enum Form { /* of a builtin */
#define WHAT(form) FORM_##form,
#include "standalone/form.def"
#undef WHAT
} Form;
Routine *lower_routine(Translator *, const IrFunction *source);
Routine *routine_of_func(Translator *, const Func *func, const Node *at);
void lower_body(Translator *, Block *block, const NodeList *body);
void add_comments(Translator *, const Node *node, Step *first, Step *last); /* of a statement that became these steps */
Term *to_term(Translator *, const Node *node);
Term *call_to_term(Translator *, const Node *node);
Form form_of(Translator *, const Node *node); /* of anything but the call of a builtin: FORM_OPERATION */
Term *new_term(Translator *, TermKind kind, const Type *type, Term *const *args, uint32_t count);
Term *literal_term(Translator *, const Type *type, const char *text);
Term *coordinate_term(Translator *, uint32_t dim); /* of the thread; wp.tid() as one number is the first */
Term *int_term(Translator *, int64_t value);
Term *real_term(Translator *, const Type *type, double value);
Term *value_term(Translator *, const Value *value, const Type *wanted, const Node *at);
const Value *static_value(Translator *, const Node *); /* of a path that is no variable; NULL */
Term *op_term(Translator *, const char *name, Term **args, uint32_t count, const Type *type, const Node *at);
Term *call_term(Translator *, Routine *routine, Term *const *args, uint32_t count, const Type *type);
Term *construct_term(Translator *, Term **args, uint32_t count, const Type *type, const Node *at);
Term *element_term(Translator *, Term *array, Term *const *indices, uint32_t count, const Type *type); /* or a view */
Term *field_term(Translator *, Term *base, const char *field, const Type *type);
Term *size_term(Translator *, Term *array, uint32_t dim);
Term *var_term(Translator *, Var *var);
Term *part_term(Translator *, Term *whole, uint32_t part);
Term *find_parts(Translator *, const Node *node); /* of a slice or row whose place is known now; NULL: it is none */
Term *hoist(Translator *, Term *term, const char *stem); /* a variable of its own, set before the statement */
Var *find_var(Translator *, Name name, const Type *type);
Var *new_var(Translator *, Name name, const Type *type, const char *text);
Step *new_step(Translator *, StepKind kind, Term *const *values, uint32_t count);
void add_set(Translator *, Step *step, Var *var); /* the step sets the variable */
Step *set_to(Translator *, Term *place, Term *value);
const ExprInfo *info_at(Translator *, const Node *node);           /* never NULL: an unknown one has no type */
bool known_condition(Translator *, const Node *test, bool *truth); /* then the other branch was not built */
Term *tuple_of(Translator *, const Node *node);                    /* several values; NULL: it is one */
bool is_tuple(const Var *var);                                     /* it stands for several */
const Type *strip(const Type *type);
void lower_message(Translator *, const Node *call, const char *name);
bool is_text(const Node *node);
void lower_assert(Translator *, const Node *node);
void lower_atomic(Translator *, const Node *node, Var *result);
const Node *argument(const Node *call, uint32_t place, const char *name); /* by either; NULL: it is left out */
Term *index_value(Translator *, Term *base, Term **indices, uint32_t count, const Node *at); /* a part of a vector, … */
Term *zero_term(Translator *, const Type *type);
Term *convert_term(Translator *, Term *value, const Type *type, const Node *at);

/* ---- tiles (tile*.c): what the others ask for ---- */
uint32_t tile_dims(Translator *, const Node *node);                          /* of an expression; 0: it is no tile */
bool lower_tile_assign(Translator *, const Node *target, const Node *value); /* false: neither is of a tile */
bool lower_tile_update(Translator *, const Node *node);                      /* target op= value */
bool lower_tile_call(Translator *, const Node *call);                        /* a statement */
Term *tile_value(Translator *, const Node *node); /* that a thread gets from a tile; NULL: it is something else */
Term *block_coordinate(Translator *, uint32_t dim);
const char *block_count_name(uint32_t dim);        /* of the number of blocks along a dimension */
void settle_tiles(Translator *, Routine *routine); /* when all of it is lowered */
const char *tile_declarations(Translator *, Routine *routine, const Body *body, bool backward);
void put_tile_copy(Translator *, Var *tile, Piece to, Piece from);
Term *cell_root(Term *place); /* the element of a tile that a place is a part of; NULL: it is in none */

/* ---- names (names.c) ---- */
typedef enum NameScope {
    NAME_FREE,
    NAME_FIELD,
    NAME_LOCAL,
    NAME_GLOBAL
} NameScope;          /* each has fewer names than the one before */
typedef struct Word { /* what a word of C++ or of the kernel language means here */
    NameScope scope;  /* it is taken here and in the scopes behind it */
    Form form;
    const Op *op;     /* the first row of op.def */
    uint32_t section; /* of helper.cuh, counted from one; 0: none */
    bool is_shared;   /* a type of weft_math.cuh */
} Word;
Word *word_of(StandaloneLibrary *library, const char *text, size_t length);
const Word *find_word(const StandaloneLibrary *library, const char *text); /* NULL: nothing */
void note_called(StandaloneLibrary *library, const char *text);            /* what it calls or defines is taken */
void read_reserved(StandaloneLibrary *library);
void read_shared(StandaloneLibrary *library);
bool is_shared(const StandaloneLibrary *library, const char *type); /* weft_math.cuh has it under that name */
void take_name(StandaloneLibrary *library, const char *text, size_t length, NameScope scope);
bool is_ascii(const char *text);
const char *changed_name(Translator *, const char *name, NameScope scope); /* itself, where it is not taken */
const char *global_name(Translator *, const char *wanted);    /* of a function, struct or constant, and nothing else */
static inline bool is_same_text(const char *a, const char *b) /* mostly, the first letter tells */
{
    return *a == *b && strcmp(a, b) == 0;
}
TableSlot *find_text(const HashTable *table, const char *text); /* NULL: it is not there */
TableSlot *add_text(Arena *arena, HashTable *table, const char *text);
bool is_var_name(const Routine *routine, const char *name);
void note_var_name(Translator *, const char *name, bool is_taken); /* in the current routine */
void bind_var(Translator *, Var *var, Name name);                  /* it is the newest of that name */
const char *local_name(Translator *, const char *wanted);          /* of a variable of the routine that is lowered */
const char *generated_name(Translator *, const char *wanted);      /* of one that the source does not have */

/* ---- pieces of text, and sets (piece.c) ---- */
#define LIT(literal) ((Piece){.text = "" literal, .tight = TIGHT_PRIMARY})
/* Each @ is the next one, in brackets where it binds less tightly than what stands beside it wants. */
Piece join_pieces(Translator *, const char *format, const Piece *pieces);
#define JOIN(t, format, ...) join_pieces((t), (format), (const Piece[]){__VA_ARGS__})
Piece add_item(Translator *, Piece list, Piece item); /* list, item */
Piece fit(Translator *, Piece piece, Tight at_least); /* in parentheses where it binds less tightly */
Piece piece_of(const char *text);
Piece piece_int(Translator *, int64_t number);
Piece negative(Translator *, Piece piece);                    /* -piece */
Piece part_of(Translator *, Piece whole, Piece part);         /* a part, its text being ".x" or the like */
Piece field_of(Translator *, Piece whole, const char *field); /* whole.field */
const Bits *one_bit(Translator *, uint32_t number);
const Bits *join_bits(Translator *, const Bits *a, const Bits *b);
bool bits_meet(const Bits *a, const Bits *b);
static inline bool has_bit(const Bits *bits, uint32_t number)
{
    uint32_t index = number / 64;
    while (bits && bits->half)
        bits = bits->halves[(index & bits->half) != 0];
    return bits && bits->index == index && bits->word >> number % 64 & 1;
}
uint32_t next_bit(const Bits *bits, uint32_t from); /* the first member from there on; UINT32_MAX: there is none */
const char *number_text(Translator *, double value, TypeKind kind);

/* ---- operations (op.c) ---- */
extern const Op construct_op;
static inline bool op_draws(Term *term) /* a random number: the state goes on */
{
    return term && term->kind == TERM_OP && term->op->text[0] == '&';
}
void read_ops(StandaloneLibrary *library);
const Atomic *find_atomic(const char *name); /* one that form.def has */
bool is_sum(const Atomic *atomic);
const Op *op_find(const StandaloneLibrary *library, const char *name, const Type *const *types, uint32_t count);
uint32_t mentioned_args(const char *text); /* whose values are in it, a bit each */
Piece expand(Translator *, const char *text, Term *term, const Piece *args, const Piece *seed);

/* ---- types (ctype.c) ---- */
Piece c_type(Translator *, const Type *type);
const Type *element_type(const Type *type); /* of an array; of anything else: itself */
const StructNames *struct_names(Translator *, const StructDecl *decl);
Piece component_text(Translator *, const Type *type, uint32_t index); /* ".x", ".m[0][1]", … */
bool any_scalar(const Type *type, bool (*test)(const Type *scalar));  /* in it, or in its elements and fields */
bool is_float_type(const Type *type);                                 /* it has parts that carry a gradient */

/* ---- needs and helpers (helper.c) ---- */
typedef struct Section { /* of helper.cuh */
    const char *name, *text;
} Section;
void read_sections(StandaloneLibrary *library);
void use_section(Translator *, const char *operation);                           /* if there is one for it */
Need *add_need(Arena *arena, NeedList *list, const char *key, const char *text); /* or the one that is there */
Need *find_need(const NeedList *list, const char *key);                          /* NULL: it is not there */

/* ---- scopes (scope.c) ---- */
bool term_mentions(Term *term, Var *var);
bool is_loop(Step *step);
bool is_inside(const Block *block, const Block *outer); /* or the same */
bool is_inside_loop(Block *block);
typedef bool StepTest(Step *step, void *user);
bool any_step(Block *block, StepTest *test, void *user); /* in it, or in the blocks of its steps */
enum {                                                   /* sets of kinds */
       JUMP_RETURN = 1u << STEP_RETURN,
       JUMP_BREAK = 1u << STEP_BREAK,
       JUMP_ANY = JUMP_RETURN | JUMP_BREAK | 1u << STEP_CONTINUE
};
bool block_jumps(Block *block, uint32_t kinds); /* away from it */
bool step_jumps(Step *step, uint32_t kinds);
bool sets_var(Step *step, void *var);
bool is_declared_by(Var *var, Step *step);   /* the step's assignment is the declaration */
Var *root_var(Term *place);                  /* the variable or array that a place is a part of */
Term *array_root(Term *place);               /* the array of a place that is in one; NULL: a local place */
bool sets_first(Step *step, Var *var);       /* without looking at what it was before */
bool tile_is_fresh(Block *block, Var *tile); /* all of it is set before anything in the block looks at it */
void find_homes(Translator *, Routine *routine, Block *body);
Block *normalize(Translator *, Routine *routine); /* what follows a jump stands in an else */

/* ---- gradients and needed values (flow.c) ---- */
void find_activity(Translator *, Routine *routine);
void find_needs(Translator *, Block *body); /* sets t->needed */
bool is_needed(const Translator *, Var *var);
bool step_is_needed(Translator *, Step *step); /* it sets something that the reverse pass needs */
bool term_is_effect(Term *call);               /* a call that may change the gradient of an array */
bool holds_arrays(const Type *type);           /* an array, or a struct with one */
void find_block_activity(Block *block);        /* and of its steps, from what is known about variables and terms */

/* ---- lines (tidy.c) ---- */
Line *put_line(Translator *, LineKind kind, Piece value);
#define LINE(t, format, ...) put_line((t), LINE_PLAIN, JOIN((t), format, __VA_ARGS__))
Line *set_line(Translator *, Piece place, const char *sign, Piece value); /* place sign value; */
Line *declare_line(Translator *, const char *type, Piece name, Piece value);
Line *declare_zero(Translator *, const Type *type, Piece name); /* type name = 0; */
void clear_line(Translator *, const Type *type, Piece place);   /* the same of a place that is there */
void put_sync(Translator *);
void tidy(Translator *); /* leaves out what nobody uses */
void write_lines(const Body *body, Text *out);

/* ---- text (print.c, print_step.c) ---- */
Piece print_term(Translator *, Term *term);
Piece array_size(Translator *, Term *array, uint32_t dim);
Piece place_text(Translator *, Term *place, bool adjoint);
Piece adjoint_name(Translator *, Var *var);
Piece zero_text(Translator *, const Type *type);
Piece print_call_args(Translator *, Term *call, bool adjoint);
void print_block(Translator *, Block *block);
void print_step(Translator *, Step *step);
void print_loop_head(Translator *, Step *step);
void print_loop_body(Translator *, Step *step);
void declare_at(Translator *, Block *block, Step *step); /* what is first seen in the step, and not declared by it */

/* ---- the reverse pass (reverse.c, reverse_term.c) ---- */
void print_backward(Translator *, Block *body);
void run_step(Translator *, Step *step); /* again, for what it sets */
void propagate(Translator *, Term *term, Piece seed);
void propagate_call(Translator *, Term *call, Piece seed);        /* no text: there is none */
Piece fresh_name(Translator *, const char *stem, uint32_t first); /* with a number, from `first` on; 0: with none */
Piece fresh_gradient(Translator *);

/* ---- whole programs (program.c) ---- */
const char *thread_name(const Translator *, uint32_t dim); /* how many threads a dimension has */
const char *thread_count(Translator *, uint32_t from);     /* their product, from a dimension on */
Translator *new_translator(Unit *unit, const IrModule *module, StandaloneLibrary *library);
void set_blocks(Translator *, const uint32_t *dim, uint32_t ndim,
                uint32_t lanes);              /* of a launch, for kernels with tiles */
bool translate_all(Translator *);             /* lowers and prints everything; false: refused */
void print_routines(Translator *, Text *out); /* functions and kernels, callees first */

/* ---- library (library.c) ---- */
struct StandaloneLibrary {
    Arena arena;
    struct Weft *weft;
    Routine *entries;
    bool loaded[2];    /* library.py; for float32, float64 */
    bool loading;      /* it is being translated, */
    bool loading_wide; /* for float64 */
    NameTable names;   /* words by their numbers */
    Word *words;
    uint32_t word_count, word_cap;
    Section *sections;
    uint32_t section_count, section_cap;
};
void use_library_adjoint(Translator *, Routine *routine);
Routine *library_routine(Translator *, const char *name, Term *const *args, uint32_t count);

#endif
