/* Help texts, made from the tables of args.h. */
#ifndef WEFT_CLI_HELP_H
#define WEFT_CLI_HELP_H

#include "args.h"

#include <stdio.h>

void print_help(const Command *command);
/* All commands, one line each. */
void print_commands(FILE *out);
void print_version(void);

#endif
