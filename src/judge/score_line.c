#include "judge/score.h"

#include <stdio.h>

static void add_mark(JsonWriter *json, const char *name, Mark mark)
{
    if (mark == MARK_NONE)
        json_add_verbatim(json, name, "null", 4);
    else
        json_add_bool(json, name, mark == MARK_YES);
}

static void add_text(JsonWriter *json, const char *name, const char *text)
{
    if (*text)
        json_add_string(json, name, text);
    else
        json_add_verbatim(json, name, "null", 4);
}

static void add_speed_up(JsonWriter *json, double speed_up)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%.2f", speed_up);
    json_add_verbatim(json, "speed_up", speed_up > 0 ? text : "null", speed_up > 0 ? (size_t)len : 4);
}

/* Launches that agreed, and of how many. */
static void add_share(JsonWriter *json, const char *name, Share share)
{
    if (!share.of) {
        json_add_verbatim(json, name, "null", 4);
        return;
    }
    json_open(json, name, '[');
    json_add_uint(json, NULL, share.passed);
    json_add_uint(json, NULL, share.of);
    json_close(json, ']');
}

void score_write_verdict(const Verdict *verdict, JsonWriter *json)
{
    const char *stage = verdict_stage(verdict);
    if (verdict->broken)
        json_add_verbatim(json, "score", "null", 4);
    else
        json_add_uint(json, "score", verdict->pass);
    add_text(json, "stage", stage ? stage : "");
    json_add_bool(json, "compiled", verdict->compiled);
    json_add_bool(json, "ran", verdict->ran);
    add_mark(json, "forward", verdict->forward);
    add_mark(json, "backward", verdict->backward);
    add_share(json, "forward_launches", verdict->forward_launches);
    add_share(json, "backward_launches", verdict->backward_launches);
    add_speed_up(json, verdict->speed_up);
    add_text(json, "reason", verdict->reason);
    add_text(json, "difference", verdict->difference);
}

void score_write_line(const Score *score, const ScoreAnswer *answer, const Verdict *verdict, Text *out)
{
    const ScoreTask *task = &score->tasks[answer->task];
    JsonWriter json = {.out = out};
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)answer->hash);
    json_open(&json, NULL, '{');
    json_add_string(&json, "id", task->id);
    json_add_uint(&json, "attempt", answer->attempt);
    json_add_string(&json, "kind", task_kinds[task->kind].name);
    json_add_string(&json, "category", task->category);
    json_add_string(&json, "difficulty", task->difficulty);
    score_write_verdict(verdict, &json);
    json_add_string(&json, "hash", hash);
    add_text(&json, "hidden", score->hidden);
    json_close(&json, '}');
    text_char(out, '\n');
}

static Mark mark_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_boolean(value) ? json_is_true(value) ? MARK_YES : MARK_NO : MARK_NONE;
}

bool score_read_line(const Score *score, const ScoreAnswer *answer, const char *line, size_t len, Verdict *verdict)
{
    json_t *object = json_read(line, len);
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)answer->hash);
    bool same = strcmp(json_member_string(object, "id"), score->tasks[answer->task].id) == 0 &&
                strcmp(json_member_string(object, "hash"), hash) == 0 &&
                strcmp(json_member_string(object, "hidden"), score->hidden) == 0;
    *verdict = (Verdict){.broken = json_is_null(json_object_get(object, "score")),
                         .pass = json_integer_value(json_object_get(object, "score")) == 1,
                         .compiled = json_is_true(json_object_get(object, "compiled")),
                         .ran = json_is_true(json_object_get(object, "ran")),
                         .forward = mark_of(object, "forward"),
                         .backward = mark_of(object, "backward")};
    json_decref(object);
    return same;
}

void score_count(Score *score, const ScoreAnswer *answer, const Verdict *verdict)
{
    ScoreCounts *counts = &score->counts;
    counts->answers++;
    counts->compiled += verdict->compiled;
    counts->ran += verdict->ran;
    counts->forward += verdict->forward == MARK_YES;
    counts->backward += verdict->backward == MARK_YES;
    counts->passed += verdict->pass;
    counts->unjudged += verdict->broken;
    score->tasks[answer->task].passed += verdict->pass;
    score->tasks[answer->task].unjudged += verdict->broken;
}
