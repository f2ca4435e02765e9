/* Files of an export: rows go in as lines of JSON, and out as lines or as Parquet. */
#include "base/safe_file.h"
#include "corpus/export.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define PART ".part"
enum { FLUSH_BYTES = 1 << 20 };

bool export_files_init(ExportFiles *files)
{
    files->fd = -1;
    return !files->columns || parquet_init(&files->parquet, files->columns);
}

void export_files_free(ExportFiles *files)
{
    if (files->fd >= 0)
        close(files->fd);
    if (files->columns)
        parquet_free(&files->parquet);
    text_free(&files->text);
    files->fd = -1;
}

static bool fail(const ExportFiles *files, CorpusError *error)
{
    return corpus_fail(error, "cannot write to %s/%s: %s", files->dir, files->folder, strerror(errno));
}

static void file_name(const ExportFiles *files, uint32_t number, const char *suffix, char name[SHARD_NAME_SIZE])
{
    snprintf(name, SHARD_NAME_SIZE, "%s-%05u.%s%s", split_name(files->split), number,
             files->columns ? "parquet" : "jsonl", suffix);
}

static bool open_next(ExportFiles *files, CorpusError *error)
{
    char name[SHARD_NAME_SIZE];
    file_name(files, files->count, PART, name);
    files->fd = file_create(files->dir_fd, name);
    if (files->fd < 0)
        return fail(files, error);
    files->count++;
    files->file_rows = 0;
    if (files->columns) {
        parquet_begin(&files->parquet);
        text_lit(&files->text, PARQUET_MAGIC);
    }
    return true;
}

static bool flush(ExportFiles *files, CorpusError *error)
{
    if (files->text.failed)
        return corpus_fail(error, "out of memory");
    if (!write_fully(files->fd, files->text.data, files->text.len))
        return fail(files, error);
    files->text.len = 0;
    return true;
}

bool export_files_add(ExportFiles *files, const char *line, CorpusError *error)
{
    if (files->fd < 0 && !open_next(files, error))
        return false;
    files->rows++;
    files->file_rows++;
    if (!files->columns) {
        text_str(&files->text, line);
        text_char(&files->text, '\n');
    } else if (!leaves_add(&files->parquet.leaves, line))
        return corpus_fail(error, "a row does not fit its columns, or memory ran out");
    else if (files->parquet.leaves.rows == PARQUET_GROUP_ROWS && !parquet_add_group(&files->parquet, &files->text))
        return corpus_fail(error, "out of memory");
    if (files->text.len > FLUSH_BYTES && !flush(files, error))
        return false;
    return files->file_rows < EXPORT_FILE_ROWS || export_files_close(files, error);
}

bool export_files_close(ExportFiles *files, CorpusError *error)
{
    if (files->fd < 0)
        return true;
    if (files->columns) {
        if (files->parquet.leaves.rows && !parquet_add_group(&files->parquet, &files->text))
            return corpus_fail(error, "out of memory");
        parquet_end(&files->parquet, &files->text);
    }
    if (!flush(files, error))
        return false;
    bool synced = fsync(files->fd) == 0;
    bool closed = close(files->fd) == 0;
    files->fd = -1;
    return (synced && closed) || fail(files, error);
}

bool export_files_name(const ExportFiles *files, CorpusError *error)
{
    for (uint32_t number = 0; number < files->count; number++) {
        char part[SHARD_NAME_SIZE], name[SHARD_NAME_SIZE];
        file_name(files, number, PART, part);
        file_name(files, number, "", name);
        if (renameat(files->dir_fd, part, files->dir_fd, name) != 0)
            return fail(files, error);
    }
    return !files->count || fsync(files->dir_fd) == 0 || fail(files, error);
}
