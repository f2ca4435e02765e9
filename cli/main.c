/* weft: the command line. Each command is a file of its own; this one finds it. */
#include "args.h"
#include "base/suggest.h"
#include "commands.h"
#include "files.h"
#include "help.h"
#include "judge/cage.h"
#include "judge/inside.h"
#include "old_names.h"
#include "terminal.h"

#include <errno.h>
#include <malloc.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

const Command *const commands[] = {
    &extract_command, &check_command, &standalone_command, &facts_command,    &produce_command, &synth_command,
    &harvest_command, &merge_command, &export_command,     &validate_command, &stats_command,   &report_command,
    &serve_command,   &tasks_command, &score_command,      &judge_command,    &mutate_command,  &range_command,
    &gpu_command,     &bench_command, &help_command,       &version_command,  &man_command,     &completions_command,
};
const size_t command_count = sizeof commands / sizeof *commands;

const CommandGroup command_groups[] = {
    {"Kernels:", &extract_command}, {"Data:", &produce_command},  {"Evaluation:", &tasks_command},
    {"Cluster:", &range_command},   {"Developer:", &gpu_command},
};
const size_t command_group_count = sizeof command_groups / sizeof *command_groups;

const Command *find_command(const char *name)
{
    Suggestion near = suggestion_for(name, strlen(name));
    char buffer[100];
    const char *operand, *present = old_command(name, &operand);
    if (present)
        name = present;
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        suggestion_offer(&near, commands[i]->name, strlen(commands[i]->name));
    }
    suggestion_synonym(&near);
    tell(stderr, "weft: unknown command '%s'%s; `weft help` lists them\n", name,
         suggestion_text(&near, "", buffer, sizeof buffer));
    return NULL;
}

/* Runs an old name of a command: the operand that it stands for comes before those that were given. */
static int run_old_command(int argc, char **argv)
{
    const char *operand, *name = old_command(argv[1], &operand);
    char **args = calloc((size_t)argc, sizeof *args);
    char *word = strdup(operand);
    int code = EXIT_FOUND;
    if (args && word) {
        note_old_command(argv[1]);
        args[0] = word;
        memcpy(args + 1, argv + 2, (size_t)(argc - 2) * sizeof *args);
        code = run_command_line(find_command(name), argc - 1, args);
    } else
        tell(stderr, "weft: out of memory\n");
    free(word);
    free(args);
    return code;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_commands(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        print_commands(stdout);
        return EXIT_DONE;
    }
    const char *operand;
    if (old_command(argv[1], &operand))
        return run_old_command(argc, argv);
    const Command *command = find_command(argv[1]);
    return command ? run_command_line(command, argc - 2, argv + 2) : EXIT_USAGE;
}

/* The one place where standard output ends: what could not be written is an error, whichever command wrote it. */
static bool close_stdout(void)
{
    bool failed_before = ferror(stdout), pending = __fpending(stdout) > 0;
    errno = 0;
    if (failed_before && !pending) { /* the output is broken already: a try of one more byte tells why */
        clearerr(stdout);
        putchar('\n');
    }
    if (fclose(stdout) == 0 && !failed_before)
        return true;
    if (errno == EBADF && !failed_before && !pending)
        return true; /* it was closed from the beginning, and nothing was written to it */
    tell(stderr, "weft: cannot write to standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    return false;
}

int main(int argc, char **argv)
{
    arena_last_resort(end_without_memory);
    if (argc == 2 && strcmp(argv[1], INSIDE_WORD) == 0) /* weft score calls itself so, in a sandbox */
        return judge_inside();
    if (argc > 2 && strcmp(argv[1], CAGE_WORD) == 0)
        return cage_enter(argc, argv);
    if (argc == 2 && strcmp(argv[1], INSIDE_COMPILER_WORD) == 0)
        return judge_inside_compiler();
    if (argc == 2 && strcmp(argv[1], INSIDE_CARD_WORD) == 0)
        return judge_inside_card();
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* large blocks go back at once, whichever thread had them */
    int code = run(argc, argv);
    return close_stdout() ? code : code == EXIT_DONE ? EXIT_FOUND : code;
}
