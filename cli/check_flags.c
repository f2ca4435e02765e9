/* The flags of weft check that say how a kernel is launched. */
#include "check_flags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct FlagReader {
    const Command *command;
    CheckLaunch *launch;
    char **names;
} FlagReader;

static CheckArg *arg_named(const FlagReader *reader, const char *name, size_t length)
{
    CheckLaunch *launch = reader->launch;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (strncmp(launch->args[i].name, name, length) == 0 && !launch->args[i].name[length])
            return &launch->args[i];
    if (launch->arg_count == MAX_GIVEN)
        return NULL;
    char *copy = strndup(name, length);
    if (!copy)
        return NULL;
    reader->names[launch->arg_count] = copy;
    CheckArg *arg = &launch->args[launch->arg_count++];
    *arg = (CheckArg){.name = copy};
    return arg;
}

/* Numbers separated by commas; how many, or 0 if there is anything else. */
static uint32_t read_list(const char *text, double *out, uint32_t max)
{
    uint32_t count = 0;
    for (;;) {
        char *end;
        size_t length = strspn(text, "+-.0123456789eE"); /* no spaces, no hexadecimal numbers */
        double value = strtod(text, &end);
        if (end == text || end != text + length || count == max || !isfinite(value))
            return 0;
        out[count++] = value;
        if (!*end)
            return count;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
}

enum { MOST_PER_DIMENSION = 1 << 20 };

/* Sizes for --dim and --shape; 0: a message was printed. */
static uint32_t read_sizes(const Command *command, const char *flag, const char *text, const char *numbers_text,
                           uint32_t *sizes)
{
    double numbers[4];
    uint32_t count = read_list(numbers_text, numbers, 4);
    if (!count)
        wrong_call(command, "--%s takes one to four whole numbers, as %s, not '%s'", flag,
                   strcmp(flag, "dim") == 0 ? "16,16" : "16,16 or x=16,16", text);
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] != floor(numbers[i]) || numbers[i] < 1 || numbers[i] > MOST_PER_DIMENSION) {
            wrong_call(command, "--%s %s: each size is a whole number from 1 to %d", flag, text, MOST_PER_DIMENSION);
            return 0;
        }
        sizes[i] = (uint32_t)numbers[i];
    }
    return count;
}

/* The argument that a flag is for: that before the '=', or "*", all. NULL: a message was printed. */
static CheckArg *flag_target(const FlagReader *reader, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == text) {
        wrong_call(reader->command, "the name of the argument is missing in '%s'", text);
        return NULL;
    }
    CheckArg *arg = equals ? arg_named(reader, text, (size_t)(equals - text)) : arg_named(reader, "*", 1);
    if (!arg)
        wrong_call(reader->command, "too many arguments are named (at most %d)", MAX_GIVEN);
    return arg;
}

static const char *flag_value(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals ? equals + 1 : text;
}

static int read_shape(const FlagReader *reader, const char *text)
{
    uint32_t sizes[4], count = read_sizes(reader->command, "shape", text, flag_value(text), sizes);
    CheckArg *arg = count ? flag_target(reader, text) : NULL;
    if (!arg)
        return EXIT_USAGE;
    arg->ndim = count;
    memcpy(arg->shape, sizes, count * sizeof *sizes);
    return EXIT_DONE;
}

static int read_range(const FlagReader *reader, const char *text)
{
    double numbers[2];
    if (read_list(flag_value(text), numbers, 2) != 2 || numbers[0] > numbers[1])
        return wrong_call(reader->command, "--range takes a lowest and a highest value, as 0,1 or x=0,1, not '%s'",
                          text);
    CheckArg *arg = flag_target(reader, text);
    if (!arg)
        return EXIT_USAGE;
    arg->has_range = true;
    arg->low = numbers[0];
    arg->high = numbers[1];
    return EXIT_DONE;
}

static int read_value(const FlagReader *reader, const char *text)
{
    double number;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || read_list(equals + 1, &number, 1) != 1)
        return wrong_call(reader->command, "--set takes an argument's name and a number, as n=3, not '%s'", text);
    CheckArg *arg = flag_target(reader, text);
    if (!arg)
        return EXIT_USAGE;
    arg->has_value = true;
    arg->value = number;
    return EXIT_DONE;
}

static CheckArg *read_name(const FlagReader *reader, const char *text)
{
    return *text && !strchr(text, '=') ? arg_named(reader, text, strlen(text)) : NULL;
}

static int read_sorted(const FlagReader *reader, const char *text)
{
    CheckArg *arg = read_name(reader, text);
    if (!arg)
        return wrong_call(reader->command, "--sorted takes the name of an array, not '%s'", text);
    arg->sorted = true;
    return EXIT_DONE;
}

static int read_symmetric(const FlagReader *reader, const char *text)
{
    CheckArg *arg = read_name(reader, text);
    if (!arg)
        return wrong_call(reader->command, "--symmetric takes the name of an argument, not '%s'", text);
    arg->symmetric = true;
    return EXIT_DONE;
}

static int read_definite(const FlagReader *reader, const char *text)
{
    CheckArg *arg = read_name(reader, text);
    if (!arg)
        return wrong_call(reader->command, "--definite takes the name of an argument, not '%s'", text);
    arg->definite = true;
    return EXIT_DONE;
}

int read_launch_flags(const Command *command, const LaunchFlags *flags, CheckLaunch *launch, char **names)
{
    const FlagReader reader = {command, launch, names};
    const struct {
        const Words *words;
        int (*read)(const FlagReader *, const char *);
    } kinds[] = {{&flags->shapes, read_shape},  {&flags->ranges, read_range},        {&flags->values, read_value},
                 {&flags->sorted, read_sorted}, {&flags->symmetric, read_symmetric}, {&flags->definite, read_definite}};
    if (flags->dim && !(launch->ndim = read_sizes(command, "dim", flags->dim, flags->dim, launch->dim)))
        return EXIT_USAGE;
    launch->block_dim = (uint32_t)flags->block_dim;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < kinds[kind].words->count; i++)
            if (kinds[kind].read(&reader, kinds[kind].words->items[i]) != EXIT_DONE)
                return EXIT_USAGE;
    return EXIT_DONE;
}
