/* SHA-256: the hash that Warp puts into names. */
#ifndef WEFT_BASE_SHA256_H
#define WEFT_BASE_SHA256_H

#include <stddef.h>

void sha256(const void *data, size_t len, unsigned char out[32]);
void sha256_plainly(const void *data, size_t len, unsigned char out[32]); /* without the processor's help: for tests */

#endif
