/* Every rule that the walkers rely on: a tree that breaks it is named by it, one that keeps it passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "ir/ir.h"

/* A kernel with a parameter `x`, the variables `a` and `b`, and one node; a function without any. */
typedef struct Tree {
    IrVar x, a, b, stranger;
    IrVar *params[1], *vars[2];
    IrFunction kernel, function, *functions[1];
    IrModule module;
    IrNode node, *items[1];
} Tree;

static IrNode *plant(Tree *t, IrKind kind)
{
    *t = (Tree){.x = {.is_parameter = true}, .b = {.index = 1}};
    t->params[0] = &t->x;
    t->vars[0] = &t->a;
    t->vars[1] = &t->b;
    t->items[0] = &t->node;
    t->node.kind = kind;
    t->kernel.params = (IrVarList){t->params, 1, 1};
    t->kernel.vars = (IrVarList){t->vars, 2, 2};
    t->kernel.body = (IrRegion){t->items, 1, 1};
    t->functions[0] = &t->function;
    t->module = (IrModule){.kernel = &t->kernel, .functions = t->functions, .function_count = 1};
    return &t->node;
}

static void expect(const Tree *t, const char *rule)
{
    const char *broken = ir_verify(&t->module);
    if (rule) {
        assert_non_null(broken);
        assert_string_equal(broken, rule);
    } else
        assert_null(broken);
}

#define FOREIGN "a variable does not belong to its function"
#define MISSING "a variable is missing"

/* ---- variables ---- */

static void test_variables(void **state)
{
    (void)state;
    Tree t;
    IrNode *node = plant(&t, IR_SET);
    node->set.target = &t.a;
    node->set.value = &t.x;
    expect(&t, NULL);
    node->set.value = NULL;
    expect(&t, MISSING);
    node->set.value = &t.stranger; /* has the number of another */
    expect(&t, FOREIGN);
    t.stranger.index = 2; /* has none */
    expect(&t, FOREIGN);
    t.stranger.is_parameter = true;
    expect(&t, "a parameter does not belong to its function");
    t.stranger.index = 0;
    expect(&t, "a parameter does not belong to its function");
    node->set.value = &t.x;
    node->set.target = &t.stranger;
    expect(&t, "a parameter does not belong to its function");
    node->kind = IR_LOGIC;
    expect(&t, "a parameter does not belong to its function");
    node->kind = IR_ZERO; /* nothing is asked of it */
    expect(&t, NULL);
}

static void test_numbers(void **state)
{
    (void)state;
    Tree t;
    plant(&t, IR_ZERO);
    t.b.index = 0;
    expect(&t, "variables are not numbered in order");
    plant(&t, IR_ZERO);
    t.a.index = 1;
    t.function.vars = t.kernel.vars; /* of a function, too */
    t.kernel.vars.count = 0;
    expect(&t, "variables are not numbered in order");
    t.a.index = 0;
    expect(&t, NULL);
    t.function.body = t.kernel.body;
    t.kernel.body.count = 0;
    t.node.kind = IR_SET;
    t.node.set.target = &t.a;
    expect(&t, MISSING);
}

static void test_parts(void **state)
{
    (void)state;
    Tree t;
    IrStep steps[2] = {{.kind = STEP_FIELD}, {.kind = STEP_FIELD}};
    IrPath path = {.steps = steps, .step_count = 2}, inner = {0};
    IrNode *node = plant(&t, IR_SET);
    path.root = &t.x;
    t.stranger.part = &path;
    node->set.target = &t.stranger;
    node->set.value = &t.b;
    expect(&t, NULL);
    for (int i = 0; i < 2; i++) {
        steps[i].kind = STEP_COMPONENT;
        expect(&t, "a part with a name is more than a field");
        steps[i].kind = STEP_FIELD;
    }
    IrVar other = {.index = 7};
    path.root = &other;
    expect(&t, FOREIGN);
    other = (IrVar){.part = &inner};
    inner.root = &t.x;
    expect(&t, "a part is a part of a part");
}

/* ---- nodes ---- */

static void test_slots(void **state)
{
    (void)state;
    Tree t;
    IrVar *indices[2], other = {.index = 9};
    IrStep steps[2] = {{.kind = STEP_ELEMENT, .indices = indices, .index_count = 2}, {.kind = STEP_COMPONENT}};
    IrPath path = {.steps = steps, .step_count = 2};
    static const IrKind kinds[] = {IR_SET_SLOT, IR_UPDATE_SLOT, IR_SLOT_ADDRESS};
    for (int k = 0; k < 3; k++) {
        IrNode *node = plant(&t, kinds[k]);
        IrVar **var = kinds[k] == IR_SLOT_ADDRESS ? &node->slot_address.target : &node->slot.value;
        path.root = &t.x;
        indices[0] = &t.a;
        indices[1] = &t.b;
        *var = &t.b;
        if (kinds[k] == IR_SLOT_ADDRESS)
            node->slot_address.path = &path;
        else
            node->slot.path = &path;
        expect(&t, NULL);
        *var = &other;
        expect(&t, FOREIGN);
        *var = &t.b;
        path.root = NULL;
        expect(&t, MISSING);
        path.root = &t.x;
        for (int i = 0; i < 2; i++) {
            IrVar *kept = indices[i];
            indices[i] = &other;
            expect(&t, FOREIGN);
            indices[i] = kept;
        }
        static const IrStepKind wrong[][2] = {
            {STEP_FIELD, STEP_FIELD}, {STEP_ELEMENT, STEP_ELEMENT}, {STEP_VIEW, STEP_FIELD}, {STEP_ELEMENT, STEP_VIEW}};
        for (int i = 0; i < 4; i++) {
            steps[0].kind = wrong[i][0];
            steps[1].kind = wrong[i][1];
            expect(&t, "a slot is not a component of an array element");
        }
        steps[0].kind = STEP_ELEMENT;
        steps[1].kind = STEP_INDEX;
        expect(&t, NULL);
        steps[1].kind = STEP_COMPONENT;
    }
}

static void test_calls(void **state)
{
    (void)state;
    Tree t;
    IrVar other = {.index = 9}, *outputs[2];
    IrOperand args[2] = {0}, adj_args[2] = {0};
    Builtin builtin;
    Func func;
    StructDecl decl;
    Value value;
    IrCall call = {.args = args, .adj_args = adj_args, .arg_count = 2, .outputs = outputs, .output_count = 2};
    plant(&t, IR_CALL)->call = &call;
    args[0].var = adj_args[0].var = &t.x;
    args[1].var = adj_args[1].var = &t.a;
    outputs[0] = &t.a;
    outputs[1] = &t.b;
    expect(&t, "a call has no callee");
    call.func = &func;
    expect(&t, NULL);
    call.func = NULL;
    call.constructed = &decl;
    expect(&t, NULL);
    call.constructed = NULL;
    call.builtin = &builtin;
    expect(&t, NULL);
    for (int i = 0; i < 2; i++) {
        args[i].var = &other;
        expect(&t, FOREIGN);
        args[i].kind = OPERAND_POINTER; /* leads elsewhere */
        expect(&t, NULL);
        args[i] = (IrOperand){.var = &t.b};
        adj_args[i].var = &other;
        expect(&t, NULL); /* there is no reverse call */
        call.reverse = true;
        expect(&t, FOREIGN);
        adj_args[i].kind = OPERAND_POINTER;
        expect(&t, NULL);
        adj_args[i] = (IrOperand){.var = &t.b};
        call.reverse = false;
        IrVar *kept = outputs[i];
        outputs[i] = &other;
        expect(&t, FOREIGN);
        outputs[i] = kept;
        kept->constant = &value;
        expect(&t, "a call writes a constant");
        kept->constant = NULL;
    }
    call.arg_count = call.output_count = 0;
    args[0].var = outputs[0] = &other;
    expect(&t, NULL);
}

static void test_returns(void **state)
{
    (void)state;
    Tree t;
    IrVar other = {.index = 9}, *values[2];
    IrNode *node = plant(&t, IR_RETURN);
    values[0] = &t.x;
    values[1] = &t.b;
    node->ret.values = values;
    node->ret.count = 2;
    expect(&t, NULL);
    values[1] = &other;
    expect(&t, "a returned variable does not belong to its function");
    node->ret.count = 1;
    expect(&t, NULL);
}

/* ---- regions ---- */

static void test_branches(void **state)
{
    (void)state;
    Tree t;
    IrIf branch;
    IrNode inner = {.kind = IR_SET}, *items[] = {&inner};
    plant(&t, IR_IF)->if_node = &branch;
    branch = (IrIf){.condition = &t.a, .reverse_condition = &t.b, .body = {items, 1, 1}};
    inner.set.target = inner.set.value = &t.a;
    expect(&t, NULL);
    inner.set.value = NULL;
    expect(&t, MISSING);
    inner.set.value = &t.a;
    branch.condition = NULL;
    expect(&t, MISSING);
    branch.condition = &t.a;
    branch.reverse_condition = NULL;
    expect(&t, MISSING);
}

static void test_loops(void **state)
{
    (void)state;
    Tree t;
    IrNode jump, set, *jumps[] = {&jump}, *sets[] = {&set};
    for (int is_while = 0; is_while < 2; is_while++)
        for (int kind = 0; kind < 2; kind++) {
            IrFor loop = {.label = 5, .body = {jumps, 1, 1}};
            IrWhile turns = {.label = 5, .body = {jumps, 1, 1}};
            IrNode *node = plant(&t, is_while ? IR_WHILE : IR_FOR);
            if (is_while)
                node->while_node = &turns;
            else
                node->for_node = &loop;
            jump = (IrNode){.kind = kind ? IR_BREAK : IR_CONTINUE, .jump = {.label = 5}};
            set = (IrNode){.kind = IR_SET};
            expect(&t, NULL);
            jump.jump.label = 4;
            expect(&t, "a jump leaves more than its own loop");
            jump.jump.label = 5;
            loop.head = turns.test = (IrRegion){sets, 1, 1}; /* what finds out whether there is another turn */
            expect(&t, MISSING);
            loop.head = turns.test = (IrRegion){jumps, 1, 1}; /* is not in the loop */
            expect(&t, "a jump leaves more than its own loop");
        }
    plant(&t, IR_BREAK);
    expect(&t, "a jump leaves more than its own loop");
}

static void test_nested_loops(void **state)
{
    (void)state;
    enum { MOST = LIMIT_LOOPS };
    Tree t;
    IrFor loops[MOST + 1];
    IrNode nodes[MOST + 1], *items[MOST + 1];
    for (uint32_t i = 0; i <= MOST; i++) {
        loops[i] = (IrFor){.label = i};
        if (i < MOST)
            loops[i].body = (IrRegion){&items[i + 1], 1, 1};
        nodes[i] = (IrNode){.kind = IR_FOR, .for_node = &loops[i]};
        items[i] = &nodes[i];
    }
    plant(&t, IR_ZERO);
    t.kernel.body.items = &items[1];
    expect(&t, NULL);
    t.kernel.body.items = &items[0];
    expect(&t, "loops are nested too deeply");
    nodes[1] = (IrNode){.kind = IR_BREAK, .jump = {.label = 0}};
    expect(&t, NULL);
    nodes[1].jump.label = 1;
    expect(&t, "a jump leaves more than its own loop");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables), cmocka_unit_test(test_numbers), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_slots),     cmocka_unit_test(test_calls),   cmocka_unit_test(test_returns),
        cmocka_unit_test(test_branches),  cmocka_unit_test(test_loops),   cmocka_unit_test(test_nested_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
