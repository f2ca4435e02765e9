#include "corpus/frame.h"
#include "corpus/details.h"

#include <pthread.h>
#include <stdlib.h>
#include <zstd.h>

/* Records without details resemble one another: level 9 makes them a quarter smaller than level 1, and takes 0.4 ms per
 * record. Details are mostly random numbers: level 3 would make them 2 % smaller in twice the time. */
enum { LEVEL_MAIN = 9, LEVEL_DETAILS = 1 };

static bool part_packer_init(PartPacker *packer, const CorpusOptions *options, RecordPart part, bool parquet)
{
    columns_of(options, part, packer->columns);
    if (parquet) {
        packer->parquet = calloc(1, sizeof *packer->parquet);
        return packer->parquet && parquet_init(packer->parquet, packer->columns);
    }
    packer->zstd = ZSTD_createCCtx();
    if (!packer->zstd)
        return false;
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, part == PART_MAIN ? LEVEL_MAIN : LEVEL_DETAILS);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
    return true;
}

bool frame_packer_init(FramePacker *packer, const CorpusOptions *options, bool parquet)
{
    *packer = (FramePacker){0};
    if (!has_details(options))
        return part_packer_init(&packer->parts[PART_WHOLE], options, PART_WHOLE, parquet);
    return part_packer_init(&packer->parts[PART_MAIN], options, PART_MAIN, parquet) &&
           part_packer_init(&packer->parts[PART_DETAILS], options, PART_DETAILS, parquet);
}

void frame_packer_free(FramePacker *packer)
{
    for (int part = 0; part <= PART_DETAILS; part++) {
        PartPacker *own = &packer->parts[part];
        ZSTD_freeCCtx(own->zstd);
        if (own->parquet)
            parquet_free(own->parquet);
        free(own->parquet);
    }
}

static bool pack_lines(PartPacker *packer, ShardFrame *frame)
{
    size_t room = ZSTD_compressBound(frame->lines.len);
    if (!packer->zstd || !text_reserve(&frame->packed, room))
        return false;
    size_t len = ZSTD_compress2(packer->zstd, frame->packed.data, room, frame->lines.data, frame->lines.len);
    frame->packed.len = ZSTD_isError(len) ? 0 : len;
    return !ZSTD_isError(len);
}

static bool pack_row_group(ParquetFile *packer, ShardFrame *frame)
{
    const char *line = text_cstr(&frame->lines), *end = line + frame->lines.len;
    for (; line < end; line = strchr(line, '\n') + 1)
        if (!leaves_add(&packer->leaves, line))
            return false;
    return parquet_pack_group(packer, &frame->packed, &frame->group);
}

void frame_pack(FramePacker *all, ShardFrame *frame)
{
    PartPacker *packer = &all->parts[frame->part];
    frame->packed.len = 0;
    bool fine = packer->parquet ? pack_row_group(packer->parquet, frame) : pack_lines(packer, frame);
    frame->packed.failed |= !fine;
}

void frame_free(ShardFrame *frame)
{
    if (!frame)
        return;
    text_free(&frame->lines);
    text_free(&frame->packed);
    parquet_group_free(&frame->group);
    free(frame);
}

/* ---- threads ---- */

struct Packers {
    pthread_mutex_t lock;
    pthread_cond_t given, packed;
    ShardFrame *first, *last; /* to pack */
    bool stop, parquet;
    const CorpusOptions *options;
    unsigned count;
    pthread_t threads[];
};

static void *pack_frames(void *user)
{
    Packers *packers = user;
    FramePacker packer;
    bool can_pack = frame_packer_init(&packer, packers->options, packers->parquet);
    pthread_mutex_lock(&packers->lock);
    for (;;) {
        while (!packers->first && !packers->stop)
            pthread_cond_wait(&packers->given, &packers->lock);
        ShardFrame *frame = packers->first;
        if (!frame)
            break;
        packers->first = frame->next_to_pack;
        pthread_mutex_unlock(&packers->lock);
        if (can_pack)
            frame_pack(&packer, frame);
        else
            frame->packed.failed = true;
        pthread_mutex_lock(&packers->lock);
        frame->is_packed = true;
        pthread_cond_signal(&packers->packed);
    }
    pthread_mutex_unlock(&packers->lock);
    frame_packer_free(&packer);
    return NULL;
}

Packers *packers_open(unsigned threads, const CorpusOptions *options, bool parquet)
{
    Packers *packers = calloc(1, sizeof *packers + threads * sizeof *packers->threads);
    if (!packers)
        return NULL;
    packers->parquet = parquet;
    packers->options = options;
    pthread_mutex_init(&packers->lock, NULL);
    pthread_cond_init(&packers->given, NULL);
    pthread_cond_init(&packers->packed, NULL);
    while (packers->count < threads &&
           pthread_create(&packers->threads[packers->count], NULL, pack_frames, packers) == 0)
        packers->count++;
    if (packers->count)
        return packers;
    packers_close(packers);
    return NULL;
}

void packers_close(Packers *packers)
{
    if (!packers)
        return;
    pthread_mutex_lock(&packers->lock);
    packers->stop = true;
    pthread_cond_broadcast(&packers->given);
    pthread_mutex_unlock(&packers->lock);
    for (unsigned i = 0; i < packers->count; i++)
        pthread_join(packers->threads[i], NULL);
    pthread_mutex_destroy(&packers->lock);
    pthread_cond_destroy(&packers->given);
    pthread_cond_destroy(&packers->packed);
    free(packers);
}

unsigned packers_count(const Packers *packers)
{
    return packers->count;
}

void packers_give(Packers *packers, ShardFrame *frame)
{
    pthread_mutex_lock(&packers->lock);
    frame->is_packed = false;
    frame->next_to_pack = NULL;
    if (packers->first)
        packers->last->next_to_pack = frame;
    else
        packers->first = frame;
    packers->last = frame;
    pthread_cond_signal(&packers->given);
    pthread_mutex_unlock(&packers->lock);
}

void packers_wait(Packers *packers, ShardFrame *frame)
{
    pthread_mutex_lock(&packers->lock);
    while (!frame->is_packed)
        pthread_cond_wait(&packers->packed, &packers->lock);
    pthread_mutex_unlock(&packers->lock);
}
