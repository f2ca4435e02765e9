/* Shared by the files of the AST evaluator; nobody else includes this.
 *
 *     tile_*.c     tiles, and the lanes of a block (tile.h)
 *     run.c        preparing and running a launch     value.c      values, variables, conversions
 *     lower*.c     syntax tree to Plan: statements and expressions with names resolved to slots
 *     exec.c       statements                         expr.c       names, operators, conditions
 *     part.c       attributes, subscripts, places     array.c      elements, views, atomics, races
 *     call.c       functions and overloads            construct.c  constructors
 *     code*.c, op*.c: statements as operations on cells, where the types are known (code.h)
 *     builtin.c    the table of builtins; number.*, math.c, vector.c, quat.c, decompose.c,
 *                  geometry.c, random.c, noise.c, misc.c: the builtins themselves
 *
 * Types are dynamic: every value carries its type, so nothing of the compiler's inference is repeated here. */
#ifndef WEFT_EVAL_AST_IMPL_H
#define WEFT_EVAL_AST_IMPL_H

#include "eval/ast/eval.h"

#include <setjmp.h>

/* A number and its tangent. */
typedef struct Dual {
    union {
        double real;
        int64_t integer;
    };
    double tangent;
} Dual;

/* Who touched a cell of an array, as thread number + 1; 0: nobody, MANY_THREADS: several. */
typedef struct Shadow {
    uint32_t writer, reader, updater;
    uint32_t lane; /* the last one that has written it, counted from 1 */
} Shadow;
enum { MANY_THREADS = UINT32_MAX };

typedef struct Storage {
    Cell *cells;
    double *tangents;
    Shadow *shadow; /* NULL: races are not looked for */
    size_t count;   /* elements */
    uint32_t width; /* cells per element */
} Storage;

typedef struct ArrayView {
    Storage *storage;
    const Type *type; /* an array type */
    uint32_t ndim, shape[4];
    int64_t stride[4]; /* in elements */
    int64_t offset;
} ArrayView;

typedef enum DatumKind {
    DATUM_NOTHING,
    DATUM_VALUE,  /* a scalar or composite: cells */
    DATUM_STRUCT, /* its value fields: cells; its array fields: arrays */
    DATUM_ARRAY,
    DATUM_ELEMENT, /* a place in an array, not read yet: Warp reads it when it is used */
    DATUM_TUPLE,
    DATUM_STATIC, /* a type, a function, … */
    DATUM_SLICE,
    DATUM_RANGE,
    DATUM_TILE, /* one value for all lanes of a block: tile.h */
    DATUM_STACK
} DatumKind;

typedef struct Tile Tile;
typedef struct TileStack TileStack;
typedef struct TileSite TileSite;
typedef struct Datum Datum;
struct Datum {
    DatumKind kind;
    bool writable;    /* VALUE, STRUCT: the storage of a variable */
    uint32_t count;   /* TUPLE: items; otherwise cells of a selection */
    const Type *type; /* VALUE, STRUCT, ARRAY, ELEMENT */
    union {
        Dual *cells;
        Storage *storage; /* ELEMENT */
        Datum *items;
        const Value *value;
        const int32_t *bounds; /* SLICE, RANGE: start, stop, step */
        Tile *tile;
        TileStack *stack;
    };
    union {
        ArrayView *arrays; /* STRUCT; ARRAY: one */
        size_t first_cell; /* ELEMENT */
    };
    const uint32_t *selection; /* of a place: which cells, where they are not in a row */
};

typedef struct AstProgram Evaluator;
typedef struct Expr Expr;
enum { MAX_RESULTS = 4 }; /* of a function that has code */
typedef struct Call Call;
typedef struct Op Op; /* code.h */
typedef void EvalFn(Evaluator *e, const Expr *x, Datum *out);
typedef void BuiltinFn(Call *call);

typedef struct BuiltinRow {
    const char *name;
    BuiltinFn *function;
    uint32_t min_args, max_args;
    int variant; /* for functions that serve several names */
} BuiltinRow;

struct Call { /* one call of a builtin */
    Evaluator *e;
    const Expr *x;
    Datum *args; /* loaded; DATUM_NOTHING: left out */
    uint32_t count;
    int variant;
    Datum *out; /* starts as DATUM_NOTHING */
};

typedef struct Plan Plan;

typedef struct CallSite {
    const BuiltinRow *row;      /* a builtin, or */
    const struct TileRow *tile; /* one of tiles, or */
    const Value *callee;        /* a function or type known now; NULL: kids[0] says which */
    const char *name;           /* for messages */
    Name *keywords;             /* one per kid; NULL where it is positional; NULL: none at all */
    uint32_t expected;          /* results of a tuple assignment; 0: one */
    Storage *zeros;             /* the array made by wp.zeros here */
    const Value *literal;       /* the only argument, if it is a constant: a 64-bit conversion takes it as written */
    const Type **seen;          /* argument types of the last call, and */
    Plan *seen_plan;            /* what they led to */
    const Value *type_value;    /* type(x) of the last time */
    uint32_t seen_cap;
} CallSite;

/* A wp.static() that depends on variables: what it was for their values. */
typedef struct DeferredValue {
    uint64_t key;
    Datum datum;
    struct DeferredValue *next;
} DeferredValue;

typedef struct Deferred {
    const Node *node;
    DeferredValue *seen;
    uint32_t count;
} Deferred;

typedef struct Attribute {
    Name name;
    const Type *seen; /* the struct type of the last time, and what was found */
    const Type *type;
    uint32_t cell, array;
    const Value *value; /* of an attribute of the type itself */
} Attribute;

struct Expr {
    EvalFn *eval;
    uint32_t offset;
    uint32_t count;
    Expr **kids;
    const Value *literal; /* a constant, as Warp sees it: written here, or a name that stands for one; or NULL */
    TileSite *site;       /* of the tile that it makes */
    bool meets_tiles;     /* it may: all lanes of a block evaluate it together */
    union {
        uint32_t slot;
        struct {
            Datum rounded, exact;
        } constant;
        OpKind op;
        struct {
            OpKind op;
            Func *overload;
        } binary;    /* a function of the file that overloads the operator */
        OpKind *ops; /* comparisons: count - 1 */
        Attribute *attribute;
        CallSite *call;
        Deferred *deferred;
        const char *message;
        const Datum *given;       /* one a lane: evaluated before */
        const uint32_t *brackets; /* subscripts: how many indices each has, where there are several; then 0 */
    };
};

typedef enum StmtKind {
    STMT_NAME,  /* slot = value */
    STMT_TUPLE, /* slots = value */
    STMT_PLACE, /* place = value */
    STMT_AUG_NAME,
    STMT_AUG_PLACE,
    STMT_EXPR,
    STMT_IF,
    STMT_FOR,
    STMT_WHILE,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN,
    STMT_UNSUPPORTED
} StmtKind;

typedef struct Stmt Stmt;
typedef struct Block {
    Stmt *items;
    uint32_t count;
} Block;

struct Stmt {
    StmtKind kind;
    uint32_t offset;
    Expr *value; /* also the condition, the iterated */
    Expr *place; /* for AUG_NAME: the operation; for AUG_PLACE: the place */
    uint32_t slot;
    uint32_t *slots, slot_count;
    bool is_alias; /* TUPLE: Warp does not copy a variable here, and a part of it is assigned elsewhere */
    OpKind op;
    Func *overload;
    bool meets_tiles; /* as of an expression; also what is in its blocks */
    bool is_atomic;   /* AUG_PLACE of an array element: one of the operators that Warp does atomically */
    Block body, orelse;
    const char *message;
};

typedef struct Slot {
    Name name;
    bool assigned; /* by a statement */
    bool may_be_tile;
    Datum datum; /* DATUM_NOTHING: not set */
    Dual *cells; /* its own memory */
    ArrayView *arrays;
    struct Slot *items; /* of a tuple */
    Datum *item_data;
    uint32_t cell_cap, array_cap, item_cap;
    int32_t bounds[3];
    Storage *copy;  /* of a local array that was assigned to this name */
    Tile *tile;     /* its own description of one */
    TileSite *site; /* of a tile that was copied to this name */
} Slot;

struct Plan { /* a kernel or function, ready to run */
    const Code *code;
    Func *func;          /* NULL: the kernel */
    const char *refused; /* why it cannot run */
    Block body;
    Slot *slots;
    uint32_t slot_count, slot_cap;
    HashTable slot_places; /* by name */
    bool active;
    Slot result;
    Slot **lane_slots, *lane_results; /* one a lane, where lanes run together */
    uint32_t lane_cap;
    Plan *next, *next_of_definition;
    /* code, for arguments of certain types */
    Plan *base, *next_variant; /* one plan per list of types */
    const Type **signature;    /* these types; NULL: they cannot be told */
    const Op *ops;             /* NULL: it has no code */
    bool has_signature, has_code;
    bool takes_cells;       /* its arguments may be copied to its slots as they are */
    bool result_is_dynamic; /* it has results of several types, or one sometimes */
    uint32_t result_count;
    const Type *result_types[MAX_RESULTS];
};

typedef struct ScratchBlock {
    struct ScratchBlock *next;
    size_t size;
    char *data;
} ScratchBlock;

typedef struct ScratchMark {
    ScratchBlock *block;
    char *next;
} ScratchMark;

/* A constant as code reads it. */
typedef struct CodeConstant {
    Dual *cells;
    const Expr *x;
    uint32_t width;
    struct CodeConstant *next;
} CodeConstant;

/* Where the cells and arrays of a struct's fields are. */
typedef struct Layout {
    const Type *type;
    uint32_t cells, arrays;
    uint32_t *field_cell, *field_array;
} Layout;

struct AstProgram { /* a prepared kernel and the state of its run */
    Unit *unit;
    Arena *arena;
    const Kernel *kernel;
    Plan *main, *plans;
    HashTable plans_of_definitions; /* by node: the newest, which knows the others */
    Plan *current;
    HashTable layouts; /* of structs, by type */
    ScratchBlock *scratch, *first_scratch;
    char *scratch_next, *scratch_end;
    CodeConstant *constants;
    uint32_t coding; /* plans for which code is being made */
    /* of the current run */
    bool uses_code;
    AstRun *run;
    Launch *launch;
    bool in_double;
    bool carries_on;
    uint32_t noise;
    uint64_t steps, max_steps;
    uint32_t thread, index[4];
    uint32_t depth;
    bool has_tiles;            /* the kernel, or a function that it may call */
    uint32_t lane, lane_count; /* of a kernel with tiles */
    uint32_t (*lane_index)[4];
    jmp_buf stop;
};

/* ---- ending a run (run.c) ---- */
/* Ends the run, unless it carries on with numbers that are not defined. */
void stop_undefined(Evaluator *e, FindingKind kind, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void stop_run(Evaluator *e, FindingKind kind, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void stop_unsupported(Evaluator *e, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void too_many_steps(Evaluator *e, uint32_t offset);
_Noreturn void stop_unset(Evaluator *e, const Slot *slot, uint32_t offset); /* expr.c */

static inline void count_step(Evaluator *e, uint32_t offset)
{
    if (++e->steps > e->max_steps)
        too_many_steps(e, offset);
}

/* ---- memory ---- */
void scratch_next_block(Evaluator *e, size_t size);
static inline void *scratch(Evaluator *e, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if ((size_t)(e->scratch_end - e->scratch_next) < size)
        scratch_next_block(e, size);
    char *memory = e->scratch_next;
    e->scratch_next += size;
    return memory;
}
static inline ScratchMark scratch_mark(const Evaluator *e)
{
    return (ScratchMark){e->scratch, e->scratch_next};
}
static inline void scratch_release(Evaluator *e, ScratchMark mark)
{
    e->scratch = mark.block;
    e->scratch_next = mark.next;
    e->scratch_end = mark.block->data + mark.block->size;
}

/* ---- types and values (value.c) ---- */
const Layout *struct_layout(Evaluator *e, const Type *type, uint32_t offset);
uint32_t cells_of_type(Evaluator *e, const Type *type, uint32_t offset); /* cells of a value or struct */
/* A new value in scratch; its cells are not set. */
Dual *new_datum(Evaluator *e, const Type *type, uint32_t width, Datum *out);
static inline Dual *new_scalar(Evaluator *e, const Type *type, Datum *out)
{
    Dual *cells = scratch(e, sizeof *cells);
    *out = (Datum){.kind = DATUM_VALUE, .type = type, .cells = cells};
    return cells;
}
void new_int_datum(Evaluator *e, TypeKind kind, int64_t integer, Datum *out);
void new_real_datum(Evaluator *e, TypeKind kind, double real, Datum *out);
void new_bool_datum(Evaluator *e, bool truth, Datum *out);
/* A constant of the file as a datum; false: a kernel cannot hold it. `permanent`: not in scratch. */
bool datum_of_value(Evaluator *e, const Value *value, bool permanent, Datum *out);
/* Copies a value into scratch, so that later changes of a variable do not show. */
void detach_datum(Evaluator *e, Datum *datum, uint32_t offset);
/* For the journal of the run, if it has one. */
void keep_datum(const Evaluator *e, const Datum *datum, uint32_t offset);
/* A slot that had a value of this type, in the thread before or in this one: its datum says all but its kind. */
static inline bool slot_is_described(const Slot *slot, const Type *type)
{
    return slot->datum.type == type && slot->datum.cells == slot->cells && slot->datum.kind <= DATUM_VALUE;
}
/* Gives it memory for values of a type, and a datum that says so: a slot that is not set. */
void slot_describe(Evaluator *e, Slot *slot, const Type *type, uint32_t cells, uint32_t arrays);
void slot_set_any(Evaluator *e, Slot *slot, const Datum *datum, uint32_t offset);
/* Copies a datum (elements read first) into a slot's own memory. */
static inline void slot_set(Evaluator *e, Slot *slot, const Datum *datum, uint32_t offset)
{
    if (datum->kind != DATUM_VALUE || !type_is_single(datum->type) || !slot_is_described(slot, datum->type)) {
        slot_set_any(e, slot, datum, offset);
        return;
    }
    slot->datum.kind = DATUM_VALUE;
    slot->cells[0] = datum->cells[0];
}
int64_t datum_int(Evaluator *e, const Datum *datum, uint32_t offset);
bool datum_truth(Evaluator *e, const Datum *datum, uint32_t offset);
const char *type_message(Evaluator *e, const Type *type);
const char *datum_text(Evaluator *e, const Datum *datum); /* what it is, for messages */
/* From one scalar type to another, as C++ converts. */
Dual convert_scalar(Evaluator *e, Dual number, TypeKind from, TypeKind to, uint32_t offset);
static inline bool is_float_kind(TypeKind kind)
{
    return kind_traits[kind].is_float;
}
static inline bool is_unsigned_kind(TypeKind kind)
{
    return kind == TYPE_UINT8 || kind == TYPE_UINT16 || kind == TYPE_UINT32 || kind == TYPE_UINT64 ||
           kind == TYPE_HANDLE;
}
uint32_t bits_of_kind(TypeKind kind);

/* ---- lowering (lower.c, lower_expr.c) ---- */
typedef struct Lower {
    Evaluator *e;
    Plan *plan;
    const Code *code;
    const Value **constant; /* one per slot: the constant that it stands for now, or NULL */
    uint32_t constant_cap;
    struct ConstantChange *changes; /* inside of branches, each change of one: what it was before */
    uint32_t change_count, change_cap, branches;
    const NodeList *loop_body; /* of the innermost loop that Warp may not unroll; NULL: none */
    uint32_t nesting;
} Lower;
Plan *plan_of(Evaluator *e, const Code *code, Func *func);
Plan *lower_plan(Evaluator *e, const Code *code, Func *func); /* another one */
uint32_t lower_place(const Lower *l, const Node *node);       /* what messages point at */
Expr *lower_expr(Lower *l, const Node *node);
Expr *lower_call(Lower *l, const Node *node, uint32_t expected);
bool find_plan_slot(const Plan *plan, Name name, uint32_t *slot);
uint32_t slot_of(Lower *l, Name name);
Func *operator_function(Lower *l, OpKind op);
const BuiltinRow *builtin_row(const char *name); /* NULL: not supported */

/* ---- statements and expressions ---- */
EvalFn eval_constant, eval_name, eval_unsupported, eval_binary, eval_unary, eval_compare, eval_and_or, eval_if_exp,
    eval_attribute, eval_subscript, eval_slice, eval_tuple, eval_deferred_static, eval_call_builtin, eval_call_value,
    eval_call_dynamic, eval_unpack;
typedef enum RunFlow { RUN_NEXT, RUN_BREAK, RUN_CONTINUE, RUN_RETURN } RunFlow;
void run_plan(Evaluator *e, Plan *plan);         /* its statements, once */
RunFlow run_one(Evaluator *e, const Stmt *stmt); /* a statement */
static inline void eval(Evaluator *e, const Expr *x, Datum *out)
{
    x->eval(e, x, out);
}
/* Evaluates and reads elements of arrays. */
void load_datum(Evaluator *e, Datum *datum, uint32_t offset);
static inline void eval_loaded(Evaluator *e, const Expr *x, Datum *out)
{
    x->eval(e, x, out);
    if (out->kind == DATUM_ELEMENT)
        load_datum(e, out, x->offset);
}
/* What is only looked at: a variable or a constant where it lies, anything else in `room`. Elements of arrays are not read, and
 * lie there, too. */
static inline const Datum *eval_operand(Evaluator *e, const Expr *x, Datum *room)
{
    if (x->eval == eval_name) {
        const Datum *datum = &e->current->slots[x->slot].datum;
        if (datum->kind != DATUM_NOTHING && datum->kind != DATUM_ELEMENT)
            return datum;
    } else if (x->eval == eval_constant)
        return e->in_double ? &x->constant.exact : &x->constant.rounded;
    x->eval(e, x, room);
    return room;
}
/* A place that can be assigned: a variable, a part of one, or an element of an array. */
void eval_place(Evaluator *e, const Expr *x, Datum *out);
void store_place(Evaluator *e, const Datum *place, const Datum *value, uint32_t offset);
void apply_operator(Evaluator *e, const Expr *x, OpKind op, Func *overload, Datum *left, Datum *right, Datum *out);
void binary_builtin(Evaluator *e, const Expr *x, OpKind op, const Datum *left, const Datum *right, Datum *out);
bool compare_data(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b);
/* Of a vector, quaternion or transform: the part with this name. */
bool find_composite_part(Evaluator *e, Name name, const Type *type, const Type **part, uint32_t *cell);
/* The place of a component, which may count from the end. */
uint32_t part_index(Evaluator *e, int64_t index, uint32_t length, uint32_t offset);

/* ---- tiles (tile.h) ---- */
const struct TileRow *tile_row(const char *name); /* NULL: no tile builtin, or not supported */
EvalFn eval_tile_call, eval_given;
/* Finds out whether the kernel has tiles, and what may meet them. */
void tile_prepare(Evaluator *e);
void tile_mark_plan(Evaluator *e, Plan *plan);
/* Runs the kernel, all blocks of the launch. */
void tile_run_blocks(Evaluator *e, const Datum *args, uint32_t count);
uint32_t tile_length(const Datum *datum); /* along its first dimension */
void tile_slot_set(Evaluator *e, Slot *slot, Datum *datum);

/* ---- arrays (array.c) ---- */
/* One index or slice a dimension; fewer: a view. */
void index_view(Evaluator *e, const ArrayView *view, const Datum *indices, uint32_t count, uint32_t offset, Datum *out);
/* As index_view(), for the brackets of an expression. */
void index_array(Evaluator *e, const Expr *x, const ArrayView *view, Datum *indices, uint32_t count, Datum *out);
/* Who touches cells; a race ends the run. */
typedef enum AccessKind { ACCESS_READ, ACCESS_WRITE, ACCESS_UPDATE } AccessKind;
void note_access(Evaluator *e, Shadow *shadow, uint32_t width, AccessKind kind, uint32_t offset);
/* An element's cells, as they are; and that this thread reads them. */
void fetch_cells(const Storage *storage, size_t first, uint32_t width, Dual *cells);
void note_read(Evaluator *e, const Datum *element, uint32_t width, uint32_t offset);
void store_element_cells(Evaluator *e, const Datum *place, const Dual *cells, uint32_t offset);
void view_datum(ArrayView *view, Datum *out);
void view_of_storage(Storage *storage, const Type *type, uint32_t ndim, const uint32_t *shape, ArrayView *view);
typedef enum AtomicOp {
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS
} AtomicOp;
AtomicOp atomic_of(OpKind op); /* of an augmented assignment */
/* `old` may be NULL. */
void atomic_update(Evaluator *e, const Expr *x, const Datum *place, AtomicOp op, const Datum *value,
                   const Datum *compare, Datum *old);
Dual read_cell(Evaluator *e, const ArrayView *view, int64_t index, uint32_t offset); /* of a 1D array of scalars */

/* ---- functions and constructors (call.c) ---- */
typedef struct Passed {
    Datum *args;
    Name *keywords; /* as in CallSite, from the first argument on */
    uint32_t count;
} Passed;
Func *find_func(Evaluator *e, Func *head, const Passed *passed);
const Type *parameter_type(Evaluator *e, const Datum *given); /* of a parameter, with this argument */
void bind_parameters(Evaluator *e, const Expr *x, Plan *plan, const Passed *passed);
void enter_plan(Evaluator *e, const Expr *x, Plan *plan); /* unless it is refused, or calls are too deep */
void leave_plan(Evaluator *e, Plan *plan, Plan *caller);
/* kids[first …], given; `*x` arguments are spread. */
void eval_arguments(Evaluator *e, const Expr *x, uint32_t first, Passed *passed);
/* A function, type or builtin that is a value. */
void call_given(Evaluator *e, const Expr *x, const Value *callee, const Passed *passed, Datum *out);
Plan *plan_for(Evaluator *e, const Expr *x, const Value *callee, const Passed *passed); /* of a function */
void call_overload(Evaluator *e, const Expr *x, Func *func, const Passed *passed, Datum *out);
void construct_value(Evaluator *e, const Expr *x, const Type *type, const Passed *passed, Datum *out);

/* wp.float64(0.1) and its kin; false: the argument is not a constant, or 32 bits are enough. */
bool wide_literal(Evaluator *e, const Expr *x, const Type *type, Datum *out);

/* ---- code (code.h) ---- */
/* Makes code for these arguments of a plan. */
void code_plan(Evaluator *e, Plan *plan, const Datum *args, uint32_t count);
/* The plan for arguments of these types, with code where the run uses any. */
Plan *code_variant(Evaluator *e, Plan *plan, const Passed *passed);
/* Is there code of the kernel that is right for these arguments? */
bool code_kernel(Evaluator *e, const Datum *args, uint32_t count);
void set_constants(Evaluator *e); /* for the run */

BuiltinFn build_cast, build_vector, build_matrix, build_by_dtype, build_from_lines, build_identity, build_zeros;

#endif
