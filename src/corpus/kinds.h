/* Kinds of tasks: one table for `weft tasks`, `weft score` and `weft export`. */
#ifndef WEFT_CORPUS_KINDS_H
#define WEFT_CORPUS_KINDS_H

#include <stddef.h>

typedef enum AnswerForm { FORM_CUDA, FORM_WARP, FORM_PYTHON, FORM_VERDICT, FORM_COUNT } AnswerForm;
const char *form_name(AnswerForm form);

typedef enum TaskKind {
#define KIND(id, name, form, uses, about) KIND_##id,
#include "corpus/kinds.def"
#undef KIND
    KIND_COUNT
} TaskKind;

typedef enum TaskUse { FOR_SCORE = 1, FOR_EXPORT = 2, FOR_ALL_USES = FOR_SCORE | FOR_EXPORT } TaskUse;

typedef struct TaskKindInfo {
    const char *name, *about;
    AnswerForm form;
    TaskUse uses;
} TaskKindInfo;

extern const TaskKindInfo task_kinds[KIND_COUNT];
int task_kind_named(const char *name, TaskUse use); /* KIND_COUNT: there is none for that */

typedef struct Span {
    const char *text;
    size_t len;
} Span;

#endif
