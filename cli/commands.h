/* All commands; each is a file of its own. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include "progress.h"

extern const Command extract_command, check_command, synth_command, standalone_command, produce_command, merge_command,
    export_command, validate_command, stats_command, gpu_command, bench_command, help_command, version_command,
    man_command, completions_command;

extern const Command *const commands[]; /* in the order in which help lists them */
extern const size_t command_count;

/* NULL: there is none of that name; a message was printed. */
const Command *find_command(const char *name);

/* Samples of one scene, or of all where `name` is NULL, compiled and checked (synth_check.c). The exit code. */
int check_scenes(const char *warp, const char *name, uint64_t seed, uint32_t count);
int bench_standalone(const char *warp, long long count, long long seed, bool as_json, Progress *progress);
int bench_verify(const char *warp, long long first, long long count, long long seed, const CategoryWeights *weights,
                 bool show, bool as_json, Progress *progress);

#endif
