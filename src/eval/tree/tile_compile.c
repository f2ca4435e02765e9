/* Calls with tiles, as operations; what variables that are tiles have in a frame. */
#include "eval/tree/tile.h"

#include <string.h>

static const TileRow rows[] = {
#define TILE(name, forward, reverse, alone, element, variant)                                                          \
    {name, tree_##forward, tree_##reverse, alone, element, variant},
#include "eval/tree/tile.def"
#undef TILE
};

const TileRow *tree_tile_row(const char *native)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, native))
            return &rows[i];
    return NULL;
}

void tree_tile_nothing(TreeBlock *b, const TileCall *call)
{
    (void)b;
    (void)call;
}

static bool is_tile_type(const Type *type)
{
    return type->kind == TYPE_TILE || type->kind == TYPE_TILE_STACK;
}

bool tree_is_tile_call(const Compiler *c, const IrCall *call)
{
    bool tiles = c->program->module->uses_tiles;
    if (!call->builtin)
        return false;
    for (uint32_t i = 0; i < call->arg_count; i++)
        if (call->args[i].kind == OPERAND_FUNCTION ||
            (tiles && call->args[i].kind == OPERAND_VAR && is_tile_type(type_strip_reference(call->args[i].var->type))))
            return true;
    for (uint32_t i = 0; tiles && i < call->output_count; i++)
        if (is_tile_type(call->outputs[i]->type))
            return true;
    return false;
}

/* ---- memory ---- */

static uint64_t extent_of(const TileType *tile)
{
    uint64_t cells = 1;
    for (uint32_t i = 0; i < tile->ndim; i++)
        cells +=
            (uint64_t)(tile->shape[i] - 1) * (uint64_t)(tile->strides[i] < 0 ? -tile->strides[i] : tile->strides[i]);
    return cells;
}

void tree_place_tile(Compiler *c, const Type *type, uint32_t at)
{
    enum { MAX_CELLS = 1 << 22 };
    const TileType *tile = type->tile;
    bool stack = type->kind == TYPE_TILE_STACK;
    uint32_t width = tree_layout_of(c, tile->dtype)->cells;
    uint64_t cells = (stack ? tile->shape[0] : extent_of(tile)) * width;
    if (width > TILE_MAX_CELLS)
        tree_refuse(c, "a tile whose elements have so many numbers");
    if (cells > MAX_CELLS)
        tree_refuse(c, "a tile of so many numbers");
    TileSlot slot = {.offset = at, .type = type, .cells = (uint32_t)cells};
    if (stack || !tile->is_view) {
        slot.data = ARENA_ARRAY(c->arena, Cell, cells + 1);
        slot.grad = ARENA_ARRAY(c->arena, Cell, cells + 1);
    }
    ARENA_PUSH(c->arena, c->code->tiles, c->code->tile_count, c->code->tile_cap) = slot;
}

void tree_fill_tile_images(const TreeCode *code)
{
    for (uint32_t i = 0; i < code->tile_count; i++) {
        const TileSlot *slot = &code->tiles[i];
        TreeTile *tile = (TreeTile *)(void *)(code->image + slot->offset);
        if (slot->type->kind == TYPE_TILE_STACK) {
            *(TreeStack *)(void *)tile = (TreeStack){slot->data, slot->grad};
            continue;
        }
        *tile = (TreeTile){.data = slot->data, .grad = slot->grad};
        for (uint32_t k = 0; k < slot->type->tile->ndim; k++)
            tile->strides[k] = slot->type->tile->strides[k];
    }
}

void tree_clear_tiles(const TreeCode *code)
{
    for (uint32_t i = 0; i < code->tile_count; i++) {
        if (!code->tiles[i].data)
            continue;
        memset(code->tiles[i].data, 0, code->tiles[i].cells * sizeof(Cell));
        memset(code->tiles[i].grad, 0, code->tiles[i].cells * sizeof(Cell));
    }
}

/* ---- elements ---- */

void tree_tile_coordinates(const TileInfo *info, uint32_t n, int64_t *out)
{
    for (uint32_t i = info->ndim; i-- > 0;) {
        out[i] = n % info->shape[i];
        n /= info->shape[i];
    }
}

int64_t tree_tile_place_at(const TreeTile *tile, const TileInfo *info, const int64_t *coordinates)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < info->ndim; i++)
        at += coordinates[i] * tile->strides[i];
    return at * info->layout->cells;
}

int64_t tree_tile_place(const TreeTile *tile, const TileInfo *info, uint32_t n)
{
    int64_t coordinates[4];
    tree_tile_coordinates(info, n, coordinates);
    return tree_tile_place_at(tile, info, coordinates);
}

uint32_t tree_scalar_types(const Type *type, const Type **out)
{
    type = type_canonical(type);
    uint32_t count = 0;
    for (; type->kind != TYPE_STRUCT && count < type_parts(type); count++)
        out[count] = type_scalar_of(type);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        count += tree_scalar_types(type->decl->fields[i].type, out + count);
    return count;
}

void tree_tile_combine_cells(const TileInfo *info, int sign, Cell *sum, const Cell *more)
{
    const Type *types[TILE_MAX_CELLS];
    tree_scalar_types(info->dtype, types);
    for (uint32_t i = 0; i < info->layout->cells; i++) {
        TypeKind kind = types[i]->kind;
        CellKind cell = (CellKind)info->layout->kinds[i];
        bool narrow = kind == TYPE_BOOL || type_is_narrow(types[i]);
        if (cell < CELL_INTEGER)
            sum[i].real = tree_round(sum[i].real + sign * more[i].real, cell);
        else if (info->dtype->kind != TYPE_STRUCT || !narrow)
            sum[i].integer = tree_wrap((int64_t)((uint64_t)sum[i].integer + (uint64_t)(sign * more[i].integer)), kind);
    }
}

void tree_tile_convert(const TileCall *call, const Cell *from, const Type *type, const TileInfo *to, Cell *out)
{
    type = type_canonical(type);
    if (type->kind == TYPE_STRUCT || types_equal(type, to->dtype)) {
        memcpy(out, from, to->layout->cells * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < to->layout->cells; i++)
        out[i] = tree_convert(from[i], type_scalar_of(type), type_scalar_of(to->dtype), call->in_double);
}

static void copy_in(TreeBlock *b, uint32_t lane, const ElementCall *element, const Cell *const *in)
{
    Machine *m = &b->lanes[lane].m;
    for (uint32_t i = 0; i < element->count; i++)
        memcpy(tree_at(m, element->args[i].value), in[i], element->args[i].cells * sizeof(Cell));
}

void tree_element_forward(TreeBlock *b, uint32_t lane, const ElementCall *element, const Cell *const *in, Cell *out)
{
    Machine *m = &b->lanes[lane].m;
    copy_in(b, lane, element, in);
    memset(tree_at(m, element->out->value), 0, element->out->cells * sizeof(Cell));
    element->forward.run(m, &element->forward);
    memcpy(out, tree_at(m, element->out->value), element->out->cells * sizeof(Cell));
}

void tree_element_reverse(TreeBlock *b, uint32_t lane, const ElementCall *element, const Cell *const *in,
                          const Cell *adj_out, Cell *const *adj_in)
{
    Machine *m = &b->lanes[lane].m;
    if (!element->has_reverse)
        return;
    copy_in(b, lane, element, in);
    element->forward.run(m, &element->forward);
    copy_in(b, lane, element, in);
    for (uint32_t i = 0; i < element->count; i++)
        memset(tree_at(m, element->args[i].adjoint), 0, element->args[i].cells * sizeof(Cell));
    memcpy(tree_at(m, element->out->adjoint), adj_out, element->out->cells * sizeof(Cell));
    element->reverse.run(m, &element->reverse);
    for (uint32_t i = 0; i < element->count; i++)
        if (adj_in[i])
            tree_accumulate(adj_in[i], tree_at(m, element->args[i].adjoint), element->args[i].layout);
}

static TreeArg temporary(Compiler *c, const Type *type)
{
    TreeArg arg = {.type = type_canonical(type)};
    arg.layout = tree_layout_of(c, arg.type);
    arg.cells = arg.layout->cells;
    arg.value = (int32_t)tree_temporary(c, arg.cells);
    arg.adjoint = (int32_t)tree_temporary(c, arg.cells);
    return arg;
}

/* ---- calls ---- */

static TileInfo info_of(Compiler *c, const Type *type)
{
    TileInfo info = {0};
    if (!type || !is_tile_type(type))
        return info;
    const TileType *tile = type->tile;
    info = (TileInfo){
        .ndim = tile->ndim, .size = 1, .dtype = type_canonical(tile->dtype), .shared = tile->storage == TILE_SHARED};
    info.layout = tree_layout_of(c, info.dtype);
    for (uint32_t i = 0; i < tile->ndim; i++) {
        info.shape[i] = tile->shape[i];
        info.size *= tile->shape[i];
    }
    return info;
}

static const Type *element_type(const TileCall *call, uint32_t i, const TreeArg *args)
{
    return call->args[i].size ? call->args[i].dtype : args[i].type;
}

static ElementCall *element_call(Compiler *c, const TileCall *tile, const TileRow *row, const TreeArg *args,
                                 bool reverse)
{
    const IrCall *call = tile->call;
    ElementCall *element = ARENA_NEW(c->arena, ElementCall);
    bool given = !row->element[0], reduces = !strncmp(row->name, "tile_reduce", 11);
    uint32_t first = given ? 1 : 0;
    element->count = reduces ? 2 : call->arg_count - first;
    element->args = tree_args(c, element->count);
    for (uint32_t i = 0; i < element->count; i++)
        element->args[i] = temporary(c, element_type(tile, reduces ? 1 : first + i, args));
    element->out = tree_args(c, 1);
    element->out[0] = temporary(c, tile->outs[0].dtype);
    const Func *func = given ? call->args[0].function.func : NULL;
    const Builtin *builtin = given ? call->args[0].function.builtin : NULL;
    const char *native = given ? builtin ? builtin->native : NULL : row->element;
    if (func)
        element->has_reverse = tree_element_function(c, func, element, reverse);
    else
        element->has_reverse = tree_element_builtin(c, native, element, reverse);
    return element;
}

void tree_emit_tile_call(Compiler *c, const IrCall *call, bool reverse)
{
    const TileRow *row = tree_tile_row(call->builtin->native);
    if (!row || call->arg_count > TILE_MAX_ARGS || call->output_count > 2)
        tree_refuse(c, "the builtin '%s' with tiles", call->builtin->name);
    TileCall *tile = ARENA_NEW(c->arena, TileCall);
    TreeArg *args = tree_args(c, call->arg_count), *outs = tree_args(c, call->output_count);
    tile->run = reverse ? row->reverse : row->forward;
    if (tile->run == tree_tile_nothing)
        return;
    tile->call = call;
    tile->name = row->name;
    tile->alone = row->alone;
    tile->variant = row->variant;
    tile->in_double = c->program->in_double;
    tile->dialect = c->program->module->unit->dialect;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (call->args[i].kind != OPERAND_VAR && call->args[i].kind != OPERAND_POINTER)
            continue;
        args[i] = tree_operand(c, &call->args[i], reverse ? &call->adj_args[i] : NULL);
        tile->args[i] = info_of(c, args[i].type);
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        outs[i] = tree_arg(c, call->outputs[i]);
        tile->outs[i] = info_of(c, outs[i].type);
    }
    bool structs = row->element && row->element[0] && tile->outs[0].dtype->kind == TYPE_STRUCT;
    if (row->element && !structs)
        tile->element = element_call(c, tile, row, args, reverse);
    Op *op = tree_emit(c, tree_tile_gate);
    op->args = args;
    op->arg_count = call->arg_count;
    op->outs = outs;
    op->out_count = call->output_count;
    op->detail = tile;
    Op *copy = ARENA_NEW(c->arena, Op); /* the code moves while it grows */
    *copy = *op;
    tile->op = copy;
}

/* Copies a tile (`sign` 0), or adds the gradient of one to that of another. */
static void emit_whole(Compiler *c, TileFn *run, TreeArg to, TreeArg from)
{
    TileCall *tile = ARENA_NEW(c->arena, TileCall);
    TreeArg *args = tree_args(c, 2);
    args[0] = from;
    args[1] = to;
    tile->run = run;
    tile->args[0] = info_of(c, from.type);
    tile->outs[0] = info_of(c, to.type);
    tile->dialect = c->program->module->unit->dialect;
    Op *op = tree_emit(c, tree_tile_gate);
    op->args = args;
    op->arg_count = 1;
    op->outs = args + 1;
    op->out_count = 1;
    op->detail = tile;
    Op *copy = ARENA_NEW(c->arena, Op);
    *copy = *op;
    tile->op = copy;
}

bool tree_emit_tile_result(Compiler *c, TreeArg to, TreeArg from, bool adjoint)
{
    if (!to.type || to.type->kind != TYPE_TILE)
        return false;
    emit_whole(c, adjoint ? tree_adj_tile_result : tree_tile_copy, to, from);
    return true;
}

bool tree_emit_tile_clear(Compiler *c, const IrVar *var)
{
    if (!is_tile_type(var->type))
        return false;
    if (var->type->kind == TYPE_TILE && !var->type->tile->is_view) {
        TreeArg arg = tree_arg(c, var);
        emit_whole(c, tree_tile_clear_grad, arg, arg);
    }
    return true;
}
