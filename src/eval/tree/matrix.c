/* Square matrices: determinant, inverse, and 4 by 4 matrices as maps of space. */
#include "eval/tree/machine.h"

#define TREE_BODY "eval/tree/matrix.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
#define MATRIX_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_matrix_family = {rows, sizeof rows / sizeof *rows};
