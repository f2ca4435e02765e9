/* weft stats: what is in a data set, counted from its records. */
#include "corpus/manifest.h"
#include "corpus/writer.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_NAMES = 3072, MAX_NAME_LENGTH = 39, LINE_BINS = 1 << 16, BAR_WIDTH = 30, SHOWN_BUILTINS = 20 };

typedef struct NameCount {
    Name name;
    uint64_t records; /* in which it is called */
    uint64_t last;    /* the record that was counted last, from 1 */
} NameCount;

typedef struct Survey {
    Arena arena;
    NameTable names;
    NameCount counts[MAX_NAMES]; /* by the number of the name */
    uint64_t records;
    uint64_t forward[LINE_BINS], backward[LINE_BINS], source[LINE_BINS]; /* how many have so many lines */
    uint64_t source_bytes, shard_bytes;
    ShardReader *reader; /* what is open: names leave from the middle of it where memory ends */
    json_t *record;
} Survey;

static void count_name(Survey *survey, const char *text, size_t len)
{
    if (len > MAX_NAME_LENGTH || survey->names.count == MAX_NAMES)
        return;
    Name name = name_of(&survey->names, text, len);
    NameCount *found = &survey->counts[name->id];
    found->name = name;
    if (found->last != survey->records)
        found->records++;
    found->last = survey->records;
}

static void bin(uint64_t *bins, uint64_t value)
{
    bins[value < LINE_BINS ? value : LINE_BINS - 1]++;
}

static void survey_source(Survey *survey, const char *source)
{
    uint64_t lines = 0;
    const char *at = source;
    for (; *at; at++) {
        lines += *at == '\n';
        if (at[0] != 'w' || at[1] != 'p' || at[2] != '.')
            continue;
        size_t len = 0;
        while (isalnum((unsigned char)at[3 + len]) || at[3 + len] == '_')
            len++;
        if (len && at[3 + len] == '(')
            count_name(survey, at + 3, len);
        at += 2 + len;
    }
    survey->source_bytes += (uint64_t)(at - source);
    bin(survey->source, lines);
}

static bool survey_line(Survey *survey, const char *line, size_t len)
{
    static const char *const members[] = {CANDIDATE_MEMBERS, "python_source", NULL};
    Candidate candidate;
    json_t *record = survey->record = json_read_members(line, len, members);
    bool fine = record && candidate_of_json(record, line, len, &candidate);
    if (fine) {
        survey->records++;
        survey_source(survey, json_member_string(record, "python_source"));
        bin(survey->forward, candidate.forward_lines);
        if (candidate.has_backward)
            bin(survey->backward, candidate.backward_lines);
    }
    json_decref(record);
    survey->record = NULL;
    return fine;
}

static bool survey_shards(Survey *survey, const Manifest *manifest, int dir_fd, const char *dir, CorpusError *error)
{
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const ShardEntry *entry = &manifest->shards[i];
        ShardReader *reader = survey->reader =
            shard_open(dir_fd, dir, entry, &manifest->options, manifest->complete ? SHARD_WHOLE : entry->bytes, error);
        uint64_t before = survey->records;
        size_t len;
        bool fine = reader != NULL;
        for (char *line; fine && (line = shard_line(reader, &len, error));)
            fine = survey_line(survey, line, len) ||
                   corpus_fail(error, "%s/%s has a line that is not a weft record", dir, entry->file);
        shard_reader_free(reader);
        survey->reader = NULL;
        if (!fine || error->message[0])
            return false;
        if (survey->records - before != entry->rows)
            return corpus_fail(error, "%s/%s has %llu records, but the manifest says %llu: it was changed", dir,
                               entry->file, (unsigned long long)(survey->records - before),
                               (unsigned long long)entry->rows);
        survey->shard_bytes += entry->bytes + entry->details_bytes;
    }
    return true;
}

/* ---- showing ---- */

static int by_records(const void *a, const void *b)
{
    const NameCount *one = a, *two = b;
    if (one->records != two->records)
        return one->records < two->records ? 1 : -1;
    return strcmp(one->name->text, two->name->text);
}

static uint64_t percentile(const uint64_t *bins, unsigned percent)
{
    uint64_t total = 0, at = 0;
    for (int i = 0; i < LINE_BINS; i++)
        total += bins[i];
    for (uint64_t i = 0; i < LINE_BINS; i++) {
        at += bins[i];
        if (at && at * 100 >= total * percent)
            return i;
    }
    return 0;
}

static void add_bar(Text *out, const char *name, uint64_t value, uint64_t largest, uint64_t whole)
{
    size_t width = largest ? (size_t)(value * BAR_WIDTH / largest) : 0;
    text_format(out, "  %-22s %9llu %5.1f %%  ", name, (unsigned long long)value,
                whole ? 100.0 * (double)value / (double)whole : 0);
    text_pad(out, '#', width);
    text_char(out, '\n');
}

static uint64_t largest_of(const uint64_t *values, size_t count)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

static void add_lines(Text *out, const char *name, const uint64_t *bins)
{
    text_format(out, "  %-22s", name);
    static const unsigned percents[] = {5, 25, 50, 75, 95, 100};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        text_format(out, " %8llu", (unsigned long long)percentile(bins, percents[i]));
    text_char(out, '\n');
}

static void write_text(const Survey *survey, const Manifest *manifest, Text *out)
{
    const Counters *counters = &manifest->counters;
    uint64_t rows = manifest->rows;
    text_format(out, "%llu pairs%s, %.1f MB in %u files, %.1f MB as text, %.0f bytes of Python per kernel\n",
                (unsigned long long)rows, manifest->complete ? "" : " (not finished)",
                (double)survey->shard_bytes / 1e6, manifest->shard_count, (double)counters->record_bytes / 1e6,
                rows ? (double)survey->source_bytes / (double)rows : 0);
    text_format(out, "unique: %.4f %% by structure",
                rows ? 100.0 * (double)counters->distinct_structures / (double)rows : 0);
    if (knows_masked(manifest))
        text_format(out, ", %.4f %% with numbers masked",
                    rows ? 100.0 * (double)counters->distinct_masked / (double)rows : 0);
    text_lit(out, "\n\ncategories\n");
    uint64_t largest = largest_of(counters->by_category, CATEGORY_COUNT);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (counters->by_category[i])
            add_bar(out, category_name((CategoryId)i), counters->by_category[i], largest, rows);
    text_lit(out, "\nsplits\n");
    for (int i = 0; i < SPLIT_COUNT; i++)
        if (counters->by_split[i])
            add_bar(out, split_name((Split)i), counters->by_split[i], rows, rows);
    text_lit(out, "\nverification\n");
    add_bar(out, "forward pass", counters->forward_pass, rows, rows);
    if (counters->forward_pass < rows)
        add_bar(out, "not checked", rows - counters->forward_pass, rows, rows);
    add_bar(out, "gradient pass", counters->gradient[GRADIENT_PASS], rows, rows);
    add_bar(out, "gradient mismatch", counters->gradient[GRADIENT_MISMATCH], rows, rows);
    add_bar(out, "gradient none", counters->gradient[GRADIENT_NONE], rows, rows);
    add_bar(out, "with backward text", counters->with_backward, rows, rows);
    add_bar(out, "with readable CUDA", counters_with_readable(counters), rows, rows);
    add_bar(out, "and its backward kernel", counters->readable_backward, rows, rows);
    if (counters_rejected(counters)) {
        text_format(out, "\nrejected candidates (of %llu)\n", (unsigned long long)manifest->next);
        for (unsigned i = 1; i < REASON_COUNT; i++)
            if (counters->rejected[i])
                add_bar(out, reason_name(i), counters->rejected[i], counters_rejected(counters), manifest->next);
    }
    text_lit(out, "\nlines                        5 %     25 %     50 %     75 %     95 %      max\n");
    add_lines(out, "python", survey->source);
    add_lines(out, "forward", survey->forward);
    add_lines(out, "backward", survey->backward);
    text_format(out, "\nbuiltins and constructors (%u; the %d in most kernels)\n", survey->names.count, SHOWN_BUILTINS);
    for (uint32_t i = 0; i < survey->names.count && i < SHOWN_BUILTINS; i++)
        add_bar(out, survey->counts[i].name->text, survey->counts[i].records, rows, rows);
}

static void add_json_lines(Text *out, const char *name, const uint64_t *bins)
{
    static const unsigned percents[] = {5, 25, 50, 75, 95, 100};
    text_format(out, ", \"%s\": {", name);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        text_format(out, "%s\"p%u\": %llu", i ? ", " : "", percents[i],
                    (unsigned long long)percentile(bins, percents[i]));
    text_char(out, '}');
}

static void write_json(const Survey *survey, const Manifest *manifest, Text *out)
{
    write_stats_json(manifest, out);
    while (out->len && out->data[out->len - 1] != '}') /* go on inside the object */
        out->len--;
    out->len--;
    text_format(out, ", \"complete\": %s, \"files\": %u, \"bytes\": %llu, \"source_bytes\": %llu",
                manifest->complete ? "true" : "false", manifest->shard_count, (unsigned long long)survey->shard_bytes,
                (unsigned long long)survey->source_bytes);
    add_json_lines(out, "source_lines", survey->source);
    add_json_lines(out, "forward_lines", survey->forward);
    add_json_lines(out, "backward_lines", survey->backward);
    text_lit(out, ", \"builtins\": {");
    for (uint32_t i = 0; i < survey->names.count; i++)
        text_format(out, "%s\"%s\": %llu", i ? ", " : "", survey->counts[i].name->text,
                    (unsigned long long)survey->counts[i].records);
    text_lit(out, "}}\n");
}

/* Counts, and writes what was counted. */
static bool survey_set(Survey *survey, const Manifest *manifest, int dir_fd, const char *dir, bool json, Text *out,
                       CorpusError *error)
{
    jmp_buf failure;
    if (setjmp(failure))
        return corpus_fail(error, "out of memory");
    survey->arena.on_failure = &failure;
    names_init(&survey->names, &survey->arena);
    if (!survey_shards(survey, manifest, dir_fd, dir, error))
        return false;
    qsort(survey->counts, survey->names.count, sizeof *survey->counts, by_records);
    (json ? write_json : write_text)(survey, manifest, out);
    return !out->failed || corpus_fail(error, "out of memory");
}

bool corpus_stats(const char *dir, bool json, Text *out, CorpusError *error)
{
    Manifest manifest = {0};
    bool found = false;
    int dir_fd = folder_open(dir, error);
    Survey *survey = calloc(1, sizeof *survey);
    if (survey)
        arena_init(&survey->arena);
    else if (dir_fd >= 0)
        corpus_fail(error, "out of memory");
    bool fine = dir_fd >= 0 && survey && manifest_read(&manifest, dir_fd, dir, &found, error), whole = fine && found;
    if (fine && !found)
        fine = corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", dir);
    if (fine && manifest.options.piece_count)
        fine = corpus_fail(error, "%s is a piece: join all of them with weft merge first", dir);
    fine = fine && survey_set(survey, &manifest, dir_fd, dir, json, out, error);
    if (whole && manifest.options.count && !manifest.options.piece_count && !manifest.complete)
        fail_unfinished(&manifest, dir, error); /* also why a shard is not there: it has another name by now */
    manifest_free(&manifest);
    if (survey) {
        shard_reader_free(survey->reader);
        json_decref(survey->record);
        arena_free(&survey->arena);
    }
    free(survey);
    if (dir_fd >= 0)
        close(dir_fd);
    return fine;
}
