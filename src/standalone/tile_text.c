/* Tiles: what is settled when a kernel is lowered, and what stands at the head of its text. */
#include "standalone/tile.h"

#include <string.h>

/* Warp's and CUDA's bound of shared memory that a kernel has without asking for more. */
enum { MOST_SHARED = 48 * 1024 };

Term *cell_root(Term *place)
{
    for (; place->kind == TERM_COMPONENT || place->kind == TERM_FIELD; place = place->args[0])
        ;
    return place->kind == TERM_CELL ? place : NULL;
}

/* ---- coordinates ---- */

const char *block_count_name(uint32_t dim)
{
    static const char *const names[] = {"blocks_x", "blocks_y", "blocks_z", "blocks_w"};
    return names[dim];
}

Term *block_coordinate(Translator *t, uint32_t dim)
{
    if (!t->block_dims) {
        REFUSE_IF(t, NULL, dim || t->current->source->kernel_dim > 1,
                  "a launch of several dimensions, the last of which is not a block");
        Term *number = literal_term(t, type_scalar(TYPE_INT32), "blockIdx.x * blockDim.x + threadIdx.x");
        number->printed.tight = TIGHT_SUM;
        number->is_lane = true;
        return number;
    }
    if (dim >= t->block_dims)
        return dim == t->block_dims ? lane_term(t) : int_term(t, 0);
    const char *text = "blockIdx.x", *rest = "";
    for (uint32_t i = dim + 1; i < t->block_dims; i++)
        rest = arena_format(t->arena, "%s%s%s", rest, *rest ? " * " : "", block_count_name(i));
    if (*rest)
        text = arena_format(t->arena, strchr(rest, '*') ? "%s / (%s)" : "%s / %s", text, rest);
    if (dim)
        text = arena_format(t->arena, "%s %% %s", text, block_count_name(dim));
    Term *term = literal_term(t, type_scalar(TYPE_INT32), text);
    term->printed.tight = *rest || dim ? TIGHT_PRODUCT : TIGHT_PRIMARY;
    return term;
}

/* ---- what differs from thread to thread ---- */

static bool is_lane_term(Term *term)
{
    if (term->is_lane || (term->kind == TERM_VAR && term->var->is_lane))
        return true;
    for (uint32_t i = 0; i < term->count; i++)
        if (is_lane_term(term->args[i]))
            return true;
    return false;
}

static bool is_lane_step(Step *step)
{
    for (uint32_t i = 0; i < step->count; i++)
        if (is_lane_term(step->values[i]))
            return true;
    return step->kind == STEP_ATOMIC && step->sets.count; /* what was there before */
}

/* True: something new was found. */
static bool find_lanes(Block *block, bool under)
{
    bool news = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        bool differs = under || is_lane_step(step);
        for (uint32_t k = 0; differs && step->kind != STEP_EACH && k < step->sets.count; k++) {
            Var *var = step->sets.items[k];
            news |= !var->is_lane && !var->tile;
            var->is_lane |= !var->tile;
        }
        bool inner = differs || step->kind == STEP_EACH;
        news |= find_lanes(&step->body, inner);
        news |= find_lanes(&step->orelse, inner);
    }
    return news;
}

/* Elements of arrays that all threads of a block would set to the same value: one of them does. */
static void share_stores(Translator *t, Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        Term *array = step->kind == STEP_ASSIGN ? array_root(step->place) : NULL;
        if (step->kind != STEP_EACH && !(step->kind == STEP_IF && is_lane_step(step))) {
            share_stores(t, &step->body);
            share_stores(t, &step->orelse);
        }
        if (!array || is_lane_step(step) || is_lane_term(step->place))
            continue;
        Block kept = *block, one = {0};
        t->block = &one;
        begin_one(t);
        Step *guard = one.items[0];
        ARENA_PUSH(t->arena, guard->body.items, guard->body.count, guard->body.cap) = step;
        *block = kept;
        block->items[i] = guard;
        guard->comment = step->comment;
        step->comment = NULL;
    }
}

/* ---- waiting ---- */

/* Before a tile is changed that threads may still look at. */
static bool is_superfluous(const Step *step, bool in_loop)
{
    return step->kind == STEP_SYNC && step->tile && !(step->tile->is_peeked && (step->tile->stores > 1 || in_loop));
}

static void drop_syncs(Block *block, bool in_loop)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        drop_syncs(&step->body, in_loop || is_loop(step));
        drop_syncs(&step->orelse, in_loop);
        if (!is_superfluous(step, in_loop))
            block->items[count++] = step;
        else if (step->comment && i + 1 < block->count)
            block->items[i + 1]->comment = step->comment;
    }
    block->count = count;
}

/* ---- arrays that threads read and write by themselves ---- */

static bool reads_outside(Term *term, const Var *array)
{
    if (term->kind == TERM_ELEMENT && root_var(term->args[0]) == array)
        return true;
    for (uint32_t i = 0; i < term->count; i++)
        if (reads_outside(term->args[i], array))
            return true;
    return false;
}

typedef struct LaneUse {
    const Var *array;
    bool is_read, is_written; /* by a thread; */
    bool is_met;              /* by a tile */
} LaneUse;

static void find_uses(Block *block, LaneUse *use, bool in_each)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        bool reads = false, writes = step->place && array_root(step->place) && root_var(step->place) == use->array;
        for (uint32_t k = 0; k < step->count; k++)
            reads |= reads_outside(step->values[k], use->array);
        bool alone = !in_each && step->kind != STEP_EACH;
        use->is_read |= reads && alone;
        use->is_written |= writes && alone && step->kind == STEP_ASSIGN;
        use->is_met |= (reads || writes) && !alone;
        find_uses(&step->body, use, in_each || step->kind == STEP_EACH);
        find_uses(&step->orelse, use, in_each);
    }
}

/* One thread's stores are not ordered with what the others do. */
static void check_uses(Translator *t, Routine *routine)
{
    for (uint32_t i = 0; i < routine->param_count; i++) {
        LaneUse use = {.array = routine->params[i]};
        if (routine->params[i]->type->kind != TYPE_ARRAY)
            continue;
        find_uses(&routine->body, &use, false);
        REFUSE_IF(t, NULL, use.is_written && (use.is_read || use.is_met),
                  "elements of the array '%s' are stored by threads, and it is used otherwise in the same kernel",
                  routine->params[i]->text);
    }
}

void settle_tiles(Translator *t, Routine *routine)
{
    if (!t->lanes || !routine->is_kernel)
        return;
    while (find_lanes(&routine->body, false))
        ;
    check_uses(t, routine);
    share_stores(t, &routine->body);
    drop_syncs(&routine->body, false);
}

/* ---- the head of a text ---- */

/* Of the variable of loops over elements: one that the kernel has not. */
static Piece element_name(const Translator *t)
{
    for (uint32_t i = 0; i < t->scoped.count; i++)
        if (strcmp(t->scoped.items[i]->name->text, "e") == 0)
            return piece_of(t->scoped.items[i]->text);
    return LIT("e");
}

void put_tile_copy(Translator *t, Var *tile, Piece to, Piece from)
{
    Piece e = element_name(t), count = piece_int(t, tile_count(tile->tile));
    put_sync(t);
    put_line(t, LINE_LOOP, JOIN(t, "for (int @ = threadIdx.x; @ < @; @ += blockDim.x)", e, e, count, e));
    put_line(t, LINE_PLAIN, JOIN(t, "@[@] = @[@];", to, e, from, e));
    put_line(t, LINE_CLOSE, LIT(""));
    put_sync(t);
}

static bool is_in_body(const Body *body, Piece name)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (!body->lines[i].is_dropped &&
            (bits_meet(body->lines[i].value.uses, name.uses) || bits_meet(body->lines[i].target.uses, name.uses)))
            return true;
    return false;
}

static const char *size_text(Translator *t, const Tile *tile)
{
    const char *text = "";
    for (uint32_t i = 0; i < tile->ndim; i++)
        text = arena_format(t->arena, "%s%s%u", text, i ? " * " : "", tile->shape[i]);
    return text;
}

static uint32_t declare_shared(Translator *t, Text *out, const Tile *tile, const char *name)
{
    text_format(out, "    __shared__ %s %s[%s];\n", c_type(t, tile->dtype).text, name, size_text(t, tile));
    uint32_t scalar = type_scalar_of(tile->dtype)->kind == TYPE_FLOAT64 ? 8 : 4; /* of most */
    return tile_count(tile) * scalar * (type_is_composite(tile->dtype) ? type_parts(tile->dtype) : 1);
}

/* Adjoints start at zero. */
static void clear_adjoint(Translator *t, Text *out, const Var *var)
{
    const char *e = element_name(t).text;
    text_format(out, "    for (int %s = threadIdx.x; %s < %s; %s += blockDim.x)\n        adj_%s[%s] = %s;\n", e, e,
                size_text(t, var->tile), e, var->text, e, zero_text(t, var->tile->dtype).text);
}

const char *tile_declarations(Translator *t, Routine *routine, const Body *body, bool backward)
{
    Text out = text_in(t->arena), cleared = text_in(t->arena);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        if (!var->tile || var->tile->var != var)
            continue;
        if (is_in_body(body, var->label))
            bytes += declare_shared(t, &out, var->tile, var->text);
        if (!backward || !var->adjoint.text || !is_in_body(body, var->adjoint))
            continue;
        bytes += declare_shared(t, &out, var->tile, arena_join(t->arena, "adj_", var->text));
        clear_adjoint(t, &cleared, var);
    }
    for (uint32_t i = 0; backward && i < t->shared.count; i++)
        bytes += declare_shared(t, &out, t->shared.items[i].of->tile, t->shared.items[i].name.text);
    REFUSE_IF(t, NULL, bytes > MOST_SHARED,
              "the tiles take %llu bytes of shared memory, more than a block has without asking: %u",
              (unsigned long long)bytes, (unsigned)MOST_SHARED);
    text_add(&out, cleared.data, cleared.len);
    if (cleared.len)
        text_lit(&out, "    __syncthreads();\n");
    return text_cstr(&out);
}
