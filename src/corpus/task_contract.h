/* The contract of a kernel in a prompt: its launch, arguments, rules, and a launch with its results. */
#ifndef WEFT_CORPUS_TASK_CONTRACT_H
#define WEFT_CORPUS_TASK_CONTRACT_H

#include "base/json.h"
#include "base/text.h"

/* Why an answer does not follow from the prompt: then it is no task. */
typedef enum Undetermined {
    DETERMINED,
    UNDETERMINED_SIGNATURE,
    UNDETERMINED_NAME,
    UNDETERMINED_WORDS,
    UNDETERMINED_COUNT
} Undetermined;
const char *undetermined_words(Undetermined why);

/* Reads the record's source. Answers may take `given` over: imports, constants, structs and the signature. `behind` has wp.overload() of a
 * generic kernel, and `steps` what each thread does. */
Undetermined read_contract(const json_t *record, Text *given, Text *behind, Text *steps);
/* How it is launched: `dim`, and the block of a kernel with tiles. */
void put_launch(Text *out, const json_t *record);
/* Every argument with its type, role, shape, meaning, unit and the range of its numbers. */
void put_arguments(Text *out, const json_t *record);
/* Bounds, what stays as it is, and what else every answer has to keep to. */
void put_edge_rules(Text *out);
/* The smallest launch of the record with its results. */
void put_worked_launch(Text *out, const json_t *record);

#endif
