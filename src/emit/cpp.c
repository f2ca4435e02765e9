/* C++: arguments in a struct, one call per thread, entry points that loop over the launch. */
#include "emit/target.h"

#include <string.h>

/* A form is made of pieces: each a text, and what stands behind it. Their lengths are known to the compiler: it saves 1 % of the
 * instructions of a compilation that a search for marks takes (callgrind, weft_compile on the golden set). */
typedef struct Piece {
    const char *text;
    uint16_t len;
    uint16_t then;
} Piece;
enum { THEN_NOTHING, THEN_NAME, THEN_DIM }; /* the kernel's name; the dimension of its launch */

#define TEXT(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1, THEN_NOTHING                                                                            \
    }
#define NAME(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1, THEN_NAME                                                                               \
    }
#define DIM(text)                                                                                                      \
    {                                                                                                                  \
        text, sizeof text - 1, THEN_DIM                                                                                \
    }

static void put_form(const IrModule *module, const Piece *pieces, size_t count, Text *out)
{
    size_t letters = strlen(module->name), most = 0;
    for (size_t i = 0; i < count; i++)
        most += pieces[i].len + (letters > UINT_ROOM ? letters : UINT_ROOM);
    if (!text_reserve(out, most))
        return;
    char *to = out->data + out->len;
    for (size_t i = 0; i < count; i++) {
        to = put_bytes(to, pieces[i].text, pieces[i].len);
        if (pieces[i].then == THEN_NAME)
            to = put_bytes(to, module->name, letters);
        else if (pieces[i].then == THEN_DIM)
            to = put_uint(to, module->kernel->kernel_dim);
    }
    text_end(out, to);
}

#define PUT_FORM(module, out, ...)                                                                                     \
    do {                                                                                                               \
        static const Piece pieces[] = {__VA_ARGS__};                                                                   \
        put_form(module, pieces, sizeof pieces / sizeof *pieces, out);                                                 \
    } while (0)

#define PARAMS_FORWARD NAME(",\n    wp_args_"), TEXT(" *_wp_args)\n{\n")
#define PARAMS_BACKWARD NAME(",\n    wp_args_"), NAME(" *_wp_args,\n    wp_args_"), TEXT(" *_wp_adj_args)\n{\n")
#define ENTRY(name, params) DIM(name "(\n    wp::launch_bounds_t<"), TEXT("> *dim"), params

static void argument_struct(const IrModule *module, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    PUT_FORM(module, out, NAME("struct wp_args_"), TEXT(" {\n"));
    for (uint32_t i = 0; i < params->count; i++) {
        Name label = params->items[i]->label;
        text_lit(out, "    ");
        put_type(out, params->items[i]->type);
        char *to = text_room(out, sizeof " ;\n" + label->len);
        text_end(out, put_lit(put_bytes(put_lit(to, " "), label->text, label->len), ";\n"));
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

/* Of an array; that of the adjoint is copied. */
static void put_element_type(Text *out, const IrVar *param, uint32_t pass, SpelledPlace *spelled)
{
    if (pass)
        put_spelled(out, *spelled);
    else
        *spelled = put_type_here(out, type_canonical(param->type->array.dtype));
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
    return !module->cpu_blocks && kernel->kernel_dim == 1 && any &&
           (all || kernel->has_long_range || has_tiles(kernel)) && calls_thread_index(&kernel->body);
}

/* In the instance for contiguous arrays, their strides are constants. */
static void put_contiguous_strides(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    PUT_FORM(module, out, NAME("    wp_args_"), TEXT(" wp_contiguous_args;\n"));
    if (backward)
        PUT_FORM(module, out, NAME("    wp_args_"), TEXT(" wp_contiguous_adj_args;\n"));
    text_lit(out, "    if constexpr (wp_linear_contiguous)\n    {\n        wp_contiguous_args = *_wp_args;\n");
    if (backward)
        text_lit(out, "        wp_contiguous_adj_args = *_wp_adj_args;\n");
    SpelledPlace dtype = {0};
    for (uint32_t i = 0; i < params->count; i++)
        for (uint32_t pass = 0; is_contiguous_candidate(params->items[i]) && pass < 1u + backward; pass++) {
            Name label = params->items[i]->label;
            char *to = text_room(out, 64 + label->len);
            to = pass ? put_lit(to, "        wp_contiguous_adj_args.") : put_lit(to, "        wp_contiguous_args.");
            text_end(out, put_lit(put_bytes(to, label->text, label->len), ".strides[0] = sizeof("));
            put_element_type(out, params->items[i], pass, &dtype);
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
    SpelledPlace spelled[SPELLED_PARAMS];
    for (uint32_t pass = 0; pass < 1u + backward; pass++)
        for (uint32_t i = 0; i < params->count; i++) {
            Name label = params->items[i]->label;
            text_lit(out, "    ");
            put_param_type_of(out, params->items[i]->type, i, pass, spelled);
            char *to = text_room(out, 32 + 2 * (size_t)label->len);
            to = put_bytes(put_bytes(to, pass ? " adj_" : " var_", 5), label->text, label->len);
            to = pass ? put_lit(to, " = _wp_adj_args->") : put_lit(to, " = _wp_args->");
            text_end(out, put_lit(put_bytes(to, label->text, label->len), ";\n"));
        }
}

#define KERNEL_DIM "(\n    wp::launch_bounds_t<"
#define KERNEL_TASK "> dim,\n    size_t task_index"

static void open_kernel(const IrModule *module, bool backward, Text *out)
{
    bool templates = module->unit->dialect->cpu_task_templates;
    if (templates)
        text_lit(out, "template <bool wp_linear_contiguous>\nstatic ");
    if (backward)
        PUT_FORM(module, out, NAME("void "), DIM("_cpu_kernel_backward" KERNEL_DIM), TEXT(KERNEL_TASK),
                 PARAMS_BACKWARD);
    else
        PUT_FORM(module, out, NAME("void "), DIM("_cpu_kernel_forward" KERNEL_DIM), TEXT(KERNEL_TASK), PARAMS_FORWARD);
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
#define EACH_TASK "    for (size_t task_index = 0; task_index < dim->size; ++task_index)\n    {\n        "
#define EXTERN_ENTRY "extern \"C\" {\n\nWP_API void "

static void entry_point(const IrModule *module, bool backward, Text *out)
{
    if (backward)
        PUT_FORM(module, out, NAME(EXTERN_ENTRY), ENTRY("_cpu_backward", PARAMS_BACKWARD), NAME(TILE_MEMORY EACH_TASK),
                 TEXT("_cpu_kernel_backward(*dim, task_index, _wp_args, _wp_adj_args);\n    }\n}\n\n}\n\n"));
    else
        PUT_FORM(module, out, NAME(EXTERN_ENTRY), ENTRY("_cpu_forward", PARAMS_FORWARD), NAME(TILE_MEMORY EACH_TASK),
                 TEXT("_cpu_kernel_forward(*dim, task_index, _wp_args);\n    }\n}\n\n}\n\n"));
}

/* ---- entry points of task templates ---- */

#define TASKS "template <bool wp_linear_contiguous>\nstatic WP_FORCEINLINE void "
#define DISPATCH "static WP_FORCEINLINE void "

/* Up to where the instance is chosen. */
static void put_tasks(const IrModule *module, bool backward, Text *out)
{
    if (backward)
        PUT_FORM(module, out, NAME(TASKS), ENTRY("_cpu_backward_tasks", PARAMS_BACKWARD), NAME(EACH_TASK),
                 NAME("_cpu_kernel_backward<wp_linear_contiguous>(\n"
                      "            *dim, task_index, _wp_args, _wp_adj_args);\n    }\n}\n\n" DISPATCH),
                 ENTRY("_cpu_backward_dispatch", PARAMS_BACKWARD), TEXT(TILE_MEMORY));
    else
        PUT_FORM(module, out, NAME(TASKS), ENTRY("_cpu_forward_tasks", PARAMS_FORWARD), NAME(EACH_TASK),
                 NAME("_cpu_kernel_forward<wp_linear_contiguous>(*dim, task_index, _wp_args);\n    }\n}\n\n" DISPATCH),
                 ENTRY("_cpu_forward_dispatch", PARAMS_FORWARD), TEXT(TILE_MEMORY));
}

#define TASKS_OF(pass, instance, args) "_cpu_" pass "_tasks<" instance ">(dim, " args ");\n"
#define PUT_INSTANCES(module, specialised, pass, args, out)                                                            \
    do {                                                                                                               \
        if (specialised)                                                                                               \
            PUT_FORM(module, out, NAME("    if (wp_linear_contiguous)\n        "),                                     \
                     NAME(TASKS_OF(pass, "true", args) "    else\n        "), TEXT(TASKS_OF(pass, "false", args)));    \
        else                                                                                                           \
            PUT_FORM(module, out, NAME("    "), TEXT(TASKS_OF(pass, "false", args)));                                  \
    } while (0)

/* From there on. */
static void put_dispatched_entry(const IrModule *module, bool specialised, bool backward, Text *out)
{
    if (backward) {
        PUT_INSTANCES(module, specialised, "backward", "_wp_args, _wp_adj_args", out);
        PUT_FORM(module, out, NAME("}\n\n" EXTERN_ENTRY), ENTRY("_cpu_backward", PARAMS_BACKWARD), NAME("    "),
                 TEXT("_cpu_backward_dispatch(dim, _wp_args, _wp_adj_args);\n}\n\n}\n\n"));
    } else {
        PUT_INSTANCES(module, specialised, "forward", "_wp_args", out);
        PUT_FORM(module, out, NAME("}\n\n" EXTERN_ENTRY), ENTRY("_cpu_forward", PARAMS_FORWARD), NAME("    "),
                 TEXT("_cpu_forward_dispatch(dim, _wp_args);\n}\n\n}\n\n"));
    }
}

static void put_contiguity_test(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    SpelledPlace dtype = {0};
    bool any = false;
    text_lit(out, "    const bool wp_linear_contiguous = dim->coord_mult == 1 && (");
    for (uint32_t i = 0; i < params->count; i++)
        for (uint32_t pass = 0; is_contiguous_candidate(params->items[i]) && pass < 1u + backward; pass++) {
            Name label = params->items[i]->label;
            char *to = text_room(out, 64 + label->len);
            if (any)
                to = put_lit(to, " & ");
            any = true;
            to = pass ? put_lit(to, "(_wp_adj_args->") : put_lit(to, "(_wp_args->");
            text_end(out, put_lit(put_bytes(to, label->text, label->len), ".strides[0] == (int)sizeof("));
            put_element_type(out, params->items[i], pass, &dtype);
            text_lit(out, "))");
        }
    text_lit(out, ");\n");
}

static void put_task_entry(const IrModule *module, bool specialised, bool backward, Text *out)
{
    put_tasks(module, backward, out);
    if (specialised)
        put_contiguity_test(module, backward, out);
    put_dispatched_entry(module, specialised, backward, out);
}

/* ---- entry points for blocks of several threads ----
 * The runtime library runs the threads of a block, each by a call of a thunk. */

#define BLOCK_STRUCT(pass) "_cpu_block_payload_" pass
#define BLOCK_THUNK(pass) "_cpu_block_thunk_" pass
#define ADJOINT_ARGS NAME("    wp_args_"), TEXT("* adj_args;\n")

/* What a block's threads are given, and the thunk up to the call of the kernel. */
#define PUT_BLOCK_THUNK(module, pass, adjoint, out)                                                                    \
    PUT_FORM(module, out, NAME("struct "), NAME(BLOCK_STRUCT(pass) "\n{\n    wp_args_"), TEXT("* args;\n"), adjoint,   \
             NAME("    wp::tile_shared_storage_t* tile_mem;\n    size_t block_first;\n};\n\nstatic void "),            \
             DIM(BLOCK_THUNK(pass) "(\n    void* dim_ptr, size_t, int lane, void* payload_ptr)\n{\n"                   \
                                   "    wp::launch_bounds_t<"),                                                        \
             DIM(">* dim = (wp::launch_bounds_t<"), NAME(">*)dim_ptr;\n    "),                                         \
             NAME(BLOCK_STRUCT(pass) "* payload = ("),                                                                 \
             NAME(BLOCK_STRUCT(pass) "*)payload_ptr;\n    wp::tile_shared_storage_t::bind(payload->tile_mem);\n"       \
                                     "    const size_t task_index = payload->block_first + (size_t)lane;\n    "),      \
             TEXT("_cpu_kernel_" pass))

#define EACH_BLOCK                                                                                                     \
    "    constexpr size_t block_dim = (size_t)WP_TILE_BLOCK_DIM;\n    const size_t total = dim->size;\n"               \
    "    size_t block_first = 0;\n    size_t block_id = 0;\n\n    while (block_first < total)\n    {\n"                \
    "        const size_t remaining = total - block_first;\n"                                                          \
    "        const int active_count = (int)(remaining < block_dim ? remaining : block_dim);\n"                         \
    "        wp::tile_shared_storage_t tile_mem;\n        "
#define RUN_BLOCK(pass, args)                                                                                          \
    NAME(BLOCK_STRUCT(pass) " payload = { " args ", &tile_mem, block_first };\n        if (!wp_cpu_run_block(\n"       \
                            "                WP_TILE_BLOCK_DIM, active_count, &"),                                     \
        TEXT(BLOCK_THUNK(pass) ", dim, block_id, &payload))\n            return;\n"                                    \
                               "        block_first += (size_t)active_count;\n        ++block_id;\n    }\n}\n\n}\n\n")

static void put_block_entry(const IrModule *module, bool backward, Text *out)
{
    if (backward)
        PUT_BLOCK_THUNK(module, "backward", ADJOINT_ARGS, out);
    else
        PUT_BLOCK_THUNK(module, "forward", TEXT(""), out);
    if (module->unit->dialect->cpu_task_templates)
        text_lit(out, "<false>");
    if (backward)
        PUT_FORM(module, out, NAME("(*dim, task_index, payload->args, payload->adj_args);\n}\n\n" EXTERN_ENTRY),
                 ENTRY("_cpu_backward", PARAMS_BACKWARD), NAME(EACH_BLOCK),
                 RUN_BLOCK("backward", "_wp_args, _wp_adj_args"));
    else
        PUT_FORM(module, out, NAME("(*dim, task_index, payload->args);\n}\n\n" EXTERN_ENTRY),
                 ENTRY("_cpu_forward", PARAMS_FORWARD), NAME(EACH_BLOCK), RUN_BLOCK("forward", "_wp_args"));
}

static void entry_points(const IrModule *module, bool backward, Text *out)
{
    bool tasks = !module->cpu_blocks && module->unit->dialect->cpu_task_templates;
    bool specialised = tasks && is_specialised(module);
    for (int pass = 0; pass < 1 + backward; pass++) {
        if (module->cpu_blocks)
            put_block_entry(module, pass, out);
        else if (tasks)
            put_task_entry(module, specialised, pass, out);
        else
            entry_point(module, pass, out);
    }
}

const char cpp_task_preamble[] = PREAMBLE_WITH("task_index", "wp::linear_tid<wp_linear_tid>(task_index, dim)");

const Target target_cpp = {
    .function_prefix = "",
    .kernel_margin = 4,
    .preamble = PREAMBLE("task_index"),
    .leave = leave,
    .open_kernel = open_kernel,
    .close_kernel = close_kernel,
    .argument_struct = argument_struct,
    .entry_points = entry_points,
};
