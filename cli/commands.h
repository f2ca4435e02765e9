/* One function a command; each returns the exit code. */
#ifndef WEFT_CLI_COMMANDS_H
#define WEFT_CLI_COMMANDS_H

int command_extract(int argc, char **argv);
int command_check(int argc, char **argv);
int command_synth(int argc, char **argv);
int command_bench(int argc, char **argv);

#endif
