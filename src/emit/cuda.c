/* CUDA: a __global__ function with a grid-stride loop around the body. */
#include "emit/target.h"

#include <string.h>

static const Value *option(const IrModule *module, const char *name)
{
    const Kernel *kernel = module->kernel->kernel;
    for (uint32_t i = 0; i < kernel->option_count; i++)
        if (strcmp(kernel->options[i].name, name) == 0)
            return kernel->options[i].value;
    return NULL;
}

static void put_launch_bounds(const Value *bounds, Text *out)
{
    BigInt integer;
    if (!bounds)
        return;
    text_lit(out, "__launch_bounds__(");
    if (value_as_int(bounds, &integer))
        text_bigint(out, integer);
    for (uint32_t i = 0; (bounds->kind == VALUE_TUPLE || bounds->kind == VALUE_LIST) && i < bounds->sequence.count;
         i++) {
        if (i)
            text_lit(out, ", ");
        if (value_as_int(bounds->sequence.items[i], &integer))
            text_bigint(out, integer);
    }
    text_lit(out, ") ");
}

static void put_params(const IrModule *module, bool backward, Text *out)
{
    const IrVarList *params = &module->kernel->params;
    text_lit(out, "    wp::launch_bounds_t<");
    text_uint(out, module->kernel->kernel_dim);
    text_lit(out, "> dim");
    SpelledPlace spelled[SPELLED_PARAMS];
    for (uint32_t pass = 0; pass < 1u + backward; pass++)
        for (uint32_t i = 0; i < params->count; i++) {
            const Type *type = params->items[i]->type;
            Name label = params->items[i]->label;
            text_lit(out, ",\n    ");
            if (pass && type->kind == TYPE_ARRAY && type->array.cls == ARRAY_INDEXED)
                put_type(out, type_array(module->unit->types, ARRAY_PLAIN, type->array.dtype, type->array.ndim));
            else
                put_param_type_of(out, type, i, pass, spelled);
            char *to = text_room(out, sizeof " adj_" + label->len);
            text_end(out, put_bytes(put_bytes(to, pass ? " adj_" : " var_", 5), label->text, label->len));
        }
}

static void open_kernel(const IrModule *module, bool backward, Text *out)
{
    BigInt cluster = 1, most;
    const Value *cluster_dim = option(module, "cluster_dim");
    text_lit(out, "extern \"C\" ");
    put_launch_bounds(option(module, "launch_bounds"), out);
    if (cluster_dim && value_as_int(cluster_dim, &cluster) && cluster != 1) {
        text_lit(out, "WP_CLUSTER_DIMS(");
        text_bigint(out, cluster);
        text_lit(out, ", 1, 1) ");
    }
    text_lit(out, "__global__ void ");
    const Value *registers = option(module, "cuda_max_registers");
    if (registers && value_as_int(registers, &most)) {
        text_lit(out, "WP_MAXNREG(");
        text_bigint(out, most);
        text_lit(out, ") ");
    }
    text_str(out, module->name);
    text_str(out, backward ? "_cuda_kernel_backward(\n" : "_cuda_kernel_forward(\n");
    put_params(module, backward, out);
    text_lit(out, ")\n{\n");
    if (option(module, "enable_cuda_smem_spilling"))
        text_lit(out, "    WP_ENABLE_SMEM_SPILLING();\n");
    text_lit(out, "    wp::tile_shared_storage_t tile_mem;\n\n");
    if (module->grid_stride)
        text_lit(out, "    for (size_t _idx = static_cast<size_t>(blockDim.x) * static_cast<size_t>(blockIdx.x) + "
                      "static_cast<size_t>(threadIdx.x);\n"
                      "         _idx < dim.size;\n"
                      "         _idx += static_cast<size_t>(blockDim.x) * static_cast<size_t>(gridDim.x))\n"
                      "    {\n"
                      "        wp::tile_shared_storage_t::init();\n\n");
    else
        text_lit(out, "    const size_t _idx = static_cast<size_t>(blockIdx.z * gridDim.y + blockIdx.y) * "
                      "static_cast<size_t>(gridDim.x * blockDim.x) + static_cast<size_t>(blockIdx.x * blockDim.x + "
                      "threadIdx.x);\n"
                      "    if (_idx >= dim.size) return;\n"
                      "    wp::tile_shared_storage_t::init();\n\n");
}

/* A thread of a grid-stride loop has more indices to do. */
static const char *leave(const IrModule *module)
{
    return module->grid_stride ? "continue" : "return";
}

static void close_kernel(const IrModule *module, Text *out)
{
    if (module->grid_stride)
        text_lit(out, "    }\n");
    text_lit(out, "}\n\n");
}

#define CUDA_PREAMBLE                                                                                                  \
    PREAMBLE("_idx")                                                                                                   \
    "#if defined(__CUDACC__) && !defined(_MSC_VER)\n#define __debugbreak() __brkpt()\n#endif\n"                        \
    "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 900)\n#define WP_CLUSTER_DIMS(x, y, z) "                          \
    "__cluster_dims__(x, y, z)\n#else\n"                                                                               \
    "#define WP_CLUSTER_DIMS(x, y, z)\n#endif\n"

const char cuda_options_preamble[] =
    CUDA_PREAMBLE "#define WP_MAXNREG(count) __maxnreg__(count)\n"
                  "#define WP_ENABLE_SMEM_SPILLING() asm volatile(\".pragma \\\"enable_smem_spilling\\\";\")\n";

const Target target_cuda = {
    .function_prefix = "CUDA_CALLABLE ",
    .kernel_margin = 8,
    .preamble = CUDA_PREAMBLE,
    .leave = leave,
    .open_kernel = open_kernel,
    .close_kernel = close_kernel,
};
