/* Parquet files of records: what pyarrow, DuckDB, polars and Hugging Face `datasets` read without parsing text.
 *
 * A file holds row groups of lines. A line of JSON, as weft writes it, is split into leaves, the columns that hold no
 * others. Each leaf of a row group becomes one page: levels as runs, values as they are (PLAIN), zstd around it. The
 * footer holds the places of the pages, and their least and greatest values. It follows from the pages alone, so an
 * unfinished file can be continued. The reader goes from page to page, returns the lines byte for byte, and compares
 * the footer with the one it expects.
 *
 * It reads only what it writes. Files may come from anyone: everything that weft would not write is an error. */
#ifndef WEFT_CORPUS_PARQUET_H
#define WEFT_CORPUS_PARQUET_H

#include "corpus/columns.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- leaves (parquet_leaf.c) ---- */

/* One entry per value or missing value. The definition level says how much of the path to it is present. The
 * repetition level says which list it continues (0: it begins a row). A list adds three definition levels: the list,
 * a place in it, the element. */
typedef struct Leaf {
    ColumnKind kind; /* of one value: KIND_TEXT, KIND_INT, KIND_FLOAT or KIND_BOOL */
    uint8_t most_definition, most_repetition;
    uint32_t entries, values;
    Text definitions, repetitions; /* a byte per entry */
    Text data;                     /* PLAIN: texts with their lengths, numbers of eight bytes; but a byte per boolean */
    uint32_t entry;                /* what is read next, */
    size_t at;                     /* and where its value is */
} Leaf;

typedef struct Leaves {
    const Column *columns;
    Leaf *items;
    uint32_t count, rows, row; /* row: what is read next */
} Leaves;

bool leaves_init(Leaves *leaves, const Column *columns); /* false: out of memory */
void leaves_free(Leaves *leaves);
void leaves_clear(Leaves *leaves);
/* Adds a line; it ends in NUL or a line end. False: it is not a line of these columns as weft writes it, or memory ran out. */
bool leaves_add(Leaves *leaves, const char *line);
/* Appends the next row as a line, without a line end. False: the levels are not those of rows, it is longer than a record may be, or
 * memory ran out. */
bool leaves_take(Leaves *leaves, Text *out);

/* ---- files (parquet_write.c) ---- */

enum { PARQUET_GROUP_ROWS = 256 };
#define PARQUET_MAGIC "PAR1"

/* The footer's data on a row group, except its place. */
typedef struct ParquetGroup {
    Text pages, statistics; /* a ParquetPage per leaf; those of one page after the other */
    uint32_t rows;
} ParquetGroup;

typedef struct ParquetFile {
    Leaves leaves;
    uint64_t offset; /* in the file, behind what was written */
    uint64_t rows;
    uint32_t group_count;
    Text groups;                       /* what the footer says about them */
    Text chunks;                       /* the same of the pages of one that is not finished, */
    uint64_t group_bytes, group_start; /* their bytes before compression, and where they begin */
    struct ZSTD_CCtx_s *compressor;
    struct ZSTD_DCtx_s *decompressor;
    Text page, packed, statistics;
    ParquetGroup group; /* of parquet_add_group */
} ParquetFile;

bool parquet_init(ParquetFile *file, const Column *columns); /* false: out of memory */
void parquet_free(ParquetFile *file);
void parquet_begin(ParquetFile *file); /* a new file; PARQUET_MAGIC comes first */
/* All rows of the leaves as a row group. False: out of memory. */
bool parquet_add_group(ParquetFile *file, Text *out);
/* The same in two steps, so that any number of files can pack groups of one: the bytes, and the note that they come next. */
bool parquet_pack_group(ParquetFile *packer, Text *out, ParquetGroup *group);
bool parquet_note_packed(ParquetFile *file, const ParquetGroup *group);
void parquet_group_free(ParquetGroup *group);
void parquet_end(const ParquetFile *file, Text *out);
/* Notes a page that was written or read: `stored` bytes in the file, `whole` before compression, its header in both. */
void parquet_note_page(ParquetFile *file, const Leaf *leaf, uint32_t number, uint64_t whole, uint64_t stored);
void parquet_note_group(ParquetFile *file);

/* ---- reading (parquet_read.c) ---- */

/* Reads up to `len` bytes and returns how many there were; fewer: the end, or an error. */
typedef size_t ParquetSource(void *user, char *to, size_t len);

typedef enum ParquetRead {
    PARQUET_ROWS,    /* the leaves have the next row group */
    PARQUET_CUT_OFF, /* the end, without a footer */
    PARQUET_END,     /* the end, and the footer is right */
    PARQUET_DAMAGED, /* something else, or the file ends too early */
    PARQUET_NO_MEMORY,
} ParquetRead;

/* From the beginning on, where the offset is 0. A file that is cut off can be continued: with parquet_add_group. */
ParquetRead parquet_read(ParquetFile *file, ParquetSource *source, void *user);

#endif
