#include "judge/station.h"

#include "corpus/shard.h"

#include <stdio.h>

/* ---- opening ---- */

bool station_open_key(Score *score, bool make)
{
    const ScoreOptions *options = score->options;
    Text path;
    if (options->open_launches)
        return true;
    text_init(&path);
    text_format(&path, "%s.key", options->output);
    const char *name = options->hidden_key ? options->hidden_key : text_cstr(&path);
    bool fine = !path.failed && !secret_is_inside(name, options->set);
    if (!fine)
        corpus_fail(&score->error,
                    "%s: the key does not belong into the data set: give another place with --hidden-key", name);
    fine = fine && secret_open(name, make, &score->key, score->error.message, sizeof score->error.message);
    if (fine)
        secret_commit(&score->key, score->hidden);
    text_free(&path);
    return fine;
}

/* The version of Warp that answers in its own form are for; "": there are none. */
static void find_warp(const Score *score, char version[32])
{
    version[0] = '\0';
    for (uint32_t i = 0; i < score->task_count && !version[0]; i++) {
        const ScoreTask *task = &score->tasks[i];
        bool is_wanted = task->answers || score->options->all_tasks;
        json_t *record = is_wanted && task_kinds[task->kind].form == FORM_WARP ? score_record(score, task) : NULL;
        snprintf(version, 32, "%s", json_member_string(record, "warp_version"));
        json_decref(record);
    }
}

static bool prepare_cards(Station *station, const Score *score, const char *warp, const CardsOptions *wanted,
                          SandboxError *error)
{
    const ScoreOptions *options = score->options;
    if (!sandbox_open_for_cards(&station->sandbox, options->cuda, error) ||
        (warp[0] && !referee_prepare_warp(&station->sandbox, warp, options->warp_include, error)))
        return false;
    station->cards = cards_open(&station->sandbox, wanted, error);
    return station->cards;
}

static bool prepare_cpu(Station *station, const Score *score, const char *warp, SandboxError *error)
{
    return sandbox_open(&station->sandbox, error) && referee_prepare(&station->sandbox, error) &&
           (!warp[0] || referee_prepare_warp(&station->sandbox, warp, score->options->warp_include, error));
}

bool station_open(Station *station, Score *score, unsigned jobs, const Trace *trace)
{
    const ScoreOptions *options = score->options;
    SandboxError error = {""};
    char warp[32];
    CardsOptions wanted = {.jobs = jobs,
                           .runners = options->runners,
                           .batch = options->batch,
                           .timing = options->referee.timing,
                           .trace = trace};
    station->referee = options->referee;
    station->referee.hidden = options->open_launches ? NULL : &score->key;
    station->sandbox.stop = options->stop;
    station->sandbox.memory_mb = options->referee.limits.memory_mb;
    find_warp(score, warp);
    if (options->gpu ? prepare_cards(station, score, warp, &wanted, &error) : prepare_cpu(station, score, warp, &error))
        return true;
    return corpus_fail(&score->error, "%s", error.message);
}

void station_close(Station *station)
{
    cards_close(station->cards);
    station->cards = NULL;
    sandbox_close(&station->sandbox);
}

/* ---- judging ---- */

Referee *station_referee(Station *station)
{
    Referee *referee = calloc(1, sizeof *referee);
    if (referee) {
        referee->sandbox = &station->sandbox;
        referee->cards = station->cards;
        referee->options = &station->referee;
    }
    return referee;
}

void station_dismiss(Referee *referee)
{
    if (referee) {
        card_image_free(&referee->image);
        workshop_free(&referee->workshop);
    }
    free(referee);
}

void station_judge(Referee *referee, const Score *score, const AnswerGiven *answer, Verdict *verdict)
{
    const ScoreTask *task = answer->task;
    json_t *record = referee ? score_record(score, task) : NULL;
    *verdict = (Verdict){.broken = true, .reason = "out of memory"};
    if (answer->is_no_text)
        *verdict =
            (Verdict){.reason = "it is not text: it holds NUL, half of a surrogate pair, or bytes that are not UTF-8"};
    else if (record && task_kinds[task->kind].form == FORM_VERDICT)
        referee_judge_verdict(record, task->given, answer->text, verdict);
    else if (record)
        referee_judge(referee, task->kind, record, answer_code(answer->text.text, answer->text.len, task->kernel_name),
                      verdict);
    json_decref(record);
}
