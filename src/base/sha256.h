/* SHA-256: the hash that Warp puts into names. */
#ifndef WEFT_BASE_SHA256_H
#define WEFT_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

void sha256(const void *data, size_t len, unsigned char out[32]);

/* For tests: in one of the ways of which sha256 takes the last one that the processor can do. False: it cannot do this one. */
typedef enum Sha256Way { SHA256_PLAINLY, SHA256_WITH_VECTORS, SHA256_NATIVELY, SHA256_WAYS } Sha256Way;
bool sha256_by(Sha256Way way, const void *data, size_t len, unsigned char out[32]);

#endif
