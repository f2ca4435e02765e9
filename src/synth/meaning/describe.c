/* What a kernel does, in words; and its plan, as JSON: which scene, which laws, which argument plays which role. */
#include "synth/contract/contract.h"
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *sentence(Draft *d, const char *text)
{
    char *whole = arena_join(d->arena, text, ".");
    whole[0] = (char)toupper((unsigned char)whole[0]);
    return whole;
}

/* ---- what it does ---- */

/* Does `{name: …}` hold for this casting? The name is that of an optional parameter, which is there, or of a choice, with the
 * case that was chosen: {area: …}, {!area: …}, {norm=1: …}. */
static bool holds(const Draft *d, const Casting *casting, const char *name, size_t len)
{
    const Body *body = &casting->scene->body;
    bool negated = *name == '!';
    name += negated;
    len -= negated;
    const char *equals = memchr(name, '=', len);
    size_t word = equals ? (size_t)(equals - name) : len;
    for (uint32_t i = 0; i < body->choice_count; i++)
        if (body->tags[i] && strlen(body->tags[i]) == word && memcmp(body->tags[i], name, word) == 0)
            return (casting->decided[i] && casting->decisions[i] == (equals ? atof(equals + 1) : 1)) != negated;
    for (uint32_t i = 0; i < casting->scene->part_count; i++)
        if (body->locals[i]->len == word && memcmp(body->locals[i]->text, name, word) == 0)
            return d->items[casting->first_item + i].present != negated;
    return false;
}

/* Of the first some(...) of the scene; NULL: it has none. */
static const Quantity *chosen_quantity(const Draft *d, const Casting *casting)
{
    for (uint32_t i = 0; i < casting->scene->part_count; i++)
        if (casting->scene->parts[i].some_count)
            return d->items[casting->first_item + i].part.quantity;
    return NULL;
}

/* "copies the # of each @" with what some(...) came to: the velocity of each particle; in titles, velocity_of_particle. */
static const char *with_some(Draft *d, const Casting *casting, const char *words)
{
    const Quantity *quantity = chosen_quantity(d, casting);
    const Entity *entity = casting->entity ? casting->entity : cast_entity(d, casting->scene->entities[0]);
    const char *one = entity->one, *many = entity_plural(d->arena, arena_strndup(d->arena, one, strcspn(one, "|")));
    char gap = words == casting->scene->titles ? '_' : ' ';
    Text text = text_in(d->arena);
    for (; *words; words++) {
        bool is_many = words[0] == '@' && words[1] == 's' && !isalpha((unsigned char)words[2]);
        const char *put = *words == '#' && quantity ? quantity->phrase : is_many ? many : *words == '@' ? one : NULL;
        if (!put)
            text_char(&text, *words);
        for (; put && *put && *put != '|'; put++)
            text_char(&text, *put == ' ' || *put == '-' ? gap : *put);
        words += is_many;
    }
    return text_cstr(&text);
}

const char *true_words(Draft *d, const Casting *casting, const char *says)
{
    if (casting->scene->some_count || strchr(says, '#'))
        says = with_some(d, casting, says);
    if (!strchr(says, '{'))
        return says;
    Text text;
    text_init_in(&text, d->arena);
    while (*says) {
        size_t plain = strcspn(says, "{");
        text_add(&text, says, plain);
        says += plain;
        if (!*says)
            break;
        const char *colon = strchr(says, ':'), *end = strchr(says, '}');
        if (holds(d, casting, says + 1, (size_t)(colon - says - 1)))
            text_add(&text, colon + 1, (size_t)(end - colon - 1));
        says = end + 1;
    }
    return text_cstr(&text);
}

static const char *says_of(Draft *d, const Casting *casting)
{
    return true_words(d, casting, casting->scene->says);
}

/* Says what one of several scenes does. The last one adds that a single thread does it. */
static const char *says_in_list(Draft *d, uint32_t i)
{
    static const char alone[] = " by a single thread";
    const char *says = says_of(d, &d->castings[i]), *found = i + 1 < d->casting_count ? strstr(says, alone) : NULL;
    if (!found)
        return says;
    uint32_t before = (uint32_t)(found - says);
    before -= before && says[before - 1] == ',';
    return arena_join(d->arena, arena_strndup(d->arena, says, before), found + strlen(alone));
}

/* "estimates …, then computes …", "estimates …, and computes …" */
static const char *what_it_does(Draft *d)
{
    if (d->casting_count == 1)
        return says_of(d, &d->castings[0]);
    Text text;
    text_init_in(&text, d->arena);
    text_str(&text, says_in_list(d, 0));
    for (uint32_t i = 1; i < d->casting_count; i++) {
        text_str(&text, d->castings[i].goes_on ? ", then " : i + 1 < d->casting_count ? ", " : ", and ");
        text_str(&text, says_in_list(d, i));
    }
    return text_cstr(&text);
}

const char *describe_kernel(Draft *d)
{
    if (!d->sentence)
        d->sentence = sentence(d, what_it_does(d));
    return d->sentence;
}

/* ---- data in words ---- */

/* Two inputs, or two outputs, may be the same quantity of the same things: their names tell them apart. */
static const char *phrase_in_list(Draft *d, const Item *item)
{
    bool shared = false;
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *other = &d->items[i];
        shared |= other != item && other->present && other->part.quantity == item->part.quantity &&
                  (other->part.role != PART_IN) == (item->part.role != PART_IN) && !other->is_second &&
                  !item->is_second;
    }
    return role_phrase_of_item(d, item, shared);
}

/* "joint speed": it says itself of what it is. */
static bool names_an_entity(const char *phrase)
{
    uint32_t count;
    const Entity *table = entity_table(&count);
    size_t first = strcspn(phrase, " ");
    for (uint32_t i = 0; phrase[first] && i < count; i++)
        if (strcspn(table[i].one, "|") == first && strncmp(table[i].one, phrase, first) == 0)
            return true;
    return false;
}

static void add_first_word(Text *out, const char *words)
{
    text_add(out, words, strcspn(words, "|"));
}

/* " of each particle", " of each row and column", " of each particle in each world" */
static void add_entities(const Draft *d, Text *out, const Item *item)
{
    const Part *part = &item->part;
    const Axis *axes = part->axes + (item->of_world != WORLD_OF_NONE);
    uint32_t count = part->axis_count - (item->of_world != WORLD_OF_NONE);
    const Entity *first = count ? axes[0].entity : NULL, *second = count == 2 ? axes[1].entity : NULL;
    if (first) {
        text_lit(out, " of each ");
        add_first_word(out, count == 3 && axes[2].entity ? "cell" : first->one);
    }
    if (second && second != first) { /* an entry for each pair */
        text_lit(out, " and ");
        add_first_word(out, second->one);
    }
    if (item->of_world) {
        text_str(out, first ? " in each " : " of each ");
        add_first_word(out, d->world->one);
    }
}

const char *words_of_item(Draft *d, const Item *item)
{
    const char *what = phrase_in_list(d, item);
    const Entity *target = item->part.kind == PART_SETTING ? NULL : item->part.target;
    Text text = text_in(d->arena);
    if (target)
        ADD_ALL(&text, item->part.kind == PART_OFFSETS ? "start of each row of " : "indices of ",
                entity_plural(d->arena, arena_strndup(d->arena, target->one, strcspn(target->one, "|"))));
    else {
        text_str(&text, what);
        if (item->part.kind != PART_SETTING && item->part.axes[0].entity && !names_an_entity(what))
            add_entities(d, &text, item);
    }
    return text_cstr(&text);
}

const char *count_in_words(Draft *d, const Count *count)
{
    const char *one = count->entity->one;
    return arena_join(d->arena, "number of ", entity_plural(d->arena, arena_strndup(d->arena, one, strcspn(one, "|"))));
}

static const char *unit_of(const Item *item)
{
    const char *unit = item->part.target ? "" : item->part.quantity->unit;
    return *unit && strcmp(unit, "1") != 0 && strcmp(unit, "unit") != 0 ? unit : NULL;
}

/* "`x`", "`params.dt`", "`x0`, `x1`, `x2`" */
static void add_places(const Draft *d, Text *out, const Item *item)
{
    const char *between = "";
    for (uint32_t k = 0; item->form == FORM_SPLIT && k < MAX_SPLIT && item->split[k]; k++)
        if (d->symbols[item->split[k]].uses) {
            ADD_ALL(out, between, "`", d->symbols[item->split[k]].name->text, "`");
            between = ", ";
        }
    if (item->form == FORM_SPLIT)
        return;
    bool field = item->form == FORM_FIELD || item->form == FORM_ELEMENT;
    ADD_ALL(out, "`", field ? d->symbols[d->structs[item->owner].holder].name->text : "", field ? "." : "",
            name_of_item(d, item), "`");
}

/* "`masses` (mass of each particle, in kg)" */
static void add_item(Draft *d, Text *out, const Item *item)
{
    const char *unit = unit_of(item);
    add_places(d, out, item);
    ADD_ALL(out, " (", words_of_item(d, item));
    if (unit)
        ADD_ALL(out, ", in ", unit);
    text_char(out, ')');
}

static bool is_listed(const Item *item, bool outputs)
{
    return item->present && item->form != FORM_CONSTANT && item->form != FORM_LITERAL &&
           (item->part.role != PART_IN) == outputs;
}

/* NULL: the kernel does not take it. */
static Name count_name(const Draft *d, const Count *count)
{
    bool passed = count->is_field || count->is_argument;
    return passed ? d->symbols[count->is_field ? count->field : count->symbol].name : NULL;
}

/* "`n` (number of particles)" */
static void add_count(Draft *d, Text *out, const Count *count)
{
    const char *holder = count->is_field ? d->symbols[d->structs[count->owner].holder].name->text : "";
    ADD_ALL(out, "`", holder, *holder ? "." : "", count_name(d, count)->text, "` (", count_in_words(d, count), ")");
}

/* All inputs or outputs, sizes with the inputs; NULL: there are none. */
static const char *list_items(Draft *d, bool outputs, const char *between)
{
    Text text = text_in(d->arena);
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!is_listed(&d->items[i], outputs))
            continue;
        text_str(&text, text.len ? between : "");
        add_item(d, &text, &d->items[i]);
    }
    for (uint32_t i = 0; !outputs && i < d->count_count; i++) {
        if (!count_name(d, &d->counts[i]))
            continue;
        text_str(&text, text.len ? between : "");
        add_count(d, &text, &d->counts[i]);
    }
    return text.len ? text_cstr(&text) : NULL;
}

/* Strings one after the other; the last is NULL. */
void add_all(Text *out, const char *const *parts)
{
    for (; *parts; parts++)
        text_str(out, *parts);
}

/* The last function. Overloads may follow it. */
static const Node *kernel_of(const Node *module)
{
    uint32_t i = module->module.body.count;
    while (module->module.body.items[i - 1]->kind != NODE_FUNCTION_DEF)
        i--;
    return module->module.body.items[i - 1];
}

/* Tells what each thread does, and the constants. NULL: a statement has no words. */
static const char *write_contract(Draft *d, const Node *module)
{
    const Node *kernel = kernel_of(module);
    Text text = text_in(d->arena), constants = text_in(d->arena);
    if (contract_add_steps(d->arena, module, kernel, &text) != CONTRACT_TOLD)
        return NULL;
    if (contract_add_constants(module, &constants))
        ADD_ALL(&text, "\n\nConstants: ", text_cstr(&constants), ".");
    return text_cstr(&text);
}

/* The sentence, and what the scene and the plan say besides. */
static void add_summary(Draft *d, Text *out)
{
    text_str(out, describe_kernel(d));
    for (uint32_t i = 0; i < d->derived_count; i++) {
        const Derived *derived = &d->derived[i];
        ADD_ALL(out, derived->from ? " From the result follows the " : " The ", derived->law->results[0]->phrase,
                derived->from ? ": " : " is computed on the way: ", derived->law->says, ".");
    }
    for (uint32_t i = 0; i < d->fact_count; i++)
        ADD_ALL(out, " ", sentence(d, d->facts[i]));
}

/* "world and particle", "cell" of a grid of cells */
static void add_launched_things(const Draft *d, Text *out)
{
    for (uint32_t i = 0; i < d->dims; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= d->entities[k] == d->entities[i];
        if (again)
            continue;
        text_str(out, i ? " and " : "");
        add_first_word(out, d->entities[i]->one);
    }
}

/* How many threads there are. Kernels with tiles, and those that count rows and columns through, say it in their steps. */
static void add_threads(const Draft *d, Text *out)
{
    if (d->block_dim || d->flat_thread)
        return;
    if (!d->dims) {
        text_lit(out, "\n\nA single thread does all of it.");
        return;
    }
    text_str(out,
             d->strided ? "\n\nThreads share the work: a thread takes each " : "\n\nThere is one thread for each ");
    add_launched_things(d, out);
    text_str(out, d->strided  ? " that is a whole launch behind its last one."
                  : d->padded ? "; the launch may have more threads."
                              : ".");
}

static const char *whole_description(Draft *d, const char *contract)
{
    bool as_list = perhaps(d, 0.4);
    const char *between = as_list ? "\n- " : ", ";
    const char *ins = list_items(d, false, between), *outs = list_items(d, true, between);

    Text text, *out = &text;
    text_init_in(out, d->arena);
    add_summary(d, out);
    if (ins)
        ADD_ALL(out, "\n\nInputs:", as_list ? "\n- " : " ", ins, as_list ? "" : ".");
    if (outs)
        ADD_ALL(out, ins && !as_list ? "\nOutputs:" : "\n\nOutputs:", as_list ? "\n- " : " ", outs, as_list ? "" : ".");
    add_threads(d, out);
    if (contract)
        ADD_ALL(out, "\n\n", contract);
    return text_cstr(out);
}

/* ---- a task ---- */

static void add_request(Draft *d, Text *out, const char *ins, const char *outs)
{
    const char *says = what_it_does(d), *name = d->symbols[d->kernel].name->text;
    switch (rng_below(&d->rng, 6)) {
    case 0:
        ADD_ALL(out, "Write a Warp kernel that ", says, ". Its inputs are ", ins, ". Its outputs are ", outs, ".");
        break;
    case 1:
        ADD_ALL(out, "Write a Warp kernel `", name, "` that ", says, ". It gets ", ins, " and writes ", outs, ".");
        break;
    case 2:
        ADD_ALL(out, "Given ", ins, ", compute ", outs, " on the GPU with NVIDIA Warp: a kernel that ", says, ".");
        break;
    case 3:
        ADD_ALL(out, "Implement `", name, "` as a `@wp.kernel`. The kernel ", says, "; it reads ", ins,
                ", and the result is ", outs, ".");
        break;
    case 4: ADD_ALL(out, "How do I write a Warp kernel that ", says, "? My data: ", ins, ". I want ", outs, "."); break;
    default:
        ADD_ALL(out, "I need a kernel in Warp that ", says, ", with ", outs, " as output. The data is ", ins, ".");
        break;
    }
}

static const char *write_instruction(Draft *d)
{
    const char *ins = list_items(d, false, ", "), *outs = list_items(d, true, ", ");
    Text text, *out = &text;
    text_init_in(out, d->arena);
    add_request(d, out, ins ? ins : "nothing", outs ? outs : "nothing");
    return text_cstr(out);
}

/* ---- how hard it is ---- */

typedef struct Effort {
    uint32_t statements, loops, branches, depth, deepest;
} Effort;

static void weigh(NodeList *list, void *user)
{
    Effort *effort = user;
    if (++effort->depth > effort->deepest)
        effort->deepest = effort->depth;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        effort->statements++;
        effort->loops += node->kind == NODE_FOR || node->kind == NODE_WHILE;
        effort->branches += node->kind == NODE_IF;
        draft_lists(node, weigh, effort);
    }
    effort->depth--;
}

static const char *difficulty(Draft *d)
{
    Effort effort = {0};
    weigh(&d->body, &effort);
    for (uint32_t i = 0; i < d->module.count; i++)
        if (d->module.items[i]->kind == NODE_FUNCTION_DEF)
            weigh(&d->module.items[i]->function.body, &effort);
    uint32_t points = effort.statements + 4 * effort.loops + 2 * effort.branches + 3 * effort.deepest;
    return points < 18 ? "easy" : points < 40 ? "medium" : "hard";
}

/* ---- the plan ---- */

/* Which arguments, or which field of one, and how the numbers lie in it. */
static void write_place(const Draft *d, Text *out, const Item *item)
{
    const char *field = NULL;
    text_char(out, '[');
    if (item->form == FORM_FIELD || item->form == FORM_ELEMENT) {
        ADD_ALL(out, "\"", d->symbols[d->structs[item->owner].holder].name->text, "\"");
        field = name_of_item(d, item);
    } else if (item->form != FORM_SPLIT && item->form != FORM_CONSTANT && item->form != FORM_LITERAL)
        ADD_ALL(out, "\"", name_of_item(d, item), "\"");
    for (uint32_t k = 0; item->form == FORM_SPLIT && k < MAX_SPLIT && item->split[k]; k++) {
        text_str(out, k ? ", " : "");
        if (d->symbols[item->split[k]].uses)
            ADD_ALL(out, "\"", d->symbols[item->split[k]].name->text, "\"");
        else
            text_lit(out, "\"\""); /* the kernel does not take this one */
    }
    text_lit(out, "], \"field\": ");
    if (field)
        ADD_ALL(out, "\"", field, "\"");
    else
        text_lit(out, "null");
}

static void write_role(const Draft *d, Text *out, const Item *item)
{
    uint32_t columns = item->form == FORM_FLAT || item->form == FORM_VECTOR
                           ? item->part.axes[item->part.axis_count - 1].extent
                       : item->form == FORM_PACKED ? item->width
                                                   : 0;
    ADD_ALL(out, "{\"role\": \"", item->role, "\", \"quantity\": \"", item->part.quantity->id, "\", \"arguments\": ");
    write_place(d, out, item);
    text_lit(out, ", \"value\": ");
    if (item->form == FORM_CONSTANT || item->form == FORM_LITERAL)
        text_python_float(out, item->value);
    else
        text_lit(out, "null");
    text_lit(out, ", \"grid\": ");
    if (item->form == FORM_ROWS)
        text_format(out, "[%u, %u]", item->grid[0], item->grid[1]);
    else if (columns)
        text_format(out, "[%u]", columns);
    else
        text_lit(out, "null");
    text_char(out, '}');
}

/* Of the i-th scene, counted from 0; *between is what stands before the next row. */
static void write_choices(const Draft *d, uint32_t number, Text *out, const char **between)
{
    const Casting *casting = &d->castings[number];
    const Body *body = &casting->scene->body;
    for (uint32_t i = 0; i < body->choice_count; i++) {
        if (!casting->decided[i])
            continue;
        text_format(out, "%s{\"scene\": %u, \"name\": \"", *between, number);
        if (body->tags[i])
            text_str(out, body->tags[i]);
        else {
            text_char(out, 'c');
            text_uint(out, i);
        }
        text_lit(out, "\", \"value\": ");
        text_python_float(out, casting->decisions[i]);
        text_char(out, '}');
        *between = ", ";
    }
}

/* world.x: the role x has one axis more, in front, for worlds; 2: in place of its only element. */
static void write_worlds(const Draft *d, Text *out, const char **between)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!d->items[i].present || !d->items[i].of_world)
            continue;
        ADD_ALL(out, *between, "{\"scene\": 0, \"name\": \"world.", d->items[i].role, "\", \"value\": ");
        text_python_float(out, d->items[i].of_world);
        text_char(out, '}');
        *between = ", ";
    }
}

static void write_choice(Text *out, const char **between, const char *what, const char *role, double value)
{
    ADD_ALL(out, *between, "{\"scene\": 0, \"name\": \"", what, role, "\", \"value\": ");
    text_python_float(out, value);
    text_char(out, '}');
    *between = ", ";
}

/* shared.x: the role x is read at the index that the role shared_index has; bit.x: it is that bit of a number, counted from 1. */
static void write_storage(const Draft *d, Text *out, const char **between)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        if (item->present && item->is_shared)
            write_choice(out, between, "shared.", item->role, 1);
        if (item->present && item->bit)
            write_choice(out, between, "bit.", item->role, item->bit);
    }
}

static void write_derived(const Draft *d, Text *out)
{
    for (uint32_t i = 0; i < d->derived_count; i++) {
        const Derived *derived = &d->derived[i];
        ADD_ALL(out, i ? ", \"" : "\"", derived->role, " = ", derived->law->name->text);
        if (derived->from)
            ADD_ALL(out, "(", derived->from, ")");
        text_char(out, '"');
    }
    for (uint32_t i = 0; i < d->flow_count; i++)
        ADD_ALL(out, i + d->derived_count ? ", \"" : "\"", d->flows[i], "\"");
}

static void write_counts(const Draft *d, Text *out)
{
    for (uint32_t i = 0; i < d->count_count; i++) {
        ADD_ALL(out, i ? ", " : "", "{\"of\": \"", d->counts[i].entity->id);
        if (d->counts[i].number)
            text_uint(out, d->counts[i].number);
        text_lit(out, "\", \"value\": ");
        text_uint(out, d->counts[i].value);
        text_char(out, '}');
    }
}

static const char *write_plan(Draft *d)
{
    Text text, *out = &text;
    text_init_in(out, d->arena);
    text_lit(out, "{\"scenes\": [");
    for (uint32_t i = 0; i < d->casting_count; i++)
        ADD_ALL(out, i ? ", \"" : "\"", i ? d->castings[i].scene->name->text : d->scene->name->text, "\"");
    text_lit(out, "], \"laws\": [");
    for (uint32_t i = 0; i < d->used_count; i++)
        ADD_ALL(out, i ? ", \"" : "\"", d->used[i]->name->text, "\"");
    text_lit(out, "], \"roles\": [");
    const char *between = "";
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!d->items[i].present)
            continue;
        text_str(out, between);
        write_role(d, out, &d->items[i]);
        between = ", ";
    }
    text_lit(out, "], \"derived\": [");
    write_derived(d, out);
    text_lit(out, "], \"counts\": [");
    write_counts(d, out);
    text_lit(out, "], \"choices\": [");
    between = "";
    for (uint32_t i = 0; i < d->casting_count; i++)
        write_choices(d, i, out, &between);
    write_worlds(d, out, &between);
    write_storage(d, out, &between);
    text_lit(out, "]}");
    return text_cstr(out);
}

/* A scene that names no algorithm goes by its own name. */
static const char *algorithm_in_words(const Draft *d)
{
    char *words = arena_join(d->arena, d->scene->algorithm, "");
    for (char *at = words; *at; at++)
        if (*at == '_')
            *at = ' ';
    return words;
}

void describe_sample(Draft *d, const Node *module, SynthSample *sample)
{
    sample->scene = d->scene->name->text;
    sample->algorithm = algorithm_in_words(d);
    const char *contract = write_contract(d, module);
    sample->description = whole_description(d, contract);
    sample->instruction = write_instruction(d);
    sample->difficulty = difficulty(d);
    sample->extended = d->derived_count > 0 || d->casting_count > 1;
    sample->plan = write_plan(d);
    sample->plan_len = strlen(sample->plan);
}
