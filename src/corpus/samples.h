/* Records as samples: what compilers and devices are given. */
#ifndef WEFT_CORPUS_SAMPLES_H
#define WEFT_CORPUS_SAMPLES_H

#include "corpus/corpus.h"
#include "gpu/build.h"

typedef struct SampleList {
    Arena arena;
    Sample *items;
    uint32_t count, cap;
} SampleList;

void sample_list_init(SampleList *list);
void sample_list_free(SampleList *list);
/* An empty one at the end of the list, for the caller to fill; texts belong into the list's arena. */
Sample *sample_list_add(SampleList *list);
/* A copy of what a sample is, without what became of it. */
void sample_list_copy(SampleList *list, const Sample *sample);

/* Adds a record unchecked: its text may be compiled only if the caller knows where it is from. */
bool sample_list_add_record(SampleList *list, const char *line, CorpusError *error);
/* All records of a data set, each of which is what this weft makes of its seed and index. False: *error says why. */
bool corpus_read_samples(const char *dir, SampleList *list, CorpusError *error);
/* The first `options->count` kept candidates, made here and now. */
bool corpus_make_samples(const CorpusOptions *options, unsigned jobs, SampleList *list, CorpusError *error);

#endif
