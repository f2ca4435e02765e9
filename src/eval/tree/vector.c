/* Lengths and directions. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_BODY "eval/tree/vector.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
#define VECTOR_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_vector_family = {rows, sizeof rows / sizeof *rows};
