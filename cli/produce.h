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

#endif
