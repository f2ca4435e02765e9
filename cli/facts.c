/* weft facts: the public constants and enums of an installed package, as a Python that imports it sees them. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "terminal.h"

#include "base/process.h"
#include "facts_py.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct FactsArgs {
    const char *output, *python;
} FactsArgs;

/* The files that Python writes, and prints to. */
typedef struct Asked {
    char folder[64], json[80], log[80];
} Asked;

static bool open_asked(Asked *asked)
{
    snprintf(asked->folder, sizeof asked->folder, "/tmp/weft-facts-XXXXXX");
    if (!mkdtemp(asked->folder)) {
        tell(stderr, "weft: cannot make a folder in /tmp\n");
        return false;
    }
    snprintf(asked->json, sizeof asked->json, "%s/facts.json", asked->folder);
    snprintf(asked->log, sizeof asked->log, "%s/log", asked->folder);
    return true;
}

static void close_asked(const Asked *asked)
{
    unlink(asked->json);
    unlink(asked->log);
    rmdir(asked->folder);
}

/* The last line of what Python printed says what went wrong. */
static void tell_failure(const char *package, const char *log)
{
    size_t length;
    char *text = read_regular(log, 0, &length);
    while (text && length && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *last = text ? strrchr(text, '\n') : NULL;
    tell(stderr, "weft: Python cannot import '%s': %s\n", package,
         last            ? last + 1
         : text && *text ? text
                         : "it ended without a message");
    free(text);
}

static int write_facts(const char *json, const char *path)
{
    size_t length;
    Output output;
    char *text = read_regular(json, 0, &length);
    if (!text) {
        tell(stderr, "weft: cannot read what Python wrote\n");
        return EXIT_FOUND;
    }
    bool done = open_output(&output, path);
    if (done) {
        fwrite(text, 1, length, output.file);
        done = close_output(&output);
    }
    free(text);
    return done ? EXIT_DONE : EXIT_FOUND;
}

static int run(const Call *call)
{
    const FactsArgs *args = call->args;
    Asked asked;
    if (call->operand_count != 1)
        return wrong_call(call->command, "one package is needed");
    char *script = strndup((const char *)facts_py, facts_py_size);
    if (!script)
        end_without_memory();
    if (!open_asked(&asked)) {
        free(script);
        return EXIT_FOUND;
    }
    const char *package = call->operands[0];
    const char *const command[] = {args->python, "-c", script, package, asked.json, NULL};
    int code = process_run(command, asked.log);
    free(script);
    if (code == 0)
        code = write_facts(asked.json, args->output);
    else {
        tell_failure(package, asked.log);
        code = EXIT_FOUND;
    }
    close_asked(&asked);
    return code;
}

static const FactsArgs defaults = {.python = "python3"};

#define ARGS FactsArgs
static const Option options[] = {
    OPT_FILE('o', "output", output, "FILE", "write to a file instead of standard output"),
    OPT_TEXT(0, "python", python, "PYTHON", "the Python that has the package (default: python3)"),
};

static const CommandExample examples[] = {
    {"weft facts mujoco -o facts.json", "what the installed mujoco has"},
    {"weft extract src --facts facts.json", "files that import it"},
    {NULL, NULL},
};

const Command facts_command = {
    .name = "facts",
    .summary = "list constants and enums of an installed package, for --facts",
    .operands = "PACKAGE [-o FILE] [--python PYTHON]",
    .input_kind = INPUTS_WORDS,
    .description =
        "Kernels may use constants and enums of a package whose source weft does not read, such as one that is "
        "compiled. Python imports the package in a process of its own, so run this only on what you trust. "
        "One JSON file comes out, which `weft extract`, `check`, `standalone` and `harvest` take with --facts.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
