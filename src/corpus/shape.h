/* The shape of a kernel: its tokens with identifiers renamed in the order in which they appear.
 *
 * Two kernels of one structure differ only in names, comments and texts; two of one masked structure also in numbers. */
#ifndef WEFT_CORPUS_SHAPE_H
#define WEFT_CORPUS_SHAPE_H

#include "front/lexer.h"

#include <stddef.h>
#include <stdint.h>

enum { SHAPE_HEX = 32, MASKED_HEX = 16 };

typedef struct Shape {
    uint64_t structure; /* the low half of the 128 bits */
    uint64_t masked;
    char structure_hex[SHAPE_HEX + 1]; /* XXH3-128 */
    char masked_hex[MASKED_HEX + 1];   /* XXH3-64 */
} Shape;

/* The shape of the tokens of `text` from `first` on. All memory is from the arena. */
Shape shape_of_tokens(Arena *arena, const char *text, const TokenList *tokens, uint32_t first);

/* The same of a text that begins with the kernel. */
Shape shape_of_source(Arena *arena, const char *text, size_t len);

#endif
