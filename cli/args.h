/* Command-line options as tables: one row an option, read by one function. */
#ifndef WEFT_CLI_ARGS_H
#define WEFT_CLI_ARGS_H

#include "synth/synth.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum OptionKind { OPTION_FLAG, OPTION_TEXT, OPTION_COUNT } OptionKind;

typedef struct Option {
    char letter;      /* 0: none */
    const char *name; /* without the dashes */
    OptionKind kind;
    void *target;           /* bool *, const char ** or long long * */
    const char *value_name; /* in the help text */
    const char *help;
} Option;

typedef struct Command {
    const char *name, *operands, *summary;
    const Option *options;
    size_t option_count;
} Command;

enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_USAGE = 2 };

/* Fills the targets and moves what is left, the operands, to the front of `argv`. False: the call was wrong (a message
 * was printed), or help was asked for (then *exit_code is 0). */
bool read_args(const Command *command, int argc, char **argv, size_t *operand_count, int *exit_code);
void print_help(const Command *command);

/* What --categories says; NULL: the usual weights stay. False: it names one that does not exist (a message was printed). */
bool read_categories(const char *command, const char *text, CategoryWeights *weights);

#endif
