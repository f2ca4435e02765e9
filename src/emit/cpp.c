/* C++: arguments in a struct, one call a thread, entry points that loop over the launch. */
#include "emit/target.h"

static void argument_struct(const IrModule *module, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    text_format(out, "struct wp_args_%s {\n", module->name);
    for (uint32_t i = 0; i < params->count; i++) {
        text_lit(out, "    ");
        put_type(out, params->items[i]->type);
        text_format(out, " %s;\n", params->items[i]->label);
    }
    text_lit(out, "};\n\n");
}

static void open_kernel(const IrModule *module, bool backward, Text *out)
{
    text_format(out, "void %s_cpu_kernel_%s(\n    wp::launch_bounds_t<%u> dim,\n    size_t task_index,\n    wp_args_%s *_wp_args",
                module->name, backward ? "backward" : "forward", module->kernel->kernel_dim, module->name);
    if (backward)
        text_format(out, ",\n    wp_args_%s *_wp_adj_args", module->name);
    text_lit(out, ")\n{\n");
}

static void close_kernel(const IrModule *module, Text *out)
{
    (void)module;
    text_lit(out, "}\n\n");
}

static void read_arguments(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    for (uint32_t pass = 0; pass < 1u + backward; pass++)
        for (uint32_t i = 0; i < params->count; i++) {
            const char *label = params->items[i]->label;
            text_lit(out, "    ");
            put_type(out, params->items[i]->type);
            text_format(out, pass ? " adj_%s = _wp_adj_args->%s;\n" : " var_%s = _wp_args->%s;\n", label, label);
        }
}

static void entry_point(const IrModule *module, bool backward, Text *out)
{
    const char *name = module->name, *pass = backward ? "backward" : "forward";
    text_format(out, "extern \"C\" {\n\nWP_API void %s_cpu_%s(\n    wp::launch_bounds_t<%u> *dim,\n    wp_args_%s *_wp_args", name, pass,
                module->kernel->kernel_dim, name);
    if (backward)
        text_format(out, ",\n    wp_args_%s *_wp_adj_args", name);
    text_lit(out, ")\n{\n    wp::tile_shared_storage_t tile_mem;\n"
                  "#if defined(WP_ENABLE_TILES_IN_STACK_MEMORY)\n"
                  "    wp::shared_tile_storage = &tile_mem;\n"
                  "#endif\n\n"
                  "    for (size_t task_index = 0; task_index < dim->size; ++task_index)\n    {\n");
    text_format(out, "        %s_cpu_kernel_%s(*dim, task_index, _wp_args%s);\n", name, pass, backward ? ", _wp_adj_args" : "");
    text_lit(out, "    }\n}\n\n}\n\n");
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
    .open_kernel = open_kernel,
    .close_kernel = close_kernel,
    .params = read_arguments,
    .argument_struct = argument_struct,
    .entry_points = entry_points,
};
