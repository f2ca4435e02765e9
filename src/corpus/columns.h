/* The schema of records, in one table. The writer follows it and the validator checks against it.
 * docs/record.schema.json and the card of a data set are printed from it. */
#ifndef WEFT_CORPUS_COLUMNS_H
#define WEFT_CORPUS_COLUMNS_H

#include "base/json.h"
#include "corpus/corpus.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORD_FORMAT = 3 };
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
#define COLUMN(name, kind, nullable, when, about) COLUMN_##name,
#include "corpus/columns.def"
#undef COLUMN
    COLUMN_COUNT
} ColumnId;

/* Details are kept beside the records: what it takes to run them, and where they come from. */
enum { FIRST_DETAIL = COLUMN_format_version };
#define FIRST_DETAIL_NAME "format_version"
typedef enum RecordPart { PART_WHOLE, PART_MAIN, PART_DETAILS } RecordPart;

extern const Column record_columns[COLUMN_COUNT + 1]; /* of any set; ends with a name that is NULL */
bool has_column(const CorpusOptions *options, ColumnId column);
/* The columns of a set with these options, or of a part of it; details begin with the id. */
typedef Column ColumnList[COLUMN_COUNT + 1];
void columns_of(const CorpusOptions *options, RecordPart part, ColumnList list);

/* Does an object have just these members, in this order, each of its kind? False: `problem` says what is wrong. */
bool columns_hold(const Column *columns, json_t *object, char *problem, size_t size);

/* `python_source` begins with this, which no source has in any other part of weft. */
#define SOURCE_IMPORT "import warp as wp\n\n\n"
enum { SOURCE_IMPORT_TOKENS = 4 };
const char *record_source(const json_t *record); /* the rest of python_source */

/* As a JSON Schema, and as the features of a Hugging Face data set (the part of a card below `features:`). */
void columns_json_schema(Text *out);
void columns_features(const Column *columns, Text *out);

#endif
