/* Conditions, statements, and the code of a whole kernel. */
#include "cuda/code.h"

static void generate_statement(Generator *g, const Statement *statement);

/* ---- conditions ---- */

static void branch_if(Generator *g, const Node *condition, uint32_t *chain)
{
    uint32_t no = 0, top = g->top;
    enter_code(g);
    if (condition->op == ON_OR) {
        branch_if(g, condition->a, chain);
        branch_if(g, condition->b, chain);
    } else if (condition->op == ON_AND) {
        branch_unless(g, condition->a, &no);
        branch_if(g, condition->b, chain);
        land_jumps(g, no);
    } else if (condition->op == ON_NOT)
        branch_unless(g, condition->a, chain);
    else
        add_jump(g, OP_JUMP_IF, value_of(g, condition), chain);
    g->depth--;
    g->top = top;
}

void branch_unless(Generator *g, const Node *condition, uint32_t *chain)
{
    uint32_t yes = 0, top = g->top;
    enter_code(g);
    if (condition->op == ON_AND) {
        branch_unless(g, condition->a, chain);
        branch_unless(g, condition->b, chain);
    } else if (condition->op == ON_OR) {
        branch_if(g, condition->a, &yes);
        branch_unless(g, condition->b, chain);
        land_jumps(g, yes);
    } else if (condition->op == ON_NOT)
        branch_if(g, condition->a, chain);
    else
        add_jump(g, OP_JUMP_UNLESS, value_of(g, condition), chain);
    g->depth--;
    g->top = top;
}

/* ---- statements ---- */

static void generate_block(Generator *g, const Statement *first)
{
    uint32_t top = g->top;
    for (; first; first = first->next)
        generate_statement(g, first);
    g->top = top;
}

/* A variable keeps its cells up to the end of the block. One without a value is cleared, so that every run is the same. */
static void generate_variable(Generator *g, const Statement *statement)
{
    Variable *variable = statement->variable;
    int32_t slot = take_cells(g, variable->type->cells);
    variable->place = frame_place(slot);
    if (!statement->value)
        clear_cells(g, slot, variable->type->cells);
    else if (is_aggregate(variable->type))
        aggregate_to(g, statement->value, slot);
    else
        value_to(g, statement->value, slot);
}

static void generate_if(Generator *g, const Statement *statement)
{
    uint32_t no = 0, end = 0;
    branch_unless(g, statement->value, &no);
    generate_block(g, statement->body);
    if (statement->otherwise) {
        add_jump(g, OP_JUMP, 0, &end);
        land_jumps(g, no);
        generate_block(g, statement->otherwise);
        land_jumps(g, end);
    } else
        land_jumps(g, no);
}

static void generate_loop(Generator *g, const Statement *statement)
{
    Loop loop = {.outer = g->loop};
    uint32_t top = g->top;
    if (statement->otherwise)
        generate_statement(g, statement->otherwise);
    g->loop = &loop;
    Start start = start_loop(g);
    if (!statement->body_first && statement->value)
        branch_unless(g, statement->value, &loop.breaks);
    generate_block(g, statement->body);
    land_jumps(g, loop.continues);
    if (statement->step)
        run_for_effect(g, statement->step);
    if (statement->body_first)
        branch_unless(g, statement->value, &loop.breaks);
    jump_back(g, start);
    land_jumps(g, loop.breaks);
    g->loop = loop.outer;
    g->top = top;
}

static void generate_return(Generator *g, const Node *value)
{
    uint32_t top = g->top;
    if (value && g->function->gives_reference)
        point_to(g, place_of(g, value), value->type, g->result);
    else if (value && is_aggregate(value->type))
        aggregate_to(g, value, g->result);
    else if (value)
        value_to(g, value, g->result);
    add_jump(g, OP_JUMP, 0, &g->returns);
    g->top = top;
}

static void generate_statement(Generator *g, const Statement *statement)
{
    enter_code(g);
    switch (statement->kind) {
    case DO_NOTHING: break;
    case DO_VALUE: run_for_effect(g, statement->value); break;
    case DO_DECLARE: generate_variable(g, statement); break;
    case DO_BLOCK:
        if (statement->is_group) /* of variables, which belong to the block around it */
            for (const Statement *each = statement->body; each; each = each->next)
                generate_statement(g, each);
        else
            generate_block(g, statement->body);
        break;
    case DO_IF: generate_if(g, statement); break;
    case DO_LOOP: generate_loop(g, statement); break;
    case DO_BREAK:
    case DO_CONTINUE:
        if (!g->loop)
            cannot(g->t, "break or continue stands outside of a loop");
        add_jump(g, OP_JUMP, 0, statement->kind == DO_BREAK ? &g->loop->breaks : &g->loop->continues);
        break;
    case DO_RETURN: generate_return(g, statement->value); break;
    }
    g->depth--;
}

/* ---- functions ---- */

void generate_body(Generator *g, CudaFunction *function, int32_t result)
{
    Generator outer = *g;
    enter_code(g);
    g->function = function;
    g->result = result;
    g->returns = 0;
    g->loop = NULL;
    function->is_open = true;
    generate_block(g, function->body);
    land_jumps(g, g->returns);
    function->is_open = false;
    g->function = outer.function;
    g->result = outer.result;
    g->returns = outer.returns;
    g->loop = outer.loop;
    g->depth--;
}

const Code *generate_code(CudaText *t, CudaFunction *kernel)
{
    Generator g = {.t = t};
    Code *code = ARENA_NEW(t->arena, Code);
    whole_slot(&g, 0); /* ZERO_SLOT */
    for (uint32_t i = 0; i < kernel->param_count; i++)
        kernel->params[i]->place = frame_place(take_cells(&g, kernel->params[i]->type->cells));
    code->param_cells = g.top;
    g.thread = take_cells(&g, 1);
    generate_body(&g, kernel, 0);
    emit(&g, OP_END, 0, 0, 0);
    code->ops = g.ops;
    code->cost = g.cost;
    code->frame = g.most;
    code->constants = g.constants.own;
    code->wide = g.constants.wide;
    code->constant_count = g.constants.count;
    return code;
}
