/* Lengths and directions. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_BODY "eval/tree/vector.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
    {"length", "c", FLOATS(run_length), FLOATS(adj_length)},
    {"normalize", "v", FLOATS(run_normalize), FLOATS(adj_normalize)},
    {"normalize", "q", FLOATS(run_normalize_quat), FLOATS(adj_normalize_quat)},
};

const TreeFamily tree_vector_family = {rows, sizeof rows / sizeof *rows};
