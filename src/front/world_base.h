/* What the worlds of one compiler have in common, kept from one to the next: values of expressions that use no names of a program.
 *
 * Types among them must be one object each in all of a unit, so they are asked for before the unit has types of its own. */
#ifndef WEFT_FRONT_WORLD_BASE_H
#define WEFT_FRONT_WORLD_BASE_H

#include "front/unit.h"

typedef struct WorldBase {
    Arena arena;
    Unit *unit; /* in which they were evaluated; NULL: there are none */
    Scope *scope;
    HashTable values; /* by text */
} WorldBase;

/* Puts the base under a unit that has no types yet. */
void world_base_join(WorldBase *base, Unit *unit);
/* NULL: the value of the text cannot be shared by several units. */
const Value *world_base_value(WorldBase *base, const char *text, size_t length);
void world_base_forget(WorldBase *base); /* also after a failure in the middle */

/* Names that every expression of a world may use: wp, math, np, typing. */
Scope *world_scope(Unit *unit);
const Value *evaluate_text(Unit *unit, const Scope *scope, const char *text, size_t length);

#endif
