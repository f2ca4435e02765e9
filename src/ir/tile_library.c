/* Code of the vendor's library that the native functions of linear algebra and Fourier transforms are given.
 *
 * The library makes it for one architecture and size of blocks; a module names each piece of it, and declares the names in
 * front. What the names say is all that is known of the pieces: shapes, orders, types. Without an architecture, or where a module
 * has switched a part of the library off, a zero stands for each piece. */
#include "ir/tile_library.h"

#include <string.h>

bool library_makes(RuleCall *call, LibraryPart part)
{
    Builder *b = call->builder;
    bool asked = b->unit->arch && !(b->module->options->library_off & (1u << part));
    b->module->depends_on_block |= b->unit->arch != 0;
    return asked;
}

bool library_differentiates(const RuleCall *call)
{
    return call->builder->module->options->enable_backward;
}

/* The architecture that the library is asked for: it does not know the newest. */
static uint32_t library_arch(const RuleCall *call)
{
    const Unit *unit = call->builder->unit;
    if (unit->arch == 107 && unit->dialect->library_aligns)
        return 103;
    return unit->arch > 121 ? 120 : unit->arch;
}

static void pass_symbol(RuleCall *call, Dispatch *out, const char *symbol)
{
    IrOperand *operand = ARENA_NEW(call->builder->arena, IrOperand);
    operand->kind = OPERAND_SYMBOL;
    operand->symbol = symbol;
    pass(call, out, (Eval){.kind = EVAL_OPERAND, .operand = operand});
}

/* Declares a piece of code, unless the module has it; its name. */
static const char *declare(RuleCall *call, const char *symbol, const char *params)
{
    IrModule *module = call->builder->module;
    Arena *arena = call->builder->arena;
    for (uint32_t i = 0; i < module->library_count; i++)
        if (strcmp(module->library[i].symbol, symbol) == 0)
            return module->library[i].symbol;
    ARENA_PUSH(arena, module->library, module->library_count, module->library_cap) =
        (IrLibraryCode){symbol, arena_format(arena, "void %s(%s);", symbol, params)};
    return symbol;
}

/* The library's number of a type of elements. */
static unsigned precision_of(const Type *dtype)
{
    switch (dtype->kind) {
    case TYPE_BFLOAT16: return 2;
    case TYPE_FLOAT16: return 3;
    case TYPE_FLOAT64: return 6;
    default: return 5;
    }
}

static const char *native_name(const Type *dtype)
{
    switch (dtype->kind) {
    case TYPE_BFLOAT16: return "wp::bfloat16";
    case TYPE_FLOAT16: return "wp::float16";
    case TYPE_FLOAT64: return "wp::float64";
    default: return "wp::float32";
    }
}

static unsigned bytes_of(const Type *dtype)
{
    return dtype->kind == TYPE_FLOAT64 ? 8 : dtype->kind == TYPE_FLOAT32 ? 4 : 2;
}

/* ---- products ---- */

/* An operand of a product as the library sees it. */
typedef struct Factor {
    const Type *dtype;
    bool by_columns, aligned;
    uint32_t leading;   /* elements from one row, or column, to the next */
    unsigned precision; /* that it is computed in */
} Factor;

/* Is there a number of elements from row to row, or from column to column? */
static bool find_leading(const TileType *tile, Factor *out)
{
    const uint32_t *shape = tile->shape;
    const int32_t *strides = tile->strides;
    bool by_rows = strides[1] == 1 && strides[0] >= (int32_t)shape[1];
    bool by_columns = strides[0] == 1 && strides[1] >= (int32_t)shape[0];
    if (!by_rows && !by_columns)
        return false;
    out->by_columns = by_rows && by_columns ? tile->column_major : by_columns; /* one row or column is both */
    out->leading = (uint32_t)(out->by_columns ? strides[1] : strides[0]);
    return true;
}

static uint32_t dense_leading(const Factor *factor, uint32_t rows, uint32_t columns)
{
    return factor->by_columns ? rows : columns;
}

/* To how many bytes the operands are known to be aligned; zeros: nothing is said of them. */
static void put_alignments(Text *out, const Factor *const *factors, bool is_dense)
{
    unsigned bytes[3] = {0};
    bool any = false;
    for (int i = 0; is_dense && i < 3; i++) {
        unsigned size = bytes_of(factors[i]->dtype);
        bool aligned = factors[i]->aligned && factors[i]->leading * size % 16 == 0;
        bytes[i] = !aligned ? size : i == 2 && size == 2 ? 8 : 16;
        any |= bytes[i] != size;
    }
    for (int i = 0; i < 3; i++)
        text_format(out, i ? "_%u" : "_al%u", any ? bytes[i] : 0);
    text_lit(out, "_sb1");
}

static const char *product_code(RuleCall *call, const uint32_t *sizes, const Factor *a, const Factor *b,
                                const Factor *result)
{
    const Unit *unit = call->builder->unit;
    const Factor *factors[] = {a, b, result};
    const uint32_t m = sizes[0], n = sizes[1], k = sizes[2];
    bool is_dense = a->leading == dense_leading(a, m, k) && b->leading == dense_leading(b, k, n) &&
                    result->leading == dense_leading(result, m, n);
    Text symbol, params;
    text_init_in(&symbol, call->builder->arena);
    text_format(&symbol, "dot_%u_%u_%u_%u_%u", m, n, k, library_arch(call), unit->block_dim);
    for (int i = 0; i < 3; i++)
        text_format(&symbol, "_%d", !factors[i]->by_columns);
    for (int i = 0; i < 3; i++)
        text_format(&symbol, "_%u", i < 2 ? factors[i]->precision : precision_of(factors[i]->dtype));
    text_lit(&symbol, "_0");
    for (int i = 0; !is_dense && i < 3; i++)
        text_format(&symbol, "_%u", factors[i]->leading);
    if (unit->dialect->library_aligns)
        put_alignments(&symbol, factors, is_dense);
    const char *c = native_name(result->dtype);
    text_init_in(&params, call->builder->arena);
    text_format(&params, "%s*, %s*, %s*, %s*, %s*", c, native_name(a->dtype), native_name(b->dtype), c, c);
    return declare(call, text_cstr(&symbol), text_cstr(&params));
}

static Factor transposed(Factor factor)
{
    factor.by_columns = !factor.by_columns;
    return factor;
}

/* The library may not know such products, and Warp then takes another way: which, depends on the library's compiler. */
static void check_certain(RuleCall *call, const Factor *factors, const uint32_t *sizes)
{
    const uint32_t m = sizes[0], n = sizes[1], k = sizes[2];
    bool is_dense = factors[0].leading == dense_leading(&factors[0], m, k) &&
                    factors[1].leading == dense_leading(&factors[1], k, n) &&
                    factors[2].leading == dense_leading(&factors[2], m, n);
    bool is_narrow = false;
    for (int i = 0; i < 3; i++)
        is_narrow |= bytes_of(factors[i].dtype) == 2;
    if (!is_dense && is_narrow && (m % 16 || n % 16 || k % 16))
        unsupported(call->builder, call->at,
                    "tile_matmul() of parts of wider tiles of 16 bits per number, with sizes that are not multiples of "
                    "16: whether the vendor's library can compile it, and so Warp's text, is not known");
}

void pass_product_code(RuleCall *call, Dispatch *out, const LibraryTile *tiles, bool tf32)
{
    Factor factors[3];
    for (int i = 0; i < 3; i++) {
        const TileType *tile = tiles[i].type->tile;
        factors[i] = (Factor){.dtype = tile->dtype, .aligned = !tile->is_view && !tiles[i].is_parameter};
        factors[i].precision = tf32 && call->builder->unit->arch >= 80 ? 4 : precision_of(tile->dtype);
        if (!find_leading(tile, &factors[i])) {
            pass_no_code(call, out, 3);
            return;
        }
    }
    const uint32_t m = tiles[0].type->tile->shape[0], k = tiles[0].type->tile->shape[1];
    const uint32_t n = tiles[1].type->tile->shape[1];
    const uint32_t sizes[3][3] = {{m, n, k}, {m, k, n}, {k, n, m}};
    check_certain(call, factors, sizes[0]);
    const Factor *a = &factors[0], *b = &factors[1], *c = &factors[2];
    const Factor a_turned = transposed(*a), b_turned = transposed(*b);
    const char *forward = product_code(call, sizes[0], a, b, c);
    bool backward = library_differentiates(call);
    pass_symbol(call, out, forward);
    pass_symbol(call, out, backward ? product_code(call, sizes[1], c, &b_turned, a) : forward);
    pass_symbol(call, out, backward ? product_code(call, sizes[2], &a_turned, c, b) : forward);
}

/* ---- factors and systems ---- */

static const char *solver_code(RuleCall *call, const char *solver, const uint32_t *sizes, bool by_columns,
                               bool right_by_columns, const Type *dtype, bool upper)
{
    Builder *b = call->builder;
    bool is_triangular = strcmp(solver, "trsm") == 0, is_factor = strcmp(solver, "potrf") == 0;
    const char *native = native_name(dtype);
    const char *symbol = arena_format(b->arena, "%s_%u_%u_%u_%u_%u_%d_%d_%u_%s_%d", solver, sizes[0], sizes[1],
                                      sizes[2], library_arch(call), b->unit->block_dim, !by_columns, !right_by_columns,
                                      precision_of(dtype), is_triangular ? "0_1" : "x_x", !upper);
    return declare(call, symbol,
                   is_factor ? arena_format(b->arena, "%s*, int*", native)
                             : arena_format(b->arena, "%s*, %s*", native, native));
}

/* For the adjoint of a factor: a product, and two solutions of triangular systems. */
static void pass_factor_adjoint(RuleCall *call, Dispatch *out, const TileType *tile, bool upper)
{
    const uint32_t m = tile->shape[0], product[] = {m, m, m}, system[] = {m, m, 1};
    Factor same = {
        .dtype = tile->dtype, .by_columns = tile->column_major, .leading = m, .precision = precision_of(tile->dtype)};
    Factor turned = transposed(same);
    pass_symbol(call, out, product_code(call, product, upper ? &same : &turned, upper ? &turned : &same, &same));
    pass_symbol(call, out,
                solver_code(call, "trsm", system, upper ? same.by_columns : turned.by_columns, same.by_columns,
                            tile->dtype, true));
}

void pass_factor_code(RuleCall *call, Dispatch *out, const Type *type, bool upper)
{
    const TileType *tile = type->tile;
    const uint32_t sizes[] = {tile->shape[0], tile->shape[1], 1};
    pass_symbol(call, out,
                solver_code(call, "potrf", sizes, tile->column_major, tile->column_major, tile->dtype, upper));
    if (!call->output_count)
        return;
    if (library_differentiates(call))
        pass_factor_adjoint(call, out, tile, upper);
    else
        pass_no_code(call, out, 2);
}

void pass_factored_system_code(RuleCall *call, Dispatch *out, const Type *matrix, const Type *right, bool upper)
{
    const TileType *a = matrix->tile, *y = right->tile;
    const uint32_t sizes[] = {a->shape[0], a->shape[1], y->ndim > 1 ? y->shape[1] : 1};
    pass_symbol(call, out, solver_code(call, "potrs", sizes, a->column_major, y->column_major, a->dtype, upper));
}

void pass_triangular_code(RuleCall *call, Dispatch *out, const Type *matrix, const Type *right, bool upper,
                          bool has_adjoint)
{
    const TileType *a = matrix->tile, *y = right->tile;
    const uint32_t sizes[] = {a->shape[0], y->ndim > 1 ? y->shape[1] : 1, 1};
    pass_symbol(call, out, solver_code(call, "trsm", sizes, a->column_major, y->column_major, a->dtype, upper));
    if (has_adjoint && library_differentiates(call))
        pass_symbol(call, out, solver_code(call, "trsm", sizes, !a->column_major, false, a->dtype, true));
    else if (has_adjoint)
        pass_no_code(call, out, 1);
}

/* ---- Fourier transforms ---- */

/* Only the library knows how much shared memory its transforms take. This is what it answered for sizes of 128, 256, 512 and 1024,
 * per element (sm_90 with the library of Warp 1.19.0; sm_80 and the library of 1.16.0 in samples); smaller ones follow no rule that
 * could be seen. 0: it was not asked. */
static uint32_t transform_memory(uint32_t size, uint32_t per_thread, bool wide)
{
    static const struct {
        uint32_t per_thread, single, wide;
    } bytes[] = {{2, 8, 8}, {4, 8, 16}, {8, 8, 8}, {16, 4, 16}};
    bool is_known = size == 128 || size == 256 || size == 512 || size == 1024;
    for (size_t i = 0; is_known && i < sizeof bytes / sizeof *bytes; i++)
        if (bytes[i].per_thread == per_thread)
            return size * (wide ? bytes[i].wide : bytes[i].single);
    return 0;
}

uint32_t pass_transform_code(RuleCall *call, Dispatch *out, const Type *type, bool inverse)
{
    Builder *b = call->builder;
    const TileType *tile = type->tile;
    uint32_t size = tile->shape[tile->ndim - 1], per_thread = size / b->unit->block_dim;
    bool wide = type_scalar_of(tile->dtype)->kind == TYPE_FLOAT64;
    if (per_thread < 2)
        fail(b, call->at, "%s() of %u elements by %u threads: each thread must have two elements or more",
             call->builtin->name, size, b->unit->block_dim);
    uint32_t memory = transform_memory(size, per_thread, wide);
    if (!memory)
        unsupported(b, call->at,
                    "%s() of %u elements by %u threads: how much shared memory the vendor's library needs for it is "
                    "not known",
                    call->builtin->name, size, b->unit->block_dim);
    static const char *const directions[] = {"forward", "inverse"};
    for (int reverse = 0; reverse < 2; reverse++) {
        bool to_inverse = inverse != (reverse && library_differentiates(call));
        const char *symbol = arena_format(b->arena, "fft_%u_%u_%u_%s_%d", size, per_thread, library_arch(call),
                                          directions[to_inverse], wide ? 6 : 5);
        pass_symbol(call, out, declare(call, symbol, wide ? "wp::vec2d*, char*" : "wp::vec2f*, char*"));
    }
    return memory;
}
