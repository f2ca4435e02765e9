/* Answers of models, and results that an answer's process gave back: whatever they hold, they are read within their bounds. */
#include "judge/image.h"
#include "judge/score.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    Job job;
    char name[8] = "kernel";
    Span code = answer_code((const char *)data, size, name);
    if (code.len > size ||
        (code.len && (code.text < (const char *)data || code.text + code.len > (const char *)data + size)))
        __builtin_trap();
    bool right;
    uint32_t line;
    answer_verdict((const char *)data, size, &right, &line);
    image_variables((const char *)data, size);
    arena_init(&arena);
    job_read(&arena, (const char *)data, size, &job);
    arena_free(&arena);
    Score score = {.task_count = 0};
    ScoreTask task = {.id = "1/kind"};
    ScoreAnswer answer = {.task = 0};
    Verdict verdict;
    score.tasks = &task;
    score_read_line(&score, &answer, (const char *)data, size, &verdict);
    return 0;
}
