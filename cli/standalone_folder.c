/* The folder that programs go to, and its manifest, with the promises that data sets have: nothing of another run is mixed in or
 * overwritten, and an interrupted run goes on.
 *
 * A program is written as .part-NAME. At a checkpoint all is synced, the manifest with the new programs replaces the old one, and
 * the folders get their names. So a folder that the manifest names is there under one of its two names, and another .part-… is
 * the rest of a run that was ended. */
#include "standalone.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "corpus/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART ".part-"
#define SUMMARY_NAME "production_summary.json"
enum { CHECKPOINT = 25 }; /* programs */

/* ---- files ---- */

static const char *file_name(const Made *made, ProgramFile file, char name[256])
{
    static const char *const ends[PROGRAM_FILES] = {".py", ".cu"}, *const others[PROGRAM_FILES] = {
                                                                       [FILE_MAKEFILE] = "Makefile",
                                                                       [FILE_METADATA] = "metadata.json",
                                                                       [FILE_SHIM] = "weft_cpu_shim.h",
                                                                       [FILE_HEADER] = "weft_math.cuh"};
    if (others[file])
        return others[file];
    snprintf(name, 256, "%.*s%s", (int)made->stem.len, made->stem.data, ends[file]);
    return name;
}

static bool write_bytes(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool write_files(const ProgramFolder *folder, const Made *made, const char *part, CorpusError *error)
{
    char name[256], path[600];
    if (mkdirat(folder->fd, part, 0777) != 0 && errno != EEXIST)
        return corpus_fail(error, "cannot make the folder %s/%s: %s", folder->dir, part, strerror(errno));
    for (int i = 0; i < PROGRAM_FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", part, file_name(made, (ProgramFile)i, name));
        int fd = openat(folder->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        bool done = fd >= 0 && write_bytes(fd, made->files[i].data, made->files[i].len);
        int why = errno;
        if (fd >= 0 && close(fd) != 0 && done) {
            done = false;
            why = errno;
        }
        if (!done)
            return corpus_fail(error, "cannot write %s/%s: %s", folder->dir, path, strerror(why));
    }
    return true;
}

static void remove_folder(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        unlinkat(fd, entry->d_name, 0);
    if (list)
        closedir(list);
    unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* ---- hashes ---- */

static void add_hash(const Text *all, Text *out)
{
    unsigned char hash[32];
    sha256(all->data, all->len, hash);
    for (int i = 0; i < 16; i++)
        text_format(out, "%02x", hash[i]);
}

static void hash_made(const Made *made, Text *out)
{
    Text all;
    char name[256];
    text_init(&all);
    for (int i = 0; i < PROGRAM_FILES; i++) {
        text_format(&all, "%s %zu\n", file_name(made, (ProgramFile)i, name), made->files[i].len);
        text_add(&all, made->files[i].data, made->files[i].len);
    }
    add_hash(&all, out);
    text_free(&all);
}

/* False: a file is missing or cannot be read. */
static bool hash_folder(const ProgramFolder *folder, const char *name, const char *stem, Text *out)
{
    Made made;
    bool done = true;
    char file[256], path[600];
    made_init(&made);
    text_str(&made.stem, stem);
    for (int i = 0; i < PROGRAM_FILES && done; i++) {
        CorpusError ignored;
        size_t length = 0;
        snprintf(path, sizeof path, "%s/%s", name, file_name(&made, (ProgramFile)i, file));
        char *bytes = read_small_file(folder->fd, folder->dir, path, LIMIT_COMPANION_BYTES, &length, &ignored);
        done = bytes != NULL;
        if (done)
            text_add(&made.files[i], bytes, length);
        free(bytes);
    }
    if (done)
        hash_made(&made, out);
    made_free(&made);
    return done;
}

/* ---- the manifest ---- */

static void add_list(Text *out, const char *name, const Text *items)
{
    text_format(out, ",\n  \"%s\": [", name);
    text_add(out, items->data, items->len);
    text_str(out, items->len ? "\n  ]" : "]");
}

static void add_counts(const ProgramFolder *folder, Text *out)
{
    bool any = false;
    text_format(out, "  \"total_samples\": %u,\n  \"with_backward\": %u,\n  \"refused\": %u", folder->written,
                folder->backward, folder->refused);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (folder->by_category[i]) {
            text_format(out, "%s\"%s\": %u", any ? ", " : ",\n  \"by_category\": {", category_name((CategoryId)i),
                        folder->by_category[i]);
            any = true;
        }
    text_str(out, any ? "}" : "");
}

static bool write_manifest(const ProgramFolder *folder, CorpusError *error)
{
    Text out;
    text_init(&out);
    text_format(&out, "{\n  \"options\": %.*s,\n  \"complete\": %s,\n  \"next\": %llu,\n", (int)folder->options.len,
                folder->options.data, folder->complete ? "true" : "false", (unsigned long long)folder->next);
    add_counts(folder, &out);
    add_list(&out, "programs", &folder->programs);
    add_list(&out, "refusals", &folder->refusals);
    text_lit(&out, "\n}\n");
    bool done = write_file_safely(folder->fd, folder->dir, MANIFEST_NAME, out.data, out.len, error);
    text_free(&out);
    return done;
}

static bool write_summary(const ProgramFolder *folder, CorpusError *error)
{
    Text out;
    text_init(&out);
    text_lit(&out, "{\n");
    add_counts(folder, &out);
    add_list(&out, "refusals", &folder->refusals);
    text_format(&out, ",\n  \"weft_version\": \"%s\"\n}\n", weft_version());
    bool done = write_file_safely(folder->fd, folder->dir, SUMMARY_NAME, out.data, out.len, error);
    text_free(&out);
    return done;
}

static const char *string_of(const json_t *item, const char *name)
{
    return json_string_value(json_object_get(item, name));
}

static void add_item(Text *list, const json_t *item)
{
    text_str(list, list->len ? ",\n    " : "\n    ");
    json_write(item, list);
}

/* A program of the manifest is there, unchanged; it may have to get its name. */
static bool continue_program(ProgramFolder *folder, json_t *item, CorpusError *error)
{
    const char *name = string_of(item, "folder"), *stem = string_of(item, "stem"), *hash = string_of(item, "hash");
    const char *category = string_of(item, "category");
    char part[300];
    if (!name || !stem || !hash || strchr(name, '/') || strchr(stem, '/') || strlen(name) > 250 || strlen(stem) > 250)
        return corpus_fail(error, "%s/" MANIFEST_NAME " is not a weft manifest", folder->dir);
    snprintf(part, sizeof part, PART "%s", name);
    if (faccessat(folder->fd, name, F_OK, 0) != 0 && renameat(folder->fd, part, folder->fd, name) != 0)
        return corpus_fail(error, "%s/%s is missing, but the manifest names it", folder->dir, name);
    Text found;
    text_init(&found);
    bool same = hash_folder(folder, name, stem, &found) && strlen(hash) == found.len &&
                memcmp(hash, found.data, found.len) == 0;
    text_free(&found);
    if (!same)
        return corpus_fail(error, "%s/%s does not match the manifest: it was changed", folder->dir, name);
    add_item(&folder->programs, item);
    folder->written++;
    folder->backward += json_is_true(json_object_get(item, "backward"));
    for (int i = 0; category && i < CATEGORY_COUNT; i++)
        folder->by_category[i] += strcmp(category_name((CategoryId)i), category) == 0;
    return true;
}

static bool is_named(json_t *programs, const char *name)
{
    json_t *item;
    size_t index;
    json_array_foreach(programs, index, item)
    {
        const char *folder = string_of(item, "folder");
        if (folder && strcmp(folder, name) == 0)
            return true;
    }
    return false;
}

/* Removes what an ended run has left; anything else that the manifest does not name is somebody's. */
static bool check_strangers(const ProgramFolder *folder, json_t *programs, CorpusError *error)
{
    static const char *const ours[] = {
        ".", "..", MANIFEST_NAME, MANIFEST_NAME ".tmp", SUMMARY_NAME, SUMMARY_NAME ".tmp", LOCK_NAME};
    int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    bool fine = list != NULL || corpus_fail(error, "cannot read the folder %s: %s", folder->dir, strerror(errno));
    for (struct dirent *entry; fine && (entry = readdir(list));) {
        const char *name = entry->d_name;
        bool known = is_named(programs, name);
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            known |= strcmp(name, ours[i]) == 0;
        if (known)
            continue;
        if (strncmp(name, PART, strlen(PART)) == 0)
            remove_folder(folder->fd, name);
        else
            fine = corpus_fail(error, "%s/%s does not belong to this run: move it away, or use another folder",
                               folder->dir, name);
    }
    if (list)
        closedir(list);
    return fine;
}

static bool same_options(const ProgramFolder *folder, const json_t *manifest, CorpusError *error)
{
    json_t *wanted = json_read(folder->options.data, folder->options.len), *item;
    json_t *found = json_object_get(manifest, "options");
    const char *which = "options", *key;
    bool same = json_equal(wanted, found);
    json_object_foreach(wanted, key, item)
    {
        if (same || json_equal(item, json_object_get(found, key)))
            continue;
        which = key;
        break;
    }
    if (!same)
        corpus_fail(error, "%s holds programs of a run with other options: \"%s\" differs", folder->dir, which);
    json_decref(wanted);
    return same;
}

static bool continue_manifest(ProgramFolder *folder, json_t *manifest, CorpusError *error)
{
    json_t *programs = json_object_get(manifest, "programs"), *next = json_object_get(manifest, "next"), *item;
    size_t index;
    if (!json_is_array(programs) || !json_is_integer(next) || json_integer_value(next) < 0 ||
        !same_options(folder, manifest, error))
        return error->message[0] ? false
                                 : corpus_fail(error, "%s/" MANIFEST_NAME " is not a weft manifest", folder->dir);
    json_array_foreach(programs, index, item)
    {
        if (!continue_program(folder, item, error))
            return false;
    }
    json_array_foreach(json_object_get(manifest, "refusals"), index, item)
    {
        add_item(&folder->refusals, item);
        folder->refused++;
    }
    folder->next = (uint64_t)json_integer_value(next);
    folder->complete = json_is_true(json_object_get(manifest, "complete"));
    return check_strangers(folder, programs, error);
}

static bool read_manifest(ProgramFolder *folder, CorpusError *error)
{
    size_t length;
    char *text = read_small_file(folder->fd, folder->dir, MANIFEST_NAME, LIMIT_COMPANION_BYTES, &length, error);
    if (!text)
        return false;
    json_t *manifest = json_read(text, length);
    error->message[0] = '\0';
    bool done = manifest ? continue_manifest(folder, manifest, error)
                         : corpus_fail(error, "%s/" MANIFEST_NAME " is not a weft manifest", folder->dir);
    json_decref(manifest);
    free(text);
    return done;
}

/* ---- the run ---- */

CorpusOutcome programs_open(ProgramFolder *folder, const char *dir, const Text *options, bool resume,
                            CorpusError *error)
{
    *folder = (ProgramFolder){.dir = dir};
    Text *texts[] = {&folder->options, &folder->programs, &folder->refusals, &folder->waiting};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_init(texts[i]);
    text_add(&folder->options, options->data, options->len);
    folder->fd = folder_open_locked(dir, &folder->lock_is_file, error);
    bool empty = true;
    if (folder->fd < 0 || !folder_is_empty(folder->fd, dir, &empty, error))
        return CORPUS_FAILED;
    if (empty)
        return (folder->started = write_manifest(folder, error)) ? CORPUS_DONE : CORPUS_FAILED;
    if (!resume) {
        corpus_fail(error, "%s is not empty: take another folder, or --resume to continue the same run", dir);
        return CORPUS_FAILED;
    }
    if (!read_manifest(folder, error))
        return CORPUS_FAILED;
    return folder->complete ? CORPUS_ALREADY_DONE : CORPUS_DONE;
}

bool programs_has(const ProgramFolder *folder, const char *name)
{
    char part[300];
    snprintf(part, sizeof part, PART "%s", name);
    return faccessat(folder->fd, name, F_OK, 0) == 0 || faccessat(folder->fd, part, F_OK, 0) == 0;
}

static void note_program(ProgramFolder *folder, const Made *made, const char *name)
{
    Text *out = &folder->programs, hash = {0};
    JsonWriter json = {.out = out};
    text_str(out, out->len ? ",\n    " : "\n    ");
    json_open(&json, NULL, '{');
    json_add_string(&json, "folder", name);
    json_add_string_n(&json, "kernel", made->kernel.data, made->kernel.len);
    json_add_string_n(&json, "stem", made->stem.data, made->stem.len);
    json_add_uint(&json, "index", made->index);
    if (made->is_invented)
        json_add_string(&json, "category", category_name(made->category));
    json_add_bool(&json, "backward", made->has_backward);
    hash_made(made, &hash);
    json_add_string_n(&json, "hash", hash.data, hash.len);
    json_close(&json, '}');
    text_free(&hash);
    folder->written++;
    folder->backward += made->has_backward;
    if (made->is_invented)
        folder->by_category[made->category]++;
}

static void note_refusal(ProgramFolder *folder, const Made *made)
{
    Text *out = &folder->refusals;
    JsonWriter json = {.out = out};
    text_str(out, out->len ? ",\n    " : "\n    ");
    json_open(&json, NULL, '{');
    json_add_string_n(&json, "kernel", made->kernel.data, made->kernel.len);
    json_add_uint(&json, "index", made->index);
    json_add_string_n(&json, "reason", made->reason.data, made->reason.len);
    json_close(&json, '}');
    folder->refused++;
}

bool programs_take(ProgramFolder *folder, const Made *made, const char *name, CorpusError *error)
{
    char part[300];
    folder->next++;
    if (made->state == MADE_REFUSAL)
        note_refusal(folder, made);
    if (made->state != MADE_PROGRAM)
        return true;
    if (strlen(name) > 250)
        return corpus_fail(error, "the name %s is too long for a folder", name);
    snprintf(part, sizeof part, PART "%s", name);
    if (!write_files(folder, made, part, error))
        return false;
    note_program(folder, made, name);
    text_add(&folder->waiting, name, strlen(name) + 1);
    return ++folder->since_checkpoint < CHECKPOINT || programs_checkpoint(folder, false, error);
}

bool programs_checkpoint(ProgramFolder *folder, bool complete, CorpusError *error)
{
    char part[300];
    if (syncfs(folder->fd) != 0)
        return corpus_fail(error, "cannot sync %s: %s", folder->dir, strerror(errno));
    for (int last = complete; last >= 0; last--) { /* what is complete has all its names */
        folder->complete = complete && last == 0;
        if (!write_manifest(folder, error))
            return false;
        for (size_t at = 0; at < folder->waiting.len; at += strlen(folder->waiting.data + at) + 1) {
            const char *name = folder->waiting.data + at;
            snprintf(part, sizeof part, PART "%s", name);
            if (renameat(folder->fd, part, folder->fd, name) != 0)
                return corpus_fail(error, "cannot rename %s/%s: %s", folder->dir, part, strerror(errno));
        }
        folder->waiting.len = 0;
    }
    folder->since_checkpoint = 0;
    return !complete || write_summary(folder, error);
}

void programs_close(ProgramFolder *folder)
{
    if (folder->fd >= 0 && folder->started && !folder->written) { /* there is nothing to go on with */
        unlinkat(folder->fd, MANIFEST_NAME, 0);
        unlinkat(folder->fd, SUMMARY_NAME, 0);
    }
    Text *texts[] = {&folder->options, &folder->programs, &folder->refusals, &folder->waiting};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
    if (folder->fd >= 0)
        folder_unlock(folder->fd, folder->lock_is_file);
}
