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
enum { MAX_FREE = 12, MAX_RESULTS = 4, MAX_SHARED = 12, MAX_RENAMED = MAX_FREE + MAX_RESULTS + MAX_SHARED };
typedef struct Renaming {
    uint32_t from[MAX_RENAMED], to[MAX_RENAMED], count;
    uint32_t scope;
    Draft *d;
} Renaming;
void rename_symbol(Node **place, void *renaming);
uint32_t copy_symbol(Draft *d, uint32_t symbol, uint32_t scope);
Node *annotation_of(Draft *d, Inference *inference, uint32_t symbol); /* NULL: the type is not known */

/* What a function takes and gives. */
typedef struct Interface {
    uint32_t free[MAX_FREE], free_count;
    uint32_t results[MAX_RESULTS], result_count;
} Interface;

/* Statements that become one. */
typedef struct Outline {
    Node **statements;
    uint32_t count;
    Interface face;
    uint32_t shared[MAX_SHARED], shared_count; /* variables that other statements use, too, for something else */
} Outline;
/* The function, and the statement that calls it; NULL: a type is not known. */
Node *outlined_call(Draft *d, const Outline *outline, const char *names);
bool is_closed(Node *node);                      /* nothing but variables changes, and control comes out at the end */
bool is_passed(const Draft *d, uint32_t symbol); /* to a function, by a parameter */
/* A word for a result, by the array that the statements from `first` on store it to, or by its name; NULL: none says what it is. */
const char *noun_for(Draft *d, const NodeList *list, uint32_t first, uint32_t symbol);

#endif
