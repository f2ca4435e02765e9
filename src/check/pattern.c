#include "check/pattern.h"

#include <string.h>

PatternText pattern_text(Pattern pattern)
{
    static const PatternText texts[] = {
#define PATTERN(id, name, why, rewrite) {name, why, rewrite},
#include "check/patterns.def"
#undef PATTERN
    };
    return texts[pattern];
}

enum { MAX_DEPTH = 64 };

/* What is known about a variable. Loops are numbered from 1 on; 0: none. */
typedef struct Fact {
    uint32_t made_in;    /* the loop in which it is computed */
    uint32_t carried_by; /* the loop whose iterations change it, or change what it is computed from */
    bool is_old;         /* computed from an element that is written to later */
    bool is_local;       /* the same, of an array that the kernel made itself */
    const IrVar *array;  /* what it is an element, or a view, of */
    bool is_returned;    /* by an atomic function */
    bool is_of_returned; /* computed from such a value, or one itself */
    bool is_needed;      /* of a tile: an adjoint needs its values */
    uint32_t changed;    /* a part of it is set after so many statements, the last time; 0: never */
} Fact;

/* Writing to an array. */
typedef struct Store {
    const IrVar *array;
    uint32_t order, loop; /* the outermost loop around it */
} Store;

typedef struct Search {
    Arena *arena;
    const IrFunction *function;
    HashTable facts; /* Fact by variable */
    Store *stores;
    uint32_t store_count, store_cap;
    uint32_t loops[MAX_DEPTH]; /* that the walk is in */
    const IrNode *loop_nodes[MAX_DEPTH];
    uint32_t depth, loop_count, order;
    const IrNode **all_loops; /* by their number, less one */
    uint32_t all_loop_count, all_loop_cap;
    bool looks;         /* the walk in which patterns are looked for; before, facts are collected */
    const IrNode *node; /* at hand, */
    uint32_t arg;       /* and which of its arguments */
    HashTable results;  /* of functions, by Func: what holds of any result, a Fact */
    Sightings found;
} Search;

static Fact *fact_of(Search *s, const IrVar *var)
{
    while (var->part)
        var = var->part->root;
    TableSlot *slot = table_add(&s->facts, s->arena, var);
    if (!slot->item)
        slot->item = ARENA_NEW(s->arena, Fact);
    return slot->item;
}

static Sighting *note(Search *s, Pattern pattern)
{
    static Sighting nobody;
    if (!s->looks)
        return &nobody;
    Sighting *seen = &ARENA_PUSH(s->arena, s->found.items, s->found.count, s->found.cap);
    *seen = (Sighting){.pattern = pattern,
                       .function = s->function,
                       .offset = s->node->source,
                       .node = s->node,
                       .arg = s->arg,
                       .loop = s->depth ? s->loop_nodes[0] : NULL};
    return seen;
}

static bool is_in_loop(const Search *s, uint32_t loop)
{
    for (uint32_t i = 0; i < s->depth; i++)
        if (s->loops[i] == loop)
            return true;
    return false;
}

static bool in_while(const Search *s)
{
    return s->depth && s->loop_nodes[s->depth - 1]->kind == IR_WHILE;
}

static const Type *scalar_of(const IrVar *var)
{
    const Type *type = type_canonical(var->type);
    while (type->kind == TYPE_REF || type->kind == TYPE_ARRAY || type->kind == TYPE_TILE)
        type = type_canonical(type->kind == TYPE_REF    ? type->target
                              : type->kind == TYPE_TILE ? type->tile->dtype
                                                        : type->array.dtype);
    return type_scalar_of(type);
}

static bool is_real(const IrVar *var)
{
    const Type *scalar = scalar_of(var);
    return scalar && type_is_float(scalar);
}

/* ---- stale values ---- */

/* An adjoint needs the value, or it decides something. */
static void note_need(Search *s, const IrVar *var, bool decides)
{
    const Fact fact = *fact_of(s, var);
    if (fact.carried_by)
        note(s, decides                          ? PATTERN_LOOP_DECIDES
                : is_in_loop(s, fact.carried_by) ? PATTERN_LOOP_CARRIED
                                                 : PATTERN_LOOP_RESULT)
            ->decides = decides;
    if (fact.is_of_returned)
        note(s, PATTERN_OLD_VALUE)->decides = decides;
    if (fact.is_local)
        note(s, PATTERN_LOCAL_ARRAY)->decides = decides;
    else if (fact.is_old)
        note(s, PATTERN_ELEMENT_REWRITTEN)->decides = decides;
    if (!fact.carried_by && (fact.changed > s->order || (fact.changed && s->depth)))
        note(s, PATTERN_COMPONENT_REWRITTEN)->decides = decides;
}

/* A variable that is read at all. */
static void note_read(Search *s, const IrVar *var)
{
    const Fact fact = *fact_of(s, var);
    if (fact.made_in && !is_in_loop(s, fact.made_in) && is_real(var) && !var->constant)
        note(s, PATTERN_LOOP_LAST_VALUE)->loop = s->all_loops[fact.made_in - 1];
    if (fact.is_returned && is_real(var))
        note(s, PATTERN_OLD_VALUE);
}

static void inherit(Search *s, const IrVar *to, const IrVar *from)
{
    const Fact source = *fact_of(s, from);
    Fact *fact = fact_of(s, to);
    if (to == from)
        return;
    if (!fact->carried_by)
        fact->carried_by = source.carried_by;
    fact->is_of_returned |= source.is_of_returned;
    fact->is_old |= source.is_old;
    fact->is_local |= source.is_local;
}

static void note_store(Search *s, const IrVar *array)
{
    const Fact *fact = fact_of(s, array);
    if (s->looks)
        return;
    Store *store = &ARENA_PUSH(s->arena, s->stores, s->store_count, s->store_cap);
    *store = (Store){fact->array ? fact->array : array, s->order, s->depth ? s->loops[0] : 0};
}

/* Is the array written to after this read? The walk that looks knows all the stores. */
static bool is_written_later(const Search *s, const IrVar *array)
{
    for (uint32_t i = 0; i < s->store_count; i++)
        if (s->stores[i].array == array &&
            (s->stores[i].order > s->order || (s->depth && s->stores[i].loop == s->loops[0])))
            return true;
    return false;
}

/* A part of a variable is set: what an iteration leaves in it, the next one finds. */
static void note_change(Search *s, const IrVar *var)
{
    Fact *fact = fact_of(s, var);
    fact->changed = s->order;
    if (s->depth && fact->made_in != s->loops[s->depth - 1])
        fact->carried_by = s->loops[s->depth - 1];
}

static void inherit_results(Search *s, const IrCall *call)
{
    const TableSlot *slot = call->func && s->results.count ? table_find(&s->results, call->func) : NULL;
    const Fact *source = slot ? slot->item : NULL;
    for (uint32_t i = 0; source && i < call->output_count; i++) {
        Fact *fact = fact_of(s, call->outputs[i]);
        fact->is_of_returned |= source->is_of_returned;
        fact->is_old |= source->is_old;
    }
}

static void note_results(Search *s, const IrNode *node)
{
    const Func *func = s->function->func;
    if (!func)
        return;
    TableSlot *slot = table_add(&s->results, s->arena, func);
    Fact *results = slot->item ? slot->item : (slot->item = ARENA_NEW(s->arena, Fact));
    for (uint32_t i = 0; i < node->ret.count; i++) {
        const Fact *fact = fact_of(s, node->ret.values[i]);
        results->is_of_returned |= fact->is_of_returned;
        results->is_old |= fact->is_old;
    }
}

/* ---- calls ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

#define IS_ONE_OF(name, ...)                                                                                           \
    is_one_of(name, (const char *const[]){__VA_ARGS__}, sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

/* Do adjoints need none of the real values? */
static bool is_linear(const char *name)
{
    return IS_ONE_OF(name, "add", "sub", "neg", "pos", "copy", "assign", "load", "address", "view", "float", "float16",
                     "float32", "float64", "vector", "matrix", "quaternion", "transformation", "extract", "where",
                     "sum", "array_store", "atomic_add", "atomic_sub", "assign_inplace", "add_inplace", "sub_inplace",
                     "tuple", "assign_copy", "add_copy", "transpose", "indexref", "tile_load", "tile_store",
                     "tile_atomic_add", "tile_sum", "tile_view", "tile_broadcast", "tile_reshape", "tile_squeeze",
                     "tile_transpose", "tile_extract", "tile_astype", "tile_assign", "tile_load_indexed",
                     "tile_store_indexed", "tile_atomic_add_indexed", "untile", "tile");
}

static bool is_atomic(const char *name)
{
    return strncmp(name, "atomic_", 7) == 0;
}

/* The factor of a constant: then the product is as good as a sum. */
static bool is_scaling(const char *name, const IrCall *call, uint32_t arg)
{
    bool is_product = strcmp(name, "mul") == 0, is_quotient = strcmp(name, "div") == 0 && arg == 0;
    return (is_product || is_quotient) && call->arg_count == 2 && call->args[1 - arg].kind == OPERAND_VAR &&
           call->args[1 - arg].var->constant;
}

static bool reads_value(const IrCall *call, uint32_t arg, const char *name)
{
    bool is_target = arg == 0 && IS_ONE_OF(name, "assign", "array_store");
    return call->args[arg].kind == OPERAND_VAR && !(is_target || (arg == 0 && is_atomic(name)));
}

static void look_at_argument(Search *s, const IrNode *node, const char *name, uint32_t arg)
{
    const IrCall *call = node->call;
    const IrVar *var = call->args[arg].var;
    bool real = is_real(var);
    bool chooses = !real && IS_ONE_OF(name, "address", "view", "array_store", "extract", "range", "where");
    note_read(s, var);
    if (chooses || (!real && is_atomic(name)))
        note_need(s, var, true);
    else if (real && call->reverse && !is_linear(name) && !is_scaling(name, call, arg)) {
        note_need(s, var, false);
        fact_of(s, var)->is_needed = true;
    }
    for (uint32_t i = 0; i < call->output_count; i++)
        if (strcmp(name, "iter_next") != 0)
            inherit(s, call->outputs[i], var);
}

/* Tile functions whose reverse function is wrong, or not there. */
static void look_at_tiles(Search *s, const IrNode *node, const char *name)
{
    const IrCall *call = node->call;
    const IrVar *first = call->arg_count && call->args[0].kind == OPERAND_VAR ? call->args[0].var : NULL;
    bool real = call->output_count ? is_real(call->outputs[0]) : true;
    switch (call->builtin->rule) {
    case RESULT_TILE_EXTREMUM:
    case RESULT_TILE_REDUCE:
    case RESULT_TILE_REDUCE_AXIS:
        if (real)
            note(s, PATTERN_TILE_REDUCTION);
        return;
    case RESULT_TILE_SCAN:
    case RESULT_TILE_SORT:
    case RESULT_TILE_STACK_POP:
        if (real)
            note(s, PATTERN_TILE_SCAN);
        return;
    case RESULT_TILE_SOLVE:
        if (strcmp(name, "tile_lower_solve") != 0)
            note(s, PATTERN_TILE_SOLVE);
        return;
    case RESULT_TILE_CHOLESKY_SOLVE:
    case RESULT_TILE_CHOLESKY_SOLVE_INPLACE:
    case RESULT_TILE_CHOLESKY_INPLACE:
    case RESULT_TILE_SOLVE_INPLACE:
    case RESULT_TILE_DIAG_ADD: note(s, PATTERN_TILE_SOLVE); return;
    case RESULT_TILE_SUM_AXIS:
        if (!(call->builtin->flags & BUILTIN_ADJOINT_TEMPLATE))
            note(s, PATTERN_TILE_SUM_AXIS);
        return;
    case RESULT_TILE_TRANSPOSE:
        if (first && fact_of(s, first)->is_needed)
            note(s, PATTERN_TILE_TRANSPOSED);
        return;
    case RESULT_TILE_LOAD:
    case RESULT_TILE_LOAD_INDEXED:
        if (first && s->looks) {
            const IrVar *array = fact_of(s, first)->array ? fact_of(s, first)->array : first;
            fact_of(s, call->outputs[0])->is_old |= is_written_later(s, array);
        }
        return;
    case RESULT_TILE_STORE:
    case RESULT_TILE_STORE_INDEXED:
    case RESULT_TILE_ATOMIC_ADD:
    case RESULT_TILE_ATOMIC_ADD_INDEXED:
        if (first)
            note_store(s, first);
        if (call->output_count)
            fact_of(s, call->outputs[0])->is_returned = fact_of(s, call->outputs[0])->is_of_returned = true;
        return;
    default: return;
    }
}

static void look_at_builtin(Search *s, const IrNode *node, const char *name)
{
    const IrCall *call = node->call;
    const IrVar *first = call->arg_count && call->args[0].kind == OPERAND_VAR ? call->args[0].var : NULL;
    const IrVar *last = call->arg_count && call->args[call->arg_count - 1].kind == OPERAND_VAR
                            ? call->args[call->arg_count - 1].var
                            : NULL;
    if (first && IS_ONE_OF(name, "address", "view") && call->output_count) {
        const Fact array = *fact_of(s, first);
        fact_of(s, call->outputs[0])->array = array.array ? array.array : first;
    }
    if (first && strcmp(name, "load") == 0 && call->output_count) {
        const IrVar *array = fact_of(s, first)->array;
        Fact *fact = fact_of(s, call->outputs[0]);
        fact->is_old |= s->looks && array && is_written_later(s, array);
        fact->is_local |= array && fact_of(s, array)->is_local;
    }
    if (first && (strcmp(name, "array_store") == 0 || is_atomic(name)))
        note_store(s, first);
    if (IS_ONE_OF(name, "zeros", "empty") && call->output_count)
        fact_of(s, call->outputs[0])->is_local = true;
    if (last && is_real(last) && IS_ONE_OF(name, "atomic_min", "atomic_max"))
        note(s, PATTERN_ATOMIC_EXTREMUM);
    else if (is_atomic(name) && call->output_count) {
        fact_of(s, call->outputs[0])->is_returned = fact_of(s, call->outputs[0])->is_of_returned = true;
        note(s, PATTERN_OLD_VALUE)->is_source = true;
    }
    if (strcmp(name, "frac") == 0)
        note(s, PATTERN_FRACTION);
    if (last && strcmp(name, "mod") == 0 && is_real(last) && !last->constant)
        note(s, PATTERN_MODULUS);
    if (strcmp(name, "assign_inplace") == 0)
        note(s, PATTERN_COMPONENT_REWRITTEN);
    if (first && IS_ONE_OF(name, "assign_inplace", "add_inplace", "sub_inplace"))
        note_change(s, first);
    if (first && strcmp(name, "assign") == 0 && s->depth)
        fact_of(s, first)->carried_by = s->loops[s->depth - 1];
    if (in_while(s) && call->reverse && first && is_real(first) && strcmp(name, "assign") == 0)
        note(s, PATTERN_WHILE_LOOP);
}

static void look_at_call(Search *s, const IrNode *node)
{
    const IrCall *call = node->call;
    const char *name = call->builtin ? call->builtin->name : "";
    for (uint32_t i = 0; i < call->arg_count; i++)
        if (reads_value(call, i, name)) {
            s->arg = i;
            look_at_argument(s, node, name, i);
        }
    s->arg = NO_ARG;
    for (uint32_t i = 0; i < call->output_count; i++)
        fact_of(s, call->outputs[i])->made_in = s->depth ? s->loops[s->depth - 1] : 0;
    inherit_results(s, call);
    if (call->func && call->func->custom_grad && call->reverse)
        note(s, PATTERN_CUSTOM_GRADIENT);
    look_at_builtin(s, node, name);
    if (call->builtin)
        look_at_tiles(s, node, name);
}

/* ---- the walk ---- */

static void walk(Search *s, const IrRegion *region);

static void walk_loop(Search *s, const IrNode *node)
{
    bool is_while = node->kind == IR_WHILE;
    if (s->depth == MAX_DEPTH)
        return;
    if (s->loop_count == s->all_loop_count)
        ARENA_PUSH(s->arena, s->all_loops, s->all_loop_count, s->all_loop_cap) = node;
    s->loops[s->depth] = ++s->loop_count;
    s->loop_nodes[s->depth++] = node;
    walk(s, is_while ? &node->while_node->test : &node->for_node->head);
    walk(s, is_while ? &node->while_node->body : &node->for_node->body);
    s->depth--;
}

static void look_at_store(Search *s, const IrNode *node)
{
    switch (node->kind) {
    case IR_UPDATE_SLOT:
    case IR_SET_SLOT:
        note_read(s, node->slot.value);
        note_store(s, node->slot.path->root);
        return;
    case IR_SET_MEMBER:
        note_read(s, node->set_member.value);
        note_change(s, node->set_member.aggregate);
        return;
    case IR_MEMBER:
        inherit(s, node->member.target, node->member.aggregate);
        fact_of(s, node->member.target)->array = fact_of(s, node->member.aggregate)->array;
        return;
    case IR_SLOT_ADDRESS: fact_of(s, node->slot_address.target)->array = node->slot_address.path->root; return;
    default: return;
    }
}

static void look_at(Search *s, const IrNode *node)
{
    s->node = node;
    s->arg = NO_ARG;
    switch (node->kind) {
    case IR_CALL: look_at_call(s, node); return;
    case IR_COMPARE:
        inherit(s, node->compare.output, node->compare.left);
        for (uint32_t i = 0; i < node->compare.count; i++)
            inherit(s, node->compare.output, node->compare.right[i]);
        return;
    case IR_SET:
    case IR_LOGIC: inherit(s, node->set.target, node->set.value); return;
    case IR_IF:
        note_need(s, node->if_node->condition, true);
        walk(s, &node->if_node->body);
        return;
    case IR_FOR:
    case IR_WHILE: walk_loop(s, node); return;
    case IR_BREAK: note(s, PATTERN_LOOP_EXIT); return;
    case IR_RETURN:
        note_results(s, node);
        if (s->depth)
            note(s, PATTERN_LOOP_EXIT)->is_return = true;
        return;
    default: look_at_store(s, node); return;
    }
}

static void walk(Search *s, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        s->order++;
        look_at(s, region->items[i]);
    }
}

/* What loops carry is known after a first walk, and what follows from that after a second. */
static void search_function(Search *s, const IrFunction *function)
{
    enum { WALKS = 3 };
    s->function = function;
    s->facts = (HashTable){0};
    s->store_count = s->all_loop_count = 0;
    for (int i = 0; i < WALKS; i++) {
        s->looks = i == WALKS - 1;
        s->order = s->loop_count = 0;
        if (!s->looks)
            s->store_count = 0;
        walk(s, &function->body);
    }
}

Sightings find_patterns(const IrModule *module)
{
    Search search = {.arena = module->unit->building};
    for (uint32_t i = 0; i < module->function_count; i++)
        search_function(&search, module->functions[i]);
    search_function(&search, module->kernel);
    return search.found;
}
