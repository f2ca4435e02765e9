/* Decompositions of small matrices, by the iterations that Warp uses (McAdams and others, "Computing the Singular Value
 * Decomposition of 3x3 matrices", 2011), so that signs and order of the parts come out alike. */
#include "eval/tree/machine.h"

#include <math.h>

/* The older forms of these builtins have the results as further arguments. */
#define TREE_OUT(i) (op->out_count ? RESULT(i) : VALUE((i) + 1))
#define TREE_ADJ_OUT(i) (op->out_count ? ADJ_RESULT(i) : ADJOINT((i) + 1))

#define TREE_BODY "eval/tree/decompose.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
#define DECOMPOSE_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_decompose_family = {rows, sizeof rows / sizeof *rows};
