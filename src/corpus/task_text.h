/* The words of a task: what is asked for, with everything that a right answer follows from and nothing of the answer. */
#ifndef WEFT_CORPUS_TASK_TEXT_H
#define WEFT_CORPUS_TASK_TEXT_H

#include "base/json.h"
#include "base/text.h"
#include "corpus/kinds.h"
#include "corpus/task_contract.h"

/* The material of a prompt. */
typedef struct TaskSource {
    const json_t *record;
    const char *forward_only; /* the readable text without its backward kernel; NULL: not asked for, or there is none */
    const char *given;        /* a text that may have a mistake in it, for tasks about that; NULL */
} TaskSource;

#define TASK_MEMBERS                                                                                                   \
    "row", "id", "category", "difficulty", "kernel_name", "mangled_name", "description", "python_source",              \
        "launch_dim", "arguments", "block_dim", "cuda_helpers", "cuda_forward", "cuda_backward", "gradient_verdict",   \
        "cuda_readable", "readable_backward", "warp_version", "launches"

/* Does the record serve for the kind? */
bool task_serves(TaskKind kind, const json_t *record);
/* And can an answer be judged? It needs launches to run on. */
bool task_can_be_judged(TaskKind kind, const json_t *record);
/* Does the answer follow from the prompt? Otherwise it is no task. */
Undetermined task_is_undetermined(TaskKind kind, const json_t *record);
/* Appends the prompt. False: it does not serve, after all. */
bool task_prompt(TaskKind kind, const TaskSource *source, Text *out);

#endif
