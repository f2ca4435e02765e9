#include "old_names.h"

#include "terminal.h"

#include <string.h>

static const struct {
    const char *name, *command, *operand;
} old_commands[] = {
#define OLD_COMMAND(name, command, operand) {name, command, operand},
#define OLD_OPTION(command, letter, old, new)
#include "old_names.def"
#undef OLD_COMMAND
#undef OLD_OPTION
};

static const struct {
    const char *command;
    char letter;
    const char *old, *new;
} old_options[] = {
#define OLD_COMMAND(name, command, operand)
#define OLD_OPTION(command, letter, old, new) {command, letter, old, new},
#include "old_names.def"
#undef OLD_COMMAND
#undef OLD_OPTION
};

static const char until[] = "the old name works until weft 0.2";

const char *old_command(const char *name, const char **operand)
{
    for (size_t i = 0; i < sizeof old_commands / sizeof *old_commands; i++)
        if (strcmp(name, old_commands[i].name) == 0) {
            *operand = old_commands[i].operand;
            return old_commands[i].command;
        }
    return NULL;
}

const char *old_option(const char *command, const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < sizeof old_options / sizeof *old_options; i++) {
        const char *old = old_options[i].old;
        if (strcmp(command, old_options[i].command) == 0 &&
            (letter ? letter == old_options[i].letter : strlen(old) == length && memcmp(old, name, length) == 0))
            return old_options[i].new;
    }
    return NULL;
}

void note_old_command(const char *name)
{
    const char *operand = NULL, *command = old_command(name, &operand);
    if (command)
        tell(stderr, "weft: `weft %s` is now `weft %s %s`; %s\n", name, command, operand, until);
}

void note_old_option(const char *command, const char *name, size_t length, char letter)
{
    const char *new = old_option(command, name, length, letter);
    if (new &&letter)
        tell(stderr, "weft %s: -%c is now --%s; %s\n", command, letter, new, until);
    else if (new)
        tell(stderr, "weft %s: --%.*s is now --%s; %s\n", command, (int)length, name, new, until);
}
