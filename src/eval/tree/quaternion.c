/* Rotations: quaternions, transforms, spatial vectors. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_BODY "eval/tree/quaternion.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
#define QUATERNION_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_quaternion_family = {rows, sizeof rows / sizeof *rows};
