/* Calls: of the text's own functions, whose code takes the place of the call, and of CUDA's. */
#include "cuda/code.h"

/* ---- functions of the text ---- */

/* May the function write to these cells of its caller? Only by its references, if it has no pointers. */
static bool may_write(const Node *call, int32_t slot, uint32_t cells)
{
    const CudaFunction *function = call->function;
    for (uint32_t i = 0; i < call->count; i++) {
        int32_t at;
        if (!function->params[i]->is_reference)
            continue;
        if (!fixed_slot(call->args[i], &at))
            return true;
        if (at < slot + (int32_t)cells && slot < at + (int32_t)call->args[i]->type->cells)
            return true;
    }
    return function->has_pointers;
}

/* A parameter is its argument itself where nobody can tell, and a copy otherwise. */
static Place bind_value(Generator *g, const Node *call, uint32_t i)
{
    const Variable *param = call->function->params[i];
    int32_t first_free = (int32_t)g->top;
    int32_t slot = is_aggregate(param->type) ? aggregate_of(g, call->args[i]) : value_of(g, call->args[i]);
    bool is_own = slot >= first_free, is_constant = slot < 0;
    if (is_own || (!param->is_changed && (is_constant || !may_write(call, slot, param->type->cells))))
        return frame_place(slot);
    Place copy = frame_place(take_cells(g, param->type->cells));
    store_to(g, copy, param->type, slot);
    return copy;
}

static Place bind_reference(Generator *g, const Node *arg)
{
    int32_t slot;
    if (fixed_slot(arg, &slot))
        return frame_place(slot);
    slot = take_cells(g, 1);
    point_to(g, place_of(g, arg), arg->type, slot);
    return pointer_place(slot);
}

void call_to(Generator *g, const Node *node, int32_t to)
{
    CudaFunction *function = node->function;
    Place *places = ARENA_ARRAY(g->t->arena, Place, node->count + 1);
    if (function->is_open)
        cannot(g->t, "%s() calls itself", function->name->text);
    for (uint32_t i = 0; i < node->count; i++)
        places[i] = function->params[i]->is_reference ? bind_reference(g, node->args[i]) : bind_value(g, node, i);
    for (uint32_t i = 0; i < node->count; i++) /* now: an argument may have been a call of the same function */
        function->params[i]->place = places[i];
    generate_body(g, function, to);
}

/* ---- CUDA's functions ---- */

static void extreme_to(Generator *g, const CudaType *type, bool is_max, int32_t to, int32_t a, int32_t b)
{
    if (is_real(type))
        emit(g, is_max ? OP_MAX_REAL : OP_MIN_REAL, to, a, b);
    else if (type->kind == CUDA_U64)
        emit(g, is_max ? OP_MAX_U64 : OP_MIN_U64, to, a, b);
    else
        emit(g, is_max ? OP_MAX : OP_MIN, to, a, b);
}

int32_t update_atomically(Generator *g, const Node *node)
{
    const CudaType *type = node->type;
    int32_t value = value_of(g, node->args[1]), old = take_cells(g, 1), now = value;
    Place place = pointed_place(g, node->args[0]);
    load_from(g, place, type, old);
    if (node->builtin->sign != '=')
        now = take_cells(g, 1);
    if (node->builtin->sign == '<' || node->builtin->sign == '>')
        extreme_to(g, type, node->builtin->sign == '>', now, old, value);
    else if (node->builtin->sign != '=')
        compute(g, type, (uint32_t)node->builtin->sign, now, old, value);
    store_to(g, place, type, now);
    return old;
}

static void swap_to(Generator *g, const Node *node, int32_t to)
{
    uint32_t end = 0;
    int32_t expected = value_of(g, node->args[1]), value = value_of(g, node->args[2]);
    int32_t old = take_cells(g, 1), equal = take_cells(g, 1);
    Place place = pointed_place(g, node->args[0]);
    load_from(g, place, node->type, old);
    compare(g, node->type, SIGN2('=', '='), equal, old, expected);
    add_jump(g, OP_JUMP_UNLESS, equal, &end);
    store_to(g, place, node->type, value);
    land_jumps(g, end);
    copy_cell(g, to, old);
}

static void save(Generator *g, const Node *node)
{
    const CudaType *array = node->args[0]->type, *type = array->of;
    int32_t value = is_aggregate(type) ? aggregate_of(g, node->args[2]) : value_of(g, node->args[2]);
    int32_t turn = value_of(g, node->args[1]);
    store_to(g, element_place(g, place_of(g, node->args[0]), array, OP_TURN, turn), type, value);
}

/* for (--high; low < high;) { middle = low + (high - low) / 2; if (values[middle] < wanted) low = middle + 1; else high = middle; } */
static void lower_bound_to(Generator *g, const Node *node, int32_t to)
{
    const CudaType *type = node->args[0]->type->of;
    int32_t one = whole_slot(g, 1), two = whole_slot(g, 2);
    int32_t low = take_cells(g, 1), high = take_cells(g, 1), middle = take_cells(g, 1), test = take_cells(g, 1);
    uint32_t end = 0, above = 0, again = 0;
    value_to(g, node->args[1], low);
    value_to(g, node->args[2], high);
    int32_t wanted = value_of(g, node->args[3]), values = value_of(g, node->args[0]);
    emit(g, OP_SUB, high, high, one);
    Start start = start_loop(g);
    emit(g, OP_LESS, test, low, high);
    add_jump(g, OP_JUMP_UNLESS, test, &end);
    emit(g, OP_SUB, middle, high, low);
    emit(g, OP_DIVIDE, middle, middle, two);
    emit(g, OP_ADD, middle, middle, low);
    load_from(g, with_index(g, pointer_place(values), middle), type, test);
    compare(g, type, '<', test, test, wanted);
    add_jump(g, OP_JUMP_UNLESS, test, &above);
    emit(g, OP_ADD, low, middle, one);
    add_jump(g, OP_JUMP, 0, &again);
    land_jumps(g, above);
    emit(g, OP_COPY, high, middle, 0);
    land_jumps(g, again);
    jump_back(g, start);
    land_jumps(g, end);
    copy_cell(g, to, low);
}

static void bits_to(Generator *g, const Node *node, int32_t to)
{
    int32_t value = value_of(g, node->args[0]);
    if (node->builtin->takes == CUDA_F32)
        emit(g, OP_BITS_OF_SINGLE, to, value, 0);
    else if (node->builtin->gives == CUDA_F32)
        emit(g, OP_SINGLE_OF_BITS, to, value, 0);
    else
        copy_cell(g, to, value);
}

void builtin_to(Generator *g, const Node *node, int32_t to)
{
    const Builtin *builtin = node->builtin;
    bool single = builtin->gives == CUDA_F32;
    int32_t number = (int32_t)(builtin - cuda_builtins), a, b;
    switch (builtin->kind) {
    case BUILTIN_ONE:
        a = value_of(g, node->args[0]);
        emit(g, single ? OP_CALL_ONE_F32 : OP_CALL_ONE, to, a, 0)->d = number;
        break;
    case BUILTIN_TWO:
        a = value_of(g, node->args[0]);
        b = value_of(g, node->args[1]);
        emit(g, single ? OP_CALL_TWO_F32 : OP_CALL_TWO, to, a, b)->d = number;
        break;
    case BUILTIN_TEST:
        a = value_of(g, node->args[0]);
        emit(g, OP_TEST, to, a, 0)->d = number;
        break;
    case BUILTIN_MIN:
    case BUILTIN_MAX:
        a = value_of(g, node->args[0]);
        b = value_of(g, node->args[1]);
        extreme_to(g, node->type, builtin->kind == BUILTIN_MAX, to, a, b);
        break;
    case BUILTIN_BITS: bits_to(g, node, to); break;
    case BUILTIN_ATOMIC: copy_cell(g, to, update_atomically(g, node)); break;
    case BUILTIN_SWAP: swap_to(g, node, to); break;
    case BUILTIN_LOWER_BOUND: lower_bound_to(g, node, to); break;
    case BUILTIN_SAVE: save(g, node); break;
    case BUILTIN_TRAP: emit(g, OP_TRAP, 0, 0, 0); break;
    case BUILTIN_PRINT: break; /* nothing is printed, and what would be has no effects */
    }
}
