#include "front/asked.h"

#include <stddef.h>
#include <string.h>

/* The first of the list, or behind `at` the next; NULL: there is none. */
static const char *next_name(const char *list, const char *at, size_t *length)
{
    if (at && !at[*length])
        return NULL;
    at = at ? at + *length + 1 : list;
    *length = at ? strcspn(at, ",") : 0;
    return at;
}

bool is_asked_by(const char *list, const char *name)
{
    size_t length = 0, wanted = strlen(name);
    for (const char *at = NULL; (at = next_name(list, at, &length));)
        if (length == wanted && memcmp(at, name, length) == 0)
            return true;
    return !list;
}

bool asks_for_hash(const char *list, const char *key)
{
    enum { HASH_LENGTH = 9 }; /* with the underscore */
    size_t length = 0, key_length = strlen(key);
    if (is_asked_by(list, key))
        return false;
    for (const char *at = NULL; (at = next_name(list, at, &length));)
        if (length == key_length + HASH_LENGTH && memcmp(at, key, key_length) == 0 && at[key_length] == '_')
            return true;
    return false;
}

bool is_wanted(const char *list, const char *key)
{
    return is_asked_by(list, key) || asks_for_hash(list, key);
}
