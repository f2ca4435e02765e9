#include "corpus/losers.h"

#include "base/pool.h"
#include "base/safe_file.h"
#include "corpus/hash_set.h"
#include "corpus/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

bool loser_map_covers(const LoserMap *map, uint64_t first, uint64_t end)
{
    return map->first <= first && end <= map->end;
}

bool is_loser(const LoserMap *map, uint64_t index)
{
    uint64_t at = index - map->first;
    return map->bits[at / 8] >> at % 8 & 1;
}

void loser_map_free(LoserMap *map)
{
    if (map)
        free(map->bits);
    free(map);
}

static size_t bytes_of_bits(uint64_t first, uint64_t end)
{
    return (size_t)((end - first + 7) / 8);
}

static void name_map(LoserMap *map)
{
    snprintf(map->hash, sizeof map->hash, "%016" PRIx64,
             (uint64_t)XXH3_64bits(map->bits, bytes_of_bits(map->first, map->end)));
}

static LoserMap *loser_map_new(uint64_t first, uint64_t end, CorpusError *error)
{
    LoserMap *map = calloc(1, sizeof *map);
    if (map) {
        *map = (LoserMap){.first = first, .end = end, .bits = calloc(bytes_of_bits(first, end) + 1, 1)};
        if (map->bits)
            return map;
    }
    free(map);
    corpus_fail(error, "out of memory: a range of %" PRIu64 " candidates does not fit", end - first);
    return NULL;
}

/* The next candidates' keys, in order. */
static void note_keys(LoserMap *map, HashSet *known, uint64_t first, const uint64_t *keys, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = first + i - map->first;
        if (!hash_set_add(known, keys[i]))
            map->bits[at / 8] = (uint8_t)(map->bits[at / 8] | 1u << at % 8);
    }
}

/* ---- keys of a range ---- */

enum { KEYS_AT_ONCE = 256 };

typedef struct KeyRun {
    const CorpusOptions *options;
    const atomic_int *stop;
    pthread_mutex_t lock; /* guards what follows */
    uint64_t next;
    uint64_t *keys;
    bool failed;
} KeyRun;

static bool next_keys(KeyRun *run, uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&run->lock);
    *first = run->next;
    *end = *first + KEYS_AT_ONCE < run->options->end ? *first + KEYS_AT_ONCE : run->options->end;
    run->next = *end;
    bool more = *first < *end && !run->failed && !(run->stop && *run->stop);
    pthread_mutex_unlock(&run->lock);
    return more;
}

static void make_keys(void *user, unsigned number)
{
    (void)number;
    KeyRun *run = user;
    Maker *maker = maker_new(run->options);
    uint64_t first, end;
    bool fine = maker;
    while (fine && next_keys(run, &first, &end))
        for (uint64_t i = first; fine && i < end; i++)
            fine = maker_key(maker, i, &run->keys[i - run->options->first]);
    maker_free(maker);
    pthread_mutex_lock(&run->lock);
    run->failed |= !fine;
    pthread_mutex_unlock(&run->lock);
}

/* To be freed. NULL: *error says why, or the user wanted an end. */
static uint64_t *keys_of_range(const CorpusOptions *options, unsigned jobs, const atomic_int *stop, CorpusError *error)
{
    KeyRun run = {.options = options, .stop = stop, .next = options->first};
    run.keys = malloc((options->end - options->first + 1) * sizeof *run.keys);
    run.failed = !run.keys;
    pthread_mutex_init(&run.lock, NULL);
    pool_run_once(pool_jobs(jobs), make_keys, &run);
    pthread_mutex_destroy(&run.lock);
    if (!run.failed && !(stop && *stop))
        return run.keys;
    if (run.failed)
        corpus_fail(error, "out of memory");
    free(run.keys);
    return NULL;
}

LoserMap *losers_of_range(const CorpusOptions *options, unsigned jobs, const atomic_int *stop, CorpusError *error)
{
    uint64_t count = options->end - options->first;
    uint64_t *keys = keys_of_range(options, jobs, stop, error);
    if (!keys)
        return NULL;
    LoserMap *map = loser_map_new(options->first, options->end, error);
    HashSet known = {0};
    if (map && hash_set_init(&known, count + 1, false)) {
        note_keys(map, &known, options->first, keys, count);
        name_map(map);
    } else {
        corpus_fail(error, "out of memory: a range of %" PRIu64 " candidates does not fit", count);
        loser_map_free(map);
        map = NULL;
    }
    hash_set_free(&known);
    free(keys);
    return map;
}

/* ---- files ---- */

#define KEYS_MAGIC "weft-ke1"
#define LOSERS_MAGIC "weft-lo1"

typedef struct FileHead {
    char magic[8];
    uint64_t origin; /* a hash of what the keys depend on */
    uint64_t first, end;
} FileHead;

/* A hash of all that determines a candidate's kernel, and which kernels count as the same. */
static uint64_t origin_of(const CorpusOptions *options)
{
    char generator[24];
    Text text;
    generator_fingerprint(generator);
    text_init(&text);
    text_format(&text, "%s %s %s %" PRIu64 " %d", weft_version(), generator, options->warp, options->seed,
                (int)options->dedup);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        text_format(&text, " %u", options->weights.weight[i]);
    uint64_t hash = text.failed ? 0 : XXH3_64bits(text.data, text.len);
    text_free(&text);
    return hash;
}

static bool write_file(const char *path, const FileHead *head, const void *bytes, size_t len, CorpusError *error)
{
    char aside[4096];
    if (snprintf(aside, sizeof aside, "%s.tmp", path) >= (int)sizeof aside)
        return corpus_fail(error, "the name of a file is too long");
    int fd = file_create(AT_FDCWD, aside);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    bool fine = file && fwrite(head, sizeof *head, 1, file) == 1 && fwrite(bytes, 1, len, file) == len;
    int why = errno;
    if (file && fclose(file) != 0 && fine) {
        fine = false;
        why = errno;
    }
    if (fine && rename(aside, path) == 0)
        return true;
    why = fine ? errno : why;
    remove(aside);
    return corpus_fail(error, "cannot write %s: %s", path, strerror(why));
}

static FILE *open_file(const char *path, const char *magic, FileHead *head, CorpusError *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        corpus_fail(error, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    if (fread(head, sizeof *head, 1, file) == 1 && memcmp(head->magic, magic, sizeof head->magic) == 0 &&
        head->first < head->end && head->end <= CORPUS_MOST_CANDIDATES)
        return file;
    corpus_fail(error, "%s is not a file of %s", path,
                strcmp(magic, KEYS_MAGIC) == 0 ? "weft range keys" : "weft range duplicates");
    fclose(file);
    return NULL;
}

CorpusOutcome corpus_keys(const char *path, const CorpusOptions *options, const CorpusRun *run, CorpusError *error)
{
    uint64_t *keys = keys_of_range(options, run->jobs, run->stop, error);
    if (!keys)
        return error->message[0] ? CORPUS_FAILED : CORPUS_STOPPED;
    FileHead head = {.magic = KEYS_MAGIC, .origin = origin_of(options), .first = options->first, .end = options->end};
    bool fine = write_file(path, &head, keys, (size_t)(options->end - options->first) * sizeof *keys, error);
    free(keys);
    return fine ? CORPUS_DONE : CORPUS_FAILED;
}

typedef struct KeyFile {
    const char *path;
    FileHead head;
} KeyFile;

static int by_first(const void *a, const void *b)
{
    const KeyFile *one = a, *two = b;
    return (one->head.first > two->head.first) - (one->head.first < two->head.first);
}

/* All of them, in the order of their candidates. NULL: *error says why. */
static KeyFile *list_key_files(char *const *paths, size_t count, CorpusError *error)
{
    KeyFile *files = calloc(count + 1, sizeof *files);
    bool fine = files || corpus_fail(error, "out of memory");
    for (size_t i = 0; fine && i < count; i++) {
        files[i].path = paths[i];
        FILE *file = open_file(paths[i], KEYS_MAGIC, &files[i].head, error);
        fine = file;
        if (file)
            fclose(file);
        if (fine && files[i].head.origin != files[0].head.origin)
            fine = corpus_fail(error, "%s is of other options, or of another weft, than %s", paths[i], paths[0]);
    }
    if (fine)
        qsort(files, count, sizeof *files, by_first);
    for (size_t i = 1; fine && i < count; i++)
        if (files[i].head.first != files[i - 1].head.end)
            fine = corpus_fail(error, "%s ends with candidate %" PRIu64 ", and %s begins with %" PRIu64,
                               files[i - 1].path, files[i - 1].head.end - 1, files[i].path, files[i].head.first);
    if (fine)
        return files;
    free(files);
    return NULL;
}

static bool note_file(LoserMap *map, HashSet *known, const KeyFile *from, CorpusError *error)
{
    enum { AT_ONCE = 8192 };
    uint64_t keys[AT_ONCE], next = from->head.first;
    FileHead head;
    FILE *file = open_file(from->path, KEYS_MAGIC, &head, error);
    if (!file)
        return false;
    while (next < from->head.end) {
        size_t wanted = from->head.end - next < AT_ONCE ? (size_t)(from->head.end - next) : AT_ONCE;
        if (fread(keys, sizeof *keys, wanted, file) != wanted)
            break;
        note_keys(map, known, next, keys, wanted);
        next += wanted;
    }
    bool whole = next == from->head.end && fgetc(file) == EOF;
    fclose(file);
    return whole || corpus_fail(error, "%s is not as long as it says", from->path);
}

bool corpus_losers(const char *path, char *const *paths, size_t count, uint64_t *losers, CorpusError *error)
{
    KeyFile *files = list_key_files(paths, count, error);
    if (!files)
        return false;
    uint64_t first = files[0].head.first, end = files[count - 1].head.end;
    LoserMap *map = loser_map_new(first, end, error);
    HashSet known = {0};
    bool fine = map;
    if (fine && !hash_set_init(&known, end - first + 1, false))
        fine = corpus_fail(error, "out of memory: a range of %" PRIu64 " candidates does not fit", end - first);
    for (size_t i = 0; fine && i < count; i++)
        fine = note_file(map, &known, &files[i], error);
    FileHead head = {.magic = LOSERS_MAGIC, .origin = files[0].head.origin, .first = first, .end = end};
    fine = fine && write_file(path, &head, map->bits, bytes_of_bits(first, end), error);
    *losers = fine ? end - first - known.count : 0;
    hash_set_free(&known);
    loser_map_free(map);
    free(files);
    return fine;
}

LoserMap *corpus_read_losers(const char *path, const CorpusOptions *options, CorpusError *error)
{
    FileHead head;
    FILE *file = open_file(path, LOSERS_MAGIC, &head, error);
    if (!file)
        return NULL;
    LoserMap *map = loser_map_new(head.first, head.end, error);
    size_t len = bytes_of_bits(head.first, head.end);
    bool fine = map;
    if (fine && (fread(map->bits, 1, len, file) != len || fgetc(file) != EOF))
        fine = corpus_fail(error, "%s is not as long as it says", path);
    fclose(file);
    if (fine && head.origin != origin_of(options))
        fine = corpus_fail(error, "%s is of another seed, other categories or another weft", path);
    if (fine && !loser_map_covers(map, options->first, options->end))
        fine = corpus_fail(error, "%s is of candidates %" PRIu64 ":%" PRIu64 " alone", path, map->first, map->end);
    if (fine) {
        name_map(map);
        return map;
    }
    loser_map_free(map);
    return NULL;
}

void corpus_use_losers(CorpusOptions *options, const LoserMap *losers)
{
    options->losers = losers;
    options->whole_first = losers->first;
    options->whole_end = losers->end;
    memcpy(options->losers_hash, losers->hash, sizeof options->losers_hash);
}
