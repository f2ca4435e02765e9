/* One sample of a scene, from the first choice to the text. */
#include "synth/meaning/draft.h"

#include "synth/context.h"
#include "synth/meaning/style.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void give_up_draft(Draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->failure = arena_format_list(d->arena, format, args);
    va_end(args);
    longjmp(*d->given_up, 1);
}

/* ---- how many there are ---- */

Count *count_of(Draft *d, const Entity *entity, uint32_t number)
{
    for (uint32_t i = 0; i < d->count_count; i++)
        if (d->counts[i].entity == entity && d->counts[i].number == number)
            return &d->counts[i];
    if (d->count_count == MAX_COUNTS)
        give_up_draft(d, "more than %d kinds of things", MAX_COUNTS);
    d->counts[d->count_count] = (Count){.entity = entity, .number = number};
    return &d->counts[d->count_count++];
}

uint32_t count_symbol(Draft *d, const Entity *entity, uint32_t number)
{
    static const char *const grids[] = {"nx|height|rows|num_rows|dim_x|width|size_x",
                                        "ny|width|cols|num_cols|dim_y|height|size_y",
                                        "nz|depth|layers|num_layers|dim_z|depth|size_z"};
    uint32_t axes = 0;
    for (uint32_t i = 0; i < d->scene->dims; i++)
        axes += d->scene->entities[i] == entity;
    uint32_t symbol =
        symbol_new(d, SYMBOL_COUNT, SCOPE_KERNEL, axes > 1 && number < 3 ? grids[number] : entity->counts);
    d->symbols[symbol].column = axes > 1 ? (d->salt >> 6) + 1 : 0;
    return symbol;
}

static bool is_launched(const Draft *d, const Entity *entity)
{
    for (uint32_t i = 0; i < d->scene->dims; i++)
        if (d->scene->entities[i] == entity)
            return true;
    return false;
}

/* What loops run over is small, so that a launch takes no time. */
static uint32_t size_of(Draft *d, const Count *count)
{
    static const uint16_t wide[] = {64, 96, 100, 128, 128, 192, 256, 256, 300, 512, 1024};
    bool launched = is_launched(d, count->entity), looped = count->symbol != 0;
    if (d->scene->dims == 1 && launched && !looped)
        return wide[rng_below(&d->rng, sizeof wide / sizeof *wide)];
    if (d->scene->dims == 3 && launched)
        return (uint32_t)rng_between(&d->rng, 6, 14);
    if (d->scene->dims == 2 && launched)
        return (uint32_t)rng_between(&d->rng, 10, 40);
    return (uint32_t)rng_between(&d->rng, looped ? 12 : 24, looped ? 40 : 96);
}

static void choose_sizes(Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Part *part = &d->items[i].part;
        for (uint32_t k = 0; k < part->axis_count; k++)
            if (part->axes[k].entity)
                count_of(d, part->axes[k].entity, part->axes[k].number);
        if (part->target)
            count_of(d, part->target, 0);
    }
    for (uint32_t i = 0; i < d->count_count; i++)
        d->counts[i].value = size_of(d, &d->counts[i]);
    for (uint32_t i = 0; i < d->item_count; i++) { /* rows have a few entries each */
        const Part *part = &d->items[i].part;
        if (part->kind != PART_OFFSETS)
            continue;
        Count *rows = count_of(d, part->axes[0].entity, part->axes[0].number);
        rows->value = rows->value > 64 ? (uint32_t)rng_between(&d->rng, 24, 64) : rows->value;
        count_of(d, part->target, 0)->value = rows->value * (uint32_t)rng_between(&d->rng, 2, 4);
    }
}

/* ---- from the scene's parameters to items ---- */

static bool shares_quantity(const Draft *d, const Part *part)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < d->scene->part_count; i++)
        same += d->scene->parts[i].quantity == part->quantity && d->scene->parts[i].kind == part->kind;
    return same > 1;
}

static const char *part_names(Draft *d, uint32_t i)
{
    const Part *part = &d->scene->parts[i];
    const char *own = d->scene->body.locals[i]->text, *given = d->scene->body.names[i];
    if (given)
        return given;
    switch (part->kind) {
    case PART_INDEX:
        return arena_format(d->arena, "%s|%s|%s_indices|%s_index|%s_ids", own, own, part->target->id, part->target->id,
                            part->target->id);
    case PART_OFFSETS:
        return arena_format(d->arena, "%s|%s_offsets|%s_start|%s_begin", own, part->target->id, part->target->id,
                            part->target->id);
    case PART_KIND: return arena_format(d->arena, "%s|%s|@_%s", own, own, own);
    case PART_SETTING:
        return shares_quantity(d, part) ? own : arena_format(d->arena, "%s|%s", own, part->quantity->settings);
    default: break;
    }
    return shares_quantity(d, part) ? own : arena_format(d->arena, "%s|%s", own, part->quantity->arrays);
}

static void make_items(Draft *d)
{
    const Scene *scene = d->scene;
    for (uint32_t i = 0; i < scene->part_count; i++) {
        uint32_t symbol = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, part_names(d, i));
        d->symbols[symbol].column = column_of(d, &scene->body, i, 0);
        d->symbols[symbol].entity = scene->parts[i].axis_count ? scene->parts[i].axes[0].entity : NULL;
        d->items[d->item_count++] = (Item){.part = scene->parts[i],
                                           .role = scene->body.locals[i]->text,
                                           .symbol = symbol,
                                           .present = perhaps(d, scene->parts[i].probability)};
    }
}

static void make_locals(Draft *d)
{
    const Body *body = &d->scene->body;
    uint32_t members = 0;
    for (uint32_t i = 0; i < d->scene->part_count; i++)
        members += d->scene->parts[i].member_count;
    for (uint32_t i = body->param_count; i < body->local_count; i++) {
        bool is_member = i < body->param_count + members;
        symbol_new(d, is_member ? SYMBOL_MEMBER : SYMBOL_LOCAL, is_member ? SCOPE_MODULE : SCOPE_KERNEL,
                   body->names[i] ? body->names[i] : body->locals[i]->text);
        d->symbols[d->symbol_count - 1].column = column_of(d, body, i, 0);
    }
}

static bool is_tid(const Node *node)
{
    return node->kind == NODE_ASSIGN && node->assign.value->kind == NODE_CALL &&
           node->assign.value->call.func->kind == NODE_ATTRIBUTE &&
           name_is(node->assign.value->call.func->attribute.attr, "tid");
}

/* Indices of threads are called after what they count, or as on a grid. */
static void name_threads(Draft *d)
{
    static const char *const grids[][3] = {{"i", "j", "k"}, {"row", "col", "layer"}, {"x", "y", "z"}, {"i", "j", "k"}};
    const char *const *grid = grids[rng_below(&d->rng, 4)];
    const Scene *scene = d->scene;
    bool same = scene->dims > 1 && scene->entities[0] == scene->entities[1];
    for (uint32_t i = 0; i < d->body.count; i++) {
        const Node *node = d->body.items[i];
        if (!is_tid(node))
            continue;
        Node *target = node->assign.targets.items[0];
        for (uint32_t k = 0; k < scene->dims; k++) {
            Node *name = target->kind == NODE_TUPLE ? target->sequence.elts.items[k] : target;
            d->tid[k] = name->fact - 1;
            if (!scene->body.names[d->tid[k] - d->base])
                d->symbols[d->tid[k]].names = same ? grid[k] : scene->entities[k]->indices;
        }
        return;
    }
}

static void drop_unused(Draft *d)
{
    Node module = {.kind = NODE_IF, .if_stmt = {.test = draft_int(d, 0), .body = d->body}};
    for (uint32_t i = 0; i < d->item_count; i++)
        d->items[i].present = d->items[i].present && draft_uses(&module, d->items[i].symbol) > 0;
}

void choose_scene(Draft *d)
{
    const Scene *scene = d->scene;
    d->kernel = symbol_new(d, SYMBOL_FUNCTION, SCOPE_MODULE, scene->titles);
    d->base = d->symbol_count;
    make_items(d);
    make_locals(d);
    for (uint32_t i = 0; i < scene->dims; i++) {
        uint32_t number = 0;
        for (uint32_t k = 0; k < i; k++)
            number += scene->entities[k] == scene->entities[i];
        count_of(d, scene->entities[i], number);
    }
    Resolver resolver = {d, &scene->body, d->base, d->decisions, d->decided};
    resolve_statements(&resolver, &scene->body.function->function.body, &d->body);
    name_threads(d);
    drop_unused(d);
}

/* More threads than there is work for: if i >= n: return */
static void add_guard(Draft *d)
{
    const Scene *scene = d->scene;
    if (scene->dims > 2 || !perhaps(d, scene->dims == 1 ? 0.2 : 0.1))
        return;
    Node *tests[2];
    for (uint32_t i = 0; i < scene->dims; i++) {
        uint32_t number = i && scene->entities[0] == scene->entities[i];
        Count *count = count_of(d, scene->entities[i], number);
        if (!count->symbol)
            count->symbol = count_symbol(d, scene->entities[i], number);
        tests[i] = draft_compare(d, OP_GT_E, draft_name(d, d->tid[i]), draft_name(d, count->symbol));
    }
    Node *guard = draft_new(d, NODE_IF);
    guard->if_stmt.test = tests[0];
    if (scene->dims == 2) {
        guard->if_stmt.test = draft_new(d, NODE_BOOL_OP);
        guard->if_stmt.test->bool_op.op = OP_OR;
        draft_push(d, &guard->if_stmt.test->bool_op.values, tests[0]);
        draft_push(d, &guard->if_stmt.test->bool_op.values, tests[1]);
    }
    draft_push(d, &guard->if_stmt.body, draft_new(d, NODE_RETURN));
    NodeList one = {0};
    draft_push(d, &one, guard);
    uint32_t at = 0;
    while (at < d->body.count && !is_tid(d->body.items[at]))
        at++;
    draft_insert(d, &d->body, at + 1, &one);
    d->padded = true;
}

static void choose_launch(Draft *d)
{
    for (uint32_t i = 0; i < d->scene->dims; i++) {
        uint32_t number = 0;
        for (uint32_t k = 0; k < i; k++)
            number += d->scene->entities[k] == d->scene->entities[i];
        d->dim[i] = count_of(d, d->scene->entities[i], number)->value;
        if (d->padded) {
            uint32_t block = d->scene->dims == 1 ? 32 : 8;
            d->dim[i] = (d->dim[i] / block + 1) * block;
        }
    }
}

/* ---- the passes, in order ---- */

static void make(Draft *d, SynthSample *sample)
{
    d->habits = random_habits(d);
    d->salt = rng_below(&d->rng, 1u << 30);
    choose_scene(d);
    extend_plan(d);
    add_guard(d);
    write_laws(d);
    name_repeats(d);
    infer_vectors(d);
    choose_sizes(d);
    choose_launch(d);
    lay_out_data(d);
    apply_style(d);
    name_symbols(d);
    finish_draft(d, sample);
}

bool meaning_sample(SynthContext *context, Scene *scene, Rng rng, SynthSample *sample)
{
    jmp_buf given_up;
    if (!scene_load(context->meaning, scene)) {
        snprintf(context->refusal, sizeof context->refusal, "%s", context->meaning->message);
        return false;
    }
    arena_reset(&context->work);
    Draft *d = ARENA_NEW(&context->work, Draft);
    d->context = context;
    d->meaning = context->meaning;
    d->scene = scene;
    d->arena = &context->work;
    d->category = sample->category;
    d->rng = rng;
    d->given_up = &given_up;
    d->scope_count = SCOPE_FIRST_FUNCTION;
    names_init(&d->names, d->arena);
    if (setjmp(given_up)) {
        snprintf(context->refusal, sizeof context->refusal, "scene %s: %s", scene->name->text,
                 d->failure ? d->failure : "unknown");
        return false;
    }
    make(d, sample);
    return true;
}
