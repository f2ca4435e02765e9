/* Parts of transforms and spatial vectors: copied out, put in. */
#include "eval/tree/machine.h"

#include <string.h>

static void get_part(Machine *m, const Op *op, uint32_t offset)
{
    memmove(RESULT(0), VALUE(0) + offset, op->outs[0].cells * sizeof(Cell));
}

static void adj_get_part(Machine *m, const Op *op, uint32_t offset)
{
    tree_accumulate(ADJOINT(0) + offset, ADJ_RESULT(0), op->outs[0].layout);
}

static void set_part(Machine *m, const Op *op, uint32_t offset)
{
    memmove(VALUE(0) + offset, VALUE(1), op->args[1].cells * sizeof(Cell));
}

static void adj_set_part(Machine *m, const Op *op, uint32_t offset)
{
    tree_accumulate(ADJOINT(1), ADJOINT(0) + offset, op->args[1].layout);
}

static void add_position(Machine *m, const Op *op, double sign)
{
    for (uint32_t i = 0; i < 3; i++)
        VALUE(0)[i].real = tree_round(VALUE(0)[i].real + sign * VALUE(1)[i].real, op->args[0].layout->kinds[i]);
}

static void adj_add_position(Machine *m, const Op *op, double sign)
{
    for (uint32_t i = 0; i < 3; i++)
        ADJOINT(1)[i].real = tree_round(ADJOINT(1)[i].real + sign * ADJOINT(0)[i].real, op->args[0].layout->kinds[i]);
}

#define WITH(name, function, argument)                                                                                 \
    static void name(Machine *m, const Op *op)                                                                         \
    {                                                                                                                  \
        function(m, op, argument);                                                                                     \
    }
WITH(run_first, get_part, 0)
WITH(adj_first, adj_get_part, 0)
WITH(run_second, get_part, 3)
WITH(adj_second, adj_get_part, 3)
WITH(run_set_first, set_part, 0)
WITH(adj_set_first, adj_set_part, 0)
WITH(run_set_second, set_part, 3)
WITH(adj_set_second, adj_set_part, 3)
WITH(run_add_position, add_position, 1.0)
WITH(adj_plus_position, adj_add_position, 1.0)
WITH(run_sub_position, add_position, -1.0)
WITH(adj_minus_position, adj_add_position, -1.0)
#undef WITH

static const TreeRow rows[] = {
#define SPATIAL_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_spatial_family = {rows, sizeof rows / sizeof *rows};
