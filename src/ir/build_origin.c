/* Where a value lives: the path from a variable to the part that a reference points at. */
#include "ir/build.h"

#include <string.h>

static const IrOrigin *local_origin(Builder *b, IrVar *var)
{
    IrOrigin *origin = ARENA_NEW(b->arena, IrOrigin);
    origin->root = var;
    return origin;
}

const IrOrigin *origin_of(Builder *b, IrVar *var)
{
    if (var->type->kind == TYPE_REF)
        return var->origin;
    if (var->type->kind == TYPE_ARRAY && var->origin)
        return var->origin;
    /* A named local is a copy: its own storage counts, not that of what it was made from. */
    const Symbol *symbol = var->name ? find_symbol(b, var->name) : NULL;
    bool named = symbol && symbol->eval.kind == EVAL_VAR && symbol->eval.var == var;
    for (uint32_t i = 0; !named && var->has_names && i < b->symbols.count; i++)
        named = b->symbols.items[i].eval.kind == EVAL_VAR && b->symbols.items[i].eval.var == var;
    return named ? local_origin(b, var) : var->origin;
}

static const IrOrigin *extend(Builder *b, const IrOrigin *origin, IrStep step)
{
    IrOrigin *longer = ARENA_NEW(b->arena, IrOrigin);
    IrStep *steps = ARENA_ARRAY(b->arena, IrStep, origin->step_count + 1);
    if (origin->step_count)
        memcpy(steps, origin->steps, origin->step_count * sizeof(IrStep));
    steps[origin->step_count] = step;
    *longer = *origin;
    longer->steps = steps;
    longer->step_count++;
    return longer;
}

const IrOrigin *extend_field(Builder *b, const IrOrigin *origin, const char *field, const Type *cast,
                             const Type *adjoint_cast)
{
    return extend(b, origin, (IrStep){.kind = STEP_FIELD, .field = field, .cast = cast, .adjoint_cast = adjoint_cast});
}

const IrOrigin *extend_indices(Builder *b, const IrOrigin *origin, IrStepKind kind, IrVar **indices, uint32_t count)
{
    IrVar **copy = ARENA_ARRAY(b->arena, IrVar *, count);
    memcpy(copy, indices, count * sizeof *copy);
    return extend(b, origin, (IrStep){.kind = kind, .indices = copy, .index_count = count});
}

IrOperand reference_operand(Builder *b, const Node *node, const Eval *eval, const Type *expected, const char *purpose,
                            const IrOrigin **origin)
{
    bool addressable =
        node && (node->kind == NODE_NAME || node->kind == NODE_SUBSCRIPT || node->kind == NODE_ATTRIBUTE);
    IrVar *var = eval && eval->kind == EVAL_VAR ? eval->var : NULL;
    bool named = node && node->kind == NODE_NAME;
    if (!var || (!addressable && var->type->kind != TYPE_REF && !var->origin))
        fail(b, node, "%s needs something with an address: a variable, an array element, or a struct field", purpose);
    if (named && var->constant)
        fail_hint(b, node, "declare it with a conversion, for example x = float(1.0)",
                  "'%s' is a constant; %s needs a variable", node->name.id->text, purpose);
    IrOperand operand = {.kind = OPERAND_VAR, .var = var};
    const Type *target = type_strip_reference(var->type);
    if (var->type->kind == TYPE_REF) {
        *origin = var->origin;
    } else if (var->origin && !named) {
        *origin = var->origin;
        operand = (IrOperand){.kind = OPERAND_POINTER, .origin = var->origin};
    } else if (named) {
        *origin = local_origin(b, var);
        operand = (IrOperand){.kind = OPERAND_POINTER, .origin = *origin};
    } else
        *origin = NULL;
    if (!*origin)
        fail(b, node, "%s needs something with an address: a variable, an array element, or a struct field", purpose);
    if (expected && !types_equal(target, expected->target))
        fail(b, node, "%s needs %s, not %s", purpose, repr(b, expected->target), repr(b, target));
    return operand;
}
