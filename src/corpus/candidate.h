/* One candidate: a sample, compiled, checked and written down; or the reason why it is not kept. */
#ifndef WEFT_CORPUS_CANDIDATE_H
#define WEFT_CORPUS_CANDIDATE_H

#include "base/json.h"
#include "check/check.h"
#include "corpus/columns.h"
#include "corpus/grams.h"
#include "corpus/readable.h"
#include "corpus/shape.h"
#include "corpus/text_sizes.h"
#include "pipeline.h"

/* Why a candidate is not kept: refused by the compiler, the checks' failures, the evaluators' findings, and these. */
enum {
    REASON_NONE,
    REASON_REFUSED,
    REASON_LAUNCH,
    REASON_GRADIENT,
    REASON_DUPLICATE,
    REASON_IO,
    REASON_LONG,    /* more text than anybody reads: loops that Warp writes out */
    REASON_BETWEEN, /* it looks like records of two splits */
    REASON_TEXT,    /* a stored text is not what weft writes for its source */
    REASON_MEMORY,  /* compiling and running it takes more memory than a candidate may have */
    REASON_FAILURE, /* + CheckFailure */
    REASON_FINDING = REASON_FAILURE + CHECK_FAILURE_COUNT, /* + FindingKind */
    REASON_COUNT = REASON_FINDING + FINDING_UNSUPPORTED + 1
};
int category_named(const char *name); /* CATEGORY_COUNT: none */
const char *reason_name(unsigned reason);
unsigned reason_of_name(const char *name, size_t len); /* REASON_COUNT: none */

typedef struct Candidate {
    uint64_t index;
    unsigned reason; /* REASON_NONE: kept, unless it is a duplicate */
    CategoryId category;
    uint64_t structure, masked;
    uint32_t forward_lines, backward_lines;
    bool has_backward, is_checked;
    GradientVerdict gradient;
    ReadableVerdict readable;
    bool readable_backward;
    TextSize texts[MEASURED_COLUMNS];
    size_t start, len; /* the record in the text of its batch, from "id" on, without a line end */
    size_t gram_count; /* the items of its GramSet lie behind it, where there are splits to choose from */
} Candidate;

enum { PIECE_BLOCK = 128 }; /* candidates in a row that belong to one piece */
/* The candidate with this number within the piece: pieces take turns, a block each. */
uint64_t candidate_index(const CorpusOptions *options, uint64_t ordinal);

/* The key that must be unique within a set. */
uint64_t candidate_key(const CorpusOptions *options, const Candidate *candidate);

/* A stored verdict, which is not computed again. */
typedef struct KnownVerdict {
    bool forward_pass;
    GradientVerdict gradient, prior;
    double gradient_error;
    unsigned
        not_run; /* of a harvested kernel, the reason why it was not run, or has no launches; REASON_NONE: it was run */
} KnownVerdict;

/* Where a harvested kernel was found. */
typedef struct Origin {
    const char *project, *file, *license; /* as SPDX names it */
    const char *revision;                 /* NULL: not known */
    uint64_t line;
} Origin;

typedef struct Maker Maker;                     /* a compiler, a synthesiser and scratch memory; one per thread */
Maker *maker_new(const CorpusOptions *options); /* NULL: out of memory */
void maker_free(Maker *maker);

/* The key that no earlier candidate may have. It follows from the source alone; nothing is compiled. False: out of
 * memory. */
bool maker_key(Maker *maker, uint64_t index, uint64_t *key);

/* Makes candidate `index` and appends its record and its grams to `out`. False: out of memory. */
bool make_candidate(Maker *maker, uint64_t index, Candidate *candidate, Text *out);

/* The same from a sample that is at hand; `known` NULL: as the options say. With an origin, it is kept also where it cannot be run,
 * and says so. */
bool candidate_of_sample(Maker *maker, const SynthSample *sample, const Origin *origin, uint64_t index,
                         const KnownVerdict *known, Candidate *candidate, Text *out);
/* For whoever compares: the sample of that index itself. False: out of memory. */
bool maker_sample(Maker *maker, uint64_t index, SynthSample *sample);

/* ---- records as text (record.c) ---- */

typedef struct RecordParts {
    const CorpusOptions *options;
    const SynthSample *sample;
    const Origin *origin; /* NULL: it was not harvested */
    uint64_t index;
    const Compiled *compiled;
    const Shape *shape;
    const KnownVerdict *verdict; /* NULL: not checked */
    unsigned not_run;            /* as in KnownVerdict */
    const Readable *readable;
    const Text *launches; /* where options->launches says so; empty: there are none */
    double milliseconds;  /* with options->timing */
} RecordParts;

/* Will the record have its backward texts? */
bool keeps_backward(const CorpusOptions *options, const Compiled *compiled, const KnownVerdict *verdict);
/* Appends everything behind the head and fills in lines and has_backward. */
void write_record(const RecordParts *parts, Candidate *candidate, Text *out);

/* {"row": 42, "split": "train", : the head, which the writer of a set adds. */
void write_record_head(uint64_t row, Split split, Text *out);
/* Reads it back, and returns how long it is. 0: it is not written like that. `split` may be NULL. */
size_t read_record_head(const char *line, size_t len, uint64_t *row, Split *split);
const char *record_prefix(const CorpusOptions *options); /* "cuda" or "cpu" */

/* Reads the facts of a candidate back out of a record, and its grams; NULL: nobody asks for them. False: weft did not write it. */
bool read_candidate(const char *line, size_t len, Candidate *candidate, GramSet *grams);
/* The members of the record that candidate_of_json reads. */
#define CANDIDATE_MEMBERS                                                                                              \
    "category", "has_backward", "index", "structure_hash", "masked_structure_hash", "forward_lines", "backward_lines", \
        "forward_verdict", "gradient_verdict", "readable_verdict", "readable_backward"
GradientVerdict gradient_verdict_of(const json_t *record, const char *name); /* a column with a verdict */
const char *gradient_column_word(bool was_run, GradientVerdict verdict);     /* what the column has */
/* The record must have been read with "python_source". False: out of memory. */
bool grams_of_json(const json_t *record, GramSet *grams);
bool candidate_of_json(const json_t *record, const char *line, size_t len, Candidate *candidate);

#endif
