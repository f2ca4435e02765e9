/* Data sets: made, joined, checked, counted.
 *
 * A data set is a function of its options alone. Candidate i of a seed is the same on every machine, and one writer
 * selects the candidates in order. So any number of threads, any interruption and any division into pieces gives the
 * same bytes. The manifest is the truth about a folder. Nothing here prints or exits. */
#ifndef WEFT_CORPUS_CORPUS_H
#define WEFT_CORPUS_CORPUS_H

#include "base/secret.h"
#include "base/text.h"
#include "synth/synth.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { DEVICE_SET_CUDA = 1, DEVICE_SET_CPU = 2, DEVICE_SET_BOTH = 3 };
#define DEVICE_WORDS "cuda|cpu|both" /* from 1 on */
enum { CORPUS_MOST_PIECES = 65536, CORPUS_MOST_SHARES = 1000000 };
#define CORPUS_MOST_CANDIDATES ((uint64_t)1 << 40)

/* The treatment of a pair whose gradient is wrong: kept without backward text, kept with it, or dropped. */
typedef enum GradientRule { GRADIENTS_PROVEN, GRADIENTS_MARKED, GRADIENTS_SKIP } GradientRule;
#define GRADIENT_RULE_WORDS "proven|marked|skip"
typedef enum DedupRule { DEDUP_STRUCTURE, DEDUP_MASKED } DedupRule;
#define DEDUP_RULE_WORDS "structure|masked"
typedef enum CorpusFormat { FORMAT_JSONL, FORMAT_JSON, FORMAT_PARQUET } CorpusFormat;
#define FORMAT_WORDS "jsonl|json|parquet"
typedef enum Split { SPLIT_TRAIN, SPLIT_VALIDATION, SPLIT_TEST, SPLIT_COUNT } Split;

typedef struct LoserMap LoserMap; /* losers.h */

typedef struct CorpusOptions {
    uint64_t count, seed;
    const char *warp; /* full number of the version of Warp that is written */
    CategoryWeights weights;
    unsigned device; /* DEVICE_SET_… */
    bool backward, readable, verify, compress, timing;
    bool full;         /* records have all their columns in one file (details.h) */
    uint32_t launches; /* recorded in every pair with inputs, outputs and gradients, at least; 0: none */
    bool
        has_hidden_seed; /* what they are drawn from instead of `seed`: it follows from a key that is not written down, */
    uint64_t hidden_seed;
    char hidden[COMMITMENT_SIZE]; /* but this is: the commitment to it; "": there is none */
    bool
        stored; /* sources are those of something else, not invented here: `count` of them, of which some are refused */
    bool harvested;  /* with `stored`: people wrote them, or some of them, and each record has a licence of its own */
    bool merged;     /* with `stored`: whole sets joined; the manifest has the options of each */
    char origin[17]; /* a hash of what they were taken from */
    GradientRule gradients;
    DedupRule dedup;
    CorpusFormat format;
    unsigned splits[SPLIT_COUNT]; /* shares; {1, 0, 0}: all is train */
    uint64_t shard_rows;          /* records per shard, at most */
    uint64_t checkpoint_rows;     /* records between two states that a run can be continued from */
    uint32_t piece, piece_count;  /* piece 0 … piece_count-1; piece_count 0: the whole */
    /* A range of candidates, from `first` to before `end`; end 0: as many candidates as it takes. Then `count` is how many they are, a
     * row is the index of its candidate, and every `shard_rows` candidates are a shard. */
    uint64_t first, end;
    uint64_t whole_first, whole_end; /* of a task: the range that it is a part of, */
    char losers_hash[17];            /* and what says which of it are duplicates */
    const LoserMap *losers;          /* they themselves; NULL: they are found first. Not written down */
} CorpusOptions;

CorpusOptions corpus_default_options(void);
/* Launches are drawn from this key, which whoever is to be tested does not have. */
void corpus_hide_launches(CorpusOptions *options, const Secret *key);
/* Is there a split to choose for each record? A piece leaves that to the merge. */
bool has_splits(const CorpusOptions *options);
/* The options that distinguish one data set from another, as one JSON object on one line. */
void corpus_options_json(const CorpusOptions *options, Text *out);

typedef struct CorpusError {
    char message[600];
} CorpusError;

typedef struct CorpusProgress {
    uint64_t made, wanted, rejected, resumed_from;
    double seconds; /* of this process */
} CorpusProgress;

/* Resources and callbacks of a run; none of them changes the output. */
typedef struct CorpusRun {
    unsigned jobs; /* 0: as many as there are cores */
    bool resume;
    const Secret *hidden_key; /* for corpus_merge: of the pieces' launches; NULL: none is known */
    const unsigned *splits;   /* for corpus_merge of sets: shares; NULL: those that all of them have */
    const atomic_int *stop;   /* set: end now, such that the run can be continued */
    void (*progress)(const CorpusProgress *progress, void *user);
    void *user;
} CorpusRun;

typedef enum CorpusOutcome { CORPUS_FAILED, CORPUS_DONE, CORPUS_ALREADY_DONE, CORPUS_STOPPED } CorpusOutcome;

CorpusOutcome corpus_produce(const char *dir, const CorpusOptions *options, const CorpusRun *run, CorpusError *error);

/* ---- ranges: see losers.h ---- */

/* Writes the keys of the options' range to a file. */
CorpusOutcome corpus_keys(const char *path, const CorpusOptions *options, const CorpusRun *run, CorpusError *error);
/* Reads the keys of adjacent ranges, in any order, and writes which of all these candidates are duplicates. */
bool corpus_losers(const char *path, char *const *paths, size_t count, uint64_t *losers, CorpusError *error);
/* For a task: its range is a part of that of the losers, which stay the caller's. */
void corpus_use_losers(CorpusOptions *options, const LoserMap *losers);
void loser_map_free(LoserMap *map); /* NULL: nothing happens */
/* NULL: *error says why. */
LoserMap *corpus_read_losers(const char *path, const CorpusOptions *options, CorpusError *error);
/* Makes one data set of tasks of adjacent ranges: their files get further names, no record is written again. */
bool corpus_index(const char *dir, char *const *tasks, size_t count, uint64_t *rows, CorpusError *error);

/* Joins all pieces of one run into the set that the run would have written; missing records are made here. Or joins
 * finished sets of any origin, whose records change only in their row (join.h). */
CorpusOutcome corpus_merge(const char *dir, char *const *pieces, size_t count, const CorpusRun *run,
                           CorpusError *error);

/* ---- kernels that people wrote ---- */

typedef struct Harvest Harvest;
typedef struct WeftFiles WeftFiles;

/* Counts of the kernels found and their outcomes. */
typedef struct HarvestCounts {
    uint64_t files, kernels, refused; /* refused by the compiler: neither text nor record */
    uint64_t gathered;                /* with a source text of its own */
} HarvestCounts;

/* `device`, `warp` and so on are those of the data set; `origin`, `count` and the like are filled in. NULL: out of memory. */
Harvest *harvest_new(const CorpusOptions *options);
void harvest_free(Harvest *harvest);
/* Looks for the kernels of one file. Each that compiles and can be written as a text of its own is noted. False: out of memory. */
bool harvest_file(Harvest *harvest, const char *path, const char *text, size_t len, WeftFiles *files);
const HarvestCounts *harvest_counts(const Harvest *harvest);
/* Why kernels are not in the set, one line for each reason, `count reason`, the most frequent first. */
void harvest_reasons(Harvest *harvest, Text *out);
/* The licences of what was found, likewise. */
void harvest_licenses(Harvest *harvest, Text *out);
/* Makes the data set of what was found. */
CorpusOutcome corpus_harvest(Harvest *harvest, const char *dir, const CorpusRun *run, CorpusError *error);

/* ---- looking at a data set ---- */

typedef struct ValidateOptions {
    unsigned jobs;
    double sample; /* percent of the records whose verdict is found out again */
    uint32_t max_messages;
    const char *warp;         /* the version that the set must be of; NULL: any */
    const Secret *hidden_key; /* of its launches; NULL: none is known */
    const atomic_int *stop;   /* set: end now */
    void (*progress)(uint64_t records, uint64_t of, void *user);
    void *user;
} ValidateOptions;

typedef struct ValidateReport {
    uint64_t records, bad_records, problems; /* problems: also those of files and counts */
    uint64_t verdicts;                       /* found out again */
    uint64_t by_category[CATEGORY_COUNT], bad_by_category[CATEGORY_COUNT];
    bool origin_checked; /* made by this version: every record was invented again, too */
    bool stopped;        /* the user wanted an end: there may be more to find */
    Text messages;       /* one per line */
} ValidateReport;

/* False: the folder cannot be validated at all. */
bool corpus_validate(const char *dir, const ValidateOptions *options, ValidateReport *report, CorpusError *error);
void validate_report_free(ValidateReport *report);

/* The counts that the end of a run shows. */
typedef struct CorpusSummary {
    uint64_t records, bytes; /* of all files */
    bool verified;
    bool piece, task; /* of a whole that weft merge or weft range join makes */
    uint64_t forward_pass, gradient_pass, gradient_mismatch, gradient_none, readable;
} CorpusSummary;

/* False: the manifest of the folder cannot be read. */
bool corpus_summary(const char *dir, CorpusSummary *summary, CorpusError *error);

/* Statistics of a data set: as text with bars, or as JSON. An unfinished set is counted as far as it goes, and *error
 * says so. */
bool corpus_stats(const char *dir, bool json, Text *out, CorpusError *error);

#endif
