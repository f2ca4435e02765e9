/* Findings about a source text. A position is a byte offset; line, column and the
 * quoted source line are computed only when a finding is shown. */
#ifndef WEFT_BASE_DIAG_H
#define WEFT_BASE_DIAG_H

#include "base/arena.h"
#include "base/text.h"

#include <stdint.h>

typedef struct Source {
    const char *path; /* for messages */
    const char *text;
    size_t len;
} Source;

/* Why a text was refused: the source is wrong (Warp refuses it, too), or weft cannot do it. */
typedef enum DiagKind { DIAG_ERROR, DIAG_UNSUPPORTED } DiagKind;

typedef struct Diag {
    DiagKind kind;
    uint32_t offset, length; /* the part of the source to point at */
    const char *message;     /* what is wrong */
    const char *hint;        /* what to write instead, or NULL */
    const char *kernel;      /* the kernel that was being compiled, or NULL */
    const Source *source;
    struct Diag *next;
} Diag;

typedef struct DiagList {
    Arena *arena;
    Diag *first, **last;
    unsigned count;
} DiagList;

void diags_init(DiagList *list, Arena *arena);
void diags_move(DiagList *to, DiagList *from); /* leaves an empty list */
Diag *diag_add(DiagList *list, const Source *source, DiagKind kind, uint32_t start, uint32_t end, const char *format,
               ...) __attribute__((format(printf, 6, 7)));
Diag *diag_add_list(DiagList *list, const Source *source, DiagKind kind, uint32_t start, uint32_t end,
                    const char *format, va_list args) __attribute__((format(printf, 6, 0)));

typedef struct SourcePosition {
    uint32_t line, column; /* from 1; columns count code points */
    uint32_t line_start, line_end;
} SourcePosition;
SourcePosition source_position(const Source *source, uint32_t offset);

/* Where the lines of a text begin, for whoever asks for many positions in it. Empty at first, and after another text. */
typedef struct SourceLines {
    const Source *source;
    uint32_t *starts;
    uint32_t count, cap;
} SourceLines;
SourcePosition source_position_in(SourceLines *lines, Arena *arena, const Source *source, uint32_t offset);

/* `file:line:col: error: message`, the source line, a caret, the hint. */
void diag_show(const Diag *diag, Text *out);
void diag_show_at(const Diag *diag, SourcePosition at, Text *out); /* for whoever knows the position */

#endif
