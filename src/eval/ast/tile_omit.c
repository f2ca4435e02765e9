/* What Warp's adjoints of tiles leave out, left out of the derivatives, too: to see whether that explains a wrong gradient. */
#include "eval/ast/tile.h"

#include <string.h>

static AstOmission omission_of(const TileRow *row)
{
    static const struct {
        const char *name;
        AstOmission omission;
    } omissions[] = {{"tile_min", OMIT_TILE_REDUCTION},
                     {"tile_max", OMIT_TILE_REDUCTION},
                     {"tile_reduce", OMIT_TILE_REDUCTION},
                     {"tile_scan_exclusive", OMIT_TILE_SCAN},
                     {"tile_scan_inclusive", OMIT_TILE_SCAN},
                     {"tile_scan_max_inclusive", OMIT_TILE_SCAN},
                     {"tile_scan_min_inclusive", OMIT_TILE_SCAN},
                     {"tile_sort", OMIT_TILE_SCAN},
                     {"tile_stack_pop", OMIT_TILE_SCAN},
                     {"tile_cholesky_inplace", OMIT_TILE_SOLVE},
                     {"tile_cholesky_solve", OMIT_TILE_SOLVE},
                     {"tile_cholesky_solve_inplace", OMIT_TILE_SOLVE},
                     {"tile_diag_add", OMIT_TILE_SOLVE},
                     {"tile_lower_solve_inplace", OMIT_TILE_SOLVE},
                     {"tile_upper_solve", OMIT_TILE_SOLVE},
                     {"tile_upper_solve_inplace", OMIT_TILE_SOLVE},
                     {"tile_sum", OMIT_TILE_SUM_AXIS}};
    for (size_t i = 0; i < sizeof omissions / sizeof *omissions; i++)
        if (strcmp(omissions[i].name, row->name) == 0)
            return omissions[i].omission;
    return OMIT_NOTHING;
}

static uint32_t cells_of(const Tile *tile)
{
    return tile_size(tile) * tile->width;
}

static Dual *cell_of(const Tile *tile, uint32_t i)
{
    return tile_element(tile, i / tile->width) + i % tile->width;
}

/* Tiles that a call changes keep the tangents that they had: nothing is done to their adjoints. */
static double **keep_tangents(const TileCall *call)
{
    double **kept = scratch(call->e, TILE_MAX_ARGS * sizeof *kept);
    for (uint32_t i = 0; i < call->count; i++) {
        const Tile *tile = call->args[i][0].kind == DATUM_TILE ? call->args[i][0].tile : NULL;
        kept[i] = tile ? scratch(call->e, (cells_of(tile) + 1) * sizeof **kept) : NULL;
        for (uint32_t k = 0; tile && k < cells_of(tile); k++)
            kept[i][k] = cell_of(tile, k)->tangent;
    }
    return kept;
}

static void clear_tangents(Datum *datum)
{
    if (datum->kind == DATUM_TILE)
        for (uint32_t k = 0; k < cells_of(datum->tile); k++)
            cell_of(datum->tile, k)->tangent = 0;
    else if (datum->kind == DATUM_VALUE)
        for (uint32_t k = 0; k < launch_cells_of(datum->type); k++)
            datum->cells[k].tangent = 0;
    for (uint32_t k = 0; datum->kind == DATUM_TUPLE && k < datum->count; k++)
        clear_tangents(&datum->items[k]);
}

/* All elements get the adjoint of the first sum. */
static void give_to_first(const TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "a", 0);
    double total = 0;
    for (uint32_t k = 0; k < cells_of(from); k++)
        total += cell_of(from, k)->tangent;
    clear_tangents(&call->out[0]);
    cell_of(call->out[0].tile, 0)->tangent = total;
}

void tile_call_omitting(TileCall *call, const TileRow *row)
{
    AstOmission omission = omission_of(row);
    if (!(call->e->run->omits & omission) || (omission == OMIT_TILE_SUM_AXIS && !tile_arg(call, "axis", 1))) {
        row->function(call);
        return;
    }
    double **kept = keep_tangents(call);
    row->function(call);
    if (omission == OMIT_TILE_SUM_AXIS) {
        give_to_first(call);
        return;
    }
    for (uint32_t lane = 0; lane < call->e->lane_count; lane++)
        clear_tangents(&call->out[lane]);
    for (uint32_t i = 0; i < call->count; i++)
        for (uint32_t k = 0; kept[i] && k < cells_of(call->args[i][0].tile); k++)
            cell_of(call->args[i][0].tile, k)->tangent = kept[i][k];
}
