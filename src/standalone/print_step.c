/* Steps as CUDA text: the forward kernel and functions. */
#include "standalone/model.h"

#include <string.h>

/* ---- declarations ---- */

static bool is_declared_by(const Var *var, const Step *step)
{
    return var->home && var->first == step && var->declared_by_step;
}

static void print_comment(Translator *t, const char *comment)
{
    while (!t->backward && comment && *comment) {
        const char *end = strchr(comment, '\n');
        size_t length = end ? (size_t)(end - comment) : strlen(comment);
        LINE(t, LINE_PLAIN, LIT("// "), PIECE(comment, length, TIGHT_COMMA));
        comment += length + (end != NULL);
    }
}

static Piece remark(Translator *t, const Step *step)
{
    return step->remark && !t->backward ? GLUE(t, TIGHT_COMMA, LIT(" // "), piece_of(step->remark)) : LIT("");
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
        Piece to = place_text(t, place, false);
        set_line(t, to, step->sign, term_text(t, step->value->args[1], TIGHT_CHOICE), remark(t, step));
        return;
    }
    if (place->kind == TERM_VAR && is_declared_by(place->var, step)) {
        Piece type = c_type(t, place->var->type);
        declare_line(t, type, place->var->label, term_text(t, step->value, TIGHT_CHOICE), remark(t, step));
        return;
    }
    Piece to = place_text(t, place, false);
    set_line(t, to, "=", term_text(t, step->value, TIGHT_CHOICE), remark(t, step));
}

static void print_unpack(Translator *t, const Step *step)
{
    Piece result = fresh_name(t, LIT("result"));
    declare_line(t, piece_of(step->value->routine->result_struct), result, term_text(t, step->value, TIGHT_CHOICE),
                 remark(t, step));
    for (uint32_t i = 0; i < step->count; i++)
        if (!t->backward || step->targets[i]->needed)
            set_line(t, step->targets[i]->label, "=", GLUE(t, TIGHT_PRIMARY, result, LIT(".value"), piece_int(t, i)),
                     LIT(""));
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
    const char *function = atomic_function(t, step), *cast_type = wide_cast(step, function);
    bool swap = strcmp(step->atomic, "cas") == 0, sub = strcmp(step->atomic, "sub") == 0;
    if ((swap || strcmp(step->atomic, "exch") == 0) && type_is_float(step->place->type) &&
        (swap || step->place->type->kind != TYPE_FLOAT32))
        refuse(t, NULL, "atomic_%s() of floats is not translated", step->atomic);
    Piece value = term_text(t, step->value, sub || cast_type ? TIGHT_UNARY : TIGHT_CHOICE);
    if (sub) {
        if (type_is_composite(step->place->type))
            use_helper(t, "neg", step->place->type, NULL);
        value = fit(t, negative(t, value), cast_type ? TIGHT_UNARY : TIGHT_CHOICE);
    }
    Piece to = GLUE(t, TIGHT_UNARY, LIT("&"), place_text(t, step->place, false)), cast = LIT("");
    if (cast_type) {
        cast = GLUE(t, TIGHT_UNARY, LIT("("), piece_of(cast_type), LIT(")"));
        to = GLUE(t, TIGHT_UNARY, LIT("("), piece_of(cast_type), LIT(" *)"), to);
    }
    if (swap)
        value = GLUE(t, TIGHT_COMMA, cast, term_text(t, step->compare, cast_type ? TIGHT_UNARY : TIGHT_CHOICE),
                     LIT(", "), cast, value);
    else
        value = GLUE(t, TIGHT_COMMA, cast, value);
    Piece call = GLUE(t, TIGHT_PRIMARY, piece_of(function), LIT("("), to, LIT(", "), value, LIT(")"));
    call.has_effect = true;
    if (!step->var)
        LINE(t, LINE_PLAIN, call, LIT(";"), remark(t, step));
    else if (is_declared_by(step->var, step))
        declare_line(t, c_type(t, step->var->type), step->var->label, call, remark(t, step));
    else
        set_line(t, step->var->label, "=", call, remark(t, step));
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
    if_line(t, LINE_IF, term_text(t, step->value, TIGHT_COMMA));
    print_inner(t, &step->body);
    const Step *other = step;
    while (other->orelse.count == 1 && other->orelse.items[0]->kind == STEP_IF && !other->orelse.items[0]->comment &&
           !other->orelse.is_home) {
        other = other->orelse.items[0];
        if_line(t, LINE_ELSE_IF, term_text(t, other->value, TIGHT_COMMA));
        print_inner(t, &other->body);
    }
    if (other->orelse.count) {
        LINE(t, LINE_ELSE, LIT(""));
        print_inner(t, &other->orelse);
    }
    close_block(t);
}

static Piece loop_step(Translator *t, Piece name, const Term *by)
{
    int64_t stride = by->number;
    if (by->constant)
        return GLUE(t, TIGHT_COMMA, name, LIT(" += "), print_term(t, by));
    if (stride == 1 || stride == -1)
        return GLUE(t, TIGHT_UNARY, stride > 0 ? LIT("++") : LIT("--"), name);
    return GLUE(t, TIGHT_COMMA, name, stride > 0 ? LIT(" += ") : LIT(" -= "),
                piece_int(t, stride > 0 ? stride : -stride));
}

void print_for_head(Translator *t, const Step *step)
{
    Piece name = step->var->label, stride = term_text(t, step->stride, TIGHT_UNARY);
    if (step->var->outside_loop)
        name = fresh_name(t, GLUE(t, TIGHT_NAME, name, LIT("_turn")));
    name.uses = NULL; /* the loop declares it */
    Piece start = term_text(t, step->start, TIGHT_CHOICE), stop = term_text(t, step->stop, TIGHT_SUM);
    if (!step->stride_sign) /* not known now */
        LINE(t, LINE_LOOP, LIT("for (int "), name, LIT(" = "), start, LIT("; "), stride, LIT(" > 0 ? "), name,
             LIT(" < "), stop, LIT(" : "), name, LIT(" > "), stop, LIT("; "), name, LIT(" += "), stride, LIT(")"));
    else
        LINE(t, LINE_LOOP, LIT("for (int "), name, LIT(" = "), start, LIT("; "), name,
             step->stride_sign > 0 ? LIT(" < ") : LIT(" > "), stop, LIT("; "), loop_step(t, name, step->stride),
             LIT(")"));
    if (!step->var->outside_loop)
        return;
    t->indent++;
    set_line(t, step->var->label, "=", name, LIT(""));
    t->indent--;
}

static void print_return(Translator *t, const Step *step)
{
    if (!step->count) {
        LINE(t, LINE_PLAIN, LIT("return;"));
        return;
    }
    Piece values = term_text(t, step->values[0], TIGHT_CHOICE);
    for (uint32_t i = 1; i < step->count; i++)
        values = GLUE(t, TIGHT_COMMA, values, LIT(", "), term_text(t, step->values[i], TIGHT_CHOICE));
    if (step->count == 1)
        LINE(t, LINE_PLAIN, LIT("return "), values, LIT(";"));
    else
        LINE(t, LINE_PLAIN, LIT("return {"), values, LIT("};"));
}

/* Arguments as printf() wants them. */
static void print_message(Translator *t, const Step *step)
{
    Piece args = piece_of(step->format);
    for (uint32_t i = 0; i < step->count; i++) {
        TypeKind kind = step->values[i]->type->kind;
        Piece value = term_text(t, step->values[i], kind == TYPE_BOOL ? TIGHT_OR : TIGHT_UNARY);
        if (kind == TYPE_BOOL)
            value = GLUE(t, TIGHT_CHOICE, value, LIT(" ? \"True\" : \"False\""));
        else if (kind == TYPE_INT64 || kind == TYPE_UINT64 || kind == TYPE_FLOAT16)
            value = GLUE(t, TIGHT_UNARY,
                         kind == TYPE_INT64    ? LIT("(long long)")
                         : kind == TYPE_UINT64 ? LIT("(unsigned long long)")
                                               : LIT("(float)"),
                         value);
        args = GLUE(t, TIGHT_COMMA, args, LIT(", "), value);
    }
    LINE(t, LINE_PLAIN, LIT("printf("), args, LIT(");"), remark(t, step));
}

void print_step(Translator *t, const Step *step)
{
    print_comment(t, step->comment);
    switch (step->kind) {
    case STEP_ASSIGN: print_assign(t, step); break;
    case STEP_ATOMIC: print_atomic(t, step); break;
    case STEP_CALL: LINE(t, LINE_PLAIN, term_text(t, step->value, TIGHT_CHOICE), LIT(";"), remark(t, step)); break;
    case STEP_PRINT: print_message(t, step); break;
    case STEP_UNPACK: print_unpack(t, step); break;
    case STEP_IF: print_if(t, step); break;
    case STEP_FOR:
        print_for_head(t, step);
        print_inner(t, &step->body);
        close_block(t);
        break;
    case STEP_WHILE:
        LINE(t, LINE_LOOP, LIT("while ("), term_text(t, step->value, TIGHT_COMMA), LIT(")"));
        print_inner(t, &step->body);
        close_block(t);
        break;
    case STEP_BREAK: LINE(t, LINE_PLAIN, LIT("break;")); break;
    case STEP_CONTINUE: LINE(t, LINE_PLAIN, LIT("continue;")); break;
    case STEP_RETURN: print_return(t, step); break;
    }
}

void print_block(Translator *t, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const VarList *declared = &block->items[i]->declared;
        for (uint32_t k = 0; k < declared->count; k++)
            if (declared->items[k]->home == block)
                declare_line(t, c_type(t, declared->items[k]->type), declared->items[k]->label,
                             start_text(t, declared->items[k]->type), LIT(""));
        print_step(t, block->items[i]);
    }
}
