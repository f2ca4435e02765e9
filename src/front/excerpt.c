#include "front/excerpt.h"

#include "base/table.h"

#include <stdlib.h>

/* ---- which statement is needed for which names ---- */

typedef struct Places { /* of statements of the module, in order */
    uint32_t *items;
    uint32_t count, cap;
} Places;

typedef struct ExcerptIndex {
    HashTable by_name; /* Places */
    Places always;
} ExcerptIndex;

typedef struct Indexing {
    Unit *unit;
    ExcerptIndex *index;
    uint32_t place;
} Indexing;

static void need_for(const Indexing *in, Name name)
{
    if (!name)
        return;
    TableSlot *slot = table_add(&in->index->by_name, in->unit->arena, name);
    if (!slot->item)
        slot->item = ARENA_NEW(in->unit->arena, Places);
    Places *places = slot->item;
    if (!places->count || places->items[places->count - 1] != in->place)
        ARENA_PUSH(in->unit->arena, places->items, places->count, places->cap) = in->place;
}

static void need_for_target(const Indexing *in, const Node *target)
{
    if (target->kind == NODE_NAME)
        need_for(in, target->name.id);
    for (uint32_t i = 0; target->kind == NODE_TUPLE && i < target->sequence.elts.count; i++)
        need_for_target(in, target->sequence.elts.items[i]);
}

static void need_for_mentioned(const Node *node, void *user)
{
    if (node->kind == NODE_NAME)
        need_for(user, node->name.id);
    node_children(node, need_for_mentioned, user);
}

/* Statements without a name of their own that change something: custom gradients, overloads, options. */
static void need_for_changed(Indexing *in, const Node *node)
{
    const Node *call = node->kind == NODE_EXPR ? node->expr.value : NULL;
    if (node->kind == NODE_FUNCTION_DEF && node->function.decorators.count == 1)
        call = node->function.decorators.items[0];
    if (!call || call->kind != NODE_CALL)
        return;
    const Value *callee = static_eval(in->unit, call->call.func, in->unit->main->globals);
    if (value_is_intrinsic(callee, INTRINSIC_WP_SET_MODULE_OPTIONS)) {
        Places *always = &in->index->always;
        ARENA_PUSH(in->unit->arena, always->items, always->count, always->cap) = in->place;
    }
    bool about = value_is_intrinsic(callee, INTRINSIC_WP_FUNC_GRAD) ||
                 value_is_intrinsic(callee, INTRINSIC_WP_FUNC_REPLAY) ||
                 value_is_intrinsic(callee, INTRINSIC_WP_OVERLOAD);
    if (about && call->call.args.count)
        need_for_mentioned(call->call.args.items[0], in);
}

static void need_for_imported(const Indexing *in, const Node *node)
{
    const NodeList *names = node->kind == NODE_IMPORT ? &node->import.names : &node->import_from.names;
    bool plain_warp = node->kind == NODE_IMPORT && names->count == 1 && name_is(names->items[0]->alias.name, "warp") &&
                      name_is(names->items[0]->alias.asname, "wp");
    for (uint32_t i = 0; !plain_warp && i < names->count; i++) {
        const Node *alias = names->items[i];
        need_for(in, alias->alias.asname ? alias->alias.asname : alias->alias.name);
    }
}

static void index_statement(Indexing *in, const Node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
        need_for(in, node->function.name);
        need_for_changed(in, node);
        return;
    case NODE_CLASS_DEF: need_for(in, node->class_def.name); return;
    case NODE_ASSIGN: need_for_target(in, node->assign.targets.items[0]); return;
    case NODE_ANN_ASSIGN: need_for_target(in, node->ann_assign.target); return;
    case NODE_AUG_ASSIGN: need_for_target(in, node->aug_assign.target); return;
    case NODE_EXPR: need_for_changed(in, node); return;
    case NODE_IMPORT:
    case NODE_IMPORT_FROM: need_for_imported(in, node); return;
    default: return;
    }
}

/* Made once for a file: the excerpt of a kernel then takes what it holds, not what the file holds. */
static const ExcerptIndex *index_of(Unit *unit)
{
    File *file = unit->main;
    if (file->excerpts)
        return file->excerpts;
    const NodeList *body = &file->module->module.body;
    Indexing in = {.unit = unit, .index = ARENA_NEW(unit->arena, ExcerptIndex)};
    for (in.place = 0; in.place < body->count; in.place++) {
        allow_kernel_steps(unit);
        index_statement(&in, body->items[in.place]);
    }
    return file->excerpts = in.index;
}

/* ---- what a kernel needs ---- */

typedef struct Needed {
    Unit *unit;
    const ExcerptIndex *index;
    const NodeList *body;
    HashTable names, kept; /* statements */
    Places places;         /* of those that are kept, in the order in which they were found */
} Needed;

static void keep(Needed *needed, uint32_t place)
{
    const Node *node = needed->body->items[place];
    if (table_has(&needed->kept, node))
        return;
    table_add(&needed->kept, needed->unit->building, node);
    ARENA_PUSH(needed->unit->building, needed->places.items, needed->places.count, needed->places.cap) = place;
}

static void need(Needed *needed, Name name)
{
    if (!name || table_has(&needed->names, name))
        return;
    table_add(&needed->names, needed->unit->building, name);
    const TableSlot *slot = table_find(&needed->index->by_name, name);
    const Places *places = slot ? slot->item : NULL;
    for (uint32_t i = 0; places && i < places->count; i++)
        keep(needed, places->items[i]);
}

static void collect_names(const Node *node, void *user)
{
    if (node->kind == NODE_NAME)
        need(user, node->name.id);
    node_children(node, collect_names, user);
}

/* The statement that the definition is, or stands in; body->count: none. */
static uint32_t place_of(const NodeList *body, const Node *def)
{
    uint32_t low = 0, high = body->count;
    while (low < high) { /* the first that begins behind it */
        uint32_t middle = low + (high - low) / 2;
        if (body->items[middle]->start <= def->start)
            low = middle + 1;
        else
            high = middle;
    }
    return low && def->end <= body->items[low - 1]->end ? low - 1 : body->count;
}

static int compare_places(const void *one, const void *two)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
    return (a > b) - (a < b);
}

static uint32_t first_offset(const Node *node)
{
    if (node->kind == NODE_FUNCTION_DEF)
        return node->function.first_line;
    return node->kind == NODE_CLASS_DEF ? node->class_def.first_line : node->start;
}

static void put_statement(const Unit *unit, const Node *node, bool first, Text *out)
{
    bool definition = node->kind == NODE_FUNCTION_DEF || node->kind == NODE_CLASS_DEF;
    if (!first && definition)
        text_lit(out, "\n\n");
    text_add(out, unit->main->source->text + first_offset(node), node->end - first_offset(node));
    text_char(out, '\n');
}

void excerpt(Unit *unit, const Node *def, Text *out)
{
    Needed needed = {.unit = unit, .index = index_of(unit), .body = &unit->main->module->module.body};
    uint32_t place = place_of(needed.body, def);
    collect_names(def, &needed);
    for (uint32_t i = 0; i < needed.index->always.count; i++)
        keep(&needed, needed.index->always.items[i]);
    if (place < needed.body->count) {
        const Node *around = needed.body->items[place];
        keep(&needed, place);
        if (around != def && around->kind == NODE_FUNCTION_DEF) /* it makes the kernel: what calls it is needed, too */
            need(&needed, around->function.name);
    }
    for (uint32_t i = 0; i < needed.places.count; i++) /* more are found on the way */
        collect_names(needed.body->items[needed.places.items[i]], &needed);
    if (needed.places.count) /* a kernel that another file makes needs nothing of this one */
        qsort(needed.places.items, needed.places.count, sizeof *needed.places.items, compare_places);
    for (uint32_t i = 0; i < needed.places.count; i++)
        put_statement(unit, needed.body->items[needed.places.items[i]], i == 0, out);
}
