/* weft man: the manual pages, made from the tables of the commands. */
#include "commands.h"
#include "files.h"
#include "help.h"
#include "terminal.h"
#include "weft.h"

#include <string.h>

/* ---- roff ---- */

/* Text of a line: what roff would take for a request or an escape is protected, `quoted` words are bold. */
static void put_roff(FILE *out, const char *text, size_t length)
{
    bool bold = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (i == 0 && (c == '.' || c == '\''))
            fputs("\\&", out);
        switch (c) {
        case '\\': fputs("\\e", out); break;
        case '-': fputs("\\-", out); break;
        case '~': fputs("\\(ti", out); break;
        case '^': fputs("\\(ha", out); break;
        case '\'': fputs("\\(aq", out); break;
        case '`':
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", out);
            break;
        default: fputc(c, out);
        }
    }
    fputc('\n', out);
}

static void put_line(FILE *out, const char *text)
{
    put_roff(out, text, strlen(text));
}

static void put_title(FILE *out, const char *name, const char *summary)
{
    char upper[40];
    size_t length = strlen(name);
    for (size_t i = 0; i <= length && i < sizeof upper; i++)
        upper[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    fprintf(out, ".\\\" Made by `weft man`: the tables of the commands are its source.\n");
    fprintf(out, ".TH %s 1 %s \"weft %s\" \"weft manual\"\n.SH NAME\n", upper, WEFT_DATE, weft_version());
    fprintf(out, "%s \\- %s\n", name, summary);
}

static void put_paragraphs(FILE *out, const char *text)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, "\n");
        if (!first)
            fputs(".PP\n", out);
        put_roff(out, text, length);
        text += length + (text[length] == '\n');
    }
}

static void put_options(FILE *out, const Option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Option *option = &options[i];
        fputs(".TP\n", out);
        if (option->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
        fputs("\\fB\\-\\-", out);
        for (const char *c = option->name; *c; c++)
            fputs(*c == '-' ? "\\-" : (char[]){*c, '\0'}, out);
        fputs("\\fR", out);
        if (option->value_name)
            fprintf(out, " \\fI%s\\fR", option->value_name);
        fputc('\n', out);
        put_line(out, option->help);
    }
}

static void put_examples(FILE *out, const CommandExample *examples)
{
    if (examples)
        fputs(".SH EXAMPLES\n", out);
    for (; examples && examples->line; examples++) {
        fputs(".TP\n.B ", out);
        put_line(out, examples->line);
        put_line(out, examples->does);
    }
}

static void put_exit_status(FILE *out)
{
    static const char *const rows[][2] = {
        {"0", "Done."},
        {"1",
         "The work found something wrong: a refused kernel, a wrong gradient, a record that does not hold, a file that "
         "cannot be read or written."},
        {"2", "The command line was wrong; nothing was done."},
        {"130, 143", "Ended by Ctrl-C or by SIGTERM."},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(out, ".TP\n.B %s\n", rows[i][0]);
        put_line(out, rows[i][1]);
    }
}

/* ---- pages ---- */

static void put_command_page(FILE *out, const Command *command)
{
    char name[40];
    snprintf(name, sizeof name, "weft-%s", command->name);
    put_title(out, name, command->summary);
    fputs(".SH SYNOPSIS\n", out);
    for (const char *line = command->operands;; line += strcspn(line, "\n") + 1) {
        fprintf(out, ".B weft %s\n", command->name);
        size_t length = strcspn(line, "\n");
        if (length)
            put_roff(out, line, length);
        if (!line[length])
            break;
        fputs(".br\n", out);
    }
    fputs(".SH DESCRIPTION\n", out);
    put_paragraphs(out, command->description);
    fputs(".SH OPTIONS\n", out);
    put_options(out, command->options, command->option_count);
    put_options(out, common_options, common_option_count);
    put_exit_status(out);
    put_examples(out, command->examples);
    fputs(".SH SEE ALSO\n.BR weft (1)\n", out);
}

static void put_main_page(FILE *out)
{
    put_title(out, "weft", "kernels in Warp's Python language, compiled without Python");
    fputs(".SH SYNOPSIS\n.B weft\n.I COMMAND\n[arguments]\n.SH DESCRIPTION\n", out);
    put_paragraphs(out,
                   "weft reads Python files as text and writes exactly the CUDA and C++ that NVIDIA Warp generates for "
                   "their kernels, forward and backward. It invents kernels, checks gradients by running them, makes "
                   "data sets, and translates kernels to readable CUDA programs.\n"
                   "Where a command takes files, it takes folders, too: all *.py files in them and below them, sorted "
                   "by name.");
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, ".TP\n.BR weft\\-%s (1)\n", commands[i]->name);
        put_line(out, commands[i]->summary);
    }
    fputs(".SH OPTIONS\nEvery command takes these.\n", out);
    put_options(out, common_options, common_option_count);
    put_exit_status(out);
    fputs(".SH ENVIRONMENT\n", out);
    static const char *const variables[][2] = {
        {"NO_COLOR", "Set: no colours, also on a terminal. A TERM of dumb has the same effect, and shows no progress."},
        {"COLUMNS", "The width of a terminal that does not report it."},
        {"XDG_CACHE_HOME", "Compiled modules are kept in weft/ below it (otherwise below ~/.cache)."},
        {"TMPDIR", "Where modules are compiled (otherwise /tmp)."},
        {"NVCC", "The compiler that builds standalone programs for a GPU."},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        fprintf(out, ".TP\n.B %s\n", variables[i][0]);
        put_line(out, variables[i][1]);
    }
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 0; i < command_count; i++)
        fprintf(out, ".BR weft\\-%s (1)%s\n", commands[i]->name, i + 1 < command_count ? "," : "");
}

/* ---- the command ---- */

typedef struct ManArgs {
    const char *all;
} ManArgs;

static bool write_page(const char *folder, const Command *command)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/weft%s%s.1", folder, command ? "-" : "", command ? command->name : "");
    Output output;
    if (!open_output(&output, path))
        return false;
    if (command)
        put_command_page(output.file, command);
    else
        put_main_page(output.file);
    return close_output(&output);
}

static int run(const Call *call)
{
    const ManArgs *args = call->args;
    if (call->operand_count > (args->all ? 0 : 1))
        return wrong_call(call->command, args->all ? "--all takes no command" : "one command at a time");
    if (args->all) {
        bool fine = make_folder(args->all) && write_page(args->all, NULL);
        for (size_t i = 0; fine && i < command_count; i++)
            fine = write_page(args->all, commands[i]);
        return fine ? EXIT_DONE : EXIT_FOUND;
    }
    const Command *command = call->operand_count ? find_command(call->operands[0]) : NULL;
    if (call->operand_count && !command)
        return EXIT_USAGE;
    if (command)
        put_command_page(stdout, command);
    else
        put_main_page(stdout);
    return EXIT_DONE;
}

static const ManArgs defaults;

#define ARGS ManArgs
static const Option options[] = {
    OPT_FOLDER(0, "all", all, "DIR", "write all pages to this folder, as weft.1, weft-extract.1, ..."),
};

static const CommandExample examples[] = {
    {"weft man extract | man -l -", "read the manual page of a command"},
    {NULL, NULL},
};

const Command man_command = {
    .name = "man",
    .summary = "print manual pages",
    .operands = "[COMMAND]\n--all DIR",
    .input_kind = INPUTS_COMMANDS,
    .description =
        "Prints the manual page of a command, or of weft itself, for man(1). `make install` installs all of them.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
