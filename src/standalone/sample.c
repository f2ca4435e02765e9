/* A program with its data: the arrays of a launch, the files of a sample. */
#include "standalone/host.h"

#include "eval/ast/eval.h"
#include "weft.h"

#include "standalone_makefile.h"
#include "standalone_shim_text.h"
#include "weft_math_cuh.h"

#include <math.h>
#include <string.h>

const char *standalone_shim(void)
{
    return (const char *)standalone_shim_text;
}

const char *standalone_header(void)
{
    return (const char *)weft_math_cuh;
}

/* ---- the arrays of a launch ---- */

/* A name for an array among the data of the host: "state_points" of state.points. */
static const char *array_name(const HostProgram *p, const char *place, bool in_struct)
{
    Arena *arena = p->t->arena;
    char *stem = arena_strndup(arena, place, strlen(place));
    for (char *c = stem; *c; c++)
        *c = *c == '.' ? '_' : *c;
    const char *name = stem;
    for (uint32_t number = 2, i = 0; in_struct && i < p->array_count + p->t->kernel->param_count; i++) {
        const char *other = i < p->array_count ? p->arrays[i].name : p->t->kernel->params[i - p->array_count]->text;
        if (strcmp(other, name) != 0)
            continue;
        name = arena_format(arena, "%s_%u", stem, number++);
        i = (uint32_t)-1; /* from the start */
    }
    return name;
}

static void add_arrays(HostProgram *p, const ArgIndex *given, LaunchValue *value, Var *param, const char *path,
                       const char *place, bool in_struct)
{
    Arena *arena = p->t->arena;
    for (uint32_t i = 0; i < value->field_count; i++)
        add_arrays(p, given, &value->fields[i], param,
                   arena_format(arena, "%s.%s", path, value->type->decl->fields[i].name->text),
                   arena_format(arena, "%s.%s", place, struct_names(p->t, value->type->decl)->fields[i]), true);
    if (value->type->kind != TYPE_ARRAY)
        return;
    const char *name = array_name(p, place, in_struct);
    const Type *type = strip(value->type->array.dtype);
    CheckRange range = check_range(value, arg_at(given, path));
    ARENA_PUSH(arena, p->arrays, p->array_count, p->array_cap) =
        (HostArray){.e = {.type = type,
                          .value = value,
                          .low = range.low,
                          .high = range.high,
                          .is_float = is_float_type(type),
                          .is_output = param->is_written || param->is_updated,
                          .is_updated = param->is_updated,
                          .is_unordered = param->is_unordered},
                    .param = param,
                    .path = path,
                    .place = place,
                    .name = name,
                    .element = c_type(p->t, type).text,
                    .in_struct = in_struct};
}

/* ---- loops that save ---- */

/* How many turns a loop may have whose bounds are not known now: as many as anything in the launch has elements. */
static uint32_t turns_of_value(const LaunchValue *value, uint32_t turns)
{
    for (uint32_t d = 0; d < value->ndim; d++)
        turns = value->shape[d] > turns ? value->shape[d] : turns;
    if (value->type->kind == TYPE_INT32 && value->cells[0].integer > turns && value->cells[0].integer <= MOST_SAVED)
        turns = (uint32_t)value->cells[0].integer;
    for (uint32_t i = 0; i < value->field_count; i++)
        turns = turns_of_value(&value->fields[i], turns);
    return turns;
}

static uint32_t turns_of_launch(const Launch *launch)
{
    uint32_t turns = FEWEST_SAVED;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        turns = turns_of_value(&launch->args[i], turns);
    return turns > MOST_SAVED ? MOST_SAVED : turns;
}

/* An array that holds one and the same number may have it tie with what is compared: there is no derivative there. */
static void mark_extreme(HostArray *array)
{
    array->keeps_result = true;
    if (!array->e.is_float || array->e.low < array->e.high)
        return;
    array->e.low -= 0.5;
    array->e.high += 0.5;
}

/* ---- texts ---- */

/* Arrays with shape and range, scalars with their values; those in structs by their paths. */
static void add_argument(HostProgram *p, Text *out, const LaunchValue *value, const char *path, bool *follows)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        add_argument(p, out, &value->fields[i],
                     arena_format(p->t->arena, "%s.%s", path, value->type->decl->fields[i].name->text), follows);
    if (value->field_count)
        return;
    text_str(out, *follows ? ", " : "");
    *follows = true;
    text_json_string(out, path, strlen(path));
    if (value->type->kind == TYPE_ARRAY) {
        while (strcmp(p->arrays[p->array_at % p->array_count].path, path) != 0) /* mostly the next */
            p->array_at++;
        const HostArray *array = &p->arrays[p->array_at++ % p->array_count];
        text_lit(out, ": {\"shape\": [");
        for (uint32_t d = 0; d < value->ndim; d++)
            text_format(out, "%s%u", d ? ", " : "", value->shape[d]);
        text_format(out, "], \"range\": [%.17g, %.17g]}", array->e.low, array->e.high);
        return;
    }
    bool several = type_is_composite(value->type);
    text_str(out, several ? ": {\"value\": [" : ": {\"value\": ");
    for (uint32_t i = 0; i < value->width; i++) {
        text_str(out, i ? ", " : "");
        if (value->cell_types[i]->kind == TYPE_BOOL)
            text_str(out, value->cells[i].integer ? "true" : "false");
        else if (type_is_float(value->cell_types[i]))
            text_format(out, "%.17g", value->cells[i].real);
        else if (value->cell_types[i]->kind == TYPE_UINT64 || value->cell_types[i]->kind == TYPE_HANDLE)
            text_format(out, "%llu", (unsigned long long)value->cells[i].integer);
        else
            text_format(out, "%lld", (long long)value->cells[i].integer);
    }
    text_str(out, several ? "]}" : "}");
}

static void add_member(Text *out, const char *name, const char *text)
{
    if (!text)
        return;
    text_format(out, "%s\n  \"%s\": ", out->len > 1 ? "," : "", name);
    text_json_string(out, text, strlen(text));
}

static void print_metadata(HostProgram *p, const char *reason, Text *out)
{
    const StandaloneSample *sample = p->sample;
    text_char(out, '{');
    add_member(out, "kernel_name", sample->name);
    add_member(out, "category", sample->category);
    add_member(out, "description", sample->description);
    text_format(out, ",\n  \"seed\": %llu,\n  \"index\": %llu,\n  \"has_backward\": %s",
                (unsigned long long)sample->seed, (unsigned long long)sample->index,
                p->expected.has_backward ? "true" : "false");
    add_member(out, "backward_reason", p->expected.has_backward ? NULL : reason);
    text_lit(out, ",\n  \"launch\": {\"dim\": [");
    for (uint32_t i = 0; i < p->launch->ndim; i++)
        text_format(out, "%s%u", i ? ", " : "", p->launch->dim[i]);
    text_str(out, "]");
    if (p->t->lanes)
        text_format(out, ", \"block_dim\": %u", p->t->lanes);
    text_lit(out, ", \"args\": {");
    bool follows = false;
    for (uint32_t i = 0; i < p->launch->arg_count; i++)
        add_argument(p, out, &p->launch->args[i], p->t->kernel->params[i]->name->text, &follows);
    text_lit(out, "}}");
    add_member(out, "warp_version", p->t->unit->dialect->number);
    add_member(out, "weft_version", weft_version());
    text_lit(out, "\n}\n");
}

/* ---- all of it ---- */

static bool has_gradient(const HostProgram *p)
{
    bool input = false, output = false;
    for (uint32_t i = 0; i < p->array_count; i++) {
        input |= p->arrays[i].e.is_float && (p->arrays[i].in_struct || p->arrays[i].param->adjoint_used);
        output |= p->arrays[i].e.is_float && p->arrays[i].e.is_output;
    }
    return input && output;
}

bool standalone_program(Unit *unit, const IrModule *module, StandaloneLibrary *library, const CheckLaunch *launch,
                        const StandaloneSample *sample, StandaloneProgram *out)
{
    const char *why = NULL;
    Launch *inputs = check_make_launch(unit, module, launch, 1, &why);
    out->reason = why;
    out->finding = NULL;
    out->offset = module->kernel->code->def->start;
    if (!inputs)
        return false;
    Translator *t = new_translator(unit, module, library);
    t->turns = turns_of_launch(inputs);
    set_blocks(t, inputs->dim, inputs->ndim, inputs->block_dim);
    if (!translate_all(t)) {
        out->reason = t->reason;
        out->offset = t->offset;
        return false;
    }
    HostProgram p = {.t = t, .launch = inputs, .sample = sample};
    if (setjmp(t->refused)) {
        out->reason = t->reason;
        return false;
    }
    const ArgIndex given = check_index_args(t->arena, launch);
    for (uint32_t i = 0; i < inputs->arg_count; i++)
        add_arrays(&p, &given, &inputs->args[i], t->kernel->params[i], t->kernel->params[i]->name->text,
                   t->kernel->params[i]->text, false);
    for (uint32_t i = 0; i < p.array_count; i++)
        if (p.arrays[i].param->is_extreme)
            mark_extreme(&p.arrays[i]);
    ExpectedArray **arrays = ARENA_ARRAY(unit->arena, ExpectedArray *, p.array_count);
    for (uint32_t i = 0; i < p.array_count; i++)
        arrays[i] = &p.arrays[i].e;
    p.expected = (Expectation){.arena = unit->arena,
                               .launch = inputs,
                               .kernel = ast_program(unit, module->kernel->kernel),
                               .module = module,
                               .arrays = arrays,
                               .array_count = p.array_count,
                               .is_brief = sample->is_guessed,
                               .has_backward = t->kernel->adjoint_text && has_gradient(&p)};
    if (!expect_find(&p.expected)) {
        const Finding *finding = &p.expected.finding;
        out->reason = finding->message ? finding->message : "it cannot be evaluated";
        out->finding = finding_name(finding->kind);
        out->offset = finding->offset;
        return false;
    }
    out->has_backward = p.expected.has_backward;
    if (!out->has_backward)
        t->kernel->adjoint_text = NULL;
    out->reason = p.expected.no_backward ? p.expected.no_backward : t->kernel->no_adjoint;
    const char *reason = out->reason ? out->reason : "nothing is differentiable";
    print_host(&p, reason, out->cu);
    print_metadata(&p, reason, out->metadata);
    out->stem = t->kernel->name;
    fill_words(out->makefile, (const char *)standalone_makefile, standalone_makefile_size,
               &(Words){(const char *const[]){"KERNEL", out->stem, NULL}, NULL});
    return true;
}
