/* All commands; each is a file of its own. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include "progress.h"

extern const Command extract_command, check_command, synth_command, standalone_command, produce_command, merge_command,
    range_command, harvest_command, facts_command, export_command, tasks_command, score_command, judge_command,
    mutate_command, validate_command, stats_command, report_command, serve_command, gpu_command, bench_command,
    help_command, version_command, man_command, completions_command;

extern const Command *const commands[]; /* in the order in which help lists them */
extern const size_t command_count;

/* A heading of the list of commands, and the first command below it. */
typedef struct CommandGroup {
    const char *title;
    const Command *first;
} CommandGroup;
extern const CommandGroup command_groups[];
extern const size_t command_group_count;

/* NULL: there is none of that name; a message was printed. */
const Command *find_command(const char *name);

/* Samples of one scene, or of all where `name` is NULL, compiled and checked (synth_check.c). The exit code. */
int check_scenes(const char *warp, const char *name, uint64_t seed, uint32_t count);

/* Which candidates `weft synth --duplicates` invents; the scene is -1 for all scenes of the categories. */
typedef struct DuplicateSearch {
    uint64_t seed, start, count;
    long long scene;
    const CategoryWeights *weights;
} DuplicateSearch;
/* Prints how many candidates of each scene have the structure of an earlier one (synth_duplicates.c). The exit code. */
int count_duplicates(const Call *call, const DuplicateSearch *search);

/* Which invented kernels are measured, and how the figures are printed. */
typedef struct BenchRun {
    const char *warp;
    long long start, count, seed;
    CategoryWeights weights;
    bool show, json;
    Progress *progress;
} BenchRun;
/* All kernels of the files that the call names, so many times in turn. */
int bench_extract(const Call *call, long long rounds, bool as_json);
int bench_scaling(const BenchRun *run);
int bench_standalone(const BenchRun *run);
int bench_verify(const BenchRun *run);

#endif
