/* Every record of a finished data set, in order. */
#ifndef WEFT_CORPUS_EACH_RECORD_H
#define WEFT_CORPUS_EACH_RECORD_H

#include "corpus/corpus.h"

typedef struct RecordVisitor {
    const char *warp;       /* the version that the set must be of; NULL: any */
    const atomic_int *stop; /* NULL: nobody wants to */
    /* False ends the reading; an error is in *error. The line ends in NUL. */
    bool (*visit)(const char *line, size_t len, Split split, void *user, CorpusError *error);
    void (*progress)(uint64_t records, uint64_t of, void *user);
    void *user;
} RecordVisitor;

/* False: *error says why, unless it was stopped or the visitor has ended it. Every shard must be as the manifest says. */
bool corpus_each_record(const char *set, const RecordVisitor *visitor, CorpusError *error);

/* The same for whoever asks for the next one. */
typedef struct RecordReader RecordReader;
RecordReader *record_reader_open(const char *set, const char *warp, int split, CorpusError *error); /* split -1: all */
/* From now on, without the details of the records, which need not be there. */
void record_reader_slim(RecordReader *reader);
const CorpusOptions *record_reader_options(const RecordReader *reader);
/* A line that ends in NUL, until the next call; NULL: the end, or *error says what is wrong. */
const char *record_reader_next(RecordReader *reader, size_t *len, Split *split, CorpusError *error);
void record_reader_close(RecordReader *reader); /* NULL: nothing happens */

#endif
