/* What a kernel does, in words; and its plan, as JSON: which scene, which laws, which argument plays which role. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *sentence(Draft *d, const char *text)
{
    char *whole = arena_format(d->arena, "%s.", text);
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

/* The scene's sentence, without what does not hold for this kernel. */
static const char *says_of(Draft *d, const Casting *casting)
{
    const char *says = casting->scene->says;
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

/* "estimates …, then computes …", "estimates …; it also computes …" */
static const char *what_it_does(Draft *d)
{
    const char *text = says_of(d, &d->castings[0]);
    for (uint32_t i = 1; i < d->casting_count; i++)
        text = arena_format(d->arena, d->castings[i].goes_on ? "%s, then %s" : "%s; it also %s", text,
                            says_of(d, &d->castings[i]));
    return text;
}

const char *describe_kernel(Draft *d)
{
    return sentence(d, what_it_does(d));
}

/* ---- data in words ---- */

static const char *name_of_item(const Draft *d, const Item *item)
{
    uint32_t symbol = item->field ? item->field : item->form == FORM_SPLIT ? item->split[0] : item->symbol;
    return d->symbols[symbol].name ? d->symbols[symbol].name->text : item->role;
}

/* What the quantity is; where it says nothing (a value, a flag), what the scene calls it. */
static const char *phrase_of_role(Draft *d, const Item *item)
{
    const char *dot = strrchr(item->role, '.');
    const char *own = dot ? dot + 1 : item->role;
    size_t len = strlen(own);
    while (len > 1 && own[len - 1] == '_')
        len--;
    if (*item->part.quantity->unit || len < 4)
        return item->part.quantity->phrase;
    char *words = arena_strndup(d->arena, own, len);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return words;
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

/* "the mass of each particle (`masses`, kg)" */
static const char *phrase_of_item(Draft *d, const Item *item)
{
    const Quantity *quantity = item->part.quantity;
    const char *name = name_of_item(d, item), *unit = "";
    if (*quantity->unit && strcmp(quantity->unit, "1") != 0 && strcmp(quantity->unit, "unit") != 0)
        unit = arena_format(d->arena, ", %s", quantity->unit);
    if (item->part.kind == PART_SETTING)
        return arena_format(d->arena, "the %s (`%s`%s)", phrase_of_role(d, item), name, unit);
    if (item->part.target) {
        const char *one = arena_strndup(d->arena, item->part.target->one, strcspn(item->part.target->one, "|"));
        return arena_format(
            d->arena, item->part.kind == PART_OFFSETS ? "the start of each row of %s (`%s`)" : "indices of %s (`%s`)",
            entity_plural(d->arena, one), name);
    }
    const Entity *entity = item->part.axes[0].entity;
    if (!entity)
        return arena_format(d->arena, "the %s (`%s`%s)", quantity->phrase, name, unit);
    const char *one = arena_strndup(d->arena, entity->one, strcspn(entity->one, "|"));
    const char *what = phrase_of_role(d, item);
    if (names_an_entity(what))
        return arena_format(d->arena, "the %s (`%s`%s)", what, name, unit);
    return arena_format(d->arena, "the %s of each %s (`%s`%s)", what, one, name, unit);
}

static bool is_passed(const Item *item)
{
    return item->present && item->form != FORM_CONSTANT && item->form != FORM_LITERAL;
}

static const char *list_items(Draft *d, bool outputs, bool settings, uint32_t most)
{
    const char *parts[MAX_ITEMS], *text = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        bool is_output = item->part.role != PART_IN, is_setting = item->part.kind == PART_SETTING;
        if (is_passed(item) && is_output == outputs && (settings || !is_setting))
            parts[count++] = phrase_of_item(d, item);
    }
    count = count < most ? count : most;
    for (uint32_t i = 0; i < count; i++)
        text = !i ? parts[0] : arena_format(d->arena, "%s%s%s", text, i + 1 == count ? " and " : ", ", parts[i]);
    return text;
}

static const char *whole_description(Draft *d)
{
    const char *ins = list_items(d, false, true, 8), *outs = list_items(d, true, true, 4), *text = describe_kernel(d);
    if (ins && outs)
        text = arena_format(d->arena, "%s From %s it computes %s.", text, ins, outs);
    for (uint32_t i = 0; i < d->derived_count; i++) {
        const Derived *derived = &d->derived[i];
        text = arena_format(d->arena,
                            derived->from ? "%s From the result follows the %s: %s."
                                          : "%s The %s is computed on the way: %s.",
                            text, derived->law->results[0]->phrase, derived->law->says);
    }
    for (uint32_t i = 0; i < d->fact_count; i++)
        text = arena_format(d->arena, "%s %s", text, sentence(d, d->facts[i]));
    return text;
}

/* ---- a task ---- */

static const char *write_instruction(Draft *d)
{
    const char *says = what_it_does(d), *name = d->symbols[d->kernel].name->text;
    const char *ins = list_items(d, false, true, 8), *outs = list_items(d, true, true, 4);
    ins = ins ? ins : "its inputs";
    outs = outs ? outs : "its outputs";
    switch (rng_below(&d->rng, 6)) {
    case 0: return arena_format(d->arena, "Write a Warp kernel that %s.", says);
    case 1:
        return arena_format(d->arena, "Write a Warp kernel `%s` that %s. It gets %s and writes %s.", name, says, ins,
                            outs);
    case 2:
        return arena_format(d->arena, "Given %s, compute %s on the GPU with NVIDIA Warp: a kernel that %s.", ins, outs,
                            says);
    case 3:
        return arena_format(d->arena, "Implement `%s` as a `@wp.kernel`. The kernel %s; the result is %s.", name, says,
                            outs);
    case 4: return arena_format(d->arena, "How do I write a Warp kernel that %s? My data: %s.", says, ins);
    default:
        return arena_format(d->arena, "I need a differentiable kernel in Warp that %s, with %s as output.", says, outs);
    }
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

static void write_role(Draft *d, Text *out, const Item *item)
{
    text_format(out, "\"%s\": {", item->role);
    switch (item->form) {
    case FORM_CONSTANT:
    case FORM_LITERAL:
        text_lit(out, "\"value\": ");
        text_python_float(out, item->value);
        break;
    case FORM_FIELD:
    case FORM_ELEMENT:
        text_format(out, "\"arg\": \"%s\", \"field\": \"%s\"", d->symbols[d->structs[item->owner].holder].name->text,
                    name_of_item(d, item));
        break;
    case FORM_SPLIT:
        text_lit(out, "\"args\": [");
        for (uint32_t k = 0; k < MAX_SPLIT && item->split[k]; k++)
            text_format(out, "%s\"%s\"", k ? ", " : "", d->symbols[item->split[k]].name->text);
        text_char(out, ']');
        break;
    default:
        text_format(out, "\"arg\": \"%s\"", name_of_item(d, item));
        if (item->form == FORM_FLAT || item->form == FORM_VECTOR)
            text_format(out, ", \"columns\": %u", item->part.axes[item->part.axis_count - 1].extent);
        if (item->form == FORM_ROWS)
            text_format(out, ", \"grid\": [%u, %u]", item->grid[0], item->grid[1]);
        if (item->form == FORM_PACKED)
            text_format(out, ", \"columns\": %u", item->width);
        break;
    }
    text_format(out, ", \"quantity\": \"%s\"}", item->part.quantity->id);
}

static void write_choices(const Casting *casting, Text *out)
{
    const Body *body = &casting->scene->body;
    const char *between = "";
    for (uint32_t i = 0; i < body->choice_count; i++) {
        if (!casting->decided[i])
            continue;
        if (body->tags[i])
            text_format(out, "%s\"%s\": ", between, body->tags[i]);
        else
            text_format(out, "%s\"c%u\": ", between, i);
        text_python_float(out, casting->decisions[i]);
        between = ", ";
    }
}

static const char *write_plan(Draft *d)
{
    Text text, *out = &text;
    text_init_in(out, d->arena);
    text_format(out, "{\"scene\": \"%s\", \"laws\": [", d->scene->name->text);
    for (uint32_t i = 0; i < d->used_count; i++)
        text_format(out, "%s\"%s\"", i ? ", " : "", d->used[i]->name->text);
    text_lit(out, "], \"roles\": {");
    const char *between = "";
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!d->items[i].present)
            continue;
        text_str(out, between);
        write_role(d, out, &d->items[i]);
        between = ", ";
    }
    text_lit(out, "}, \"derived\": {");
    for (uint32_t i = 0; i < d->derived_count; i++) {
        const Derived *derived = &d->derived[i];
        text_format(out, "%s\"%s\": {\"law\": \"%s\"", i ? ", " : "", derived->role, derived->law->name->text);
        if (derived->from)
            text_format(out, ", \"from\": \"%s\"", derived->from);
        text_char(out, '}');
    }
    text_lit(out, "}, \"counts\": {");
    for (uint32_t i = 0; i < d->count_count; i++)
        text_format(out, "%s\"%s%s\": %u", i ? ", " : "", d->counts[i].entity->id,
                    d->counts[i].number ? arena_format(d->arena, "%u", d->counts[i].number) : "", d->counts[i].value);
    text_lit(out, "}, \"choices\": {");
    write_choices(&d->castings[0], out);
    text_lit(out, "}, \"then\": [");
    for (uint32_t i = 1; i < d->casting_count; i++) {
        text_format(out, "%s{\"scene\": \"%s\", \"choices\": {", i > 1 ? ", " : "", d->castings[i].scene->name->text);
        write_choices(&d->castings[i], out);
        text_lit(out, "}}");
    }
    text_lit(out, "]}");
    return text_cstr(out);
}

void describe_sample(Draft *d, SynthSample *sample)
{
    sample->scene = d->scene->name->text;
    sample->algorithm = d->scene->algorithm;
    sample->description = whole_description(d);
    sample->instruction = write_instruction(d);
    sample->difficulty = difficulty(d);
    sample->extended = d->derived_count > 0 || d->casting_count > 1;
    sample->plan = write_plan(d);
    sample->plan_len = strlen(sample->plan);
}
