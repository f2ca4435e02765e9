/* weft validate: does a data set hold? */
#include "args.h"
#include "commands.h"

#include "corpus/corpus.h"

#include <stdio.h>
#include <stdlib.h>

static void print_report(const char *dir, const ValidateReport *report)
{
    if (report->messages.len)
        fwrite(report->messages.data, 1, report->messages.len, stderr);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (report->by_category[i])
            printf("%-18s %9llu records %7llu wrong\n", category_name((CategoryId)i),
                   (unsigned long long)report->by_category[i], (unsigned long long)report->bad_by_category[i]);
    printf("%s: %llu records, all compiled again%s, %llu verdicts found out again: %llu wrong, %llu problems\n", dir,
           (unsigned long long)report->records, report->origin_checked ? " and invented again" : "",
           (unsigned long long)report->verdicts, (unsigned long long)report->bad_records,
           (unsigned long long)report->problems);
}

int command_validate(int argc, char **argv)
{
    const char *input = NULL, *sample = NULL;
    long long jobs = 0, messages = 20;
    bool compile = false;
    const Option options[] = {
        {'i', "input", OPTION_TEXT, &input, "DIR", "the folder of the data set"},
        {'j', "jobs", OPTION_COUNT, &jobs, "JOBS", "threads (default: all cores)"},
        {0, "sample", OPTION_TEXT, &sample, "P", "find out the verdicts of P percent again (default 100; 0: none)"},
        {0, "messages", OPTION_COUNT, &messages, "N", "print at most so many problems (default 20)"},
        {0, "compile", OPTION_FLAG, &compile, NULL, "also compile the texts with a compiler (not yet there)"},
    };
    const Command command = {
        "validate", "-i DIR [options]",
        "Checks every record of a data set: its fields, its text compiled again, its verdict, its place; and the\n"
        "manifest against all of them. Exit code 0 only if everything holds.",
        options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    bool fine = read_args(&command, argc, argv, &count, &code);
    if (fine && count == 1 && !input) {
        input = argv[0];
        count = 0;
    }
    if (!fine)
        return code;
    char *end = NULL;
    double percent = sample ? strtod(sample, &end) : 100;
    if (!input || count || jobs > 1024 || (sample && (end == sample || *end || !(percent >= 0 && percent <= 100)))) {
        fprintf(stderr, "weft validate: %s (see weft validate --help)\n",
                !input || count ? "one folder is needed"
                : jobs > 1024   ? "--jobs must be at most 1024"
                                : "--sample takes a percentage, 0 to 100");
        return EXIT_USAGE;
    }
    if (compile) {
        fprintf(stderr, "weft validate: --compile is not there yet\n");
        return EXIT_USAGE;
    }
    ValidateOptions chosen = {
        .jobs = (unsigned)jobs, .sample = percent, .max_messages = messages > 1000000 ? 1000000 : (uint32_t)messages};
    ValidateReport report;
    CorpusError error = {""};
    if (!corpus_validate(input, &chosen, &report, &error)) {
        fprintf(stderr, "weft validate: %s\n", error.message);
        validate_report_free(&report);
        return EXIT_FOUND;
    }
    print_report(input, &report);
    code = report.problems || report.bad_records ? EXIT_FOUND : EXIT_DONE;
    validate_report_free(&report);
    return code;
}
