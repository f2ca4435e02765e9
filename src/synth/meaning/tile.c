/* Lengths of tiles, and how many threads a block has. */
#include "synth/meaning/draft.h"

void choose_tiles(Draft *d)
{
    static const uint16_t blocks[] = {32, 64, 64, 64, 128, 128};
    d->block_dim = blocks[rng_below(&d->rng, sizeof blocks / sizeof *blocks)];
    bool ragged = d->scene->is_ragged && perhaps(d, 0.5);
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        const Part *part = &item->part;
        if (part->kind != PART_TILE)
            continue;
        item->value = part->lengths[rng_below(&d->rng, part->length_count)];
        item->cut = ragged ? 1 + rng_below(&d->rng, (uint32_t)item->value - 1) : 0;
    }
}
