/* Linear algebra and Fourier transforms of tiles.
 *
 * Their native functions are given code that a library of the vendor makes for one architecture; where there is none, a zero stands
 * for each. The result is both an argument and the result. */
#include "ir/tile_library.h"

#include <string.h>

void pass_no_code(RuleCall *call, Dispatch *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pass_int(call, out, 0);
}

static void pass_result(RuleCall *call, Dispatch *out)
{
    if (call->output_count)
        pass(call, out, (Eval){.kind = EVAL_VOID});
}

/* In shared memory, of the shape and order of another tile. */
static void result_like(RuleCall *call, const Type *tile)
{
    const Type *result = type_tile_copy(types(call), tile);
    result->tile->storage = TILE_SHARED;
    result->tile->is_view = false;
    one_output(call, result);
}

static void check_square(RuleCall *call, const char *name, const Type *tile)
{
    if (tile->tile->ndim != 2 || tile->tile->shape[0] != tile->tile->shape[1])
        fail(call->builder, call->at, "'%s' of %s() must be a square tile, not one of shape %s", name,
             call->builtin->name, shape_text(call->builder, tile->tile));
}

static void check_dtypes(RuleCall *call, const Type *a, const Type *c)
{
    Builder *b = call->builder;
    if (!types_equal(a->tile->dtype, c->tile->dtype))
        fail(b, call->at, "the tiles of %s() must have elements of the same type, not %s and %s", call->builtin->name,
             repr(b, a->tile->dtype), repr(b, c->tile->dtype));
}

/* Factors and systems are of floats of 32 or 64 bits. */
static void check_solver_dtype(RuleCall *call, const char *name)
{
    const Type *dtype = tile_argument(call, name)->tile->dtype;
    if (dtype->kind != TYPE_FLOAT32 && dtype->kind != TYPE_FLOAT64)
        fail(call->builder, call->at, "%s() takes tiles of float32 or float64, not of %s", call->builtin->name,
             repr(call->builder, dtype));
}

/* A square tile, and as many elements or rows as it has rows. */
static void check_system(RuleCall *call, const char *left, const char *right)
{
    Builder *b = call->builder;
    const Type *a = tile_argument(call, left), *y = tile_argument(call, right);
    check_dtypes(call, a, y);
    check_square(call, left, a);
    if (y->tile->ndim > 2)
        fail(b, call->at, "'%s' of %s() must be a tile of one or two dimensions", right, call->builtin->name);
    if (y->tile->shape[0] != a->tile->shape[0])
        fail(b, call->at, "'%s' of %s() must have as many elements as '%s' has rows, %u, not %u", right,
             call->builtin->name, left, a->tile->shape[0], y->tile->shape[0]);
    force_shared(call, a);
    force_shared(call, y);
}

void rule_tile_diag_add(RuleCall *call)
{
    const Type *a = tile_argument(call, "a");
    check_system(call, "a", "d");
    if (tile_argument(call, "d")->tile->ndim != 1)
        fail(call->builder, call->at, "'d' of tile_diag_add() must be a tile of one dimension");
    result_like(call, a);
}

void dispatch_tile_diag_add(RuleCall *call, Dispatch *out)
{
    pass_named(call, out, "a");
    pass_named(call, out, "d");
    pass_result(call, out);
}

/* ---- products ---- */

/* Sums are not kept in bfloat16: neither those of the product nor, where there is a reverse pass, those of its adjoints. */
static void check_product_dtypes(RuleCall *call, const Type *x, const Type *y, const Type *result)
{
    Builder *b = call->builder;
    bool narrow = x->tile->dtype->kind == TYPE_BFLOAT16 || y->tile->dtype->kind == TYPE_BFLOAT16;
    if (result->tile->dtype->kind == TYPE_BFLOAT16)
        fail(b, call->at, "the result of tile_matmul() cannot be a tile of bfloat16; use float16, float32 or float64");
    if (narrow && b->module->options->enable_backward)
        fail_hint(b, call->at, "write wp.set_module_options({'enable_backward': False}) if gradients are not needed",
                  "tile_matmul() of tiles of bfloat16 has no backward pass");
    if (!bound_named(call, "precision"))
        return;
    const char *precision = text_argument(call, "precision");
    if (strcmp(precision, "default") != 0 && strcmp(precision, "tf32") != 0)
        fail(b, call->at, "the precision of tile_matmul() is 'default' or 'tf32', not '%s'", precision);
    const Type *tiles[] = {x, y, result};
    for (int i = 0; strcmp(precision, "tf32") == 0 && i < 3; i++)
        if (tiles[i]->tile->dtype->kind != TYPE_FLOAT32)
            fail(b, call->at, "the precision 'tf32' of tile_matmul() is for tiles of float32, not of %s",
                 repr(b, tiles[i]->tile->dtype));
}

static void check_matmul(RuleCall *call, const Type *result)
{
    Builder *b = call->builder;
    const Type *x = tile_argument(call, "a"), *y = tile_argument(call, "b");
    const Type *tiles[] = {x, y, result};
    for (int i = 0; i < 3; i++)
        if (tiles[i] && tiles[i]->tile->ndim != 2)
            fail(b, call->at, "tile_matmul() takes tiles of two dimensions, not of shape %s",
                 shape_text(b, tiles[i]->tile));
    if (x->tile->shape[1] != y->tile->shape[0] ||
        (result && (result->tile->shape[0] != x->tile->shape[0] || result->tile->shape[1] != y->tile->shape[1])))
        fail(b, call->at, "the sizes of the tiles of tile_matmul() are not consistent: %s by %s%s%s",
             shape_text(b, x->tile), shape_text(b, y->tile), result ? " into " : "",
             result ? shape_text(b, result->tile) : "");
    check_product_dtypes(call, x, y, result ? result : x);
    force_shared(call, x);
    force_shared(call, y);
}

void rule_tile_matmul(RuleCall *call)
{
    check_matmul(call, NULL);
    const TileType *a = tile_argument(call, "a")->tile, *b = tile_argument(call, "b")->tile;
    uint32_t shape[] = {a->shape[0], b->shape[1]};
    one_output(call, type_tile(types(call), a->dtype, 2, shape, NULL, TILE_SHARED));
}

void rule_tile_matmul_out(RuleCall *call)
{
    const Type *result = tile_argument(call, "out");
    check_matmul(call, result);
    force_shared(call, result);
}

static LibraryTile library_tile(RuleCall *call, const char *name)
{
    const Eval *eval = &bound_named(call, name)->eval;
    return (LibraryTile){tile_argument(call, name), eval->kind == EVAL_VAR && eval->var->is_parameter};
}

static void pass_matmul_code(RuleCall *call, Dispatch *out)
{
    if (!library_makes(call, LIBRARY_PRODUCTS)) {
        pass_no_code(call, out, 3);
        return;
    }
    const LibraryTile tiles[] = {library_tile(call, "a"), library_tile(call, "b"),
                                 call->output_count ? (LibraryTile){.type = call->outputs[0]}
                                                    : library_tile(call, "out")};
    bool tf32 = bound_named(call, "precision") && strcmp(text_argument(call, "precision"), "tf32") == 0;
    pass_product_code(call, out, tiles, tf32);
}

void dispatch_tile_matmul(RuleCall *call, Dispatch *out)
{
    pass_matmul_code(call, out);
    pass_named(call, out, "a");
    pass_named(call, out, "b");
    if (call->output_count)
        pass_result(call, out);
    else
        pass_named(call, out, "out");
    pass_named(call, out, "alpha");
    if (bound_named(call, "beta"))
        pass_named(call, out, "beta");
    else
        pass(call, out, eval_value(value_float(call->builder->unit->arena, 0.0)));
}

void rule_tile_matmul_complex(RuleCall *call)
{
    fail(call->builder, call->at,
         "tile_matmul() does not support complex tiles; use tiles of float16, bfloat16, float32 or float64");
}

/* ---- factors and systems ---- */

static bool is_upper(RuleCall *call)
{
    const char *mode = text_argument(call, "fill_mode");
    if (strcmp(mode, "lower") != 0 && strcmp(mode, "upper") != 0)
        fail(call->builder, call->at, "the fill_mode of %s() is 'lower' or 'upper', not '%s'", call->builtin->name,
             mode);
    return strcmp(mode, "upper") == 0;
}

void rule_tile_cholesky_inplace(RuleCall *call)
{
    const Type *tile = tile_argument(call, "A");
    check_square(call, "A", tile);
    check_solver_dtype(call, "A");
    is_upper(call);
    force_shared(call, tile);
}

void rule_tile_cholesky(RuleCall *call)
{
    rule_tile_cholesky_inplace(call);
    result_like(call, tile_argument(call, "A"));
}

void rule_tile_cholesky_solve_inplace(RuleCall *call)
{
    check_system(call, "L", "y");
    check_solver_dtype(call, "L");
    is_upper(call);
}

void rule_tile_cholesky_solve(RuleCall *call)
{
    rule_tile_cholesky_solve_inplace(call);
    result_like(call, tile_argument(call, "y"));
}

/* All arguments but the text. */
static void pass_tiles(RuleCall *call, Dispatch *out)
{
    for (uint32_t i = 0; i < call->bound_count; i++)
        if (call->bound[i].param->type->kind == TYPE_TILE)
            pass(call, out, call->bound[i].eval);
    pass_result(call, out);
}

void dispatch_tile_cholesky(RuleCall *call, Dispatch *out)
{
    bool upper = is_upper(call);
    template_truth(out, upper);
    bool is_factor = bound_named(call, "A") != NULL;
    if (!library_makes(call, LIBRARY_SOLVERS))
        pass_no_code(call, out, call->builtin->rule == RESULT_TILE_CHOLESKY ? 3 : 1);
    else if (is_factor)
        pass_factor_code(call, out, tile_argument(call, "A"), upper);
    else
        pass_factored_system_code(call, out, tile_argument(call, "L"), tile_argument(call, "y"), upper);
    pass_tiles(call, out);
}

void rule_tile_solve_inplace(RuleCall *call)
{
    check_system(call, call->builtin->params[0].name, call->builtin->params[1].name);
    check_solver_dtype(call, call->builtin->params[0].name);
}

void rule_tile_solve(RuleCall *call)
{
    rule_tile_solve_inplace(call);
    result_like(call, tile_argument(call, call->builtin->params[1].name));
}

void dispatch_tile_solve(RuleCall *call, Dispatch *out)
{
    bool has_adjoint = !(call->builtin->flags & BUILTIN_NO_ADJOINT);
    const char *matrix = call->builtin->params[0].name, *right = call->builtin->params[1].name;
    if (library_makes(call, LIBRARY_SOLVERS))
        pass_triangular_code(call, out, tile_argument(call, matrix), tile_argument(call, right), *matrix == 'U',
                             has_adjoint);
    else
        pass_no_code(call, out, has_adjoint ? 2 : 1);
    pass_tiles(call, out);
}

/* ---- Fourier transforms ---- */

void rule_tile_fft(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *type = tile_argument(call, "inout");
    const Type *dtype = type->tile->dtype;
    bool complex = dtype->kind == TYPE_VEC && dtype->composite.rows == 2 &&
                   (type_scalar_of(dtype)->kind == TYPE_FLOAT32 || type_scalar_of(dtype)->kind == TYPE_FLOAT64);
    if (type->tile->storage != TILE_REGISTER)
        fail(b, call->at, "%s() takes a tile in registers, and this one is shared", call->builtin->name);
    if (!complex)
        fail(b, call->at, "%s() takes a tile of vec2f or vec2d, not of %s", call->builtin->name, repr(b, dtype));
    if (type->tile->ndim < 2)
        fail(b, call->at, "%s() takes a tile of at least two dimensions", call->builtin->name);
    if (type->tile->nameless || b->unit->makes_pairs)
        unsupported(b, call->at,
                    "%s() takes a tile of vec2f or vec2d, not of another type of vectors of two floats, as "
                    "wp.types.vector() and functions without an annotation of their result make them",
                    call->builtin->name);
    b->module->depends_on_block = true;
}

/* Bytes of shared memory that a transform without the vendor's library needs, where it is told. */
static uint32_t fft_memory(RuleCall *call, uint32_t size, uint32_t block)
{
    Builder *b = call->builder;
    bool is_power = (size & (size - 1)) == 0;
    bool in_block = b->unit->arch || (b->unit->dialect->tile_fft_checked && block > 1);
    if (!in_block && !is_power && size > 4096)
        fail(b, call->at, "%s() of %u elements: more than 4096 must be a power of two", call->builtin->name, size);
    if (in_block && (!is_power || size % block != 0))
        fail(b, call->at, "%s() of %u elements by %u threads: a power of two is needed that the threads divide",
             call->builtin->name, size, block);
    bool wide = type_scalar_of(tile_argument(call, "inout")->tile->dtype)->kind == TYPE_FLOAT64;
    return in_block ? size * (wide ? 16 : 8) : 0;
}

/* Zeros that are no variables stand for the code of both directions. */
static void pass_no_transform(RuleCall *call, Dispatch *out)
{
    IrOperand *no_code = ARENA_NEW(call->builder->arena, IrOperand);
    no_code->kind = OPERAND_NO_CODE;
    pass(call, out, (Eval){.kind = EVAL_OPERAND, .operand = no_code});
    pass(call, out, (Eval){.kind = EVAL_OPERAND, .operand = no_code});
}

void dispatch_tile_fft(RuleCall *call, Dispatch *out)
{
    const Type *type = tile_argument(call, "inout");
    const TileType *tile = type->tile;
    uint32_t size = tile->shape[tile->ndim - 1], block = call->builder->unit->block_dim;
    uint32_t memory, *most = &call->builder->function->transform_bytes;
    if (library_makes(call, LIBRARY_TRANSFORMS)) {
        memory = pass_transform_code(call, out, type, strcmp(call->builtin->name, "tile_ifft") == 0);
    } else {
        memory = fft_memory(call, size, block);
        pass_no_transform(call, out);
    }
    *most = memory > *most ? memory : *most;
    IrOperand *dtype = ARENA_NEW(call->builder->arena, IrOperand);
    dtype->kind = OPERAND_TYPE;
    dtype->type = tile->dtype;
    pass(call, out, (Eval){.kind = EVAL_OPERAND, .operand = dtype});
    pass_number(call, out, memory);
    pass_number(call, out, type_tile_size(type) / size);
    pass_number(call, out, size / block);
    pass_named(call, out, "inout");
}
