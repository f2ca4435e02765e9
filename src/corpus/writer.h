/* The one writer of a data set: takes candidates in order, keeps those that are new, and can be continued.
 *
 * What is on the disk after a checkpoint is what the manifest says; everything later is made again by a resumed run. */
#ifndef WEFT_CORPUS_WRITER_H
#define WEFT_CORPUS_WRITER_H

#include "corpus/hash_set.h"
#include "corpus/manifest.h"

enum { PIECE_BLOCK = 128 }; /* candidates in a row that belong to one piece */

typedef struct Writer {
    const char *dir;
    int dir_fd;
    Manifest manifest;
    ShardWriter shards[SPLIT_COUNT];
    int64_t open_entry[SPLIT_COUNT]; /* place in the manifest; -1: no shard is open */
    bool initialized[SPLIT_COUNT];
    HashSet known;  /* what a new one may not be like */
    HashSet masked; /* counts shapes */
    Text head;      /* of a line: what stands before the record */
    uint64_t rejected_in_a_row;
    double started; /* of this process */
} Writer;

/* Opens the folder, new or to be continued. CORPUS_DONE: ready to take candidates; CORPUS_ALREADY_DONE: nothing to do. */
CorpusOutcome writer_open(Writer *writer, const char *dir, const CorpusOptions *options, bool resume,
                          CorpusError *error);
void writer_free(Writer *writer);

/* The candidate behind the last one; `text` is its record. Sets *at_checkpoint where the run could end. */
bool writer_take(Writer *writer, const Candidate *candidate, const char *text, bool *at_checkpoint, CorpusError *error);
bool writer_is_full(const Writer *writer);
/* Gives the shards their final names and writes everything that describes them. */
bool writer_finish(Writer *writer, CorpusError *error);

/* ---- the folder (folder.c) ---- */

int folder_open(const char *dir, bool make, CorpusError *error); /* locked; -1: *error says why */
bool folder_is_empty(int dir_fd, const char *dir, bool *empty, CorpusError *error);
/* Are all shards there, unchanged, and nothing that is not ours? Fills the sets. */
bool folder_check(Writer *writer, CorpusError *error);

double corpus_now(void); /* seconds of a clock that never goes back */

#endif
