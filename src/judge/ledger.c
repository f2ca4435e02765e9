#include "judge/ledger.h"

#include "base/json.h"
#include "base/safe_file.h"
#include "corpus/shard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- the table ---- */

static LedgerPlace *seek(const Ledger *ledger, const unsigned char hash[LEDGER_HASH])
{
    uint32_t at;
    memcpy(&at, hash, sizeof at);
    for (;; at++) {
        LedgerPlace *place = &ledger->places[at & (ledger->cap - 1)];
        if (!place->len || memcmp(place->hash, hash, LEDGER_HASH) == 0)
            return place;
    }
}

/* Room for one more. */
static bool make_room(Ledger *ledger)
{
    Ledger larger = {.cap = ledger->cap ? 2 * ledger->cap : 1024};
    if (ledger->cap && ledger->count < ledger->cap / 2)
        return true;
    larger.places = calloc(larger.cap, sizeof *larger.places);
    if (!larger.places)
        return false;
    for (uint32_t i = 0; i < ledger->cap; i++)
        if (ledger->places[i].len)
            *seek(&larger, ledger->places[i].hash) = ledger->places[i];
    free(ledger->places);
    ledger->places = larger.places;
    ledger->cap = larger.cap;
    return true;
}

static void note(Ledger *ledger, const unsigned char hash[LEDGER_HASH], uint64_t offset, uint32_t len)
{
    LedgerPlace *place = seek(ledger, hash);
    ledger->count += !place->len;
    memcpy(place->hash, hash, LEDGER_HASH);
    place->offset = offset;
    place->len = len;
}

const LedgerPlace *ledger_find(const Ledger *ledger, const unsigned char hash[LEDGER_HASH])
{
    const LedgerPlace *place = ledger->cap ? seek(ledger, hash) : NULL;
    return place && place->len ? place : NULL;
}

/* ---- hashes ---- */

void ledger_hash_text(const unsigned char hash[LEDGER_HASH], char text[2 * LEDGER_HASH + 1])
{
    for (int i = 0; i < LEDGER_HASH; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

static bool read_hash(const char *text, unsigned char hash[LEDGER_HASH])
{
    unsigned byte;
    if (strlen(text) != 2 * LEDGER_HASH || strspn(text, "0123456789abcdef") != 2 * LEDGER_HASH)
        return false;
    for (int i = 0; i < LEDGER_HASH && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
        hash[i] = (unsigned char)byte;
    return true;
}

/* ---- the file ---- */

/* A line that is there already. */
static bool take_line(Ledger *ledger, const char *line, size_t len)
{
    static const char *const members[] = {"hash", NULL};
    unsigned char hash[LEDGER_HASH];
    json_t *object = json_read_members(line, len - 1, members);
    bool fine = read_hash(json_member_string(object, "hash"), hash) && make_room(ledger);
    json_decref(object);
    if (fine)
        note(ledger, hash, ledger->size, (uint32_t)len);
    return fine;
}

static bool read_lines(Ledger *ledger, FILE *file, const char *path, const Text *head, CorpusError *error)
{
    char *line = NULL;
    size_t size = 0, number = 0;
    bool fine = true;
    ssize_t len_of_rest = 0;
    for (ssize_t len; fine && (len = len_of_rest = getline(&line, &size, file)) > 0 && line[len - 1] == '\n';) {
        bool is_head = (size_t)len == head->len + 1 && memcmp(line, head->data, head->len) == 0;
        number++;
        if (number == 1 && !is_head)
            fine = corpus_fail(error, "%s is of another judge: another version, key, limit or way of running answers",
                               path);
        else if (number > 1 && !take_line(ledger, line, (size_t)len))
            fine = corpus_fail(error, "%s:%zu: this is not a result of a judge", path, number);
        ledger->size += fine ? (size_t)len : 0;
    }
    bool is_begun = size && len_of_rest > 0 && number == 0; /* no whole line: what a killed run has left of the head? */
    if (is_begun && ((size_t)len_of_rest > head->len || memcmp(line, head->data, (size_t)len_of_rest) != 0))
        fine = corpus_fail(error, "%s is no journal of a judge", path);
    free(line);
    return fine;
}

static bool begin(Ledger *ledger, const char *path, const Text *head, CorpusError *error)
{
    Text line;
    text_init(&line);
    text_add(&line, head->data, head->len);
    text_char(&line, '\n');
    bool cut = ftruncate(ledger->fd, (off_t)ledger->size) == 0;
    bool fine = cut && (ledger->size || (!line.failed && write_fully(ledger->fd, line.data, line.len)));
    ledger->size += ledger->size ? 0 : line.len;
    text_free(&line);
    return fine || corpus_fail(error, "%s cannot be written: %s", path, strerror(errno));
}

bool ledger_open(Ledger *ledger, const char *path, const Text *head, CorpusError *error)
{
    *ledger = (Ledger){.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND | O_NONBLOCK, 0644)};
    int copy = ledger->fd >= 0 ? dup(ledger->fd) : -1;
    FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
    bool fine = file && lseek(ledger->fd, 0, SEEK_END) >= 0; /* no pipe */
    if (!fine)
        corpus_fail(error, "%s cannot be written: %s", path, strerror(errno));
    else if (flock(ledger->fd, LOCK_EX | LOCK_NB) != 0)
        fine = corpus_fail(error, "another weft writes to %s", path);
    else {
        rewind(file);
        fine = read_lines(ledger, file, path, head, error) && begin(ledger, path, head, error);
    }
    if (file)
        fclose(file);
    if (!fine)
        ledger_close(ledger);
    return fine;
}

void ledger_close(Ledger *ledger)
{
    if (ledger->fd >= 0)
        close(ledger->fd);
    free(ledger->places);
    *ledger = (Ledger){.fd = -1};
}

bool ledger_add(Ledger *ledger, const unsigned char hash[LEDGER_HASH], const Text *line)
{
    if (ledger->is_broken || line->failed || line->len >= UINT32_MAX || !make_room(ledger))
        return false;
    if (!write_fully(ledger->fd, line->data, line->len)) {
        ledger->is_broken = ftruncate(ledger->fd, (off_t)ledger->size) != 0;
        return false;
    }
    note(ledger, hash, ledger->size, (uint32_t)line->len);
    ledger->size += line->len;
    return true;
}

bool ledger_sync(const Ledger *ledger)
{
    return fdatasync(ledger->fd) == 0;
}

bool ledger_read(const Ledger *ledger, const LedgerPlace *place, Text *line)
{
    size_t done = 0;
    if (!text_reserve(line, place->len))
        return false;
    while (done < place->len) {
        ssize_t got =
            pread(ledger->fd, line->data + line->len + done, place->len - done, (off_t)(place->offset + done));
        if (got <= 0 && errno != EINTR)
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    line->len += done;
    return true;
}
