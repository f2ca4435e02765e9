/* A control group that limits the memory of all processes of a sandbox, including files in memory. It needs a system
 * that has such groups, of either version, and lets weft make them. */
#ifndef WEFT_JUDGE_CAGE_H
#define WEFT_JUDGE_CAGE_H

#include <stddef.h>
#include <sys/types.h>

/* The word by which weft is called to enter a group and become what follows: WORD BASE BYTES PROGRAM ARG... */
#define CAGE_WORD "inside-cage"

/* Where groups can be made; "": nowhere. */
void cage_find(char *base, size_t size);
/* Returns only if it fails. */
int cage_enter(int argc, char **argv);
/* Removes the group of a process that has ended. */
void cage_remove(const char *base, pid_t process);

#endif
