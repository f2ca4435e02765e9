/* The text of a program: host.cu with its words filled in. */
#include "standalone/host.h"

#include "standalone_host.h"

#include <math.h>
#include <string.h>

/* What is written for the word that a text starts with; NULL: it is none. Words are in capitals. */
static const char *const *find_word_at(const char *text, const Words *words)
{
    for (; words && *text >= 'A' && *text <= 'Z'; words = words->outer)
        for (const char *const *pair = words->pairs; *pair; pair += 2)
            if (strncmp(text, *pair, strlen(*pair)) == 0)
                return pair;
    return NULL;
}

static bool holds_in(const Words *words, const char *name)
{
    for (; words; words = words->outer)
        for (const char *const *pair = words->pairs; *pair; pair += 2)
            if (strcmp(name, *pair) == 0)
                return *pair[1];
    return false;
}

void fill_words(Text *out, const char *text, size_t length, const Words *words)
{
    for (const char *end = text + length; text < end;) {
        const char *const *pair = find_word_at(text, words);
        if (pair)
            text_str(out, pair[1]);
        else
            text_char(out, *text);
        text += pair ? strlen(*pair) : 1;
    }
}

static const char *number(const HostProgram *p, uint64_t value)
{
    return arena_format(p->t->arena, "%llu", (unsigned long long)value);
}

static const char *real(const HostProgram *p, double value)
{
    return arena_format(p->t->arena, "%.17g", value);
}

/* ---- data ---- */

static void add_parts(const HostProgram *p, Text *out, const Type *type, const char *place)
{
    Translator *t = p->t;
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        add_parts(p, out, strip(type->decl->fields[i].type),
                  arena_format(t->arena, "%s.%s", place, struct_names(t, type->decl)->fields[i]));
    for (uint32_t i = 0; type->kind != TYPE_STRUCT && i < type_parts(type); i++)
        text_format(out, "%s    visit(%s%s);", out->len ? "\n" : "", place,
                    type_is_composite(type) ? component_text(t, type, i).text : "");
}

static const char *cell_text(const HostProgram *p, const Type *type, const Cell *cell)
{
    if (type_is_float(type))
        return number_text(p->t, cell->real, type->kind);
    if (type->kind == TYPE_BOOL)
        return cell->integer ? "true" : "false";
    if (type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE)
        return arena_format(p->t->arena, "%lluull", (unsigned long long)cell->integer);
    return arena_format(p->t->arena, type->kind == TYPE_INT64 ? "%lldll" : "%lld", (long long)cell->integer);
}

static void add_value(const HostProgram *p, Text *out, const LaunchValue *value)
{
    bool is_array = value->type->kind == TYPE_ARRAY,
         braces = is_array || value->field_count || type_is_composite(value->type);
    uint32_t count = is_array ? value->ndim : value->field_count ? value->field_count : value->width;
    text_str(out, is_array ? "nullptr, " : ""); /* of a struct: set later */
    text_str(out, braces ? "{" : "");
    for (uint32_t i = 0; i < count; i++) {
        text_str(out, i ? ", " : "");
        if (value->field_count)
            add_value(p, out, &value->fields[i]);
        else
            text_str(out, is_array ? number(p, value->shape[i]) : cell_text(p, value->cell_types[i], &value->cells[i]));
    }
    text_str(out, braces ? "}" : "");
}

/* A struct argument of the backward kernel that has gradients. */
static bool has_adjoint_struct(Var *param)
{
    return param->type->kind == TYPE_STRUCT && is_float_type(param->type);
}

/* Arguments that are no arrays, as members with their values. */
static void add_scalars(const HostProgram *p, Text *out)
{
    Routine *kernel = p->t->kernel;
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        Var *param = kernel->params[i];
        if (param->type->kind == TYPE_ARRAY)
            continue;
        const char *type = c_type(p->t, param->type).text;
        text_format(out, "%s    %s %s = ", out->len ? "\n" : "", type, param->text);
        add_value(p, out, &p->launch->args[i]);
        text_char(out, ';');
        if (p->expected.has_backward && has_adjoint_struct(param))
            text_format(out, "\n    %s adj_%s = %s;", type, param->text, param->text);
    }
}

/* Its first size is that of the launch. */
static bool grows(const HostProgram *p, const HostArray *array)
{
    return !array->in_struct && !p->t->lanes && array->e.value->shape[0] == p->launch->dim[0];
}

static const char *count_text(const HostProgram *p, const HostArray *array)
{
    size_t rest = 1;
    for (uint32_t i = 1; i < array->e.value->ndim; i++)
        rest *= array->e.value->shape[i];
    if (!grows(p, array))
        return number(p, rest * array->e.value->shape[0]);
    return rest == 1 ? "(size_t)launch_size" : arena_format(p->t->arena, "(size_t)launch_size * %zu", rest);
}

static bool has_adjoint(const HostProgram *p, const HostArray *array)
{
    return p->expected.has_backward && array->e.is_float && (array->in_struct || array->param->adjoint_used);
}

static void add_sizes(const HostProgram *p, Text *out)
{
    for (uint32_t i = 0; i < p->array_count; i++) {
        const char *name = p->arrays[i].name, *count = count_text(p, &p->arrays[i]);
        text_format(out, ", %s(%s)", name, count);
        if (has_adjoint(p, &p->arrays[i]))
            text_format(out, ", adj_%s(%s)", name, count);
    }
}

/* ---- launches ---- */

static void add_array_arg(const HostProgram *p, Text *out, Var *param, bool backward)
{
    const HostArray *array = p->arrays;
    while (array->param != param || array->in_struct)
        array++;
    text_format(out, "data.%s.device, ", array->name);
    for (uint32_t dim = 0; dim < param->type->array.ndim; dim++)
        if (param->dim_used[dim])
            text_format(out, "%s, ",
                        dim == 0 && grows(p, array) ? "data.launch_size" : number(p, array->e.value->shape[dim]));
    if (backward && param->adjoint_used)
        text_format(out, "data.adj_%s.device, ", array->name);
}

static const char *launch_args(const HostProgram *p, bool backward)
{
    Text out = text_in(p->t->arena);
    for (uint32_t i = 0; i < p->t->kernel->param_count; i++) {
        Var *param = p->t->kernel->params[i];
        if (param->type->kind == TYPE_ARRAY) {
            add_array_arg(p, &out, param, backward);
            continue;
        }
        text_format(&out, "data.%s, ", param->text);
        if (backward && has_adjoint_struct(param))
            text_format(&out, "data.adj_%s, ", param->text);
    }
    if (!p->t->lanes)
        text_lit(&out, "data.launch_size, ");
    for (uint32_t i = 1; i < (p->t->lanes ? p->t->block_dims : p->launch->ndim); i++)
        text_format(&out, "%u, ", p->launch->dim[i]);
    out.len -= out.len ? 2 : 0; /* the last comma */
    return text_cstr(&out);
}

/* ---- what is expected ---- */

/* Before an item of a list that is written in lines of so many. */
static const char *list_mark(size_t index, size_t per_line)
{
    return index % per_line ? ", " : index ? ",\n    " : "\n    ";
}

static void add_expected(const HostArray *array, Text *out)
{
    for (uint32_t k = 0; k < array->e.expected_count; k++) {
        double value = array->e.expected[k];
        bool whole = value == floor(value) && fabs(value) < 1e15;
        text_str(out, list_mark(k, 12));
        if (isnan(value))
            text_lit(out, "NAN");
        else
            text_format(out, whole ? "%.0f" : array->e.is_float ? "%.9g" : "%.17g", value);
    }
}

/* Numbers of the parts whose derivative the last digit of a number decides about. */
static void add_unsure(const HostArray *array, Text *out)
{
    for (size_t i = 0, count = 0; array->e.unsure && i < array->e.value->count * array->e.value->width; i++)
        if (array->e.unsure[i])
            text_format(out, "%s%zu", list_mark(count++, 16), i);
}

/* ---- host.cu ---- */

static bool is_new_type(const HostProgram *p, const HostArray *array)
{
    for (const HostArray *other = p->arrays; other < array; other++)
        if (strcmp(other->element, array->element) == 0)
            return false;
    return true;
}

#define WORD(word, text) word, text,
#define CONDITION(name, condition) name, (condition) ? "true" : "",

static void find_words(const HostProgram *p, HostArray *array)
{
    Arena *arena = p->t->arena;
    bool rotation = array->e.type->kind == TYPE_QUAT || array->e.type->kind == TYPE_TRANSFORM;
    bool gradient = has_adjoint(p, array), output = array->e.is_output;
    const char *adjoint = arena_join(arena, "adj_", array->name);
    Text parts = text_in(arena), expected = text_in(arena), unsure = text_in(arena);
    add_parts(p, &parts, array->e.type, "item");
    add_expected(array, &expected);
    add_unsure(array, &unsure);
    const char *const pairs[] = {
#define ARRAY_WORDS
#include "standalone/host.def"
#undef ARRAY_WORDS
        NULL};
    array->words.pairs = memcpy(ARENA_ARRAY(arena, const char *, sizeof pairs / sizeof *pairs), pairs, sizeof pairs);
}

/* In a part that is written for an array; NULL: for any of them. */
static bool holds(const HostProgram *p, const HostArray *array, const Words *words, const char *name)
{
    if (*name == '!')
        return !holds(p, array, words, name + 1);
    bool any = holds_in(words, name);
    for (uint32_t i = 0; !array && i < p->array_count && !any; i++)
        any = holds_in(&p->arrays[i].words, name);
    return any;
}

/* From the line behind a mark to the one that ends it; returns what follows that. */
static const char *write_part(const HostProgram *p, Text *out, const char *at, const HostArray *array,
                              const Words *words, bool shown)
{
    for (const char *end; *at && strncmp(at, "//.", 3) != 0; at = end) {
        size_t length = strcspn(at, "\n");
        end = at + length + 1;
        bool is_mark = strncmp(at, "//", 2) == 0 && at[2] && strchr("!?*", at[2]);
        if (!is_mark) {
            if (shown)
                fill_words(out, at, length + 1, words);
            continue;
        }
        const char *part = end, *name = at[2] == '!' ? "" : arena_strndup(p->t->arena, at + 4, length - 4);
        end = write_part(p, out, part, array, words, at[2] == '?' && shown && holds(p, array, words, name));
        for (uint32_t i = 0; at[2] == '*' && i < p->array_count; i++)
            if (shown && holds_in(&p->arrays[i].words, name))
                write_part(p, out, part, &p->arrays[i], &(Words){p->arrays[i].words.pairs, words}, true);
    }
    return *at ? at + strcspn(at, "\n") + 1 : at;
}

static const char *three_numbers(const HostProgram *p, const char *format, const double *numbers)
{
    return arena_format(p->t->arena, format, numbers[0], numbers[1], numbers[2]);
}

void print_host(HostProgram *p, const char *reason, Text *out)
{
    Arena *arena = p->t->arena;
    Text device = text_in(arena), sizes = text_in(arena), scalars = text_in(arena);
    print_routines(p->t, &device);
    device.len--; /* the last line ends there */
    add_sizes(p, &sizes);
    add_scalars(p, &scalars);
    uint64_t rest = launch_size(p->launch) / p->launch->dim[0];
    const char *const pairs[] = {
#define PROGRAM_WORDS
#include "standalone/host.def"
#undef PROGRAM_WORDS
        NULL};
    for (uint32_t i = 0; i < p->array_count; i++)
        find_words(p, &p->arrays[i]);
    write_part(p, out, (const char *)standalone_host, NULL, &(Words){pairs, NULL}, true);
}
