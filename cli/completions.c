/* weft completions: scripts that let bash, zsh and fish complete weft's command lines, made from the tables of the commands. */
#include "commands.h"
#include "help.h"

#include <stdio.h>
#include <string.h>

/* ---- what all shells need ---- */

static bool has_operand_words(const Command *command)
{
    return command->input_kind == INPUTS_WORDS || command->input_kind == INPUTS_COMMANDS;
}

/* "a|b|c" as "a b c". */
static void put_choices(const char *choices)
{
    for (; choices && *choices; choices++)
        putchar(*choices == '|' ? ' ' : *choices);
}

static void put_command_names(void)
{
    for (size_t i = 0; i < command_count; i++)
        printf("%s%s", i ? " " : "", commands[i]->name);
}

static void put_operand_words(const Command *command)
{
    if (command->input_kind == INPUTS_COMMANDS)
        put_command_names();
    else
        put_choices(command->operand_words);
}

static void put_category_names(void)
{
    for (int i = 0; i < CATEGORY_COUNT; i++)
        printf("%s%s", i ? " " : "", category_name((CategoryId)i));
}

/* The options of a command, and then the common ones; NULL: no more. */
static const Option *option_at(const Command *command, size_t i)
{
    if (i < command->option_count)
        return &command->options[i];
    i -= command->option_count;
    return i < common_option_count ? &common_options[i] : NULL;
}

/* ---- bash ---- */

static const char bash_begin[] =
    "# Completion of weft's command lines for bash. Made by `weft completions bash`.\n"
    "_weft_words() { # of a list\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "_weft_list() { # the last of several, with commas between them\n"
    "    local before=\n"
    "    [[ $cur == *,* ]] && before=${cur%,*},\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
    "    compopt -o nospace\n"
    "}\n"
    "_weft_paths() { # folders, and files if a pattern is given\n"
    "    compopt -o filenames\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"; [[ $1 ]] && compgen -f -X \"!$1\" -- \"$cur\" | while IFS= "
    "read -r path; do [[ -d $path ]] || "
    "printf '%s\\n' \"$path\"; done)\n"
    "}\n"
    "_weft() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then # --option=, which bash splits\n"
    "        cur=\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n";

static void put_bash_value(const Option *option)
{
    switch (option->kind) {
    case OPTION_CHOICE:
        fputs("_weft_words \"", stdout);
        put_choices(option->choices);
        fputs("\"", stdout);
        break;
    case OPTION_CATEGORIES:
        fputs("_weft_list \"", stdout);
        put_category_names();
        fputs("\"", stdout);
        break;
    case OPTION_FILE: fputs("_weft_paths '*'", stdout); break;
    case OPTION_FOLDER: fputs("_weft_paths", stdout); break;
    default: fputs(":", stdout); /* nothing is known about it */
    }
}

static void put_bash_command(const Command *command)
{
    printf("    %s)\n        case $prev in\n", command->name);
    for (size_t i = 0; option_at(command, i); i++) {
        const Option *option = option_at(command, i);
        if (option->kind == OPTION_FLAG)
            continue;
        printf("        --%s", option->name);
        if (option->letter)
            printf(" | -%c", option->letter);
        fputs(") ", stdout);
        put_bash_value(option);
        fputs("; return ;;\n", stdout);
    }
    printf("        esac\n        if [[ $cur == -* ]]; then\n            _weft_words \"");
    for (size_t i = 0; option_at(command, i); i++) {
        const Option *option = option_at(command, i);
        printf("%s--%s", i ? " " : "", option->name);
        if (option->letter)
            printf(" -%c", option->letter);
    }
    printf("\"\n            return\n        fi\n        ");
    if (command->input_kind == INPUTS_WORDS) /* files may follow the word */
        fputs("[[ $COMP_CWORD -gt 2 ]] && _weft_paths '*' && return\n        ", stdout);
    if (has_operand_words(command)) {
        fputs("_weft_words \"", stdout);
        put_operand_words(command);
        fputs("\"", stdout);
    } else
        fputs(command->input_kind == INPUTS_FILES     ? "_weft_paths '*.py'"
              : command->input_kind == INPUTS_FOLDERS ? "_weft_paths"
                                                      : ":",
              stdout);
    fputs("\n        ;;\n", stdout);
}

static void print_bash(void)
{
    fputs(bash_begin, stdout);
    fputs("    if [[ $COMP_CWORD -eq 1 ]]; then\n        _weft_words \"", stdout);
    put_command_names();
    fputs(" --help --version\"\n        return\n    fi\n    case $command in\n", stdout);
    for (size_t i = 0; i < command_count; i++)
        put_bash_command(commands[i]);
    fputs("    esac\n}\ncomplete -F _weft weft\n", stdout);
}

/* ---- zsh ---- */

/* Within single quotes; `also` is what else has a meaning there. */
static void put_zsh_text(const char *text, const char *also)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr(also, *text) || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void put_zsh_option(const Option *option)
{
    const char *plus = option->kind == OPTION_FLAG ? "" : "+", *equals = option->kind == OPTION_FLAG ? "" : "=";
    const char *several = option->kind == OPTION_WORDS ? "*" : "";
    fputs("            ", stdout);
    if (option->letter && option->kind != OPTION_WORDS)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter, plus, option->name,
               equals);
    else
        printf("'%s--%s%s[", several, option->name, equals);
    put_zsh_text(option->help, "[]:");
    putchar(']');
    if (option->kind != OPTION_FLAG) {
        putchar(':');
        put_zsh_text(option->value_name, ":");
        putchar(':');
        switch (option->kind) {
        case OPTION_CHOICE:
            putchar('(');
            put_choices(option->choices);
            putchar(')');
            break;
        case OPTION_CATEGORIES:
            fputs("_values -s , category ", stdout);
            put_category_names();
            break;
        case OPTION_FILE: fputs("_files", stdout); break;
        case OPTION_FOLDER: fputs("_files -/", stdout); break;
        default: putchar(' ');
        }
    }
    fputs("' \\\n", stdout);
}

static void put_zsh_command(const Command *command)
{
    printf("    %s)\n        _arguments -s -S \\\n", command->name);
    for (size_t i = 0; option_at(command, i); i++)
        put_zsh_option(option_at(command, i));
    switch (command->input_kind) {
    case INPUTS_FILES: fputs("            '*:file:_files -g \"*.py(-.)\"'\n", stdout); break;
    case INPUTS_FOLDERS: fputs("            '*:folder:_files -/'\n", stdout); break;
    case INPUTS_WORDS:
    case INPUTS_COMMANDS:
        fputs("            '1:what:(", stdout);
        put_operand_words(command);
        fputs(")' '*:file:_files'\n", stdout);
        break;
    case INPUTS_NONE: fputs("            ':: :'\n", stdout); break;
    }
    fputs("        ;;\n", stdout);
}

static void print_zsh(void)
{
    fputs("#compdef weft\n# Completion of weft's command lines for zsh. Made by `weft completions zsh`.\n", stdout);
    fputs("_weft() {\n    local -a list\n    list=(\n", stdout);
    for (size_t i = 0; i < command_count; i++) {
        printf("        '%s:", commands[i]->name);
        put_zsh_text(commands[i]->summary, ":");
        fputs("'\n", stdout);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command list\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          stdout);
    for (size_t i = 0; i < command_count; i++)
        put_zsh_command(commands[i]);
    fputs("    esac\n}\nif [ \"$funcstack[1]\" = _weft ]; then\n    _weft \"$@\"\nelse\n    compdef _weft weft\nfi\n",
          stdout);
}

/* ---- fish ---- */

static void put_fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void put_fish_option(const char *command, const Option *option)
{
    printf("complete -c weft -n '__fish_seen_subcommand_from %s' -l %s", command, option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    switch (option->kind) {
    case OPTION_FLAG: break;
    case OPTION_CHOICE:
        fputs(" -x -a '", stdout);
        put_choices(option->choices);
        fputs("'", stdout);
        break;
    case OPTION_CATEGORIES:
        fputs(" -x -a '(__fish_complete_list , \"string split \\\" \\\" \\\"", stdout);
        put_category_names();
        fputs("\\\"\")'", stdout);
        break;
    case OPTION_FILE: fputs(" -r -F", stdout); break;
    case OPTION_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", stdout); break;
    default: fputs(" -x", stdout);
    }
    fputs(" -d ", stdout);
    put_fish_text(option->help);
    putchar('\n');
}

static void put_fish_command(const Command *command)
{
    printf("complete -c weft -n __fish_use_subcommand -a %s -d ", command->name);
    put_fish_text(command->summary);
    putchar('\n');
    for (size_t i = 0; option_at(command, i); i++)
        put_fish_option(command->name, option_at(command, i));
    if (command->input_kind == INPUTS_NONE)
        return;
    printf("complete -c weft -n '__fish_seen_subcommand_from %s' -a '", command->name);
    switch (command->input_kind) {
    case INPUTS_FILES: fputs("(__fish_complete_suffix .py)", stdout); break;
    case INPUTS_FOLDERS: fputs("(__fish_complete_directories)", stdout); break;
    default: put_operand_words(command);
    }
    fputs("'\n", stdout);
}

static void print_fish(void)
{
    fputs("# Completion of weft's command lines for fish. Made by `weft completions fish`.\ncomplete -c weft -f\n",
          stdout);
    for (size_t i = 0; i < command_count; i++)
        put_fish_command(commands[i]);
}

/* ---- the command ---- */

static int run(const Call *call)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; call->operand_count == 1 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(call->operands[0], shells[i].name) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    if (call->operand_count > 1)
        return wrong_call(call->command, "one shell at a time");
    return wrong_word(call->command, call->operand_count ? call->operands[0] : NULL);
}

static const CommandExample examples[] = {
    {"source <(weft completions bash)", "complete weft's command lines in this shell"},
    {"weft completions fish > ~/.config/fish/completions/weft.fish", "in every fish that is started"},
    {NULL, NULL},
};

const Command completions_command = {
    .name = "completions",
    .summary = "print a script that lets a shell complete command lines",
    .operands = "bash | zsh | fish",
    .input_kind = INPUTS_WORDS,
    .operand_words = "bash|zsh|fish",
    .description = "Prints a script for the shell. `make install` puts all three where the shells look for them.",
    .examples = examples,
    .run = run,
};
