/* Interned strings: two names are the same text exactly if they are the same pointer. */
#ifndef WEFT_BASE_NAME_H
#define WEFT_BASE_NAME_H

#include "base/table.h"

#include <stdint.h>
#include <string.h>

typedef struct NameText {
    uint32_t hash;
    uint32_t len;
    uint32_t id;   /* names of a table count from 0 */
    uint8_t watch; /* its bits in `used` of the table; 0: nobody asks */
    char text[];   /* NUL-terminated, too */
} NameText;
typedef const NameText *Name;

/* Names know their hash, so that a slot of the table is no more than a name. */
typedef struct NameTable {
    Arena *arena;             /* where new names live */
    Name *slots;              /* NULL: free */
    uint32_t count, cap;      /* cap is a power of two, or 0 */
    uint8_t used;             /* bits of the watched names that were asked for since it was last 0 */
    uint8_t watched;          /* all their bits */
    struct RecentWord *words; /* those that a lexer found lately; it makes them */
} NameTable;

void names_init(NameTable *table, Arena *arena);
void names_reserve(NameTable *table, uint32_t count); /* room for so many */
Name name_of(NameTable *table, const char *text, size_t len);
uint32_t name_hash(const char *text, size_t len);
/* With the hash at hand. NULL: the table has none of that text. */
Name name_find(const NameTable *table, uint32_t hash, const char *text, size_t len);
Name name_add(NameTable *table, uint32_t hash, const char *text, size_t len); /* as name_of */
Name name_cstr(NameTable *table, const char *text);
/* From here on, table->used says whether a name of that text was asked for. */
void name_watch(NameTable *table, const char *text, uint8_t bit);
/* Can one of the names with that bit be in use? Where none is watched, nobody knows. */
static inline bool names_may_have(const NameTable *table, uint8_t bit)
{
    return !(table->watched & bit) || (table->used & bit);
}
static inline bool name_is(Name name, const char *text) /* a comparison of text: of a literal, its length is known */
{
    size_t len = strlen(text);
    return name && name->len == len && memcmp(name->text, text, len) == 0;
}

#endif
