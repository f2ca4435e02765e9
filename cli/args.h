/* The command line as tables.
 *
 * A command is one Command: what it is called, what it takes, one row per option, and the function that runs it. One reader fills
 * the command's own struct from the rows; --help, the man pages and the shells' completions are written from the same rows. So an
 * option is added in one place:
 *
 *     typedef struct SynthArgs { long long count; bool json; } SynthArgs;
 *     #define ARGS SynthArgs
 *     static const Option options[] = {
 *         OPT_COUNT('n', "count", count, 1, MAX_COUNT, "N", "how many kernels (default 1)"),
 *         OPT_FLAG(0, "json", json, "one record per line"),
 *     };
 *
 * Every command also knows -h, -q, -v, --warp and --version. Exit codes: EXIT_USAGE where the command line alone shows that the call is
 * wrong; EXIT_FOUND where the work found something wrong, a file that cannot be read included. */
#ifndef WEFT_CLI_ARGS_H
#define WEFT_CLI_ARGS_H

#include "base/choice.h"
#include "synth/synth.h"

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_USAGE = 2 };

typedef enum OptionKind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_FILE,       /* const char *, a path */
    OPTION_FOLDER,     /* const char *, a path */
    OPTION_CATEGORIES, /* const char *, for read_categories; given several times, as OPTION_LIST */
    OPTION_LIST,       /* const char *, names with commas between; given several times, all of them: "a,b" */
    OPTION_CHOICE,     /* int, the position in `choices` */
    OPTION_COUNT,      /* long long, from `least` to `most` */
    OPTION_REAL,       /* double, from `least` to `most` */
    OPTION_WORDS,      /* Words: may be given several times */
} OptionKind;

typedef struct Words {
    const char **items;
    size_t count;
} Words;

typedef struct Option {
    char letter;      /* 0: none */
    const char *name; /* without the dashes */
    OptionKind kind;
    size_t offset;          /* of the value in the command's struct */
    const char *value_name; /* in help texts; NULL for flags */
    const char *help;
    const char *choices; /* "cuda|cpu|both" */
    long long least, most;
} Option;

/* The offset of a member of the struct ARGS; does not compile if the member has another type. */
#define OPT_MEMBER(type, member) (offsetof(ARGS, member) + 0 * sizeof(_Generic(((ARGS *)0)->member, type : 0)))

#define OPT_FLAG(letter, name, member, help)                                                                           \
    {                                                                                                                  \
        letter, name, OPTION_FLAG, OPT_MEMBER(bool, member), NULL, help, NULL, 0, 0                                    \
    }
#define OPT_TEXT(letter, name, member, value, help)                                                                    \
    {                                                                                                                  \
        letter, name, OPTION_TEXT, OPT_MEMBER(const char *, member), value, help, NULL, 0, 0                           \
    }
#define OPT_FILE(letter, name, member, value, help)                                                                    \
    {                                                                                                                  \
        letter, name, OPTION_FILE, OPT_MEMBER(const char *, member), value, help, NULL, 0, 0                           \
    }
#define OPT_FOLDER(letter, name, member, value, help)                                                                  \
    {                                                                                                                  \
        letter, name, OPTION_FOLDER, OPT_MEMBER(const char *, member), value, help, NULL, 0, 0                         \
    }
#define OPT_CATEGORIES(letter, name, member, value, help)                                                              \
    {                                                                                                                  \
        letter, name, OPTION_CATEGORIES, OPT_MEMBER(const char *, member), value, help, NULL, 0, 0                     \
    }
#define OPT_LIST(letter, name, member, value, help)                                                                    \
    {                                                                                                                  \
        letter, name, OPTION_LIST, OPT_MEMBER(const char *, member), value, help, NULL, 0, 0                           \
    }
#define OPT_CHOICE(letter, name, member, choices, value, help)                                                         \
    {                                                                                                                  \
        letter, name, OPTION_CHOICE, OPT_MEMBER(int, member), value, help, choices, 0, 0                               \
    }
#define OPT_COUNT(letter, name, member, least, most, value, help)                                                      \
    {                                                                                                                  \
        letter, name, OPTION_COUNT, OPT_MEMBER(long long, member), value, help, NULL, least, most                      \
    }
#define OPT_REAL(letter, name, member, least, most, value, help)                                                       \
    {                                                                                                                  \
        letter, name, OPTION_REAL, OPT_MEMBER(double, member), value, help, NULL, least, most                          \
    }
#define OPT_WORDS(letter, name, member, value, help)                                                                   \
    {                                                                                                                  \
        letter, name, OPTION_WORDS, OPT_MEMBER(Words, member), value, help, NULL, 0, 0                                 \
    }

#define MAX_COUNT 1000000000000LL /* of kernels, pairs and the like: more is a slip of the finger */
#define MAX_JOBS 1024
#define MAX_SEED 9223372036854775807LL

typedef struct CommandExample {
    const char *line, *does;
} CommandExample;

/* What the operands are, for completions. */
typedef enum InputKind {
    INPUTS_NONE,
    INPUTS_FILES,    /* *.py, and folders */
    INPUTS_FOLDERS,  /* data sets */
    INPUTS_WORDS,    /* see operand_words */
    INPUTS_COMMANDS, /* names of commands */
} InputKind;

typedef struct Call Call;

typedef struct Command {
    const char *name;
    const char *summary;  /* for the list of commands: no capital, no full stop */
    const char *operands; /* the rest of the usage line; several ways to call it are separated by line ends */
    InputKind input_kind;
    const char *operand_words; /* "bash|zsh|fish": what the first operand may be */
    const char *description;   /* paragraphs, one per line */
    const Option *options;
    size_t option_count;
    const CommandExample *examples; /* up to one without a line */
    const void *defaults;           /* the struct before any option was read */
    size_t args_size;
    int (*run)(const Call *call); /* the exit code */
} Command;

/* The tables of a command, for its initializer. */
#define COMMAND_TABLES(options_, examples_, defaults_)                                                                 \
    .options = options_, .option_count = sizeof options_ / sizeof *options_, .examples = examples_,                    \
    .defaults = &defaults_, .args_size = sizeof defaults_

/* What was asked for. */
struct Call {
    const Command *command;
    const void *args; /* the command's struct */
    char **operands;
    size_t operand_count;
    bool quiet, verbose;
    const char *warp; /* the full number of the version of Warp that was asked for, or of the default */
    bool warp_given;  /* it was asked for: a data set of another version is not meant */
};

/* -h, -q, -v, --warp, --version. */
extern const Option common_options[];
extern const size_t common_option_count;

/* Reads argv (without the command's name) and runs the command, or prints its help. The exit code. */
int run_command_line(const Command *command, int argc, char **argv);

/* Prints "weft COMMAND: …" and where to read more. EXIT_USAGE, always. */
int wrong_call(const Command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first operand is none of the command's operand_words, or missing (NULL): says which they are. EXIT_USAGE, always. */
int wrong_word(const Command *command, const char *word);

/* What --categories says; NULL: the usual weights stay. False: it names one that does not exist (a message was printed). */
bool read_categories(const Command *command, const char *text, CategoryWeights *weights);

#endif
