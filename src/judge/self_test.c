#include "judge/self_test.h"

#include "base/json.h"
#include "base/safe_file.h"
#include "corpus/each_record.h"
#include "corpus/shard.h"
#include "judge/attack.h"
#include "judge/score.h"

#include "judge_kernels.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char canary_text[] = "this is not for answers\n";
enum { SEARCHES = 2 };

typedef struct Bench {
    SelfTest *test;
    const SelfTestOptions *options;
    char folder[600];
    const char *set, *temporary, *canary, *tasks, *answers, *results; /* paths in it */
    AttackList attacks;
    json_t *record;                 /* attacks are made of it */
    json_t *searched;               /* its backward kernel is given results of atomics; NULL: none */
    const json_t *wanted[SEARCHES]; /* these results, and an input */
    const Attack **tried;           /* two answers each */
    uint32_t tried_count, answered;
    json_t **lines;
    json_t *known; /* the result of knowing launches by heart, without hidden ones */
} Bench;

static bool fail(Bench *bench, const char *what)
{
    return corpus_fail(&bench->test->error, "%s: %s", what, strerror(errno));
}

static void add_row(Bench *bench, const char *name, bool holds, const char *words)
{
    SelfTest *test = bench->test;
    Arena *arena = &test->arena;
    ARENA_PUSH(arena, test->rows, test->count, test->cap) =
        (SelfTestRow){name, holds, arena_strndup(arena, words, strlen(words))};
    test->held += holds;
}

/* ---- a folder, a set, its tasks ---- */

static bool write_file(const char *path, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool fine = fd >= 0 && write_fully(fd, bytes, len);
    return fd >= 0 && close(fd) == 0 && fine;
}

static bool make_folder(Bench *bench)
{
    Arena *arena = &bench->test->arena;
    const char *base = getenv("TMPDIR");
    snprintf(bench->folder, sizeof bench->folder, "%s/weft-self-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(bench->folder)) {
        fail(bench, bench->folder);
        bench->folder[0] = '\0';
        return false;
    }
    bench->set = arena_join(arena, bench->folder, "/set");
    bench->temporary = arena_join(arena, bench->folder, "/tmp");
    bench->canary = arena_join(arena, bench->folder, "/canary.h");
    bench->tasks = arena_join(arena, bench->folder, "/tasks.jsonl");
    bench->answers = arena_join(arena, bench->folder, "/answers.jsonl");
    bench->results = arena_join(arena, bench->folder, "/results.jsonl");
    return (mkdir(bench->temporary, 0700) == 0 && setenv("TMPDIR", bench->temporary, 1) == 0 &&
            write_file(bench->canary, canary_text, sizeof canary_text - 1)) ||
           fail(bench, bench->folder);
}

static bool make_set(Bench *bench)
{
    const SelfTestOptions *options = bench->options;
    const char *path = arena_join(&bench->test->arena, bench->folder, "/kernels.py");
    const char *text = (const char *)judge_kernels;
    CorpusOptions wanted = corpus_default_options();
    CorpusRun run = {.jobs = options->jobs, .stop = options->stop};
    wanted.warp = options->warp;
    wanted.compress = false;
    if (!write_file(path, text, judge_kernels_size))
        return fail(bench, path);
    Harvest *harvest = harvest_new(&wanted);
    bool done = harvest && harvest_file(harvest, path, text, judge_kernels_size, NULL) &&
                corpus_harvest(harvest, bench->set, &run, &bench->test->error) == CORPUS_DONE;
    harvest_free(harvest);
    return done;
}

static bool put_line(const char *line, size_t len, void *user)
{
    return fwrite(line, 1, len, user) == len;
}

static bool make_tasks(Bench *bench)
{
    TasksOptions options = {.all_kinds = true, .stop = bench->options->stop};
    TasksReport report;
    FILE *file = fopen(bench->tasks, "w");
    if (!file)
        return fail(bench, bench->tasks);
    options.kinds[KIND_READABLE] = options.kinds[KIND_GRADIENT] = true;
    bool done = judge_make_tasks(bench->set, &options, put_line, file, &report, &bench->test->error);
    return fclose(file) == 0 ? done : fail(bench, bench->tasks);
}

/* ---- records to attack ---- */

/* The floats of a row as the kernel has them. */
static size_t take_floats(const json_t *row, float *floats, size_t most)
{
    const json_t *list = json_object_get(row, "floats");
    size_t count = json_array_size(list) < most ? json_array_size(list) : 0;
    for (size_t i = 0; i < count; i++)
        floats[i] = (float)json_number_value(json_array_get(list, i));
    return count;
}

enum { MOST_SEARCHED = 60 };

/* Can a search tell these numbers from others? */
static bool is_telling(const json_t *row)
{
    float floats[MOST_SEARCHED];
    size_t count = take_floats(row, floats, MOST_SEARCHED), others = 0;
    for (size_t i = 1; i < count; i++)
        others += floats[i] != floats[i - 1];
    return others > 1;
}

/* Results of atomic maxima, which the backward kernel is given, and the input of the forward kernel. */
static bool find_searched(const json_t *record, const json_t *wanted[SEARCHES])
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        wanted[0] = json_array_get(json_object_get(launch, "outputs"), 0);
        wanted[1] = json_array_get(json_object_get(launch, "inputs"), 0);
        if (is_telling(wanted[0]) && is_telling(wanted[1]))
            return true;
    }
    return false;
}

static bool look_at(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    static const char *const members[] = {"id", "kernel_name", "cuda_readable", "launches", NULL};
    (void)split;
    (void)error;
    Bench *bench = user;
    json_t *record = json_read_members(line, len, members);
    if (record && !bench->record && attack_fits(record))
        bench->record = json_incref(record);
    if (record && strcmp(json_member_string(record, "kernel_name"), "searched") == 0 &&
        find_searched(record, bench->wanted))
        bench->searched = json_incref(record);
    json_decref(record);
    return true;
}

static bool find_records(Bench *bench)
{
    RecordVisitor visitor = {.stop = bench->options->stop, .visit = look_at, .user = bench};
    corpus_each_record(bench->set, &visitor, &bench->test->error);
    if (!bench->test->error.message[0] && (!bench->record || !bench->searched))
        corpus_fail(&bench->test->error, "there are no records to make attacks of: this is a bug of weft");
    return !bench->test->error.message[0];
}

/* ---- answers ---- */

static void put_answer(const json_t *record, TaskKind kind, const Text *code, Text *out)
{
    JsonWriter json = {.out = out};
    char id[300];
    snprintf(id, sizeof id, "%s/%s", json_member_string(record, "id"), task_kinds[kind].name);
    json_open(&json, NULL, '{');
    json_add_string(&json, "id", id);
    json_add_string_n(&json, "answer", code->data, code->len);
    json_close(&json, '}');
    text_char(out, '\n');
}

static bool write_answers(Bench *bench)
{
    Text all, code, right;
    text_init(&all);
    text_init(&code);
    text_init(&right);
    text_str(&right, json_member_string(bench->record, "cuda_readable"));
    bench->tried = ARENA_ARRAY(&bench->test->arena, const Attack *, bench->attacks.count);
    for (uint32_t i = 0; i < bench->attacks.count; i++) {
        const Attack *attack = &bench->attacks.items[i];
        if (attack->on_card != bench->options->gpu || !(attack->always || bench->options->all))
            continue;
        bench->tried[bench->tried_count++] = attack;
        code.len = 0;
        attack_write(attack, bench->record, bench->canary, &code);
        put_answer(bench->record, KIND_READABLE, &code, &all);
        put_answer(bench->record, KIND_READABLE, &right, &all);
    }
    bench->answered = 2 * bench->tried_count;
    for (int i = 0; i < SEARCHES && !bench->options->gpu; i++) { /* on a card, nothing of an answer runs beside it */
        float floats[MOST_SEARCHED];
        size_t count = take_floats(bench->wanted[i], floats, MOST_SEARCHED);
        code.len = 0;
        attack_search(bench->searched, floats, count * sizeof *floats, &code);
        put_answer(bench->searched, KIND_GRADIENT, &code, &all);
        bench->answered++;
    }
    bool failed = all.failed || code.failed || right.failed;
    bool fine = !failed && write_file(bench->answers, all.data, all.len);
    text_free(&all);
    text_free(&code);
    text_free(&right);
    return fine || fail(bench, bench->answers);
}

/* `open`: on the launches of the set alone. */
static bool score(Bench *bench, const char *answers, const char *results, bool open)
{
    const SelfTestOptions *options = bench->options;
    ScoreOptions wanted = {.tasks = bench->tasks,
                           .answers = answers,
                           .set = bench->set,
                           .output = results,
                           .open_launches = open,
                           .gpu = options->gpu,
                           .cuda = options->cuda,
                           .batch = 64,
                           .runners = 2,
                           .jobs = options->jobs,
                           .stop = options->stop,
                           .progress = options->progress,
                           .user = options->user};
    wanted.referee.limits = (JobLimits){.compile_seconds = 6, .run_seconds = 1, .memory_mb = 1024};
    Score result;
    bool done = judge_score(&result, &wanted) == SCORE_DONE;
    if (!done)
        bench->test->error = result.error;
    score_free(&result);
    return done;
}

static bool read_results(Bench *bench, const char *path, json_t **lines, uint32_t count)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    uint32_t read = 0;
    for (ssize_t len; file && read < count && (len = getline(&line, &size, file)) > 0;)
        lines[read++] = json_read(line, (size_t)len);
    free(line);
    if (file)
        fclose(file);
    return (file && read == count) || fail(bench, path);
}

/* Whoever knows the launches passes where no others are run: the attack does what it says. */
static bool try_by_heart(Bench *bench)
{
    Arena *arena = &bench->test->arena;
    const char *answers = arena_join(arena, bench->folder, "/known.jsonl");
    const char *results = arena_join(arena, bench->folder, "/known-results.jsonl");
    const Attack *attack = bench->attacks.items;
    Text code, line;
    while (!attack->has[PART_BY_HEART])
        attack++;
    text_init(&code);
    text_init(&line);
    attack_write(attack, bench->record, bench->canary, &code);
    put_answer(bench->record, KIND_READABLE, &code, &line);
    bool fine = !code.failed && !line.failed && write_file(answers, line.data, line.len);
    text_free(&code);
    text_free(&line);
    return (fine || fail(bench, answers)) && score(bench, answers, results, true) &&
           read_results(bench, results, &bench->known, 1);
}

/* ---- what came of it ---- */

static const char *reason_of(const json_t *line)
{
    return json_member_string(line, "reason");
}

static bool has_score(const json_t *line, long long score)
{
    const json_t *value = json_object_get(line, "score");
    return json_is_integer(value) && json_integer_value(value) == score;
}

static void settle_attacks(Bench *bench)
{
    Arena *arena = &bench->test->arena;
    for (uint32_t i = 0; i < bench->tried_count; i++) {
        const json_t *bad = bench->lines[2 * i], *good = bench->lines[2 * i + 1];
        const char *words = reason_of(bad);
        bool harmless = has_score(bad, 0) && !strstr(words, "exit code 66"), beside = has_score(good, 1);
        if (!harmless)
            words = has_score(bad, 1) ? "it passes" : arena_format(arena, "it was not held back: %s", words);
        else if (!beside)
            words = arena_format(arena, "the right answer beside it does not pass: %s", reason_of(good));
        add_row(bench, bench->tried[i]->name, harmless && beside, words);
    }
}

/* Attacks that must work where nothing stands against them; and the search, whose forward process must find nothing. */
static void settle_controls(Bench *bench)
{
    const json_t *const *found = (const json_t *const *)&bench->lines[2 * bench->tried_count];
    bool works = has_score(bench->known, 1);
    add_row(bench, "knows the launches by their size, and there are no hidden ones: it must pass", works,
            works ? "it passes" : reason_of(bench->known));
    if (bench->options->gpu)
        return;
    bool hidden = json_is_true(json_object_get(found[0], "forward"));
    add_row(bench, "searches its memory for results before its forward kernel runs", hidden,
            hidden ? "it finds nothing" : reason_of(found[0]));
    works = strstr(reason_of(found[1]), "exit code 77") != NULL;
    add_row(bench, "the same search for inputs: it must find them", works,
            works ? "it finds them" : reason_of(found[1]));
}

static bool read_digits(const char *text, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            return false;
        bytes[i] = (unsigned char)byte;
    }
    return true;
}

/* Keys that are small numbers, tried against the commitment in the results: what a key of 128 random bits never is. */
static void settle_key(Bench *bench)
{
    enum { GUESSES = 1 << 18 };
    const char *told = json_member_string(bench->lines[0], "hidden");
    char commitment[COMMITMENT_SIZE];
    Secret guess;
    bool known = !read_digits(told, guess.salt, SECRET_BYTES);
    for (uint32_t number = 0; number < GUESSES && !known; number++) {
        memset(guess.key, 0, sizeof guess.key);
        memcpy(guess.key, &number, sizeof number);
        secret_commit(&guess, commitment);
        known = strcmp(commitment, told) == 0;
    }
    add_row(bench, "guesses the key of hidden launches by what results tell of it", !known,
            known ? "the key is a small number, or results have no commitment"
                  : "it is none of the first 262,144 numbers");
}

/* ---- what is seen from outside ---- */

static bool file_has(const char *path, const char *text)
{
    char line[4096];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        found |= strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return found;
}

static bool is_empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    bool empty = dir != NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (dir)
        closedir(dir);
    return empty;
}

/* Processes of sandboxes have the temporary folder in their arguments. */
static unsigned processes_left(const char *word)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc");
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[300], text[8192];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        int fd = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t len = fd >= 0 ? read(fd, text, sizeof text) : 0;
        count += len > 0 && memmem(text, (size_t)len, word, strlen(word)) != NULL;
        if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
    return count;
}

static void look_from_outside(Bench *bench)
{
    struct stat info;
    bool same = stat(bench->canary, &info) == 0 && info.st_size == sizeof canary_text - 1 &&
                file_has(bench->canary, "this is not for answers");
    bool told = file_has(bench->results, "not for answers"), empty = is_empty_folder(bench->temporary);
    unsigned left = processes_left(bench->temporary);
    add_row(bench, "a file of the host", same && !told,
            told   ? "results tell what is in it"
            : same ? "it is as it was, and no result tells of it"
                   : "it was changed");
    add_row(bench, "the temporary folder", empty, empty ? "it is empty" : "files are left in it");
    add_row(bench, "processes of answers", !left, left ? "some are left" : "none is left");
}

/* ---- all of it ---- */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

bool judge_self_test(SelfTest *test, const SelfTestOptions *options)
{
    Bench bench = {.test = test, .options = options};
    *test = (SelfTest){.count = 0};
    arena_init(&test->arena);
    attacks_read(&test->arena, &bench.attacks);
    bool done =
        make_folder(&bench) && make_set(&bench) && make_tasks(&bench) && find_records(&bench) && write_answers(&bench);
    bench.lines = ARENA_ARRAY(&test->arena, json_t *, bench.answered);
    done = done && score(&bench, bench.answers, bench.results, false) &&
           read_results(&bench, bench.results, bench.lines, bench.answered) && try_by_heart(&bench);
    if (done) {
        settle_attacks(&bench);
        settle_controls(&bench);
        settle_key(&bench);
        look_from_outside(&bench);
    }
    for (uint32_t i = 0; i < bench.answered; i++)
        json_decref(bench.lines[i]);
    json_decref(bench.known);
    json_decref(bench.record);
    json_decref(bench.searched);
    if (bench.folder[0])
        nftw(bench.folder, remove_one, 20, FTW_DEPTH | FTW_PHYS);
    return done;
}

void self_test_free(SelfTest *test)
{
    arena_free(&test->arena);
}
