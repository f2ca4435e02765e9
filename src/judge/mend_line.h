/* Lines of JSON whose strings hold what is not text: the character NUL, half of a surrogate pair, bytes that are not UTF-8. Models
 * and their tokenizers write such answers; a JSON reader refuses the line, and with it the id of the task. */
#ifndef WEFT_JUDGE_MEND_LINE_H
#define WEFT_JUDGE_MEND_LINE_H

#include "base/text.h"

/* Copies the line with U+FFFD in place of everything that is not text. */
void mend_line(const char *line, size_t len, Text *out);

#endif
