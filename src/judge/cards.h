/* Answers on a GPU. NVRTC compiles them in sandboxes that have no card, each in a process of its own
 * (inside_nvrtc.c). A few processes in sandboxes with a card run them (inside_card.c), since taking a card costs more
 * than most answers.
 *
 * A process runs a batch of answers, or ends with the first that breaks something. A failure after other answers is
 * run again in a fresh process, so one answer cannot fail another. */
#ifndef WEFT_JUDGE_CARDS_H
#define WEFT_JUDGE_CARDS_H

#include "judge/sandbox.h"
#include "judge/trace.h"

typedef struct Cards Cards;

typedef struct CardsOptions {
    unsigned jobs;    /* answers at the same time */
    unsigned runners; /* processes that have the card at the same time, one more for the judge's own texts aside */
    unsigned batch;   /* answers that one of those runs */
    bool timing;      /* cards_time will be asked for */
    const Trace *trace;
} CardsOptions;

/* Processes are started at once, ahead of their use. NULL: *error says why. */
Cards *cards_open(const Sandbox *sandbox, const CardsOptions *options, SandboxError *error);
void cards_close(Cards *cards); /* NULL: nothing happens */

typedef struct CardImage {
    SandboxResult compiled; /* its results hold all of it */
    const char *bytes;      /* NULL: it does not compile, see above */
    size_t size;
    char names[2][JOB_MOST_NAME];
} CardImage;

/* `job`: source, names of entries, limits; its mode and what else it takes is set. */
void cards_compile(Cards *cards, Job *job, CardImage *image);
void card_image_free(CardImage *image);

/* Runs the launches of the image, as sandbox_run would. */
void cards_run(Cards *cards, const CardImage *image, const Job *job, size_t most, SandboxResult *result);

/* How long a launch takes, while nothing else is run: the median in milliseconds; below zero: it cannot be told. The judge's own texts have
 * a process of their own. */
double cards_time(Cards *cards, const CardImage *image, JobLaunch launch, JobLimits limits, bool is_own);

/* Times that were measured once and serve again. */
bool cards_recall(Cards *cards, uint64_t key, double *milliseconds);
void cards_remember(Cards *cards, uint64_t key, double milliseconds);

#endif
