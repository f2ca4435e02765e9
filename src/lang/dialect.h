/* The language of one version of Warp: everything in which versions differ, as named facts.
 *
 * versions.def is the table; dialect.c is its only reader and the only place where versions are compared. A Weft is made with a
 * dialect, and whatever depends on the version reads a trait of it: `unit->dialect->locals_known_up_front`. */
#ifndef WEFT_LANG_DIALECT_H
#define WEFT_LANG_DIALECT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum WarpVersion {
#define VERSION(id, number) WARP_##id,
#define TRAIT(name, since, until, sentence)
#include "lang/versions.def"
#undef VERSION
#undef TRAIT
    WARP_VERSION_COUNT,
    WARP_NEWEST = WARP_VERSION_COUNT - 1
} WarpVersion;

/* The versions that a row of a table holds for, both included. */
typedef struct VersionRange {
    WarpVersion since, until;
} VersionRange;

typedef struct Dialect {
    WarpVersion version;
    const char *number; /* "1.19.0" */
#define VERSION(id, number)
#define TRAIT(name, since, until, sentence) bool name;
#include "lang/versions.def"
#undef VERSION
#undef TRAIT
} Dialect;

/* `number`: "1.19.0" or "1.19"; NULL: the version that is written where none is asked for, the newest. False: weft does not know
 * it. */
bool dialect_find(const char *number, Dialect *out);
const char *dialect_number_at(size_t index); /* oldest first; NULL: no more */
bool dialect_has(const Dialect *, VersionRange range);
/* NULL: there is no trait of this name. */
const bool *dialect_trait(const Dialect *, const char *name);

#endif
