/* The size of the texts in records: bytes of UTF-8, and tokens by a simple rule. A run of letters, digits and
 * underscores is one token; so is every other character except white space. */
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

/* Measures a text, before it is a JSON string. False: it is not all ASCII; measure the record instead. */
bool measure_text(const char *text, size_t len, TextSize *size);
/* Measures any text in UTF-8. */
void count_tokens(const char *text, size_t len, TextSize *size);
/* Measures a record as weft writes it, or its beginning, with or without its head. */
void measure_texts(const char *record, size_t len, TextSize sizes[MEASURED_COLUMNS]);

#endif
