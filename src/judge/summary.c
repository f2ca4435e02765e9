#include "judge/score.h"

#include <math.h>

double pass_at(uint32_t n, uint32_t c, uint32_t k)
{
    double none = 1;
    if (k > n)
        return NAN;
    if (n - c < k)
        return 1;
    for (uint32_t i = n - c + 1; i <= n; i++) /* C(n - c, k) / C(n, k), factor by factor */
        none *= 1 - (double)k / i;
    return 1 - none;
}

void wilson_interval(double share, uint64_t count, double *low, double *high)
{
    const double z = 1.959963984540054;
    double n = (double)count, middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    *low = count ? fmax(0, middle - half) : 0;
    *high = count ? fmin(1, middle + half) : 1;
}

/* ---- groups of tasks ---- */

typedef struct Group {
    const char *by, *name;
    uint32_t tasks, answers, passed, unanswered, unjudged, fewest; /* fewest: answers of an answered task */
} Group;

enum { KS = 7 };
static const uint32_t ks[KS] = {1, 2, 5, 10, 20, 50, 100};

static bool is_in(const ScoreTask *task, const Group *group)
{
    return strcmp(group->by, "all") == 0 ||
           (strcmp(group->by, "kind") == 0 && strcmp(task_kinds[task->kind].name, group->name) == 0) ||
           (strcmp(group->by, "category") == 0 && strcmp(task->category, group->name) == 0) ||
           (strcmp(group->by, "difficulty") == 0 && strcmp(task->difficulty, group->name) == 0);
}

static void fill_group(const Score *score, Group *group)
{
    for (uint32_t i = 0; i < score->task_count; i++) {
        const ScoreTask *task = &score->tasks[i];
        uint32_t judged = task->answers - task->unjudged;
        if (!is_in(task, group))
            continue;
        group->unjudged += task->unjudged;
        if (task->answers && !judged)
            continue; /* nothing is known about it */
        group->tasks++;
        group->answers += judged;
        group->passed += task->passed;
        group->unanswered += !task->answers;
        if (judged && (judged < group->fewest || !group->fewest))
            group->fewest = judged;
    }
}

/* A task without an answer is one that was not solved. */
static double group_pass_at(const Score *score, const Group *group, uint32_t k)
{
    double sum = 0;
    for (uint32_t i = 0; i < score->task_count; i++) {
        const ScoreTask *task = &score->tasks[i];
        if (is_in(task, group) && task->answers > task->unjudged)
            sum += pass_at(task->answers - task->unjudged, task->passed, k);
    }
    return group->tasks ? sum / group->tasks : NAN;
}

typedef void GroupVisitor(const Score *score, const Group *group, void *user);

static void visit_group(const Score *score, const char *by, const char *name, GroupVisitor *visitor, void *user)
{
    Group group = {.by = by, .name = name};
    fill_group(score, &group);
    if (group.tasks || group.unjudged)
        visitor(score, &group, user);
}

static const char *text_of(const ScoreTask *task, const char *by)
{
    return strcmp(by, "category") == 0 ? task->category : task->difficulty;
}

/* The distinct words of a column, in the order of the alphabet. */
static void visit_column(const Score *score, const char *by, GroupVisitor *visitor, void *user)
{
    for (const char *last = "";;) {
        const char *next = NULL;
        for (uint32_t i = 0; i < score->task_count; i++) {
            const char *word = text_of(&score->tasks[i], by);
            if (strcmp(word, last) > 0 && (!next || strcmp(word, next) < 0))
                next = word;
        }
        if (!next)
            return;
        visit_group(score, by, next, visitor, user);
        last = next;
    }
}

static void each_group(const Score *score, GroupVisitor *visitor, void *user)
{
    visit_group(score, "all", "all", visitor, user);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        visit_group(score, "kind", task_kinds[kind].name, visitor, user);
    visit_column(score, "category", visitor, user);
    visit_column(score, "difficulty", visitor, user);
}

/* ---- questions about gradients ---- */

/* The shares of right and of wrong gradients that were told, and their mean, which is 0.5 for who always says the same. */
typedef struct Balance {
    uint32_t tasks[2];
    double told[2]; /* a sum over tasks: the share of answers that pass */
} Balance;

static Balance balance_of(const Score *score)
{
    Balance balance = {.tasks = {0}};
    for (uint32_t i = 0; i < score->task_count; i++) {
        const ScoreTask *task = &score->tasks[i];
        uint32_t judged = task->answers - task->unjudged;
        if (task->kind != KIND_VERDICT || (task->answers && !judged))
            continue;
        balance.tasks[task->is_right]++;
        balance.told[task->is_right] += judged ? (double)task->passed / judged : 0;
    }
    return balance;
}

static double balanced_accuracy(const Balance *balance)
{
    if (!balance->tasks[0] || !balance->tasks[1])
        return NAN;
    return (balance->told[0] / balance->tasks[0] + balance->told[1] / balance->tasks[1]) / 2;
}

/* ---- for people ---- */

static void put_group(const Score *score, const Group *group, void *user)
{
    Text *out = user;
    text_format(out, "%-12s%-24s%7u%9u%8u ", strcmp(group->by, "all") == 0 ? "" : group->by, group->name, group->tasks,
                group->answers, group->passed);
    for (int i = 0; i < KS && (i == 0 || ks[i] <= group->fewest); i++) {
        double low, high, share = group_pass_at(score, group, ks[i]);
        wilson_interval(share, group->tasks, &low, &high);
        text_format(out, " pass@%u %.3f [%.3f, %.3f]", ks[i], share, low, high);
    }
    text_char(out, '\n');
}

void score_summary_text(const Score *score, Text *out)
{
    const ScoreCounts *counts = &score->counts;
    Group all = {.by = "all", .name = "all"};
    fill_group(score, &all);
    text_format(out, "%llu answers: %llu compiled, %llu ran, %llu right forward, %llu right backward, %llu pass\n",
                (unsigned long long)counts->answers, (unsigned long long)counts->compiled,
                (unsigned long long)counts->ran, (unsigned long long)counts->forward,
                (unsigned long long)counts->backward, (unsigned long long)counts->passed);
    if (all.unanswered)
        text_format(out, "%u tasks have no answer and count as not solved\n", all.unanswered);
    if (counts->unjudged)
        text_format(out, "%llu answers could not be judged and do not count: see `reason` in their lines\n",
                    (unsigned long long)counts->unjudged);
    text_format(out, "\n%-12s%-24s%7s%9s%8s  %s\n", "", "", "tasks", "answers", "pass", "[95 % interval]");
    each_group(score, put_group, out);
    Balance balance = balance_of(score);
    if (balance.tasks[0] && balance.tasks[1])
        text_format(out,
                    "\n%s: balanced accuracy %.3f (%.0f of %u right gradients, %.0f of %u mistakes); always giving the "
                    "same answer has at most 0.500\n",
                    task_kinds[KIND_VERDICT].name, balanced_accuracy(&balance), balance.told[1], balance.tasks[1],
                    balance.told[0], balance.tasks[0]);
}

/* ---- for programs ---- */

static void add_group(const Score *score, const Group *group, void *user)
{
    JsonWriter *json = user;
    json_open(json, NULL, '{');
    json_add_string(json, "by", group->by);
    json_add_string(json, "name", group->name);
    json_add_uint(json, "tasks", group->tasks);
    json_add_uint(json, "answers", group->answers);
    json_add_uint(json, "passed", group->passed);
    json_add_uint(json, "unanswered", group->unanswered);
    json_add_uint(json, "unjudged", group->unjudged);
    json_open(json, "pass_at", '[');
    for (int i = 0; i < KS && (i == 0 || ks[i] <= group->fewest); i++) {
        double low, high, share = group_pass_at(score, group, ks[i]);
        wilson_interval(share, group->tasks, &low, &high);
        json_open(json, NULL, '{');
        json_add_uint(json, "k", ks[i]);
        json_add_number(json, "value", share);
        json_add_number(json, "low", low);
        json_add_number(json, "high", high);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void score_summary_json(const Score *score, Text *out)
{
    const ScoreCounts *counts = &score->counts;
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    json_add_uint(&json, "answers", counts->answers);
    json_add_uint(&json, "compiled", counts->compiled);
    json_add_uint(&json, "ran", counts->ran);
    json_add_uint(&json, "forward", counts->forward);
    json_add_uint(&json, "backward", counts->backward);
    json_add_uint(&json, "passed", counts->passed);
    json_add_uint(&json, "unjudged", counts->unjudged);
    Balance balance = balance_of(score);
    json_add_number(&json, "balanced_accuracy", balanced_accuracy(&balance));
    json_open(&json, "groups", '[');
    each_group(score, add_group, &json);
    json_close(&json, ']');
    json_close(&json, '}');
    text_char(out, '\n');
}
