/* Three walks through one tree.
 *
 *   forward   what the kernel does
 *   replay    the same again before the reverse pass, without side effects and without loops
 *   reverse   last statement first, each replaced by the call that propagates its adjoint; a loop is run again,
 *             its body replayed and reversed in every iteration */
#include "emit/walk.h"

#include <string.h>

/* ---- small pieces ---- */

static Text *begin_line(Walk *walk, uint32_t depth)
{
    put_margin(walk->out, walk->margin + 4 * (size_t)depth);
    return walk->out;
}

static void end_line(Walk *walk)
{
    text_lit(walk->out, ";\n");
}

static void put_vars(Text *out, IrVar *const *vars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_lit(out, ", ");
        put_var(out, vars[i]);
    }
}

/* ---- lvalues ---- */

static void put_root(Text *out, const IrOrigin *origin, bool adjoint)
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

static void put_cast(Text *out, const Type *type)
{
    if (!type)
        return;
    text_char(out, '(');
    type_value_ctype(type, out);
    text_lit(out, "*)");
}

/* The lvalue after the first `count` steps; views may be named already, from label `view` on. */
static void put_lvalue(Text *out, const IrOrigin *origin, uint32_t count, bool adjoint, const uint32_t *view)
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
                text_str(out, step->kind == STEP_FIELD   ? "("
                              : step->kind == STEP_ARRAY ? "(*wp::address("
                                                         : "(*wp::index(");
            }
            text_format(out, "_wp_ref_view_%u", *view + named - 1);
        }
    }
    if (!start) {
        for (uint32_t i = count; i > 0; i--) {
            const IrStep *step = &origin->steps[i - 1];
            switch (step->kind) {
            case STEP_FIELD: text_char(out, '('); break;
            case STEP_ARRAY: text_lit(out, "(*wp::address("); break;
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
            text_str(out, step->field);
            continue;
        }
        text_lit(out, ", ");
        put_vars(out, step->indices, step->index_count);
        text_str(out, step->kind == STEP_VIEW ? ")" : "))");
    }
}

static void put_pointer(Text *out, const IrOrigin *origin, bool adjoint, const uint32_t *view)
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
    put_cast(out, adjoint ? last->adjoint_cast : last->cast);
    if (last->kind == STEP_ARRAY || last->kind == STEP_INDEX) {
        text_str(out, last->kind == STEP_ARRAY ? "wp::address(" : "wp::index(");
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
        text_str(out, last->field);
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

static void put_function_name(Text *out, const Value *function, const char *prefix)
{
    if (function->kind == VALUE_FUNC) {
        text_str(out, prefix);
        text_str(out, function->func->native);
        return;
    }
    const Builtin *builtin = function->builtin->overloads[0];
    text_str(out, builtin->flags & BUILTIN_GLOBAL ? "" : "wp::");
    text_str(out, prefix);
    text_str(out, builtin->native);
}

static void put_operand(Text *out, const IrOperand *operand)
{
    switch (operand->kind) {
    case OPERAND_VAR: put_var(out, operand->var); return;
    case OPERAND_FUNCTION: put_function_name(out, operand->function, ""); return;
    case OPERAND_POINTER: put_pointer(out, operand->origin, false, NULL); return;
    }
}

static void put_adj_operand(Text *out, const IrOperand *operand, bool address)
{
    switch (operand->kind) {
    case OPERAND_VAR:
        if (address && !operand->var->bare)
            text_char(out, '&');
        put_adj(out, operand->var);
        return;
    case OPERAND_FUNCTION: put_function_name(out, operand->function, address ? "&adj_" : "adj_"); return;
    case OPERAND_POINTER: put_pointer(out, operand->origin, true, &operand->first_view); return;
    }
}

static void put_namespace(Text *out, const IrCall *call)
{
    if (call->builtin && !(call->builtin->flags & BUILTIN_GLOBAL))
        text_lit(out, "wp::");
}

static void put_native(Text *out, const IrCall *call)
{
    text_str(out, call->builtin ? call->builtin->native
                  : call->func  ? call->func->native
                                : call->constructed->native_name);
}

static void put_templates(Text *out, const IrCall *call)
{
    for (uint32_t i = 0; i < call->template_count; i++) {
        text_str(out, i ? ", " : "<");
        if (call->template_args[i].type)
            put_type(out, call->template_args[i].type);
        else
            text_int(out, call->template_args[i].number);
    }
    if (call->template_count)
        text_char(out, '>');
}

static void put_operands(Text *out, const IrCall *call)
{
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (i)
            text_lit(out, ", ");
        put_operand(out, &call->args[i]);
    }
}

static void put_call(Walk *walk, const IrCall *call, uint32_t depth, bool replay)
{
    if (replay && call->replay == REPLAY_NOTHING)
        return;
    Text *out = begin_line(walk, depth);
    if (call->output_count == 1) {
        text_lit(out, "var_");
        text_uint(out, call->outputs[0]->index);
        text_lit(out, " = ");
    }
    put_namespace(out, call);
    if (replay && call->replay == REPLAY_CUSTOM)
        text_lit(out, "replay_");
    put_native(out, call);
    put_templates(out, call);
    text_char(out, '(');
    if (call->initializer_list)
        text_char(out, '{');
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

static void put_reverse_call(Walk *walk, const IrCall *call, uint32_t depth)
{
    if (!call->reverse)
        return;
    put_named_views(walk, call, depth);
    Text *out = begin_line(walk, depth);
    bool list = call->initializer_list;
    put_namespace(out, call);
    text_lit(out, "adj_");
    put_native(out, call);
    text_char(out, '(');
    if (list)
        text_char(out, '{');
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
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (i || !list)
            text_lit(out, ", ");
        put_adj_operand(out, &call->adj_args[i], list);
    }
    if (list)
        text_char(out, '}');
    for (uint32_t i = 0; i < call->output_count; i++) {
        text_lit(out, ", ");
        put_adj(out, call->outputs[i]);
    }
    text_lit(out, ");\n");
}

static void put_adjoint_call(Walk *walk, const IrCall *call, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_namespace(out, call);
    text_lit(out, "adj_");
    put_native(out, call);
    text_char(out, '(');
    put_operands(out, call);
    text_char(out, ')');
    end_line(walk);
}

static void put_make_tuple(Walk *walk, const IrCall *call, uint32_t depth)
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

/* ---- other instructions ---- */

static const char *op_text(OpKind op)
{
    static const char *const texts[] = {
#define OP(kind, python, symbol, precedence, builtin) builtin,
#include "lang/op.def"
#undef OP
    };
    return texts[op];
}

static void put_compare(Walk *walk, const IrCompare *compare, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_var(out, compare->output);
    text_lit(out, " = ");
    text_pad(out, '(', compare->count);
    put_var(out, compare->left);
    for (uint32_t i = 0; i < compare->count; i++) {
        if (i) {
            text_lit(out, " && (");
            put_var(out, compare->right[i - 1]);
        }
        text_char(out, ' ');
        text_str(out, op_text(compare->ops[i]));
        text_char(out, ' ');
        put_var(out, compare->right[i]);
        text_str(out, i ? "))" : ")");
    }
    end_line(walk);
}

static void put_member(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_var(out, node->member.target);
    text_lit(out, " = ");
    if (node->member.origin)
        put_pointer(out, node->member.origin, false, NULL);
    else {
        put_cast(out, node->member.cast);
        text_lit(out, "&(");
        put_var(out, node->member.aggregate);
        text_str(out, node->member.aggregate->type->kind == TYPE_REF ? "->" : ".");
        text_str(out, node->member.field);
        text_char(out, ')');
    }
    end_line(walk);
}

static void put_reverse_member(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_adj(out, node->member.aggregate);
    text_char(out, '.');
    text_str(out, node->member.field);
    text_str(out, node->member.differentiable ? " += " : " = ");
    put_cast(out, node->member.adjoint_cast);
    put_adj(out, node->member.target);
    end_line(walk);
}

static void put_reverse_set_member(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out;
    if (node->set_member.differentiable) {
        out = begin_line(walk, depth);
        put_adj(out, node->set_member.value);
        text_lit(out, " += ");
        put_adj(out, node->set_member.aggregate);
        text_char(out, '.');
        text_str(out, node->set_member.field);
        end_line(walk);
    }
    out = begin_line(walk, depth);
    put_adj(out, node->set_member.aggregate);
    text_char(out, '.');
    text_str(out, node->set_member.field);
    text_lit(out, " = {}");
    end_line(walk);
}

static void put_slot_parts(Text *out, const IrNode *node)
{
    for (uint32_t i = 0; i < node->slot.part_count; i++) {
        if (node->slot.parts[i].text)
            text_str(out, node->slot.parts[i].text);
        else
            put_var(out, node->slot.parts[i].var);
    }
}

static void put_slot(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    text_lit(out, "wp::index(");
    put_var(out, node->slot.array);
    text_lit(out, ", ");
    put_vars(out, node->slot.indices, node->slot.index_count);
    text_char(out, ')');
    put_slot_parts(out, node);
    text_lit(out, " = ");
    put_var(out, node->slot.value);
    end_line(walk);
}

static void put_reverse_slot(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    text_lit(out, "wp::adj_array_store_slot(");
    put_var(out, node->slot.array);
    text_lit(out, ", ");
    put_adj(out, node->slot.array);
    text_lit(out, ", ");
    put_adj(out, node->slot.value);
    text_lit(out, ", [&](auto& _e) -> auto& { return _e");
    put_slot_parts(out, node);
    text_lit(out, "; }, ");
    put_vars(out, node->slot.indices, node->slot.index_count);
    text_char(out, ')');
    end_line(walk);
}

static void put_assert(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    text_lit(out, "assert(((void)\"");
    for (uint32_t i = 0; i < node->assertion.len; i++) {
        if (node->assertion.text[i] == '"')
            text_char(out, '\\');
        text_char(out, node->assertion.text[i]);
    }
    text_lit(out, "\",");
    put_var(out, node->assertion.condition);
    text_lit(out, "))");
    end_line(walk);
}

static void put_set(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    if (node->kind == IR_SET_REFERENCE)
        text_char(out, '*');
    put_var(out, node->set.target);
    text_lit(out, " = ");
    if (node->kind == IR_LOGIC) {
        put_var(out, node->set.target);
        text_char(out, ' ');
        text_str(out, op_text(node->set.op));
        text_char(out, ' ');
    }
    put_var(out, node->set.value);
    end_line(walk);
}

static void put_jump(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    text_str(out, node->kind == IR_BREAK ? "goto end_" : "goto start_");
    text_str(out, node->jump.is_while ? "while_" : "for_");
    text_uint(out, node->jump.label);
    end_line(walk);
}

static void put_return_values(Walk *walk, const IrNode *node, uint32_t depth)
{
    for (uint32_t i = 0; node->ret.count > 1 && i < node->ret.count; i++) {
        Text *out = begin_line(walk, depth);
        text_lit(out, "ret_");
        text_uint(out, i);
        text_lit(out, " = ");
        put_var(out, node->ret.values[i]);
        end_line(walk);
    }
}

static void put_return(Walk *walk, const IrNode *node, uint32_t depth)
{
    put_return_values(walk, node, depth);
    Text *out = begin_line(walk, depth);
    text_str(out, walk->return_is_continue ? "continue" : "return");
    if (node->ret.count == 1) {
        text_char(out, ' ');
        put_var(out, node->ret.values[0]);
    }
    end_line(walk);
}

static void put_reverse_return(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    text_lit(out, "label");
    text_uint(out, node->ret.label);
    text_char(out, ':');
    end_line(walk);
    for (uint32_t i = node->ret.count; i-- > 0;) {
        out = begin_line(walk, depth);
        put_adj(out, node->ret.values[i]);
        text_lit(out, " += adj_ret");
        if (node->ret.count > 1) {
            text_char(out, '_');
            text_uint(out, i);
        }
        end_line(walk);
    }
}

/* ---- regions ---- */

static void put_if(Walk *walk, const IrIf *node, const IrVar *condition, uint32_t depth,
                   void (*body)(Walk *, const IrRegion *, uint32_t))
{
    Text *out = begin_line(walk, depth);
    text_str(out, node->negated ? "if (!" : "if (");
    put_var(out, condition);
    text_lit(out, ") {\n");
    body(walk, &node->body, depth + 1);
    begin_line(walk, depth);
    text_lit(walk->out, "}\n");
}

static void put_label(Walk *walk, uint32_t depth, const char *which, const char *loop, uint32_t label)
{
    Text *out = begin_line(walk, depth);
    text_str(out, which);
    text_str(out, loop);
    text_uint(out, label);
    text_lit(out, ":;\n");
}

static void put_goto(Walk *walk, uint32_t depth, bool tab, const char *loop, uint32_t label)
{
    Text *out = begin_line(walk, depth);
    if (tab)
        text_char(out, '\t');
    text_lit(out, "goto start_");
    text_str(out, loop);
    text_uint(out, label);
    end_line(walk);
}

static void put_for_head(Walk *walk, const IrFor *node, uint32_t depth)
{
    put_label(walk, depth, "start_", "for_", node->label);
    Text *out = begin_line(walk, depth + 1);
    text_lit(out, "if (iter_cmp(");
    put_var(out, node->range);
    text_lit(out, ") == 0) goto end_for_");
    text_uint(out, node->label);
    end_line(walk);
    walk_forward(walk, &node->head, depth + 1);
}

static void put_for(Walk *walk, const IrFor *node, uint32_t depth)
{
    put_for_head(walk, node, depth);
    walk_forward(walk, &node->body, depth + 1);
    put_goto(walk, depth + 1, false, "for_", node->label);
    put_label(walk, depth, "end_", "for_", node->label);
}

static void put_zero_adjoints(Walk *walk, const IrVarList *locals, uint32_t depth, bool tab)
{
    for (uint32_t i = 0; i < locals->count; i++) {
        Text *out = begin_line(walk, depth);
        if (tab)
            text_char(out, '\t');
        put_adj(out, locals->items[i]);
        text_lit(out, " = {}");
        end_line(walk);
    }
}

static void put_reverse_for(Walk *walk, const IrFor *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_var(out, node->range);
    text_lit(out, " = wp::iter_reverse(");
    put_var(out, node->range);
    text_char(out, ')');
    end_line(walk);
    put_for_head(walk, node, depth);
    put_zero_adjoints(walk, &node->locals, depth, true);
    walk_replay(walk, &node->body, depth + 1);
    walk_reverse(walk, &node->body, depth + 1);
    put_goto(walk, depth, true, "for_", node->label);
    put_label(walk, depth, "end_", "for_", node->label);
}

/* The lines of a while loop itself are not indented. */
static void put_while_head(Walk *walk, const IrWhile *node, uint32_t depth)
{
    put_label(walk, 0, "start_", "while_", node->label);
    walk_forward(walk, &node->test, depth);
    Text *out = begin_line(walk, 0);
    text_lit(out, "if ((");
    put_var(out, node->condition);
    text_lit(out, ") == false) goto end_while_");
    text_uint(out, node->label);
    end_line(walk);
}

static void put_while(Walk *walk, const IrWhile *node, uint32_t depth)
{
    put_while_head(walk, node, depth);
    walk_forward(walk, &node->body, depth + 1);
    put_goto(walk, 0, false, "while_", node->label);
    put_label(walk, 0, "end_", "while_", node->label);
}

static void put_reverse_while(Walk *walk, const IrWhile *node, uint32_t depth)
{
    put_while_head(walk, node, depth);
    put_zero_adjoints(walk, &node->locals, 0, false);
    walk_replay(walk, &node->body, depth + 1);
    walk_reverse(walk, &node->body, depth + 1);
    put_goto(walk, 0, false, "while_", node->label);
    put_label(walk, 0, "end_", "while_", node->label);
}

/* ---- the walks ---- */

/* What forward and replay have in common. */
static void put_instruction(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out;
    switch (node->kind) {
    case IR_COMPARE: put_compare(walk, &node->compare, depth); return;
    case IR_SET:
    case IR_LOGIC:
    case IR_SET_ADJOINT:
    case IR_SET_REFERENCE: put_set(walk, node, depth); return;
    case IR_BREAK:
    case IR_CONTINUE: put_jump(walk, node, depth); return;
    case IR_MEMBER: put_member(walk, node, depth); return;
    case IR_SET_MEMBER:
        out = begin_line(walk, depth);
        put_var(out, node->set_member.aggregate);
        text_char(out, '.');
        text_str(out, node->set_member.field);
        text_lit(out, " = ");
        put_var(out, node->set_member.value);
        end_line(walk);
        return;
    case IR_SET_SLOT: put_slot(walk, node, depth); return;
    case IR_SET_LITERAL:
        out = begin_line(walk, depth);
        put_var(out, node->literal.target);
        text_lit(out, " = ");
        value_literal(node->literal.value, out);
        end_line(walk);
        return;
    case IR_ASSERT: put_assert(walk, node, depth); return;
    case IR_ADDRESS_OF:
        out = begin_line(walk, depth);
        put_var(out, node->address.target);
        text_lit(out, " = (wp::uint64)(");
        put_operand(out, &node->address.pointer);
        text_char(out, ')');
        end_line(walk);
        return;
    case IR_ZERO:
    case IR_ONE:
        out = begin_line(walk, depth);
        put_var(out, node->target);
        if (node->kind == IR_ZERO)
            text_lit(out, " = {}");
        else {
            text_lit(out, " = ");
            put_type(out, node->target->type);
            text_lit(out, "(1)");
        }
        end_line(walk);
        return;
    case IR_ADJOINT_CALL: put_adjoint_call(walk, node->call, depth); return;
    case IR_MAKE_TUPLE: put_make_tuple(walk, node->call, depth); return;
    default: return;
    }
}

void walk_forward(Walk *walk, const IrRegion *region, uint32_t depth)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        switch (node->kind) {
        case IR_CALL: put_call(walk, node->call, depth, false); break;
        case IR_IF: put_if(walk, node->if_node, node->if_node->condition, depth, walk_forward); break;
        case IR_FOR: put_for(walk, node->for_node, depth); break;
        case IR_WHILE: put_while(walk, node->while_node, depth); break;
        case IR_RETURN: put_return(walk, node, depth); break;
        case IR_RETURN_DEFAULT:
            begin_line(walk, depth);
            text_lit(walk->out, "return {};\n");
            break;
        default: put_instruction(walk, node, depth); break;
        }
    }
}

void walk_replay(Walk *walk, const IrRegion *region, uint32_t depth)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        switch (node->kind) {
        case IR_CALL: put_call(walk, node->call, depth, true); break;
        case IR_IF: put_if(walk, node->if_node, node->if_node->condition, depth, walk_replay); break;
        case IR_FOR:
        case IR_WHILE:
        case IR_RETURN_DEFAULT: break;
        case IR_RETURN: {
            put_return_values(walk, node, depth);
            Text *out = begin_line(walk, depth);
            text_lit(out, "goto label");
            text_uint(out, node->ret.label);
            end_line(walk);
            break;
        }
        default: put_instruction(walk, node, depth); break;
        }
    }
}

void walk_reverse(Walk *walk, const IrRegion *region, uint32_t depth)
{
    for (uint32_t i = region->count; i-- > 0;) {
        const IrNode *node = region->items[i];
        switch (node->kind) {
        case IR_CALL: put_reverse_call(walk, node->call, depth); break;
        case IR_IF: put_if(walk, node->if_node, node->if_node->reverse_condition, depth, walk_reverse); break;
        case IR_FOR: put_reverse_for(walk, node->for_node, depth); break;
        case IR_WHILE: put_reverse_while(walk, node->while_node, depth); break;
        case IR_RETURN: put_reverse_return(walk, node, depth); break;
        case IR_MEMBER: put_reverse_member(walk, node, depth); break;
        case IR_SET_MEMBER: put_reverse_set_member(walk, node, depth); break;
        case IR_SET_SLOT: put_reverse_slot(walk, node, depth); break;
        default: break; /* nothing to propagate */
        }
    }
}
