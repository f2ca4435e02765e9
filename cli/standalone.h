/* Verifying a folder of standalone programs. */
#ifndef WEFT_CLI_STANDALONE_H
#define WEFT_CLI_STANDALONE_H

/* Builds and runs every program in a folder; the exit code. */
int standalone_verify(const char *folder, int jobs);

#endif
