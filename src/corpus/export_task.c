/* Exercises made of records: the prompts of tasks, with their answers. */
#include "corpus/export.h"

static void take_answer(Exercise *exercise, const char *language, const char *first, const char *second)
{
    text_str(&exercise->bare, first);
    if (*first && *second && first[strlen(first) - 1] != '\n')
        text_char(&exercise->bare, '\n');
    text_str(&exercise->bare, second);
    text_fenced(&exercise->answer, language, exercise->bare.data, exercise->bare.len);
}

/* The answer that the record holds; false: it holds none. */
static bool answer(Exercise *exercise, TaskKind kind, const json_t *record)
{
    const char *readable = json_member_string(record, "cuda_readable");
    bool backward = json_is_true(json_object_get(record, "readable_backward"));
    bool is_wrong = strcmp(json_member_string(record, "gradient_verdict"), "mismatch") == 0;
    switch (kind) {
    case KIND_WARP:
        take_answer(exercise, "cuda", json_member_string(record, "cuda_helpers"),
                    json_member_string(record, "cuda_forward"));
        return true;
    case KIND_WARP_BACKWARD:
        take_answer(exercise, "cuda", json_member_string(record, "cuda_backward"), "");
        return true;
    case KIND_READABLE: /* a text with a backward kernel answers more than is asked */
        take_answer(exercise, "cuda", readable, "");
        return !backward;
    case KIND_GRADIENT: take_answer(exercise, "cuda", readable, ""); return true;
    case KIND_FROM_CUDA:
    case KIND_PYTHON: take_answer(exercise, "python", record_source(record), ""); return true;
    case KIND_WARP_VERDICT:
        text_str(&exercise->bare, is_wrong ? "wrong" : "right");
        text_str(&exercise->answer, is_wrong ? "wrong" : "right");
        return true;
    default: return false;
    }
}

bool exercise_make(Exercise *exercise, TaskKind kind, const json_t *record)
{
    TaskSource source = {.record = record};
    exercise->prompt.len = exercise->answer.len = exercise->bare.len = 0;
    return task_kinds[kind].uses & FOR_EXPORT && task_serves(kind, record) && answer(exercise, kind, record) &&
           task_prompt(kind, &source, &exercise->prompt);
}

uint64_t exercise_tokens(const Exercise *exercise)
{
    TextSize prompt, answer;
    count_tokens(exercise->prompt.data, exercise->prompt.len, &prompt);
    count_tokens(exercise->answer.data, exercise->answer.len, &answer);
    return prompt.tokens + answer.tokens;
}

void exercise_free(Exercise *exercise)
{
    text_free(&exercise->prompt);
    text_free(&exercise->answer);
    text_free(&exercise->bare);
}
