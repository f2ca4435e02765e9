/* The one writer of a data set: takes candidates in order, keeps those that are new, and can be continued.
 *
 * After a checkpoint the disk holds what the manifest says; a resumed run makes everything later again. */
#ifndef WEFT_CORPUS_WRITER_H
#define WEFT_CORPUS_WRITER_H

#include "corpus/hash_set.h"
#include "corpus/manifest.h"
#include "corpus/neighbours.h"
#include "standalone/standalone.h"

#include <dirent.h>

enum { HOPELESS = 200000 }; /* candidates in a row that are not kept: there are no others */

typedef struct Writer {
    const char *dir;
    int dir_fd;
    bool locked_by_file;
    Manifest manifest;
    ShardWriter shards[SPLIT_COUNT];
    int64_t open_entry[SPLIT_COUNT]; /* place in the manifest; -1: no shard is open */
    bool initialized[SPLIT_COUNT];
    Packers *packers;       /* of all shards; NULL: none */
    HashSet known;          /* what a new one may not be like */
    HashSet masked;         /* counts shapes */
    Neighbours *neighbours; /* where there are splits to choose from */
    GramSet grams;          /* of the record at hand */
    Text head;              /* of a line: what stands before the record */
    uint32_t source;        /* of a merged set: which of the manifest's sources it is taken from */
    uint64_t last_row;      /* of a range that goes on: the last that is in a shard */
    uint64_t rejected_in_a_row;
    double started; /* of this process */
} Writer;

/* Opens the folder, new or to be continued. CORPUS_DONE: ready to take candidates; CORPUS_ALREADY_DONE: nothing to do. */
CorpusOutcome writer_open(Writer *writer, const char *dir, const CorpusOptions *options, bool resume,
                          CorpusError *error);
void writer_free(Writer *writer);
/* From now on, threads pack what is written: for a run of so many that make it. The bytes are the same. */
void writer_pack_beside(Writer *writer, unsigned jobs);

/* The candidate behind the last one; `text` is its record, `grams` are its grams where there are splits. */
bool writer_take(Writer *writer, const Candidate *candidate, const char *text, const char *grams, CorpusError *error);
bool writer_is_full(const Writer *writer);
/* The run ends here, to be continued: everything that was taken is on the disk. */
bool writer_pause(Writer *writer, CorpusError *error);
/* Gives the shards their final names and writes everything that describes them. */
bool writer_finish(Writer *writer, CorpusError *error);

/* All that stands beside finished shards; the manifest last. */
bool writer_describe(Writer *writer, CorpusError *error);

/* Renames the shards of the manifest. */
bool writer_give_names(Writer *writer, CorpusError *error);

/* ---- what is in no frame yet (pending.c) ---- */

/* A line to be added again: its head, which stands before the record, and all of it. */
typedef bool PendingLine(Writer *writer, Split split, const char *line, size_t head, size_t len, CorpusError *error);

bool is_pending_name(const char *name);
bool pending_write(Writer *writer, const Text *lines, CorpusError *error); /* and notes it in the manifest */
bool pending_read(Writer *writer, PendingLine *add, CorpusError *error);
void pending_clean(const Writer *writer); /* removes the files that the manifest does not name any more */

/* ---- the folder (folder.c, lock.c) ---- */

#define LOCK_NAME ".weft-lock" /* only where the file system has no locks */

int folder_open(const char *dir, CorpusError *error); /* -1: *error says why */
/* For writing: made if need be, and nobody else's. *by_file goes to folder_unlock, which also closes it. */
int folder_open_locked(const char *dir, bool *by_file, CorpusError *error);
void folder_unlock(int dir_fd, bool by_file);
/* Lists the folder, name by name, without "." and ".."; NULL: that is all, or *error says what failed. */
DIR *folder_list(int dir_fd, const char *dir, CorpusError *error);
const char *folder_next(DIR *list, const char *dir, CorpusError *error);
/* But for a lock and a marker. */
bool folder_is_empty(int dir_fd, const char *dir, bool *empty, CorpusError *error);
bool is_companion_name(const char *name); /* of a file beside the shards, or of one that becomes it */
/* Are all shards there, unchanged, and nothing that is not ours? Fills the sets of a set that goes on. */
bool folder_check(Writer *writer, CorpusError *error);
/* Has a file beside the shards just these bytes? */
bool companion_is(int dir_fd, const char *dir, const char *name, const Text *expected, CorpusError *error);

/* ---- folders that are not continued but begun again (unfinished.c) ---- */

#define UNFINISHED_NAME "UNFINISHED" /* in the folder until all of it is there; it names the command */

bool folder_is_unfinished(int dir_fd);
/* The folder must be empty, or hold the rest of a run that was ended: then that is removed. */
bool folder_begin(int dir_fd, const char *dir, const char *command, CorpusError *error);
bool folder_end(int dir_fd, const char *dir, CorpusError *error);

/* Notes that a record like this one is in the split; false: it is not one, or there is no room. */
bool folder_learn(Writer *writer, Split split, const char *line, size_t len);

bool write_header(int dir_fd, const char *dir, CorpusError *error); /* weft_math.cuh */

#endif
