/* Progress of long commands, on stderr: a bar with rate and time left where that is a terminal, which fits its width; with -v,
 * a line now and then where it is not; and a summary at the end. -q: nothing of it.
 *
 *     Progress progress;
 *     progress_begin(&progress, call);
 *     for (…)
 *         progress_tell(&progress, "kernels", done, total, "");
 *     progress_end(&progress, "%llu kernels,", total); */
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include "args.h"

#include "base/watch.h"

#include <stdio.h>

typedef struct Progress {
    const char *command;
    bool bar, lines, summary; /* which of them are shown */
    bool drawn;               /* a bar stands in the terminal's last line */
    const char *stage;
    uint64_t first;            /* done when the stage was first told of: earlier runs did it */
    double began, stage_began; /* in seconds */
    double last_drawn, next_line_at, line_pause;
} Progress;

void progress_begin(Progress *progress, const Call *call);
/* The work writes to `out` all the while: no bar if that is a terminal. */
void progress_beside(Progress *progress, FILE *out);

/* `done` of `total` (0: not known). Another `stage` begins anew. `also` stands behind it where there is room. May be called often. */
void progress_tell(Progress *progress, const char *stage, uint64_t done, uint64_t total, const char *also);
Watch progress_watch(Progress *progress); /* that calls progress_tell */

/* Takes the bar away, so that something else can be printed. */
void progress_clear(Progress *progress);

/* Takes the bar away; then "weft COMMAND: …, 2.5 s", a summary with the time that it took. NULL: no summary. */
void progress_end(Progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
