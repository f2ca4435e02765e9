/* weft check as a linter: which wrong gradients are known already, and all of them as SARIF, which code scanning reads.
 *
 * Known is what a comment `# weft: ignore[PATTERN]` stands at (in the line of the finding, or in the head of the kernel), and what a
 * baseline lists: a file of lines `FILE: KERNEL [PATTERN]`, written where it is not there yet. */
#ifndef WEFT_CLI_LINT_H
#define WEFT_CLI_LINT_H

#include "base/text.h"
#include "check/pattern.h"

#include <stdio.h>

typedef enum Known { KNOWN_NOT, KNOWN_BY_COMMENT, KNOWN_BY_BASELINE } Known;

typedef struct Lint {
    const char *sarif, *baseline; /* paths; NULL: not asked for */
    char *listed;                 /* the baseline; NULL: it is to be written */
    size_t listed_length;
} Lint;

/* What was found, in one file or in all of them; all zeros: nothing. */
typedef struct LintNotes {
    Text entries; /* of a new baseline */
    Text results; /* of SARIF, with commas between */
    Text notices; /* notifications of SARIF, in the same way */
    uint32_t entry_count;
    bool incomplete; /* a kernel has no verdict */
} LintNotes;

/* A note beside the findings: a kernel without a verdict, a comment that names no pattern. */
typedef struct LintNotice {
    const char *path, *message; /* path NULL: of no file alone */
    uint32_t line, column;
    bool is_warning; /* otherwise a kernel has no verdict */
} LintNotice;

typedef struct LintFinding {
    const IrModule *module;
    PatternPlace place;
    const char *message;
} LintFinding;

/* False: there is a baseline that cannot be read, and a message was printed. */
bool lint_open(Lint *lint, const char *sarif, const char *baseline);
Known lint_add(const Lint *lint, LintNotes *notes, const LintFinding *finding);
/* A branch that no launch took: a note, which is no finding. `offset` is in the file of the code. */
void lint_add_branch(const Lint *lint, LintNotes *notes, const IrModule *module, const Code *code, uint32_t offset,
                     const char *message);
void lint_notice(const Lint *lint, LintNotes *notes, const LintNotice *notice);
/* Warns of comments in a file that name a pattern which does not exist. */
void lint_comments(const Lint *lint, LintNotes *notes, const Source *source, FILE *err);
void lint_join(LintNotes *notes, const LintNotes *more);
void lint_notes_free(LintNotes *notes);
/* Writes what is to be written. False: a message was printed. `complete`: all files could be read. */
bool lint_close(Lint *lint, const LintNotes *notes, bool complete);

#endif
