/* A program with its reference values: inputs, results and directional derivatives from the syntax tree evaluator. */
#include "standalone/host.h"

#include "eval/ast_eval.h"
#include "eval/tree_eval.h"
#include "weft.h"

#include "standalone_shim_text.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 20 * 1000 * 1000, MAX_CELLS = 1 << 20 };

const char *standalone_shim(void)
{
    return (const char *)standalone_shim_text;
}

/* ---- the arrays of a launch ---- */

static const CheckArg *find_arg(const CheckLaunch *launch, const char *path)
{
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (strcmp(launch->args[i].name, path) == 0)
            return &launch->args[i];
    return NULL;
}

/* The ranges that check_make_launch() takes, too. */
static void find_range(HostArray *array, const CheckLaunch *launch)
{
    const CheckArg *arg = find_arg(launch, array->path);
    bool floats = array->value->width && type_is_float(array->value->cell_types[0]);
    array->low = floats ? 0.25 : 0;
    array->high = floats ? 0.95 : 7;
    if (arg && arg->has_range) {
        array->low = arg->low;
        array->high = arg->high;
    }
    if (arg && arg->has_value)
        array->low = array->high = arg->value;
}

static double draw(const HostArray *array, const Type *type, uint64_t index)
{
    double unit = stream_unit(array->stream, index);
    if (type_is_float(type))
        return round_to_type(array->low + (array->high - array->low) * unit, type->kind);
    double span = floor(array->high) - ceil(array->low) + 1;
    double value = ceil(array->low) + floor(unit * (span > 1 ? span : 1));
    return type->kind == TYPE_BOOL ? value != 0 : value;
}

static void normalize_rotations(const HostArray *array)
{
    bool quat = array->type->kind == TYPE_QUAT, transform = array->type->kind == TYPE_TRANSFORM;
    if ((!quat && !transform) || !(array->low < array->high))
        return;
    for (size_t i = 0; i < array->value->count; i++) {
        Cell *q = &array->value->cells[i * array->value->width + (transform ? 3 : 0)];
        double size = 0;
        for (int k = 0; k < 4; k++)
            size += q[k].real * q[k].real;
        for (int k = 0; k < 4 && size > 0; k++)
            q[k].real = round_to_type(q[k].real / sqrt(size), array->type->composite.dtype->kind);
    }
}

static void fill_array(const HostArray *array)
{
    LaunchValue *value = array->value;
    for (size_t i = 0; i < value->count * value->width; i++) {
        const Type *type = value->cell_types[i % value->width];
        double number = draw(array, type, i);
        if (type_is_float(type))
            value->cells[i].real = number;
        else
            value->cells[i].integer = (int64_t)wrap_to_type(truncate_real(number), type->kind);
    }
    normalize_rotations(array);
}

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

static void add_arrays(HostProgram *p, const CheckLaunch *launch, LaunchValue *value, const Var *param,
                       const char *path, const char *place, bool in_struct)
{
    Arena *arena = p->t->arena;
    for (uint32_t i = 0; i < value->field_count; i++)
        add_arrays(p, launch, &value->fields[i], param,
                   arena_format(arena, "%s.%s", path, value->type->decl->fields[i].name->text),
                   arena_format(arena, "%s.%s", place, struct_names(p->t, value->type->decl)->fields[i]), true);
    if (value->type->kind != TYPE_ARRAY)
        return;
    const char *name = array_name(p, place, in_struct);
    HostArray *array = &ARENA_PUSH(arena, p->arrays, p->array_count, p->array_cap);
    *array = (HostArray){.param = param,
                         .path = path,
                         .place = place,
                         .name = name,
                         .type = strip(value->type->array.dtype),
                         .value = value,
                         .stream = p->array_count,
                         .in_struct = in_struct};
    array->element = c_type(p->t, array->type).text;
    array->is_float = is_float_type(array->type);
    array->is_output = param->is_written || param->is_updated;
    find_range(array, launch);
    fill_array(array);
}

/* ---- running ---- */

typedef struct Reference {
    HostProgram *p;
    AstProgram *program;
    const IrModule *module;
    StandaloneProgram *out;
} Reference;

static void visit_arrays(LaunchValue *value, LaunchValue **list, uint32_t *count)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        visit_arrays(&value->fields[i], list, count);
    if (value->type->kind == TYPE_ARRAY)
        list[(*count)++] = value;
}

/* The arrays of a copy of the launch, in the order of p->arrays. */
static LaunchValue **arrays_of(const HostProgram *p, Launch *launch)
{
    LaunchValue **list = ARENA_ARRAY(p->t->arena, LaunchValue *, p->array_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        visit_arrays(&launch->args[i], list, &count);
    return list;
}

static bool run(Reference *r, Launch *launch, bool in_double, bool races)
{
    AstRun run = {.in_double = in_double, .detect_races = races, .max_steps = MAX_STEPS};
    if (ast_program_run(r->program, launch, &run))
        return true;
    r->out->reason = run.finding.message ? run.finding.message : "it cannot be evaluated";
    r->out->finding = finding_name(run.finding.kind);
    r->out->offset = run.finding.offset;
    return false;
}

static double cell_number(const LaunchValue *value, size_t i)
{
    const Type *type = value->cell_types[i % value->width];
    if (type_is_float(type))
        return value->cells[i].real;
    if (type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE)
        return (double)(uint64_t)value->cells[i].integer;
    return (double)value->cells[i].integer;
}

/* The result in the kernel's own types; how far it may be off follows from how far it is from the one in double. */
static void keep_expected(HostProgram *p, HostArray *array, const LaunchValue *rounded, const LaunchValue *exact)
{
    size_t cells = rounded->count * rounded->width;
    array->step = (uint32_t)((cells + MAX_EXPECTED - 1) / MAX_EXPECTED);
    array->step = array->step ? array->step : 1;
    array->step |= 1; /* meets all parts of a vector */
    array->expected_count = (uint32_t)((cells + array->step - 1) / array->step);
    double *expected = ARENA_ARRAY(p->t->arena, double, array->expected_count + 1), scale = 0, off = 0;
    for (size_t i = 0; i < cells; i++) {
        if (i % array->step == 0)
            expected[i / array->step] = cell_number(rounded, i);
        if (!type_is_float(rounded->cell_types[i % rounded->width]))
            continue;
        scale = fmax(scale, fabs(rounded->cells[i].real));
        off = fmax(off, fabs(rounded->cells[i].real - exact->cells[i].real));
    }
    array->expected = expected;
    array->tolerance = array->is_float ? 1e-4 * scale + 16 * off + 1e-6 : 0.5;
}

static bool find_results(Reference *r)
{
    HostProgram *p = r->p;
    Launch *rounded = launch_copy(p->t->arena, p->launch), *exact = launch_copy(p->t->arena, p->launch);
    if (!run(r, rounded, false, true) || !run(r, exact, true, false))
        return false;
    LaunchValue **a = arrays_of(p, rounded), **b = arrays_of(p, exact);
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i].is_output)
            keep_expected(p, &p->arrays[i], a[i], b[i]);
    return true;
}

static bool is_float_array(const HostArray *array)
{
    return array->is_float;
}

/* weights . (J direction) */
static bool derivative_along(Reference *r, uint32_t k, bool in_double, double *out)
{
    HostProgram *p = r->p;
    Launch *launch = launch_copy(p->t->arena, p->launch);
    LaunchValue **list = arrays_of(p, launch);
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!is_float_array(array))
            continue;
        size_t cells = list[i]->count * list[i]->width;
        list[i]->tangents = ARENA_ARRAY(p->t->arena, double, cells);
        for (size_t c = 0; c < cells; c++)
            if (type_is_float(list[i]->cell_types[c % list[i]->width]))
                list[i]->tangents[c] = stream_direction(STREAM_DIRECTION + array->stream + STREAM_DIRECTION * k, c);
    }
    if (!run(r, launch, in_double, false))
        return false;
    *out = 0;
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!is_float_array(array) || !array->is_output)
            continue;
        for (size_t c = 0; c < list[i]->count * list[i]->width; c++)
            if (type_is_float(list[i]->cell_types[c % list[i]->width])) {
                double weight = (double)(float)stream_direction(STREAM_WEIGHTS + array->stream, c);
                *out += weight * list[i]->tangents[c];
            }
    }
    return isfinite(*out);
}

/* Sums of terms that cancel: threads add them in any order, and what rounding leaves goes by the size of the terms. Warp's
 * reverse pass is near enough for that; where it cannot be run, nothing is added. */
static void allow_for_sums(Reference *r)
{
    const double rounding = 16.0 / (1 << 24);
    HostProgram *p = r->p;
    Arena *arena = p->t->arena;
    Finding finding = {0};
    TreeProgram *tree = tree_compile(arena, r->module, true, &finding);
    Launch *launch = launch_copy(arena, p->launch);
    LaunchValue **list = arrays_of(p, launch);
    TreeRun forward = {.max_steps = MAX_STEPS}, backward = {.backward = true, .sizes = true, .max_steps = MAX_STEPS};
    if (!tree || !tree_execute(tree, launch, &forward))
        return;
    for (uint32_t i = 0; i < p->array_count; i++) {
        size_t cells = list[i]->count * list[i]->width;
        if (!is_float_array(&p->arrays[i]))
            continue;
        list[i]->gradients = ARENA_ARRAY(arena, double, cells);
        for (size_t c = 0; p->arrays[i].is_output && c < cells; c++)
            if (type_is_float(list[i]->cell_types[c % list[i]->width]))
                list[i]->gradients[c] = stream_direction(STREAM_WEIGHTS + p->arrays[i].stream, c);
    }
    if (!tree_execute(tree, launch, &backward))
        return;
    for (uint32_t k = 0; k < DIRECTIONS; k++)
        for (uint32_t i = 0; i < p->array_count; i++) {
            uint64_t stream = STREAM_DIRECTION + p->arrays[i].stream + STREAM_DIRECTION * k;
            for (size_t c = 0; list[i]->gradients && c < list[i]->count * list[i]->width; c++)
                if (isfinite(list[i]->gradients[c]))
                    p->slack[k] += rounding * fabs(list[i]->gradients[c] * stream_direction(stream, c));
        }
}

static bool find_derivatives(Reference *r)
{
    HostProgram *p = r->p;
    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        double rounded;
        if (!derivative_along(r, k, true, &p->derivative[k]) || !derivative_along(r, k, false, &rounded))
            return false;
        p->slack[k] = 16 * fabs(p->derivative[k] - rounded);
    }
    allow_for_sums(r);
    return true;
}

/* ---- loops that save ---- */

/* How many turns a loop may have whose bounds are not known now: as many as anything in the launch has elements. */
static uint32_t turns_of_launch(const Launch *launch)
{
    uint32_t turns = 64;
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const LaunchValue *value = &launch->args[i];
        for (uint32_t d = 0; d < value->ndim; d++)
            turns = value->shape[d] > turns ? value->shape[d] : turns;
        if (value->type->kind == TYPE_INT32 && value->cells[0].integer > turns && value->cells[0].integer <= 4096)
            turns = (uint32_t)value->cells[0].integer;
    }
    return turns > 4096 ? 4096 : turns;
}

/* An array that holds one and the same number may have it tie with what is compared: there is no derivative there. */
static void mark_extreme(HostArray *array)
{
    array->keeps_result = true;
    if (!array->is_float || array->low < array->high)
        return;
    array->low -= 0.5;
    array->high += 0.5;
    fill_array(array);
}

static void note_extremes(HostProgram *p, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        bool extreme = step->kind == STEP_ATOMIC && (!strcmp(step->atomic, "min") || !strcmp(step->atomic, "max"));
        for (uint32_t k = 0; extreme && k < p->array_count; k++)
            if (p->arrays[k].param == root_var(step->place))
                mark_extreme(&p->arrays[k]);
        note_extremes(p, &step->body);
        note_extremes(p, &step->orelse);
    }
}

/* ---- texts ---- */

static const char head[] =
    "#ifdef __CUDACC__\n"
    "#include <cuda_runtime.h>\n"
    "#define LAUNCH(kernel, blocks, block_size, ...) kernel<<<blocks, block_size>>>(__VA_ARGS__)\n"
    "#else\n"
    "#include \"weft_cpu_shim.h\" // runs the threads one after the other\n"
    "#endif\n"
    "\n"
    "#include <cmath>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
    "#include <type_traits>\n\n";

static void print_cu(HostProgram *p, const char *reason, Text *out)
{
    const StandaloneSample *sample = p->sample;
    const char *stem = p->t->kernel->name;
    text_format(out, "// %s: a CUDA program made from the Warp kernel in %s.py.\n", sample->name, stem);
    if (!p->has_backward)
        text_format(out, "// There is no backward kernel: %s.\n", reason ? reason : "nothing is differentiable");
    text_format(out, "//\n//     nvcc -std=c++17 -arch=sm_90 -fmad=false %s.cu -o %s && ./%s\n//\n\n", stem, stem,
                stem);
    text_str(out, head);
    print_routines(p->t, out);
    print_host(p, out);
}

static void print_makefile(const char *name, Text *out)
{
    text_format(out,
                "# make builds and `make run` runs on a GPU; `make cpu` does both without one.\n"
                "NAME = %s\nARCH ?= sm_90\nNVCC ?= nvcc\nCXX ?= g++\n"
                "# Without contracted multiply-adds, results are the same on CPU and GPU but for the functions of the "
                "library.\n"
                "NVCCFLAGS ?= -std=c++17 -O2 -arch=$(ARCH) -fmad=false -Xcompiler -Wall\n"
                "CXXFLAGS ?= -std=c++17 -O1 -Wall -ffp-contract=off\n\n"
                "$(NAME): $(NAME).cu\n\t$(NVCC) $(NVCCFLAGS) $< -o $@\n\n"
                "$(NAME).ptx: $(NAME).cu\n\t$(NVCC) $(NVCCFLAGS) -ptx $< -o $@\n\n"
                "$(NAME)_cpu: $(NAME).cu weft_cpu_shim.h\n\t$(CXX) $(CXXFLAGS) -x c++ $< -o $@ -lm\n\n"
                "run: $(NAME)\n\t./$(NAME)\n\ncpu: $(NAME)_cpu\n\t./$(NAME)_cpu\n\n"
                "clean:\n\trm -f $(NAME) $(NAME).ptx $(NAME)_cpu\n\n.PHONY: run cpu clean\n",
                name);
}

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
        const HostArray *array = p->arrays;
        while (strcmp(array->path, path) != 0)
            array++;
        text_lit(out, ": {\"shape\": [");
        for (uint32_t d = 0; d < value->ndim; d++)
            text_format(out, "%s%u", d ? ", " : "", value->shape[d]);
        text_format(out, "], \"range\": [%.17g, %.17g]}", array->low, array->high);
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

static void print_metadata(HostProgram *p, const char *reason, Text *out)
{
    const StandaloneSample *sample = p->sample;
    text_lit(out, "{\n  \"kernel_name\": ");
    text_json_string(out, sample->name, strlen(sample->name));
    if (sample->category) {
        text_lit(out, ",\n  \"category\": ");
        text_json_string(out, sample->category, strlen(sample->category));
    }
    if (sample->description) {
        text_lit(out, ",\n  \"description\": ");
        text_json_string(out, sample->description, strlen(sample->description));
    }
    text_format(out, ",\n  \"seed\": %llu,\n  \"index\": %llu,\n  \"has_backward\": %s",
                (unsigned long long)sample->seed, (unsigned long long)sample->index,
                p->has_backward ? "true" : "false");
    if (!p->has_backward) {
        const char *why = reason ? reason : "nothing is differentiable";
        text_lit(out, ",\n  \"backward_reason\": ");
        text_json_string(out, why, strlen(why));
    }
    text_lit(out, ",\n  \"launch\": {\"dim\": [");
    for (uint32_t i = 0; i < p->launch->ndim; i++)
        text_format(out, "%s%u", i ? ", " : "", p->launch->dim[i]);
    text_lit(out, "], \"args\": {");
    bool follows = false;
    for (uint32_t i = 0; i < p->launch->arg_count; i++)
        add_argument(p, out, &p->launch->args[i], p->t->kernel->params[i]->name->text, &follows);
    text_format(out, "}},\n  \"warp_version\": \"%s\",\n  \"weft_version\": \"%s\"\n}\n", weft_warp_version(),
                weft_version());
}

/* ---- all of it ---- */

static bool has_gradient(const HostProgram *p)
{
    bool input = false, output = false;
    for (uint32_t i = 0; i < p->array_count; i++) {
        input |= p->arrays[i].is_float && (p->arrays[i].in_struct || p->arrays[i].param->adjoint_used);
        output |= p->arrays[i].is_float && p->arrays[i].is_output;
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
    Translator *t = ARENA_NEW(unit->arena, Translator);
    t->unit = unit;
    t->arena = unit->arena;
    t->module = module;
    t->library = library;
    t->turns = turns_of_launch(inputs);
    if (!translate_all(t, true)) {
        out->reason = t->reason;
        out->offset = t->at ? t->at->start : out->offset;
        return false;
    }
    HostProgram p = {.t = t, .launch = inputs, .sample = sample};
    if (setjmp(t->refused)) {
        out->reason = t->reason;
        return false;
    }
    for (uint32_t i = 0; i < inputs->arg_count; i++)
        add_arrays(&p, launch, &inputs->args[i], t->kernel->params[i], t->kernel->params[i]->name->text,
                   t->kernel->params[i]->text, false);
    note_extremes(&p, &t->kernel->body);
    p.has_backward = t->kernel->adjoint_text && has_gradient(&p);
    if (!p.has_backward)
        t->kernel->adjoint_text = NULL;
    Reference reference = {&p, ast_program(unit, module->kernel->kernel), module, out};
    if (!find_results(&reference) || (p.has_backward && !find_derivatives(&reference)))
        return false;
    out->has_backward = p.has_backward;
    out->reason = t->kernel->no_adjoint;
    print_cu(&p, t->kernel->no_adjoint, out->cu);
    print_metadata(&p, t->kernel->no_adjoint, out->metadata);
    out->stem = t->kernel->name;
    print_makefile(out->stem, out->makefile);
    return true;
}
