/* One data set of tasks: the counts of their manifests are added up, and their files get further names. No record is read. */
#include "corpus/losers.h"
#include "corpus/writer.h"

#include "base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Task {
    const char *dir;
    int dir_fd;
    Manifest manifest;
} Task;

static void free_tasks(Task *tasks, size_t count)
{
    for (size_t i = 0; tasks && i < count; i++) {
        manifest_free(&tasks[i].manifest);
        if (tasks[i].dir && tasks[i].dir_fd >= 0)
            close(tasks[i].dir_fd);
    }
    free(tasks);
}

static bool open_task(Task *task, const char *dir, CorpusError *error)
{
    bool found;
    *task = (Task){.dir = dir, .dir_fd = folder_open(dir, error)};
    if (task->dir_fd < 0 || !manifest_read(&task->manifest, task->dir_fd, dir, &found, error))
        return false;
    close(task->dir_fd); /* there may be more tasks than a process may have files */
    task->dir_fd = -1;
    if (!found || !task->manifest.options.end)
        return corpus_fail(error, "%s is not a range: make it with weft produce --candidates A:B --duplicates FILE",
                           dir);
    return task->manifest.complete || fail_unfinished(&task->manifest, dir, error);
}

static int by_first(const void *a, const void *b)
{
    uint64_t one = ((const Task *)a)->manifest.options.first, two = ((const Task *)b)->manifest.options.first;
    return (one > two) - (one < two);
}

/* The same options but for the range, which begins where that of the one before ends. */
static bool follows(const Task *before, const Task *task, CorpusError *error)
{
    CorpusOptions expected = before->manifest.options;
    const CorpusOptions *options = &task->manifest.options;
    if (!expected.whole_end)
        return corpus_fail(error, "%s is a whole set: only what was made with --duplicates can be joined", before->dir);
    if (options->first != expected.end)
        return corpus_fail(error, "%s ends before candidate %" PRIu64 ", and %s begins with %" PRIu64, before->dir,
                           expected.end, task->dir, options->first);
    expected.first = options->first;
    expected.end = options->end;
    expected.count = options->count;
    return manifest_same_options(&task->manifest, &expected, task->dir, error);
}

static Task *open_tasks(char *const *dirs, size_t count, CorpusError *error)
{
    Task *tasks = calloc(count + 1, sizeof *tasks);
    bool fine = tasks || corpus_fail(error, "out of memory");
    for (size_t i = 0; fine && i < count; i++)
        fine = open_task(&tasks[i], dirs[i], error);
    if (fine)
        qsort(tasks, count, sizeof *tasks, by_first);
    for (size_t i = 1; fine && i < count; i++)
        fine = follows(&tasks[i - 1], &tasks[i], error);
    if (fine)
        return tasks;
    free_tasks(tasks, count);
    return NULL;
}

/* ---- counts ---- */

/* All counters are numbers of one type. */
static void add_counters(Counters *sum, const Counters *more)
{
    _Static_assert(sizeof *sum % sizeof(uint64_t) == 0, "counters are 64 bits each");
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void join_manifests(Manifest *joined, const Task *tasks, size_t count)
{
    CorpusOptions *options = &joined->options;
    *joined = tasks[0].manifest;
    joined->shards = NULL;
    joined->shard_count = 0;
    joined->shard_cap = 0;
    for (size_t i = 1; i < count; i++) {
        joined->rows += tasks[i].manifest.rows;
        add_counters(&joined->counters, &tasks[i].manifest.counters);
    }
    options->end = joined->next = tasks[count - 1].manifest.options.end;
    options->count = options->end - options->first;
    if (options->first == options->whole_first && options->end == options->whole_end) { /* as if made at once */
        options->whole_first = options->whole_end = 0;
        options->losers_hash[0] = '\0';
    }
}

/* ---- files ---- */

static bool copy_bytes(int from, int to)
{
    char buffer[1 << 16];
    ssize_t got;
    while ((got = read(from, buffer, sizeof buffer)) > 0)
        if (!write_fully(to, buffer, (size_t)got))
            return false;
    return got == 0 && fsync(to) == 0;
}

static bool copy_file(int from_dir, const char *from_name, int to_dir, const char *to_name)
{
    int from = file_open_regular(from_dir, from_name), to = from >= 0 ? file_create(to_dir, to_name) : -1;
    bool fine = to >= 0 && copy_bytes(from, to);
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) != 0)
        fine = false;
    return fine;
}

/* A second name for the file; a copy where a file system has none. */
static bool link_file(const char *dir, int from_dir, const char *from, int to_dir, const char *to, CorpusError *error)
{
    return linkat(from_dir, from, to_dir, to, 0) == 0 || copy_file(from_dir, from, to_dir, to) ||
           corpus_fail(error, "cannot link %s/%s: %s", dir, from, strerror(errno));
}

/* The files get the names of an open shard for now. */
static bool add_shard(Manifest *joined, int dir_fd, const Task *task, int task_fd, const ShardEntry *shard,
                      CorpusError *error)
{
    ShardEntry entry = *shard;
    entry.number = joined->shard_count;
    shard_name(&joined->options, SPLIT_TRAIN, entry.number, SHARD_OPEN, 0, entry.file);
    if (!link_file(task->dir, task_fd, shard->file, dir_fd, entry.file, error))
        return false;
    if (shard->details_hash[0]) {
        char from[SHARD_NAME_SIZE], to[SHARD_NAME_SIZE];
        details_file(shard->file, from);
        details_file(entry.file, to);
        if (!link_file(task->dir, task_fd, from, dir_fd, to, error))
            return false;
    }
    return manifest_add_shard(joined, &entry) || corpus_fail(error, "out of memory");
}

static bool add_shards(Manifest *joined, int dir_fd, const Task *tasks, size_t count, CorpusError *error)
{
    for (size_t i = 0; i < count; i++) {
        const Task *task = &tasks[i];
        int task_fd = folder_open(task->dir, error);
        bool fine = task_fd >= 0;
        for (uint32_t k = 0; fine && k < task->manifest.shard_count; k++)
            fine = shard_check_bytes(task_fd, task->dir, &task->manifest.shards[k], error) &&
                   add_shard(joined, dir_fd, task, task_fd, &task->manifest.shards[k], error);
        if (task_fd >= 0)
            close(task_fd);
        if (!fine)
            return false;
    }
    return true;
}

bool corpus_index(const char *dir, char *const *dirs, size_t count, uint64_t *rows, CorpusError *error)
{
    Writer writer = {.dir = dir, .open_entry = {-1, -1, -1}, .dir_fd = -1};
    Task *tasks = open_tasks(dirs, count, error);
    if (!tasks)
        return false;
    join_manifests(&writer.manifest, tasks, count);
    writer.dir_fd = folder_open_locked(dir, &writer.locked_by_file, error);
    bool fine = writer.dir_fd >= 0 && folder_begin(writer.dir_fd, dir, "range join", error) &&
                add_shards(&writer.manifest, writer.dir_fd, tasks, count, error) && writer_give_names(&writer, error) &&
                writer_describe(&writer, error) && folder_end(writer.dir_fd, dir, error);
    *rows = writer.manifest.rows;
    writer_free(&writer);
    free_tasks(tasks, count);
    return fine;
}
