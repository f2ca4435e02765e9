#include "lang/dialect.h"

#include <string.h>

static const char *const numbers[] = {
#define VERSION(id, number) [WARP_##id] = number,
#define TRAIT(name, since, until, sentence)
#include "lang/versions.def"
#undef VERSION
#undef TRAIT
};

enum { DEFAULT_VERSION = WARP_NEWEST };

/* The whole number, or the number without its last part. */
static bool is_number(const char *given, const char *full)
{
    size_t len = strlen(given);
    return strncmp(given, full, len) == 0 && (full[len] == '\0' || full + len == strrchr(full, '.'));
}

static Dialect dialect_of(WarpVersion version)
{
    Dialect dialect = {.version = version, .number = numbers[version]};
#define VERSION(id, number)
#define TRAIT(name, since, until, sentence)                                                                            \
    dialect.name = dialect_has(&dialect, (VersionRange){WARP_##since, WARP_##until});
#include "lang/versions.def"
#undef VERSION
#undef TRAIT
    return dialect;
}

bool dialect_has(const Dialect *dialect, VersionRange range)
{
    return range.since <= dialect->version && dialect->version <= range.until;
}

bool dialect_find(const char *number, Dialect *out)
{
    unsigned version = DEFAULT_VERSION;
    if (number)
        for (version = 0; version < WARP_VERSION_COUNT && !is_number(number, numbers[version]);)
            version++;
    if (version == WARP_VERSION_COUNT)
        return false;
    *out = dialect_of((WarpVersion)version);
    return true;
}

const bool *dialect_trait(const Dialect *dialect, const char *name)
{
#define VERSION(id, number)
#define TRAIT(trait, since, until, sentence)                                                                           \
    if (strcmp(name, #trait) == 0)                                                                                     \
        return &dialect->trait;
#include "lang/versions.def"
#undef VERSION
#undef TRAIT
    return NULL;
}

const char *dialect_number_at(size_t index)
{
    return index < WARP_VERSION_COUNT ? numbers[index] : NULL;
}
