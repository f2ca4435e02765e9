/* Tiles: made, loaded, mapped and stored; and the statements that they are in. */
#include "standalone/tile.h"

#include <string.h>

/* ---- operations on elements ---- */

static Term *operand_cell(Translator *t, const Tile *tile, uint32_t i, Spot *spot)
{
    return tile->args[i].tile ? cell_at(t, tile->args[i].tile, spot) : tile->args[i].term;
}

static Term *operation_cell(Translator *t, const Tile *tile, Spot *spot)
{
    Term *args[TILE_ARGS];
    for (uint32_t i = 0; i < tile->count; i++)
        args[i] = operand_cell(t, tile, i, spot);
    if (tile->routine)
        return call_term(t, tile->routine, args, tile->count, tile->dtype);
    if (strcmp(tile->name, "?") == 0)
        return new_term(t, TERM_CHOICE, tile->dtype, args, 3);
    if (strcmp(tile->name, "convert") == 0)
        return convert_term(t, args[0], tile->dtype, tile->at);
    return op_term(t, tile->name, args, tile->count, tile->dtype, tile->at);
}

Tile *operation_tile(Translator *t, const char *name, const TileType *type, const Node *at)
{
    Tile *tile = make_tile(t, type->dtype, type->ndim, type->shape, operation_cell, at);
    REFUSE_IF(t, at, !name, "this operator is not translated");
    tile->name = name;
    return tile;
}

void give_tile(Translator *t, Tile *to, Tile *tile)
{
    REFUSE_IF(t, to->at, to->count == TILE_ARGS, "too many arguments");
    to->args[to->count++].tile = tile;
}

/* Numbers are computed before the loop. */
void give_term(Translator *t, Tile *to, Term *term)
{
    REFUSE_IF(t, to->at, to->count == TILE_ARGS, "too many arguments");
    to->args[to->count++].term = term->kind == TERM_VAR ? term : plain_term(t, term, "value");
}

/* ---- functions that are passed on ---- */

Mapped mapped_function(Translator *t, const Node *node)
{
    const Value *value = info_at(t, node)->known;
    const Code *code = t->current->source->code;
    const StaticValue *known = value ? NULL : code_static(code, node);
    if (known)
        value = known->value;
    if (!value && node->kind != NODE_CALL)
        value = static_value(t, node);
    REFUSE_IF(t, node, !value || (value->kind != VALUE_FUNC && value->kind != VALUE_BUILTIN),
              "the function that is given to a tile is not known");
    return value->kind == VALUE_FUNC ? (Mapped){value->func->key->text, value->func}
                                     : (Mapped){value->builtin->name, NULL};
}

/* The overload or instance for these types that was built. */
static Routine *mapped_routine(Translator *t, const Func *func, Term *const *args, uint32_t count, const Node *at)
{
    for (uint32_t i = 0; i < t->module->function_count; i++) {
        const Func *built = t->module->functions[i]->func;
        bool fits = built->key == func->key && built->code.param_count == count;
        for (uint32_t k = 0; fits && k < count; k++)
            fits = types_equal(strip(built->code.params[k].type), strip(args[k]->type));
        if (fits)
            return routine_of_func(t, built, at);
    }
    refuse(t, at, "the function '%s' was not built for these types", func->key->text);
}

Term *apply(Translator *t, Mapped what, Term **args, uint32_t count, const Type *type, const Node *at)
{
    if (what.func)
        return call_term(t, mapped_routine(t, what.func, args, count, at), args, count, type);
    return op_term(t, what.name, args, count, type, at);
}

static Term *mapped_cell(Translator *t, const Tile *tile, Spot *spot)
{
    Term *args[TILE_ARGS];
    for (uint32_t i = 0; i < tile->count; i++)
        args[i] = operand_cell(t, tile, i, spot);
    return apply(t, mapped_function(t, tile->at->call.args.items[0]), args, tile->count, tile->dtype, tile->at);
}

static Tile *mapped_tile(Translator *t, const Node *call, const TileType *type)
{
    Tile *tile = make_tile(t, type->dtype, type->ndim, type->shape, mapped_cell, call);
    for (uint32_t i = 1; i < call->call.args.count; i++) {
        const Node *arg = call->call.args.items[i];
        if (tile_dims(t, arg))
            give_tile(t, tile, to_tile(t, arg));
        else
            give_term(t, tile, to_term(t, arg));
    }
    REFUSE_IF(t, call, call->call.keywords.count, "this call is not translated");
    return tile;
}

/* ---- making ---- */

static Term *filled_cell(Translator *t, const Tile *tile, Spot *spot)
{
    (void)t;
    (void)spot;
    return tile->args[0].term;
}

static Tile *filled_tile(Translator *t, const Node *call, const TileType *type, Term *value)
{
    Tile *tile = make_tile(t, type->dtype, type->ndim, type->shape, filled_cell, call);
    give_term(t, tile, types_equal(value->type, tile->dtype) ? value : convert_term(t, value, tile->dtype, call));
    return tile;
}

static Term *one_term(Translator *t, const Type *type, const Node *at)
{
    Number one = {.is_int = true, .integer = 1, .real = 1};
    REFUSE_IF(t, at, !type_is_scalar(type), "a tile of ones that are no numbers");
    return value_term(t, value_scalar(t->arena, type, one), type, at);
}

/* start + number * step, in the type of the elements. */
static Term *ranged_cell(Translator *t, const Tile *tile, Spot *spot)
{
    Term *number = convert_term(t, spot->flat, tile->dtype, tile->at);
    Term *times[] = {number, tile->args[1].term};
    Term *sum[] = {tile->args[0].term, op_term(t, "mul", times, 2, tile->dtype, tile->at)};
    return op_term(t, "add", sum, 2, tile->dtype, tile->at);
}

static Tile *ranged_tile(Translator *t, const Node *call, const TileType *type)
{
    uint32_t count = call->call.args.count;
    Tile *tile = make_tile(t, type->dtype, type->ndim, type->shape, ranged_cell, call);
    REFUSE_IF(t, call, !count || count > 3, "this call is not translated");
    Term *start = count > 1 ? to_term(t, call->call.args.items[0]) : NULL;
    Term *step = count > 2 ? to_term(t, call->call.args.items[2]) : one_term(t, tile->dtype, call);
    give_term(t, tile, start ? convert_term(t, start, tile->dtype, call) : zero_term(t, tile->dtype));
    give_term(t, tile, convert_term(t, step, tile->dtype, call));
    return tile;
}

/* ---- threads and tiles ---- */

/* wp.tile(x): each thread has its own element; of a vector or matrix, one for each part. */
static Tile *thread_tile(Translator *t, const Node *call, const TileType *type)
{
    Var *var = new_tile_var(t, NULL, "lanes", type->dtype, type->ndim, type->shape);
    Term *value = plain_term(t, to_term(t, argument(call, 0, "x")), "value"), *lane = lane_term(t);
    uint32_t lanes = type->shape[type->ndim - 1], parts = tile_count(var->tile) / lanes;
    REFUSE_IF(t, call, lanes != t->lanes, "a tile for blocks of another size");
    sync_before(t, var);
    for (uint32_t i = 0; i < parts; i++) {
        Term *args[] = {var_term(t, var), sum_term(t, lane, int_term(t, (int64_t)i * lanes))};
        Term *cell = new_term(t, TERM_CELL, var->tile->dtype, args, 2);
        cell->is_own = true;
        Step *step = set_to(t, cell, types_equal(value->type, cell->type) ? value : part_term(t, value, i));
        step->tile = parts == 1 ? var : NULL;
    }
    var->stores++;
    sync_behind(t);
    return var->tile;
}

static Term *untile(Translator *t, const Node *call)
{
    Tile *tile = in_memory(t, to_tile(t, argument(call, 0, "a")), "tile");
    const Type *type = info_at(t, call)->type;
    uint32_t parts = tile_count(tile) / t->lanes, cols = tile->ndim > 2 ? tile->shape[1] : 1;
    Term **items = ARENA_ARRAY(t->arena, Term *, parts);
    REFUSE_IF(t, call, tile->shape[tile->ndim - 1] != t->lanes, "a tile for blocks of another size");
    for (uint32_t i = 0; i < parts; i++) {
        Term *index[TILE_DIMS] = {int_term(t, i / cols), int_term(t, i % cols)};
        index[tile->ndim - 1] = lane_term(t);
        items[i] = cell_term(t, tile, index);
    }
    return tile->ndim == 1 ? items[0] : construct_term(t, items, parts, strip(type), call);
}

/* The value that one thread has. */
static Tile *shared_value(Translator *t, const Node *call, const TileType *type)
{
    bool is_positional = call->call.args.count > 2;
    const Node *value = argument(call, 1, "value"), *which = argument(call, is_positional ? 2 : 1, "thread_idx");
    REFUSE_IF(t, call, !value || !which || value == which, "this call is not translated");
    Term *term = plain_term(t, to_term(t, value), "value"), *thread = plain_term(t, to_term(t, which), "which");
    Var *var = new_tile_var(t, NULL, "shared_value", type->dtype, 1, (uint32_t[]){1});
    sync_before(t, var);
    Block *outer = t->block;
    Term *lane = literal_term(t, type_scalar(TYPE_INT32), "(int)threadIdx.x");
    lane->is_lane = true;
    Term *is_it = op_term(t, "==", (Term *[]){lane, thread}, 2, type_scalar(TYPE_BOOL), call);
    t->block = &new_step(t, STEP_IF, &is_it, 1)->body;
    Term *zero = int_term(t, 0);
    set_to(t, cell_term(t, var->tile, &zero), term);
    end_one(t, outer);
    var->stores++;
    Tile *tile = operation_tile(t, "convert", type, call),
         *spread = make_tile(t, type->dtype, type->ndim, type->shape, NULL, call);
    spread->var = var;
    memset(spread->strides, 0, sizeof spread->strides);
    give_tile(t, tile, spread);
    return tile;
}

/* ---- loads ---- */

static Term *element_index(Translator *t, const Tile *load, Spot *spot, uint32_t dim)
{
    static const char *const one = "at", *const pair[] = {"at_row", "at_column"},
                             *const many[] = {"at0", "at1", "at2", "at3"};
    Term *index = spot_index(t, spot, dim);
    if (load->indices && dim == load->axis)
        index = scoped(t, "picked", cell_term(t, load->indices, &index));
    Term *sum = sum_term(t, load->offsets[dim], index);
    const char *stem = spot->ndim == 1 ? one : spot->ndim == 2 ? pair[dim] : many[dim];
    return !sum ? int_term(t, 0) : sum->kind == TERM_OP ? scoped(t, stem, sum) : sum;
}

/* Is the element inside of the array? `indices`: its coordinates. */
static Term *is_inside_array(Translator *t, const Tile *load, Term **indices)
{
    Term *all = NULL, *array = load->array;
    const Type *type = type_scalar(TYPE_BOOL);
    for (uint32_t i = 0; i < load->ndim; i++) {
        Term *pair[] = {indices[i], size_term(t, array, i)};
        Term *inside = op_term(t, "<", pair, 2, type, load->at);
        all = all ? op_term(t, "&&", (Term *[]){all, inside}, 2, type, load->at) : inside;
    }
    return all;
}

static Term *loaded_cell(Translator *t, const Tile *tile, Spot *spot)
{
    Term *indices[TILE_DIMS];
    for (uint32_t i = 0; i < tile->ndim; i++)
        indices[i] = element_index(t, tile, spot, i);
    Term *element = element_term(t, tile->array, indices, tile->ndim, tile->dtype);
    if (!tile->is_checked)
        return element;
    Term *choice[] = {is_inside_array(t, tile, indices), element, zero_term(t, tile->dtype)};
    return new_term(t, TERM_CHOICE, tile->dtype, choice, 3);
}

static bool is_false(Translator *t, const Node *node)
{
    const Value *known = node ? info_at(t, node)->known : NULL;
    bool is_known = false;
    if (node && node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_BOOL)
        return !node->constant.truth;
    return known && !value_is_true(known, &is_known) && is_known;
}

/* The part of an array that is loaded, or stored to. */
static Tile *window(Translator *t, const Node *call, const Type *dtype, uint32_t ndim, const uint32_t *shape,
                    uint32_t offset_place, const Node *indices)
{
    Tile *tile = make_tile(t, dtype, ndim, shape, loaded_cell, call);
    tile->array = to_term(t, argument(call, 0, "a"));
    REFUSE_IF(t, call,
              !tile->array->type || tile->array->type->kind != TYPE_ARRAY || tile->array->type->array.ndim != ndim ||
                  tile->array->type->array.cls != ARRAY_PLAIN,
              "a tile of this array is not translated");
    offsets_of(t, argument(call, offset_place, "offset"), ndim, tile->offsets);
    tile->is_checked =
        !is_false(t, argument(call, offset_place + (offset_place == 2 && indices == NULL ? 2 : 1), "bounds_check"));
    if (!indices)
        return tile;
    Term *axis = argument(call, offset_place + 1, "axis") ? to_term(t, argument(call, offset_place + 1, "axis")) : NULL;
    REFUSE_IF(t, call, axis && !axis->has_number, "the axis is not a number");
    tile->axis = axis ? (uint32_t)axis->number : 0;
    tile->indices = in_memory(t, to_tile(t, indices), "picked");
    tile->is_checked = true;
    return tile;
}

/* ---- stores ---- */

typedef enum StoreKind { STORE_PLAIN, STORE_ADD } StoreKind;

/* `old`: where what was there before goes; NULL: nowhere. */
static void store(Translator *t, Tile *window, Tile *source, StoreKind kind, Tile *old)
{
    Block *outer = t->block;
    Spot spot;
    Term *indices[TILE_DIMS];
    if (old)
        sync_before(t, old->var);
    Step *each = begin_each(t, window, &spot);
    for (uint32_t i = 0; i < window->ndim; i++)
        indices[i] = element_index(t, window, &spot, i);
    Term *value = cell_at(t, source, &spot), *zero = zero_term(t, window->dtype);
    if (old && window->is_checked)
        set_to(t, cell_at(t, old, &spot), zero);
    if (window->is_checked) {
        Term *inside = is_inside_array(t, window, indices);
        t->block = &new_step(t, STEP_IF, &inside, 1)->body;
    }
    Term *element = element_term(t, window->array, indices, window->ndim, window->dtype);
    if (kind == STORE_PLAIN)
        set_to(t, element, value);
    else {
        Step *step = new_step(t, STEP_ATOMIC, &value, 1);
        step->place = element;
        step->atomic = find_atomic("add");
        if (old) {
            Var *before = new_var(t, NULL, window->dtype, "before");
            before->stores++;
            add_set(t, step, before);
            set_to(t, cell_at(t, old, &spot), var_term(t, before));
        }
    }
    end_each(t, each, outer);
    if (old)
        old->var->stores++;
}

/* tile_store, tile_atomic_add, and both by indices. */
static void lower_store(Translator *t, const Node *call, const char *name, Tile *old)
{
    bool by_indices = strstr(name, "_indexed"), adds = strstr(name, "atomic");
    Tile *source = to_tile(t, argument(call, by_indices ? 2 : 1, "t"));
    Tile *to = window(t, call, source->dtype, source->ndim, source->shape, by_indices ? 3 : 2,
                      by_indices ? argument(call, 1, "indices") : NULL);
    if (!by_indices)
        to->is_checked = !is_false(t, argument(call, 3, "bounds_check"));
    store(t, to, source, adds ? STORE_ADD : STORE_PLAIN, old);
}

/* ---- calls that make a tile ---- */

Tile *call_tile(Translator *t, const Node *call, const TileType *type)
{
    const char *name = info_at(t, call)->builtin->name;
    if (strcmp(name, "tile_load") == 0) {
        Tile *tile = window(t, call, type->dtype, type->ndim, type->shape, 2, NULL);
        tile->is_checked = !is_false(t, argument(call, 4, "bounds_check"));
        return tile;
    }
    if (strcmp(name, "tile_load_indexed") == 0)
        return window(t, call, type->dtype, type->ndim, type->shape, 3, argument(call, 1, "indices"));
    if (strcmp(name, "tile_zeros") == 0)
        return filled_tile(t, call, type, zero_term(t, strip(type->dtype)));
    if (strcmp(name, "tile_ones") == 0)
        return filled_tile(t, call, type, one_term(t, strip(type->dtype), call));
    if (strcmp(name, "tile_full") == 0)
        return filled_tile(t, call, type, to_term(t, argument(call, 1, "value")));
    if (strcmp(name, "tile_arange") == 0)
        return ranged_tile(t, call, type);
    if (strcmp(name, "tile_map") == 0)
        return mapped_tile(t, call, type);
    if (strcmp(name, "tile") == 0)
        return thread_tile(t, call, type);
    if (strcmp(name, "tile_from_thread") == 0)
        return shared_value(t, call, type);
    if (strcmp(name, "copy") == 0 || strcmp(name, "tile_astype") == 0) {
        Tile *tile = operation_tile(t, "convert", type, call);
        give_tile(t, tile, to_tile(t, call->call.args.items[0]));
        return tile;
    }
    if (strstr(name, "atomic_add")) {
        Tile *old = new_tile_var(t, NULL, "before", type->dtype, type->ndim, type->shape)->tile;
        lower_store(t, call, name, old);
        return old;
    }
    Tile *reduced = reduced_tile(t, call, name, type);
    REFUSE_IF(t, call, !reduced, "wp.%s() is not translated", name);
    return reduced;
}

/* ---- statements ---- */

static void assign_tile(Translator *t, Name name, const Node *value)
{
    Tile *source = to_tile(t, value);
    Var *var = find_var(t, name, NULL);
    bool is_view = source->var && value->kind != NODE_NAME, is_same = false;
    if (var && var->tile)
        is_same = var->tile->var == var && types_equal(var->tile->dtype, source->dtype) &&
                  var->tile->ndim == source->ndim && memcmp(var->tile->shape, source->shape, sizeof source->shape) == 0;
    bool is_temporary = is_view && !source->var->name && source->var->tile == source;
    REFUSE_IF(t, value, var && (!is_same || (is_view && !is_temporary)) && t->block != &t->current->body,
              "'%s' becomes another tile in a branch or loop", name->text);
    if (is_same && (!is_view || is_temporary)) {
        fill_tile(t, var->tile, source);
        return;
    }
    if (is_temporary && !var) { /* it gets the name */
        const char *text = local_name(t, name->text);
        note_var_name(t, source->var->text, false);
        note_var_name(t, text, true);
        source->var->text = text;
        bind_var(t, source->var, name);
        source->var->label.text = source->var->text;
        return;
    }
    if (is_view) {
        Var *view = new_var(t, name, source->var->type, NULL);
        view->tile = source;
        return;
    }
    fill_tile(t, new_tile_var(t, name, NULL, source->dtype, source->ndim, source->shape)->tile, source);
}

bool lower_tile_assign(Translator *t, const Node *target, const Node *value)
{
    if (target->kind == NODE_NAME) {
        if (!tile_dims(t, value))
            return false;
        assign_tile(t, target->name.id, value);
        return true;
    }
    const Node *whole = target->kind == NODE_SUBSCRIPT ? target->subscript.value : NULL;
    if (tile_dims(t, target)) { /* a part of a tile */
        Tile *source = to_tile(t, value);
        fill_tile(t, to_tile(t, target), source);
        return true;
    }
    while (whole && !tile_dims(t, whole)) /* t[1][2] may be a part of an element */
        whole = whole->kind == NODE_SUBSCRIPT   ? whole->subscript.value
                : whole->kind == NODE_ATTRIBUTE ? whole->attribute.value
                                                : NULL;
    if (!whole)
        return false;
    Term *term = plain_term(t, to_term(t, value), "value"), *place = to_term(t, target);
    Var *var = root_var(place);
    sync_before(t, var);
    Block *outer = begin_one(t);
    set_to(t, place, term);
    end_one(t, outer);
    var->stores++;
    return true;
}

/* Every thread adds. */
static void add_to_cell(Translator *t, Term *place, Term *value, const char *atomic)
{
    Var *var = root_var(place);
    sync_before(t, var);
    Step *step = new_step(t, STEP_ATOMIC, &value, 1);
    step->place = place;
    step->atomic = find_atomic(atomic);
    var->stores++;
    sync_behind(t);
}

bool lower_tile_update(Translator *t, const Node *node)
{
    const Node *target = node->aug_assign.target;
    OpKind op = node->aug_assign.op;
    if (tile_dims(t, target)) {
        Tile *to = to_tile(t, target), *sum = ARENA_NEW(t->arena, Tile);
        *sum = *to;
        sum->var = NULL;
        sum->make = operation_cell;
        sum->at = node;
        sum->name = op_builtin(op);
        give_tile(t, sum, to);
        if (tile_dims(t, node->aug_assign.value))
            give_tile(t, sum, to_tile(t, node->aug_assign.value));
        else
            give_term(t, sum, to_term(t, node->aug_assign.value));
        fill_tile(t, to, sum);
        return true;
    }
    const Node *whole = target->kind == NODE_SUBSCRIPT ? target->subscript.value : NULL;
    while (whole && !tile_dims(t, whole))
        whole = whole->kind == NODE_SUBSCRIPT ? whole->subscript.value : NULL;
    if (!whole)
        return false;
    Term *value = plain_term(t, to_term(t, node->aug_assign.value), "value"), *place = to_term(t, target);
    const char *atomic = op == OP_ADD       ? "add"
                         : op == OP_SUB     ? "sub"
                         : op == OP_BIT_AND ? "and"
                         : op == OP_BIT_OR  ? "or"
                         : op == OP_BIT_XOR ? "xor"
                                            : NULL;
    if (atomic) {
        add_to_cell(t, place, value, atomic);
        return true;
    }
    Var *var = root_var(place);
    sync_before(t, var);
    Block *outer = begin_one(t);
    set_to(t, place, op_term(t, op_builtin(op), (Term *[]){place, value}, 2, place->type, node));
    end_one(t, outer);
    var->stores++;
    return true;
}

/* tile_assign(dst, src, offset): into a view of it. */
static void lower_assign_call(Translator *t, const Node *call)
{
    Tile *to = in_memory(t, to_tile(t, argument(call, 0, "dst")), "tile"),
         *source = to_tile(t, argument(call, 1, "src"));
    Term *offsets[TILE_DIMS];
    offsets_of(t, argument(call, 2, "offset"), to->ndim, offsets);
    Tile *part = ARENA_NEW(t->arena, Tile);
    *part = *to;
    memcpy(part->shape, source->shape, sizeof part->shape);
    for (uint32_t i = 0; i < to->ndim; i++)
        part->base = sum_term(t, part->base, times_term(t, offsets[i], to->strides[i]));
    fill_tile(t, part, source);
}

/* tile_scatter_add(tile, indices…, value, has_value), tile_scatter_masked. */
static void lower_scatter(Translator *t, const Node *call, bool adds)
{
    Tile *to = in_memory(t, to_tile(t, argument(call, 0, "a")), "tile");
    Term *indices[TILE_DIMS];
    for (uint32_t i = 0; i < to->ndim; i++)
        indices[i] = plain_term(t,
                                to_term(t, argument(call, 1 + i,
                                                    i == 0   ? "i"
                                                    : i == 1 ? "j"
                                                    : i == 2 ? "k"
                                                             : "l")),
                                "at");
    Term *value = plain_term(t, to_term(t, argument(call, 1 + to->ndim, "value")), "value");
    Term *has_value = plain_term(t, to_term(t, argument(call, 2 + to->ndim, "has_value")), "has_value");
    sync_before(t, to->var);
    Block *outer = t->block;
    t->block = &new_step(t, STEP_IF, &has_value, 1)->body;
    Term *place = cell_term(t, to, indices);
    if (adds) {
        Step *step = new_step(t, STEP_ATOMIC, &value, 1);
        step->place = place;
        step->atomic = find_atomic("add");
    } else
        set_to(t, place, value);
    end_one(t, outer);
    to->var->stores++;
}

bool lower_tile_call(Translator *t, const Node *call)
{
    const Builtin *builtin = call->kind == NODE_CALL && t->lanes ? info_at(t, call)->builtin : NULL;
    const char *name = builtin ? builtin->name : "";
    if (strncmp(name, "tile_", 5) != 0)
        return false;
    if (strncmp(name, "tile_store", 10) == 0 || strstr(name, "atomic_add"))
        lower_store(t, call, name, NULL);
    else if (strcmp(name, "tile_assign") == 0)
        lower_assign_call(t, call);
    else if (strncmp(name, "tile_scatter_", 13) == 0)
        lower_scatter(t, call, strcmp(name, "tile_scatter_add") == 0);
    else if (!lower_tile_action(t, call, name)) {
        REFUSE_IF(t, call, !tile_dims(t, call), "wp.%s() is not translated", name);
        to_tile(t, call); /* nobody uses it */
    }
    return true;
}

Term *tile_value(Translator *t, const Node *node)
{
    if (!t->lanes)
        return NULL;
    if (node->kind == NODE_SUBSCRIPT)
        return tile_dims(t, node->subscript.value) && !tile_dims(t, node) ? element_of_tile(t, node) : NULL;
    const Builtin *builtin = node->kind == NODE_CALL ? info_at(t, node)->builtin : NULL;
    const char *name = builtin ? builtin->name : "";
    if (strcmp(name, "untile") == 0)
        return untile(t, node);
    if (strcmp(name, "block_dim") == 0)
        return literal_term(t, type_scalar(TYPE_INT32), "(int)blockDim.x");
    if (strcmp(name, "len") == 0 && tile_dims(t, node->call.args.items[0]))
        return int_term(t, to_tile(t, node->call.args.items[0])->shape[0]);
    if (strcmp(name, "tile_extract") != 0)
        return NULL;
    Tile *of = in_memory(t, to_tile(t, argument(node, 0, "a")), "tile");
    Term *indices[TILE_DIMS + 2];
    uint32_t count = node->call.args.count - 1;
    REFUSE_IF(t, node, count < of->ndim || count > of->ndim + 2 || node->call.keywords.count,
              "this call is not translated");
    for (uint32_t i = 0; i < count; i++)
        indices[i] = to_term(t, node->call.args.items[i + 1]);
    Term *cell = cell_term(t, of, indices);
    return count > of->ndim ? index_value(t, cell, indices + of->ndim, count - of->ndim, node) : cell;
}
