/* Why Warp's gradient of a kernel is wrong: known patterns, looked for in the region tree.
 *
 * The reverse pass runs calls backwards with the values that variables have at the end. A value is stale there where a loop has
 * carried it on (loops are not replayed) or where the array that it was read from has been written to since. A stale value does harm
 * where an adjoint needs it (of a product, not of a sum), or where it decides which way to go. What is found says what in a kernel can be the
 * cause; that the gradient is wrong is known from running it. */
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

/* The surest of those that are there; at the kernel itself, PATTERN_OTHER where none is. `is_finite`: the gradient is a number.
 * `without`: patterns that are not it, a bit each. Works in
 * unit->building. */
PatternPlace find_pattern(const IrModule *module, bool is_finite, uint32_t without);

#endif
