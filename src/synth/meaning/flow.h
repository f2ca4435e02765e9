/* Where the inputs of a kernel come from, and what becomes of its results: a small grammar whose forms contain each other.
 *
 * A form of an input gives a value in the range of the input, so that a scene stays defined: a table, an interpolation, a mean, a
 * limit. A form of a result is what programs do with any result: they relax, limit or weight it, compare it, add it up.
 * source*.c have the forms of inputs, result.c those of results. The plan says which were chosen, as "mass = table(mass, mass.index)". */
#ifndef WEFT_SYNTH_MEANING_FLOW_H
#define WEFT_SYNTH_MEANING_FLOW_H

#include "synth/meaning/plan.h"

/* A value, as the kernel computes it and as the plan says it. */
typedef struct Value {
    Node *node;
    const char *text;
} Value;

/* Is there room for the items of one more form? */
bool has_room_for_flow(const Draft *d);
/* "mass = table(mass, mass.index)"; *says* is a clause for the description, NULL: it needs none. */
void note_flow(Draft *d, const char *role, const char *text, const char *says);
const char *flow_role(Draft *d, const Item *item, const char *part); /* "mass.index" */

/* A further item beside `like`: the same kind of value over the same things. # in the names is what `like` is called. */
Item *item_beside(Draft *d, const Item *like, PartRole role, const char *part, const char *names);
/* One value of a quantity for each thread of the launch, or a setting. */
Item *item_of_launch(Draft *d, const Item *beside, const char *quantity, PartRole role, const char *part,
                     const char *names);
Item *setting_beside(Draft *d, const Item *beside, const char *quantity, double low, double high, const char *part,
                     const char *names);
/* An index into things of the entity for each thread. */
Item *index_of_launch(Draft *d, const Item *beside, const Entity *target, const char *part, const char *names);

/* What a source brought along for that part, to be used again: all inputs of a kernel are of one frame. NULL: nothing. */
Item *item_of_part(Draft *d, const char *part, const Entity *target);

Value value_of_item(Draft *d, const Item *item); /* at the thread's own element; of a setting, as it is */
Value float_value(Draft *d, double number);
Value flow_call(Draft *d, const char *text, Node *node, const Value *operands, uint32_t count);
Node *flow_own_index(Draft *d);
/* x = value, as a statement at the end of the list; gives the variable. */
Node *flow_variable(Draft *d, NodeList *list, const char *names, Node *value);
Node *flow_load(Draft *d, const Node *variable);
/* The value that is the share `part` of the way between two: wp.lerp(), or written out, as most people do. */
Node *flow_between(Draft *d, Node *from, Node *to, Node *part);
bool is_continuous(const Quantity *quantity); /* a scalar or vector of floats that may be added up and scaled */
bool is_vector(const Quantity *quantity);
bool is_scalable(
    const Quantity *quantity); /* continuous, and half of it means something: of a force, not of a position */

/* Passes. */
void choose_sources(Draft *d);
void treat_results(Draft *d);
/* How likely a form is: likely in kernels of scenes that decide little. */
double chance_of_flow(const Draft *d);

#endif
