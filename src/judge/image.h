/* Images for cards, which are ELF files: read as what they are, the work of a compiler on a stranger's text. */
#ifndef WEFT_JUDGE_IMAGE_H
#define WEFT_JUDGE_IMAGE_H

#include <stddef.h>

/* Bytes of variables in it that live as long as the module and that kernels write to; (size_t)-1: it cannot be read. */
size_t image_variables(const char *image, size_t len);

#endif
