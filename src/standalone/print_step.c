/* Steps as CUDA text: the forward kernel and functions. */
#include "standalone/model.h"

#include <string.h>

static void print_comment(Translator *t, const char *comment)
{
    while (!t->backward && comment && *comment) {
        size_t length = strcspn(comment, "\n");
        LINE(t, "// @", piece_of(arena_strndup(t->arena, comment, length)));
        comment += length + (comment[length] == '\n');
    }
}

/* ---- assignments ---- */

static void print_assign(Translator *t, Step *step)
{
    Term *place = step->place, *value = step->values[0];
    bool is_update = value->kind == TERM_OP && value->count == 2 && value->args[0] == place;
    if (step->sign && is_update && !type_is_composite(place->type)) {
        Piece to = place_text(t, place, false);
        set_line(t, to, step->sign, print_term(t, value->args[1]));
    } else if (place->kind == TERM_VAR && is_declared_by(place->var, step)) {
        const char *type = c_type(t, place->var->type).text;
        declare_line(t, type, place->var->label, print_term(t, value));
    } else {
        Piece to = place_text(t, place, false);
        set_line(t, to, "=", print_term(t, value));
    }
}

static void print_unpack(Translator *t, Step *step)
{
    Piece result = fresh_name(t, "result", 0);
    declare_line(t, step->values[0]->routine->result_struct, result, print_term(t, step->values[0]));
    for (uint32_t i = 0; i < step->sets.count; i++)
        if (!t->backward || is_needed(t, step->sets.items[i]))
            set_line(t, step->sets.items[i]->label, "=", JOIN(t, "@.value@", result, piece_int(t, i)));
}

/* ---- atomics ---- */

/* CUDA's, or one of weft_math.cuh. */
static const char *atomic_function(Translator *t, Step *step)
{
    const Type *type = step->place->type, *scalar = type_is_composite(type) ? type->composite.dtype : type;
    const Atomic *atomic = step->atomic;
    bool is_composite = type_is_composite(type), is_extreme = atomic->kind == ATOMIC_EXTREME;
    bool is_real = scalar->kind == TYPE_FLOAT32 || scalar->kind == TYPE_FLOAT64;
    bool can_be_added = is_real || scalar->kind == TYPE_INT32 || scalar->kind == TYPE_UINT32;
    REFUSE_IF(t, NULL,
              is_composite ? step->sets.count || !(is_extreme ? is_real : is_sum(atomic) && can_be_added)
                           : !type_is_scalar(type) || type_is_narrow(type) || type->kind == TYPE_FLOAT16,
              "atomic_%s() of this type is not translated", atomic->name);
    const char *function = is_composite && !is_extreme ? "atomic_add" : atomic->function;
    return is_extreme && type_is_float(scalar) ? arena_join(t->arena, "atomic_", atomic->name) : function;
}

/* What CUDA's atomics of 64 bits take. */
static const char *wide_type(Step *step)
{
    TypeKind kind = step->place->type->kind;
    if (kind != TYPE_INT64 && kind != TYPE_UINT64)
        return NULL;
    bool is_signed = kind == TYPE_INT64 && step->atomic->kind == ATOMIC_EXTREME;
    return is_signed ? "long long" : "unsigned long long";
}

static void print_atomic(Translator *t, Step *step)
{
    const char *function = atomic_function(t, step), *wide = wide_type(step);
    const Type *type = step->place->type;
    bool swap = step->atomic->kind == ATOMIC_CAS, sub = step->atomic->kind == ATOMIC_SUB;
    REFUSE_IF(t, NULL,
              type_is_float(type) && (swap || (step->atomic->kind == ATOMIC_EXCH && type->kind != TYPE_FLOAT32)),
              "atomic_%s() of floats is not translated", step->atomic->name);
    Piece to = JOIN(t, "&@", place_text(t, step->place, false)), value = print_term(t, step->values[0]);
    Piece compare = swap ? print_term(t, step->values[1]) : LIT("");
    if (sub)
        value = negative(t, value);
    if (wide) {
        to = JOIN(t, "(@ *)@", piece_of(wide), to);
        value = JOIN(t, "(@)@", piece_of(wide), value);
        compare = swap ? JOIN(t, "(@)@", piece_of(wide), compare) : compare;
    }
    Piece call = JOIN(t, "@(@, @)", piece_of(function), swap ? add_item(t, to, compare) : to, value);
    call.has_effect = true;
    Var *result = step->sets.count ? step->sets.items[0] : NULL;
    if (!result)
        LINE(t, "@;", call);
    else if (is_declared_by(result, step))
        declare_line(t, c_type(t, result->type).text, result->label, call);
    else
        set_line(t, result->label, "=", call);
}

/* ---- blocks ---- */

/* Of a backward body, only what the reverse pass needs. */
static bool is_printed(Translator *t, Step *step)
{
    return !t->backward || step_is_needed(t, step) || step->kind == STEP_SYNC ||
           (t->jumps && (step->kind == STEP_CONTINUE || step_jumps(step, JUMP_BREAK)));
}

static bool is_block_printed(Translator *t, Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (is_printed(t, block->items[i]) && block->items[i]->kind != STEP_SYNC)
            return true;
    return false;
}

static void print_if(Translator *t, Step *step)
{
    put_line(t, LINE_IF, print_term(t, step->values[0]));
    print_block(t, &step->body);
    while (!t->backward && step->orelse.count == 1 && step->orelse.items[0]->kind == STEP_IF &&
           !step->orelse.items[0]->comment && !step->orelse.vars.count) {
        step = step->orelse.items[0];
        put_line(t, LINE_ELSE_IF, print_term(t, step->values[0]));
        print_block(t, &step->body);
    }
    if (is_block_printed(t, &step->orelse)) {
        put_line(t, LINE_ELSE, LIT(""));
        print_block(t, &step->orelse);
    }
    put_line(t, LINE_CLOSE, LIT(""));
}

static Piece loop_step(Translator *t, Piece name, Term *by)
{
    int64_t stride = by->number;
    if (by->constant)
        return JOIN(t, "@ += @", name, print_term(t, by));
    if (stride == 1 || stride == -1)
        return JOIN(t, "@@", stride > 0 ? LIT("++") : LIT("--"), name);
    return JOIN(t, stride > 0 ? "@ += @" : "@ -= @", name, piece_int(t, stride > 0 ? stride : -stride));
}

static void print_for_head(Translator *t, Step *step)
{
    Var *var = step->sets.items[0];
    Piece name = var->outside_loop ? fresh_name(t, arena_join(t->arena, var->text, "_turn"), 0) : var->label;
    name.uses = NULL; /* the loop declares it */
    Piece start = print_term(t, step->values[0]), stop = print_term(t, step->values[1]), head;
    Piece stride = print_term(t, step->values[2]);
    if (!step->stride_sign) /* not known now */
        head = JOIN(t, "for (int @ = @; @ > 0 ? @ < @ : @ > @; @ += @)", name, start, stride, name, stop, name, stop,
                    name, stride);
    else
        head = JOIN(t, step->stride_sign > 0 ? "for (int @ = @; @ < @; @)" : "for (int @ = @; @ > @; @)", name, start,
                    name, stop, loop_step(t, name, step->values[2]));
    put_line(t, LINE_LOOP, head);
    if (var->outside_loop)
        set_line(t, var->label, "=", name);
}

/* The threads of a block take turns. */
static void print_each_head(Translator *t, Step *step)
{
    Piece name = step->sets.items[0]->label;
    name.uses = NULL; /* the loop declares it */
    put_line(
        t, LINE_LOOP,
        JOIN(t, "for (int @ = threadIdx.x; @ < @; @ += blockDim.x)", name, name, print_term(t, step->values[0]), name));
}

void print_loop_head(Translator *t, Step *step)
{
    if (step->kind == STEP_FOR)
        print_for_head(t, step);
    else if (step->kind == STEP_EACH)
        print_each_head(t, step);
    else
        put_line(t, LINE_LOOP, JOIN(t, "while (@)", print_term(t, step->values[0])));
}

void print_loop_body(Translator *t, Step *step)
{
    bool jumps = t->jumps;
    t->jumps = true;
    print_block(t, &step->body);
    t->jumps = jumps;
    put_line(t, LINE_CLOSE, LIT(""));
}

static void print_return(Translator *t, Step *step)
{
    Piece values = LIT("");
    for (uint32_t i = 0; i < step->count; i++)
        values = add_item(t, values, print_term(t, step->values[i]));
    LINE(t, step->count == 0 ? "return@;" : step->count == 1 ? "return @;" : "return {@};", values);
}

/* Arguments as printf() wants them. */
static void print_message(Translator *t, Step *step)
{
    Piece args = piece_of(step->format);
    for (uint32_t i = 0; i < step->count; i++) {
        TypeKind kind = step->values[i]->type->kind;
        const char *format = kind == TYPE_BOOL      ? "@ ? \"True\" : \"False\""
                             : kind == TYPE_INT64   ? "(long long)@"
                             : kind == TYPE_UINT64  ? "(unsigned long long)@"
                             : kind == TYPE_FLOAT16 ? "(float)@"
                                                    : NULL;
        Piece value = print_term(t, step->values[i]);
        args = add_item(t, args, format ? JOIN(t, format, value) : fit(t, value, TIGHT_UNARY));
    }
    LINE(t, "printf(@);", args);
}

void print_step(Translator *t, Step *step)
{
    print_comment(t, step->comment);
    uint32_t first = t->body->count;
    switch (step->kind) {
    case STEP_ASSIGN: print_assign(t, step); break;
    case STEP_ATOMIC: print_atomic(t, step); break;
    case STEP_CALL: LINE(t, "@;", print_term(t, step->values[0])); break;
    case STEP_PRINT: print_message(t, step); break;
    case STEP_UNPACK: print_unpack(t, step); break;
    case STEP_IF: print_if(t, step); break;
    case STEP_FOR:
    case STEP_WHILE:
        print_loop_head(t, step);
        print_loop_body(t, step);
        break;
    case STEP_EACH:
        print_loop_head(t, step);
        print_loop_body(t, step);
        put_sync(t);
        break;
    case STEP_SYNC: put_sync(t); break;
    case STEP_BREAK: put_line(t, LINE_PLAIN, LIT("break;")); break;
    case STEP_CONTINUE: put_line(t, LINE_PLAIN, LIT("continue;")); break;
    case STEP_RETURN: print_return(t, step); break;
    }
    if (!t->backward && step->kind != STEP_IF)
        t->body->lines[first].remark = step->remark;
}

void declare_at(Translator *t, Block *block, Step *step)
{
    for (uint32_t i = 0; i < step->declared.count; i++) {
        Var *var = step->declared.items[i];
        if (var->home == block && (!t->backward || is_needed(t, var)))
            declare_zero(t, var->type, var->label);
    }
}

void print_block(Translator *t, Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        declare_at(t, block, step);
        if (t->backward && is_printed(t, step))
            run_step(t, step);
        else if (!t->backward)
            print_step(t, step);
    }
}
