/* weft: the command line. Each command is a file of its own; this one finds it. */
#include "args.h"
#include "commands.h"
#include "weft.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"extract", "print the CUDA or C++ that Warp generates for the kernels of a file", command_extract},
    {"check", "run kernels and tell whether Warp's gradient of them is right", command_check},
    {"synth", "invent kernels", command_synth},
    {"standalone", "kernels as CUDA programs of their own", command_standalone},
    {"produce", "make a data set: invent, compile, check, write down", command_produce},
    {"merge", "join the pieces of a data set", command_merge},
    {"validate", "check a data set, every record of it", command_validate},
    {"stats", "count what is in a data set", command_stats},
    {"gpu", "compile and run kernels on a GPU, compare with the CPU, measure", command_gpu},
    {"bench", "measure", command_bench},
};

static void print_usage(FILE *out)
{
    fprintf(out, "weft %s: kernels in Warp's Python language, compiled without Python\n\n", weft_version());
    fprintf(out, "usage: weft COMMAND [arguments]\n\ncommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(
        out,
        "\nweft COMMAND --help tells more. Exit codes: 0 done, 1 something was found wrong, 2 the call was wrong.\n");
}

int main(int argc, char **argv)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* large blocks go back at once, whichever thread had them */
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("weft %s (Warp %s)\n", weft_version(), weft_warp_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 2, argv + 2);
    fprintf(stderr, "weft: unknown command '%s' (see weft --help)\n", argv[1]);
    return EXIT_USAGE;
}
