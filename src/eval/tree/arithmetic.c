/* Operators and what is made of sums and products alone, for floats and integers. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_INTEGERS
#define TREE_BODY "eval/tree/arithmetic.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
#define ARITHMETIC_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_arithmetic_family = {rows, sizeof rows / sizeof *rows};
