/* What stands around the parameters of a kernel: options of its decorator, sections, comments, the Args: of its docstring. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <string.h>

/* ---- options ---- */

static bool has_real_output(const Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].present && d->items[i].part.role != PART_IN &&
            (d->items[i].is_bool || !type_is_integer(d->items[i].part.quantity->type)))
            return true;
    return false;
}

/* Where nothing has a gradient, authors mostly say so. */
static bool disables_backward(Draft *d)
{
    return !d->scene->is_tiled && perhaps(d, has_real_output(d) ? d->habits.forward_only : 0.3);
}

static void add_option(Draft *d, Node *call, const char *name, Node *value)
{
    draft_push(d, &call->call.keywords, draft_keyword(d, name, value));
}

Node *kernel_decorator(Draft *d)
{
    Node *decorator = draft_wp(d, "kernel");
    bool forward = disables_backward(d), unique = !d->scene->is_tiled && perhaps(d, d->habits.unique_modules);
    d->module_options = forward && perhaps(d, 0.4) && !unique; /* a module of its own does not have them */
    forward &= !d->module_options;
    bool plain = !d->module_options && d->habits.plain_options;
    if (!unique && !forward && !plain)
        return decorator;
    decorator = draft_call(d, decorator, NULL, 0);
    if (unique)
        add_option(d, decorator, "module", draft_string(d, "unique"));
    if (forward)
        add_option(d, decorator, "enable_backward", draft_word(d, "False"));
    else if (plain && perhaps(d, 0.5))
        add_option(d, decorator, "enable_backward", draft_word(d, "True"));
    return decorator;
}

/* ---- sections of parameters ---- */

enum { SECTION_INPUTS, SECTION_SETTINGS, SECTION_OUTPUTS, SECTION_COUNT };

static unsigned section_of(const Argument *argument, bool apart)
{
    bool is_out =
        argument->item ? argument->item->part.role != PART_IN : argument->structure && argument->structure->is_output;
    return is_out ? SECTION_OUTPUTS : apart && !argument->ndim ? SECTION_SETTINGS : SECTION_INPUTS;
}

/* Every section is in one piece; false: it is not. */
static bool find_sections(const Draft *d, bool apart, const char *const *titles, const char **before)
{
    bool seen[SECTION_COUNT] = {false};
    unsigned current = SECTION_COUNT;
    for (uint32_t i = 0; i < d->argument_count; i++) {
        unsigned section = section_of(&d->arguments[i], apart);
        before[i] = section == current ? NULL : titles[section];
        if (section != current && seen[section])
            return false;
        seen[section] = true;
        current = section;
    }
    return seen[SECTION_OUTPUTS] && (seen[SECTION_INPUTS] || seen[SECTION_SETTINGS]);
}

static void add_sections(Draft *d, ArgumentNotes *notes)
{
    static const char *const titles[][SECTION_COUNT] = {
        {"inputs", "parameters", "outputs"},    {"inputs", "params", "outputs"}, {"input", "params", "output"},
        {"inputs:", "parameters:", "outputs:"}, {"in", "settings", "out"},       {"Inputs", "Parameters", "Outputs"},
        {"In:", "Parameters:", "Out:"}};
    const char *const *chosen = titles[rng_below(&d->rng, sizeof titles / sizeof *titles)];
    bool apart = perhaps(d, 0.25);
    if (!find_sections(d, apart, chosen, notes->before) && !find_sections(d, !apart, chosen, notes->before))
        memset(notes->before, 0, sizeof notes->before);
}

/* ---- comments behind parameters ---- */

/* "(num_particles, 3)"; NULL: it is stored in another way. */
static const char *shape_in_words(Draft *d, const Item *item)
{
    if (item->form != FORM_ARGUMENT || item->ndim != item->part.axis_count || !item->ndim)
        return NULL;
    Text text = text_in(d->arena);
    for (uint32_t i = 0; i < item->ndim; i++) {
        const Axis *axis = &item->part.axes[i];
        if (axis->tile || axis->more || axis->number)
            return NULL;
        text_str(&text, i ? ", " : "(");
        const Count *count = axis->entity ? count_of(d, axis->entity, axis->number) : NULL;
        if (count && count->symbol && d->symbols[count->symbol].name)
            text_str(&text, d->symbols[count->symbol].name->text);
        else if (count)
            text_add(&text, axis->entity->counts, strcspn(axis->entity->counts, "|"));
        else
            text_uint(&text, axis->extent);
    }
    text_str(&text, item->ndim == 1 ? ",)" : ")");
    return text_cstr(&text);
}

static const char *unit_of(const Item *item)
{
    const char *unit = item->part.target ? "" : item->part.quantity->unit;
    return *unit && strcmp(unit, "1") != 0 && strcmp(unit, "unit") != 0 ? unit : NULL;
}

static void add_trailing(Draft *d, ArgumentNotes *notes)
{
    unsigned kind = rng_below(&d->rng, 3);
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Item *item = d->arguments[i].item;
        if (!item || item->form == FORM_SPLIT || !perhaps(d, 0.8))
            continue;
        notes->after[i] = kind == 0 ? unit_of(item) : kind == 1 ? shape_in_words(d, item) : words_of_item(d, item);
    }
}

void note_arguments(Draft *d)
{
    ArgumentNotes *notes = d->notes = ARENA_NEW(d->arena, ArgumentNotes);
    bool sections = d->argument_count > 2 && perhaps(d, d->habits.sections);
    if (sections)
        add_sections(d, notes);
    if (perhaps(d, d->habits.argument_comments))
        add_trailing(d, notes);
    for (uint32_t i = 0; i < d->argument_count; i++)
        notes->any |= notes->before[i] || notes->after[i];
}

/* ---- the docstring ---- */

/* "        masses: Mass of each particle [kg], shape (n,)." */
static void describe_argument(Draft *d, Text *out, const Argument *argument, bool shapes)
{
    const Item *item = argument->item;
    const char *unit = item ? unit_of(item) : NULL, *shape = item && shapes ? shape_in_words(d, item) : NULL;
    char *words = arena_join(d->arena, item ? words_of_item(d, item) : count_in_words(d, argument->count), "");
    words[0] = (char)toupper((unsigned char)words[0]);
    ADD_ALL(out, "        ", d->symbols[argument->symbol].name->text, ": ", words);
    if (unit)
        ADD_ALL(out, " [", unit, "]");
    if (shape)
        ADD_ALL(out, ", shape ", shape);
    text_lit(out, ".\n");
}

const char *kernel_docstring(Draft *d)
{
    const char *sentence = describe_kernel(d);
    bool plain = d->argument_count > 0;
    for (uint32_t i = 0; i < d->argument_count; i++)
        plain &= (d->arguments[i].item && d->arguments[i].item->form != FORM_SPLIT) || d->arguments[i].count;
    if (!plain || !perhaps(d, d->habits.args_docstring))
        return sentence;
    bool shapes = perhaps(d, 0.5);
    Text text = text_in(d->arena);
    ADD_ALL(&text, sentence, "\n\n    Args:\n");
    for (uint32_t i = 0; i < d->argument_count; i++)
        describe_argument(d, &text, &d->arguments[i], shapes);
    text_lit(&text, "    ");
    return text_cstr(&text);
}
