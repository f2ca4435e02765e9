/* Paths: from a variable to the part that a reference points at, that is assigned, or that is named. */
#include "ir/build.h"

#include <string.h>

static const IrPath *path_from(Builder *b, IrVar *root)
{
    IrPath *path = ARENA_NEW(b->arena, IrPath);
    path->root = root;
    return path;
}

const IrPath *origin_of(Builder *b, IrVar *var)
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
    return named ? path_from(b, var) : var->origin;
}

const IrPath *extend_path(Builder *b, const IrPath *path, IrStep step)
{
    IrPath *longer = ARENA_NEW(b->arena, IrPath);
    IrStep *steps = ARENA_ARRAY(b->arena, IrStep, path->step_count + 1);
    if (path->step_count)
        memcpy(steps, path->steps, path->step_count * sizeof(IrStep));
    steps[path->step_count] = step;
    *longer = *path;
    longer->steps = steps;
    longer->step_count++;
    return longer;
}

const IrPath *extend_field(Builder *b, const IrPath *path, const Type *of, Name field)
{
    return extend_path(b, path, (IrStep){.kind = STEP_FIELD, .of = of, .field = field});
}

const IrPath *extend_indices(Builder *b, const IrPath *path, IrStepKind kind, const Type *of, IrVar **indices,
                             uint32_t count)
{
    IrVar **copy = ARENA_ARRAY(b->arena, IrVar *, count);
    memcpy(copy, indices, count * sizeof *copy);
    return extend_path(b, path, (IrStep){.kind = kind, .of = of, .indices = copy, .index_count = count});
}

/* ---- parts that have a name of their own ---- */

IrVar *field_var(Builder *b, IrVar *base, Name field, const Type *type)
{
    const Type *of = type_strip_reference(base->type);
    IrVar *var = unlisted_var(b, type);
    var->part = extend_field(b, base->part ? base->part : path_from(b, base), of, field);
    var->letters = base->letters + 1 + field->len;
    var->is_adjoint = base->is_adjoint;
    return var;
}

IrVar *adjoint_var(Builder *b, IrVar *base)
{
    IrVar *var = unlisted_var(b, base->type);
    var->part = base->part ? base->part : path_from(b, base);
    var->letters = base->letters;
    var->is_adjoint = true;
    return var;
}

IrVar *grouped_adjoint(Builder *b, const IrPath *path, const Type *type)
{
    IrVar *var = unlisted_var(b, type);
    var->part = path;
    var->letters = path->root->letters + 3 * path->root_is_reference;
    for (uint32_t i = 0; i < path->step_count; i++)
        var->letters += 3 + path->steps[i].field->len;
    var->is_adjoint = true;
    var->is_grouped = true;
    return var;
}

/* ---- references ---- */

IrOperand reference_operand(Builder *b, const Node *node, const Eval *eval, const Type *expected, const char *purpose,
                            const IrPath **origin)
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
        *origin = path_from(b, var);
        operand = (IrOperand){.kind = OPERAND_POINTER, .origin = *origin};
    } else
        *origin = NULL;
    if (!*origin)
        fail(b, node, "%s needs something with an address: a variable, an array element, or a struct field", purpose);
    if (expected && !types_equal(target, expected->target))
        fail(b, node, "%s needs %s, not %s", purpose, repr(b, expected->target), repr(b, target));
    return operand;
}
