#include "corpus/stream.h"

#include "base/array.h"
#include "base/pool.h"
#include "corpus/batch.h"
#include "corpus/details.h"
#include "corpus/each_record.h"
#include "corpus/hash_set.h"
#include "corpus/manifest.h"
#include "corpus/writer.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WAITING = 1024, FIRST_CAPACITY = 4096 };

/* A record that nobody has taken yet. */
typedef struct Waiting {
    char *line;
    size_t len;
    uint64_t next; /* the candidate behind it */
} Waiting;

struct RecordStream {
    pid_t owner;
    RecordReader *reader; /* of a data set; NULL: invented */
    CorpusOptions options;
    unsigned jobs;
    bool has_thread;
    pthread_t thread; /* takes what the pool makes, and keeps what is new */
    uint64_t first;   /* candidate that it begins with; candidates are counted within the piece */

    /* For that thread alone, once it has started. */
    HashSet known;
    uint64_t candidates, made, rejected_in_a_row;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t news, room;
    Waiting waiting[MOST_WAITING]; /* a ring */
    uint64_t added, taken;
    uint64_t *keys; /* of all records, also of those that wait */
    size_t key_count, key_cap;
    atomic_int stop;
    bool ended;
    CorpusError error;

    /* For the consumer. */
    char *line;
    uint64_t next;    /* the candidate behind the last record that was taken */
    uint64_t skipped; /* records before the place that it was brought to */
    bool slim;        /* without details */
};

/* ---- the thread ---- */

/* Twice as large, where it is full. */
static bool make_room(HashSet *set, const uint64_t *keys, size_t count)
{
    HashSet larger;
    if (!hash_set_is_full(set))
        return true;
    if (!hash_set_init(&larger, set->capacity * 2, false))
        return false;
    for (size_t i = 0; i < count; i++)
        hash_set_add(&larger, keys[i]);
    hash_set_free(set);
    *set = larger;
    return true;
}

/* Waits for room, and puts the record there. False: the stream is not wanted any more. */
static bool add_waiting(RecordStream *stream, Waiting record, uint64_t key)
{
    pthread_mutex_lock(&stream->lock);
    while (!stream->stop && stream->added == stream->taken + MOST_WAITING)
        pthread_cond_wait(&stream->room, &stream->lock);
    bool wanted = !stream->stop;
    if (wanted) {
        stream->keys[stream->key_count++] = key; /* take_candidate has made room */
        stream->waiting[stream->added++ % MOST_WAITING] = record;
        pthread_cond_signal(&stream->news);
    }
    pthread_mutex_unlock(&stream->lock);
    if (!wanted)
        free(record.line);
    return wanted;
}

static bool has_room_for_key(RecordStream *stream)
{
    pthread_mutex_lock(&stream->lock); /* whoever asks for the place reads the keys */
    bool has = ARRAY_ROOM(stream->keys, stream->key_count, stream->key_cap);
    pthread_mutex_unlock(&stream->lock);
    return has;
}

/* False: there is nothing more to do, or it failed. */
static bool take_candidate(void *user, const Candidate *candidate, const char *text)
{
    RecordStream *stream = user;
    uint64_t key = candidate_key(&stream->options, candidate);
    Text line;
    stream->candidates++;
    if (candidate->reason || hash_set_has(&stream->known, key)) {
        if (++stream->rejected_in_a_row < HOPELESS)
            return true;
        return corpus_fail(&stream->error, "no new kernel among %d candidates in a row: these options yield no others",
                           HOPELESS);
    }
    stream->rejected_in_a_row = 0;
    if (!has_room_for_key(stream) || !make_room(&stream->known, stream->keys, stream->key_count))
        return corpus_fail(&stream->error, "out of memory");
    text_init(&line);
    write_record_head(stream->made, SPLIT_TRAIN, &line);
    text_add(&line, text, candidate->len);
    text_char(&line, '\0');
    if (line.failed)
        return corpus_fail(&stream->error, "out of memory");
    hash_set_add(&stream->known, key);
    stream->made++;
    return add_waiting(stream, (Waiting){line.data, line.len - 1, stream->candidates}, key) &&
           (!stream->options.count || stream->made < stream->options.count);
}

static void *produce(void *user)
{
    RecordStream *stream = user;
    CandidateLine line = {.options = &stream->options,
                          .first = stream->first,
                          .stop = &stream->stop,
                          .take = take_candidate,
                          .user = stream};
    candidates_in_order(&line, stream->jobs, &stream->error);
    pthread_mutex_lock(&stream->lock);
    stream->ended = true;
    pthread_cond_signal(&stream->news);
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

/* ---- making and freeing ---- */

static RecordStream *stream_new(CorpusError *error)
{
    RecordStream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        corpus_fail(error, "out of memory");
        return NULL;
    }
    stream->owner = getpid();
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->room, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&stream->news, &attributes);
    pthread_condattr_destroy(&attributes);
    return stream;
}

RecordStream *stream_of_invented(const CorpusOptions *options, unsigned jobs, CorpusError *error)
{
    RecordStream *stream = stream_new(error);
    if (!stream)
        return NULL;
    stream->options = *options;
    stream->jobs = pool_jobs(jobs);
    if (hash_set_init(&stream->known, FIRST_CAPACITY, false))
        return stream;
    corpus_fail(error, "out of memory");
    stream_free(stream);
    return NULL;
}

RecordStream *stream_of_set(const char *dir, int split, CorpusError *error)
{
    RecordStream *stream = stream_new(error);
    if (!stream)
        return NULL;
    stream->reader = record_reader_open(dir, NULL, split, error);
    if (stream->reader)
        return stream;
    stream_free(stream);
    return NULL;
}

void stream_columns(const RecordStream *stream, Column *list)
{
    const CorpusOptions *options = stream->reader ? record_reader_options(stream->reader) : &stream->options;
    columns_of(options, stream->slim && has_details(options) ? PART_MAIN : PART_WHOLE, list);
}

void stream_slim(RecordStream *stream)
{
    stream->slim = true;
    if (stream->reader)
        record_reader_slim(stream->reader);
}

bool stream_is_foreign(const RecordStream *stream)
{
    return stream->owner != getpid();
}

void stream_free(RecordStream *stream)
{
    if (!stream || stream_is_foreign(stream)) /* also closing a file would move the parent's place in it */
        return;
    if (stream->has_thread) {
        pthread_mutex_lock(&stream->lock);
        stream->stop = true;
        pthread_cond_signal(&stream->room);
        pthread_mutex_unlock(&stream->lock);
        pthread_join(stream->thread, NULL);
    }
    for (; stream->taken < stream->added; stream->taken++)
        free(stream->waiting[stream->taken % MOST_WAITING].line);
    record_reader_close(stream->reader);
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->news);
    pthread_cond_destroy(&stream->room);
    hash_set_free(&stream->known);
    free(stream->keys);
    free(stream->line);
    free(stream);
}

/* ---- taking ---- */

static bool start(RecordStream *stream, CorpusError *error)
{
    if (stream->has_thread || stream->ended)
        return true;
    stream->first = stream->candidates = stream->next;
    stream->made = stream->key_count;
    stream->ended = stream->options.count && stream->made >= stream->options.count;
    if (!stream->ended && pthread_create(&stream->thread, NULL, produce, stream) != 0)
        return corpus_fail(error, "cannot start a thread");
    stream->has_thread = !stream->ended;
    return true;
}

/* Until there is a record or the end; false: not within so many seconds. With the lock held. */
static bool wait_for_news(RecordStream *stream, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)((seconds - whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    while (stream->added == stream->taken && !stream->ended)
        if (pthread_cond_timedwait(&stream->news, &stream->lock, &until) == ETIMEDOUT)
            return stream->added != stream->taken || stream->ended;
    return true;
}

static StreamNext next_invented(RecordStream *stream, double seconds, size_t *len, CorpusError *error)
{
    if (!start(stream, error))
        return STREAM_FAILED;
    StreamNext found = STREAM_LATER;
    pthread_mutex_lock(&stream->lock);
    if (wait_for_news(stream, seconds)) {
        found = STREAM_END;
        if (stream->added != stream->taken) {
            const Waiting *record = &stream->waiting[stream->taken++ % MOST_WAITING];
            free(stream->line);
            stream->line = record->line;
            stream->next = record->next;
            *len = record->len;
            found = STREAM_RECORD;
            pthread_cond_signal(&stream->room);
        } else if (stream->error.message[0]) {
            *error = stream->error;
            found = STREAM_FAILED;
        }
    }
    pthread_mutex_unlock(&stream->lock);
    return found;
}

StreamNext stream_next(RecordStream *stream, double seconds, const char **line, size_t *len, CorpusError *error)
{
    if (stream_is_foreign(stream))
        return corpus_fail(error, STREAM_IS_FOREIGN), STREAM_FAILED;
    if (!stream->reader) {
        StreamNext found = next_invented(stream, seconds, len, error);
        *line = stream->line;
        return found;
    }
    Split split;
    *line = record_reader_next(stream->reader, len, &split, error);
    return *line ? STREAM_RECORD : error->message[0] ? STREAM_FAILED : STREAM_END;
}

/* ---- places ---- */

/* The head of a place; the keys of the records taken follow. */
typedef struct PlaceHead {
    char magic[8];
    uint64_t options; /* a hash of them and of the generator: elsewhere, other records would follow */
    uint64_t next, records;
} PlaceHead;

static PlaceHead head_of(const RecordStream *stream)
{
    char generator[24];
    Text text;
    PlaceHead head = {.magic = "weft-at", .next = stream->next, .records = stream->taken + stream->skipped};
    text_init(&text);
    generator_fingerprint(generator);
    corpus_options_json(&stream->options, &text);
    text_str(&text, generator);
    head.options = text.failed ? 0 : XXH3_64bits(text.data, text.len);
    text_free(&text);
    return head;
}

bool stream_place(RecordStream *stream, Text *out, CorpusError *error)
{
    if (stream_is_foreign(stream))
        return corpus_fail(error, STREAM_IS_FOREIGN);
    if (stream->reader)
        return corpus_fail(error, "only a stream of invented kernels has a place");
    pthread_mutex_lock(&stream->lock);
    PlaceHead head = head_of(stream);
    text_add(out, (const char *)&head, sizeof head);
    text_add(out, (const char *)stream->keys, head.records * sizeof *stream->keys);
    pthread_mutex_unlock(&stream->lock);
    return !out->failed || corpus_fail(error, "out of memory");
}

bool stream_go_to(RecordStream *stream, const char *place, size_t len, CorpusError *error)
{
    if (stream_is_foreign(stream))
        return corpus_fail(error, STREAM_IS_FOREIGN);
    PlaceHead head, own = head_of(stream);
    if (stream->reader || stream->has_thread || stream->key_count)
        return corpus_fail(error, "only a stream of invented kernels that has not been read yet can go to a place");
    if (len >= sizeof head)
        memcpy(&head, place, sizeof head);
    if (len < sizeof head || memcmp(head.magic, own.magic, sizeof own.magic) != 0 ||
        (len - sizeof head) / sizeof *stream->keys != head.records || len % sizeof *stream->keys != 0)
        return corpus_fail(error, "this is not a place in a stream");
    if (head.options != own.options)
        return corpus_fail(error, "this place is of a stream with other options, or of another version of weft");
    for (uint64_t i = 0; i < head.records; i++) {
        uint64_t key;
        memcpy(&key, place + sizeof head + i * sizeof key, sizeof key);
        if (!has_room_for_key(stream) || !make_room(&stream->known, stream->keys, stream->key_count))
            return corpus_fail(error, "out of memory");
        stream->keys[stream->key_count++] = key;
        hash_set_add(&stream->known, key);
    }
    stream->next = head.next;
    stream->skipped = head.records;
    return true;
}
