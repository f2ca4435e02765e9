/* Steps as CUDA text: the forward kernel and functions. */
#include "standalone/model.h"

#include <string.h>

/* ---- declarations ---- */

/* Variables that are first seen in the step, but not declared by it. */
void print_declarations(Translator *t, const Block *block, const Step *step)
{
    for (uint32_t i = 0; i < t->current->vars.count; i++) {
        const Var *var = t->current->vars.items[i];
        if (var->home == block && var->first == step && !var->declared_by_step && !var->alias && !var->is_param)
            line(t, "%s %s = %s;", c_type(t, var->type), var->text,
                 type_is_composite(var->type) || var->type->kind == TYPE_STRUCT ? "{}" : zero_text(t, var->type));
    }
}

static const char *declared(Translator *t, const Var *var, const Step *step)
{
    bool here = var->home && var->first == step && var->declared_by_step;
    return here ? arena_format(t->arena, "%s %s", c_type(t, var->type), var->text) : var->text;
}

static void print_comment(Translator *t, const char *comment)
{
    while (comment && *comment) {
        const char *end = strchr(comment, '\n');
        size_t length = end ? (size_t)(end - comment) : strlen(comment);
        line(t, "// %.*s", (int)length, comment);
        comment += length + (end != NULL);
    }
}

static const char *remark(Translator *t, const Step *step)
{
    return step->remark ? arena_join(t->arena, " // ", step->remark) : "";
}

/* ---- assignments ---- */

static bool is_updated_place(const Term *place, const Term *value)
{
    return value->kind == TERM_OP && value->count == 2 && value->args[0] == place;
}

static void print_assign(Translator *t, const Step *step)
{
    const Term *place = step->place;
    if (step->sign && is_updated_place(place, step->value) && !type_is_composite(place->type)) {
        line(t, "%s %s= %s;%s", place_text(t, place, false), step->sign,
             term_text(t, step->value->args[1], TIGHT_CHOICE), remark(t, step));
        return;
    }
    const char *target = place->kind == TERM_VAR ? declared(t, place->var, step) : place_text(t, place, false);
    line(t, "%s = %s;%s", target, term_text(t, step->value, TIGHT_CHOICE), remark(t, step));
}

static void print_unpack(Translator *t, const Step *step)
{
    const char *result = fresh_name(t, "result");
    line(t, "%s %s = %s;%s", step->value->routine->result_struct, result, term_text(t, step->value, TIGHT_CHOICE),
         remark(t, step));
    for (uint32_t i = 0; i < step->count; i++)
        if (!t->backward || step->targets[i]->needed)
            line(t, "%s = %s.value%u;", step->targets[i]->text, result, i);
}

/* ---- atomics ---- */

static const char *atomic_function(Translator *t, const Step *step)
{
    const Type *type = step->place->type;
    const char *name = step->atomic;
    bool is_add = strcmp(name, "add") == 0 || strcmp(name, "sub") == 0;
    bool is_min = strcmp(name, "min") == 0, is_extreme = is_min || strcmp(name, "max") == 0;
    if (type_is_composite(type)) {
        TypeKind kind = type->composite.dtype->kind;
        if (is_extreme && !step->var && (kind == TYPE_FLOAT32 || kind == TYPE_FLOAT64)) {
            use_helper(t, arena_format(t->arena, "atomic_%s_%s", name, kind == TYPE_FLOAT32 ? "float" : "double"), NULL,
                       NULL);
            use_helper(t, is_min ? "atomic_min" : "atomic_max", type, NULL);
            return is_min ? "atomic_min" : "atomic_max";
        }
        if (!is_add || step->var ||
            (kind != TYPE_FLOAT32 && kind != TYPE_FLOAT64 && kind != TYPE_INT32 && kind != TYPE_UINT32))
            refuse(t, NULL, "atomic_%s() of this type is not translated", name);
        use_helper(t, "atomic_add", type, NULL);
        return "atomic_add";
    }
    if (!type_is_scalar(type) || type->kind < TYPE_INT32)
        refuse(t, NULL, "atomic_%s() of this type is not translated", name);
    if (is_extreme && type_is_float(type)) {
        use_helper(t, arena_format(t->arena, "atomic_%s_%s", name, type->kind == TYPE_FLOAT32 ? "float" : "double"),
                   NULL, NULL);
        return is_min ? "atomic_min" : "atomic_max";
    }
    static const struct {
        const char *name, *function;
    } functions[] = {{"add", "atomicAdd"}, {"sub", "atomicAdd"},   {"min", "atomicMin"},
                     {"max", "atomicMax"}, {"and", "atomicAnd"},   {"or", "atomicOr"},
                     {"xor", "atomicXor"}, {"exch", "atomicExch"}, {"cas", "atomicCAS"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    refuse(t, NULL, "atomic_%s() is not translated", name);
}

static const char *wide_cast(const Step *step, const char *function)
{
    TypeKind kind = step->place->type->kind;
    if (kind != TYPE_INT64 && kind != TYPE_UINT64)
        return NULL;
    bool is_signed = kind == TYPE_INT64 && (strcmp(function, "atomicMin") == 0 || strcmp(function, "atomicMax") == 0);
    return is_signed ? "long long" : "unsigned long long";
}

static void print_atomic(Translator *t, const Step *step)
{
    const char *function = atomic_function(t, step), *cast = wide_cast(step, function);
    bool swap = strcmp(step->atomic, "cas") == 0;
    if ((swap || strcmp(step->atomic, "exch") == 0) && type_is_float(step->place->type) &&
        (swap || step->place->type->kind != TYPE_FLOAT32))
        refuse(t, NULL, "atomic_%s() of floats is not translated", step->atomic);
    const char *value =
        term_text(t, step->value, strcmp(step->atomic, "sub") == 0 || cast ? TIGHT_UNARY : TIGHT_CHOICE);
    if (strcmp(step->atomic, "sub") == 0) {
        if (type_is_composite(step->place->type))
            use_helper(t, "neg", step->place->type, NULL);
        value = value[0] == '-' ? arena_format(t->arena, "-(%s)", value) : arena_join(t->arena, "-", value);
    }
    const char *to = arena_format(t->arena, "&%s", place_text(t, step->place, false)), *before = "";
    if (cast) {
        to = arena_format(t->arena, "(%s *)%s", cast, to);
        value = arena_format(t->arena, "(%s)%s", cast, value);
    }
    if (swap)
        value = arena_format(t->arena, cast ? "(%s)%s, %s" : "%s%s, %s", cast ? cast : "",
                             term_text(t, step->compare, cast ? TIGHT_UNARY : TIGHT_CHOICE), value);
    if (step->var)
        before = arena_join(t->arena, declared(t, step->var, step), " = ");
    line(t, "%s%s(%s, %s);%s", before, function, to, value, remark(t, step));
}

/* ---- blocks ---- */

static void print_inner(Translator *t, const Block *block)
{
    t->indent++;
    print_block(t, block);
    t->indent--;
}

static void print_if(Translator *t, const Step *step)
{
    line(t, "if (%s) {", term_text(t, step->value, TIGHT_COMMA));
    print_inner(t, &step->body);
    const Step *other = step;
    while (other->orelse.count == 1 && other->orelse.items[0]->kind == STEP_IF && !other->orelse.items[0]->comment) {
        bool declares_here = false;
        for (uint32_t i = 0; i < t->current->vars.count; i++)
            declares_here |= t->current->vars.items[i]->home == &other->orelse;
        if (declares_here)
            break;
        other = other->orelse.items[0];
        line(t, "} else if (%s) {", term_text(t, other->value, TIGHT_COMMA));
        print_inner(t, &other->body);
    }
    if (other->orelse.count) {
        line(t, "} else {");
        print_inner(t, &other->orelse);
    }
    line(t, "}");
}

void print_for_head(Translator *t, const Step *step)
{
    const char *name = step->var->outside_loop ? arena_format(t->arena, "%s_turn", step->var->text) : step->var->text;
    const char *stride = term_text(t, step->stride, TIGHT_UNARY);
    bool up = step->stride_sign > 0;
    const char *next = strcmp(stride, "1") == 0    ? arena_join(t->arena, "++", name)
                       : strcmp(stride, "-1") == 0 ? arena_join(t->arena, "--", name)
                       : up                        ? arena_format(t->arena, "%s += %s", name, stride)
                                                   : arena_format(t->arena, "%s -= %s", name, stride + 1);
    if (!step->stride_sign) { /* not known now */
        line(t, "for (int %s = %s; %s > 0 ? %s < %s : %s > %s; %s += %s) {", name,
             term_text(t, step->start, TIGHT_CHOICE), stride, name, term_text(t, step->stop, TIGHT_SUM), name,
             term_text(t, step->stop, TIGHT_SUM), name, stride);
        return;
    }
    line(t, "for (int %s = %s; %s %s %s; %s) {", name, term_text(t, step->start, TIGHT_CHOICE), name, up ? "<" : ">",
         term_text(t, step->stop, TIGHT_SUM), next);
    if (step->var->outside_loop)
        line(t, "    %s = %s;", step->var->text, name);
}

static void print_return(Translator *t, const Step *step)
{
    if (!step->count) {
        line(t, "return;");
        return;
    }
    if (step->count == 1) {
        line(t, "return %s;", term_text(t, step->values[0], TIGHT_CHOICE));
        return;
    }
    Text text;
    text_init_in(&text, t->arena);
    for (uint32_t i = 0; i < step->count; i++) {
        text_str(&text, i ? ", " : "");
        text_str(&text, term_text(t, step->values[i], TIGHT_CHOICE));
    }
    line(t, "return {%s};", text_cstr(&text));
}

void print_step(Translator *t, const Step *step)
{
    print_comment(t, step->comment);
    switch (step->kind) {
    case STEP_ASSIGN: print_assign(t, step); break;
    case STEP_ATOMIC: print_atomic(t, step); break;
    case STEP_CALL: line(t, "%s;%s", term_text(t, step->value, TIGHT_CHOICE), remark(t, step)); break;
    case STEP_UNPACK: print_unpack(t, step); break;
    case STEP_IF: print_if(t, step); break;
    case STEP_FOR:
        print_for_head(t, step);
        print_inner(t, &step->body);
        line(t, "}");
        break;
    case STEP_WHILE:
        line(t, "while (%s) {", term_text(t, step->value, TIGHT_COMMA));
        print_inner(t, &step->body);
        line(t, "}");
        break;
    case STEP_BREAK: line(t, "break;"); break;
    case STEP_CONTINUE: line(t, "continue;"); break;
    case STEP_RETURN: print_return(t, step); break;
    }
}

void print_block(Translator *t, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        print_declarations(t, block, block->items[i]);
        print_step(t, block->items[i]);
    }
}
