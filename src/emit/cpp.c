/* C++: arguments in a struct, one call per thread, entry points that loop over the launch. */
#include "emit/target.h"

#include <string.h>

/* Writes a form: a text in which ${name} stands for the kernel's name and ${dim} for the dimension of its launch. */
static void put_form(const IrModule *module, const char *form, Text *out)
{
    size_t letters = strlen(module->name);
    for (const char *mark; (mark = strchr(form, '$'));) {
        bool is_name = mark[2] == 'n';
        text_add(out, form, (size_t)(mark - form));
        if (is_name)
            text_add(out, module->name, letters);
        else
            text_uint(out, module->kernel->kernel_dim);
        form = mark + (is_name ? sizeof "${name}" : sizeof "${dim}") - 1;
    }
    text_str(out, form);
}

#define PARAMS_FORWARD ",\n    wp_args_${name} *_wp_args)\n{\n"
#define PARAMS_BACKWARD ",\n    wp_args_${name} *_wp_args,\n    wp_args_${name} *_wp_adj_args)\n{\n"
#define ENTRY(params) "(\n    wp::launch_bounds_t<${dim}> *dim" params

static void put_label(Text *out, const IrVar *param)
{
    text_add(out, param->label->text, param->label->len);
}

static void argument_struct(const IrModule *module, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    put_form(module, "struct wp_args_${name} {\n", out);
    for (uint32_t i = 0; i < params->count; i++) {
        text_lit(out, "    ");
        put_type(out, params->items[i]->type);
        text_char(out, ' ');
        put_label(out, params->items[i]);
        text_lit(out, ";\n");
    }
    text_lit(out, "};\n\n");
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

static bool has_tiles(const IrFunction *kernel)
{
    for (uint32_t i = 0; i < kernel->vars.count; i++)
        if (is_tile_or_stack(kernel->vars.items[i]->type))
            return true;
    return false;
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
    return kernel->kernel_dim == 1 && any && (all || kernel->has_long_range || has_tiles(kernel)) &&
           calls_thread_index(&kernel->body);
}

/* In the instance for contiguous arrays, their strides are constants. */
static void put_contiguous_strides(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    put_form(module,
             backward ? "    wp_args_${name} wp_contiguous_args;\n    wp_args_${name} wp_contiguous_adj_args;\n"
                        "    if constexpr (wp_linear_contiguous)\n    {\n        wp_contiguous_args = *_wp_args;\n"
                        "        wp_contiguous_adj_args = *_wp_adj_args;\n"
                      : "    wp_args_${name} wp_contiguous_args;\n"
                        "    if constexpr (wp_linear_contiguous)\n    {\n        wp_contiguous_args = *_wp_args;\n",
             out);
    for (uint32_t i = 0; i < params->count; i++)
        for (uint32_t pass = 0; is_contiguous_candidate(params->items[i]) && pass < 1u + backward; pass++) {
            if (pass)
                text_lit(out, "        wp_contiguous_adj_args.");
            else
                text_lit(out, "        wp_contiguous_args.");
            put_label(out, params->items[i]);
            text_lit(out, ".strides[0] = sizeof(");
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
            text_lit(out, "    ");
            put_type(out, params->items[i]->type);
            text_add(out, pass ? " adj_" : " var_", 5);
            put_label(out, params->items[i]);
            if (pass)
                text_lit(out, " = _wp_adj_args->");
            else
                text_lit(out, " = _wp_args->");
            put_label(out, params->items[i]);
            text_lit(out, ";\n");
        }
}

static void open_kernel(const IrModule *module, bool backward, Text *out)
{
    bool templates = module->unit->dialect->cpu_task_templates;
    if (templates)
        text_lit(out, "template <bool wp_linear_contiguous>\nstatic ");
    put_form(module,
             backward ? "void ${name}_cpu_kernel_backward(\n    wp::launch_bounds_t<${dim}> dim,\n"
                        "    size_t task_index" PARAMS_BACKWARD
                      : "void ${name}_cpu_kernel_forward(\n    wp::launch_bounds_t<${dim}> dim,\n"
                        "    size_t task_index" PARAMS_FORWARD,
             out);
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

/* ---- entry points ---- */

#define TILE_MEMORY                                                                                                    \
    "    wp::tile_shared_storage_t tile_mem;\n"                                                                        \
    "#if defined(WP_ENABLE_TILES_IN_STACK_MEMORY)\n"                                                                   \
    "    wp::shared_tile_storage = &tile_mem;\n"                                                                       \
    "#endif\n\n"
#define EACH_TASK "    for (size_t task_index = 0; task_index < dim->size; ++task_index)\n    {\n        ${name}"
#define EXTERN_ENTRY "extern \"C\" {\n\nWP_API void ${name}"

static void entry_point(const IrModule *module, bool backward, Text *out)
{
    put_form(module,
             backward ? EXTERN_ENTRY "_cpu_backward" ENTRY(PARAMS_BACKWARD) TILE_MEMORY EACH_TASK
                 "_cpu_kernel_backward(*dim, task_index, _wp_args, _wp_adj_args);\n    }\n}\n\n}\n\n"
                      : EXTERN_ENTRY "_cpu_forward" ENTRY(PARAMS_FORWARD) TILE_MEMORY EACH_TASK
                 "_cpu_kernel_forward(*dim, task_index, _wp_args);\n    }\n}\n\n}\n\n",
             out);
}

/* ---- entry points of task templates ---- */

/* Up to where the instance is chosen. */
static const char *const tasks_form[] = {
    "template <bool wp_linear_contiguous>\n"
    "static WP_FORCEINLINE void ${name}_cpu_forward_tasks" ENTRY(PARAMS_FORWARD) EACH_TASK
    "_cpu_kernel_forward<wp_linear_contiguous>(*dim, task_index, _wp_args);\n    }\n}\n\n"
    "static WP_FORCEINLINE void ${name}_cpu_forward_dispatch" ENTRY(PARAMS_FORWARD) TILE_MEMORY,
    "template <bool wp_linear_contiguous>\n"
    "static WP_FORCEINLINE void ${name}_cpu_backward_tasks" ENTRY(PARAMS_BACKWARD) EACH_TASK
    "_cpu_kernel_backward<wp_linear_contiguous>(\n"
    "            *dim, task_index, _wp_args, _wp_adj_args);\n    }\n}\n\n"
    "static WP_FORCEINLINE void ${name}_cpu_backward_dispatch" ENTRY(PARAMS_BACKWARD) TILE_MEMORY,
};

static const char *const only_instance_form[] = {
    "    ${name}_cpu_forward_tasks<false>(dim, _wp_args);\n",
    "    ${name}_cpu_backward_tasks<false>(dim, _wp_args, _wp_adj_args);\n",
};

static const char *const two_instances_form[] = {
    "    if (wp_linear_contiguous)\n"
    "        ${name}_cpu_forward_tasks<true>(dim, _wp_args);\n"
    "    else\n"
    "        ${name}_cpu_forward_tasks<false>(dim, _wp_args);\n",
    "    if (wp_linear_contiguous)\n"
    "        ${name}_cpu_backward_tasks<true>(dim, _wp_args, _wp_adj_args);\n"
    "    else\n"
    "        ${name}_cpu_backward_tasks<false>(dim, _wp_args, _wp_adj_args);\n",
};

static const char *const dispatched_entry_form[] = {
    "}\n\n" EXTERN_ENTRY
    "_cpu_forward" ENTRY(PARAMS_FORWARD) "    ${name}_cpu_forward_dispatch(dim, _wp_args);\n}\n\n}\n\n",
    "}\n\n" EXTERN_ENTRY "_cpu_backward" ENTRY(
        PARAMS_BACKWARD) "    ${name}_cpu_backward_dispatch(dim, _wp_args, _wp_adj_args);\n}\n\n}\n\n",
};

static void put_contiguity_test(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    bool any = false;
    text_lit(out, "    const bool wp_linear_contiguous = dim->coord_mult == 1 && (");
    for (uint32_t i = 0; i < params->count; i++)
        for (uint32_t pass = 0; is_contiguous_candidate(params->items[i]) && pass < 1u + backward; pass++) {
            if (any)
                text_lit(out, " & ");
            any = true;
            if (pass)
                text_lit(out, "(_wp_adj_args->");
            else
                text_lit(out, "(_wp_args->");
            put_label(out, params->items[i]);
            text_lit(out, ".strides[0] == (int)sizeof(");
            put_type(out, type_canonical(params->items[i]->type->array.dtype));
            text_lit(out, "))");
        }
    text_lit(out, ");\n");
}

static void put_task_entry(const IrModule *module, bool backward, Text *out)
{
    bool specialised = is_specialised(module);
    put_form(module, tasks_form[backward], out);
    if (specialised)
        put_contiguity_test(module, backward, out);
    put_form(module, (specialised ? two_instances_form : only_instance_form)[backward], out);
    put_form(module, dispatched_entry_form[backward], out);
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
