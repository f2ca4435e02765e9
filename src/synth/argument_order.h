/* The orders in which authors write the parameters of a kernel. */
#ifndef WEFT_SYNTH_ARGUMENT_ORDER_H
#define WEFT_SYNTH_ARGUMENT_ORDER_H

#include "base/rng.h"

#include <stdbool.h>

static inline int choose_argument_order(Rng *rng)
{
    static const unsigned weights[] = {38, 14, 20, 22, 6};
    return (int)rng_weighted(rng, weights, 5);
}

/* Parameters of a lower rank come first; those of the same rank stay as they came. */
static inline int argument_rank(bool is_array, bool is_out, int order)
{
    switch (order) {
    case 0: return is_out ? 2 : is_array ? 0 : 1; /* arrays, scalars, outputs */
    case 1: return is_out ? 2 : is_array ? 1 : 0; /* scalars first */
    case 2: return is_out ? 1 : is_array ? 0 : 2; /* scalars last */
    case 3: return is_out ? 1 : 0;                /* as they came, outputs last */
    default: return 0;                            /* as they came */
    }
}

#endif
