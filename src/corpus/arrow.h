/* Records as Arrow arrays, over Arrow's C stream interface: what pyarrow, polars, DuckDB and `datasets` take without a copy.
 *
 * The structs are those of the interface's specification; whoever takes them knows them by their layout. A batch is one struct array
 * whose children are the columns of a record. Lines are taken apart into leaves, as for Parquet, and these become buffers. */
#ifndef WEFT_CORPUS_ARROW_H
#define WEFT_CORPUS_ARROW_H

#include "corpus/parquet.h"
#include "corpus/stream.h"

#include <stdint.h>

enum { ARROW_NULLABLE = 2 }; /* a flag of a schema */

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* The schema of rows with these columns. False: out of memory, and nothing is left to release. */
bool arrow_schema(const Column *columns, struct ArrowSchema *out);
/* All rows of the leaves. False likewise. */
bool arrow_batch(const Leaves *leaves, struct ArrowArray *out);

/* The rest of a stream of records, in batches; the stream belongs to it from then on. False: out of memory, and it does not.
 * `interrupted` is asked several times a second whether to give up; NULL: never. */
bool arrow_stream(RecordStream *records, bool (*interrupted)(void), struct ArrowArrayStream *out);

#endif
