/* What the plan and the composition of scenes ask of a draft. */
#ifndef WEFT_SYNTH_MEANING_PLAN_H
#define WEFT_SYNTH_MEANING_PLAN_H

#include "synth/meaning/draft.h"

/* An array over the threads of the launch? */
bool is_over_launch(const Draft *d, const Part *part);
const Item *item_with(const Draft *d, const Quantity *quantity); /* NULL: there is none */
/* The only store of an output, at the thread's own element, in the kernel's own list of statements; otherwise the number
 * of statements. */
uint32_t only_store(Draft *d, const Item *item);

/* Where an array is read at the thread's own element. */
typedef struct OwnReads {
    Draft *d;
    uint32_t fact, all; /* mentions of any kind */
    Node **places[32];
    uint32_t count;
} OwnReads;
void find_own_reads(Draft *d, uint32_t symbol, NodeList *body, OwnReads *reads);

#endif
