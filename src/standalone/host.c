/* The host side of a program: its data, launches and checks, from the sections of host.cu. */
#include "standalone/host.h"

#include <math.h>
#include <string.h>

/* The same numbers are drawn by the program: see `unit` in host.cu. */
double stream_unit(uint64_t stream, uint64_t index)
{
    uint64_t z = stream * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

double stream_direction(uint64_t stream, uint64_t index)
{
    return stream_unit(stream, index) * 2 - 1;
}

/* ---- sections ---- */

void fill_slots(Text *out, const char *text, const char *const *slots)
{
    while (*text) {
        const char *const *slot = slots;
        while (*slot && strncmp(text, *slot, strlen(*slot)) != 0)
            slot += 2;
        if (*slot) {
            text_str(out, slot[1]);
            text += strlen(*slot);
        } else
            text_char(out, *text++);
    }
}

/* A section with words and what to write for them, in turn. */
#define SECTION(p, out, name, ...)                                                                                     \
    fill_slots((out), find_section((p)->t->library, (name))->text, (const char *const[]){__VA_ARGS__, NULL})

static void add_section(const HostProgram *p, Text *out, const char *name)
{
    text_str(out, find_section(p->t->library, name)->text);
}

static void add_array_section(const HostProgram *p, Text *out, const char *name, const HostArray *array)
{
    SECTION(p, out, name, "ARRAY", array->name, "WHAT", array->path);
}

static const char *number(const HostProgram *p, uint64_t value)
{
    return arena_format(p->t->arena, "%llu", (unsigned long long)value);
}

/* ---- parts of elements ---- */

static void add_parts_of(HostProgram *p, Text *out, const Type *type, const char *place)
{
    Translator *t = p->t;
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        add_parts_of(p, out, strip(type->decl->fields[i].type),
                     arena_format(t->arena, "%s.%s", place, struct_names(t, type->decl)->fields[i]));
    for (uint32_t i = 0; type->kind != TYPE_STRUCT && i < parts_of(type); i++)
        text_format(out, "    visit(%s%s);\n", place, type_is_composite(type) ? component_text(t, type, i).text : "");
}

static void print_part_functions(HostProgram *p, Text *out)
{
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        bool is_done = false;
        for (uint32_t k = 0; k < i; k++)
            is_done |= strcmp(p->arrays[k].element, array->element) == 0;
        if (is_done)
            continue;
        text_format(out, "template <class F> void each_part(%s &item, F visit)\n{\n", array->element);
        add_parts_of(p, out, array->type, "item");
        text_lit(out, "}\n\n");
    }
}

/* ---- the data ---- */

static const char *cell_text(HostProgram *p, const Type *type, const Cell *cell)
{
    if (type_is_float(type))
        return number_text(p->t, cell->real, type->kind);
    if (type->kind == TYPE_BOOL)
        return cell->integer ? "true" : "false";
    if (type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE)
        return arena_format(p->t->arena, "%lluull", (unsigned long long)cell->integer);
    return arena_format(p->t->arena, type->kind == TYPE_INT64 ? "%lldll" : "%lld", (long long)cell->integer);
}

static void add_value(HostProgram *p, Text *out, const LaunchValue *value)
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

/* Its first size is that of the launch. */
static bool grows(const HostProgram *p, const HostArray *array)
{
    return !array->in_struct && array->value->shape[0] == p->launch->dim[0];
}

static const char *count_text(HostProgram *p, const HostArray *array)
{
    size_t rest = 1;
    for (uint32_t i = 1; i < array->value->ndim; i++)
        rest *= array->value->shape[i];
    if (!grows(p, array))
        return number(p, rest * array->value->shape[0]);
    return rest == 1 ? "(size_t)launch_size" : arena_format(p->t->arena, "(size_t)launch_size * %zu", rest);
}

static bool has_adjoint(const HostProgram *p, const HostArray *array)
{
    return p->has_backward && array->is_float && (array->in_struct || array->param->adjoint_used);
}

/* A struct argument of the backward kernel that has gradients. */
static bool has_adjoint_struct(const Var *param)
{
    return param->type->kind == TYPE_STRUCT && is_float_type(param->type);
}

static void print_members(HostProgram *p, Text *out)
{
    const Routine *kernel = p->t->kernel;
    for (uint32_t i = 0; i < p->array_count; i++) {
        text_format(out, "    Array<%s> %s", p->arrays[i].element, p->arrays[i].name);
        if (has_adjoint(p, &p->arrays[i]))
            text_format(out, ", adj_%s", p->arrays[i].name);
        text_lit(out, ";\n");
    }
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const Var *param = kernel->params[i];
        if (param->type->kind == TYPE_ARRAY)
            continue;
        const char *type = c_type(p->t, param->type).text;
        text_format(out, "    %s %s = ", type, param->text);
        add_value(p, out, &p->launch->args[i]);
        text_lit(out, ";\n");
        if (p->has_backward && has_adjoint_struct(param))
            text_format(out, "    %s adj_%s = %s;\n", type, param->text, param->text);
    }
}

static void print_data(HostProgram *p, Text *out)
{
    text_lit(out, "struct Data {\n    int launch_size;\n");
    print_members(p, out);
    text_lit(out, "    explicit Data(int size)\n        : launch_size(size)");
    for (uint32_t i = 0; i < p->array_count; i++) {
        const char *name = p->arrays[i].name, *count = count_text(p, &p->arrays[i]);
        text_format(out, ", %s(%s)", name, count);
        if (has_adjoint(p, &p->arrays[i]))
            text_format(out, ", adj_%s(%s)", name, count);
    }
    text_lit(out, "\n    {\n");
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!array->in_struct)
            continue;
        text_format(out, "        %s = %s.device;\n", array->place, array->name);
        if (p->has_backward && is_float_type(array->param->type))
            text_format(out, "        adj_%s = %s;\n", array->place,
                        has_adjoint(p, array) ? arena_format(p->t->arena, "adj_%s.device", array->name) : "nullptr");
    }
    text_lit(out, "    }\n};\n\n");
}

/* ---- filling ---- */

static void print_array_fill(const HostProgram *p, const HostArray *array, Text *out)
{
    bool quat = array->type->kind == TYPE_QUAT, transform = array->type->kind == TYPE_TRANSFORM;
    text_format(out, "    fill(data.%s, %u, %.17g, %.17g);\n", array->name, array->stream, array->low, array->high);
    if ((quat || transform) && array->low < array->high)
        SECTION(p, out, "normalize_rotations", "ARRAY", array->name, ".q", transform ? ".q" : "");
    text_format(out, "    data.%s.upload();\n", array->name);
}

static void print_fill(HostProgram *p, Text *out)
{
    text_lit(out, "// Inputs from a fixed seed, inside the ranges that the kernel is made for.\n");
    text_format(out, "static void fill_inputs(Data &%s)\n{\n", p->array_count ? "data" : "");
    for (uint32_t i = 0; i < p->array_count; i++)
        print_array_fill(p, &p->arrays[i], out);
    text_lit(out, "}\n\n");
}

/* ---- launches ---- */

static const HostArray *array_of(const HostProgram *p, const Var *param)
{
    const HostArray *array = p->arrays;
    while (array->param != param || array->in_struct)
        array++;
    return array;
}

static void add_launch_arg(const HostProgram *p, Text *out, const Var *param, bool backward)
{
    if (param->type->kind != TYPE_ARRAY) {
        text_format(out, ", data.%s", param->text);
        if (backward && has_adjoint_struct(param))
            text_format(out, ", data.adj_%s", param->text);
        return;
    }
    const HostArray *array = array_of(p, param);
    text_format(out, ", data.%s.device", array->name);
    for (uint32_t dim = 0; dim < param->type->array.ndim; dim++)
        if (param->dim_used[dim])
            text_format(out, ", %s",
                        dim == 0 && grows(p, array) ? "data.launch_size" : number(p, array->value->shape[dim]));
    if (backward && param->adjoint_used)
        text_format(out, ", data.adj_%s.device", array->name);
}

static void print_launch(HostProgram *p, Text *out, bool backward)
{
    const Routine *kernel = p->t->kernel;
    const Launch *launch = p->launch;
    const char *name = backward ? kernel->adjoint : kernel->name;
    uint64_t rest = 1;
    for (uint32_t i = 1; i < launch->ndim; i++)
        rest *= launch->dim[i];
    text_format(out, "static void launch_%s(Data &data)\n{\n    int threads = data.launch_size", name);
    if (rest != 1)
        text_format(out, " * %llu", (unsigned long long)rest);
    text_format(out, ", block = 128;\n    LAUNCH(%s, (threads + block - 1) / block, block", name);
    for (uint32_t i = 0; i < kernel->param_count; i++)
        add_launch_arg(p, out, kernel->params[i], backward);
    text_lit(out, ", data.launch_size");
    for (uint32_t i = 1; i < launch->ndim; i++)
        text_format(out, ", %u", launch->dim[i]);
    text_lit(out, ");\n    CHECK(cudaGetLastError());\n    CHECK(cudaDeviceSynchronize());\n}\n\n");
}

/* ---- checking ---- */

static bool has_unsure(const HostArray *array)
{
    for (size_t i = 0; array->unsure && i < array->value->count * array->value->width; i++)
        if (array->unsure[i])
            return true;
    return false;
}

/* Before an item of a list that is written in lines of so many. */
static const char *list_mark(size_t index, size_t per_line)
{
    return index % per_line ? ", " : index ? ",\n    " : "\n    ";
}

static void print_expected(HostProgram *p, Text *out)
{
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!array->is_output || array->comparison == NOT_COMPARED)
            continue;
        if (array->comparison == AS_SET)
            text_lit(out, "// sorted: where they stand depends on the order of threads\n");
        else if (has_unsure(array))
            text_lit(out, "// NAN: not compared, since the last digit of a number decides about it\n");
        text_format(out, "static const double expected_%s[] = {", array->name);
        for (uint32_t k = 0; k < array->expected_count; k++) {
            double value = array->expected[k];
            bool whole = value == floor(value) && fabs(value) < 1e15;
            text_str(out, list_mark(k, 12));
            if (isnan(value))
                text_lit(out, "NAN");
            else
                text_format(out, whole ? "%.0f" : array->is_float ? "%.9g" : "%.17g", value);
        }
        text_lit(out, "};\n");
    }
    text_char(out, '\n');
}

static void print_forward_check(HostProgram *p, Text *out)
{
    static const char *const sections[] = {
        [BY_PLACE] = "compare", [AS_SET] = "compare_set", [NOT_COMPARED] = "compare_nothing"};
    bool any = false;
    add_section(p, out, "check_forward");
    for (uint32_t i = 0; i < p->array_count; i++) {
        if (p->arrays[i].is_output)
            add_array_section(p, out, "download", &p->arrays[i]);
        any |= p->arrays[i].is_output && p->arrays[i].comparison != NOT_COMPARED;
    }
    SECTION(p, out, any ? "known" : "unknown", "COUNT", number(p, p->launch->dim[0]));
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (array->is_output)
            SECTION(p, out, sections[array->comparison], "ARRAY", array->name, "WHAT", array->path, "NUMBERS",
                    number(p, array->expected_count), "STEP", number(p, array->step), "TOLERANCE",
                    arena_format(p->t->arena, "%.3g", array->tolerance));
    }
    add_section(p, out, "end_check");
    text_char(out, '\n');
}

/* Parts whose derivative the last digit of a number decides about. */
static void print_unsure(const HostArray *array, Text *out)
{
    text_format(out,
                "// without weight: the last digit of a number decides about their derivative\n"
                "static const size_t unsure_%s[] = {",
                array->name);
    for (size_t i = 0, count = 0; i < array->value->count * array->value->width; i++)
        if (array->unsure[i])
            text_format(out, "%s%zu", list_mark(count++, 16), i);
    text_lit(out, "};\n\n");
}

static void print_seeds(HostProgram *p, Text *out)
{
    for (uint32_t i = 0; i < p->array_count; i++)
        if (has_adjoint(p, &p->arrays[i]) && has_unsure(&p->arrays[i]))
            print_unsure(&p->arrays[i], out);
    add_section(p, out, "prepare_backward");
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!has_adjoint(p, array))
            continue;
        if (array->is_output)
            SECTION(p, out, "weights", "ARRAY", array->name, "STREAM", number(p, STREAM_WEIGHTS + array->stream));
        if (has_unsure(array))
            add_array_section(p, out, "unsure_weights", array);
        add_array_section(p, out, "upload_weights", array);
    }
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (array->is_output && !array->keeps_result && array->param->is_read)
            print_array_fill(p, array, out);
    }
    text_lit(out, "}\n\n");
}

static void print_backward_check(HostProgram *p, Text *out)
{
    Arena *arena = p->t->arena;
    SECTION(p, out, "check_backward", "DERIVATIVES",
            arena_format(arena, "%.17g, %.17g, %.17g", p->derivative[0], p->derivative[1], p->derivative[2]), "SLACKS",
            arena_format(arena, "%.3g, %.3g, %.3g", p->slack[0], p->slack[1], p->slack[2]));
    for (uint32_t i = 0; i < p->array_count; i++)
        if (has_adjoint(p, &p->arrays[i]))
            add_array_section(p, out, "download_gradient", &p->arrays[i]);
    SECTION(p, out, "directions", "DIRECTIONS", number(p, DIRECTIONS), "COUNT", number(p, p->launch->dim[0]));
    for (uint32_t i = 0; i < p->array_count; i++)
        if (has_adjoint(p, &p->arrays[i]))
            SECTION(p, out, "direction", "ARRAY", p->arrays[i].name, "STREAM",
                    number(p, STREAM_DIRECTION + p->arrays[i].stream), "BETWEEN", number(p, STREAM_DIRECTION));
    add_section(p, out, "end_directions");
    text_char(out, '\n');
}

/* ---- all of it ---- */

void print_host(HostProgram *p, Text *out)
{
    bool rotations = false, results = p->has_backward, sets = false;
    for (uint32_t i = 0; i < p->array_count; i++) {
        rotations |= p->arrays[i].type->kind == TYPE_QUAT || p->arrays[i].type->kind == TYPE_TRANSFORM;
        results |= p->arrays[i].is_output;
        sets |= p->arrays[i].comparison == AS_SET;
    }
    const struct {
        const char *section;
        bool is_used;
    } tools[] = {{"memory_tools", true},       {"input_tools", p->array_count},
                 {"error_tools", true},        {"result_tools", results},
                 {"set_tools", sets},          {"gradient_tools", p->has_backward},
                 {"rotation_tools", rotations}};
    print_part_functions(p, out);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (tools[i].is_used) {
            add_section(p, out, tools[i].section);
            text_char(out, '\n');
        }
    print_data(p, out);
    print_fill(p, out);
    print_launch(p, out, false);
    if (p->has_backward)
        print_launch(p, out, true);
    print_expected(p, out);
    print_forward_check(p, out);
    if (p->has_backward) {
        print_seeds(p, out);
        print_backward_check(p, out);
    }
    add_section(p, out, "bench");
    text_char(out, '\n');
    static const char *const ends[] = {"main", "main_backward", "main_timed", "main_timed_backward", "main_end"};
    for (int i = 0; i < 5; i++)
        if (p->has_backward || i % 2 == 0)
            SECTION(p, out, ends[i], "KERNEL", p->t->kernel->name, "COUNT", number(p, p->launch->dim[0]), "PASSES",
                    p->has_backward ? "forward and backward" : "forward");
}
