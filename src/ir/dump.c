/* The region tree in readable form: one node per line, bodies indented. */
#include "ir/ir.h"

static void put_path(const IrPath *path, Text *out);

static void put_name(const IrVar *var, Text *out)
{
    if (var->part) {
        text_str(out, var->is_adjoint ? "adj_" : "");
        put_path(var->part, out);
    } else if (var->is_parameter)
        text_add(out, var->label->text, var->label->len);
    else
        text_format(out, "%%%u", var->index);
}

static void put_step(const IrStep *step, Text *out)
{
    static const char *const open[] = {".", ".", "[", "[", "[view "};
    text_str(out, open[step->kind]);
    if (step->kind == STEP_FIELD)
        text_add(out, step->field->text, step->field->len);
    else if (step->kind == STEP_COMPONENT)
        text_uint(out, step->component);
    else {
        for (uint32_t i = 0; i < step->index_count; i++) {
            text_str(out, i ? ", " : "");
            put_name(step->indices[i], out);
        }
        text_char(out, ']');
    }
}

static void put_path(const IrPath *path, Text *out)
{
    put_name(path->root, out);
    for (uint32_t i = 0; i < path->step_count; i++)
        put_step(&path->steps[i], out);
}

static void put_operand(const IrOperand *operand, Text *out)
{
    switch (operand->kind) {
    case OPERAND_VAR: put_name(operand->var, out); return;
    case OPERAND_POINTER:
        text_char(out, '&');
        put_path(operand->origin, out);
        return;
    case OPERAND_FUNCTION:
        text_str(out, operand->function.builtin ? operand->function.builtin->name : operand->function.func->native);
        return;
    case OPERAND_NUMBER: text_int(out, operand->number); return;
    case OPERAND_NO_CODE: text_lit(out, "no code"); return;
    case OPERAND_SYMBOL: text_str(out, operand->symbol); return;
    case OPERAND_TYPE: type_repr(operand->type, out); return;
    }
}

static void put_number(Number number, Text *out)
{
    if (number.is_int)
        text_bigint(out, number.integer);
    else
        text_python_float(out, number.real);
}

/* As one would write it in Python. */
static void put_constant(const Value *value, Text *out)
{
    Number number;
    switch (value->kind) {
    case VALUE_BOOL: text_str(out, value->truth ? "True" : "False"); return;
    case VALUE_STR:
        text_char(out, '"');
        text_add(out, value->str.text, value->str.len);
        text_char(out, '"');
        return;
    case VALUE_COMPOSITE:
        type_repr(value->composite.type, out);
        text_char(out, '(');
        for (uint32_t i = 0; i < value->composite.count; i++) {
            text_str(out, i ? ", " : "");
            put_number(value->composite.elements[i], out);
        }
        text_char(out, ')');
        return;
    case VALUE_STRUCT:
        type_repr(value->instance.type, out);
        text_char(out, '(');
        for (uint32_t i = 0; i < value->instance.type->decl->field_count; i++) {
            text_str(out, i ? ", " : "");
            put_constant(value->instance.fields[i], out);
        }
        text_char(out, ')');
        return;
    default:
        if (value_as_number(value, true, &number))
            put_number(number, out);
    }
}

static void put_call(const IrCall *call, Text *out)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        text_str(out, i ? ", " : "");
        put_name(call->outputs[i], out);
    }
    text_str(out, call->output_count ? " = " : "");
    text_str(out, call->builtin       ? call->builtin->name
                  : call->func        ? call->func->native
                  : call->constructed ? call->constructed->native_name
                                      : "tuple");
    for (uint32_t i = 0; i < call->template_count; i++) {
        const IrTemplateArg *arg = &call->template_args[i];
        text_str(out, i ? ", " : "<");
        if (arg->type)
            type_repr(arg->type, out);
        else if (arg->is_truth)
            text_str(out, arg->number ? "True" : "False");
        else
            text_int(out, arg->number);
    }
    text_str(out, call->template_count ? ">(" : "(");
    for (uint32_t i = 0; i < call->arg_count; i++) {
        text_str(out, i ? ", " : "");
        put_operand(&call->args[i], out);
    }
    text_char(out, ')');
    if (!call->reverse)
        text_lit(out, "  ; no adjoint");
    if (call->replay == REPLAY_NOTHING)
        text_lit(out, "  ; not replayed");
}

static void put_region(const IrRegion *region, uint32_t depth, Text *out);

static void put_list(const IrVarList *list, Text *out)
{
    for (uint32_t i = 0; i < list->count; i++) {
        text_char(out, ' ');
        put_name(list->items[i], out);
    }
}

static void put_compare(const IrCompare *compare, Text *out)
{
    put_name(compare->output, out);
    text_lit(out, " = compare ");
    put_name(compare->left, out);
    for (uint32_t i = 0; i < compare->count; i++) {
        text_format(out, " %s ", op_class_name(compare->ops[i]));
        put_name(compare->right[i], out);
    }
}

static void put_set(const IrNode *node, Text *out)
{
    static const char *const words[] = {[IR_SET] = "set ",
                                        [IR_LOGIC] = "join ",
                                        [IR_SET_ADJOINT] = "set adjoint ",
                                        [IR_SET_REFERENCE] = "store through "};
    text_str(out, words[node->kind]);
    put_name(node->set.target, out);
    text_lit(out, " = ");
    put_name(node->set.value, out);
}

static void put_jump(const IrNode *node, Text *out)
{
    text_format(out, "%s %s_%u", node->kind == IR_BREAK ? "break" : "continue", node->jump.is_while ? "while" : "for",
                node->jump.label);
}

static void put_return(const IrNode *node, Text *out)
{
    text_lit(out, "return");
    for (uint32_t i = 0; node->kind == IR_RETURN && i < node->ret.count; i++) {
        text_char(out, ' ');
        put_name(node->ret.values[i], out);
    }
}

/* target.field = value, and the like */
static void put_store(const IrNode *node, Text *out)
{
    switch (node->kind) {
    case IR_MEMBER:
        put_name(node->member.target, out);
        text_lit(out, " = address of ");
        put_name(node->member.aggregate, out);
        text_format(out, ".%s", node->member.field->text);
        return;
    case IR_SET_MEMBER:
        put_name(node->set_member.aggregate, out);
        text_format(out, ".%s = ", node->set_member.field->text);
        put_name(node->set_member.value, out);
        return;
    case IR_SLOT_ADDRESS:
        put_name(node->slot_address.target, out);
        text_lit(out, " = &");
        put_path(node->slot_address.path, out);
        return;
    case IR_UPDATE_SLOT: {
        static const char *const words[] = {"store", "add", "sub", "and", "or", "xor"};
        text_format(out, "%s in ", words[node->slot.operation]);
        put_path(node->slot.path, out);
        text_lit(out, ": ");
        put_name(node->slot.value, out);
        return;
    }
    case IR_SET_SLOT:
        put_path(node->slot.path, out);
        text_lit(out, " = ");
        put_name(node->slot.value, out);
        return;
    case IR_SET_LITERAL:
        put_name(node->literal.target, out);
        text_lit(out, " = ");
        put_constant(node->literal.value, out);
        return;
    case IR_ADDRESS_OF:
        put_name(node->address.target, out);
        text_lit(out, " = pointer ");
        put_operand(&node->address.pointer, out);
        return;
    default: /* IR_ZERO, IR_ONE */
        put_name(node->target, out);
        text_str(out, node->kind == IR_ZERO ? " = zero" : " = one");
        return;
    }
}

static void put_if(const IrIf *node, uint32_t depth, Text *out)
{
    text_str(out, node->negated ? "if not " : "if ");
    put_name(node->condition, out);
    text_lit(out, ":\n");
    put_region(&node->body, depth + 1, out);
}

static void put_for(const IrFor *node, uint32_t depth, Text *out)
{
    text_format(out, "for_%u over ", node->label);
    put_name(node->range, out);
    if (node->counted) {
        text_format(out, ", from %lld to %lld by %lld as ", (long long)node->start, (long long)node->stop,
                    (long long)node->step);
        put_name(node->counted, out);
    }
    text_lit(out, ", locals");
    put_list(&node->locals, out);
    text_lit(out, ":\n");
    put_region(&node->head, depth + 1, out);
    put_region(&node->body, depth + 1, out);
}

static void put_while(const IrWhile *node, uint32_t depth, Text *out)
{
    text_format(out, "while_%u, locals", node->label);
    put_list(&node->locals, out);
    text_lit(out, ":\n");
    put_region(&node->test, depth + 1, out);
    text_pad(out, ' ', 4 * (size_t)(depth + 1));
    text_lit(out, "test ");
    put_name(node->condition, out);
    text_char(out, '\n');
    put_region(&node->body, depth + 1, out);
}

static void put_node(const IrNode *node, uint32_t depth, Text *out)
{
    switch (node->kind) {
    case IR_IF: put_if(node->if_node, depth, out); return;
    case IR_FOR: put_for(node->for_node, depth, out); return;
    case IR_WHILE: put_while(node->while_node, depth, out); return;
    case IR_CALL:
    case IR_MAKE_TUPLE: put_call(node->call, out); break;
    case IR_ADJOINT_CALL:
        text_lit(out, "adjoint of ");
        put_call(node->call, out);
        break;
    case IR_COMPARE: put_compare(&node->compare, out); break;
    case IR_SET:
    case IR_LOGIC:
    case IR_SET_ADJOINT:
    case IR_SET_REFERENCE: put_set(node, out); break;
    case IR_BREAK:
    case IR_CONTINUE: put_jump(node, out); break;
    case IR_RETURN:
    case IR_RETURN_DEFAULT: put_return(node, out); break;
    case IR_ASSERT:
        text_lit(out, "assert ");
        put_name(node->assertion.condition, out);
        break;
    default: put_store(node, out); break;
    }
    text_char(out, '\n');
}

static void put_region(const IrRegion *region, uint32_t depth, Text *out)
{
    for (uint32_t i = 0; i < region->count; i++) {
        text_pad(out, ' ', 4 * (size_t)depth);
        put_node(region->items[i], depth, out);
    }
}

static void put_function(const IrFunction *function, Text *out)
{
    text_format(out, "%s %s(", function->is_kernel ? "kernel" : "function",
                function->is_kernel ? function->kernel->key->text : function->func->native);
    for (uint32_t i = 0; i < function->params.count; i++) {
        text_format(out, "%s%s: ", i ? ", " : "", function->params.items[i]->label->text);
        type_repr(function->params.items[i]->type, out);
    }
    text_lit(out, ")\n");
    for (uint32_t i = 0; i < function->vars.count; i++) {
        const IrVar *var = function->vars.items[i];
        text_format(out, "    %%%u: %s", i, var->type->kind == TYPE_REF ? "reference to " : "");
        type_repr(var->type, out);
        if (var->constant) {
            text_lit(out, " = ");
            put_constant(var->constant, out);
        }
        text_char(out, '\n');
    }
    put_region(&function->body, 1, out);
    text_char(out, '\n');
}

void ir_dump(const IrModule *module, Text *out)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        put_function(module->functions[i], out);
    put_function(module->kernel, out);
}
