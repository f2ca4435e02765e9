/* Text for people: on a terminal it is broken to its width and coloured; elsewhere it is as it is. */
#ifndef WEFT_CLI_TERMINAL_H
#define WEFT_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLAIN_WIDTH = 80, WIDEST = 100 }; /* of help texts: where there is no terminal, and where it is very wide */

/* Columns of the terminal that `out` is; 0: it is none, and lines may be as long as they like. */
unsigned terminal_width(FILE *out);

/* On this thread, what is printed to `out` and `err` is gathered for two other files, and is to look as it would there. All NULL: no more. */
void gather_for(FILE *out, FILE *real_out, FILE *err, FILE *real_err);

typedef enum Style { STYLE_PLAIN, STYLE_BOLD, STYLE_GOOD, STYLE_BAD, STYLE_NOTE } Style;
const char *style_begin(FILE *out, Style style); /* the escape sequence, or "" */
const char *style_end(FILE *out, Style style);

/* printf of one or more lines, each broken at spaces where it is wider than the terminal. */
void tell(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a ready text. Both show what may steer a terminal as `\x1b`: names of files may hold anything. */
void tell_text(FILE *out, const char *text, size_t length);

/* Lines of a paragraph: broken at spaces to `width` columns, the first one after `at` columns that are already printed, all
 * others after `indent` spaces. Ends the last line. */
void put_paragraph(FILE *out, const char *text, size_t length, unsigned width, unsigned at, unsigned indent);

#endif
