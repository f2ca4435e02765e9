/* Three walks through one tree.
 *
 *   forward   what the kernel does
 *   replay    the same again before the reverse pass, without side effects and without loops
 *   reverse   last statement first, each replaced by the call that propagates its adjoint; a loop is run again,
 *             its body replayed and reversed in every iteration */
#include "emit/walk.h"

#include <string.h>

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
        const IrVar *aggregate = node->member.aggregate;
        if (is_array_pointer(aggregate->type, node->member.field))
            text_lit(out, "(wp::uint64*)");
        text_lit(out, "&(");
        put_var(out, aggregate);
        text_str(out, aggregate->type->kind == TYPE_REF ? "->" : ".");
        put_field(out, aggregate->type, node->member.field);
        text_char(out, ')');
    }
    end_line(walk);
}

static void put_reverse_member(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    const Type *type = type_strip_reference(node->member.aggregate->type);
    put_adj(out, node->member.aggregate);
    text_char(out, '.');
    put_field(out, type, node->member.field);
    text_str(out, node->member.differentiable ? " += " : " = ");
    if (is_array_pointer(type, node->member.field)) {
        text_char(out, '(');
        put_value_type(out, type->array.dtype);
        text_lit(out, "*)");
    }
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
        put_field(out, node->set_member.aggregate->type, node->set_member.field);
        end_line(walk);
    }
    out = begin_line(walk, depth);
    put_adj(out, node->set_member.aggregate);
    text_char(out, '.');
    put_field(out, node->set_member.aggregate->type, node->set_member.field);
    text_lit(out, " = {}");
    end_line(walk);
}

/* The way from an array element to one of its components, as it stands behind the element. */
static void put_component(Text *out, const IrStep *step)
{
    switch (step->kind) {
    case STEP_FIELD:
        text_char(out, '.');
        put_field(out, step->of, step->field);
        return;
    case STEP_COMPONENT:
        if (step->of->kind == TYPE_QUAT) {
            text_char(out, '.');
            text_char(out, "xyzw"[step->component]);
            return;
        }
        text_lit(out, ".c[");
        text_uint(out, step->component);
        text_char(out, ']');
        return;
    case STEP_INDEX:
        if (step->of->kind == TYPE_MAT)
            text_lit(out, ".data");
        for (uint32_t i = 0; i < step->index_count; i++) {
            text_char(out, '[');
            put_var(out, step->indices[i]);
            text_char(out, ']');
        }
        return;
    case STEP_ELEMENT:
    case STEP_VIEW: return; /* the first step only */
    }
}

static void put_components(Text *out, const IrPath *path)
{
    for (uint32_t i = 1; i < path->step_count; i++)
        put_component(out, &path->steps[i]);
}

static void put_slot(Walk *walk, const IrNode *node, uint32_t depth)
{
    const IrPath *path = node->slot.path;
    Text *out = begin_line(walk, depth);
    text_lit(out, "wp::index(");
    put_var(out, path->root);
    text_lit(out, ", ");
    put_vars(out, path->steps[0].indices, path->steps[0].index_count);
    text_char(out, ')');
    put_components(out, path);
    text_lit(out, " = ");
    put_var(out, node->slot.value);
    end_line(walk);
}

static void put_reverse_slot(Walk *walk, const IrNode *node, uint32_t depth)
{
    const IrPath *path = node->slot.path;
    Text *out = begin_line(walk, depth);
    text_lit(out, "wp::adj_array_store_slot(");
    put_var(out, path->root);
    text_lit(out, ", ");
    put_adj(out, path->root);
    text_lit(out, ", ");
    put_adj(out, node->slot.value);
    text_lit(out, ", [&](auto& _e) -> auto& { return _e");
    put_components(out, path);
    text_lit(out, "; }, ");
    put_vars(out, path->steps[0].indices, path->steps[0].index_count);
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
        walk->splits_lines |= node->assertion.text[i] == '\n';
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
    text_str(out, walk->leave);
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

/* `if (COUNTER relation BOUND) goto end_for_0`, `VARIABLE = COUNTER`, `COUNTER change STEP`. */
static void put_counted_head(Walk *walk, const IrFor *node, bool reverse, uint32_t depth)
{
    static const char *const relations[2][2] = {{" >= ", " <= "}, {" < ", " > "}};
    uint32_t inner = reverse ? depth : depth + 1;
    const char *tab = reverse ? "\t" : "";
    put_label(walk, depth, "start_", "for_", node->label);
    Text *out = begin_line(walk, inner);
    text_str(out, tab);
    text_lit(out, "if (");
    put_var(out, node->range);
    text_str(out, relations[reverse][node->step < 0]);
    text_format(out, "%lld", (long long)(reverse ? node->start : node->stop));
    text_lit(out, ") goto end_for_");
    text_uint(out, node->label);
    end_line(walk);
    out = begin_line(walk, inner);
    text_str(out, tab);
    put_var(out, node->counted);
    text_lit(out, " = ");
    put_var(out, node->range);
    end_line(walk);
    out = begin_line(walk, inner);
    text_str(out, tab);
    put_var(out, node->range);
    text_format(out, reverse ? " -= %lld" : " += %lld", (long long)node->step);
    end_line(walk);
}

static void put_for(Walk *walk, const IrFor *node, uint32_t depth)
{
    if (node->counted)
        put_counted_head(walk, node, false, depth);
    else
        put_for_head(walk, node, depth);
    walk_forward(walk, &node->body, depth + 1);
    put_goto(walk, depth + 1, false, "for_", node->label);
    put_label(walk, depth, "end_", "for_", node->label);
}

static void put_zero_adjoints(Walk *walk, const IrVarList *locals, uint32_t depth, bool tab)
{
    for (uint32_t i = 0; i < locals->count; i++) {
        const Type *type = locals->items[i]->type;
        if (type_is_tile(type) && type->tile->is_view)
            continue;
        Text *out = begin_line(walk, depth);
        if (tab)
            text_char(out, '\t');
        put_adj(out, locals->items[i]);
        text_str(out, type_is_tile(type) ? ".grad_zero()" : " = {}");
        end_line(walk);
    }
}

/* The last value that the counter has in the loop. */
static int64_t last_count(const IrFor *node)
{
    int64_t way = node->step > 0 ? node->stop - node->start - 1 : node->start - node->stop - 1;
    int64_t step = node->step > 0 ? node->step : -node->step;
    return node->start + way / step * node->step;
}

static void put_reverse_for(Walk *walk, const IrFor *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_var(out, node->range);
    if (node->counted)
        text_format(out, " = %lld", (long long)last_count(node));
    else {
        text_lit(out, " = wp::iter_reverse(");
        put_var(out, node->range);
        text_char(out, ')');
    }
    end_line(walk);
    if (node->counted)
        put_counted_head(walk, node, true, depth);
    else
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
        put_field(out, node->set_member.aggregate->type, node->set_member.field);
        text_lit(out, " = ");
        put_var(out, node->set_member.value);
        end_line(walk);
        return;
    case IR_SET_SLOT: put_slot(walk, node, depth); return;
    case IR_SLOT_ADDRESS: put_slot_address(walk, node, depth); return;
    case IR_SET_LITERAL:
        out = begin_line(walk, depth);
        put_var(out, node->literal.target);
        text_lit(out, " = ");
        put_literal(out, node->literal.value);
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

void put_forward_node(Walk *walk, const IrNode *node, uint32_t depth)
{
    switch (node->kind) {
    case IR_CALL: put_call(walk, node->call, depth, false); return;
    case IR_UPDATE_SLOT: put_slot_update(walk, node, depth); return;
    case IR_IF: put_if(walk, node->if_node, node->if_node->condition, depth, walk_forward); return;
    case IR_FOR: put_for(walk, node->for_node, depth); return;
    case IR_WHILE: put_while(walk, node->while_node, depth); return;
    case IR_RETURN: put_return(walk, node, depth); return;
    case IR_RETURN_DEFAULT:
        begin_line(walk, depth);
        text_lit(walk->out, "return {};\n");
        return;
    default: put_instruction(walk, node, depth); return;
    }
}

void walk_forward(Walk *walk, const IrRegion *region, uint32_t depth)
{
    for (uint32_t i = 0; i < region->count; i++) {
        mark_statement(walk, region->items[i]->source);
        put_forward_node(walk, region->items[i], depth);
    }
}

void put_replay_node(Walk *walk, const IrNode *node, uint32_t depth)
{
    switch (node->kind) {
    case IR_CALL: put_call(walk, node->call, depth, true); return;
    case IR_IF: put_if(walk, node->if_node, node->if_node->condition, depth, walk_replay); return;
    case IR_FOR:
    case IR_WHILE:
    case IR_UPDATE_SLOT:
    case IR_RETURN_DEFAULT: return;
    case IR_RETURN: {
        put_return_values(walk, node, depth);
        Text *out = begin_line(walk, depth);
        text_lit(out, "goto label");
        text_uint(out, node->ret.label);
        end_line(walk);
        return;
    }
    default: put_instruction(walk, node, depth); return;
    }
}

bool replays_alike(const IrNode *node)
{
    switch (node->kind) {
    case IR_CALL: return node->call->replay == REPLAY_SAME;
    case IR_IF:
    case IR_FOR:
    case IR_WHILE:
    case IR_UPDATE_SLOT:
    case IR_RETURN:
    case IR_RETURN_DEFAULT: return false;
    default: return true;
    }
}

void walk_replay(Walk *walk, const IrRegion *region, uint32_t depth)
{
    for (uint32_t i = 0; i < region->count; i++) {
        mark_statement(walk, region->items[i]->source);
        put_replay_node(walk, region->items[i], depth);
    }
}

void walk_reverse(Walk *walk, const IrRegion *region, uint32_t depth)
{
    for (uint32_t i = region->count; i-- > 0;) {
        const IrNode *node = region->items[i];
        mark_statement(walk, node->source);
        switch (node->kind) {
        case IR_CALL: put_reverse_call(walk, node->call, depth); break;
        case IR_IF: put_if(walk, node->if_node, node->if_node->reverse_condition, depth, walk_reverse); break;
        case IR_FOR: put_reverse_for(walk, node->for_node, depth); break;
        case IR_WHILE: put_reverse_while(walk, node->while_node, depth); break;
        case IR_RETURN: put_reverse_return(walk, node, depth); break;
        case IR_MEMBER: put_reverse_member(walk, node, depth); break;
        case IR_SET_MEMBER: put_reverse_set_member(walk, node, depth); break;
        case IR_SET_SLOT: put_reverse_slot(walk, node, depth); break;
        case IR_UPDATE_SLOT: put_reverse_slot_update(walk, node, depth); break;
        default: break; /* nothing to propagate */
        }
    }
}
