/* Calls, forward and reverse, and what they are given: variables, functions, pointers to where a value lives. */
#include "emit/walk.h"

#include <string.h>

/* ---- lvalues ---- */

static void put_root(Text *out, const IrPath *origin, bool adjoint)
{
    if (origin->root_is_reference)
        text_lit(out, "*(");
    if (adjoint)
        put_adj(out, origin->root);
    else
        put_var(out, origin->root);
    if (origin->root_is_reference)
        text_char(out, ')');
}

/* The lvalue after the first `count` steps; views may be named already, from label `view` on. */
static void put_lvalue(Text *out, const IrPath *origin, uint32_t count, bool adjoint, const uint32_t *view)
{
    uint32_t start = 0;
    if (view) { /* the last named view among the steps stands for everything before it */
        uint32_t named = 0;
        for (uint32_t i = 0; i < count; i++)
            if (origin->steps[i].kind == STEP_VIEW) {
                start = i + 1;
                named++;
            }
        if (start) {
            for (uint32_t i = count; i > start; i--) {
                const IrStep *step = &origin->steps[i - 1];
                text_str(out, step->kind == STEP_FIELD     ? "("
                              : step->kind == STEP_ELEMENT ? "(*wp::address("
                                                           : "(*wp::index(");
            }
            text_format(out, "_wp_ref_view_%u", *view + named - 1);
        }
    }
    if (!start) {
        for (uint32_t i = count; i > 0; i--) {
            const IrStep *step = &origin->steps[i - 1];
            switch (step->kind) {
            case STEP_COMPONENT: /* only in slots, which have no pointers */
            case STEP_FIELD: text_char(out, '('); break;
            case STEP_ELEMENT: text_lit(out, "(*wp::address("); break;
            case STEP_VIEW: text_lit(out, "wp::view("); break;
            case STEP_INDEX: text_lit(out, "(*wp::index("); break;
            }
        }
        put_root(out, origin, adjoint);
    }
    for (uint32_t i = start; i < count; i++) {
        const IrStep *step = &origin->steps[i];
        if (step->kind == STEP_FIELD) {
            text_lit(out, ").");
            put_field(out, step->of, step->field);
            continue;
        }
        text_lit(out, ", ");
        put_vars(out, step->indices, step->index_count);
        text_str(out, step->kind == STEP_VIEW ? ")" : "))");
    }
}

void put_pointer(Text *out, const IrPath *origin, bool adjoint, const uint32_t *view)
{
    if (!origin->step_count) {
        if (origin->root_is_reference) {
            if (adjoint)
                put_adj(out, origin->root);
            else
                put_var(out, origin->root);
            return;
        }
        text_lit(out, "&(");
        put_root(out, origin, adjoint);
        text_char(out, ')');
        return;
    }
    const IrStep *last = &origin->steps[origin->step_count - 1];
    if (last->kind == STEP_ELEMENT || last->kind == STEP_INDEX) {
        text_str(out, last->kind == STEP_ELEMENT ? "wp::address(" : "wp::index(");
        put_lvalue(out, origin, origin->step_count - 1, adjoint, view);
        text_lit(out, ", ");
        put_vars(out, last->indices, last->index_count);
        text_char(out, ')');
        return;
    }
    text_lit(out, "&(");
    if (last->kind == STEP_FIELD) {
        text_char(out, '(');
        put_lvalue(out, origin, origin->step_count - 1, adjoint, view);
        text_lit(out, ").");
        put_field(out, last->of, last->field);
    } else {
        text_lit(out, "wp::view(");
        put_lvalue(out, origin, origin->step_count - 1, adjoint, view);
        text_lit(out, ", ");
        put_vars(out, last->indices, last->index_count);
        text_char(out, ')');
    }
    text_char(out, ')');
}

/* ---- calls ---- */

static void put_function(Text *out, const IrOperand *operand, const char *prefix)
{
    const Builtin *builtin = operand->function.builtin;
    if (builtin && !(builtin->flags & BUILTIN_GLOBAL))
        text_lit(out, "wp::");
    text_str(out, prefix);
    text_str(out, builtin ? builtin->native : operand->function.func->native);
}

/* The elements of a Fourier transform. */
static void put_complex(Text *out, const Type *type)
{
    text_str(out, type_scalar_of(type)->kind == TYPE_FLOAT64 ? "wp::vec2d" : "wp::vec2f");
}

void put_operand(Text *out, const IrOperand *operand)
{
    switch (operand->kind) {
    case OPERAND_VAR: put_var(out, operand->var); return;
    case OPERAND_POINTER: put_pointer(out, operand->origin, false, NULL); return;
    case OPERAND_FUNCTION: put_function(out, operand, ""); return;
    case OPERAND_NUMBER: text_int(out, operand->number); return;
    case OPERAND_NO_CODE: text_lit(out, " 0"); return;
    case OPERAND_SYMBOL: text_str(out, operand->symbol); return;
    case OPERAND_TYPE: put_complex(out, operand->type); return;
    }
}

static void put_adj_operand(Text *out, const IrOperand *operand, bool address)
{
    switch (operand->kind) {
    case OPERAND_VAR:
        if (address && !operand->var->is_adjoint)
            text_char(out, '&');
        put_adj(out, operand->var);
        return;
    case OPERAND_POINTER: put_pointer(out, operand->origin, true, &operand->first_view); return;
    case OPERAND_FUNCTION: put_function(out, operand, "adj_"); return;
    case OPERAND_NUMBER:
    case OPERAND_NO_CODE:
    case OPERAND_SYMBOL:
    case OPERAND_TYPE: put_operand(out, operand); return;
    }
}

/* `var_3 = wp::` where there is a result, the prefix, and the function's native name. */
static inline void put_callee(Text *out, const IrCall *call, const IrVar *result, const char *prefix, size_t prefix_len)
{
    const Builtin *builtin = call->builtin;
    const char *native = builtin ? builtin->native : call->func ? call->func->native : call->constructed->native_name;
    size_t len = builtin ? builtin->native_len : strlen(native);
    char *to = text_room(out, (result ? variable_room(result) : 0) + sizeof " = wp::" + prefix_len + len);
    if (result)
        to = put_lit(put_variable(to, result, "var_"), " = ");
    if (builtin && !(builtin->flags & BUILTIN_GLOBAL))
        to = put_lit(to, "wp::");
    text_end(out, put_bytes(put_bytes(to, prefix, prefix_len), native, len));
}

static void put_templates(Text *out, const IrCall *call)
{
    for (uint32_t i = 0; i < call->template_count; i++) {
        text_str(out, i ? ", " : "<");
        if (call->template_args[i].type)
            put_type(out, call->template_args[i].type);
        else if (call->template_args[i].is_truth)
            text_str(out, call->template_args[i].number ? "true" : "false");
        else
            text_int(out, call->template_args[i].number);
    }
    if (call->template_count)
        text_char(out, '>');
}

/* Room for all of them and a comma before each; 0: not all of them are variables. */
static size_t variables_room(const IrOperand *operands, uint32_t count)
{
    size_t room = 2 * (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].kind != OPERAND_VAR)
            return 0;
        room += variable_room(operands[i].var);
    }
    return room;
}

static void put_operands(Text *out, const IrCall *call)
{
    size_t room = variables_room(call->args, call->arg_count);
    if (!room) {
        for (uint32_t i = 0; i < call->arg_count; i++) {
            if (i)
                text_lit(out, ", ");
            put_operand(out, &call->args[i]);
        }
        return;
    }
    char *to = put_variable(text_room(out, room), call->args[0].var, "var_");
    for (uint32_t i = 1; i < call->arg_count; i++)
        to = put_variable(put_lit(to, ", "), call->args[i].var, "var_");
    text_end(out, to);
}

/* With a comma before each; `list`: addresses, the first without a comma. */
static void put_adj_operands(Text *out, const IrCall *call, bool list)
{
    size_t room = list ? 0 : variables_room(call->adj_args, call->arg_count);
    if (!room) {
        for (uint32_t i = 0; i < call->arg_count; i++) {
            if (i || !list)
                text_lit(out, ", ");
            put_adj_operand(out, &call->adj_args[i], list);
        }
        return;
    }
    char *to = text_room(out, room);
    for (uint32_t i = 0; i < call->arg_count; i++)
        to = put_variable(put_lit(to, ", "), call->adj_args[i].var, "adj_");
    text_end(out, to);
}

/* Most calls are short and have variables alone: one room is made for the line. It saves 2 % of the instructions of a compilation
 * (callgrind, weft_compile on the golden set). */
enum { SHORT_ARGS = 8, SHORT_NAME = 40, SHORT_MARGIN = 64 };
enum { SHORT_LINE = SHORT_MARGIN + 2 * (SHORT_ARGS + 2) * (VARIABLE_ROOM + SHORT_NAME) };

static inline bool is_short(const IrVar *var)
{
    return var->digits[3] || (!var->part && var->letters <= SHORT_NAME);
}

static bool is_short_call(const IrCall *call, size_t margin)
{
    return call->builtin && call->arg_count <= SHORT_ARGS && call->output_count <= 1 && !call->initializer_list &&
           call->builtin->native_len <= SHORT_NAME && margin <= SHORT_MARGIN;
}

/* A comma before each but the first. NULL: one of them is not a short variable. */
static inline char *put_short_operands(char *to, const IrOperand *operands, uint32_t count, const char *prefix)
{
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].kind != OPERAND_VAR || !is_short(operands[i].var))
            return NULL;
        if (i)
            to = put_lit(to, ", ");
        to = put_variable(to, operands[i].var, prefix);
    }
    return to;
}

static inline char *put_short_margin(char *to, size_t margin)
{
    memset(to, ' ', SHORT_MARGIN / 2);
    if (margin > SHORT_MARGIN / 2)
        memset(to + SHORT_MARGIN / 2, ' ', SHORT_MARGIN / 2);
    return to + margin;
}

static inline char *put_short_callee(char *to, const Builtin *builtin)
{
    return builtin->flags & BUILTIN_GLOBAL ? to : put_lit(to, "wp::");
}

static bool put_short_call(Text *out, const IrCall *call, size_t margin)
{
    const IrVar *result = call->output_count ? call->outputs[0] : NULL;
    if (call->template_count || !is_short_call(call, margin) || (result && !is_short(result)))
        return false;
    char *to = put_short_margin(text_room(out, SHORT_LINE), margin);
    if (result)
        to = put_lit(put_variable(to, result, "var_"), " = ");
    to = put_bytes(put_short_callee(to, call->builtin), call->builtin->native, call->builtin->native_len);
    to = put_short_operands(put_lit(to, "("), call->args, call->arg_count, "var_");
    if (to)
        text_end(out, put_lit(to, ");\n"));
    return to;
}

static bool put_short_reverse_call(Text *out, const IrCall *call, size_t margin)
{
    if ((call->template_count && call->reverse_has_templates) || !is_short_call(call, margin) ||
        (call->output_count && !is_short(call->outputs[0])) || !call->arg_count)
        return false;
    char *to = put_short_margin(text_room(out, SHORT_LINE), margin);
    to = put_lit(put_short_callee(to, call->builtin), "adj_");
    to = put_lit(put_bytes(to, call->builtin->native, call->builtin->native_len), "(");
    to = put_short_operands(to, call->args, call->arg_count, "var_");
    if (to && call->reverse_takes_outputs && call->output_count)
        to = put_variable(put_lit(to, ", "), call->outputs[0], "var_");
    if (to)
        to = put_short_operands(put_lit(to, ", "), call->adj_args, call->arg_count, "adj_");
    if (to && call->output_count)
        to = put_variable(put_lit(to, ", "), call->outputs[0], "adj_");
    if (to)
        text_end(out, put_lit(to, ");\n"));
    return to;
}

void put_call(Walk *walk, const IrCall *call, uint32_t depth, bool replay)
{
    if (replay && call->replay == REPLAY_NOTHING)
        return;
    if (put_short_call(walk->out, call, walk->margin + 4 * (size_t)depth))
        return;
    Text *out = begin_line(walk, depth);
    const IrVar *result = call->output_count == 1 ? call->outputs[0] : NULL;
    bool custom = replay && call->replay == REPLAY_CUSTOM;
    put_callee(out, call, result, "replay_", custom ? sizeof "replay_" - 1 : 0);
    put_templates(out, call);
    text_str(out, call->initializer_list ? "({" : "(");
    put_operands(out, call);
    if (call->output_count > 1)
        for (uint32_t i = 0; i < call->output_count; i++) {
            if (i || call->arg_count)
                text_lit(out, ", ");
            put_var(out, call->outputs[i]);
        }
    if (call->initializer_list)
        text_char(out, '}');
    text_lit(out, ");\n");
}

/* Views on the way to a reference get a name before the reverse call uses them. */
static void put_named_views(Walk *walk, const IrCall *call, uint32_t depth)
{
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const IrOperand *operand = &call->adj_args[i];
        if (operand->kind != OPERAND_POINTER)
            continue;
        uint32_t label = operand->first_view;
        for (uint32_t k = 0; k + 1 < operand->origin->step_count; k++) {
            const IrStep *step = &operand->origin->steps[k];
            if (step->kind != STEP_VIEW)
                continue;
            Text *out = begin_line(walk, depth);
            text_format(out, "auto _wp_ref_view_%u = wp::view(", label++);
            put_lvalue(out, operand->origin, k, true, &operand->first_view);
            text_lit(out, ", ");
            put_vars(out, step->indices, step->index_count);
            text_char(out, ')');
            end_line(walk);
        }
    }
}

void put_reverse_call(Walk *walk, const IrCall *call, uint32_t depth)
{
    if (!call->reverse || put_short_reverse_call(walk->out, call, walk->margin + 4 * (size_t)depth))
        return;
    put_named_views(walk, call, depth);
    Text *out = begin_line(walk, depth);
    bool list = call->initializer_list;
    put_callee(out, call, NULL, "adj_", sizeof "adj_" - 1);
    if (call->reverse_has_templates)
        put_templates(out, call);
    text_str(out, list ? "({" : "(");
    put_operands(out, call);
    if (list)
        text_char(out, '}');
    bool outputs = call->reverse_takes_outputs && (!list || call->output_count > 1);
    if (outputs) {
        if (list)
            text_lit(out, ", {");
        for (uint32_t i = 0; i < call->output_count; i++) {
            if (i || !list)
                text_lit(out, ", ");
            put_var(out, call->outputs[i]);
        }
        if (list)
            text_char(out, '}');
    }
    if (list)
        text_lit(out, ", {");
    put_adj_operands(out, call, list);
    if (list)
        text_char(out, '}');
    for (uint32_t i = 0; i < call->output_count; i++) {
        text_lit(out, ", ");
        put_adj(out, call->outputs[i]);
    }
    text_lit(out, ");\n");
}

void put_adjoint_call(Walk *walk, const IrCall *call, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_callee(out, call, NULL, "adj_", sizeof "adj_" - 1);
    text_char(out, '(');
    put_operands(out, call);
    text_char(out, ')');
    end_line(walk);
}

void put_make_tuple(Walk *walk, const IrCall *call, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_var(out, call->outputs[0]);
    text_lit(out, " = ");
    put_type(out, call->outputs[0]->type);
    text_char(out, '(');
    put_operands(out, call);
    text_char(out, ')');
    end_line(walk);
}
