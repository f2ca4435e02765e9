/* In front of every file of a build with mutants: is mutant n switched on? Notes that its place was reached. */
#ifndef WEFT_MUTATION_H
#define WEFT_MUTATION_H
extern int weft_mutant;
extern volatile unsigned char *weft_reached;
#define WEFT_AT(n) (weft_reached[n] = 1, weft_mutant == (n))
#endif
