/* Are the numbers of a launch finite: its values, its tangents, its gradients? And where did they stop being so? */
#include "check/check_impl.h"

#include <math.h>

typedef struct FiniteSearch {
    bool is_finite;
} FiniteSearch;

static bool are_finite(const LaunchValue *value, const double *numbers)
{
    for (size_t i = 0; numbers && i < launch_cell_count(value); i++)
        if (launch_cell_is_real(value, i) && !isfinite(numbers[i]))
            return false;
    return true;
}

/* Arrays that the run has changed; what was not finite before is the caller's own. */
static void look_at_values(LaunchValue *before, LaunchValue *after, void *user)
{
    FiniteSearch *search = user;
    for (size_t i = 0; after->type->kind == TYPE_ARRAY && i < launch_cell_count(after); i++)
        if (launch_cell_is_real(after, i) && !isfinite(after->cells[i].real) && isfinite(before->cells[i].real))
            search->is_finite = false;
}

static void look_at_tangents(LaunchValue *value, LaunchValue *same, void *user)
{
    FiniteSearch *search = user;
    (void)same;
    search->is_finite &= are_finite(value, value->tangents);
}

static void look_at_gradients(LaunchValue *value, LaunchValue *same, void *user)
{
    FiniteSearch *search = user;
    (void)same;
    search->is_finite &= are_finite(value, value->gradients);
}

bool has_finite_values(const Launch *before, const Launch *after)
{
    FiniteSearch search = {true};
    launch_visit(before, after, look_at_values, &search);
    return search.is_finite;
}

bool has_finite_tangents(const Launch *launch)
{
    FiniteSearch search = {true};
    launch_visit(launch, launch, look_at_tangents, &search);
    return search.is_finite;
}

bool has_finite_gradients(const Launch *launch)
{
    FiniteSearch search = {true};
    launch_visit(launch, launch, look_at_gradients, &search);
    return search.is_finite;
}

/* ---- the place ---- */

typedef struct StatementSearch {
    uint32_t start, offset;
    bool is_found;
} StatementSearch;

static bool is_compound(NodeKind kind)
{
    return kind == NODE_FUNCTION_DEF || kind == NODE_IF || kind == NODE_FOR || kind == NODE_WHILE;
}

static void look_at_node(const Node *node, void *user)
{
    StatementSearch *search = user;
    if (search->offset < node->start || search->offset >= node->end)
        return;
    search->is_found |= node->start == search->start && !is_compound(node->kind);
    if (!search->is_found)
        node_children(node, look_at_node, search);
}

bool is_in_statement(const Code *code, uint32_t start, uint32_t offset)
{
    StatementSearch search = {.start = start, .offset = offset};
    look_at_node(code->def, &search);
    return search.is_found;
}
