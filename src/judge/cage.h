/* A control group with a limit on memory around all processes of a sandbox, and what they write to folders in memory: where the system
 * has such groups, of either version, and lets weft make them. */
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
