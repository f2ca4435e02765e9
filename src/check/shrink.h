/* A launch that is smaller than the described one, but related like it: for records, which hold all of its numbers.
 *
 * What a size means is not said anywhere, so several ways are tried. A size may be that of the launch, a number that the kernel has
 * written into it (joints of a robot, directions of a lattice), or a product of others (a flattened grid). */
#ifndef WEFT_CHECK_SHRINK_H
#define WEFT_CHECK_SHRINK_H

#include "check/check.h"

typedef struct Shrinking {
    uint32_t limit; /* what the smallest becomes; the others a little more */
    uint32_t keep;  /* sizes of arrays up to this stay, unless they are also those of the launch */
    bool multiples; /* a small multiple of another size stays one: a flattened array with a constant number per item */
    bool trailing;  /* what follows the dimensions of the launch in a shape stays as it is */
    bool exact; /* a launch that is a little larger than an array becomes as large as it: its bound may be a constant */
} Shrinking;

CheckLaunch shrink_launch(Arena *arena, const Code *code, const CheckLaunch *description, Shrinking by);

/* The n-th way to shrink this launch, from the most to the least, as good guesses first; false: there are no more. */
bool way_to_shrink(const CheckLaunch *description, uint32_t n, Shrinking *way);

/* Elements of all arrays together. */
size_t count_elements(const CheckLaunch *description);

/* The part of a name up to the next dot is this one; *rest is what follows it. */
bool begins_with(const char *name, Name part, const char **rest);
/* Of the field of the type that the path names, or, where it is empty, of the type itself, or of an array's elements. */
bool is_of_integers(const Type *type, const char *path);

#endif
