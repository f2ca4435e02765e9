/* Records one after the other, for whoever takes them: invented while others are used, or read from a data set.
 *
 * The invented ones are those that a data set with the same options has, in its order. A stream is used by one thread at a time. */
#ifndef WEFT_CORPUS_STREAM_H
#define WEFT_CORPUS_STREAM_H

#include "corpus/columns.h"

typedef struct RecordStream RecordStream;

typedef enum StreamNext { STREAM_RECORD, STREAM_END, STREAM_LATER, STREAM_FAILED } StreamNext;

/* options->count 0: without an end. With pieces: that piece alone, without what is twice in it. NULL: *error says why. */
RecordStream *stream_of_invented(const CorpusOptions *options, unsigned jobs, CorpusError *error);
/* Streams a finished data set; split -1: all. */
RecordStream *stream_of_set(const char *dir, int split, CorpusError *error);
void stream_free(RecordStream *stream); /* NULL: nothing happens */

/* A child has none of its parent's threads, and shares the places in its files: a stream belongs to the process that made it. In another,
 * it gives no record and no place, and freeing it does nothing. */
bool stream_is_foreign(const RecordStream *stream);
#define STREAM_IS_FOREIGN "these records belong to the process that made them; make new ones in the child"

/* A record as one line without its end, NUL-terminated, until the next call. STREAM_LATER: there is none within so many seconds. */
/* The columns of its records; a ColumnList. */
void stream_columns(const RecordStream *stream, Column *list);
/* Without the details of the records of a set, which need not be there. Before the first is taken. */
void stream_slim(RecordStream *stream);
StreamNext stream_next(RecordStream *stream, double seconds, const char **line, size_t *len, CorpusError *error);

/* Where an invented stream is, as bytes: stream_go_to brings another one there that nothing was taken of. */
bool stream_place(RecordStream *stream, Text *out, CorpusError *error);
bool stream_go_to(RecordStream *stream, const char *place, size_t len, CorpusError *error);

#endif
