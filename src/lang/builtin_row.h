/* The notation of builtins.def, read and written: private to builtin.c and the tests. */
#ifndef WEFT_LANG_BUILTIN_ROW_H
#define WEFT_LANG_BUILTIN_ROW_H

#include "lang/builtin.h"

typedef struct BuiltinRow {
    VersionRange versions;
    const char *name, *params, *result, *native; /* native: NULL where it is the name */
    unsigned flags;
    const char *group;
    uint32_t line;
} BuiltinRow;

/* The columns of the rows that were read so far, by their texts: of a thousand rows, 350 have parameters of their own. Start-up
 * takes 2.9 million instructions less with it. Empty at first. */
typedef struct BuiltinColumns {
    HashTable params, results;
} BuiltinColumns;

/* Reads one row. On a mistake in it: false, and `error` says `builtins.def:LINE: NAME: what is wrong`. */
bool builtins_parse_row(Arena *, TypeTable *, BuiltinColumns *, const BuiltinRow *row, Builtin *out, Text *error);

/* The table of those rows that the dialect has; a mistake in one of them is printed and ends the program. */
BuiltinTable *builtins_from_rows(Arena *, TypeTable *, const Dialect *, const BuiltinRow *rows, uint32_t count);

/* A type, and the result column, as builtins.def spells them. */
void builtin_type_text(const Type *, Text *out);
void builtin_result_text(const Builtin *, Text *out);

#endif
