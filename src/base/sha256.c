#include "base/sha256.h"

#include <openssl/sha.h>

void sha256(const void *data, size_t len, unsigned char out[32])
{
    SHA256(data, len, out);
}
