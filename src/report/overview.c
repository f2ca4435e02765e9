#include "report/overview.h"

#include "base/json.h"
#include "corpus/each_record.h"
#include "corpus/readable.h"
#include "corpus/writer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const difficulties[DIFFICULTY_COUNT] = {"none", "easy", "medium", "hard"};

const char *difficulty_name(unsigned difficulty)
{
    return difficulties[difficulty];
}

typedef struct Gathering {
    Overview *overview;
    Arena arena; /* for one record */
    OverviewProgress *progress;
    void *user;
} Gathering;

static unsigned char index_of(const char *word, const char *name(unsigned), unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(word, name(i)) == 0)
            return (unsigned char)i;
    return 0;
}

static const char *verdict_name(unsigned verdict)
{
    return gradient_verdict_name((GradientVerdict)verdict);
}

static const char *readable_name(unsigned readable)
{
    return readable_verdict_name((ReadableVerdict)readable);
}

static size_t add_texts(Text *texts, const char *name, const char *description)
{
    size_t start = texts->len, end;
    text_add(texts, name, strlen(name) + 1);
    text_add(texts, description, strlen(description) + 1);
    end = texts->len;
    for (size_t i = start; i < end && !texts->failed; i++)
        text_char(texts, (char)tolower((unsigned char)texts->data[i]));
    return start;
}

static bool take_record(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    static const char *const members[] = {"kernel_name",   "category",         "description",      "difficulty",
                                          "python_source", "gradient_verdict", "readable_verdict", NULL};
    Gathering *gathering = user;
    Overview *overview = gathering->overview;
    KernelSizes sizes;
    json_t *record = json_read_members(line, len, members);
    if (!record)
        return corpus_fail(error, "record %zu is not one, or memory ran out", overview->count);
    const char *source = json_member_string(record, "python_source");
    measure_source(&gathering->arena, source, strlen(source), &sizes);
    if (overview->count == overview->cap) {
        size_t cap = overview->cap ? 2 * overview->cap : 1024;
        OverviewRow *larger = realloc(overview->rows, cap * sizeof *larger);
        if (!larger) {
            json_decref(record);
            return corpus_fail(error, "out of memory");
        }
        overview->rows = larger;
        overview->cap = cap;
    }
    OverviewRow *row = &overview->rows[overview->count++];
    *row = (OverviewRow){
        .text = add_texts(&overview->texts, json_member_string(record, "kernel_name"),
                          json_member_string(record, "description")),
        .category = (unsigned char)category_named(json_member_string(record, "category")),
        .split = (unsigned char)split,
        .gradient = index_of(json_member_string(record, "gradient_verdict"), verdict_name, GRADIENT_VERDICTS),
        .readable = index_of(json_member_string(record, "readable_verdict"), readable_name, READABLE_COUNT),
        .difficulty = index_of(json_member_string(record, "difficulty"), difficulty_name, DIFFICULTY_COUNT)};
    for (int kind = 0; kind < SIZE_COUNT; kind++) {
        unsigned size = row->sizes[kind] = sizes.sizes[kind];
        overview->bins[kind][size < SIZE_BINS ? size : SIZE_BINS - 1]++;
    }
    for (int i = 0; i < BUILTIN_COUNT; i++)
        overview->builtins[i] += sizes.calls[i];
    json_decref(record);
    return !overview->texts.failed || corpus_fail(error, "out of memory");
}

static void tell_progress(uint64_t records, uint64_t of, void *user)
{
    Gathering *gathering = user;
    if (gathering->progress)
        gathering->progress(records, of, gathering->user);
}

static bool read_manifest(Overview *overview, CorpusError *error)
{
    bool found = false;
    int fd = folder_open(overview->set, error);
    bool fine = fd >= 0 && manifest_read(&overview->manifest, fd, overview->set, &found, error);
    if (fd >= 0)
        close(fd);
    return fine &&
           (found || corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", overview->set));
}

bool overview_read(Overview *overview, const char *set, const atomic_int *stop, OverviewProgress *progress, void *user,
                   CorpusError *error)
{
    Gathering gathering = {.overview = overview, .progress = progress, .user = user};
    RecordVisitor visitor = {.stop = stop, .visit = take_record, .progress = tell_progress, .user = &gathering};
    memset(overview, 0, sizeof *overview);
    overview->set = strdup(set);
    if (!overview->set)
        return corpus_fail(error, "out of memory");
    arena_init(&gathering.arena);
    bool fine = read_manifest(overview, error) && corpus_each_record(set, &visitor, error) && !(stop && *stop);
    arena_free(&gathering.arena);
    return fine;
}

void overview_free(Overview *overview)
{
    manifest_free(&overview->manifest);
    text_free(&overview->texts);
    free(overview->rows);
    free(overview->set);
}

/* ---- a choice of rows ---- */

const char *row_name_of(const Overview *overview, const OverviewRow *row)
{
    return overview->texts.data + row->text;
}

static const char *description_of(const Overview *overview, const OverviewRow *row)
{
    const char *name = row_name_of(overview, row);
    return name + strlen(name) + 1;
}

static bool has_words(const Overview *overview, const OverviewRow *row, const char *words)
{
    const char *description = description_of(overview, row), *name = description + strlen(description) + 1;
    return strstr(name, words) || strstr(name + strlen(name) + 1, words);
}

bool row_matches(const Overview *overview, const OverviewRow *row, const RowFilter *filter)
{
    return (filter->category < 0 || row->category == filter->category) &&
           (filter->split < 0 || row->split == filter->split) &&
           (filter->gradient < 0 || row->gradient == filter->gradient) &&
           (filter->difficulty < 0 || row->difficulty == filter->difficulty) &&
           (!*filter->words || has_words(overview, row, filter->words));
}

void write_row(const Overview *overview, size_t number, JsonWriter *json)
{
    const OverviewRow *row = &overview->rows[number];
    json_open(json, NULL, '{');
    json_add_uint(json, "n", number);
    json_add_string(json, "name", row_name_of(overview, row));
    json_add_string(json, "description", description_of(overview, row));
    json_add_string(json, "category",
                    row->category < CATEGORY_COUNT ? category_name((CategoryId)row->category) : "other");
    json_add_string(json, "split", split_name((Split)row->split));
    json_add_string(json, "gradient", verdict_name(row->gradient));
    json_add_string(json, "difficulty", difficulty_name(row->difficulty));
    for (int kind = 0; kind < SIZE_COUNT; kind++)
        json_add_uint(json, real_sizes[kind].name, row->sizes[kind]);
    json_close(json, '}');
}
