/* The one-shot functions of OpenSSL 3 look the algorithm up on every call, which costs more than hashing a kernel. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <openssl/sha.h>

void sha256(const void *data, size_t len, unsigned char out[32])
{
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, data, len);
    SHA256_Final(out, &context);
}
