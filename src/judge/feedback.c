/* A verdict in words, for whoever tries again. */
#include "judge/judge.h"

const char *verdict_stage(const Verdict *verdict)
{
    if (verdict->broken || verdict->stopped)
        return NULL;
    if (verdict->pass)
        return "passed";
    if (verdict->ran && verdict->forward == MARK_YES)
        return "forward";
    return verdict->ran ? "ran" : verdict->compiled ? "compiled" : "read";
}

static void add_share(Text *out, const char *what, Share share)
{
    if (share.of)
        text_format(out, "%s: %u of %u launches agree.\n", what, share.passed, share.of);
}

/* A hidden launch stays the same from one try to the next: its right numbers would be learnt by heart. */
static size_t length_to_show(const char *difference)
{
    static const char hidden[] = "hidden ";
    const char *right = strstr(difference, " instead of ");
    right = right ? right : strstr(difference, ", expected ");
    bool is_hidden = strncmp(difference, hidden, sizeof hidden - 1) == 0;
    if (!is_hidden)
        return strlen(difference);
    const char *words = strstr(difference, ": ");
    return right ? (size_t)(right - difference) : words ? (size_t)(words - difference) : strlen(difference);
}

void verdict_feedback(const Verdict *verdict, Text *out)
{
    if (verdict->broken || verdict->stopped) {
        text_lit(out, "The answer could not be judged.\n");
        return;
    }
    if (verdict->pass) {
        text_lit(out, "The answer is right.\n");
        return;
    }
    bool is_said = verdict->ran && !verdict->forward_launches.of && !verdict->backward_launches.of;
    if (is_said) { /* it says whether a gradient is right: the reason is the solution */
        text_lit(out, "The answer is not right.\n");
        return;
    }
    text_format(out, "The answer is not right: %s.\n", verdict->reason);
    if (verdict->compiled) {
        add_share(out, "Values", verdict->forward_launches);
        add_share(out, "Gradients", verdict->backward_launches);
    }
    if (verdict->difference[0]) {
        text_lit(out, "First difference: ");
        text_add(out, verdict->difference, length_to_show(verdict->difference));
        text_lit(out, ".\n");
    }
}
