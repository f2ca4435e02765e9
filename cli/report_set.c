/* weft report: a data set as a page to look at. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "report/overview.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct ReportArgs {
    const char *output;
    long long samples;
} ReportArgs;

static void show_progress(uint64_t records, uint64_t of, void *user)
{
    progress_tell(user, "records", records, of, "");
}

static bool write_page(const char *set, uint64_t samples, FILE *file, const atomic_int *stop, Progress *progress,
                       CorpusError *error)
{
    Overview overview;
    Text page = {0};
    bool done = overview_read(&overview, set, stop, show_progress, progress, error);
    Places *places = done ? places_open(&overview, error) : NULL;
    done = places && report_page(&overview, places, samples, &page, error);
    if (done)
        put_text(&page, file);
    text_free(&page);
    places_close(places);
    overview_free(&overview);
    return done;
}

static int run(const Call *call)
{
    const ReportArgs *args = call->args;
    Output output;
    Progress progress;
    CorpusError error = {""};
    if (call->operand_count != 1)
        return wrong_call(call->command, "one folder is needed: the data set");
    if (!args->output)
        return wrong_call(call->command, "-o FILE is needed: the page to write");
    if (!open_output(&output, args->output))
        return EXIT_FOUND;
    progress_begin(&progress, call);
    progress_beside(&progress, output.file);
    const atomic_int *stop = catch_interrupts("report", "interrupted, ending (again: leave at once)");
    bool done = write_page(call->operands[0], (uint64_t)args->samples, output.file, stop, &progress, &error);
    progress_end(&progress, NULL);
    return settle_output(&output, call->command->name, done, error.message);
}

static const ReportArgs defaults = {.samples = 200};

#define ARGS ReportArgs
static const Option options[] = {
    OPT_FILE('o', "output", output, "FILE", "the page, one HTML file that needs nothing else"),
    OPT_COUNT('n', "samples", samples, 1, 10000, "N", "so many records are in it, evenly chosen (default 200)"),
};

static const CommandExample examples[] = {
    {"weft report data/set -o report.html", "figures of the whole set, and 200 of its records side by side"},
    {NULL, NULL},
};

const Command report_command = {
    .name = "report",
    .summary = "write a page with the figures of a data set and some of its records",
    .operands = "SET -o FILE [-n N]",
    .input_kind = INPUTS_FOLDERS,
    .description = "Writes one HTML file: what is in the set by category and verdict, sizes against those of real "
                   "kernels, what was rejected, and "
                   "a browser of samples with source and generated text side by side. weft serve shows all records.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
