/* Square matrices: determinant, inverse, and 4 by 4 matrices as maps of space. */
#include "eval/tree/machine.h"

#define TREE_BODY "eval/tree/matrix.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
    {"determinant", "m", FLOATS(run_determinant), FLOATS(adj_determinant)},
    {"inverse", "m", FLOATS(run_inverse), FLOATS(adj_inverse)},
    {"approx_inverse", "m", FLOATS(run_inverse), FLOATS(adj_inverse)},
    {"transform_point", "mv", FLOATS(run_matrix_point), FLOATS(adj_matrix_point)},
    {"transform_vector", "mv", FLOATS(run_matrix_vector), FLOATS(adj_matrix_vector)},
};

const TreeFamily tree_matrix_family = {rows, sizeof rows / sizeof *rows};
