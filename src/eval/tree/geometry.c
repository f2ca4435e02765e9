/* Edges and triangles in space. */
#include "eval/tree/machine.h"

#include <math.h>

/* Where the closest points of two edges lie. */
typedef enum EdgeCase {
    EDGES_ARE_POINTS,
    FIRST_IS_POINT,
    SECOND_IS_POINT,
    AT_SECOND_START,
    AT_SECOND_END,
    ON_BOTH,
    NEARLY_PARALLEL /* the reverse pass takes the place on the first edge as fixed */
} EdgeCase;

#define TREE_BODY "eval/tree/geometry.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
#define GEOMETRY_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_geometry_family = {rows, sizeof rows / sizeof *rows};
