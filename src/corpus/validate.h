/* Validating a data set: one record (record_check.c), all of them (validate.c), and what describes the whole (whole.c). */
#ifndef WEFT_CORPUS_VALIDATE_H
#define WEFT_CORPUS_VALIDATE_H

#include "corpus/hash_set.h"
#include "corpus/manifest.h"
#include "corpus/neighbours.h"

#include <pthread.h>

enum { FINDING_SIZE = 300 };

typedef struct RecordVerdict {
    bool has_candidate;  /* the record could be read at all */
    Candidate candidate; /* as the record has it */
    uint64_t number;     /* its row */
    Split split;         /* as it says */
    bool verdict_checked;
    size_t gram_count; /* of the record made again, where there are splits */
    const char *grams; /* until the checker is used again */
    uint32_t problem_count;
    char first_problem[FINDING_SIZE];
    char id[40]; /* "row 42": for messages */
} RecordVerdict;

/* The state of checking records; one per thread. */
typedef struct RecordChecker {
    const Manifest *manifest;
    bool same_version;     /* its bytes are those that this weft writes */
    bool invents;          /* invent each one again, too, unless its source is stored */
    uint32_t source;       /* of the last record; of a set that is not merged, 0 */
    CorpusOptions options; /* of that source, less its timing, which is not made again */
    Maker *maker;          /* with these */
    double sample;         /* so many percent get their verdicts found out again */
    Text scratch;
} RecordChecker;

/* The checker has its manifest. False: out of memory. */
bool record_checker_use(RecordChecker *checker, uint32_t source);
void record_checker_free(RecordChecker *checker);

/* Is the record what its own text says, and what its seed and index give? */
void check_record(RecordChecker *checker, const char *line, size_t len, RecordVerdict *verdict);

/* ---- all records ---- */

typedef struct FoundShard {
    uint64_t rows, first; /* first: the number of its first record */
    ShardEntry sum;       /* bytes and hashes */
} FoundShard;

typedef struct Lost { /* a candidate that is not a record, because it duplicates one */
    uint64_t key, index;
} Lost;

typedef struct Placed { /* a record and its split, or a candidate that can only have been between two */
    uint64_t index;
    GramSet grams;
    uint64_t masked;
    Split split; /* SPLIT_COUNT: between two */
} Placed;

typedef struct Validator {
    const char *dir;
    int dir_fd;
    Manifest manifest;
    const ValidateOptions *options;
    bool same_version, invents; /* as in RecordChecker; invents: all of them, and what became of no record */
    bool invents_sources;       /* those of a merged set that are not stored */
    LoserMap *losers;           /* of a range; NULL: it is none, or they are not needed */
    uint64_t places;            /* of index_of and key_of: rows, or the candidates of a range */
    pthread_mutex_t read_lock;  /* the next ones */
    ShardReader *reader;
    uint32_t shard;
    uint64_t next_number[SPLIT_COUNT]; /* the least that the next record of the split may have */
    FoundShard *found;                 /* one per shard of the manifest */
    pthread_mutex_t lock;              /* what follows */
    ValidateReport *report;
    Counters counters;
    HashSet structures, masked[SPLIT_COUNT];
    uint64_t *index_of, *key_of;    /* by the number of the record, of a range less its first; UINT64_MAX: not seen */
    uint64_t gap_number, gap_index; /* where the search for candidates that are not records has come to */
    Lost *lost;
    size_t lost_count, lost_cap;
    Placed *placed; /* where there are splits */
    size_t placed_count, placed_cap;
    bool gaps_wrong;
} Validator;

void complain(Validator *validator, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool validator_stops(const Validator *validator); /* does the user want an end? */

/* Notes what splits depend on; where there are none, nothing. False: out of memory. */
bool note_placed(Validator *validator, const Candidate *candidate, const char *grams, size_t gram_count, Split split);

/* ---- what describes the whole (whole.c) ---- */

/* After all records: are they in order, is none missing, and are manifest, statistics and card what follows from them? */
void check_whole(Validator *validator);

#endif
