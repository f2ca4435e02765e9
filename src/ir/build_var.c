/* What a function is built of: variables, nodes, and the names of the source that stand for them. */
#include "ir/build.h"

#include <string.h>

static void count_size(Builder *b)
{
    if (++b->module->size > LIMIT_KERNEL_SIZE)
        unsupported(b, NULL, "the kernel has more than %d operations and variables, loops unrolled", LIMIT_KERNEL_SIZE);
}

IrVar *add_var(Builder *b, const Type *type, const Value *constant)
{
    count_size(b);
    IrVar *var = ARENA_NEW(b->arena, IrVar);
    var->index = b->function->vars.count;
    var->type = type_canonical(type);
    var->constant = constant;
    IrVarList *vars = &b->function->vars;
    ARENA_PUSH(b->arena, vars->items, vars->count, vars->cap) = var;
    if (b->block)
        ARENA_PUSH(b->arena, b->block->items, b->block->count, b->block->cap) = var;
    return var;
}

IrVar *unlisted_var(Builder *b, const Type *type)
{
    IrVar *var = ARENA_NEW(b->arena, IrVar);
    var->type = type;
    return var;
}

IrVar *add_constant(Builder *b, const Value *value)
{
    const Type *type = value_variable_type(value);
    if (!type)
        fail(b, NULL, "%s cannot be used as a value in a kernel", value_kind_name(value->kind));
    return add_var(b, type, value);
}

IrVar *add_constant_int(Builder *b, int64_t value)
{
    return add_var(b, type_scalar(TYPE_INT32), value_int(b->arena, value));
}

IrNode *add_node(Builder *b, IrKind kind)
{
    count_size(b);
    IrNode *node = ARENA_NEW(b->arena, IrNode);
    node->kind = kind;
    node->source = b->statement;
    ARENA_PUSH(b->arena, b->region->items, b->region->count, b->region->cap) = node;
    return node;
}

Eval eval_var(IrVar *var)
{
    return (Eval){.kind = EVAL_VAR, .var = var};
}

Eval eval_value(const Value *value)
{
    return (Eval){.kind = EVAL_VALUE, .value = value};
}

const Eval *known_parts(const Builder *b, const Type *type)
{
    const TableSlot *slot = table_find(&b->module->known_parts, type);
    return slot ? slot->item : NULL;
}

void know_parts(Builder *b, const Type *type, Eval *parts)
{
    table_add(&b->module->known_parts, b->arena, type)->item = parts;
}

/* ---- names ---- */

Symbol *symbol_in(const Symbols *symbols, Name name)
{
    if (symbols->index.count) {
        const TableSlot *slot = table_find(&symbols->index, name);
        return slot ? &symbols->items[slot->number] : NULL;
    }
    for (uint32_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].name == name)
            return &symbols->items[i];
    return NULL;
}

Symbol *find_symbol(Builder *b, Name name)
{
    return symbol_in(&b->symbols, name);
}

static Symbol *add_symbol(Builder *b, Name name)
{
    enum { SEARCHED = 12 };
    Symbols *symbols = &b->symbols;
    Symbol *symbol = &ARENA_PUSH(b->arena, symbols->items, symbols->count, symbols->cap);
    symbol->name = name;
    for (uint32_t i = symbols->index.count; symbols->count > SEARCHED && i < symbols->count; i++)
        table_add(&symbols->index, b->arena, symbols->items[i].name)->number = i;
    return symbol;
}

void rebind_symbol(Symbol *symbol, Eval eval)
{
    if (eval.kind == EVAL_VAR) {
        eval.var->has_names |= eval.var->name && eval.var->name != symbol->name;
        eval.var->name = symbol->name;
    }
    symbol->eval = eval;
}

void set_symbol(Builder *b, Name name, Eval eval)
{
    Symbol *symbol = find_symbol(b, name);
    rebind_symbol(symbol ? symbol : add_symbol(b, name), eval);
}

Symbols copy_symbols(Builder *b, const Symbols *symbols)
{
    Symbols copy = *symbols;
    copy.cap = symbols->count + 8;
    copy.items = ARENA_ARRAY(b->arena, Symbol, copy.cap);
    if (symbols->count)
        memcpy(copy.items, symbols->items, symbols->count * sizeof(Symbol));
    copy.index = table_copy(&symbols->index, b->arena);
    return copy;
}

bool is_ref_param(Builder *b, Name name, IrVar **param)
{
    for (uint32_t i = 0; i < b->function->params.count; i++) {
        IrVar *var = b->function->params.items[i];
        if (var->type->kind == TYPE_REF && var->label == name) {
            *param = var;
            return true;
        }
    }
    return false;
}
