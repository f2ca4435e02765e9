/* Attacks: answers that try to pass without being right, or to do harm. They stand in attacks.txt, as code around a right answer; nothing of it is run
 * but by the judge, as an answer. */
#ifndef WEFT_JUDGE_ATTACK_H
#define WEFT_JUDGE_ATTACK_H

#include "base/json.h"
#include "corpus/kinds.h"

typedef enum AttackPart {
    PART_BEFORE,      /* stands before the right answer */
    PART_CONSTRUCTOR, /* runs before main() */
    PART_KERNEL,      /* the kernel's body, instead of the right one */
    PART_LAST,        /* at the end of the right body */
    PART_BY_HEART,    /* the body has the results of known launches */
    ATTACK_PARTS
} AttackPart;

typedef struct Attack {
    const char *name;
    bool on_card; /* otherwise: it runs as C++ */
    bool always;  /* part of the short test, too */
    bool has[ATTACK_PARTS];
    Span parts[ATTACK_PARTS];
} Attack;

typedef struct AttackList {
    Attack *items;
    uint32_t count, cap;
} AttackList;

void attacks_read(Arena *arena, AttackList *list);

/* The attack on a task about the record, as an answer in plain CUDA. */
void attack_write(const Attack *attack, const json_t *record, const char *canary, Text *out);

/* Can all attacks be made of this record? Its launches have one dimension, and plain floats go in and come out. */
bool attack_fits(const json_t *record);

/* The answer with a search before it: once its process has these bytes in memory before any kernel runs, it ends with exit code 77. */
void attack_search(const json_t *record, const void *bytes, size_t size, Text *out);

#endif
