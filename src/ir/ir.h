/* The region tree: what a kernel or function does, with typed variables and nothing of any output language.
 *
 * One tree, three walks: forward text, replay text and reverse text (emit/walk.c) are three ways
 * through the same nodes. A node is an instruction, or a region with a body of its own (if, for, while).
 * See docs/explanation/ir.md for the dump format. */
#ifndef WEFT_IR_IR_H
#define WEFT_IR_IR_H

#include "base/table.h"
#include "front/unit.h"

typedef struct IrVar IrVar;
typedef struct IrNode IrNode;
typedef struct IrFunction IrFunction;

/* The way from a variable to a part of it: x, x[i], x[i].field, … */
typedef enum IrStepKind {
    STEP_FIELD,     /* a member by its name: of a struct, p and q of a transform */
    STEP_COMPONENT, /* of a vector or quaternion by its number: v.y */
    STEP_INDEX,     /* a component, or a row, by index: v[i], m[i, j] */
    STEP_ELEMENT,   /* of an array */
    STEP_VIEW       /* of an array */
} IrStepKind;

typedef struct IrStep {
    IrStepKind kind;
    const Type *of;     /* what it leads into a part of */
    Name field;         /* FIELD */
    uint32_t component; /* COMPONENT */
    IrVar **indices;    /* INDEX, ELEMENT, VIEW */
    uint32_t index_count;
} IrStep;

typedef struct IrPath {
    IrVar *root;
    bool root_is_reference; /* a wp.ref[T] parameter: a pointer already */
    const IrStep *steps;
    uint32_t step_count;
} IrPath;

/* A local, a parameter, or a field of either, or (in custom gradients) the adjoint of one of these. */
struct IrVar {
    uint32_t index; /* number of a local; place of a parameter */
    char digits[4]; /* of a local below 1000: its row of small_uints; else no digit */
    bool is_parameter;
    bool is_adjoint;    /* the adjoint of what `part` leads to */
    bool is_grouped;    /* its fields are written as fields of an expression: (adj_x).field; a reference as *(adj_x) */
    const IrPath *part; /* fields only, or none; NULL: a variable of its own */
    Name label;         /* of a parameter */
    uint32_t letters;   /* of the label, or of all the names in `part` and the dots between them */
    const Type *type;
    const Value *constant; /* NULL: computed at run time */
    bool is_of_module;     /* a constant of the module, which its name stands for from here on */
    const IrPath *origin;  /* where its value lives, or what it refers to; NULL: nowhere that has an address */
    const IrPath *
        slot; /* it points at a part of an array element that is stored by reference: an array, ELEMENT, the way to it */
    Name name;      /* in the source, if it was given one */
    bool has_names; /* it was given several */
};

typedef struct IrVarList {
    IrVar **items;
    uint32_t count, cap;
} IrVarList;

typedef struct IrRegion {
    IrNode **items;
    uint32_t count, cap;
} IrRegion;

typedef enum OperandKind {
    OPERAND_VAR,
    OPERAND_POINTER,
    OPERAND_FUNCTION, /* a function that is applied to the elements of tiles */
    OPERAND_NUMBER,
    OPERAND_NO_CODE, /* code of a vendor's library that there is none of */
    OPERAND_SYMBOL,  /* code of a vendor's library, by its name */
    OPERAND_TYPE
} OperandKind;

typedef struct IrOperand {
    OperandKind kind;
    uint32_t first_view; /* POINTER in a reverse call: label of the first view that is named for it */
    union {
        IrVar *var;           /* VAR */
        const IrPath *origin; /* POINTER */
        struct {
            Func *func; /* one of these two */
            const Builtin *builtin;
        } function;         /* FUNCTION */
        int64_t number;     /* NUMBER */
        const Type *type;   /* TYPE */
        const char *symbol; /* SYMBOL */
    };
} IrOperand;

typedef struct IrTemplateArg {
    const Type *type; /* NULL: a number. A tile's type is as it was at the call, not as the variable's is in the end */
    int64_t number;
    bool is_truth; /* the number is a truth value */
} IrTemplateArg;

typedef enum ReplayKind { REPLAY_SAME, REPLAY_NOTHING, REPLAY_CUSTOM } ReplayKind;

typedef struct IrCall {
    const Builtin *builtin; /* one of these three */
    Func *func;
    const StructDecl *constructed;
    const IrTemplateArg *template_args;
    uint32_t template_count;
    IrOperand *args;
    IrOperand *adj_args; /* as many: what the reverse call accumulates into */
    uint32_t arg_count;
    IrVar **outputs;
    uint32_t output_count;
    bool initializer_list;
    bool reverse; /* there is a reverse call */
    bool reverse_takes_outputs;
    bool reverse_has_templates;
    ReplayKind replay;
} IrCall;

typedef struct IrCompare {
    IrVar *output, *left;
    IrVar **right; /* as many as ops; left of the next is the one before */
    const OpKind *ops;
    uint32_t count;
} IrCompare;

typedef struct IrIf {
    IrVar *condition;
    IrVar *reverse_condition; /* the condition read again, for the reverse pass */
    bool negated;
    IrRegion body;
} IrIf;

typedef struct IrFor {
    uint32_t label;
    IrVar *range;   /* of a counted loop: the integer that counts */
    IrVar *counted; /* the loop's variable, where it counts from start to stop; NULL: it takes values from the range */
    int64_t start, stop, step;
    IrRegion head; /* reads the next value; empty in a counted loop */
    IrRegion body;
    IrVarList locals; /* variables whose adjoints start at zero in each iteration */
} IrFor;

typedef struct IrWhile {
    uint32_t label;
    IrRegion test; /* computes the condition */
    IrVar *condition;
    IrRegion body;
    IrVarList locals;
} IrWhile;

typedef enum IrKind {
    IR_CALL,
    IR_COMPARE,
    IR_SET,   /* target = value; (short-circuit logic) */
    IR_LOGIC, /* target = target && value; or || */
    IR_IF,
    IR_FOR,
    IR_WHILE,
    IR_BREAK,
    IR_CONTINUE,
    IR_RETURN,
    IR_RETURN_DEFAULT, /* return {}; at the end of a function that does not end with a return statement */
    IR_MEMBER,         /* target = address of value.field */
    IR_SET_MEMBER,     /* target.field = value */
    IR_SET_SLOT,       /* array element component = value */
    IR_SLOT_ADDRESS,   /* target = address of an array element, or of a part of it */
    IR_UPDATE_SLOT,    /* a part of an array element is stored, or updated atomically */
    IR_SET_ADJOINT,    /* adj_x = value, in custom gradients */
    IR_SET_REFERENCE,  /* *target = value, target being a wp.ref parameter */
    IR_SET_LITERAL,    /* target = literal, kept in full precision */
    IR_ASSERT,
    IR_ADDRESS_OF,   /* target = pointer as an integer */
    IR_ZERO,         /* target = {} */
    IR_ONE,          /* target = T(1) */
    IR_ADJOINT_CALL, /* adj_function(args…), called in the forward pass by wp.grad */
    IR_MAKE_TUPLE    /* target = tuple(args…) */
} IrKind;

typedef enum SlotOperation { SLOT_STORE, SLOT_ADD, SLOT_SUB, SLOT_AND, SLOT_OR, SLOT_XOR } SlotOperation;

struct IrNode {
    IrKind kind;
    uint32_t source; /* byte offset of the statement it comes from */
    union {
        IrCall *call; /* CALL, ADJOINT_CALL, MAKE_TUPLE */
        IrCompare compare;
        struct {
            IrVar *target, *value;
            OpKind op;
        } set; /* SET, LOGIC, SET_ADJOINT, SET_REFERENCE */
        IrIf *if_node;
        IrFor *for_node;
        IrWhile *while_node;
        struct {
            uint32_t label;
            bool is_while;
        } jump; /* BREAK, CONTINUE */
        struct {
            IrVar **values;
            uint32_t count;
            uint32_t label;
        } ret;
        struct {
            IrVar *target, *aggregate;
            Name field;
            const IrPath *origin; /* of the target, where the aggregate is addressable */
            bool differentiable;
        } member;
        struct {
            IrVar *aggregate, *value;
            Name field;
            bool differentiable;
        } set_member;
        struct {
            const IrPath *path; /* an array, ELEMENT, and the way to the component */
            IrVar *value;
            SlotOperation operation; /* UPDATE_SLOT */
        } slot;                      /* SET_SLOT, UPDATE_SLOT */
        struct {
            IrVar *target;
            const IrPath *path;
        } slot_address;
        struct {
            IrVar *target;
            const Value *value;
        } literal;
        struct {
            const char *text;
            uint32_t len;
            IrVar *condition;
        } assertion;
        struct {
            IrVar *target;
            IrOperand pointer;
        } address;
        IrVar *target; /* ZERO, ONE */
    };
};

/* What an expression of the source turned out to be. Kept only where unit->keep_types asks for it: the region tree itself
 * does not need it. Code that is built several times (unrolled loops) leaves what was found the last time. */
typedef struct ExprInfo {
    const Node *node;
    const Type *type;     /* of its value, references stripped; NULL: none, or several */
    const Value *known;   /* a constant, type or function that is known now */
    const Type **results; /* of a call with several results */
    uint32_t result_count;
    Func *func;             /* of calls and overloaded operators */
    const Builtin *builtin; /* the overload that was chosen */
} ExprInfo;

typedef struct ExprTable {
    ExprInfo *items;
    uint32_t count, cap;
    HashTable index; /* their numbers, by node */
} ExprTable;

const ExprInfo *ir_expr_info(const IrFunction *function, const Node *node); /* NULL: nothing is known about it */

struct IrFunction {
    Func *func; /* one of these two */
    Kernel *kernel;
    const Code *code;
    IrVarList params;
    IrVarList vars; /* in order of creation: var_0, var_1, … */
    IrRegion body;
    IrVar **returns; /* NULL: nothing is returned */
    uint32_t return_count;
    uint32_t kernel_dim;      /* 1 to 4: from the unpacking of wp.tid() */
    uint32_t transform_bytes; /* of shared memory that a Fourier transform in it takes: the one that takes most */
    bool has_long_range;      /* a constant range with too many turns to unroll */
    bool is_kernel;
    FuncList called;          /* user functions, for what must follow from the whole call graph */
    HashTable many_called;    /* the same, once there are many */
    FuncList reference_calls; /* calls with wp.ref parameters whose adjoint must be manual */
    ExprTable expressions;
};

/* Code of the vendor's library that the module is linked with. */
typedef struct IrLibraryCode {
    const char *symbol, *declaration;
} IrLibraryCode;

typedef struct KnownCall KnownCall;

/* Calls of builtins of which the types of the arguments say everything: see build_call.c. */
enum { RECENT_NAMED = 64 };
typedef struct KnownCalls {
    Arena *arena;
    KnownCall **slots;
    uint32_t count;                        /* a power of two */
    const BuiltinSet *named[RECENT_NAMED]; /* that the builder itself called last */
} KnownCalls;
KnownCalls *known_calls_new(Arena *arena, uint32_t count);

/* What is compiled for one kernel: itself, its functions (callees first), its structs (parts first). */
typedef struct IrModule {
    Unit *unit;
    IrFunction *kernel;
    IrFunction **functions;
    uint32_t function_count, function_cap;
    const Type **structs;
    uint32_t struct_count, struct_cap;
    HashTable structs_listed; /* of the builder: the same */
    FuncList deferred_functions;
    FuncList unlisted; /* functions that were looked at, not called */
    const ModuleOptions *options;
    bool enable_backward, grid_stride;
    bool uses_tiles;
    bool depends_on_block;  /* on how many threads a block has, unit->block_dim, or on unit->arch */
    bool cpu_blocks;        /* on the CPU it runs in blocks of several threads */
    IrLibraryCode *library; /* in the order of use */
    uint32_t library_count, library_cap;
    const char *name;        /* with the hash, where it was asked for */
    KnownCalls *known_calls; /* of the builder: those whose types are of this unit alone */
    HashTable known_parts;   /* of the builder: see known_parts() */
    HashTable begun; /* of the builder: functions whose building has begun, and what was built, or NULL so far */
    uint32_t size;   /* operations and variables so far */
} IrModule;

/* Builds a kernel. NULL: an error was added to unit->diags. */
IrModule *ir_build(Unit *unit, Kernel *kernel);

/* Checks what the walkers rely on; NULL or the first broken rule. */
const char *ir_verify(const IrModule *module);

/* What Warp's code may do to a constant of the module that lives in a variable. */
typedef enum ConstantDefect {
    CONSTANT_KEPT,
    CONSTANT_UNSET,  /* it is read where only a branch, perhaps not taken, sets the variable */
    CONSTANT_EARLY,  /* it is read before the variable is set */
    CONSTANT_CHANGED /* the variable gets another value */
} ConstantDefect;
ConstantDefect ir_constant_defect(const IrModule *module, uint32_t *source); /* *source: where */

void ir_dump(const IrModule *module, Text *out);

#endif
