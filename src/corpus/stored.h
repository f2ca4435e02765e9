/* Data sets of sources that are given, and not invented: threads make batches of them, one writer takes them in order. */
#ifndef WEFT_CORPUS_STORED_H
#define WEFT_CORPUS_STORED_H

#include "corpus/candidate.h"

/* The private state of a thread. */
typedef struct StoredWorker {
    Maker *maker;
    Weft *weft;
    Text source, launch; /* scratch memory */
} StoredWorker;

/* The source as a module, compiled by itself with both texts; `compiled` is called for its first kernel. False: out of memory. */
bool stored_compile(StoredWorker *worker, const SynthSample *sample, const PipelineVisitor *visitor);
/* Sets the launch of the sample from the description in worker->launch. */
void stored_use_launch(StoredWorker *worker, SynthSample *sample);

typedef struct StoredSources {
    void *user;
    const char *from; /* for messages: what they are taken from */
    /* The next one, as a line; called by one thread at a time. NULL: that is all, or *error says what is wrong. */
    const char *(*next)(void *user, size_t *len, CorpusError *error);
    /* A candidate that is not kept has a reason. False: out of memory. */
    bool (*make)(StoredWorker *worker, uint64_t index, const char *line, size_t len, Candidate *candidate, Text *out);
} StoredSources;

/* `options->count` is how many there are. */
CorpusOutcome stored_run(const StoredSources *sources, const char *dir, const CorpusOptions *options,
                         const CorpusRun *user, CorpusError *error);

#endif
