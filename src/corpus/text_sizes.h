/* How much text records hold: bytes of UTF-8, and tokens by a rule that anybody can repeat: a run of letters, digits and underscores
 * is one token, every other character that is not white space is one, too. */
#ifndef WEFT_CORPUS_TEXT_SIZES_H
#define WEFT_CORPUS_TEXT_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum { MEASURED_COLUMNS = 6 };
extern const char *const measured_columns[MEASURED_COLUMNS];

typedef struct TextSize {
    uint64_t bytes, tokens;
} TextSize;

/* Of a record as weft writes it, with or without its head. */
void measure_texts(const char *record, size_t len, TextSize sizes[MEASURED_COLUMNS]);

#endif
