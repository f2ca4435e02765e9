/* Parts of a kernel as functions of their own. */
#ifndef WEFT_SYNTH_MEANING_OUTLINE_H
#define WEFT_SYNTH_MEANING_OUTLINE_H

#include "synth/meaning/style.h"

typedef struct Inference {
    Draft *d;
    const char **types; /* of local variables, by symbol; NULL: not known */
} Inference;
void infer_types(Draft *d, Inference *inference);
const char *type_of_node(Inference *inference, const Node *node); /* NULL: not known */

/* Variables of the kernel, and what they are in a function of their own. */
enum { MAX_FREE = 9, MAX_RESULTS = 3 };
typedef struct Renaming {
    uint32_t from[MAX_FREE + MAX_RESULTS], to[MAX_FREE + MAX_RESULTS], count;
    uint32_t scope;
    Draft *d;
} Renaming;
void rename_symbol(Node **place, void *renaming);
uint32_t copy_symbol(Draft *d, uint32_t symbol, uint32_t scope);
Node *annotation_of(Draft *d, Inference *inference, uint32_t symbol); /* NULL: the type is not known */

#endif
