#include "gpu/ptx.h"

#include <stdlib.h>
#include <string.h>

/* Behind `.entry NAME(`; NULL: there is none. */
static const char *find_entry(const char *ptx, size_t len, const char *entry)
{
    static const char word[] = ".entry ";
    size_t name_len = strlen(entry);
    const char *end = ptx + len;
    for (const char *at = ptx; (at = memmem(at, (size_t)(end - at), word, sizeof word - 1));) {
        at += sizeof word - 1;
        if ((size_t)(end - at) > name_len && memcmp(at, entry, name_len) == 0 && at[name_len] == '(')
            return at + name_len;
    }
    return NULL;
}

static bool starts_with(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

/* `.reg .f32 %f<12>;` declares registers 0 to 11, the first of which is not used. */
static void count_line(const char *at, const char *end, PtxStats *stats)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (starts_with(at, end, ".reg")) {
        const char *count = memchr(at, '<', (size_t)(end - at));
        if (count && !starts_with(at, end, ".reg .pred"))
            stats->registers += (uint32_t)strtoul(count + 1, NULL, 10) - 1;
    } else if (starts_with(at, end, ".local")) {
        const char *size = memchr(at, '[', (size_t)(end - at));
        if (size)
            stats->local_bytes += (uint32_t)strtoul(size + 1, NULL, 10);
    } else if (at < end && *at != '.' && *at != '/' && *at != '{' && *at != '}' && *at != '$' &&
               memchr(at, ';', (size_t)(end - at)))
        stats->instructions++;
}

bool ptx_stats(const char *ptx, size_t len, const char *entry, PtxStats *stats)
{
    const char *end = ptx + len, *at = find_entry(ptx, len, entry);
    *stats = (PtxStats){0};
    int depth = 0;
    at = at ? memchr(at, '{', (size_t)(end - at)) : NULL;
    while (at && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        for (const char *c = at; c < stop; c++)
            depth += (*c == '{') - (*c == '}');
        count_line(at, stop, stats);
        if (depth <= 0)
            return true;
        at = stop + 1;
    }
    return false;
}
