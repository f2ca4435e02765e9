/* What the commands that write data sets have in common. */
#ifndef WEFT_CLI_PRODUCE_H
#define WEFT_CLI_PRODUCE_H

#include "args.h"
#include "progress.h"

#include "corpus/corpus.h"

typedef struct ProgressView {
    bool json;
    bool known; /* `last` is filled in */
    Progress progress;
    CorpusProgress last;
} ProgressView;

ProgressView begin_view(const Call *call, bool json);
void show_progress(const CorpusProgress *progress, void *user); /* user: the view */
/* Ends the view with a line, or a message on stderr: the exit code. */
int report_outcome(const char *command, const char *dir, CorpusOutcome outcome, ProgressView *view,
                   const CorpusError *error);

/* "98,1,1". False: it is something else. */
bool read_splits(const char *text, unsigned splits[SPLIT_COUNT]);

/* Rows of the tables of options of commands that write records. */
#define OPT_RECORD_TEXTS                                                                                               \
    OPT_FLAG(0, "no-backward", no_backward, "leave out the backward texts"),                                           \
        OPT_FLAG(0, "no-readable", no_readable, "leave the readable CUDA out"),                                        \
        OPT_FLAG(0, "no-verify", no_verify, "do not run the kernels to check them"),                                   \
        OPT_FLAG(0, "full", full,                                                                                      \
                 "all columns in one file per shard, instead of launches, arguments, plan and line map beside it in "  \
                 "details-*"),                                                                                         \
        OPT_COUNT(0, "launches", launches, 0, CHECK_MOST_LAUNCHES, "N",                                                \
                  "how many small launches with inputs, outputs and gradients each record has at least (default 3; "   \
                  "0: none)")
#define OPT_RECORD_RULES                                                                                               \
    OPT_CHOICE(0, "gradients", gradients, GRADIENT_RULE_WORDS, "RULE",                                                 \
               "what becomes of a wrong gradient: its text is left out (proven, default), it is kept (marked), or "    \
               "the pair is "                                                                                          \
               "dropped (skip)"),                                                                                      \
        OPT_CHOICE(                                                                                                    \
            0, "dedup", dedup, DEDUP_RULE_WORDS, "RULE",                                                               \
            "what counts as a duplicate: the same but for names (structure, default), or but for names and numbers "   \
            "(masked)"),                                                                                               \
        OPT_TEXT(0, "splits", splits, "A,B,C",                                                                         \
                 "shares of train, validation and test, as 98,1,1; records that look alike are in one of them"),       \
        OPT_CHOICE(0, "format", format, FORMAT_WORDS, "FORMAT",                                                        \
                   "jsonl (default), parquet, or json: one file per pair"),                                            \
        OPT_FLAG(0, "no-compress", no_compress, "plain .jsonl instead of .jsonl.zst")

#endif
