#include "help.h"
#include "commands.h"
#include "terminal.h"
#include "weft.h"

#include <string.h>

enum { NARROW = 70, OPTION_COLUMN = 28, COMMAND_COLUMN = 14 };

static unsigned help_width(FILE *out)
{
    unsigned width = terminal_width(out);
    return !width ? PLAIN_WIDTH : width < WIDEST ? width : WIDEST;
}

/* "-o, --output FILE"; without a letter there is room for one. */
static void option_spelling(const Option *option, char *buffer, size_t size)
{
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(buffer, size, "%s--%s%s%s", letter, option->name, option->value_name ? " " : "",
             option->value_name ? option->value_name : "");
}

static void print_heading(FILE *out, const char *heading)
{
    fprintf(out, "\n%s%s%s\n", style_begin(out, STYLE_BOLD), heading, style_end(out, STYLE_BOLD));
}

/* A name and what it is, side by side; on a narrow terminal, or beside a long name, one below the other. */
static void print_entry(FILE *out, const char *name, const char *text, unsigned column)
{
    unsigned width = help_width(out), used = 2 + (unsigned)strlen(name);
    if (width < NARROW)
        name += strspn(name, " "); /* no room for a letter that it has not */
    fprintf(out, "  %s%s%s", style_begin(out, STYLE_NOTE), name, style_end(out, STYLE_NOTE));
    if (width < NARROW) {
        fprintf(out, "\n      ");
        put_paragraph(out, text, strlen(text), width, 6, 6);
        return;
    }
    if (used + 2 > column) {
        fputc('\n', out);
        used = 0;
    }
    fprintf(out, "%*s", (int)(column - used), "");
    put_paragraph(out, text, strlen(text), width, column, column);
}

static void print_options(const Option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[80];
        option_spelling(&options[i], name, sizeof name);
        print_entry(stdout, name, options[i].help, OPTION_COLUMN);
    }
}

/* Every line of a text as a paragraph. */
static void print_lines(const char *text, const char *first, const char *others, unsigned indent)
{
    for (const char *before = first; *text; before = others) {
        size_t length = strcspn(text, "\n");
        fputs(before, stdout);
        put_paragraph(stdout, text, length, help_width(stdout), (unsigned)strlen(before), indent);
        text += length + (text[length] == '\n');
    }
}

void print_help(const Command *command)
{
    char before[40];
    snprintf(before, sizeof before, "usage: weft %s ", command->name);
    char after[40];
    snprintf(after, sizeof after, "       weft %s ", command->name);
    if (*command->operands)
        print_lines(command->operands, before, after, 11);
    else
        printf("%.*s\n", (int)strlen(before) - 1, before);
    putchar('\n');
    print_lines(command->description, "", "", 0);
    if (command->option_count)
        print_heading(stdout, "Options:");
    print_options(command->options, command->option_count);
    print_heading(stdout, "For every command:");
    print_options(common_options, common_option_count);
    if (command->examples)
        print_heading(stdout, "Examples:");
    for (const CommandExample *example = command->examples; example && example->line; example++) {
        fputs("  ", stdout);
        put_paragraph(stdout, example->line, strlen(example->line), help_width(stdout), 2, 4);
        fputs("      ", stdout);
        put_paragraph(stdout, example->does, strlen(example->does), help_width(stdout), 6, 6);
    }
}

void print_commands(FILE *out)
{
    char line[400];
    snprintf(line, sizeof line, "weft %s: kernels in Warp's Python language, compiled without Python", weft_version());
    put_paragraph(out, line, strlen(line), help_width(out), 0, 2);
    fputs("\nusage: weft COMMAND [arguments]\n", out);
    for (size_t i = 0; i < command_count; i++) {
        for (size_t k = 0; k < command_group_count; k++)
            if (command_groups[k].first == commands[i])
                print_heading(out, command_groups[k].title);
        print_entry(out, commands[i]->name, commands[i]->summary, COMMAND_COLUMN);
    }
    static const char *const more =
        "`weft help COMMAND` says more. Exit codes: 0 done; 1 problems found or I/O error; 2 usage error.";
    fputc('\n', out);
    put_paragraph(out, more, strlen(more), help_width(out), 0, 0);
}

void print_version(void)
{
    printf("weft %s (Warp %s)\n", weft_version(), weft_find_warp(NULL));
}

/* ---- weft help, weft version ---- */

static int run_help(const Call *call)
{
    if (call->operand_count > 1)
        return wrong_call(call->command, "one command at a time");
    if (!call->operand_count) {
        print_commands(stdout);
        return EXIT_DONE;
    }
    const Command *command = find_command(call->operands[0]);
    if (!command)
        return EXIT_USAGE;
    print_help(command);
    return EXIT_DONE;
}

const Command help_command = {
    .name = "help",
    .summary = "explain a command",
    .operands = "[COMMAND]",
    .input_kind = INPUTS_COMMANDS,
    .description = "Prints what a command does and which options it has; without a command, lists all of them.",
    .run = run_help,
};

static int run_version(const Call *call)
{
    if (call->operand_count)
        return wrong_call(call->command, "no arguments are taken");
    print_version();
    return EXIT_DONE;
}

const Command version_command = {
    .name = "version",
    .summary = "print the version of weft and of the Warp whose text it writes",
    .operands = "",
    .description = "Prints the version of weft, and the version of Warp whose generated text it writes.",
    .run = run_version,
};
