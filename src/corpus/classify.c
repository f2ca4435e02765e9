#include "corpus/classify.h"

#include <string.h>

/* Features of a kernel and its functions. */
typedef struct Traits {
    uint32_t loops, depth, deepest, branches, functions, scalars;
    bool random, queries, atomics, rotations, matrices, vectors, floats, elementary;
} Traits;

static bool has_prefix(const char *name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

static void look_at_call(Traits *traits, const IrCall *call)
{
    static const char *const random[] = {"rand", "sample_", "noise", "pnoise", "curlnoise", "poisson", NULL};
    static const char *const queries[] = {"mesh_",      "bvh_",           "hash_grid_", "volume_",
                                          "intersect_", "closest_point_", NULL};
    static const char *const atomics[] = {"atomic_", NULL};
    static const char *const rotations[] = {"quat_", "transform_", NULL};
    static const char *const elementary[] = {"sin",  "cos",  "tan",  "exp", "log",  "sqrt", "pow",
                                             "asin", "acos", "atan", "erf", "cbrt", NULL};
    if (!call->builtin)
        return;
    const char *name = call->builtin->name;
    traits->random |= has_prefix(name, random);
    traits->queries |= has_prefix(name, queries);
    traits->atomics |= has_prefix(name, atomics);
    traits->rotations |= has_prefix(name, rotations);
    traits->elementary |= has_prefix(name, elementary);
}

static void look_at_region(Traits *traits, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        bool is_loop = node->kind == IR_FOR || node->kind == IR_WHILE;
        traits->loops += is_loop;
        traits->depth += is_loop;
        traits->deepest = traits->depth > traits->deepest ? traits->depth : traits->deepest;
        traits->branches += node->kind == IR_IF;
        traits->atomics |= node->kind == IR_UPDATE_SLOT && node->slot.operation != SLOT_STORE;
        if (node->kind == IR_CALL)
            look_at_call(traits, node->call);
        else if (node->kind == IR_IF)
            look_at_region(traits, &node->if_node->body);
        else if (is_loop)
            look_at_region(traits, node->kind == IR_FOR ? &node->for_node->body : &node->while_node->body);
        traits->depth -= is_loop;
    }
}

static void look_at_type(Traits *traits, const Type *type)
{
    type = type_canonical(type_strip_reference(type));
    type = type->kind == TYPE_ARRAY ? type_canonical(type->array.dtype) : type;
    traits->rotations |= type->kind == TYPE_QUAT || type->kind == TYPE_TRANSFORM;
    traits->matrices |= type->kind == TYPE_MAT;
    traits->vectors |= type->kind == TYPE_VEC;
    traits->floats |= type_is_float(type_canonical(type_scalar_of(type))) || type->kind == TYPE_STRUCT;
}

static void look_at_function(Traits *traits, const IrFunction *function)
{
    for (uint32_t i = 0; i < function->params.count; i++)
        look_at_type(traits, function->params.items[i]->type);
    for (uint32_t i = 0; i < function->vars.count; i++)
        look_at_type(traits, function->vars.items[i]->type);
    look_at_region(traits, &function->body);
}

CategoryId classify(const IrModule *module)
{
    Traits traits = {.functions = module->function_count};
    const Code *code = module->kernel->code;
    look_at_function(&traits, module->kernel);
    for (uint32_t i = 0; i < module->function_count; i++)
        look_at_function(&traits, module->functions[i]);
    for (uint32_t i = 0; i < code->param_count; i++)
        traits.scalars += type_is_single(type_canonical(code->params[i].type));
    const struct {
        CategoryId category;
        bool fits;
    } rows[] = {
        {CATEGORY_random, traits.random},
        {CATEGORY_geometry, traits.queries},
        {CATEGORY_quaternion, traits.rotations},
        {CATEGORY_struct, module->struct_count > 0},
        {CATEGORY_integer, !traits.floats},
        {CATEGORY_matrix, traits.matrices},
        {CATEGORY_atomic, traits.atomics},
        {CATEGORY_nested_loop, traits.deepest > 1},
        {CATEGORY_function, traits.functions > 0},
        {CATEGORY_multi_conditional, traits.branches > 3},
        {CATEGORY_control_flow, traits.loops > 0 || traits.branches > 1},
        {CATEGORY_vector, traits.vectors},
        {CATEGORY_math, traits.elementary},
        {CATEGORY_scalar_param, traits.scalars > 0},
    };
    enum { MANY = 7 };
    uint32_t fitting = 0;
    CategoryId first = CATEGORY_arithmetic;
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;)
        if (rows[i].fits) {
            first = rows[i].category;
            fitting++;
        }
    return fitting >= MANY ? CATEGORY_combined : first;
}
