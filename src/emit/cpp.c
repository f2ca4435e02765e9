/* C++: arguments in a struct, one call a thread, entry points that loop over the launch. */
#include "emit/target.h"

static void put_all(Text *out, const char *const *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_str(out, pieces[i]);
}

#define PUT(out, ...)                                                                                                  \
    do {                                                                                                               \
        const char *const pieces[] = {__VA_ARGS__};                                                                    \
        put_all(out, pieces, sizeof pieces / sizeof *pieces);                                                          \
    } while (0)

static void argument_struct(const IrModule *module, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    PUT(out, "struct wp_args_", module->name, " {\n");
    for (uint32_t i = 0; i < params->count; i++) {
        text_lit(out, "    ");
        put_type(out, params->items[i]->type);
        PUT(out, " ", params->items[i]->label->text, ";\n");
    }
    text_lit(out, "};\n\n");
}

static void put_launch_bounds(const IrModule *module, Text *out)
{
    text_lit(out, "    wp::launch_bounds_t<");
    text_uint(out, module->kernel->kernel_dim);
    text_char(out, '>');
}

static void put_argument_params(const IrModule *module, bool backward, Text *out)
{
    PUT(out, ",\n    wp_args_", module->name, " *_wp_args");
    if (backward)
        PUT(out, ",\n    wp_args_", module->name, " *_wp_adj_args");
    text_lit(out, ")\n{\n");
}

static void read_arguments(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    for (uint32_t pass = 0; pass < 1u + backward; pass++)
        for (uint32_t i = 0; i < params->count; i++) {
            const char *label = params->items[i]->label->text;
            text_lit(out, "    ");
            put_type(out, params->items[i]->type);
            PUT(out, pass ? " adj_" : " var_", label, pass ? " = _wp_adj_args->" : " = _wp_args->", label, ";\n");
        }
}

static void open_kernel(const IrModule *module, bool backward, Text *out)
{
    PUT(out, "void ", module->name, backward ? "_cpu_kernel_backward(\n" : "_cpu_kernel_forward(\n");
    put_launch_bounds(module, out);
    text_lit(out, " dim,\n    size_t task_index");
    put_argument_params(module, backward, out);
    read_arguments(module, backward, out);
}

static const char *leave(const IrModule *module)
{
    (void)module;
    return "return";
}

static void close_kernel(const IrModule *module, Text *out)
{
    (void)module;
    text_lit(out, "}\n\n");
}

static void entry_point(const IrModule *module, bool backward, Text *out)
{
    PUT(out, "extern \"C\" {\n\nWP_API void ", module->name, backward ? "_cpu_backward(\n" : "_cpu_forward(\n");
    put_launch_bounds(module, out);
    text_lit(out, " *dim");
    put_argument_params(module, backward, out);
    text_lit(out, "    wp::tile_shared_storage_t tile_mem;\n"
                  "#if defined(WP_ENABLE_TILES_IN_STACK_MEMORY)\n"
                  "    wp::shared_tile_storage = &tile_mem;\n"
                  "#endif\n\n"
                  "    for (size_t task_index = 0; task_index < dim->size; ++task_index)\n    {\n");
    PUT(out, "        ", module->name, backward ? "_cpu_kernel_backward" : "_cpu_kernel_forward",
        "(*dim, task_index, _wp_args", backward ? ", _wp_adj_args" : "", ");\n    }\n}\n\n}\n\n");
}

static void entry_points(const IrModule *module, bool backward, Text *out)
{
    entry_point(module, false, out);
    if (backward)
        entry_point(module, true, out);
}

const Target target_cpp = {
    .function_prefix = "static ",
    .kernel_margin = 4,
    .preamble = PREAMBLE("1", "task_index"),
    .leave = leave,
    .open_kernel = open_kernel,
    .close_kernel = close_kernel,
    .argument_struct = argument_struct,
    .entry_points = entry_points,
};
