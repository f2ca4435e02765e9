/* Rewrites that change how a kernel is written, not what it does. Each is one habit of its author. */
#ifndef WEFT_SYNTH_MEANING_STYLE_H
#define WEFT_SYNTH_MEANING_STYLE_H

#include "synth/meaning/draft.h"

/* What is known of the symbols of a list of statements. */
typedef struct Usage {
    uint32_t *stores, *loads; /* by symbol */
    uint32_t count;           /* of symbols that there were */
} Usage;
Usage usage_of(Draft *d, NodeList *body);

void prune_unused(Draft *d, NodeList *body);         /* prune.c */
void tidy_values(Draft *d, NodeList *body);          /* values that are named twice or not needed (tidy.c) */
void drop_neutral_numbers(Draft *d, NodeList *body); /* x * 1.0, x + 0.0, also under a name (neutral.c) */
bool is_same(const Node *a, const Node *b);          /* of two expressions without effects: are they written alike? */

/* style_statement.c */
void style_updates(Draft *d, NodeList *body);    /* a += b or a = a + b; f[i] += v or wp.atomic_add */
void style_conditions(Draft *d, NodeList *body); /* nested ifs, wp.where, continue */
void style_guard(Draft *d);                      /* the kernel's early return, or all the rest in an if */
Node *negated(Draft *d, Node *test);

/* style_branch.c */
void style_branches(Draft *d, NodeList *body); /* the order of branches and comparisons, guards one by one */
void style_rest(Draft *d);                     /* what follows an early return as an else */

/* style_loop.c */
void style_loops(Draft *d, NodeList *body); /* written out, or counted by hand */

/* style_value.c */
void name_repeats(Draft *d); /* what is needed twice gets a name; before data is laid out */

/* style_component.c */
void write_out_vectors(Draft *d); /* dx, dy, dz rather than d; behind infer_vectors */

/* style_expression.c */
void style_expressions(Draft *d, NodeList *body);
void infer_vectors(Draft *d); /* before data is laid out: which names are vectors */

/* infer.c */
void style_matrix_products(Draft *d); /* m @ v rather than m * v */

/* style_order.c */
void inline_singles(Draft *d, NodeList *body);
void return_directly(Draft *d, NodeList *body);
void shuffle_reads(Draft *d);
void add_blank_lines(Draft *d);

/* style.c */
void style_functions(Draft *d);

#endif
