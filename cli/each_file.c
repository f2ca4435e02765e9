#include "each_file.h"
#include "terminal.h"

#include "base/pool.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct Worker { /* a thread reads and parses for itself */
    Weft *weft;
    Project project;
    bool open;
} Worker;

/* What came out of a file, until it is its turn. */
typedef struct Slot {
    char *out, *err;
    size_t out_len, err_len;
    int code;
    bool made;
    alignas(max_align_t) char result[];
} Slot;

typedef struct Line {
    const FileWork *work;
    size_t taken;
    int code;
} Line;

static void *open_worker(void *user)
{
    const FileWork *work = ((const Line *)user)->work;
    Worker *worker = calloc(1, sizeof *worker);
    if (worker) {
        worker->weft = weft_new(work->warp);
        worker->open = worker->weft && project_open(&worker->project, work->imports, work->inputs);
    }
    return worker;
}

static void close_worker(void *own)
{
    Worker *worker = own;
    if (worker && worker->open)
        project_close(&worker->project);
    if (worker)
        weft_free(worker->weft);
    free(worker);
}

static void make_file(void *user, void *own, uint64_t number, void *at)
{
    const FileWork *work = ((const Line *)user)->work;
    Worker *worker = own;
    Slot *slot = at;
    if (number >= work->inputs->count || !worker || !worker->open)
        return;
    FILE *out = open_memstream(&slot->out, &slot->out_len), *err = open_memstream(&slot->err, &slot->err_len);
    if (out && err) {
        Progress none = {0};
        const InputFile *file = &work->inputs->files[number];
        FileTask task = {file->path, file, worker->weft, &worker->project, out, err, &none};
        gather_for(out, work->out, err, stderr);
        slot->code = work->make(work->user, &task, slot->result);
        gather_for(NULL, NULL, NULL, NULL);
        slot->made = true;
    }
    if (out)
        fclose(out);
    if (err)
        fclose(err);
}

static void empty_slot(const FileWork *work, Slot *slot)
{
    if (slot->made)
        work->drop(slot->result);
    free(slot->out);
    free(slot->err);
    memset(slot, 0, sizeof *slot + work->result_size);
}

static bool take_file(void *user, void *at)
{
    Line *line = user;
    const FileWork *work = line->work;
    Slot *slot = at;
    bool made = slot->made;
    progress_clear(work->progress);
    if (made) {
        fwrite(slot->err ? slot->err : "", 1, slot->err_len, stderr);
        fwrite(slot->out ? slot->out : "", 1, slot->out_len, work->out);
        work->take(work->total, slot->result);
    } else
        tell(stderr, "weft: out of memory\n");
    if (!made || slot->code != EXIT_DONE)
        line->code = EXIT_FOUND;
    empty_slot(work, slot);
    progress_tell(work->progress, "files", ++line->taken, work->inputs->count, "");
    return made && line->taken < work->inputs->count && !ferror(work->out);
}

static int side_by_side(const FileWork *work, unsigned jobs)
{
    Line line = {.work = work, .code = EXIT_DONE};
    size_t count = 2 * (size_t)jobs + 2, size = sizeof(Slot) + work->result_size;
    size = (size + alignof(Slot) - 1) / alignof(Slot) * alignof(Slot);
    char *slots = calloc(count, size);
    PoolLine pool = {.user = &line,
                     .open = open_worker,
                     .close = close_worker,
                     .make = make_file,
                     .take = take_file,
                     .slots = slots,
                     .slot_size = size,
                     .slot_count = count};
    if (!slots || !pool_run_in_order(jobs, &pool)) {
        tell(stderr, "weft %s: cannot start a thread\n", work->progress->command);
        line.code = EXIT_FOUND;
    }
    for (size_t i = 0; slots && i < count; i++) /* made, and not taken */
        empty_slot(work, (Slot *)(void *)(slots + i * size));
    free(slots);
    return line.code;
}

static int in_turn(const FileWork *work)
{
    Line line = {.work = work, .code = EXIT_DONE};
    Worker *worker = open_worker(&line);
    void *result = malloc(work->result_size);
    bool able = worker && worker->open && result;
    if (!able) {
        tell(stderr, "weft: out of memory\n");
        line.code = EXIT_FOUND;
    }
    for (size_t i = 0; able && i < work->inputs->count && !ferror(work->out); i++) {
        const InputFile *file = &work->inputs->files[i];
        FileTask task = {file->path, file, worker->weft, &worker->project, work->out, stderr, work->progress};
        memset(result, 0, work->result_size);
        if (work->make(work->user, &task, result) != EXIT_DONE)
            line.code = EXIT_FOUND;
        work->take(work->total, result);
        work->drop(result);
        progress_tell(work->progress, "files", i + 1, work->inputs->count, "");
    }
    free(result);
    close_worker(worker);
    return line.code;
}

int each_file(const FileWork *work, unsigned jobs)
{
    if (!facts_are_fine(work->imports))
        return EXIT_FOUND;
    jobs = pool_jobs(jobs);
    return jobs > 1 && work->inputs->count > 1 ? side_by_side(work, jobs) : in_turn(work);
}
