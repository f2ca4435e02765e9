/* Code: statements of a plan as short rows of operations on cells, for the types that the arguments have.
 *
 * A plan is run as it is, with types that every value carries, or, for one list of argument types (its signature), by code:
 * names are addresses of cells, types are known, and what is left to do at run time is the operation. Code is made of a
 * statement if every expression in it is one that has an operation; any other statement is run as ever, and so is a statement
 * that names a variable whose type is not known or not always the same. Both ways share the variables, so that they can take
 * turns. What an operation finds out of the ordinary (a result that is not finite, an index below zero) it leaves to the
 * functions that everyone else uses: findings are theirs.
 *
 *     code.c            plans, variables and their types     op.c         numbers, vectors, jumps
 *     code_stmt.c       statements                           op_array.c   elements of arrays
 *     code_expr.c       names and operators                  op_call.c    builtins and functions
 *     code_part.c       parts, elements, places              op.def       their names
 *     code_call.c       builtins and functions
 *     code_construct.c  constructors
 *     code_type.c       the types that operators and builtins give
 *
 * A type that was foreseen wrongly ends the run as unsupported (op_use_builtin); it cannot give a wrong value. */
#ifndef WEFT_EVAL_AST_CODE_H
#define WEFT_EVAL_AST_CODE_H

#include "eval/ast/number.h"

enum { MAX_CODE_WIDTH = 64, MAX_CODE_ARGS = 16 };

/* Executes one op and returns the next; NULL at the end. */
typedef const Op *OpFn(Evaluator *e, const Op *op);

struct Op {
    OpFn *run;
    Dual *out;
    Dual *in[4]; /* operands, or indices */
    const Type *in_type[2];
    const ArrayView *view; /* of elements */
    const Type *type;      /* of the result, or of the element */
    const Expr *x;         /* what it was made of */
    union {
        void *more;            /* a Slot, a CodeCall, a BuiltinUse, a CodeRange, cells to gather or to store */
        const Stmt *statement; /* that has no code */
        NumberFn *number;
    };
    uint32_t width;  /* cells of the result, or of the part of an element */
    uint32_t count;  /* operands; of an element: indices */
    uint32_t skip;   /* cells of the element before the part */
    uint32_t offset; /* place of the finding */
    union {
        int32_t jump;
        int variant;
    };
};

static inline void run_code(Evaluator *e, const Op *op)
{
    while (op)
        op = op->run(e, op);
}

/* A builtin with arguments that lie at known places. */
typedef struct BuiltinUse {
    BuiltinFn *function;
    ArrayView *array;         /* that it gives, or */
    Datum items[MAX_RESULTS]; /* where several results go */
    Datum args[];
} BuiltinUse;

/* A function: what is copied to its parameters. */
typedef struct CodeArgument {
    Datum datum;
    uint32_t cells, arrays;
} CodeArgument;

typedef struct CodeCall {
    Plan *plan;
    uint32_t count;
    CodeArgument args[];
} CodeCall;

/* A loop over a range. */
typedef struct CodeRange {
    const Dual *bounds[3];
    int64_t index, end, step;
    Slot *slot;
    bool is_typed; /* its variable */
    uint32_t offset;
} CodeRange;

/* ---- making code ---- */

typedef enum OperandKind {
    OPERAND_NONE, /* there is no code for it */
    OPERAND_VALUE,
    OPERAND_STRUCT,
    OPERAND_ARRAY,
    OPERAND_ELEMENT, /* of an array, not read yet */
    OPERAND_PART,    /* of a variable, with an index that is computed: a place only */
    OPERAND_STATIC,  /* a type or the like, as an argument */
    OPERAND_NOTHING  /* of a call */
} OperandKind;

typedef struct Operand {
    OperandKind kind;
    bool writable; /* VALUE, STRUCT: of a variable */
    bool can_move; /* the operation before makes it, and could write it elsewhere */
    const Type *type;
    const Type *element; /* ELEMENT: the type of the whole */
    const Value *value;  /* STATIC */
    Dual *cells;         /* VALUE, STRUCT, PART */
    ArrayView *arrays;   /* STRUCT; ARRAY, ELEMENT: one */
    Dual *at;            /* ELEMENT: its first cell; PART: the index */
    uint32_t skip;       /* ELEMENT: cells before the part */
} Operand;

typedef struct CodeLoop CodeLoop;
typedef struct Coder {
    Evaluator *e;
    Plan *plan;
    Op *ops;
    uint32_t count, cap;
    uint32_t label; /* a jump ends before this operation */
    CodeLoop *loop; /* the innermost one */
    Dual *temps;
    uint32_t temp_next, temp_cap;
    bool *is_set;     /* one per slot: on every way here */
    bool *is_dynamic; /* its type is not known, or not always the same */
    bool *is_typed;   /* its datum says what it is */
    bool changed;     /* another slot has turned out to be dynamic */
} Coder;

/* code.c, for the others */
Op *code_emit(Coder *c, OpFn *run, const Expr *x);
Operand code_result(Coder *c, OpFn *run, const Expr *x, const Type *type); /* an operation with a result of its own */
Operand code_view(Coder *c, OpFn *run, const Expr *x, const Type *type);   /* likewise, with an array */
void code_step(Coder *c, uint32_t offset);
void code_land(Coder *c, const uint32_t *jumps, uint32_t count);
static inline Op *code_last(const Coder *c)
{
    return &c->ops[c->count - 1];
}
Dual *code_temp(Coder *c, uint32_t width);
void set_constant(const Evaluator *e, CodeConstant *constant); /* for the run */
uint32_t code_width(const Type *type);                         /* cells of a value; 0: too many, or no value */
uint32_t cells_of_operand(const Coder *c, const Operand *value);
void make_dynamic(Coder *c, uint32_t slot);
bool type_slot(Coder *c, uint32_t i, const Type *type); /* false: it has values of other types, too */
void code_move(Coder *c, const Operand *value, Dual *to);
bool code_struct(Evaluator *e, const Type *type, const Layout **layout); /* false: no layout */

/* code_stmt.c */
void code_block(Coder *c, const Block *block);

/* code_expr.c */
Operand code_expr(Coder *c, const Expr *x);
Operand code_constant(Coder *c, const Expr *x);
Operand code_binary(Coder *c, const Expr *x, OpKind op, const Operand *left, const Operand *right);
static inline bool is_int32(const Operand *operand)
{
    return operand->kind == OPERAND_VALUE && operand->type->kind == TYPE_INT32;
}

/* code_part.c */
Operand code_part_expr(Coder *c, const Expr *x);             /* an attribute or a subscript */
Operand code_load(Coder *c, Operand value, uint32_t offset); /* elements are read */
static inline Operand code_loaded(Coder *c, const Expr *x)
{
    return code_load(c, code_expr(c, x), x->offset);
}
Operand code_place(Coder *c, const Expr *x);
Operand code_part_value(Coder *c, const Operand *place); /* the present value of a variable, or of a part of it */
Operand code_element(Coder *c, const Expr *x, const Operand *array, const Operand *indices); /* one a dimension */
bool code_store(Coder *c, const Operand *place, Operand value, uint32_t offset);
void code_update(Coder *c, const Expr *x, const Operand *element, const Operand *value, AtomicOp kind);

/* code_call.c */
Operand code_call(Coder *c, const Expr *x);
bool code_kids(Coder *c, Expr *const *kids, uint32_t count, Operand *args); /* loaded; false: not all have code */
bool code_arguments(Coder *c, const Expr *x, Operand *args, uint32_t most); /* all of a call */
bool code_items(Coder *c, const Expr *x, Operand *items, uint32_t count);   /* of a tuple, not loaded */
bool is_range_call(const Expr *x);

/* code_construct.c */
Operand code_convert(Coder *c, const Expr *x, Operand value, const Type *type, uint32_t offset);
Operand code_construct(Coder *c, const Expr *x, const Type *type, const Operand *args, uint32_t count);
Operand code_type_call(Coder *c, const Expr *x, const Type *type); /* of a type that is known by name */
Operand code_sized(Coder *c, const Expr *x, bool is_matrix);       /* wp.matrix(…), wp.vector(…) */

/* code_type.c */
const Type *code_binary_type(Evaluator *e, OpKind op, const Type *a, const Type *b); /* NULL: not known */
/* False: not known. NULL: it gives nothing. */
bool code_builtin_type(Evaluator *e, const BuiltinRow *row, const Expr *x, const Operand *args, const Type **type);
/* Of builtins that give several; 0: of another one. */
uint32_t code_several_types(TypeTable *types, const BuiltinRow *row, const Type *first, const Type **out);

/* ---- operations ---- */
#define OP(name) OpFn op_##name;
#include "eval/ast/op.def"
#undef OP

_Noreturn void stop_unforeseen(Evaluator *e, const Op *op, const Datum *outcome);
/* Copies what a function of the general way left; it must be of the type that was foreseen. */
void take_outcome(Evaluator *e, const Op *op, const Datum *outcome);
static inline Datum operand_datum(const Type *type, Dual *cells)
{
    return (Datum){.kind = DATUM_VALUE, .type = type, .cells = cells};
}

#endif
