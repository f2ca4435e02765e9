#include "check/tile_launch.h"

#include <string.h>

enum {
    MAX_DEPTH = 16,
    WALKS = 2,
    BLOCKS = 2,
    INDICES = 8,   /* that an array of integers names unless something is said */
    MOST = 1 << 16 /* elements in a dimension */
};

/* What a variable comes from. */
typedef struct Fact {
    const char *array; /* the argument that it is, or is a view or an element of; NULL: none */
    uint32_t taken;    /* dimensions of it that views have gone into */
    uint32_t threads;  /* indices of wp.tid(), by bits */
} Fact;

/* One dimension of an array argument. */
typedef struct Extent {
    uint32_t least;   /* what tiles and constant indices need */
    uint32_t threads; /* indices of wp.tid() that elements are named by */
} Extent;

typedef struct Array {
    const char *name;
    Extent extents[4];
} Array;

struct TileSurvey {
    Arena *arena;
    const IrModule *module;
    HashTable facts; /* Fact by variable */
    Array *arrays;
    uint32_t array_count, array_cap;
    uint32_t thread_indices; /* of wp.tid(); 0: it is not called */
    uint32_t blocks;         /* those that say where tiles are, by bits */
    uint32_t stored_by_all;  /* those that every store that is not atomic depends on */
    bool has_tiles_of_lanes; /* wp.tile(x), wp.untile(t): each thread has an element */
    uint32_t tiles_of_lanes; /* indices that such an x depends on */
    uint32_t depth;
};

static Fact *fact_of(TileSurvey *s, const IrVar *var)
{
    TableSlot *slot = table_add(&s->facts, s->arena, var);
    if (!slot->item)
        slot->item = ARENA_NEW(s->arena, Fact);
    return slot->item;
}

/* Of an argument of the kernel, or a field of one; of others what is known. */
static Fact *resolve(TileSurvey *s, const IrVar *var)
{
    Fact *fact = fact_of(s, var);
    if (fact->array || !var->part)
        return fact;
    const Fact *root = resolve(s, var->part->root);
    fact->threads |= root->threads;
    if (!root->array)
        return fact;
    Text name;
    text_init_in(&name, s->arena);
    text_str(&name, root->array);
    for (uint32_t i = 0; i < var->part->step_count && var->part->steps[i].kind == STEP_FIELD; i++)
        text_format(&name, ".%s", var->part->steps[i].field->text);
    fact->array = text_cstr(&name);
    return fact;
}

static void inherit(TileSurvey *s, const IrVar *to, const IrVar *from)
{
    const Fact source = *resolve(s, from);
    Fact *fact = fact_of(s, to);
    fact->threads |= source.threads;
    if (!fact->array) {
        fact->array = source.array;
        fact->taken = source.taken;
    }
}

static Array *array_named(TileSurvey *s, const char *name)
{
    for (uint32_t i = 0; i < s->array_count; i++)
        if (strcmp(s->arrays[i].name, name) == 0)
            return &s->arrays[i];
    Array *array = &ARENA_PUSH(s->arena, s->arrays, s->array_count, s->array_cap);
    *array = (Array){.name = name};
    return array;
}

static void grow(uint32_t *number, uint64_t least)
{
    if (least <= MOST && *number < least)
        *number = (uint32_t)least;
}

/* A number that stands in the kernel. */
static bool is_constant(const IrVar *var, int64_t *value)
{
    Number number;
    bool known = var->constant && value_as_number(var->constant, true, &number) && number.is_int &&
                 number.integer >= 0 && number.integer <= MOST;
    *value = known ? (int64_t)number.integer : 0;
    return known;
}

/* ---- elements and tiles ---- */

/* A dimension that is named by a variable: by index (length 0), or as the start of a tile of that length. */
static void note_extent(TileSurvey *s, const Fact *array, uint32_t dim, const IrVar *index, uint32_t length)
{
    int64_t value;
    if (!array->array || array->taken + dim >= 4)
        return;
    Extent *extent = &array_named(s, array->array)->extents[array->taken + dim];
    if (is_constant(index, &value))
        grow(&extent->least, (uint64_t)value + (length ? length : 1));
    else
        grow(&extent->least, length ? (uint64_t)length * BLOCKS : CHECK_USUAL_SIZE);
    if (!length)
        extent->threads |= resolve(s, index)->threads;
}

/* Something is stored where these indices, and those that the array itself was found by, say. */
static void note_store(TileSurvey *s, uint32_t threads, bool atomic)
{
    if (!atomic)
        s->stored_by_all &= threads;
}

static uint32_t note_elements(TileSurvey *s, const IrCall *call, uint32_t first, uint32_t count)
{
    const Fact array = *resolve(s, call->args[0].var);
    uint32_t threads = array.threads;
    for (uint32_t i = 0; i < count; i++) {
        if (call->args[first + i].kind != OPERAND_VAR)
            continue;
        const IrVar *index = call->args[first + i].var;
        note_extent(s, &array, i, index, 0);
        threads |= resolve(s, index)->threads;
    }
    return threads;
}

typedef struct TileAccess {
    const Type *tile;
    uint32_t offsets; /* the first argument that is an offset */
    bool stores, atomic, indexed;
} TileAccess;

static void note_tile(TileSurvey *s, const IrCall *call, TileAccess access)
{
    const Fact array = *resolve(s, call->args[0].var);
    const TileType *tile = access.tile->kind == TYPE_TILE ? access.tile->tile : NULL;
    uint32_t threads = array.threads;
    int64_t axis = -1;
    if (access.indexed && !(call->args[2].kind == OPERAND_VAR && is_constant(call->args[2].var, &axis)))
        axis = -1;
    for (uint32_t d = 0; tile && d < tile->ndim && access.offsets + d < call->arg_count; d++) {
        if (call->args[access.offsets + d].kind != OPERAND_VAR)
            continue;
        const IrVar *offset = call->args[access.offsets + d].var;
        note_extent(s, &array, d, offset, d == axis ? INDICES : tile->shape[d]);
        threads |= resolve(s, offset)->threads;
    }
    s->blocks |= threads;
    if (access.stores)
        note_store(s, threads, access.atomic);
}

static const Type *type_of(const IrVar *var)
{
    const Type *type = type_canonical(var->type);
    return type->kind == TYPE_REF ? type_canonical(type->target) : type;
}

static const Type *last_type(const IrCall *call)
{
    const IrOperand *last = &call->args[call->arg_count - 1];
    return last->kind == OPERAND_VAR ? type_of(last->var) : type_scalar(TYPE_INT32);
}

/* True: it is a tile in memory, or an element of an array. */
static bool look_at_memory(TileSurvey *s, const IrCall *call)
{
    const char *name = call->builtin->name;
    if (!call->arg_count || call->args[0].kind != OPERAND_VAR)
        return false;
    switch (call->builtin->rule) {
    case RESULT_TILE_LOAD:
        note_tile(s, call, (TileAccess){.tile = type_of(call->outputs[0]), .offsets = 1});
        return true;
    case RESULT_TILE_LOAD_INDEXED:
        note_tile(s, call, (TileAccess){.tile = type_of(call->outputs[0]), .offsets = 3, .indexed = true});
        return true;
    case RESULT_TILE_STORE:
    case RESULT_TILE_ATOMIC_ADD:
        note_tile(s, call,
                  (TileAccess){last_type(call), 1, true, call->builtin->rule == RESULT_TILE_ATOMIC_ADD, false});
        return true;
    case RESULT_TILE_STORE_INDEXED:
    case RESULT_TILE_ATOMIC_ADD_INDEXED:
        note_tile(s, call,
                  (TileAccess){last_type(call), 3, true, call->builtin->rule == RESULT_TILE_ATOMIC_ADD_INDEXED, true});
        return true;
    default: break;
    }
    if (strcmp(name, "array_store") == 0)
        note_store(s, note_elements(s, call, 1, call->arg_count - 2), false);
    else if (strcmp(name, "address") == 0 || strcmp(name, "view") == 0)
        note_elements(s, call, 1, call->arg_count - 1);
    else if (strncmp(name, "atomic_", 7) == 0)
        note_elements(s, call, 1, call->arg_count - 2);
    return false;
}

/* ---- the walk ---- */

static void walk(TileSurvey *s, const IrRegion *region);

static const IrFunction *function_of(const TileSurvey *s, const Func *func)
{
    for (uint32_t i = 0; i < s->module->function_count; i++)
        if (s->module->functions[i]->func == func)
            return s->module->functions[i];
    return NULL;
}

/* Its parameters are what it is called with: from several places, the first that says something. */
static void look_into(TileSurvey *s, const IrCall *call)
{
    const IrFunction *function = function_of(s, call->func);
    if (!function || s->depth == MAX_DEPTH)
        return;
    for (uint32_t i = 0; i < call->arg_count && i < function->params.count; i++)
        if (call->args[i].kind == OPERAND_VAR)
            inherit(s, function->params.items[i], call->args[i].var);
    s->depth++;
    walk(s, &function->body);
    s->depth--;
}

static void look_at_call(TileSurvey *s, const IrCall *call)
{
    const char *name = call->builtin ? call->builtin->name : "";
    if (strcmp(name, "tid") == 0) {
        s->thread_indices = call->output_count;
        for (uint32_t i = 0; i < call->output_count; i++)
            fact_of(s, call->outputs[i])->threads = 1u << i;
        return;
    }
    if (call->func)
        look_into(s, call);
    bool moves_tile = call->builtin && look_at_memory(s, call);
    bool is_view = strcmp(name, "view") == 0;
    for (uint32_t k = 0; k < call->output_count; k++) {
        for (uint32_t i = 0; !moves_tile && i < call->arg_count; i++)
            if (call->args[i].kind == OPERAND_VAR)
                inherit(s, call->outputs[k], call->args[i].var);
        if (is_view && s->depth < MAX_DEPTH)
            fact_of(s, call->outputs[k])->taken = resolve(s, call->args[0].var)->taken + call->arg_count - 1;
    }
    if (call->builtin && (call->builtin->rule == RESULT_TILE || call->builtin->rule == RESULT_UNTILE)) {
        s->has_tiles_of_lanes = true;
        if (call->arg_count && call->args[0].kind == OPERAND_VAR)
            s->tiles_of_lanes |= resolve(s, call->args[0].var)->threads;
    }
}

static void look_at(TileSurvey *s, const IrNode *node)
{
    switch (node->kind) {
    case IR_CALL: look_at_call(s, node->call); return;
    case IR_COMPARE:
        inherit(s, node->compare.output, node->compare.left);
        for (uint32_t i = 0; i < node->compare.count; i++)
            inherit(s, node->compare.output, node->compare.right[i]);
        return;
    case IR_SET:
    case IR_LOGIC: inherit(s, node->set.target, node->set.value); return;
    case IR_IF: walk(s, &node->if_node->body); return;
    case IR_FOR:
        walk(s, &node->for_node->head);
        walk(s, &node->for_node->body);
        return;
    case IR_WHILE:
        walk(s, &node->while_node->test);
        walk(s, &node->while_node->body);
        return;
    case IR_MEMBER: {
        const Fact whole = *resolve(s, node->member.aggregate);
        Fact *fact = fact_of(s, node->member.target);
        fact->threads |= whole.threads;
        if (whole.array)
            fact->array = arena_format(s->arena, "%s.%s", whole.array, node->member.field->text);
        return;
    }
    case IR_SLOT_ADDRESS: inherit(s, node->slot_address.target, node->slot_address.path->root); return;
    default: return;
    }
}

static void walk(TileSurvey *s, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++)
        look_at(s, region->items[i]);
}

/* Loops pass on what their last statements found: so twice. */
TileSurvey *tile_survey(const IrModule *module)
{
    TileSurvey *s = ARENA_NEW(module->unit->building, TileSurvey);
    *s = (TileSurvey){.arena = module->unit->building, .module = module};
    const IrVarList *params = &module->kernel->params;
    for (uint32_t i = 0; i < params->count; i++)
        fact_of(s, params->items[i])->array = module->kernel->code->params[i].name->text;
    for (int i = 0; i < WALKS; i++) {
        s->stored_by_all = ~0u;
        walk(s, &module->kernel->body);
    }
    return s;
}

/* ---- the launch ---- */

/* The last index counts lanes: nothing says where a tile is by it. */
static bool counts_lanes(const TileSurvey *s, uint32_t index)
{
    return !(s->blocks >> index & 1);
}

void tile_launch_dims(const TileSurvey *s, CheckLaunch *launch)
{
    const IrModule *module = s->module;
    uint32_t count = s->thread_indices;
    if (!launch->block_dim)
        launch->block_dim = count == 4 ? 1 : module->depends_on_block ? module->unit->block_dim : CHECK_BLOCK_DIM;
    if (launch->ndim)
        return;
    for (uint32_t i = 0; i < 4; i++)
        launch->dim[i] = i < count && s->stored_by_all >> i & 1 ? BLOCKS : 1;
    if (count == 4) {
        launch->ndim = 4;
    } else if (count == 1 && counts_lanes(s, 0) && s->has_tiles_of_lanes) {
        launch->ndim = 1;
        launch->dim[0] = launch->block_dim * BLOCKS;
    } else {
        launch->ndim = !count ? 2 : count > 1 && counts_lanes(s, count - 1) ? count : count + 1;
        launch->dim[launch->ndim - 1] = launch->block_dim;
    }
}

void tile_launch_blocks(const TileSurvey *s, CheckLaunch *launch, uint32_t blocks)
{
    launch->ndim = 0;
    tile_launch_dims(s, launch);
    bool by_threads = launch->ndim == 1;
    if (by_threads)
        launch->dim[0] = launch->block_dim * blocks;
    for (uint32_t i = 0; !by_threads && i < s->thread_indices && (i + 1 < launch->ndim || launch->ndim == 4); i++)
        launch->dim[i] = blocks;
}

void tile_launch_single(uint32_t dim[4], uint32_t ndim, uint32_t *block_dim)
{
    if (ndim > 1 && *block_dim > 1 && dim[ndim - 1] == *block_dim)
        dim[ndim - 1] = 1;
    *block_dim = 1;
}

bool tile_launch_shape(const TileSurvey *s, const CheckLaunch *launch, CheckArg *arg, uint32_t ndim)
{
    for (uint32_t i = 0; i < s->array_count; i++) {
        if (strcmp(s->arrays[i].name, arg->name) != 0)
            continue;
        arg->ndim = ndim;
        for (uint32_t d = 0; d < ndim; d++) {
            const Extent *extent = &s->arrays[i].extents[d];
            arg->shape[d] = extent->least ? extent->least : CHECK_USUAL_SIZE;
            for (uint32_t k = 0; k < launch->ndim; k++)
                if (extent->threads >> k & 1)
                    grow(&arg->shape[d], launch->dim[k]);
        }
        return true;
    }
    return false;
}
