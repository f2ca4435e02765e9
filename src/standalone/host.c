#include "standalone/host.h"

#include <math.h>
#include <string.h>

/* The same numbers are drawn by the program: see `unit` in the text below. */
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

static const char memory_tools[] =
    "// ---- host ----\n"
    "\n"
    "#define CHECK(call)                                                                       \\\n"
    "    do {                                                                                  \\\n"
    "        cudaError_t error = (call);                                                       \\\n"
    "        if (error != cudaSuccess) {                                                       \\\n"
    "            fprintf(stderr, \"%s:%d: %s\\n\", __FILE__, __LINE__, cudaGetErrorString(error)); \\\n"
    "            exit(1);                                                                      \\\n"
    "        }                                                                                 \\\n"
    "    } while (0)\n"
    "\n"
    "template <class T> struct Array {\n"
    "    size_t count;\n"
    "    T *host, *device;\n"
    "    explicit Array(size_t size) : count(size), host(new T[size]()), device(nullptr)\n"
    "    {\n"
    "        CHECK(cudaMalloc(&device, count * sizeof(T)));\n"
    "    }\n"
    "    ~Array()\n"
    "    {\n"
    "        cudaFree(device);\n"
    "        delete[] host;\n"
    "    }\n"
    "    Array(const Array &) = delete;\n"
    "    void upload() { CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice)); }\n"
    "    void download() { CHECK(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost)); }\n"
    "};\n"
    "\n";

static const char input_tools[] =
    "// The i-th random number of a stream, in [0, 1).\n"
    "static double unit(uint64_t stream, uint64_t i)\n"
    "{\n"
    "    uint64_t z = stream * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;\n"
    "    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;\n"
    "    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;\n"
    "    z ^= z >> 31;\n"
    "    return (double)(z >> 11) * 0x1p-53;\n"
    "}\n"
    "\n"
    "template <class T> T draw(uint64_t stream, uint64_t i, double low, double high)\n"
    "{\n"
    "    if (!std::is_integral<T>::value)\n"
    "        return (T)(low + (high - low) * unit(stream, i));\n"
    "    double span = floor(high) - ceil(low) + 1;\n"
    "    return (T)(int64_t)(ceil(low) + floor(unit(stream, i) * (span > 1 ? span : 1)));\n"
    "}\n"
    "\n"
    "// Calls visit(number, its position) for every number in an array.\n"
    "template <class T, class F> void each(Array<T> &array, F visit)\n"
    "{\n"
    "    size_t position = 0;\n"
    "    for (size_t i = 0; i < array.count; ++i)\n"
    "        each_part(array.host[i], [&](auto &part) { visit(part, position++); });\n"
    "}\n"
    "\n"
    "template <class T> void fill(Array<T> &array, uint64_t stream, double low, double high)\n"
    "{\n"
    "    each(array, [&](auto &part, size_t i) {\n"
    "        part = draw<typename std::remove_reference<decltype(part)>::type>(stream, i, low, high);\n"
    "    });\n"
    "}\n"
    "\n";

static const char error_tools[] = "static double largest_error; // of all comparisons, 1 being just tolerable\n"
                                  "\n";

static const char result_tools[] =
    "static bool accept(const char *what, double error, double tolerance)\n"
    "{\n"
    "    double relative = error / tolerance;\n"
    "    if (!(relative <= largest_error))\n"
    "        largest_error = relative;\n"
    "    if (relative <= 1.0)\n"
    "        return true;\n"
    "    printf(\"%s: off by %g, tolerated are %g\\n\", what, error, tolerance);\n"
    "    return false;\n"
    "}\n"
    "\n"
    "template <class T>\n"
    "bool compare(const char *what, Array<T> &array, const double *expected, size_t count, size_t step, double "
    "tolerance)\n"
    "{\n"
    "    double worst = 0;\n"
    "    each(array, [&](auto &part, size_t i) {\n"
    "        if (i % step || i / step >= count)\n"
    "            return;\n"
    "        double wanted = expected[i / step];\n"
    "        double error = (double)part == wanted || std::isnan(wanted) ? 0 : fabs((double)part - wanted);\n"
    "        worst = error <= worst ? worst : error; // NaN counts\n"
    "    });\n"
    "    return accept(what, worst, tolerance);\n"
    "}\n"
    "\n"
    "template <class T> bool is_finite(const char *what, Array<T> &array)\n"
    "{\n"
    "    bool finite = true;\n"
    "    each(array, [&](auto &part, size_t) { finite = finite && std::isfinite((double)part); });\n"
    "    if (!finite)\n"
    "        printf(\"%s: not finite\\n\", what);\n"
    "    return finite;\n"
    "}\n"
    "\n";

static const char set_tools[] =
    "// For results whose places depend on the order of threads: the same numbers, wherever they are.\n"
    "template <class T> bool compare_set(const char *what, Array<T> &array, const double *sorted, size_t count, double "
    "tolerance)\n"
    "{\n"
    "    double *found = new double[count](), worst = 0;\n"
    "    each(array, [&](auto &part, size_t i) {\n"
    "        if (i < count)\n"
    "            found[i] = (double)part;\n"
    "    });\n"
    "    qsort(found, count, sizeof *found, [](const void *a, const void *b) {\n"
    "        double p = *(const double *)a, q = *(const double *)b;\n"
    "        return (p > q) - (p < q);\n"
    "    });\n"
    "    for (size_t i = 0; i < count; ++i) {\n"
    "        double error = fabs(found[i] - sorted[i]);\n"
    "        worst = error <= worst ? worst : error; // NaN counts\n"
    "    }\n"
    "    delete[] found;\n"
    "    return accept(what, worst, tolerance);\n"
    "}\n"
    "\n";

static const char gradient_tools[] =
    "// Adds gradient * direction over all floats of an array.\n"
    "template <class T> void add_dot(Array<T> &gradient, uint64_t stream, double &sum, double &size)\n"
    "{\n"
    "    each(gradient, [&](auto &part, size_t i) {\n"
    "        if (!std::is_floating_point<typename std::remove_reference<decltype(part)>::type>::value)\n"
    "            return;\n"
    "        double term = (double)part * (unit(stream, i) * 2 - 1);\n"
    "        sum += term;\n"
    "        size += fabs(term);\n"
    "    });\n"
    "}\n"
    "\n";

static const char rotation_tools[] = "// Rotations are unit quaternions.\n"
                                     "template <class S> void normalize_rotation(S *q)\n"
                                     "{\n"
                                     "    double size = 0;\n"
                                     "    for (int i = 0; i < 4; ++i)\n"
                                     "        size += (double)q[i] * q[i];\n"
                                     "    for (int i = 0; i < 4 && size > 0; ++i)\n"
                                     "        q[i] = (S)(q[i] / sqrt(size));\n"
                                     "}\n"
                                     "\n";

/* ---- parts of elements ---- */

static void add_parts_of(HostProgram *p, Text *out, const Type *type, const char *place)
{
    Translator *t = p->t;
    if (type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < type->decl->field_count; i++)
            add_parts_of(p, out, strip(type->decl->fields[i].type),
                         arena_format(t->arena, "%s.%s", place, struct_names(t, type->decl)->fields[i]));
        return;
    }
    uint32_t parts = parts_of(type);
    for (uint32_t i = 0; i < parts; i++)
        text_format(out, "    visit(%s%s);\n", place,
                    parts > 1 || type_is_composite(type) ? component_text(t, type, i).text : "");
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

static void add_value(HostProgram *p, Text *out, const LaunchValue *value);

static void add_struct_value(HostProgram *p, Text *out, const LaunchValue *value)
{
    text_char(out, '{');
    for (uint32_t i = 0; i < value->field_count; i++) {
        text_str(out, i ? ", " : "");
        add_value(p, out, &value->fields[i]);
    }
    text_char(out, '}');
}

static void add_value(HostProgram *p, Text *out, const LaunchValue *value)
{
    if (value->type->kind == TYPE_ARRAY) { /* of a struct: set later */
        text_lit(out, "nullptr, {");
        for (uint32_t i = 0; i < value->ndim; i++)
            text_format(out, "%s%u", i ? ", " : "", value->shape[i]);
        text_char(out, '}');
        return;
    }
    if (value->field_count) {
        add_struct_value(p, out, value);
        return;
    }
    bool braces = type_is_composite(value->type);
    text_str(out, braces ? "{" : "");
    for (uint32_t i = 0; i < value->width; i++)
        text_format(out, "%s%s", i ? ", " : "", cell_text(p, value->cell_types[i], &value->cells[i]));
    text_str(out, braces ? "}" : "");
}

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
        return arena_format(p->t->arena, "%zu", rest * array->value->shape[0]);
    return rest == 1 ? "(size_t)launch_size" : arena_format(p->t->arena, "(size_t)launch_size * %zu", rest);
}

static bool has_adjoint(const HostProgram *p, const HostArray *array)
{
    return p->has_backward && array->is_float && (array->in_struct || array->param->adjoint_used);
}

static void print_data(HostProgram *p, Text *out)
{
    const Routine *kernel = p->t->kernel;
    text_format(out, "struct Data {\n    int launch_size;\n");
    for (uint32_t i = 0; i < p->array_count; i++) {
        text_format(out, "    Array<%s> %s", p->arrays[i].element, p->arrays[i].name);
        text_format(out, has_adjoint(p, &p->arrays[i]) ? ", adj_%s;\n" : ";\n", p->arrays[i].name);
    }
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const Var *param = kernel->params[i];
        if (param->type->kind == TYPE_ARRAY)
            continue;
        text_format(out, "    %s %s = ", c_type(p->t, param->type).text, param->text);
        add_value(p, out, &p->launch->args[i]);
        text_lit(out, ";\n");
        if (p->has_backward && param->type->kind == TYPE_STRUCT && is_float_type(param->type))
            text_format(out, "    %s adj_%s = %s;\n", c_type(p->t, param->type).text, param->text, param->text);
    }
    text_lit(out, "    explicit Data(int size)\n        : launch_size(size)");
    for (uint32_t i = 0; i < p->array_count; i++) {
        text_format(out, ", %s(%s)", p->arrays[i].name, count_text(p, &p->arrays[i]));
        if (has_adjoint(p, &p->arrays[i]))
            text_format(out, ", adj_%s(%s)", p->arrays[i].name, count_text(p, &p->arrays[i]));
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

static void print_array_fill(const HostArray *array, Text *out)
{
    text_format(out, "    fill(data.%s, %u, %.17g, %.17g);\n", array->name, array->stream, array->low, array->high);
    bool quat = array->type->kind == TYPE_QUAT, transform = array->type->kind == TYPE_TRANSFORM;
    if ((quat || transform) && array->low < array->high)
        text_format(out,
                    "    for (size_t i = 0; i < data.%s.count; ++i)\n"
                    "        normalize_rotation(&data.%s.host[i]%s.x);\n",
                    array->name, array->name, transform ? ".q" : "");
    text_format(out, "    data.%s.upload();\n", array->name);
}

static void print_fill(HostProgram *p, Text *out)
{
    text_lit(out, "// Inputs from a fixed seed, inside the ranges that the kernel is made for.\n");
    text_format(out, "static void fill_inputs(Data &%s)\n{\n", p->array_count ? "data" : "");
    for (uint32_t i = 0; i < p->array_count; i++)
        print_array_fill(&p->arrays[i], out);
    text_lit(out, "}\n\n");
}

/* ---- launches ---- */

static const HostArray *array_of(const HostProgram *p, const Var *param)
{
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i].param == param && !p->arrays[i].in_struct)
            return &p->arrays[i];
    return NULL;
}

static void print_launch(HostProgram *p, Text *out, bool backward)
{
    const Routine *kernel = p->t->kernel;
    const Launch *launch = p->launch;
    uint64_t rest = 1;
    for (uint32_t i = 1; i < launch->ndim; i++)
        rest *= launch->dim[i];
    text_format(out, "static void launch_%s(Data &data)\n{\n", backward ? kernel->adjoint : kernel->name);
    if (rest == 1)
        text_lit(out, "    int threads = data.launch_size, block = 128;\n");
    else
        text_format(out, "    int threads = data.launch_size * %llu, block = 128;\n", (unsigned long long)rest);
    text_format(out, "    LAUNCH(%s, (threads + block - 1) / block, block", backward ? kernel->adjoint : kernel->name);
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const Var *param = kernel->params[i];
        if (param->type->kind != TYPE_ARRAY) {
            text_format(out, ", data.%s", param->text);
            if (backward && param->type->kind == TYPE_STRUCT && is_float_type(param->type))
                text_format(out, ", data.adj_%s", param->text);
            continue;
        }
        const HostArray *array = array_of(p, param);
        text_format(out, ", data.%s.device", array->name);
        for (uint32_t dim = 0; dim < param->type->array.ndim; dim++)
            if (param->dim_used[dim])
                text_format(out, dim == 0 && grows(p, array) ? ", data.launch_size" : ", %u", array->value->shape[dim]);
        if (backward && param->adjoint_used)
            text_format(out, ", data.adj_%s.device", array->name);
    }
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

static void print_expected(HostProgram *p, Text *out)
{
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!array->is_output)
            continue;
        if (array->comparison == NOT_COMPARED)
            continue;
        if (array->comparison == AS_SET)
            text_lit(out, "// sorted: where they stand depends on the order of threads\n");
        if (array->comparison == BY_PLACE && has_unsure(array))
            text_lit(out, "// NAN: not compared, since the last digit of a number decides about it\n");
        text_format(out, "static const double expected_%s[] = {", array->name);
        for (uint32_t k = 0; k < array->expected_count; k++) {
            double value = array->expected[k];
            if (isnan(value)) {
                text_format(out, "%sNAN", k % 12 == 0 ? (k ? ",\n    " : "\n    ") : ", ");
                continue;
            }
            bool whole = value == floor(value) && fabs(value) < 1e15;
            text_format(out,
                        whole             ? "%s%.0f"
                        : array->is_float ? "%s%.9g"
                                          : "%s%.17g",
                        k % 12 == 0 ? (k ? ",\n    " : "\n    ") : ", ", value);
        }
        text_lit(out, "};\n");
    }
    text_char(out, '\n');
}

static void print_forward_check(HostProgram *p, Text *out)
{
    text_lit(out, "static bool check_forward(Data &data)\n{\n    bool right = true;\n");
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i].is_output)
            text_format(out, "    data.%s.download();\n", p->arrays[i].name);
    bool any = false;
    for (uint32_t i = 0; i < p->array_count; i++)
        any |= p->arrays[i].is_output && p->arrays[i].comparison != NOT_COMPARED;
    if (any)
        text_format(out, "    bool known = data.launch_size == %u; // reference values are for this size\n",
                    p->launch->dim[0]);
    else
        text_lit(out, "    (void)data;\n");
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!array->is_output)
            continue;
        if (array->comparison == NOT_COMPARED) {
            text_format(out, "    right &= is_finite(\"%s\", data.%s); // it depends on the order of threads\n",
                        array->path, array->name);
            continue;
        }
        if (array->comparison == AS_SET) {
            text_format(out,
                        "    right &= known ? compare_set(\"%s\", data.%s, expected_%s, %u, %.3g) : is_finite(\"%s\", "
                        "data.%s);\n",
                        array->path, array->name, array->name, array->expected_count, array->tolerance, array->path,
                        array->name);
            continue;
        }
        text_format(
            out,
            "    right &= known ? compare(\"%s\", data.%s, expected_%s, %u, %u, %.3g) : is_finite(\"%s\", data.%s);\n",
            array->path, array->name, array->name, array->expected_count, array->step, array->tolerance, array->path,
            array->name);
    }
    text_lit(out, "    return right;\n}\n\n");
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
            text_format(out, "%s%zu", count++ % 16 ? ", " : count > 1 ? ",\n    " : "\n    ", i);
    text_lit(out, "};\n\n");
}

static void print_seeds(HostProgram *p, Text *out)
{
    for (uint32_t i = 0; i < p->array_count; i++)
        if (has_adjoint(p, &p->arrays[i]) && has_unsure(&p->arrays[i]))
            print_unsure(&p->arrays[i], out);
    text_lit(out, "// Seeds the gradients of the results with fixed weights, and starts from the inputs again.\n"
                  "static void prepare_backward(Data &data)\n{\n");
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (has_adjoint(p, array) && array->is_output)
            text_format(
                out,
                "    each(data.adj_%s, [](auto &part, size_t i) {\n"
                "        part = std::is_floating_point<typename std::remove_reference<decltype(part)>::type>::value\n"
                "                   ? draw<float>(%u, i, -1, 1)\n"
                "                   : 0;\n    });\n",
                array->name, STREAM_WEIGHTS + array->stream);
        if (has_adjoint(p, array) && has_unsure(array))
            text_format(out,
                        "    each(data.adj_%s, [](auto &part, size_t i) {\n"
                        "        for (size_t other : unsure_%s)\n            part = i == other ? 0 : part;\n    });\n",
                        array->name, array->name);
        if (has_adjoint(p, array))
            text_format(out, "    data.adj_%s.upload();\n", array->name);
    }
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (array->is_output && !array->keeps_result && array->param->is_read)
            print_array_fill(array, out);
    }
    text_lit(out, "}\n\n");
}

static void print_backward_check(HostProgram *p, Text *out)
{
    text_format(out,
                "// For directions u, gradient . u must be the directional derivative of the weighted results.\n"
                "static bool check_backward(Data &data)\n{\n"
                "    static const double derivative[] = {%.17g, %.17g, %.17g}, slack[] = {%.3g, %.3g, %.3g};\n"
                "    bool right = true;\n",
                p->derivative[0], p->derivative[1], p->derivative[2], p->slack[0], p->slack[1], p->slack[2]);
    for (uint32_t i = 0; i < p->array_count; i++)
        if (has_adjoint(p, &p->arrays[i]))
            text_format(out, "    data.adj_%s.download();\n    right &= is_finite(\"adj_%s\", data.adj_%s);\n",
                        p->arrays[i].name, p->arrays[i].path, p->arrays[i].name);
    text_format(out,
                "    for (int k = 0; k < %d && data.launch_size == %u; ++k) {\n        double sum = 0, size = 0;\n",
                DIRECTIONS, p->launch->dim[0]);
    for (uint32_t i = 0; i < p->array_count; i++)
        if (has_adjoint(p, &p->arrays[i]))
            text_format(out, "        add_dot(data.adj_%s, %u + %u * k, sum, size);\n", p->arrays[i].name,
                        STREAM_DIRECTION + p->arrays[i].stream, STREAM_DIRECTION);
    text_lit(out, "        right &= accept(\"gradient\", fabs(sum - derivative[k]), 1e-3 * size + slack[k] + 1e-6);\n"
                  "    }\n    return right;\n}\n\n");
}

/* ---- main ---- */

static void print_main(HostProgram *p, Text *out)
{
    const Routine *kernel = p->t->kernel;
    text_lit(out, "static void bench(const char *name, void (*launch)(Data &), Data &data)\n{\n"
                  "    const int turns = 20;\n    float milliseconds = 0;\n    cudaEvent_t start, stop;\n"
                  "    CHECK(cudaEventCreate(&start));\n    CHECK(cudaEventCreate(&stop));\n    launch(data);\n"
                  "    CHECK(cudaEventRecord(start));\n    for (int i = 0; i < turns; ++i)\n        launch(data);\n"
                  "    CHECK(cudaEventRecord(stop));\n    CHECK(cudaEventSynchronize(stop));\n"
                  "    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));\n"
                  "    CHECK(cudaEventDestroy(start));\n    CHECK(cudaEventDestroy(stop));\n"
                  "    printf(\"%s: %.4f ms\\n\", name, milliseconds / turns);\n}\n\n");
    text_format(out,
                "int main(int argc, char **argv)\n{\n    int n = %u;\n    bool timed = false;\n"
                "    for (int i = 1; i < argc; ++i) {\n        if (strcmp(argv[i], \"--bench\") == 0)\n"
                "            timed = true;\n        else if (strcmp(argv[i], \"--n\") == 0 && i + 1 < argc)\n"
                "            n = atoi(argv[++i]);\n        else\n            n = 0;\n    }\n    if (n < %u) {\n"
                "        fprintf(stderr, \"usage: %%s [--n N] [--bench], N being at least %u\\n\", argv[0]);\n"
                "        return 2;\n    }\n    Data data(n);\n    fill_inputs(data);\n    launch_%s(data);\n"
                "    bool right = check_forward(data);\n",
                p->launch->dim[0], p->launch->dim[0], p->launch->dim[0], kernel->name);
    if (p->has_backward)
        text_format(out, "    prepare_backward(data);\n    launch_%s(data);\n    right &= check_backward(data);\n",
                    kernel->adjoint);
    text_format(out, "    if (timed) {\n        bench(\"%s\", launch_%s, data);\n", kernel->name, kernel->name);
    if (p->has_backward)
        text_format(out, "        bench(\"%s\", launch_%s, data);\n", kernel->adjoint, kernel->adjoint);
    text_format(out,
                "    }\n    printf(\"%%s (%s, n = %%d: largest error %%.3g of what is tolerated)\\n\", right ? "
                "\"PASS\" : \"FAIL\", n,\n"
                "           largest_error);\n    return right ? 0 : 1;\n}\n",
                p->has_backward ? "forward and backward" : "forward");
}

void print_host(HostProgram *p, Text *out)
{
    bool rotations = false, results = p->has_backward, sets = false;
    for (uint32_t i = 0; i < p->array_count; i++) {
        rotations |= p->arrays[i].type->kind == TYPE_QUAT || p->arrays[i].type->kind == TYPE_TRANSFORM;
        results |= p->arrays[i].is_output;
        sets |= p->arrays[i].comparison == AS_SET;
    }
    print_part_functions(p, out);
    text_str(out, memory_tools);
    text_str(out, p->array_count ? input_tools : "");
    text_str(out, error_tools);
    text_str(out, results ? result_tools : "");
    text_str(out, sets ? set_tools : "");
    text_str(out, p->has_backward ? gradient_tools : "");
    text_str(out, rotations ? rotation_tools : "");
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
    print_main(p, out);
}
