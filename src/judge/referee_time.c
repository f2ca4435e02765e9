/* How fast an answer is on a card, beside the record's own text on the same card and the same launch. */
#include "judge/referee.h"

#include <xxhash.h>

/* The largest launch of each kernel that is asked for, one after the other, in milliseconds; below zero: it cannot be told. */
static double time_all(const Referee *referee, const CardImage *image, const JobLaunch *jobs, uint32_t count,
                       bool is_own)
{
    enum { BLOCK = 128 };
    double total = 0;
    for (uint32_t entry = 0; entry < 2; entry++) {
        const JobLaunch *largest = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (jobs[i].entry == entry && (!largest || jobs[i].threads > largest->threads))
                largest = &jobs[i];
        if (!largest)
            continue;
        JobLaunch launch = *largest;
        launch.block = BLOCK;
        double milliseconds = cards_time(referee->cards, image, launch, referee->options->limits, is_own);
        if (milliseconds < 0)
            return -1;
        total += milliseconds;
    }
    return total > 0 ? total : -1;
}

/* Compiled and timed once for all answers to the same. */
static double time_reference(Referee *referee, const AnswerText *text, const JobLaunch *jobs, uint32_t count)
{
    uint64_t key = XXH3_64bits(text->source.data, text->source.len);
    for (int i = 0; i < 2; i++)
        key = XXH3_64bits_withSeed(text->entries[i], strlen(text->entries[i]), key);
    double milliseconds;
    if (cards_recall(referee->cards, key, &milliseconds))
        return milliseconds;
    CardImage image;
    Job job = {.limits = referee->options->limits,
               .source = text->source.data,
               .source_len = text->source.len,
               .entries = {text->entries[0], text->entries[1]},
               .plain = text->plain};
    cards_compile(referee->cards, &job, &image);
    milliseconds = image.bytes ? time_all(referee, &image, jobs, count, true) : -1;
    card_image_free(&image);
    cards_remember(referee->cards, key, milliseconds);
    return milliseconds;
}

void referee_time(Referee *referee, const AnswerText *reference, const JobLaunch *jobs, uint32_t count,
                  Verdict *verdict)
{
    if (!verdict->pass || !referee->cards || !referee->image.bytes || !referee->options->timing)
        return;
    double own = time_reference(referee, reference, jobs, count);
    double answer = own > 0 ? time_all(referee, &referee->image, jobs, count, false) : -1;
    verdict->speed_up = answer > 0 ? own / answer : 0;
}
