/* Why Warp's gradient of a kernel is wrong: known patterns, looked for in the region tree.
 *
 * The reverse pass runs calls backwards with the values that variables have at the end. A value is stale there where a loop has
 * carried it on (loops are not replayed) or where the array that it was read from has been written to since. A stale value does harm
 * where an adjoint needs it (of a product, not of a sum), or where it decides which way to go. What is found can be the cause
 * of a wrong gradient; whether it is, cause.h tries. */
#ifndef WEFT_CHECK_PATTERN_H
#define WEFT_CHECK_PATTERN_H

#include "ir/ir.h"

typedef enum Pattern {
#define PATTERN(id, name, why, rewrite) PATTERN_##id,
#include "check/patterns.def"
#undef PATTERN
    PATTERN_COUNT
} Pattern;

typedef struct PatternText {
    const char *name, *why, *rewrite;
} PatternText;

PatternText pattern_text(Pattern pattern);

typedef struct PatternPlace {
    Pattern pattern;
    const Code *code; /* of the kernel, or of a function that it calls */
    uint32_t offset;  /* in the file of that code */
} PatternPlace;

enum { NO_ARG = UINT32_MAX };

/* A place where a pattern is seen. */
typedef struct Sighting {
    Pattern pattern;
    const IrFunction *function; /* the kernel, or one that it calls */
    uint32_t offset;            /* of the statement, in the file of the function */
    const IrNode *node;
    uint32_t arg;       /* of the call, or NO_ARG */
    bool decides;       /* its value is a number that chooses */
    const IrNode *loop; /* the outermost around it; of a last value the one that sets it; NULL: none */
    bool is_return;     /* out of the loop, and of the function */
    bool is_source;     /* of what others of the pattern use */
} Sighting;

typedef struct Sightings {
    Sighting *items;
    uint32_t count, cap;
} Sightings;

/* All that are there, functions first, in the order of the statements. Works in unit->building. */
Sightings find_patterns(const IrModule *module);

#endif
