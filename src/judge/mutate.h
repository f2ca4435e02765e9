/* Wrong variants of right texts, with one small change each. A launch with a different result proves each one wrong;
 * changes that no launch detects are not taken. */
#ifndef WEFT_JUDGE_MUTATE_H
#define WEFT_JUDGE_MUTATE_H

#include "base/rng.h"
#include "judge/referee.h"

typedef enum MutantForm { MUTANT_PYTHON, MUTANT_CUDA, MUTANT_GRADIENT, MUTANT_FORMS } MutantForm;
const char *mutant_form_name(MutantForm form); /* "python", "cuda", "gradient" */

typedef struct Mutant {
    Text text;
    uint32_t line;                /* of the change, from 1 */
    char before[120], after[120]; /* that line, without the spaces around it */
    char change[80];              /* in words */
    char difference[300];         /* how a launch tells it apart */
} Mutant;

void mutant_free(Mutant *mutant);

/* One variant of a text of the record, chosen by the stream, with up to so many changes; false: none was found. The words are about the
 * last change. */
bool mutant_make(Workshop *workshop, Workshop *second, const json_t *record, MutantForm form, uint32_t changes, Rng rng,
                 Mutant *out);

/* ---- changes (mutate_text.c) ---- */

typedef struct Site {
    uint32_t at, len;
    const char *to;    /* NULL: a number, of which the first digit becomes the next one */
    bool is_statement; /* it is left out with its line: an empty one would tell where */
} Site;

typedef struct SiteList {
    Site *items;
    uint32_t count, cap;
} SiteList;

/* Where the part of a text that is changed begins and ends. */
bool mutable_part(const char *text, const char *kernel, MutantForm form, Span *part);
void find_sites(Arena *arena, Span part, MutantForm form, SiteList *sites);
/* The text with that change; out->line and the words about it are filled in. */
void apply_site(const char *text, Span part, const Site *site, Mutant *out);

/* ---- all of a set (mutants.c) ---- */

typedef struct MutateOptions {
    uint64_t seed;
    bool forms[MUTANT_FORMS];
    uint64_t limit; /* of each form; 0: no end */
    const char *warp;
    const atomic_int *stop;
    void (*progress)(uint64_t records, uint64_t of, void *user);
    void *user;
} MutateOptions;

typedef struct MutateReport {
    uint64_t records, made[MUTANT_FORMS], tried[MUTANT_FORMS]; /* records that have such a text */
} MutateReport;

/* One line of JSON per variant, which is also an answer to a task, and a wrong one. */
bool judge_mutate(const char *set, const MutateOptions *options, LineSink *sink, void *sink_user, MutateReport *report,
                  CorpusError *error);

#endif
