/* Operators and what is made of sums and products alone, for floats and integers. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_INTEGERS
#define TREE_BODY "eval/tree/arithmetic.inc"
#include "eval/tree/variants.inc"

static const TreeRow rows[] = {
    {"add", "ss", NUMBERS(run_add_one), FLOATS(adj_add)},
    {"add", "xx", NUMBERS(run_add), FLOATS(adj_add)},
    {"sub", "ss", NUMBERS(run_sub_one), FLOATS(adj_sub)},
    {"sub", "xx", NUMBERS(run_sub), FLOATS(adj_sub)},
    {"mul", "ss", NUMBERS(run_mul_one), FLOATS(adj_mul_one)},
    {"mul", "cs", NUMBERS(run_scale), FLOATS(adj_scale)},
    {"mul", "sc", NUMBERS(run_scale_by), FLOATS(adj_scale_by)},
    {"mul", "mv", NUMBERS(run_matmul), FLOATS(adj_matmul)},
    {"mul", "vm", NUMBERS(run_matmul), FLOATS(adj_matmul)},
    {"mul", "mm", NUMBERS(run_matmul), FLOATS(adj_matmul)},
    {"div", "ss", NUMBERS(run_cw_div), FLOATS(adj_div)},
    {"div", "cs", NUMBERS(run_div_scalar), FLOATS(adj_div_scalar)},
    {"div", "sc", NUMBERS(run_scalar_div), FLOATS(adj_scalar_div)},
    {"approx_div", "ss", NUMBERS(run_cw_div), FLOATS(adj_div)},
    {"approx_div", "cs", NUMBERS(run_div_scalar), FLOATS(adj_div_scalar)},
    {"approx_div", "sc", NUMBERS(run_scalar_div), FLOATS(adj_scalar_div)},
    {"floordiv", "ss", NUMBERS(run_floordiv), {0}},
    {"mod", "ss", NUMBERS(run_mod), FLOATS(adj_mod)},
    {"mod", "vv", NUMBERS(run_mod), {0}},
    {"neg", "x", NUMBERS(run_neg), FLOATS(adj_neg)},
    {"pos", "x", NUMBERS(run_pos), FLOATS(adj_pos)},
    {"abs", "x", NUMBERS(run_abs), FLOATS(adj_abs)},
    {"sign", "x", NUMBERS(run_sign), {0}},
    {"step", "s", NUMBERS(run_step), {0}},
    {"nonzero", "s", NUMBERS(run_nonzero), {0}},
    {"clamp", "sss", NUMBERS(run_clamp), FLOATS(adj_clamp)},
    {"min", "ss", NUMBERS(run_min), FLOATS(adj_min)},
    {"min", "vv", NUMBERS(run_min), FLOATS(adj_min)},
    {"min", "v", NUMBERS(run_min_of), FLOATS(adj_min_of)},
    {"max", "ss", NUMBERS(run_max), FLOATS(adj_max)},
    {"max", "vv", NUMBERS(run_max), FLOATS(adj_max)},
    {"max", "v", NUMBERS(run_max_of), FLOATS(adj_max_of)},
    {"argmin", "v", NUMBERS(run_argmin), {0}},
    {"argmax", "v", NUMBERS(run_argmax), {0}},
    {"cw_mul", "cc", NUMBERS(run_cw_mul), FLOATS(adj_cw_mul)},
    {"cw_div", "cc", NUMBERS(run_cw_div), FLOATS(adj_cw_div)},
    {"dot", "cc", NUMBERS(run_dot), FLOATS(adj_dot)},
    {"spatial_dot", "vv", NUMBERS(run_dot), FLOATS(adj_dot)},
    {"ddot", "mm", NUMBERS(run_ddot), FLOATS(adj_dot)},
    {"length_sq", "c", NUMBERS(run_length_sq), FLOATS(adj_length_sq)},
    {"cross", "vv", NUMBERS(run_cross), FLOATS(adj_cross)},
    {"outer", "vv", NUMBERS(run_outer), FLOATS(adj_outer)},
    {"transpose", "m", NUMBERS(run_transpose), FLOATS(adj_transpose)},
    {"trace", "m", NUMBERS(run_trace), FLOATS(adj_trace)},
    {"diag", "v", NUMBERS(run_diag), FLOATS(adj_diag)},
    {"get_diag", "m", NUMBERS(run_get_diag), FLOATS(adj_get_diag)},
    {"skew", "v", NUMBERS(run_skew), FLOATS(adj_skew)},
};

const TreeFamily tree_arithmetic_family = {rows, sizeof rows / sizeof *rows};
