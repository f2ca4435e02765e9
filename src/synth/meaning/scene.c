/* The header of a scene: categories, entities, what its parameters are. */
#include "synth/meaning/load.h"

#include <string.h>

typedef struct Header {
    Loader loader;
    Scene *scene;
    const NodeList *params;
} Header;

static Name word(const Header *h, SceneWord which)
{
    return h->loader.meaning->words[which];
}

/* ---- the launch ---- */

static bool is_tid(const Node *node)
{
    return node->kind == NODE_ASSIGN && node->assign.value->kind == NODE_CALL &&
           node->assign.value->call.func->kind == NODE_ATTRIBUTE &&
           name_is(node->assign.value->call.func->attribute.attr, "tid");
}

static void read_dims(Header *h, const Node *function)
{
    for (uint32_t i = 0; i < function->function.body.count; i++) {
        const Node *node = function->function.body.items[i];
        if (!is_tid(node))
            continue;
        const Node *target = node->assign.targets.items[0];
        h->scene->dims = target->kind == NODE_TUPLE ? target->sequence.elts.count : 1;
    }
    if (h->scene->dims > MAX_DIMS)
        load_error(&h->loader, function, "wp.tid() gives up to four indices");
}

static void read_entities(Header *h, const Node *node)
{
    Scene *scene = h->scene;
    if (scene_word_is(h->loader.meaning, node, WORD_some)) {
        for (uint32_t i = 0; i < node->call.args.count && i < MAX_SOME; i++)
            scene->some[scene->some_count++] = load_entity(&h->loader, node->call.args.items[i]);
        node = node->call.args.items[0];
    }
    if (node->kind == NODE_TUPLE) {
        for (uint32_t i = 0; i < node->sequence.elts.count && i < MAX_DIMS; i++)
            scene->entities[scene->entity_count++] = load_entity(&h->loader, node->sequence.elts.items[i]);
        if (scene->entity_count != scene->dims)
            load_error(&h->loader, node, "as many entities as wp.tid() gives indices, or one for all");
        return;
    }
    const Entity *entity = load_entity(&h->loader, node);
    do
        scene->entities[scene->entity_count++] = entity;
    while (scene->entity_count < scene->dims);
}

static void read_decorator(Header *h, const Node *function)
{
    const Node *call = function->function.decorators.items[0];
    uint32_t i = 0;
    for (; i < call->call.args.count && call->call.args.items[i]->kind == NODE_CONSTANT; i++) {
        const char *name = load_string(&h->loader, call->call.args.items[i]);
        CategoryWeights weights;
        if (category_weights_read(&weights, name))
            load_error(&h->loader, call->call.args.items[i], "there is no category '%s'", name);
    }
    if (i != call->call.args.count - 1)
        load_error(&h->loader, call, "@scene takes categories, then one entity or a tuple of them, then keywords");
    else
        read_entities(h, call->call.args.items[i]);
    const Node *says = load_keyword(call, word(h, WORD_says)), *title = load_keyword(call, word(h, WORD_title));
    const Node *algorithm = load_keyword(call, word(h, WORD_algorithm));
    if (!says || !title) {
        load_error(&h->loader, call, "@scene needs says= and title=");
        return;
    }
    const Node *topic = load_keyword(call, word(h, WORD_topic));
    h->scene->is_ragged = load_keyword(call, word(h, WORD_ragged)) != NULL;
    h->scene->is_rare = load_keyword(call, word(h, WORD_rare)) != NULL;
    h->scene->is_lossy = load_keyword(call, word(h, WORD_lossy)) != NULL;
    h->scene->has_topics = topic != NULL;
    h->scene->topics = topic ? load_topics(&h->loader, topic) : 0;
    h->scene->says = load_string(&h->loader, says);
    h->scene->titles = load_string(&h->loader, title);
    h->scene->algorithm = algorithm ? load_string(&h->loader, algorithm) : h->scene->name->text;
}

/* ---- parameters ---- */

static void push_axis(Header *h, Part *part, const Node *node, Axis axis)
{
    if (part->axis_count == 4) {
        load_error(&h->loader, node, "an array has at most four axes");
        return;
    }
    for (uint32_t i = 0; axis.entity && i < part->axis_count; i++)
        axis.number += part->axes[i].entity == axis.entity;
    part->axes[part->axis_count++] = axis;
}

static void launch_axes(Header *h, Part *part, const Node *node)
{
    if (!h->scene->dims)
        load_error(&h->loader, node, "without wp.tid() an array says its axes: out(mass, 1)");
    for (uint32_t i = 0; i < h->scene->dims; i++)
        push_axis(h, part, node, (Axis){.entity = h->scene->entities[i]});
}

/* The parameter that is the length of a tile, and one; 0: it is something else. */
static uint32_t tile_part(const Header *h, const Node *node)
{
    for (uint32_t i = 0; node->kind == NODE_NAME && i < h->params->count; i++) {
        const Node *param = h->params->items[i];
        if (param->arg.name == node->name.id && param->arg.annotation &&
            scene_word_is(h->loader.meaning, param->arg.annotation, WORD_tile))
            return i + 1;
    }
    return 0;
}

/* TILE, chunk * TILE, chunk * TILE + 2 */
static void read_tile_axis(Header *h, Part *part, const Node *node)
{
    Axis axis = {0};
    if (node->kind == NODE_BIN_OP && node->bin_op.op == OP_ADD) {
        axis.more = (uint32_t)load_number(&h->loader, node->bin_op.right);
        node = node->bin_op.left;
    }
    if (node->kind == NODE_BIN_OP && node->bin_op.op == OP_MULT) {
        axis.entity = load_entity(&h->loader, node->bin_op.left);
        node = node->bin_op.right;
    }
    axis.tile = tile_part(h, node);
    if (!axis.tile)
        load_error(&h->loader, node, "the length of a tile is expected: a parameter TILE: tile(8, 16)");
    push_axis(h, part, node, axis);
}

static void read_axis(Header *h, Part *part, const Node *node)
{
    if (node->kind == NODE_BIN_OP || tile_part(h, node)) {
        read_tile_axis(h, part, node);
    } else if (node->kind == NODE_CONSTANT) {
        double extent = load_number(&h->loader, node);
        if (extent < 1 || extent > 64)
            load_error(&h->loader, node, "an extent is between 1 and 64");
        push_axis(h, part, node, (Axis){.extent = (uint32_t)extent});
    } else
        push_axis(h, part, node, (Axis){.entity = load_entity(&h->loader, node)});
}

/* range=(low, high), over=entity, fixed=True */
static void read_keywords(Header *h, Part *part, const Node *call)
{
    const Node *range = load_keyword(call, word(h, WORD_range)), *over = load_keyword(call, word(h, WORD_over));
    if (range && (range->kind != NODE_TUPLE || range->sequence.elts.count != 2))
        load_error(&h->loader, range, "range=(low, high) is expected");
    else if (range) {
        part->low = load_number(&h->loader, range->sequence.elts.items[0]);
        part->high = load_number(&h->loader, range->sequence.elts.items[1]);
    }
    if (over)
        read_axis(h, part, over);
    part->fixed |= load_keyword(call, word(h, WORD_fixed)) != NULL;
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        Name name = call->call.keywords.items[i]->keyword.name;
        if (name != word(h, WORD_range) && name != word(h, WORD_over) && name != word(h, WORD_fixed))
            load_error(&h->loader, call->call.keywords.items[i], "range=, over= or fixed= is expected");
    }
}

/* position, or some(position, velocity) */
static void read_quantity(Header *h, Part *part, const Node *node)
{
    if (scene_word_is(h->loader.meaning, node, WORD_some)) {
        for (uint32_t i = 0; i < node->call.args.count && i < MAX_SOME; i++)
            part->some[part->some_count++] = load_quantity(&h->loader, node->call.args.items[i]);
        node = node->call.args.items[0];
    }
    part->quantity = load_quantity(&h->loader, node);
}

static void read_array(Header *h, Part *part, const Node *call, PartRole role)
{
    part->kind = PART_EACH;
    part->role = role;
    if (!call->call.args.count) {
        load_error(&h->loader, call, "a quantity is expected");
        return;
    }
    read_quantity(h, part, call->call.args.items[0]);
    part->low = part->quantity->low;
    part->high = part->quantity->high;
    read_keywords(h, part, call);
    if (scene_word_is(h->loader.meaning, call, WORD_rows))
        launch_axes(h, part, call);
    for (uint32_t i = 1; i < call->call.args.count; i++)
        read_axis(h, part, call->call.args.items[i]);
    if (!part->axis_count)
        launch_axes(h, part, call);
}

static void read_indices(Header *h, Part *part, const Node *call, PartKind kind)
{
    part->kind = kind;
    part->quantity = quantity_find(h->loader.meaning, name_cstr(h->loader.meaning->names, "index_value"));
    read_keywords(h, part, call);
    if (!call->call.args.count) {
        load_error(&h->loader, call, "an entity is expected");
        return;
    }
    part->target = load_entity(&h->loader, call->call.args.items[0]);
    if (!part->axis_count)
        launch_axes(h, part, call);
    if (kind == PART_OFFSETS)
        part->axes[0].more = 1;
    for (uint32_t i = 1; i < call->call.args.count; i++)
        read_axis(h, part, call->call.args.items[i]);
}

static void read_kinds(Header *h, Part *part, const Node *call)
{
    part->kind = PART_KIND;
    part->quantity = quantity_find(h->loader.meaning, name_cstr(h->loader.meaning->names, "kind_value"));
    read_keywords(h, part, call);
    if (!part->axis_count)
        launch_axes(h, part, call);
    for (uint32_t i = 0; i < call->call.args.count && i < MAX_MEMBERS; i++)
        part->members[part->member_count++] = load_name(&h->loader, call->call.args.items[i]);
    if (call->call.args.count > MAX_MEMBERS || call->call.args.count < 2)
        load_error(&h->loader, call, "kind() takes 2 to %d members", MAX_MEMBERS);
    part->high = part->member_count - 1.0;
}

/* tile(8, 16, 32): one of these is the length of a tile. */
static void read_tile(Header *h, Part *part, const Node *call)
{
    part->kind = PART_TILE;
    part->quantity = quantity_find(h->loader.meaning, name_cstr(h->loader.meaning->names, "index_value"));
    part->fixed = true;
    h->scene->is_tiled = true;
    if (!call->call.args.count || call->call.args.count > MAX_LENGTHS)
        load_error(&h->loader, call, "tile() takes 1 to %d lengths", MAX_LENGTHS);
    for (uint32_t i = 0; i < call->call.args.count && i < MAX_LENGTHS; i++)
        part->lengths[part->length_count++] = (uint32_t)load_number(&h->loader, call->call.args.items[i]);
}

static void read_setting(Header *h, Part *part, const Node *call)
{
    const NodeList *args = &call->call.args;
    part->kind = PART_SETTING;
    if (args->count != 1 && args->count != 3) {
        load_error(&h->loader, call, "setting(quantity) or setting(quantity, low, high) is expected");
        return;
    }
    part->quantity = load_quantity(&h->loader, args->items[0]);
    part->low = args->count > 1 ? load_number(&h->loader, args->items[1]) : part->quantity->low;
    part->high = args->count > 1 ? load_number(&h->loader, args->items[2]) : part->quantity->high;
    part->fixed = load_keyword(call, word(h, WORD_fixed)) != NULL;
}

static void read_part(Header *h, Part *part, const Node *node)
{
    const Meaning *meaning = h->loader.meaning;
    part->probability = part->probability > 0 ? part->probability : 1;
    if (node->kind == NODE_NAME) { /* a quantity alone */
        part->kind = PART_EACH;
        part->quantity = load_quantity(&h->loader, node);
        part->low = part->quantity->low;
        part->high = part->quantity->high;
        launch_axes(h, part, node);
    } else if (scene_word_is(meaning, node, WORD_maybe) && node->call.args.count) {
        part->probability = node->call.args.count > 1 ? load_number(&h->loader, node->call.args.items[1]) : 0.4;
        read_part(h, part, node->call.args.items[0]);
    } else if (scene_word_is(meaning, node, WORD_each) || scene_word_is(meaning, node, WORD_grid) ||
               scene_word_is(meaning, node, WORD_rows))
        read_array(h, part, node, PART_IN);
    else if (scene_word_is(meaning, node, WORD_out))
        read_array(h, part, node, PART_OUT);
    else if (scene_word_is(meaning, node, WORD_add))
        read_array(h, part, node, PART_ADD);
    else if (scene_word_is(meaning, node, WORD_inout))
        read_array(h, part, node, PART_INOUT);
    else if (scene_word_is(meaning, node, WORD_index))
        read_indices(h, part, node, PART_INDEX);
    else if (scene_word_is(meaning, node, WORD_offsets))
        read_indices(h, part, node, PART_OFFSETS);
    else if (scene_word_is(meaning, node, WORD_kind))
        read_kinds(h, part, node);
    else if (scene_word_is(meaning, node, WORD_setting))
        read_setting(h, part, node);
    else if (scene_word_is(meaning, node, WORD_tile))
        read_tile(h, part, node);
    else
        load_error(&h->loader, node, "a parameter is each(), index(), setting(), out() or one of their kin");
}

static void read_parts(Header *h, const Node *function)
{
    const NodeList *params = h->params = &function->function.params->arguments.args;
    if (params->count > MAX_PARTS)
        load_error(&h->loader, function, "more than %d parameters", MAX_PARTS);
    h->scene->parts = ARENA_ARRAY(h->loader.meaning->arena, Part, params->count + 1);
    for (uint32_t i = 0; i < params->count && !h->loader.failed; i++) {
        const Node *param = params->items[i];
        if (param->arg.annotation)
            read_part(h, &h->scene->parts[h->scene->part_count++], param->arg.annotation);
        else
            load_error(&h->loader, param, "the parameter '%s' does not say what it is", param->arg.name->text);
    }
}

/* {name: …} in a sentence or in titles is about a parameter or a choice of the scene. */
static void check_words(Header *h, const Node *function, const char *keyword, const char *words)
{
    const Scene *scene = h->scene;
    for (const char *at = strchr(words, '{'); at && !h->loader.failed; at = strchr(at + 1, '{')) {
        const char *name = at + 1 + (at[1] == '!'), *end = strchr(at, '}');
        size_t len = strcspn(name, ":=}{");
        bool known = false;
        for (uint32_t i = 0; i < scene->body.choice_count; i++)
            known |= scene->body.tags[i] && strlen(scene->body.tags[i]) == len &&
                     memcmp(scene->body.tags[i], name, len) == 0;
        for (uint32_t i = 0; i < scene->part_count; i++)
            known |= scene->body.locals[i]->len == len && memcmp(scene->body.locals[i]->text, name, len) == 0;
        if (!end || !memchr(at, ':', (size_t)(end - at)))
            load_error(&h->loader, function, "{name: words} is expected in %s=", keyword);
        else if (!known)
            load_error(&h->loader, function, "%s= is about '%.*s', which is no parameter and no choice of the scene",
                       keyword, (int)len, name);
    }
}

/* ---- names ---- */

static bool shares_quantity(const Scene *scene, const Part *part)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < scene->part_count; i++)
        same += scene->parts[i].quantity == part->quantity && scene->parts[i].kind == part->kind;
    return same > 1;
}

/* What the scene calls it, without the underscore that keeps it apart from a quantity or a variable: but lambda_ stays so. */
static const char *own_name(Meaning *meaning, const Scene *scene, uint32_t i)
{
    Name name = scene->body.locals[i];
    size_t len = name->len;
    while (len > 1 && name->text[len - 1] == '_')
        len--;
    if (name_find(&meaning->reserved, name_hash(name->text, len), name->text, len))
        return name->text;
    return arena_strndup(meaning->arena, name->text, len);
}

/* A quantity without a unit (a value, a flag) says nothing about the part that it plays: its own name does, if it is a word. */
static bool has_own_word(const Scene *scene, uint32_t i)
{
    return !*scene->parts[i].quantity->unit && scene->body.locals[i]->len > 2;
}

/* Even a letter says more: x and P of a filter are not "vectors" and "matrices". */
static bool says_nothing(const Quantity *quantity)
{
    static const char *const phrases[] = {"value", "vector", "matrix", "field value"};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(quantity->phrase, phrases[i]) == 0)
            return true;
    return false;
}

static const char *part_names(Meaning *meaning, const Scene *scene, uint32_t i)
{
    const Part *part = &scene->parts[i];
    const char *own = own_name(meaning, scene, i), *given = scene->body.names[i];
    if (given)
        return given;
    switch (part->kind) {
    case PART_INDEX:
        return arena_format(meaning->arena, "%s|%s|%s_indices|%s_index|%s_ids", own, own, part->target->id,
                            part->target->id, part->target->id);
    case PART_OFFSETS:
        return arena_format(meaning->arena, "%s|%s_offsets|%s_start|%s_begin", own, part->target->id, part->target->id,
                            part->target->id);
    case PART_KIND: return arena_format(meaning->arena, "%s|%s|@_%s", own, own, own);
    case PART_TILE: return own;
    case PART_SETTING:
        /* reach: setting(distance) is no cutoff. A letter or two say less than the quantity does. */
        if (shares_quantity(scene, part) || says_nothing(part->quantity) ||
            (strlen(own) > 2 && !is_alternative(part->quantity->settings, own, strlen(own))))
            return own;
        return arena_format(meaning->arena, "%s|%s", own, part->quantity->settings);
    default: break;
    }
    return shares_quantity(scene, part) || has_own_word(scene, i) || says_nothing(part->quantity) ||
                   !is_word_of_quantity(part->quantity, own)
               ? own
               : arena_format(meaning->arena, "%s|%s", own, part->quantity->arrays);
}

bool is_of_no_topic(const Scene *scene)
{
    return scene->has_topics && !scene->topics;
}

static void finish_parts(Meaning *meaning, Scene *scene)
{
    scene->part_names = ARENA_ARRAY(meaning->arena, const char *, scene->part_count + 1);
    for (uint32_t i = 0; i < scene->part_count; i++) {
        const Part *part = &scene->parts[i];
        scene->part_names[i] = part_names(meaning, scene, i);
        scene->stands_alone |=
            part->kind == PART_KIND || part->kind == PART_TILE || (part->kind == PART_SETTING && part->fixed);
    }
    scene->stands_alone |= is_of_no_topic(scene);
}

const Scene *scene_load(Meaning *meaning, Scene *scene)
{
    if (scene->loaded)
        return scene->broken ? NULL : scene;
    scene->loaded = scene->broken = true; /* until the end is reached */
    Header header = {.scene = scene}, *h = &header;
    Node *function = load_function(&h->loader, meaning, &scene->chunk);
    if (!function)
        return NULL;
    read_dims(h, function);
    if (!h->loader.failed)
        read_decorator(h, function);
    if (!h->loader.failed)
        read_parts(h, function);
    if (!h->loader.failed)
        load_body(&h->loader, function, &scene->body, scene->parts, scene->part_count);
    if (!h->loader.failed) {
        check_words(h, function, "says", scene->says);
        check_words(h, function, "title", scene->titles);
    }
    if (!h->loader.failed)
        finish_parts(meaning, scene);
    scene->broken = h->loader.failed;
    return scene->broken ? NULL : scene;
}

enum { MAX_DECISIONS = 24, ENOUGH_VARIED = 40 }; /* decisions that are counted; per cent of a scene */

typedef struct Contents {
    const Meaning *meaning;
    uint32_t statements, nested; /* operations of operations */
    uint32_t nodes;
    uint32_t decisions, sizes[MAX_DECISIONS]; /* of what some samples have and others not, in nodes */
    bool in_choice;
} Contents;

static void find_choice(const Node *node, void *user)
{
    Contents *contents = user;
    contents->in_choice |=
        scene_word_is(contents->meaning, node, WORD_maybe) || scene_word_is(contents->meaning, node, WORD_present);
    node_children(node, find_choice, user);
}

/* if maybe(), if present(x), match choose(), either(a, b); numbers that differ are no other kernel. */
static bool is_decided_here(const Meaning *meaning, const Node *node)
{
    Contents test = {.meaning = meaning};
    if (node->kind == NODE_IF)
        find_choice(node->if_stmt.test, &test);
    return test.in_choice || node->kind == NODE_MATCH || scene_word_is(meaning, node, WORD_either);
}

static void count_contents(const Node *node, void *user)
{
    Contents *contents = user;
    if (scene_word_is(contents->meaning, node, WORD_names))
        return;
    uint32_t before = contents->nodes++;
    bool outside = contents->in_choice, decided = !outside && is_decided_here(contents->meaning, node);
    contents->statements += is_statement(node);
    contents->in_choice |= decided;
    if (node->kind == NODE_BIN_OP)
        contents->nested +=
            (uint32_t)(node->bin_op.left->kind == NODE_BIN_OP) + (uint32_t)(node->bin_op.right->kind == NODE_BIN_OP);
    node_children(node, count_contents, user);
    contents->in_choice = outside;
    if (decided && contents->decisions < MAX_DECISIONS)
        contents->sizes[contents->decisions++] = contents->nodes - before;
}

/* How much of it differs from sample to sample, in per cent. One decision, however much hangs on it, makes two kernels, not many. */
static unsigned varied_share(const Contents *contents)
{
    enum { MOST_OF_ONE = 12 };
    unsigned share = 0;
    for (uint32_t i = 0; i < contents->decisions; i++) {
        unsigned part = 100 * contents->sizes[i] / contents->nodes;
        share += part < MOST_OF_ONE ? part : MOST_OF_ONE;
    }
    return share < ENOUGH_VARIED ? share : ENOUGH_VARIED;
}

/* More decisions, more samples; but few of a kernel that is nearly the same whatever is decided. Long algorithms are the harder
 * ones to write, and worth more, too. Real kernels are more about data than about formulas. */
static unsigned find_weight(const Meaning *meaning, const Scene *scene)
{
    enum { LEAST = 4, MOST = 12, MANY_STATEMENTS = 42, FOR_LENGTH = 46, ALWAYS = 2 };
    Contents contents = {.meaning = meaning};
    for (uint32_t i = 0; i < scene->body.function->function.body.count; i++)
        count_contents(scene->body.function->function.body.items[i], &contents);
    unsigned decisions = contents.decisions < MOST ? contents.decisions : MOST;
    unsigned varied = varied_share(&contents), weight = LEAST + decisions;
    unsigned length = contents.statements < 3 * MANY_STATEMENTS ? contents.statements : 3 * MANY_STATEMENTS;
    if (length > MANY_STATEMENTS)
        weight += FOR_LENGTH * varied * length / (ENOUGH_VARIED * MANY_STATEMENTS);
    weight = weight * (varied + ALWAYS) / 10;
    if (2 * contents.nested > contents.statements)
        weight = weight * contents.statements / (2 * contents.nested);
    return 1 + weight;
}

/* Found once for a scene, which may be of several categories. */
static unsigned weight_of(const Meaning *meaning, Scene *scene)
{
    if (!scene->weight)
        scene->weight = find_weight(meaning, scene);
    return scene->weight;
}

static void cut_weights(unsigned *weights, uint32_t count, uint64_t most)
{
    for (uint32_t i = 0; i < count && most; i++)
        if (weights[i] > most)
            weights[i] = (unsigned)most;
}

static uint64_t sum_of(const unsigned *weights, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += weights[i];
    return total;
}

/* No scene makes more than one part in 24 of its category: its samples would look alike. In a category of few scenes, all would
 * be drawn alike then. */
static void limit_shares(unsigned *weights, uint32_t count)
{
    enum { LEAST_SHARES = 24, ROUNDS = 8 }; /* what is taken from one makes the share of the others larger */
    uint32_t shares = count < 2 * LEAST_SHARES ? count / 2 + 1 : LEAST_SHARES;
    for (int round = 0; round < ROUNDS; round++)
        cut_weights(weights, count, sum_of(weights, count) / shares);
}

/* Nor is one drawn more than twice as often as the average. */
static void limit_weights(unsigned *weights, uint32_t count)
{
    cut_weights(weights, count, 2 * sum_of(weights, count) / count);
    limit_shares(weights, count);
}

const unsigned *scene_weights(Meaning *meaning, CategoryId category)
{
    enum { LOSSY_PART = 6, STEPS = 16 }; /* of a weight: parts of it are no whole numbers */
    if (meaning->category_weights[category])
        return meaning->category_weights[category];
    uint32_t count = meaning->category_scenes[category];
    unsigned *weights = ARENA_ARRAY(meaning->arena, unsigned, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        Scene *scene = &meaning->scenes[meaning->by_category[category][i]];
        weights[i] = scene_load(meaning, scene) ? STEPS * weight_of(meaning, scene) : 1;
    }
    limit_weights(weights, count);
    for (uint32_t i = 0; i < count; i++) {
        const Scene *scene = &meaning->scenes[meaning->by_category[category][i]];
        weights[i] = scene->is_rare ? 1 + weights[i] / 3 : weights[i];
        weights[i] = scene->is_lossy ? 1 + weights[i] / LOSSY_PART : weights[i];
    }
    limit_weights(weights, count); /* rare ones make the share of the others larger */
    meaning->category_weights[category] = weights;
    return weights;
}
