/* The schema of records, in one table. The writer follows it and the validator checks against it.
 * docs/record.schema.json and the card of a data set are printed from it. */
#ifndef WEFT_CORPUS_COLUMNS_H
#define WEFT_CORPUS_COLUMNS_H

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORD_FORMAT = 2 };
#define RECORD_LICENSE "Apache-2.0"

typedef enum ColumnKind {
    KIND_TEXT,
    KIND_INT,
    KIND_FLOAT,
    KIND_BOOL,
    KIND_TEXTS, /* lists */
    KIND_INTS,
    KIND_FLOATS,
    KIND_OBJECT,
    KIND_OBJECTS, /* a list */
} ColumnKind;

bool is_list_kind(ColumnKind kind);
ColumnKind element_kind(ColumnKind kind); /* of a list; of anything else itself */

typedef struct Column {
    const char *name;
    ColumnKind kind;
    bool nullable;
    const char *about;
    const struct Column *fields; /* of objects; ends with a name that is NULL */
} Column;

uint32_t count_columns(const Column *columns);

typedef enum ColumnId {
#define COLUMN(name, kind, nullable, about) COLUMN_##name,
#include "corpus/columns.def"
#undef COLUMN
    COLUMN_COUNT
} ColumnId;

extern const Column record_columns[COLUMN_COUNT + 1]; /* ends with a name that is NULL */

/* Does an object have just these members, in this order, each of its kind? False: `problem` says what is wrong. */
bool columns_hold(const Column *columns, json_t *object, char *problem, size_t size);

/* As a JSON Schema, and as the features of a Hugging Face data set (the part of a card below `features:`). */
void columns_json_schema(Text *out);
void columns_features(Text *out);

#endif
