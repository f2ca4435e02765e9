/* Operations, cells of the frame, and places. */
#include "cuda/code.h"

enum { MOST_OPS = 1 << 18, MOST_FRAME = 1 << 18, MOST_CONSTANTS = 1 << 14, DEEPEST = 1500 };

Op *emit(Generator *g, OpCode code, int32_t a, int32_t b, int32_t c)
{
    if (g->count == MOST_OPS)
        cannot(g->t, "the code of a kernel is too long");
    Op *op = &ARENA_PUSH(g->t->arena, g->ops, g->count, g->cap);
    *op = (Op){.code = code, .a = a, .b = b, .c = c};
    g->cost++;
    return op;
}

static Op *emit_many(Generator *g, OpCode code, int32_t a, int32_t b, int32_t c, uint32_t cells)
{
    enum { CELLS_IN_A_STEP = 16 };
    Op *op = emit(g, code, a, b, c);
    op->count = cells;
    g->cost += cells / CELLS_IN_A_STEP;
    return op;
}

void clear_cells(Generator *g, int32_t slot, uint32_t cells)
{
    emit_many(g, OP_CLEAR, slot, 0, 0, cells);
}

/* Whoever takes cells gives them back by setting `top` to what it was. */
int32_t take_cells(Generator *g, uint32_t count)
{
    uint32_t slot = g->top;
    if (count > MOST_FRAME || slot + count > MOST_FRAME)
        cannot(g->t, "a kernel has too many variables");
    g->top += count;
    g->most = g->top > g->most ? g->top : g->most;
    return (int32_t)slot;
}

void enter_code(Generator *g)
{
    if (++g->depth > DEEPEST)
        cannot(g->t, "calls and expressions are nested too deeply");
}

/* ---- constants ---- */

int32_t constant_slot(Generator *g, CudaNumber own, CudaNumber wide)
{
    enum { LOOK_BACK = 40 }; /* one that is there twice does no harm */
    Constants *known = &g->constants;
    for (uint32_t i = known->count; i-- > 0 && known->count - i < LOOK_BACK;)
        if (known->own[i].whole == own.whole && known->wide[i].whole == wide.whole)
            return -(int32_t)i - 1;
    if (known->count == MOST_CONSTANTS)
        cannot(g->t, "a kernel has too many constants");
    ARENA_PUSH(g->t->arena, known->own, known->count, known->cap) = own;
    ARENA_PUSH(g->t->arena, known->wide, known->wide_count, known->wide_cap) = wide;
    return -(int32_t)known->count;
}

int32_t whole_slot(Generator *g, int64_t whole)
{
    CudaNumber number = {.whole = whole};
    return constant_slot(g, number, number);
}

/* ---- jumps ---- */

/* A chain goes through the field that will hold the target; numbers in it are one more than that of the operation. */
void add_jump(Generator *g, OpCode code, int32_t condition, uint32_t *chain)
{
    emit(g, code, condition, 0, 0)->d = (int32_t)*chain;
    *chain = g->count;
}

void land_jumps(Generator *g, uint32_t chain)
{
    if (chain && chain == g->count && g->ops[chain - 1].code == OP_JUMP && g->label != g->count) {
        chain = (uint32_t)g->ops[chain - 1].d; /* it would jump to what comes next */
        g->count--;
    }
    while (chain) {
        uint32_t next = (uint32_t)g->ops[chain - 1].d;
        g->ops[chain - 1].d = (int32_t)g->count;
        g->label = g->count;
        chain = next;
    }
}

Start start_loop(Generator *g)
{
    g->label = g->count;
    return (Start){g->count, g->cost};
}

void jump_back(Generator *g, Start start)
{
    Op *op = emit(g, OP_JUMP_BACK, 0, 0, 0);
    op->d = (int32_t)start.op;
    op->count = g->cost - start.cost;
}

/* ---- places ---- */

Place frame_place(int32_t slot)
{
    return (Place){.slot = slot, .index = ZERO_SLOT};
}

Place pointer_place(int32_t pointer)
{
    return (Place){.is_pointer = true, .slot = pointer, .index = ZERO_SLOT};
}

static Place place_behind(Place place, uint32_t cells)
{
    if (place.is_pointer)
        place.offset += cells;
    else
        place.slot += (int32_t)cells;
    return place;
}

Place with_index(Generator *g, Place place, int32_t index)
{
    if (place.index != ZERO_SLOT) {
        int32_t sum = take_cells(g, 1);
        emit(g, OP_ADD, sum, place.index, index);
        index = sum;
    }
    place.index = index;
    return place;
}

Place element_place(Generator *g, Place array, const CudaType *type, OpCode check, int32_t number)
{
    int32_t index = take_cells(g, 1);
    Op *op = emit(g, check, index, number, 0);
    op->count = type->count;
    op->d = (int32_t)type->of->cells;
    return with_index(g, array, index);
}

static Place place_of_element(Generator *g, const Node *node)
{
    const CudaType *array = node->a->type;
    Place place = place_of(g, node->a);
    if (node->b->op == ON_NUMBER && node->b->number.whole >= 0 && node->b->number.whole < array->count)
        return place_behind(place, (uint32_t)node->b->number.whole * array->of->cells);
    return element_place(g, place, array, OP_INDEX, value_of(g, node->b));
}

static Place place_of_step(Generator *g, const Node *node)
{
    Place place = pointer_place(value_of(g, node->a));
    int32_t index = value_of(g, node->b);
    if (node->type->cells != 1) {
        int32_t scaled = take_cells(g, 1);
        emit(g, OP_STEP, scaled, index, 0)->d = (int32_t)node->type->cells;
        index = scaled;
    }
    return with_index(g, place, index);
}

Place pointed_place(Generator *g, const Node *pointer)
{
    return pointer->op == ON_ADDRESS ? place_of(g, pointer->a) : pointer_place(value_of(g, pointer));
}

Place place_of(Generator *g, const Node *node)
{
    Place place;
    enter_code(g);
    switch (node->op) {
    case ON_VARIABLE: place = node->variable->place; break;
    case ON_FIELD: place = place_behind(place_of(g, node->a), node->cell); break;
    case ON_DEREF: place = pointed_place(g, node->a); break;
    case ON_INDEX: place = place_of_element(g, node); break;
    case ON_STEP: place = place_of_step(g, node); break;
    default: place = frame_place(is_aggregate(node->type) ? aggregate_of(g, node) : value_of(g, node)); break;
    }
    g->depth--;
    return place;
}

void point_to(Generator *g, Place place, const CudaType *type, int32_t to)
{
    Op *op = emit(g, place.is_pointer ? OP_POINT : OP_POINT_LOCAL, to, place.slot, place.index);
    op->d = (int32_t)place.offset;
    op->count = type->cells;
}

bool fixed_slot(const Node *node, int32_t *slot)
{
    uint32_t behind = 0;
    for (;; node = node->a)
        if (node->op == ON_FIELD)
            behind += node->cell;
        else if (node->op == ON_INDEX && node->b->op == ON_NUMBER && node->b->number.whole >= 0 &&
                 node->b->number.whole < node->a->type->count)
            behind += (uint32_t)node->b->number.whole * node->type->cells;
        else
            break;
    if (node->op != ON_VARIABLE || node->variable->place.is_pointer)
        return false;
    *slot = node->variable->place.slot + (int32_t)behind;
    return true;
}

static void move_cells(Generator *g, Place place, uint32_t cells, int32_t slot, bool is_load)
{
    if (!place.is_pointer && place.index == ZERO_SLOT) {
        int32_t to = is_load ? slot : place.slot, from = is_load ? place.slot : slot;
        if (to != from)
            emit_many(g, cells == 1 ? OP_COPY : OP_COPY_CELLS, to, from, 0, cells);
        return;
    }
    static const OpCode codes[2][2][2] = {{{OP_STORE_LOCAL, OP_STORE_LOCAL_CELLS}, {OP_STORE, OP_STORE_CELLS}},
                                          {{OP_LOAD_LOCAL, OP_LOAD_LOCAL_CELLS}, {OP_LOAD, OP_LOAD_CELLS}}};
    OpCode code = codes[is_load][place.is_pointer][cells != 1];
    emit_many(g, code, slot, place.slot, place.index, cells)->d = (int32_t)place.offset;
}

/* What (int *) makes of a float, and back: the same bits. */
static void see_as(Generator *g, CudaKind from, CudaKind to, int32_t slot)
{
    if (from == CUDA_F32)
        emit(g, OP_BITS_OF_SINGLE, slot, slot, 0);
    else if (to == CUDA_F32)
        emit(g, OP_SINGLE_OF_BITS, slot, slot, 0);
    else
        emit(g, OP_WRAP, slot, slot, 0)->count = to; /* of 64 bits: nothing changes */
}

void load_from(Generator *g, Place place, const CudaType *type, int32_t to)
{
    move_cells(g, place, type->cells, to, true);
    if (type->stored)
        see_as(g, type->stored, type->kind, to);
}

void store_to(Generator *g, Place place, const CudaType *type, int32_t from)
{
    if (type->stored) {
        int32_t seen = take_cells(g, 1);
        emit(g, OP_COPY, seen, from, 0);
        see_as(g, type->kind, type->stored, seen);
        from = seen;
    }
    move_cells(g, place, type->cells, from, false);
}
