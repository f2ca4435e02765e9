/* One function a command; each returns the exit code. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

#include <stdbool.h>

int command_extract(int argc, char **argv);
int command_check(int argc, char **argv);
int command_synth(int argc, char **argv);
int command_standalone(int argc, char **argv);
int command_produce(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_gpu(int argc, char **argv);
int command_bench(int argc, char **argv);
int bench_standalone(long long count, long long seed, bool as_json);
int bench_verify(long long count, long long seed, const char *categories, bool show, bool as_json);

#endif
