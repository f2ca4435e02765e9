/* What a function is built of: variables, nodes, and the names of the source that stand for them. */
#include "ir/build.h"

#include <stdlib.h>
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
    if (var->index < sizeof small_uints / sizeof *small_uints)
        memcpy(var->digits, small_uints[var->index], sizeof var->digits);
    var->type = type_canonical(type);
    var->constant = constant;
    b->module->uses_tiles |= var->type->kind == TYPE_TILE || var->type->kind == TYPE_TILE_STACK;
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
    return add_var(b, type_scalar(TYPE_INT32), value_int(b->unit->arena, value));
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
    uint32_t bit = name->id % 64, place = symbols->places[bit];
    if (!(symbols->named >> bit & 1))
        return NULL;
    if (place < symbols->count && symbols->items[place].name == name)
        return &symbols->items[place];
    if (symbols->indexed) {
        const TableSlot *slot = table_find(&symbols->index, name);
        bool is_there = slot && slot->number < symbols->count && symbols->items[slot->number].name == name;
        return is_there ? &symbols->items[slot->number] : NULL;
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

Symbol *append_symbol(Arena *arena, Symbols *symbols, Name name)
{
    enum { SEARCHED = 24 };
    Symbol *symbol = &ARENA_PUSH(arena, symbols->items, symbols->count, symbols->cap);
    *symbol = (Symbol){.name = name};
    symbols->named |= (uint64_t)1 << name->id % 64;
    symbols->places[name->id % 64] = (uint8_t)(symbols->count - 1);
    for (; (symbols->count > SEARCHED || symbols->indexed) && symbols->indexed < symbols->count; symbols->indexed++)
        table_add(&symbols->index, arena, symbols->items[symbols->indexed].name)->number = symbols->indexed;
    return symbol;
}

void change_symbol(Builder *b, Symbol *symbol, Eval eval)
{
    Symbols *symbols = &b->symbols;
    if (symbols->open && symbol->changed_at <= symbols->since) {
        SymbolChange change = {(uint32_t)(symbol - symbols->items), symbol->changed_at, symbol->eval};
        ARENA_PUSH(b->arena, symbols->changes, symbols->change_count, symbols->change_cap) = change;
        symbol->changed_at = symbols->change_count;
    }
    symbol->eval = eval;
}

void rebind_symbol(Builder *b, Symbol *symbol, Eval eval)
{
    if (eval.kind == EVAL_VAR) {
        eval.var->has_names |= eval.var->name && eval.var->name != symbol->name;
        eval.var->name = symbol->name;
    }
    change_symbol(b, symbol, eval);
}

void set_symbol(Builder *b, Name name, Eval eval)
{
    Symbol *symbol = find_symbol(b, name);
    rebind_symbol(b, symbol ? symbol : append_symbol(b->arena, &b->symbols, name), eval);
}

/* ---- names in branches and loops ---- */

SymbolMark mark_symbols(Builder *b)
{
    Symbols *symbols = &b->symbols;
    SymbolMark mark = {symbols->count, symbols->change_count, symbols->since};
    symbols->open++;
    symbols->since = symbols->change_count;
    return mark;
}

void forget_mark(Builder *b, SymbolMark mark)
{
    Symbols *symbols = &b->symbols;
    symbols->since = mark.outer;
    if (--symbols->open)
        return;
    for (uint32_t i = 0; i < symbols->change_count; i++)
        if (symbols->changes[i].index < symbols->count)
            symbols->items[symbols->changes[i].index].changed_at = 0;
    symbols->change_count = 0;
}

void take_back(Builder *b, SymbolMark mark)
{
    Symbols *symbols = &b->symbols;
    while (symbols->change_count > mark.change_count) {
        const SymbolChange *change = &symbols->changes[--symbols->change_count];
        symbols->items[change->index].eval = change->before;
        symbols->items[change->index].changed_at = change->changed_at;
    }
    symbols->count = mark.count;
    if (symbols->indexed > mark.count)
        symbols->indexed = mark.count;
    forget_mark(b, mark);
}

/* By symbol, and the first change of each before its others. */
static int compare_changes(const void *one, const void *two)
{
    const SymbolChange *a = one, *b = two;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->changed_at > b->changed_at) - (a->changed_at < b->changed_at);
}

uint32_t changes_since(Builder *b, SymbolMark mark, SymbolChange **out)
{
    const Symbols *symbols = &b->symbols;
    uint32_t count = 0, kept = 0;
    SymbolChange *list = ARENA_ARRAY(b->arena, SymbolChange, symbols->change_count - mark.change_count);
    bool sorted = true;
    for (uint32_t i = mark.change_count; i < symbols->change_count; i++)
        if (symbols->changes[i].index < mark.count) {
            list[count++] = symbols->changes[i];
            sorted &= count == 1 || list[count - 2].index < list[count - 1].index;
        }
    if (!sorted)
        qsort(list, count, sizeof *list, compare_changes);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || list[kept - 1].index != list[i].index)
            list[kept++] = list[i];
    *out = list;
    return kept;
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
