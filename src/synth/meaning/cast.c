/* A scene's parameters become items, its names symbols, its statements the kernel's. */
#include "synth/meaning/style.h"

/* Of some(a, b, c): the same place in all lists of a kernel. */
static uint32_t place_in(const Draft *d, uint32_t count)
{
    return (d->joined ? d->salt * 2654435761u >> (4 + 3 * d->casting_count) : d->salt >> 5) % count;
}

const Entity *cast_entity(const Draft *d, const Entity *entity)
{
    const Scene *scene = d->joined ? d->joined : d->scene;
    if (!scene->some_count || entity != scene->entities[0])
        return entity;
    return d->joined && d->dims ? d->entities[0] : scene->some[(d->salt >> 12) % scene->some_count];
}

/* The quantity that some(...) comes to, and its names: those of a result follow the data that it comes from. */
static void choose_quantity(Draft *d, const Scene *scene, uint32_t i, Item *item)
{
    Part *part = &item->part;
    Symbol *symbol = &d->symbols[item->symbol];
    for (uint32_t k = 0; k < part->axis_count; k++)
        part->axes[k].entity = cast_entity(d, part->axes[k].entity);
    part->target = cast_entity(d, part->target);
    symbol->entity = cast_entity(d, symbol->entity);
    if (!part->some_count)
        return;
    part->quantity = part->some[place_in(d, part->some_count)];
    part->low = part->quantity->low;
    part->high = part->quantity->high;
    uint32_t first = i;
    for (uint32_t k = i; k-- > 0;)
        first = scene->parts[k].some_count && scene->parts[k].role == PART_IN ? k : first;
    if (part->role == PART_OUT && first != i) {
        symbol->names = "#_out|out_#|#_new|dst|dest|result|#_copy";
        symbol->of[0] = item->symbol - i + first;
    } else if (!scene->body.names[i])
        symbol->names = part->quantity->arrays;
}

static void make_items(Draft *d, const Scene *scene, const char *prefix)
{
    for (uint32_t i = 0; i < scene->part_count; i++) {
        if (d->item_count == MAX_ITEMS)
            give_up_draft(d, "more than %d inputs and outputs", MAX_ITEMS);
        uint32_t symbol = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, scene->part_names[i]);
        d->symbols[symbol].column = column_of(d, &scene->body, i, d->base);
        d->symbols[symbol].entity = scene->parts[i].axis_count ? scene->parts[i].axes[0].entity : NULL;
        const char *own = scene->body.locals[i]->text;
        d->items[d->item_count++] = (Item){.part = scene->parts[i],
                                           .role = *prefix ? arena_join(d->arena, prefix, own) : own,
                                           .symbol = symbol,
                                           .present = perhaps(d, scene->parts[i].probability)};
        choose_quantity(d, scene, i, &d->items[d->item_count - 1]);
    }
}

static void make_locals(Draft *d, const Scene *scene)
{
    const Body *body = &scene->body;
    uint32_t members = 0, items = d->item_count - scene->part_count;
    for (uint32_t i = 0; i < scene->part_count; i++) {
        d->items[items + i].first_member = d->symbol_count + members;
        members += scene->parts[i].member_count;
    }
    for (uint32_t i = body->param_count; i < body->local_count; i++) {
        bool is_member = i < body->param_count + members;
        symbol_new(d, is_member ? SYMBOL_MEMBER : SYMBOL_LOCAL, is_member ? SCOPE_MODULE : SCOPE_KERNEL,
                   body->names[i] ? body->names[i] : body->locals[i]->text);
        d->symbols[d->symbol_count - 1].column = column_of(d, body, i, d->base);
    }
}

bool is_thread_statement(const Node *node)
{
    return node->kind == NODE_ASSIGN && node->assign.value->kind == NODE_CALL &&
           node->assign.value->call.func->kind == NODE_ATTRIBUTE &&
           name_is(node->assign.value->call.func->attribute.attr, "tid");
}

/* Indices of threads are called after what they count, or as on a grid. */
static void name_threads(Draft *d)
{
    static const char *const grids[][MAX_DIMS] = {
        {"i", "j", "k", "l"}, {"row", "col", "layer", "channel"}, {"x", "y", "z", "w"}, {"i", "j", "k", "l"}};
    const char *const *grid = grids[rng_below(&d->rng, 4)];
    const Scene *scene = d->scene;
    bool same = scene->dims > 1 && scene->entities[0] == scene->entities[1];
    for (uint32_t i = 0; i < d->body.count; i++) {
        const Node *node = d->body.items[i];
        if (!is_thread_statement(node))
            continue;
        Node *target = node->assign.targets.items[0];
        for (uint32_t k = 0; k < scene->dims; k++) {
            Node *name = target->kind == NODE_TUPLE ? target->sequence.elts.items[k] : target;
            d->tid[k] = name->fact - 1;
            d->symbols[d->tid[k]].entity = scene->entities[k];
            if (!scene->body.names[d->tid[k] - d->base])
                d->symbols[d->tid[k]].names = same ? grid[k] : d->entities[k]->indices;
        }
        return;
    }
}

void drop_unused(Draft *d)
{
    Usage usage = usage_of(d, &d->body);
    for (uint32_t i = 0; i < d->item_count; i++)
        d->items[i].present = d->items[i].present && usage.loads[d->items[i].symbol] > 0;
}

void cast_scene(Draft *d, const Scene *scene, const char *prefix, Casting *casting)
{
    *casting = (Casting){.scene = scene, .first_item = d->item_count, .base = d->symbol_count};
    d->base = d->symbol_count;
    make_items(d, scene, prefix);
    make_locals(d, scene);
}

void choose_scene(Draft *d)
{
    const Scene *scene = d->scene;
    d->kernel = symbol_new(d, SYMBOL_FUNCTION, SCOPE_MODULE, scene->titles);
    cast_scene(d, scene, "", &d->castings[d->casting_count++]);
    d->dims = scene->dims;
    for (uint32_t i = 0; i < scene->entity_count; i++)
        d->entities[i] = cast_entity(d, scene->entities[i]);
    for (uint32_t i = 0; i < scene->dims; i++) {
        uint32_t number = 0;
        for (uint32_t k = 0; k < i; k++)
            number += d->entities[k] == d->entities[i];
        count_of(d, d->entities[i], number);
    }
    Casting *casting = &d->castings[0];
    Resolver resolver = {d, &scene->body, casting->base, casting->decisions, casting->decided};
    resolve_statements(&resolver, &scene->body.function->function.body, &d->body);
    name_threads(d);
    drop_unused(d);
    d->symbols[d->kernel].names = true_words(d, casting, scene->titles);
}
