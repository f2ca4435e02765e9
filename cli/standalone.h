/* Verifying a folder of standalone programs. */
#ifndef WEFT_CLI_STANDALONE_H
#define WEFT_CLI_STANDALONE_H

#include "args.h"

/* Builds and runs every program in a folder; the exit code. */
int standalone_verify(const Call *call, const char *folder, int jobs);

#endif
