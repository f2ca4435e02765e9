/* C++: arguments in a struct, one call per thread, entry points that loop over the launch. */
#include "emit/target.h"

#include <string.h>

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

/* ---- arrays that may be contiguous ---- */

static bool is_plain_array(const IrVar *param)
{
    return param->type->kind == TYPE_ARRAY && param->type->array.cls == ARRAY_PLAIN;
}

static bool is_contiguous_candidate(const IrVar *param)
{
    return is_plain_array(param) && param->type->array.ndim == 1;
}

static bool calls_thread_index(const IrRegion *region)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < region->count; i++) {
        const IrNode *node = region->items[i];
        switch (node->kind) {
        case IR_CALL:
            found =
                node->call->builtin && strcmp(node->call->builtin->name, "tid") == 0 && node->call->output_count == 1;
            break;
        case IR_IF: found = calls_thread_index(&node->if_node->body); break;
        case IR_FOR: found = calls_thread_index(&node->for_node->body); break;
        case IR_WHILE:
            found = calls_thread_index(&node->while_node->test) || calls_thread_index(&node->while_node->body);
            break;
        default: break;
        }
    }
    return found;
}

/* Is there a second instance of the kernel, for launches in which the arrays of one dimension are contiguous? */
static bool is_specialised(const IrModule *module)
{
    const IrFunction *kernel = module->kernel;
    bool any = false, all = true;
    for (uint32_t i = 0; i < kernel->params.count; i++) {
        any |= is_contiguous_candidate(kernel->params.items[i]);
        all &= !is_plain_array(kernel->params.items[i]) || is_contiguous_candidate(kernel->params.items[i]);
    }
    return kernel->kernel_dim == 1 && any && (all || kernel->has_long_range) && calls_thread_index(&kernel->body);
}

/* In the instance for contiguous arrays, their strides are constants. */
static void put_contiguous_strides(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    PUT(out, "    wp_args_", module->name, " wp_contiguous_args;\n");
    if (backward)
        PUT(out, "    wp_args_", module->name, " wp_contiguous_adj_args;\n");
    text_lit(out, "    if constexpr (wp_linear_contiguous)\n    {\n        wp_contiguous_args = *_wp_args;\n");
    if (backward)
        text_lit(out, "        wp_contiguous_adj_args = *_wp_adj_args;\n");
    for (uint32_t i = 0; i < params->count; i++)
        for (uint32_t pass = 0; is_contiguous_candidate(params->items[i]) && pass < 1u + backward; pass++) {
            PUT(out, "        ", pass ? "wp_contiguous_adj_args." : "wp_contiguous_args.",
                params->items[i]->label->text, ".strides[0] = sizeof(");
            put_type(out, type_canonical(params->items[i]->type->array.dtype));
            text_lit(out, ");\n");
        }
    text_lit(out, "        _wp_args = &wp_contiguous_args;\n");
    if (backward)
        text_lit(out, "        _wp_adj_args = &wp_contiguous_adj_args;\n");
    text_lit(out, "    }\n");
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
    bool templates = module->unit->dialect->cpu_task_templates;
    if (templates)
        text_lit(out, "template <bool wp_linear_contiguous>\nstatic ");
    PUT(out, "void ", module->name, backward ? "_cpu_kernel_backward(\n" : "_cpu_kernel_forward(\n");
    put_launch_bounds(module, out);
    text_lit(out, " dim,\n    size_t task_index");
    put_argument_params(module, backward, out);
    if (templates)
        text_lit(out, "    static constexpr bool wp_linear_tid = wp_linear_contiguous;\n");
    if (templates && is_specialised(module))
        put_contiguous_strides(module, backward, out);
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

static void put_tile_memory(Text *out)
{
    text_lit(out, "    wp::tile_shared_storage_t tile_mem;\n"
                  "#if defined(WP_ENABLE_TILES_IN_STACK_MEMORY)\n"
                  "    wp::shared_tile_storage = &tile_mem;\n"
                  "#endif\n\n");
}

static const char *const loop_over_tasks =
    "    for (size_t task_index = 0; task_index < dim->size; ++task_index)\n    {\n";

static void put_signature(const IrModule *module, bool backward, const char *before, const char *after, Text *out)
{
    PUT(out, before, module->name, backward ? "_cpu_backward" : "_cpu_forward", after, "(\n");
    put_launch_bounds(module, out);
    text_lit(out, " *dim");
    put_argument_params(module, backward, out);
}

static void entry_point(const IrModule *module, bool backward, Text *out)
{
    text_lit(out, "extern \"C\" {\n\n");
    put_signature(module, backward, "WP_API void ", "", out);
    put_tile_memory(out);
    PUT(out, loop_over_tasks, "        ", module->name, backward ? "_cpu_kernel_backward" : "_cpu_kernel_forward",
        "(*dim, task_index, _wp_args", backward ? ", _wp_adj_args" : "", ");\n    }\n}\n\n}\n\n");
}

/* ---- entry points of task templates ---- */

static void put_tasks(const IrModule *module, bool backward, Text *out)
{
    put_signature(module, backward, "template <bool wp_linear_contiguous>\nstatic WP_FORCEINLINE void ", "_tasks", out);
    PUT(out, loop_over_tasks, "        ", module->name,
        backward ? "_cpu_kernel_backward<wp_linear_contiguous>(\n            *dim, task_index, _wp_args, _wp_adj_args"
                 : "_cpu_kernel_forward<wp_linear_contiguous>(*dim, task_index, _wp_args",
        ");\n    }\n}\n\n");
}

static void put_contiguity_test(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    const char *before = "    const bool wp_linear_contiguous = dim->coord_mult == 1 && (";
    for (uint32_t i = 0; i < params->count; i++)
        for (uint32_t pass = 0; is_contiguous_candidate(params->items[i]) && pass < 1u + backward; pass++) {
            PUT(out, before, pass ? "(_wp_adj_args->" : "(_wp_args->", params->items[i]->label->text,
                ".strides[0] == (int)sizeof(");
            put_type(out, type_canonical(params->items[i]->type->array.dtype));
            text_lit(out, "))");
            before = " & ";
        }
    text_lit(out, ");\n");
}

static void put_tasks_call(const IrModule *module, bool backward, const char *before, const char *instance, Text *out)
{
    PUT(out, before, module->name, backward ? "_cpu_backward_tasks<" : "_cpu_forward_tasks<", instance,
        backward ? ">(dim, _wp_args, _wp_adj_args);\n" : ">(dim, _wp_args);\n");
}

static void put_dispatch(const IrModule *module, bool backward, Text *out)
{
    put_signature(module, backward, "static WP_FORCEINLINE void ", "_dispatch", out);
    put_tile_memory(out);
    if (is_specialised(module)) {
        put_contiguity_test(module, backward, out);
        text_lit(out, "    if (wp_linear_contiguous)\n");
        put_tasks_call(module, backward, "        ", "true", out);
        text_lit(out, "    else\n");
        put_tasks_call(module, backward, "        ", "false", out);
    } else
        put_tasks_call(module, backward, "    ", "false", out);
    text_lit(out, "}\n\n");
}

static void put_task_entry(const IrModule *module, bool backward, Text *out)
{
    put_tasks(module, backward, out);
    put_dispatch(module, backward, out);
    text_lit(out, "extern \"C\" {\n\n");
    put_signature(module, backward, "WP_API void ", "", out);
    PUT(out, "    ", module->name,
        backward ? "_cpu_backward_dispatch(dim, _wp_args, _wp_adj_args);\n}\n\n}\n\n"
                 : "_cpu_forward_dispatch(dim, _wp_args);\n}\n\n}\n\n");
}

static void entry_points(const IrModule *module, bool backward, Text *out)
{
    void (*put)(const IrModule *, bool, Text *) =
        module->unit->dialect->cpu_task_templates ? put_task_entry : entry_point;
    put(module, false, out);
    if (backward)
        put(module, true, out);
}

const char cpp_task_preamble[] = PREAMBLE_WITH("1", "task_index", "wp::linear_tid<wp_linear_tid>(task_index, dim)");

const Target target_cpp = {
    .function_prefix = "",
    .kernel_margin = 4,
    .preamble = PREAMBLE("1", "task_index"),
    .leave = leave,
    .open_kernel = open_kernel,
    .close_kernel = close_kernel,
    .argument_struct = argument_struct,
    .entry_points = entry_points,
};
