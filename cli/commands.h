/* All commands; each is a file of its own. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include "args.h"

extern const Command extract_command, check_command, synth_command, standalone_command, produce_command, merge_command,
    validate_command, stats_command, gpu_command, bench_command, help_command, version_command;

extern const Command *const commands[]; /* in the order in which help lists them */
extern const size_t command_count;

/* NULL: there is none of that name; a message was printed. */
const Command *find_command(const char *name);

int bench_standalone(long long count, long long seed, bool as_json);
int bench_verify(long long count, long long seed, const CategoryWeights *weights, bool show, bool as_json);

#endif
