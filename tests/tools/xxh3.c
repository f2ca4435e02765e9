/* Prints the XXH3-128 of each file, as manifests have it: for tests that forge one. */
#include <stdio.h>
#include <xxhash.h>

static int print_hash(const char *path)
{
    char bytes[65536];
    FILE *file = fopen(path, "rb");
    XXH3_state_t *state = XXH3_createState();
    if (!file || !state)
        return 1;
    XXH3_128bits_reset(state);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        XXH3_128bits_update(state, bytes, got);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    printf("%016llx%016llx\n", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    XXH3_freeState(state);
    fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (print_hash(argv[i]) != 0)
            return 1;
    return 0;
}
