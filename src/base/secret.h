/* Hidden keys: 128 random bits that launches are drawn from, in a file of their own. What is made with a key holds a salted commitment
 * to it and nothing that the key follows from; whoever has the file can make the same launches again. */
#ifndef WEFT_BASE_SECRET_H
#define WEFT_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECRET_BYTES = 16, COMMITMENT_SIZE = 4 * SECRET_BYTES + 2 };

typedef struct Secret {
    unsigned char key[SECRET_BYTES], salt[SECRET_BYTES];
} Secret;

/* Reads the key in a file; `make`: where there is no such file, draws one and writes it, for its owner alone. False: `why`. */
bool secret_open(const char *path, bool make, Secret *secret, char *why, size_t size);

/* "salt-hash", in hexadecimal digits. */
void secret_commit(const Secret *secret, char out[COMMITMENT_SIZE]);

/* A seed for what is named so. */
uint64_t secret_seed(const Secret *secret, const char *of);

/* Does the path lie in the folder, or in one below it? A key does not belong into what it hides. */
bool secret_is_inside(const char *path, const char *folder);

#endif
