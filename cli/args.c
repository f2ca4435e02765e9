#include "args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_help(const Command *command)
{
    printf("usage: weft %s %s\n\n%s\n\noptions:\n", command->name, command->operands, command->summary);
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        char left[64];
        if (option->letter)
            snprintf(left, sizeof left, "-%c, --%s%s%s", option->letter, option->name, option->value_name ? " " : "",
                     option->value_name ? option->value_name : "");
        else
            snprintf(left, sizeof left, "    --%s%s%s", option->name, option->value_name ? " " : "",
                     option->value_name ? option->value_name : "");
        printf("  %-28s %s\n", left, option->help);
    }
    printf("  %-28s %s\n", "-h, --help", "this text");
}

static const Option *find_option(const Command *command, const char *name, size_t len, char letter)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const Option *option = &command->options[i];
        if (letter ? option->letter == letter : strlen(option->name) == len && strncmp(option->name, name, len) == 0)
            return option;
    }
    return NULL;
}

static bool set_option(const Command *command, const Option *option, const char *value)
{
    char *end;
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)option->target = true; return true;
    case OPTION_TEXT: *(const char **)option->target = value; return true;
    case OPTION_COUNT:
        errno = 0;
        *(long long *)option->target = strtoll(value, &end, 10);
        if (errno || end == value || *end || *(long long *)option->target < 0) {
            fprintf(stderr, "weft %s: --%s takes a whole number, not '%s'\n", command->name, option->name, value);
            return false;
        }
        return true;
    }
    return false;
}

bool read_args(const Command *command, int argc, char **argv, size_t *operand_count, int *exit_code)
{
    *operand_count = 0;
    *exit_code = EXIT_USAGE;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        if (only_operands || arg[0] != '-' || !arg[1]) {
            argv[(*operand_count)++] = arg;
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0) {
            print_help(command);
            *exit_code = EXIT_DONE;
            return false;
        }
        bool is_long = arg[1] == '-';
        const char *equals = is_long ? strchr(arg, '=') : NULL;
        size_t len = is_long ? (equals ? (size_t)(equals - arg) - 2 : strlen(arg) - 2) : 0;
        const Option *option = find_option(command, arg + 2, len, is_long ? 0 : arg[1]);
        if (!option) {
            fprintf(stderr, "weft %s: unknown option '%s' (see weft %s --help)\n", command->name, arg, command->name);
            return false;
        }
        const char *value = equals ? equals + 1 : !is_long && arg[2] ? arg + 2 : NULL;
        if (option->kind == OPTION_FLAG && value) {
            fprintf(stderr, "weft %s: --%s takes no value\n", command->name, option->name);
            return false;
        }
        if (option->kind != OPTION_FLAG && !value) {
            if (i + 1 == argc) {
                fprintf(stderr, "weft %s: --%s needs a value\n", command->name, option->name);
                return false;
            }
            value = argv[++i];
        }
        if (!set_option(command, option, value))
            return false;
    }
    return true;
}

bool read_categories(const char *command, const char *text, CategoryWeights *weights)
{
    const char *unknown = text ? category_weights_read(weights, text) : NULL;
    if (unknown)
        fprintf(stderr, "weft %s: no such category: '%.*s' (weft synth --list names them)\n", command,
                (int)strcspn(unknown, ","), unknown);
    return !unknown;
}
