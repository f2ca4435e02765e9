/* Private to this room: a kernel as a person would write it, between the syntax tree and the text.
 *
 *     lower*.c    syntax tree and the builder's facts to steps and terms; structure is kept     names.c    and names
 *     op.c        the table of operations (op.def): text and derivatives     helper.c   small device functions (helper.def)
 *     library.c   functions that are written in the kernel language itself (library.py)
 *     print*.c    steps and terms to CUDA                                    reverse*.c  the backward text
 *     scope.c     where variables are declared     flow.c     what carries a gradient, what the reverse pass needs
 *     order.c     what depends on the order of threads
 *     program.c   the whole file: types, helpers, functions, kernels         host.c     launch function and main
 *     reference.c what the program must compute                              sample.c   its data and files
 *
 * Everything lives in the unit's arena. What cannot be translated ends in refuse(), which goes back to translate(). */
#ifndef WEFT_STANDALONE_MODEL_H
#define WEFT_STANDALONE_MODEL_H

#include "base/table.h"
#include "standalone/standalone.h"

typedef struct Term Term;
typedef struct Step Step;
typedef struct Routine Routine;
typedef struct Op Op;
typedef struct Block Block;

/* How tightly a piece of text binds, so that parentheses are written only where they are needed. */
typedef enum Tight {
    TIGHT_COMMA,
    TIGHT_CHOICE,
    TIGHT_OR,
    TIGHT_AND,
    TIGHT_BIT_OR,
    TIGHT_BIT_XOR,
    TIGHT_BIT_AND,
    TIGHT_EQUAL,
    TIGHT_LESS,
    TIGHT_SHIFT,
    TIGHT_SUM,
    TIGHT_PRODUCT,
    TIGHT_SIGN, /* -x: another minus in front needs brackets */
    TIGHT_UNARY,
    TIGHT_PRIMARY,
    TIGHT_NAME /* of a variable, and nothing else */
} Tight;

typedef struct NameSet { /* of local names, by their numbers */
    uint32_t count;      /* words */
    uint64_t words[];
} NameSet;

/* A piece of text, and what must be known of it to use it in another one. */
typedef struct Piece {
    const char *text;
    uint32_t length;
    Tight tight;
    const NameSet *uses;         /* the local names in it; NULL: none */
    const struct Piece *negated; /* it is this one with a minus in front; NULL: it is not */
    bool has_effect;             /* it does more than to have a value */
    bool is_plain;               /* it may be written several times */
} Piece;

#define PIECE(chars, size, binding) ((Piece){.text = (chars), .length = (uint32_t)(size), .tight = (binding)})
#define LIT(literal) PIECE("" literal, sizeof(literal) - 1, TIGHT_PRIMARY)

typedef struct Var {
    Name name;
    const Type *type;
    const char *text;     /* its name in C */
    Piece label, adjoint; /* the same, and that of its adjoint once it was asked for */
    bool is_param, is_loop_var;
    bool is_reference;        /* a parameter that the function changes */
    Term *alias;              /* of an array that is a part of another: what it stands for */
    Term *term;               /* its value: one for all that mention it */
    bool dim_used[4];         /* of an array parameter: which sizes the text mentions */
    bool adjoint_used;        /* of an array: its gradient is mentioned */
    bool is_read, is_written; /* of an array */
    bool is_updated;          /* of an array: by atomics */
    bool is_unordered;        /* it depends on the order of threads */
    bool active;              /* depends on the arrays in a differentiable way */
    bool needed;              /* the reverse pass uses its value */
    bool was_seen;            /* before it was found to be active */
    uint64_t bit;             /* in sets of variables */
    bool shares_bit;          /* with other variables: there are many */
    uint32_t stores;          /* steps that assign it */
    uint32_t saves;           /* names given to saved values */
    const Block *home;        /* the block that declares it */
    const Step *first;        /* where in that block */
    bool declared_by_step;    /* its first assignment is the declaration */
    const Block *mention;     /* while homes are looked for */
    bool outside_loop;        /* a loop variable that is used elsewhere, too */
} Var;

typedef enum TermKind {
    TERM_LITERAL,
    TERM_VAR,
    TERM_FIELD,     /* args[0].text */
    TERM_COMPONENT, /* args[0], part number or args[1]… */
    TERM_ELEMENT,   /* args[0] is an array, then indices */
    TERM_VIEW,      /* an array of fewer dimensions */
    TERM_SHAPE,     /* size of dimension `part` of the array args[0] */
    TERM_OP,
    TERM_CALL,
    TERM_CHOICE /* args[0] ? args[1] : args[2] */
} TermKind;

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
    bool keeps_part; /* COMPONENT: known now, in `part`; otherwise args[1] (and [2]) say which */
    bool active;     /* see find_activity, which sets it, too */
    uint64_t vars;   /* the variables in it, as a set */
    Piece printed;   /* see print_term; text NULL: not yet */
};

typedef enum StepKind {
    STEP_ASSIGN, /* place = value */
    STEP_ATOMIC, /* place, value; op->name says what; `result` may be NULL */
    STEP_CALL,   /* value, for its effect */
    STEP_PRINT,  /* printf(format, values) */
    STEP_UNPACK, /* targets = value */
    STEP_IF,
    STEP_FOR,
    STEP_WHILE,
    STEP_BREAK,
    STEP_CONTINUE,
    STEP_RETURN
} StepKind;

struct Block {
    Step **items;
    uint32_t count, cap;
    const Block *parent; /* set by scope.c */
    const Step *owner;
    bool is_home; /* of a variable */
};

typedef struct VarList {
    Var **items;
    uint32_t count, cap;
} VarList;

typedef struct SavedVar {
    const Var *var;
    Piece name;
} SavedVar;

struct Step {
    StepKind kind;
    Term *place, *value; /* value: also the condition, the returned */
    const char *sign;    /* ASSIGN: it was written +=, -=, … */
    const char *atomic;  /* ATOMIC: "add", "min", … */
    const char *format;  /* PRINT: a literal of C */
    Term *compare;       /* ATOMIC: of a compare-and-swap */
    Var *var;            /* FOR: the variable; ATOMIC: the result or NULL */
    Var **targets;       /* UNPACK */
    Term **values;       /* RETURN: of several values */
    uint32_t count;
    Term *start, *stop, *stride; /* FOR */
    int64_t stride_sign;         /* FOR: of the stride */
    Block body, orelse;
    const char *comment;             /* lines above it, without the sign; NULL: none */
    const char *remark;              /* behind it */
    VarList declared;                /* variables that are first seen here, but that the step does not declare itself */
    uint64_t own, mentions;          /* variables in its terms; in its blocks, too (set by find_homes) */
    uint64_t assigns, inner_assigns; /* variables that it sets; that its blocks set */
    bool active;                     /* the reverse pass does something there (set by find_activity) */
    bool is_guard;                   /* `if …: return` before anything happened */
    uint32_t number;                 /* of loops, for the names of what they save */
    Piece saved;      /* reverse pass: where the value is that the step overwrites; of loops: the number of turns */
    SavedVar *before; /* reverse pass: variables that the blocks in it change, and where their values are */
    uint32_t before_count, before_cap;
    SavedVar *carried; /* of loops: and their values at the start of each turn */
    uint32_t carried_count, carried_cap;
};

typedef struct StructNames { /* of a struct and its fields in C */
    const StructDecl *decl;
    const char *name, **fields;
    struct StructNames *next;
} StructNames;

typedef struct TextList {
    const char **items;
    uint32_t count, cap;
} TextList;

typedef struct NameList {
    Name *items;
    uint32_t count, cap;
} NameList;

/* A kernel, a function of the file, or one of the library. */
/* Does a call of it tell which thread came first? See order.c. */
typedef enum RoutineOrder { ORDER_UNKNOWN, ORDER_DOES_NOT_MATTER, ORDER_MATTERS } RoutineOrder;

struct Routine {
    const IrFunction *source;
    const char *name;       /* in C */
    const char *adjoint;    /* name of its adjoint; NULL: it has none */
    const char *no_adjoint; /* why */
    bool is_kernel, is_library;
    Var **params;
    uint32_t param_count;
    VarList vars;
    NameList names; /* of the variables in the source */
    const Type **results;
    uint32_t result_count;
    const char *result_struct; /* of several results */
    Block body, normal;        /* normal: see normalize() */
    uint32_t loops;
    const char *comment; /* the docstring */
    bool writes_arrays;
    Text *text, *adjoint_text;
    const struct LibraryEntry *entry; /* of the library */
    bool adjoint_called;
    RoutineOrder order;
    Routine *next;
};

/* A name for several values, as in `t = (a, b)` or `s = array.shape`: it has no variable of its own. */
typedef struct Tuple {
    Name name;
    Term **items;
    uint32_t count;
    struct Tuple *next;
} Tuple;

/* A text that a program needs once: a type, a helper, a function. Those of the library are kept from kernel to kernel. */
typedef struct Need {
    const char *key, *text;
    uint32_t length;
    uint32_t mark; /* the program that has it, see Translator */
    bool is_kept;
    const char *name; /* of a constant, in C */
    bool is_used;     /* of a constant: something mentions it */
} Need;

typedef struct NeedList { /* in the order in which they were asked for */
    Need **items;
    uint32_t count, cap;
} NeedList;

typedef struct TypeEntry TypeEntry;
typedef struct HelperEntry HelperEntry;
typedef struct HelperRow HelperRow;

typedef struct Asked { /* one of them */
    TypeEntry *type;
    HelperEntry *helper;
} Asked;

typedef struct AskedList {
    Asked *items;
    uint32_t count, cap;
} AskedList;

typedef struct PieceList {
    Piece *items;
    uint32_t count, cap;
} PieceList;

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
    LINE_CLOSE
} LineKind;

typedef struct Line {
    LineKind kind;
    bool is_dropped;
    bool starts_sum; /* SET: a variable to zero that is added to */
    uint32_t indent;
    Piece type; /* SET: of a declaration; no text: it is none */
    Piece target, value, remark;
    const char *sign;
} Line;

typedef struct Body {
    Line *lines;
    uint32_t count, cap;
} Body;

enum { HELPER_LOOKS = 16 };
typedef struct HelperLook { /* a helper that was looked up for these very types */
    const HelperRow *row;
    const Type *type, *second;
    HelperEntry *entry;
} HelperLook;

typedef struct Translator {
    Unit *unit;
    Arena *arena;
    const IrModule *module;
    StandaloneLibrary *library;
    uint32_t serial; /* the mark of this program's needs */
    NeedList types, helpers, constants;
    TextList globals; /* names that were given to functions, structs and constants */
    StructNames *structs;
    const char *kernel_name, **function_names; /* of the module's functions */
    HelperLook looks[HELPER_LOOKS];
    AskedList *asked;  /* where a helper is written out for the library: what it asks for */
    Routine *routines; /* of the file and the library, newest first */
    Routine *kernel;
    /* while a routine is lowered or printed */
    Routine *current;
    Block *block;
    uint32_t temporaries;
    PieceList names;          /* given in the current body */
    uint32_t gradients;       /* g1, g2, … of it */
    bool gradients_are_taken; /* a variable has such a name */
    uint64_t needed;          /* variables whose values the current region needs */
    uint32_t locals;          /* all its local names, see local_bit() */
    Tuple *tuples;            /* of the current routine */
    bool has_comments;        /* there are some in the source */
    uint32_t nesting, copies;
    Body forward, reverse;
    Body *body; /* that is printed: one of them */
    uint32_t indent;
    bool backward; /* the body of a backward kernel or adjoint is printed */
    const char *reason;
    const Node *at;     /* what was refused */
    const Node *direct; /* the right side of an assignment */
    uint32_t turns;     /* how many turns of a loop may be saved where that is not known */
    Piece thread;       /* name of the thread's number in a kernel of one dimension */
    jmp_buf refused;
} Translator;

/* Most texts that are compared differ at once. */
static inline bool same_text(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

/* ---- refusing ---- */
_Noreturn void refuse(Translator *, const Node *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

enum { MAX_ARGS = 64 }; /* of a call */

/* ---- lowering (lower_routine.c, lower.c, lower_expr.c, lower_call.c) ---- */
Routine *lower_routine(Translator *, const IrFunction *source);
Routine *routine_of_func(Translator *, const Func *func, const Node *at);
void lower_body(Translator *, Block *block, const NodeList *body);
const char *comment_above(Translator *, const Node *node);  /* lines, without the sign; NULL: none */
const char *comment_behind(Translator *, const Node *node); /* on its line */
Term *to_term(Translator *, const Node *node);
Term *call_to_term(Translator *, const Node *node, uint32_t expected);
Term *new_term(Translator *, TermKind kind, const Type *type, uint32_t count); /* the arguments are still to be set */
Term *literal_term(Translator *, const Type *type, const char *text);
Term *thread_term(Translator *); /* the number of the thread */
Term *coordinate_term(Translator *,
                      uint32_t dim); /* of the thread in the kernel's dimensions; wp.tid() as one number is the first */
Term *int_term(Translator *, int64_t value);
Term *value_term(Translator *, const Value *value, const Type *wanted, const Node *at);
Term *op_term(Translator *, const char *name, Term **args, uint32_t count, const Type *type, const Node *at);
Term *construct_term(Translator *, Term **args, uint32_t count, const Type *type, const Node *at);
Term *var_term(Translator *, Var *var);
typedef struct Parts { /* of a vector or matrix */
    Term **items;
    uint32_t count;
    const Type *type; /* of all of them together */
} Parts;
bool find_parts(Translator *, const Node *node, Parts *out); /* of a slice or row whose place is known now */
Term *part_term(Translator *, Term *whole, uint32_t part);
Term *hoist(Translator *, Term *term, const char *stem);
Var *find_var(Translator *, Name name, const Type *type);
bool is_ascii(const char *text, size_t length);
Var *new_var(Translator *, Name name, const Type *type, const char *text);
Var *temporary_var(Translator *, const char *stem, const Type *type);
Step *new_step(Translator *, StepKind kind);
const NodeFact *fact_at(Translator *, const Node *node); /* never NULL: an unknown one has no type */
bool is_local(const Translator *, Name name);
const Tuple *tuple_of(const Translator *, const Node *node); /* that a name stands for; NULL: none */
bool define_tuple(Translator *, Name name, const Node *value);
const Value *static_value(Translator *, const Node *node); /* of a path that is no variable; NULL */
const Type *strip(const Type *type);
void lower_message(Translator *, const Node *call, const char *name); /* lower_message.c */
void lower_assert(Translator *, const Node *node);
void lower_atomic(Translator *, const Node *node, const char *operation, Var *result);
typedef enum Form { /* of a builtin */
                    FORM_OPERATION,
                    FORM_CONVERSION,
                    FORM_CONSTRUCTOR,
                    FORM_IDENTITY,
                    FORM_CAST,
                    FORM_THREAD,
                    FORM_LENGTH,
                    FORM_COPY,
                    FORM_WHERE,
                    FORM_SELECT,
                    FORM_TOP,
                    FORM_BOTTOM,
                    FORM_ADJOINT,
                    FORM_ROWS,
                    FORM_COLUMNS,
                    FORM_ATOMIC,
                    FORM_MESSAGE, /* messages and checks for the developer */
                    FORM_SETTER
} Form;
Form form_of(const Translator *, const NodeFact *fact);

/* ---- names (names.c) ---- */
typedef enum NameScope {
    NAME_FIELD,
    NAME_LOCAL,
    NAME_GLOBAL
} NameScope;                                                    /* each may have fewer names than the one before */
void note_called(StandaloneLibrary *library, const char *text); /* what it calls or defines is taken */
void read_reserved(StandaloneLibrary *library);
const char *changed_name(Translator *, const char *name, NameScope scope); /* itself, where it is not taken */
const char *global_name(Translator *, const char *wanted); /* of a function, struct or constant, and nothing else */
bool is_global_name(const Translator *, const char *name);

/* ---- pieces of text (piece.c) ---- */
Piece glue(Translator *, Tight tight, const Piece *parts, uint32_t count);
#define GLUE(t, tight, ...)                                                                                            \
    glue((t), (tight), (const Piece[]){__VA_ARGS__}, sizeof((const Piece[]){__VA_ARGS__}) / sizeof(Piece))
Piece fit(Translator *, Piece piece, Tight at_least); /* in parentheses where it binds less tightly */
Piece piece_of(const char *text);
Piece piece_int(Translator *, int64_t number);
Piece negative(Translator *, Piece piece);              /* -piece */
Piece opposite(Translator *, Piece condition);          /* !condition */
Piece part_of(Translator *, Piece whole, Piece part);   /* a part, its text being ".x" or the like */
const NameSet *name_set(Translator *, uint32_t number); /* of one local name */
const NameSet *join_names(Translator *, const NameSet *a, const NameSet *b);
bool names_meet(const NameSet *a, const NameSet *b);
const char *number_text(Translator *, double value, TypeKind kind);

/* ---- operations (op.c) ---- */
typedef struct PatternPart { /* of a text with places to fill in: some letters, then a slot */
    const char *text;
    uint32_t length;
    char slot; /* '0' … an argument, g, r, F, T, A, s: see op.def; NUL: none */
    uint32_t which;
    Tight wanted;
} PatternPart;

typedef struct Pattern {
    PatternPart *parts;
    uint32_t count;
    Tight tight;
    char alone;        /* 'g' or '0': this slot is all there is */
    bool is_negative;  /* but for a minus in front */
    uint32_t seeds;    /* how often the adjoint of the result is written */
    uint32_t mentions; /* a bit for each argument whose value is in it */
} Pattern;

typedef struct HelperUse { /* "name:0,r": the helper for one or two of an operation's types */
    const HelperRow *row;
    char type, second; /* 0: none */
    bool type_turned, second_turned;
} HelperUse;

typedef struct HelperUses {
    HelperUse *items;
    uint32_t count;
} HelperUses;

typedef struct ArgKind { /* of an argument, see op.def */
    uint64_t kinds;      /* a bit for each TypeKind that it may have */
    uint32_t length;     /* 0: any */
    bool is_float, is_square;
} ArgKind;

struct Op {
    const char *name;
    ArgKind args[4];
    uint32_t arg_count;
    bool is_construct;   /* its arguments alone decide the text, see print.c */
    const char *routine; /* of the library; NULL: there is a text */
    bool changes_first;  /* a random number: the state goes on */
    bool is_or, is_convert;
    Pattern text, adjoint[3]; /* what is added to the adjoint of each argument; no parts: nothing flows there */
    HelperUses uses, adjoint_uses;
};
enum { ROW_SLOTS = 512, MAX_ROWS = 255, NO_ROW = 255 };
typedef struct RowTable { /* the rows of a table by their names */
    uint8_t first[ROW_SLOTS], next[MAX_ROWS];
} RowTable;
void rows_init(RowTable *table);
void rows_add(RowTable *table, const char *name, size_t length, uint32_t row);
uint32_t rows_first(const RowTable *table, const char *name, size_t length); /* those that may have it; or NO_ROW */
void read_ops(StandaloneLibrary *library);
void index_forms(RowTable *table);                                     /* lower_call.c */
uint32_t op_first(const StandaloneLibrary *library, const char *name); /* row of that name; NO_ROW: none */
const Op *op_find(const StandaloneLibrary *library, uint32_t first, const Type *const *types, uint32_t count);
extern const Op construct_op;
static inline bool has_text(const Pattern *pattern)
{
    return pattern->count || pattern->alone;
}
Piece expand(Translator *, const Op *op, const Pattern *pattern, const Term *term, const Piece *args,
             const Piece *seed);
void use_helpers(Translator *, const HelperUses *uses, const Term *term);

/* ---- types (ctype.c) ---- */
Piece c_type(Translator *, const Type *type);
const StructNames *struct_names(Translator *, const StructDecl *decl);
void need_type(Translator *, TypeEntry *entry);
uint64_t look_of(const Type *type);                                   /* the same for types that look the same in C */
Piece component_text(Translator *, const Type *type, uint32_t index); /* ".x", ".m[0][1]", … */
const char *type_suffix(const Type *scalar);                          /* "f", "d", "i", … */
bool is_float_type(const Type *type);                                 /* it has parts that carry a gradient */
uint32_t parts_of(const Type *type);

/* ---- needs and helpers (helper.c) ---- */
void index_helpers(StandaloneLibrary *library);
const HelperRow *helper_row(const StandaloneLibrary *library, const char *name, size_t length); /* NULL: none */
void use_helper(Translator *, const char *name, const Type *type, const Type *second);
void use_helper_row(Translator *, const HelperRow *row, const Type *type, const Type *second);
void add_need(Translator *, NeedList *list, Need *need); /* unless it is there */
Need *new_need(Translator *, NeedList *list, const char *key, const char *text, size_t length);
Need *find_need(const NeedList *list, const char *key);
void renew_marks(Translator *); /* after another program was made */

/* ---- scopes (scope.c) ---- */
enum { VAR_BITS = 63, STEP_TERMS = 5 };
typedef void TermVisitor(const Term *term, void *user);
void visit_term(const Term *term, TermVisitor *visit, void *user);
uint32_t step_terms(const Step *step, Term **out); /* but for the values of a return; at most STEP_TERMS */
bool term_mentions(const Term *term, const Var *var);
bool step_mentions(const Step *step, const Var *var);
bool assigns(const Block *block, const Var *var);
bool step_sets(const Step *step, const Var *var);     /* itself or in its blocks */
bool blocks_assign(const Step *step, const Var *var); /* the blocks in it */
const Var *root_var(const Term *place);               /* the variable or array that a place is a part of */
const Term *array_root(const Term *place);            /* the array of a place that is in one; NULL: a local place */
void find_homes(Translator *, Routine *routine, Block *body);
Block *normalize(Translator *, Routine *routine); /* what follows a jump stands in an else */

/* ---- the order of threads (order.c) ---- */
void find_unordered(const Routine *kernel);

/* ---- gradients and needed values (flow.c) ---- */
void find_activity(Translator *, Routine *routine);
void find_needs(Translator *, Routine *routine, const Block *body);
bool term_is_active(const Term *term);
bool term_is_effect(const Term *call);        /* a call that may change the gradient of an array */
bool holds_arrays(const Type *type);          /* an array, or a struct with one */
bool find_block_activity(const Block *block); /* of its steps, from what is known about variables and terms */
bool block_is_active(const Block *block);
bool block_is_needed(const Block *block); /* it sets something that the reverse pass needs */
bool step_is_needed(const Step *step);

/* ---- lines (tidy.c) ---- */
void put_line(Translator *, LineKind kind, const Piece *parts, uint32_t count);
#define LINE(t, kind, ...)                                                                                             \
    put_line((t), (kind), (const Piece[]){__VA_ARGS__}, sizeof((const Piece[]){__VA_ARGS__}) / sizeof(Piece))
void declare_line(Translator *, Piece type, Piece name, Piece value, Piece remark);
void set_line(Translator *, Piece place, const char *sign, Piece value, Piece remark); /* place sign value;remark */
void declare_sum(Translator *, const Type *type, Piece name); /* a variable that starts at zero and is added to */
void clear_line(Translator *, const Type *type, Piece place); /* and again */
void if_line(Translator *, LineKind kind, Piece condition);   /* LINE_IF or LINE_ELSE_IF */
void close_block(Translator *);
void start_body(Translator *, Body *body);
void tidy(Translator *); /* leaves out what nobody uses */
void write_lines(const Body *body, Text *out);

/* ---- text (print.c, print_step.c) ---- */
Piece print_term(Translator *, const Term *term);
Piece term_text(Translator *, const Term *term, Tight at_least);
Piece array_pointer(Translator *, const Term *array, bool adjoint);
Piece array_size(Translator *, const Term *array, uint32_t dim);
Piece place_text(Translator *, const Term *place, bool adjoint);
Piece adjoint_name(Translator *, const Var *var);
Piece zero_text(Translator *, const Type *type);
Piece start_text(Translator *, const Type *type); /* of a declaration that starts at zero */
Piece print_call_args(Translator *, const Term *call, bool adjoint);
void print_block(Translator *, const Block *block);
void print_step(Translator *, const Step *step);
void print_for_head(Translator *, const Step *step);

/* ---- the reverse pass (reverse.c, reverse_term.c) ---- */
void print_backward(Translator *, const Block *body);
void propagate(Translator *, const Term *term, Piece seed);
void propagate_call(Translator *, const Term *call, Piece seed); /* no text: there is none */
Piece fresh_name(Translator *, Piece stem);
Piece fresh_gradient(Translator *);
void look_for_gradient_names(Translator *); /* among the variables, before the first fresh_gradient() of a body */

/* ---- whole programs (program.c) ---- */
/* Lowers and prints everything; false: refused. */
bool translate_all(Translator *, bool backward);
void print_routines(Translator *, Text *out); /* functions and kernels, callees first */
/* ---- library (library.c) ---- */
typedef struct TakenName {
    const char *text;
    uint32_t length;
    NameScope scope; /* and those behind it */
} TakenName;

typedef struct TakenNames { /* sorted */
    TakenName *items;
    uint32_t count, cap;
} TakenNames;

typedef struct LibraryPart { /* a function of the source */
    const char *text, *name;
    size_t length, name_length, stem_length; /* the stem: without what tells overloads apart */
} LibraryPart;

enum { ENTRY_SLOTS = 256, NAME_SLOTS = 64, WORD_SLOTS = 512 };

/* What the name of a builtin or operator says. Such names live as long as the program: most are met again. */
typedef struct OpWord {
    const char *name;
    uint8_t form, first; /* a Form; the first row of op.def, or NO_ROW */
} OpWord;

struct StandaloneLibrary {
    Arena arena;
    struct Weft *weft;
    struct LibraryEntry *entries[NAME_SLOTS]; /* by name */
    LibraryPart parts[64];
    uint32_t part_count;
    uint64_t loaded[2]; /* parts; float32, float64 */
    bool loading;       /* library.py is being translated */
    bool missed;        /* meanwhile: another part is wanted */
    RowTable op_rows, helper_rows, forms;
    const HelperRow *atomic_add, *accumulate; /* those that are asked for most */
    OpWord op_words[WORD_SLOTS];
    Op *ops;
    uint8_t next_op[MAX_ROWS]; /* of the same name */
    uint32_t serial;           /* of the newest program */
    TakenNames taken;
    NeedList kept;
    TypeEntry *types[ENTRY_SLOTS]; /* by what they look like */
    HelperEntry *helpers[ENTRY_SLOTS];
};
void use_library_adjoint(Translator *, const Routine *routine);
Routine *library_routine(Translator *, const char *name, const Type *const *types, uint32_t count);

#endif
