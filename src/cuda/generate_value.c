/* Values: each operand is wherever it happens to be, the last operation alone writes to where the value is wanted. In what order
 * C++ evaluates operands is not fixed, so a text does not depend on it. */
#include "cuda/code.h"

/* ---- operators ---- */

static uint32_t bits_of(const CudaType *type)
{
    return type->size * 8;
}

static void wrap(Generator *g, const CudaType *type, int32_t slot)
{
    if (!is_real(type) && type->size < sizeof(CudaNumber))
        emit(g, OP_WRAP, slot, slot, 0)->count = type->kind;
}

static void compute_real(Generator *g, const CudaType *type, uint32_t sign, int32_t to, int32_t a, int32_t b)
{
    bool single = type->kind == CUDA_F32;
    switch (sign) {
    case '+': emit(g, single ? OP_ADD_F32 : OP_ADD_F64, to, a, b); break;
    case '-': emit(g, single ? OP_SUB_F32 : OP_SUB_F64, to, a, b); break;
    case '*': emit(g, single ? OP_MUL_F32 : OP_MUL_F64, to, a, b); break;
    default: emit(g, single ? OP_DIV_F32 : OP_DIV_F64, to, a, b); break;
    }
}

static void compute_whole(Generator *g, const CudaType *type, uint32_t sign, int32_t to, int32_t a, int32_t b)
{
    bool most = type->kind == CUDA_U64; /* all others are what they are as int64_t */
    OpCode code;
    switch (sign) {
    case '+': code = OP_ADD; break;
    case '-': code = OP_SUB; break;
    case '*': code = OP_MUL; break;
    case '/': code = most ? OP_DIVIDE_U64 : OP_DIVIDE; break;
    case '%': code = most ? OP_MODULO_U64 : OP_MODULO; break;
    case '&': code = OP_AND; break;
    case '|': code = OP_OR; break;
    case '^': code = OP_XOR; break;
    case SIGN2('<', '<'): code = OP_SHIFT_LEFT; break;
    default: code = most ? OP_SHIFT_RIGHT_U64 : OP_SHIFT_RIGHT; break;
    }
    emit(g, code, to, a, b)->count = bits_of(type);
    if (!strchr("%&|^>", (int)(sign & 0xff))) /* those stay within the type */
        wrap(g, type, to);
}

void compute(Generator *g, const CudaType *type, uint32_t sign, int32_t to, int32_t a, int32_t b)
{
    if (is_real(type))
        compute_real(g, type, sign, to, a, b);
    else if (type->kind == CUDA_I32 && (sign == '+' || sign == '-' || sign == '*'))
        emit(g, sign == '+' ? OP_ADD_I32 : sign == '-' ? OP_SUB_I32 : OP_MUL_I32, to, a, b);
    else
        compute_whole(g, type, sign, to, a, b);
}

void compare(Generator *g, const CudaType *type, uint32_t sign, int32_t to, int32_t a, int32_t b)
{
    static const OpCode codes[3][4] = {{OP_LESS, OP_UP_TO, OP_EQUAL, OP_OTHER},
                                       {OP_LESS_U64, OP_UP_TO_U64, OP_EQUAL, OP_OTHER},
                                       {OP_LESS_REAL, OP_UP_TO_REAL, OP_EQUAL_REAL, OP_OTHER_REAL}};
    const OpCode *row = codes[is_real(type) ? 2 : type->kind == CUDA_U64];
    switch (sign) {
    case '<': emit(g, row[0], to, a, b); break;
    case '>': emit(g, row[0], to, b, a); break;
    case SIGN2('<', '='): emit(g, row[1], to, a, b); break;
    case SIGN2('>', '='): emit(g, row[1], to, b, a); break;
    case SIGN2('=', '='): emit(g, row[2], to, a, b); break;
    default: emit(g, row[3], to, a, b); break;
    }
}

/* ---- conversions ---- */

static bool is_signed(CudaKind kind)
{
    return kind == CUDA_I8 || kind == CUDA_I16 || kind == CUDA_I32 || kind == CUDA_I64;
}

/* Is every number of the one type the same in a cell of the other? */
static bool is_free(const CudaType *from, const CudaType *to)
{
    if (from->kind == to->kind || from->kind == CUDA_POINTER)
        return to->kind != CUDA_BOOL || from->kind == CUDA_BOOL;
    if (is_real(from) || is_real(to))
        return from->kind == CUDA_F32 && to->kind == CUDA_F64;
    if (to->size == sizeof(CudaNumber) || from->kind == CUDA_BOOL)
        return true;
    return from->size < to->size && (!is_signed(from->kind) || is_signed(to->kind));
}

static void convert(Generator *g, const CudaType *from, const CudaType *to, int32_t slot, int32_t result)
{
    if (is_free(from, to))
        copy_cell(g, result, slot);
    else if (to->kind == CUDA_BOOL)
        emit(g, is_real(from) ? OP_OTHER_REAL : OP_OTHER, result, slot, ZERO_SLOT);
    else if (is_real(from) && is_real(to))
        emit(g, OP_ROUND, result, slot, 0);
    else if (is_real(from)) {
        emit(g, OP_TRUNCATE, result, slot, 0);
        wrap(g, to, result);
    } else if (!is_real(to))
        emit(g, OP_WRAP, result, slot, 0)->count = to->kind;
    else if (from->kind == CUDA_U64)
        emit(g, to->kind == CUDA_F32 ? OP_SINGLE_OF_U64 : OP_REAL_OF_U64, result, slot, 0);
    else
        emit(g, to->kind == CUDA_F32 ? OP_SINGLE_OF : OP_REAL_OF, result, slot, 0);
}

/* Where it is afterwards. */
static int32_t converted(Generator *g, const CudaType *from, const CudaType *to, int32_t slot)
{
    if (is_free(from, to))
        return slot;
    int32_t result = take_cells(g, 1);
    convert(g, from, to, slot, result);
    return result;
}

/* ---- changes ---- */

void copy_cell(Generator *g, int32_t to, int32_t from)
{
    if (to != from)
        emit(g, OP_COPY, to, from, 0);
}

/* As in C++, the value comes before the place. Gives where the value is. */
static int32_t assign(Generator *g, const Node *node)
{
    int32_t slot;
    const CudaType *type = node->type;
    bool is_fixed = fixed_slot(node->a, &slot) && !type->stored;
    if (is_fixed && !is_aggregate(type)) {
        value_to(g, node->b, slot);
        return slot;
    }
    int32_t value = is_aggregate(type) ? aggregate_of(g, node->b) : value_of(g, node->b);
    store_to(g, is_fixed ? frame_place(slot) : place_of(g, node->a), type, value);
    return value;
}

static int32_t change(Generator *g, const Node *node, bool wants_old)
{
    const CudaType *type = node->type, *wide = node->b->type;
    int32_t slot, value = value_of(g, node->b);
    if (fixed_slot(node->a, &slot) && type == wide && !wants_old) {
        compute(g, type, node->sign, slot, slot, value);
        return slot;
    }
    Place place = place_of(g, node->a);
    int32_t old = take_cells(g, 1), sum = take_cells(g, 1), now = take_cells(g, 1);
    load_from(g, place, type, old);
    compute(g, wide, node->sign, sum, converted(g, type, wide, old), value);
    convert(g, wide, type, sum, now);
    store_to(g, place, type, now);
    return wants_old ? old : now;
}

/* ---- values of one cell ---- */

static void choice_to(Generator *g, const Node *node, int32_t to)
{
    uint32_t no = 0, end = 0;
    branch_unless(g, node->a, &no);
    if (is_aggregate(node->type))
        aggregate_to(g, node->b, to);
    else
        value_to(g, node->b, to);
    add_jump(g, OP_JUMP, 0, &end);
    land_jumps(g, no);
    if (is_aggregate(node->type))
        aggregate_to(g, node->c, to);
    else
        value_to(g, node->c, to);
    land_jumps(g, end);
}

/* What is at `to` may be read on the right-hand side. */
static void truth_to(Generator *g, const Node *node, int32_t to)
{
    uint32_t end = 0;
    int32_t truth = take_cells(g, 1);
    value_to(g, node->a, truth);
    add_jump(g, node->op == ON_AND ? OP_JUMP_UNLESS : OP_JUMP_IF, truth, &end);
    value_to(g, node->b, truth);
    land_jumps(g, end);
    emit(g, OP_COPY, to, truth, 0);
}

static void unary_to(Generator *g, const Node *node, int32_t to)
{
    int32_t a = value_of(g, node->a);
    if (node->op == ON_NOT)
        emit(g, OP_NOT, to, a, 0);
    else if (node->op == ON_CONVERT)
        convert(g, node->a->type, node->type, a, to);
    else {
        emit(g, node->op == ON_INVERT ? OP_INVERT : is_real(node->type) ? OP_NEGATE_REAL : OP_NEGATE, to, a, 0);
        wrap(g, node->type, to);
    }
}

static void binary_to(Generator *g, const Node *node, int32_t to)
{
    int32_t a = value_of(g, node->a), b = value_of(g, node->b);
    if (node->op == ON_COMPARE)
        compare(g, node->a->type, node->sign, to, a, b);
    else
        compute(g, node->type, node->sign, to, a, b);
}

void value_to(Generator *g, const Node *node, int32_t to)
{
    uint32_t top = g->top;
    enter_code(g);
    switch (node->op) {
    case ON_VARIABLE:
    case ON_FIELD:
    case ON_DEREF:
    case ON_INDEX:
    case ON_STEP: load_from(g, place_of(g, node), node->type, to); break;
    case ON_CALL: call_to(g, node, to); break;
    case ON_NUMBER:
    case ON_THREAD: copy_cell(g, to, value_of(g, node)); break;
    case ON_ADDRESS: point_to(g, place_of(g, node->a), node->a->type, to); break;
    case ON_CONVERT:
    case ON_NEGATE:
    case ON_NOT:
    case ON_INVERT: unary_to(g, node, to); break;
    case ON_BINARY:
    case ON_COMPARE: binary_to(g, node, to); break;
    case ON_AND:
    case ON_OR: truth_to(g, node, to); break;
    case ON_CHOICE: choice_to(g, node, to); break;
    case ON_ASSIGN: copy_cell(g, to, assign(g, node)); break;
    case ON_CHANGE: copy_cell(g, to, change(g, node, node->is_post)); break;
    case ON_BUILTIN: builtin_to(g, node, to); break;
    case ON_BRACES:
    case ON_LIST: cannot(g->t, "something has no value");
    }
    g->depth--;
    g->top = top;
}

int32_t value_of(Generator *g, const Node *node)
{
    int32_t slot;
    if (node->op == ON_NUMBER)
        return constant_slot(g, node->number, node->wide);
    if (node->op == ON_THREAD)
        return g->thread;
    if (!node->type->stored && fixed_slot(node, &slot))
        return slot;
    if (node->op == ON_CONVERT && is_free(node->a->type, node->type)) {
        enter_code(g);
        slot = value_of(g, node->a);
        g->depth--;
        return slot;
    }
    slot = take_cells(g, 1);
    value_to(g, node, slot);
    return slot;
}

/* ---- values of several cells ---- */

static void braces_to(Generator *g, const Node *node, int32_t to)
{
    uint32_t cells = 0;
    for (uint32_t i = 0; i < node->count; i++)
        cells += node->inits[i].value->type->cells;
    if (cells != node->type->cells)
        clear_cells(g, to, node->type->cells);
    for (uint32_t i = 0; i < node->count; i++) {
        const Init *init = &node->inits[i];
        if (is_aggregate(init->value->type))
            aggregate_to(g, init->value, to + (int32_t)init->cell);
        else
            value_to(g, init->value, to + (int32_t)init->cell);
    }
}

void aggregate_to(Generator *g, const Node *node, int32_t to)
{
    uint32_t top = g->top;
    enter_code(g);
    switch (node->op) {
    case ON_BRACES: braces_to(g, node, to); break;
    case ON_CALL: call_to(g, node, to); break;
    case ON_CHOICE: choice_to(g, node, to); break;
    case ON_ASSIGN: store_to(g, frame_place(to), node->type, assign(g, node)); break;
    case ON_VARIABLE:
    case ON_FIELD:
    case ON_DEREF:
    case ON_INDEX:
    case ON_STEP: load_from(g, place_of(g, node), node->type, to); break;
    default: cannot(g->t, "something has no value");
    }
    g->depth--;
    g->top = top;
}

int32_t aggregate_of(Generator *g, const Node *node)
{
    int32_t slot;
    if (fixed_slot(node, &slot))
        return slot;
    slot = take_cells(g, node->type->cells);
    aggregate_to(g, node, slot);
    return slot;
}

void run_for_effect(Generator *g, const Node *node)
{
    uint32_t top = g->top;
    if (node->op == ON_ASSIGN)
        assign(g, node);
    else if (node->op == ON_CHANGE)
        change(g, node, false);
    else if (node->op == ON_BUILTIN && node->builtin->kind == BUILTIN_ATOMIC)
        update_atomically(g, node);
    else if (is_aggregate(node->type))
        aggregate_of(g, node);
    else
        value_to(g, node, take_cells(g, 1));
    g->top = top;
}
