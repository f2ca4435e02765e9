/* How much text records hold: bytes of UTF-8, and tokens by a rule that anybody can repeat: a run of letters, digits and underscores
 * is one token, every other character that is not white space is one, too. */
#ifndef WEFT_CORPUS_TEXT_SIZES_H
#define WEFT_CORPUS_TEXT_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEASURED_COLUMNS = 6 };
extern const char *const measured_columns[MEASURED_COLUMNS];

typedef struct TextSize {
    uint64_t bytes, tokens;
} TextSize;

/* Of a text, before it is a string of JSON. False: it is not all ASCII, and the record must be asked. */
bool measure_text(const char *text, size_t len, TextSize *size);
/* Of a record as weft writes it, with or without its head. */
void measure_texts(const char *record, size_t len, TextSize sizes[MEASURED_COLUMNS]);

#endif
