/* What several categories share. */
#include "synth/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Expr at(Synth *s, Expr array, Expr index)
{
    return subscript(s, array, &index, 1);
}

Expr input(Synth *s, const char *names, const char *type, uint32_t count, double low, double high)
{
    return array_in(s, names, type_of(s, type), 1, &count, low, high);
}

Expr per_thread(Synth *s, const char *names, const char *type, double low, double high)
{
    Expr array = array_in(s, names, type_of(s, type), s->dims, s->shape, low, high);
    return array.type ? subscript(s, array, s->tid, s->dims) : array;
}

Expr index_of(Synth *s, const char *array_names, const char *names, uint32_t bound)
{
    Expr array = array_in(s, array_names, type_scalar(TYPE_INT32), 1, s->shape, 0, bound - 1);
    return let_always(s, names, at(s, array, s->tid[0]));
}

void element_indices(Synth *s, const char *names, const char *const *vertex_names, uint32_t corners, uint32_t bound,
                     Expr *out)
{
    const Type *type = type_scalar(TYPE_INT32);
    uint32_t choice = below(s, 10), flat = s->shape[0] * corners, both_axes[2] = {s->shape[0], corners};
    if (choice < 4) {
        Expr table = array_in(s, names, type, 2, both_axes, 0, bound - 1);
        for (uint32_t i = 0; i < corners; i++) {
            Expr index[2] = {s->tid[0], integer(s, i)};
            out[i] = let_always(s, vertex_names[i], subscript(s, table, index, 2));
        }
        return;
    }
    if (choice < 8) {
        Expr table = array_in(s, names, type, 1, &flat, 0, bound - 1);
        for (uint32_t i = 0; i < corners; i++) {
            Expr place = i ? Q(s, "_0 * _1 + _2", s->tid[0], integer(s, corners), integer(s, i))
                           : Q(s, "_0 * _1", s->tid[0], integer(s, corners));
            out[i] = let_always(s, vertex_names[i], at(s, table, place));
        }
        return;
    }
    if (corners > 3 || choice < 9) {
        for (uint32_t i = 0; i < corners; i++) {
            const char *column = arena_format(s->arena, "%.*s_%u", (int)strcspn(names, "|"), names, i);
            Expr table = array_in(s, column, type, 1, s->shape, 0, bound - 1);
            out[i] = let_always(s, vertex_names[i], at(s, table, s->tid[0]));
        }
        return;
    }
    const Type *packed = type_vec(s->types, corners, type);
    Expr table = array_in(s, names, packed, 1, s->shape, 0, bound - 1);
    Expr row = let_always(s, "ids|element|corners|pair", at(s, table, s->tid[0]));
    for (uint32_t i = 0; i < corners; i++)
        out[i] = let_always(s, vertex_names[i], component(s, row, i));
}

void output(Synth *s, const char *names, Expr value)
{
    if (!value.type)
        give_up(s, "an output without a value");
    Expr array = array_out(s, names, value.type, s->dims, s->shape);
    store_at_tid(s, array, value);
}

void output_sum(Synth *s, const char *names, Expr value)
{
    if (!value.type)
        give_up(s, "an output without a value");
    uint32_t one = 1;
    Expr array = array_param(s, ROLE_ATOMIC, names, value.type, 1, &one, 0, 0), first = integer(s, 0);
    atomic(s, "atomic_add", array, &first, 1, value);
}

void launch_1d(Synth *s, const char *names)
{
    static const unsigned sizes[] = {24, 32, 40, 48, 64, 80, 96, 100, 128};
    uint32_t size = sizes[below(s, 9)];
    launch(s, 1, &size, &names);
}

Expr safe_direction(Synth *s, Expr offset, Expr length)
{
    switch (below(s, 3)) {
    case 0: return Q(s, "_0 / wp.max(_1, 1.0e-4)", offset, length);
    case 1: return Q(s, "_0 / (_1 + 1.0e-4)", offset, length);
    default: return Q(s, "_0 * (1.0 / (_1 + 1.0e-3))", offset, length);
    }
}

Expr square_of(Synth *s, Expr a)
{
    return binary(s, OP_MULT, a, a);
}

Expr call_identity(Synth *s, uint32_t n)
{
    Node *node = node_new(s, NODE_CALL), *size = node_new(s, NODE_KEYWORD), *dtype = node_new(s, NODE_KEYWORD);
    node->call.func = node_wp(s, "identity");
    size->keyword.name = intern(s, "n");
    size->keyword.value = node_constant_int(s, n);
    dtype->keyword.name = intern(s, "dtype");
    dtype->keyword.value = annotation(s, s->style.real);
    list_push(s, &node->call.keywords, size);
    list_push(s, &node->call.keywords, dtype);
    return (Expr){
        .node = node, .type = type_mat(s->types, n, n, s->style.real), .range = {0, 1}, .flags = EXPR_CONSTANT};
}

void say(Synth *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    s->description = arena_format_list(s->arena, format, args);
    va_end(args);
}

/* The last value that nothing has used yet gets an output of its own. False: there is none worth it. */
static bool output_leftover(Synth *s, uint32_t before)
{
    for (uint32_t i = s->var_count; i-- > before;) {
        Var *var = &s->vars[i];
        bool plain = is_real(var->type) || (is_vec(var->type) && type_is_float(type_scalar_of(var->type)));
        bool copied = var->value && (var->value->kind == NODE_SUBSCRIPT || var->value->kind == NODE_NAME);
        if (var->uses || var->is_index || !plain || copied)
            continue;
        var->uses++;
        Expr value = {.node = node_name(s, var->name),
                      .type = var->type,
                      .range = var->range,
                      .flags = var->flags,
                      .var = (int)i + 1};
        output(s, output_names(s, value), value);
        return true;
    }
    return false;
}

/* A few generic statements; what they make goes to an output of its own. */
void extra_statements(Synth *s, int most)
{
    if (s->block_count != 1)
        return;
    uint32_t before = s->var_count;
    int least = most > 5 ? 1 : 0;
    int count = between(s, least, chance(s, 0.15) ? 3 * most : most);
    s->rounding_off = true;
    for (int tries = 0; tries < 3 && count; tries++) {
        random_statements(s, count);
        if (output_leftover(s, before))
            break;
    }
    s->rounding_off = false;
}
