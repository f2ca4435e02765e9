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

#endif
