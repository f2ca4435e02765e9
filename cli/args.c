#include "args.h"
#include "base/suggest.h"
#include "help.h"
#include "lang/dialect.h"
#include "old_names.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CommonArgs {
    bool help, quiet, verbose, version;
    const char *warp;
} CommonArgs;

#define ARGS CommonArgs
const Option common_options[] = {
    OPT_FLAG('h', "help", help, "print this text"),
    OPT_FLAG('q', "quiet", quiet, "no progress and no summary, only results and errors"),
    OPT_FLAG('v', "verbose", verbose, "say more; progress also where stderr is not a terminal"),
    OPT_TEXT(0, "warp", warp, "VERSION",
             "the version of Warp whose text is written: 1.16, 1.17, 1.18 or 1.19 (default)"),
    OPT_FLAG(0, "version", version, "print the version"),
};
#undef ARGS
const size_t common_option_count = sizeof common_options / sizeof *common_options;

/* What is being read: the command's own options go to `args`, the common ones to `common`. */
typedef struct ArgReader {
    const Command *command;
    void *args;
    CommonArgs common;
    char **argv;
    int argc, at;
    const char **words; /* room for all values of OPTION_WORDS, argc of them per option */
    char **lists;       /* the values of OPTION_LIST and OPTION_CATEGORIES, by option */
} ArgReader;

int wrong_call(const Command *command, const char *format, ...)
{
    char message[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    tell(stderr, "weft %s: %s; see `weft help %s`\n", command->name, message, command->name);
    return EXIT_USAGE;
}

/* ---- values ---- */

/* "cuda, cpu or both"; which of them is nearest to the word goes to `near`. */
static void list_choices(const char *choices, char *list, size_t size, Suggestion *near)
{
    const char *start;
    size_t length, used = 0;
    for (size_t i = 0; choice_at(choices, i, &start, &length); i++) {
        bool last = !start[length];
        int more = snprintf(list + used, size - used, "%s%.*s", !i ? "" : last ? " or " : ", ", (int)length, start);
        used += more > 0 && used + (size_t)more < size ? (size_t)more : 0;
        suggestion_offer(near, start, length);
    }
}

static int wrong_choice(const Command *command, const Option *option, const char *value)
{
    char list[200] = "", near_text[100];
    Suggestion near = suggestion_for(value, strlen(value));
    list_choices(option->choices, list, sizeof list, &near);
    if (strcmp(value, "gpu") == 0 && choice_find(option->choices, "cuda") >= 0) /* one letter from cpu */
        near.best = "cuda", near.best_length = strlen("cuda");
    return wrong_call(command, "--%s is %s, not '%s'%s", option->name, list, value,
                      suggestion_text(&near, "", near_text, sizeof near_text));
}

int wrong_word(const Command *command, const char *word)
{
    char list[200] = "", near_text[100];
    Suggestion near = suggestion_for(word ? word : "", word ? strlen(word) : 0);
    list_choices(command->operand_words, list, sizeof list, &near);
    if (!word)
        return wrong_call(command, "say which: %s", list);
    return wrong_call(command, "say which: %s, not '%s'%s", list, word,
                      suggestion_text(&near, "", near_text, sizeof near_text));
}

static int set_choice(const Command *command, const Option *option, const char *value, int *target)
{
    int found = choice_find(option->choices, value);
    if (found < 0)
        return wrong_choice(command, option, value);
    *target = found;
    return EXIT_DONE;
}

static int check_limits(const Command *command, const Option *option, const char *value, bool low, bool high)
{
    if (low)
        return wrong_call(command, "--%s must be at least %lld, not %s", option->name, option->least, value);
    if (high)
        return wrong_call(command, "--%s must be at most %lld, not %s", option->name, option->most, value);
    return EXIT_DONE;
}

static int set_count(const Command *command, const Option *option, const char *value, long long *target)
{
    size_t sign = value[0] == '-', digits = strspn(value + sign, "0123456789");
    if (!digits || value[sign + digits])
        return wrong_call(command, "--%s takes a whole number, not '%s'", option->name, value);
    errno = 0;
    *target = strtoll(value, NULL, 10); /* what is out of range becomes the largest or smallest number */
    return check_limits(command, option, value, *target < option->least || (errno && sign),
                        *target > option->most || (errno && !sign));
}

static int set_real(const Command *command, const Option *option, const char *value, double *target)
{
    char *end;
    *target = strtod(value, &end);
    if (end == value || *end || !isfinite(*target) || strspn(value, "+-.0123456789eE") != strlen(value))
        return wrong_call(command, "--%s takes a number, not '%s'", option->name, value);
    return check_limits(command, option, value, *target<(double)option->least, *target>(double) option->most);
}

static void add_word(ArgReader *reader, const Option *option, const char *value, Words *words)
{
    if (!words->items)
        words->items = reader->words + (size_t)(option - reader->command->options) * (size_t)reader->argc;
    words->items[words->count++] = value;
}

/* Appends to the earlier value, after a comma. */
static int add_to_list(ArgReader *reader, const Option *option, const char *value, const char **target)
{
    char **list = &reader->lists[option - reader->command->options], *before = *list;
    size_t length = strlen(value);
    if (!length)
        return wrong_call(reader->command, "--%s is empty", option->name);
    if (option->kind == OPTION_LIST && (value[0] == ',' || value[length - 1] == ',' || strstr(value, ",,")))
        return wrong_call(reader->command, "--%s: a name is missing in '%s'", option->name, value);
    if (asprintf(list, "%s%s%s", before ? before : "", before ? "," : "", value) < 0)
        *list = NULL;
    free(before);
    *target = *list;
    if (!*list)
        tell(stderr, "weft: out of memory\n");
    return *list ? EXIT_DONE : EXIT_FOUND;
}

static int set_option(ArgReader *reader, const Option *option, const char *value)
{
    bool common = option >= common_options && option < common_options + common_option_count;
    void *target = (common ? (char *)&reader->common : (char *)reader->args) + option->offset;
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)target = true; break;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER:
        if (!*value)
            return wrong_call(reader->command, "--%s is empty", option->name);
        *(const char **)target = value;
        break;
    case OPTION_CATEGORIES:
    case OPTION_LIST: return add_to_list(reader, option, value, target);
    case OPTION_CHOICE: return set_choice(reader->command, option, value, target);
    case OPTION_COUNT: return set_count(reader->command, option, value, target);
    case OPTION_REAL: return set_real(reader->command, option, value, target);
    case OPTION_WORDS: add_word(reader, option, value, target); break;
    }
    return EXIT_DONE;
}

/* ---- options ---- */

static const Option *find_in(const Option *options, size_t count, const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < count; i++)
        if (letter ? options[i].letter == letter
                   : strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static const Option *find_option(const Command *command, const char *name, size_t length, char letter)
{
    const Option *option = find_in(command->options, command->option_count, name, length, letter);
    if (!option)
        option = find_in(common_options, common_option_count, name, length, letter);
    const char *present = option ? NULL : old_option(command->name, name, length, letter);
    return present ? find_in(command->options, command->option_count, present, strlen(present), 0) : option;
}

static int unknown_option(const Command *command, const char *arg, size_t length)
{
    char buffer[100];
    Suggestion near = suggestion_for(arg + 2, length > 2 && arg[1] == '-' ? length - 2 : 0);
    for (size_t i = 0; i < command->option_count; i++)
        suggestion_offer(&near, command->options[i].name, strlen(command->options[i].name));
    for (size_t i = 0; i < common_option_count; i++)
        suggestion_offer(&near, common_options[i].name, strlen(common_options[i].name));
    return wrong_call(command, "unknown option '%.*s'%s", (int)length, arg,
                      suggestion_text(&near, "--", buffer, sizeof buffer));
}

/* The value that follows the option; NULL: there is none (a message was printed). */
static const char *next_value(ArgReader *reader, const Option *option)
{
    const char *value = reader->at + 1 < reader->argc ? reader->argv[reader->at + 1] : NULL;
    bool is_option = value && value[0] == '-' && value[1] == '-' &&
                     find_option(reader->command, value + 2, strcspn(value + 2, "="), 0);
    if (value && !is_option) {
        reader->at++;
        return value;
    }
    if (is_option)
        wrong_call(reader->command, "--%s needs a value; '%s' is an option (--%s=%s takes it as the value)",
                   option->name, value, option->name, value);
    else
        wrong_call(reader->command, "--%s needs a value", option->name);
    return NULL;
}

static int read_long_option(ArgReader *reader, const char *arg)
{
    size_t length = strcspn(arg + 2, "=");
    const Option *option = find_option(reader->command, arg + 2, length, 0);
    if (!option)
        return unknown_option(reader->command, arg, length + 2);
    if (strlen(option->name) != length || memcmp(option->name, arg + 2, length) != 0)
        note_old_option(reader->command->name, arg + 2, length, 0);
    const char *value = arg[2 + length] ? arg + length + 3 : NULL;
    if (option->kind == OPTION_FLAG && value)
        return wrong_call(reader->command, "--%s takes no value", option->name);
    if (option->kind != OPTION_FLAG && !value && !(value = next_value(reader, option)))
        return EXIT_USAGE;
    return set_option(reader, option, value);
}

/* -k NAME, -kNAME, or several flags together: -qv. */
static int read_letters(ArgReader *reader, const char *arg)
{
    for (const char *letter = arg + 1; *letter; letter++) {
        const Option *option = find_option(reader->command, NULL, 0, *letter);
        if (!option)
            return unknown_option(reader->command, arg, strlen(arg));
        if (option->letter != *letter)
            note_old_option(reader->command->name, NULL, 0, *letter);
        const char *value = option->kind == OPTION_FLAG ? NULL : letter[1] ? letter + 1 : next_value(reader, option);
        if (option->kind != OPTION_FLAG && !value)
            return EXIT_USAGE;
        int code = set_option(reader, option, value);
        if (code != EXIT_DONE || value)
            return code;
    }
    return EXIT_DONE;
}

/* Operands move to the front of argv. */
static int read_all(ArgReader *reader, size_t *operand_count)
{
    int code = EXIT_DONE;
    bool only_operands = false;
    for (reader->at = 0; code == EXIT_DONE && reader->at < reader->argc; reader->at++) {
        char *arg = reader->argv[reader->at];
        if (only_operands || arg[0] != '-' || !arg[1])
            reader->argv[(*operand_count)++] = arg;
        else if (strcmp(arg, "--") == 0)
            only_operands = true;
        else
            code = arg[1] == '-' ? read_long_option(reader, arg) : read_letters(reader, arg);
        if (reader->common.help || reader->common.version)
            return EXIT_DONE;
    }
    return code;
}

/* EXIT_DONE, or EXIT_USAGE after a message. */
static int find_version(const Command *command, const char *asked, const char **number)
{
    Dialect dialect;
    char known[200] = "";
    if (!dialect_find(asked, &dialect)) {
        for (size_t i = 0, used = 0; dialect_number_at(i) && used < sizeof known; i++)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", dialect_number_at(i));
        return wrong_call(command, "weft does not know Warp %s; it knows %s", asked, known);
    }
    *number = dialect.number;
    return EXIT_DONE;
}

int run_command_line(const Command *command, int argc, char **argv)
{
    size_t room = command->option_count * (size_t)argc + 1, operand_count = 0;
    ArgReader reader = {.command = command, .argv = argv, .argc = argc};
    reader.args = calloc(1, command->args_size + 1);
    reader.words = calloc(room, sizeof *reader.words);
    reader.lists = calloc(command->option_count + 1, sizeof *reader.lists);
    int code = EXIT_FOUND;
    if (!reader.args || !reader.words || !reader.lists)
        tell(stderr, "weft: out of memory\n");
    else {
        if (command->defaults)
            memcpy(reader.args, command->defaults, command->args_size);
        code = read_all(&reader, &operand_count);
        Call call = {.command = command,
                     .args = reader.args,
                     .operands = argv,
                     .operand_count = operand_count,
                     .quiet = reader.common.quiet,
                     .verbose = reader.common.verbose,
                     .warp_given = reader.common.warp != NULL};
        if (code == EXIT_DONE)
            code = find_version(command, reader.common.warp, &call.warp);
        if (code != EXIT_DONE)
            ;
        else if (reader.common.help)
            print_help(command);
        else if (reader.common.version)
            print_version();
        else
            code = command->run(&call);
    }
    for (size_t i = 0; reader.lists && i < command->option_count; i++)
        free(reader.lists[i]);
    free(reader.lists);
    free(reader.words);
    free(reader.args);
    return code;
}

/* ---- categories ---- */

bool read_categories(const Command *command, const char *text, CategoryWeights *weights)
{
    const char *unknown = text ? category_weights_read(weights, text) : NULL;
    if (!unknown)
        return true;
    char buffer[100];
    size_t length = strcspn(unknown, ",="), part = strcspn(unknown, ",");
    Suggestion near = suggestion_for(unknown, length);
    bool known = false;
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        const char *name = category_name((CategoryId)i);
        known |= strlen(name) == length && memcmp(name, unknown, length) == 0;
        suggestion_offer(&near, name, strlen(name));
    }
    if (known)
        wrong_call(command, "the weight of a category is a whole number, as in %.*s=3, not '%.*s'", (int)length,
                   unknown, (int)part, unknown);
    else
        tell(stderr, "weft %s: there is no category '%.*s'%s; `weft synth --list` names them\n", command->name,
             (int)length, unknown, suggestion_text(&near, "", buffer, sizeof buffer));
    return false;
}
