/* Commands and options that have a new name: the old one works, with a note. */
#ifndef WEFT_CLI_OLD_NAMES_H
#define WEFT_CLI_OLD_NAMES_H

#include <stddef.h>

/* The command that an old name stands for, and the operand to put before the others; NULL: it is no old name. */
const char *old_command(const char *name, const char **operand);

/* The present name of an option of `command`, given by its old letter or, where that is 0, its old name; NULL: it is no old name. */
const char *old_option(const char *command, const char *name, size_t length, char letter);

/* Prints the note about an old name: "weft COMMAND: OLD is now NEW; …". */
void note_old_command(const char *name);
void note_old_option(const char *command, const char *name, size_t length, char letter);

#endif
