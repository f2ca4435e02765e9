/* The manifest: what is in a folder, and from where a run goes on. */
#ifndef WEFT_CORPUS_MANIFEST_H
#define WEFT_CORPUS_MANIFEST_H

#include "corpus/candidate.h"
#include "corpus/shard.h"

#define MANIFEST_NAME "manifest.json"
#define MANIFEST_FORMAT "weft-records-3"   /* records of format 3 */
#define MANIFEST_FORMAT_2 "weft-records-2" /* of earlier formats, which are refused */
#define MANIFEST_FORMAT_1 "weft-corpus-2"
#define STATS_NAME "stats.json"
#define CARD_NAME "README.md"
#define LICENSE_NAME "LICENSE"
#define HEADER_NAME "weft_math.cuh" /* that cuda_readable includes */
#define RUN_NAME "run.json"         /* how long it took: the one file that differs from run to run */

/* Counts taken while records are made; all follow from the records and their candidates. */
typedef struct Counters {
    uint64_t by_category[CATEGORY_COUNT];
    uint64_t by_split[SPLIT_COUNT];
    uint64_t rejected[REASON_COUNT];
    uint64_t forward_lines, backward_lines, with_backward, record_bytes;
    uint64_t split_bytes[SPLIT_COUNT]; /* record_bytes by split */
    TextSize texts[MEASURED_COLUMNS];
    uint64_t forward_pass, gradient[3]; /* by GradientVerdict, of those that were checked */
    uint64_t readable[READABLE_COUNT], readable_backward;
    uint64_t distinct_structures, distinct_masked;
} Counters;

enum { SHA256_HEX_SIZE = 65, MOST_SOURCES = 1000 };

typedef struct MergedSource { /* one of the sets that a merged one was joined from; their records follow one another */
    CorpusOptions options;
    uint64_t given, rows;           /* records that it has, and those that were kept */
    char manifest[SHA256_HEX_SIZE]; /* of its file */
} MergedSource;

typedef struct Manifest {
    CorpusOptions options;
    char weft_version[32], warp_version[32];
    char generator[24]; /* see generator_fingerprint */
    bool complete;
    uint64_t rows;         /* records; of a piece: candidates */
    uint64_t kept;         /* of a piece: those without a reason against them */
    uint64_t next;         /* the next candidate to look at; of a piece: counted within it */
    uint64_t milliseconds; /* until here; only while incomplete, so that a finished one holds no clock */
    uint64_t pending_rows; /* of an interrupted run: records that are in no shard yet, but in a file of their own */
    char pending_hash[HASH_HEX_SIZE];
    Counters counters;
    ShardEntry *shards;
    uint32_t shard_count;
    size_t shard_cap;
    MergedSource *sources; /* with options.merged */
    uint32_t source_count;
} Manifest;

/* An empty manifest of this weft. The fingerprint may be "": out of memory. */
void manifest_init(Manifest *manifest, const CorpusOptions *options);
void manifest_free(Manifest *manifest);
ShardEntry *manifest_add_shard(Manifest *manifest, const ShardEntry *entry); /* NULL: out of memory */
uint32_t manifest_count_shards(const Manifest *manifest, Split split);
/* How much of options.count there is: records, or, where the sources are stored, those that have been looked at. */
uint64_t manifest_progress(const Manifest *manifest);
/* The origin in the options of a merged set: it follows from the hashes of the manifests. */
void manifest_origin_of(const MergedSource *sources, size_t count, char origin[17]);
/* Which of the sources a row is from; 0 where nothing was merged. */
uint32_t manifest_source_of(const Manifest *manifest, uint64_t row);
bool knows_masked(const Manifest *manifest); /* is distinct_masked known? No task of a range sees all records */
uint64_t counters_rejected(const Counters *counters);
uint64_t counters_with_readable(const Counters *counters);
/* A record that is kept. */
void counters_add(Counters *counters, const Candidate *candidate, Split split, size_t bytes);

/* "arithmetic": 3, "vector": 5 … and "train": 7 …, and "refused": 1 …: the members of a JSON object. */
void add_category_counts(const Counters *counters, Text *out);
void add_split_counts(const Counters *counters, Text *out);
void add_readable_counts(const Counters *counters, Text *out);
void add_text_sizes(const Counters *counters, Text *out); /* "python_source": {"bytes": 9, "tokens": 3}, … */

/* All of it as it stands in the file; the same manifest gives the same bytes. */
void manifest_text(const Manifest *manifest, Text *out);
bool manifest_write(const Manifest *manifest, int dir_fd, const char *dir, CorpusError *error);
/* Accepts only what manifest_text wrote; `bytes` ends in NUL. */
bool manifest_parse(Manifest *manifest, const char *bytes, size_t len, const char *dir, CorpusError *error);
/* *found is false where there is none; then true is returned. */
bool manifest_read(Manifest *manifest, int dir_fd, const char *dir, bool *found, CorpusError *error);
/* Are these the options of that data set? Otherwise the first that differs is named. */
bool manifest_same_options(const Manifest *manifest, const CorpusOptions *options, const char *dir, CorpusError *error);
/* The set was interrupted: says which command continues it. Returns false. */
bool fail_unfinished(const Manifest *manifest, const char *dir, CorpusError *error);
/* Launches that are drawn from a hidden key can only be made again by whoever has it. False: it is missing (NULL) or another one.
 * Options without one are left as they are. */
bool take_hidden_key(CorpusOptions *options, const Secret *key, const char *dir, CorpusError *error);

/* A hash of some samples: two builds that invent the same kernels have the same one. "": out of memory. */
void generator_fingerprint(char fingerprint[24]);
/* A context for the caller alone, with scenes that were read already where there is one. NULL: out of memory, or no such version. */
SynthContext *generator_context(const char *warp);

/* The split of a record that looks like no other, by its masked structure. */
Split split_of(const CorpusOptions *options, uint64_t masked);

/* ---- figures.c ---- */
void write_stats_json(const Manifest *manifest, Text *out);
/* How long the run took: beside the data set, since no two runs take the same time. */
void write_run_json(const Manifest *manifest, Text *out);
void write_card(const Manifest *manifest, Text *out);
void write_license(const CorpusOptions *options, Text *out);

#endif
