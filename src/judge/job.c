#include "judge/job.h"

/* ---- writing ---- */

static void put_u32(Text *out, uint32_t value)
{
    text_add(out, (const char *)&value, sizeof value);
}

static void put_bytes_n(Text *out, const char *bytes, size_t len)
{
    put_u32(out, (uint32_t)len);
    text_add(out, bytes, len);
}

static void put_string(Text *out, const char *text)
{
    put_bytes_n(out, text ? text : "", text ? strlen(text) : 0);
}

static void put_launch(Text *out, const JobLaunch *launch)
{
    put_u32(out, launch->entry);
    put_u32(out, launch->threads);
    put_u32(out, launch->block);
    put_u32(out, launch->repeats);
    put_u32(out, launch->buffer_count);
    put_u32(out, launch->param_count);
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        put_bytes_n(out, launch->buffers[i].bytes, launch->buffers[i].size);
    for (uint32_t i = 0; i < launch->param_count; i++) {
        const JobParam *param = &launch->params[i];
        put_bytes_n(out, param->bytes, param->size);
        put_u32(out, param->pointer_count);
        for (uint32_t k = 0; k < param->pointer_count; k++) {
            put_u32(out, param->pointers[k].offset);
            put_u32(out, param->pointers[k].buffer);
        }
    }
}

void job_write(const Job *job, Text *out)
{
    put_u32(out, JOB_MAGIC);
    put_u32(out, (uint32_t)job->mode);
    put_u32(out, job->limits.compile_seconds);
    put_u32(out, job->limits.run_seconds);
    put_u32(out, job->limits.memory_mb);
    put_string(out, job->compiler);
    uint32_t flags = 0;
    while (job->flags && job->flags[flags])
        flags++;
    put_u32(out, flags);
    for (uint32_t i = 0; i < flags; i++)
        put_string(out, job->flags[i]);
    put_bytes_n(out, job->source, job->source_len);
    put_string(out, job->entries[0]);
    put_string(out, job->entries[1]);
    put_u32(out, job->arch);
    put_u32(out, job->plain);
    put_u32(out, job->is_own);
    put_string(out, job->kernel);
    put_string(out, job->warp);
    put_string(out, job->inputs);
    put_u32(out, job->block_dim);
    put_u32(out, job->first_launch);
    put_u32(out, job->launch_count);
    for (uint32_t i = 0; i < job->launch_count; i++)
        put_launch(out, &job->launches[i]);
}

void job_write_request(const Job *job, Text *out)
{
    JobRequest head = {.magic = JOB_MAGIC};
    size_t at = out->len;
    text_add(out, (const char *)&head, sizeof head);
    job_write(job, out);
    out->failed |= out->len - at - sizeof head > JOB_MOST_REQUEST;
    if (out->failed)
        return;
    head.size = (uint32_t)(out->len - at - sizeof head);
    memcpy(out->data + at, &head, sizeof head);
}

void job_write_passes(const Job *job, Text *out)
{
    Job pass = *job;
    uint32_t done = 0;
    do {
        uint32_t first = done;
        while (done < job->launch_count && job->launches[done].entry == job->launches[first].entry)
            done++;
        pass.launches = job->launches + first;
        pass.launch_count = done - first;
        pass.first_launch = first;
        job_write_request(&pass, out);
        pass.source = ""; /* it is compiled */
        pass.source_len = 0;
    } while (done < job->launch_count);
}

size_t job_result_size(const JobLaunch *launch)
{
    size_t size = 0;
    if (launch->repeats)
        return sizeof(JobTime);
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        size += launch->buffers[i].size;
    return size;
}

/* ---- reading ---- */

typedef struct JobReader {
    Arena *arena;
    const char *at;
    size_t left;
    bool failed;
} JobReader;

static const char *take(JobReader *reader, size_t len)
{
    if (reader->failed || reader->left < len) {
        reader->failed = true;
        return "";
    }
    const char *bytes = reader->at;
    reader->at += len;
    reader->left -= len;
    return bytes;
}

static uint32_t take_u32(JobReader *reader)
{
    uint32_t value = 0;
    const char *bytes = take(reader, sizeof value);
    if (!reader->failed)
        memcpy(&value, bytes, sizeof value);
    return value;
}

static const char *take_string(JobReader *reader, size_t *len)
{
    size_t size = take_u32(reader);
    const char *bytes = take(reader, size);
    if (len)
        *len = reader->failed ? 0 : size;
    return arena_strndup(reader->arena, bytes, reader->failed ? 0 : size);
}

static void take_launch(JobReader *reader, JobLaunch *launch)
{
    launch->entry = take_u32(reader);
    launch->threads = take_u32(reader);
    launch->block = take_u32(reader);
    launch->repeats = take_u32(reader);
    launch->buffer_count = take_u32(reader);
    launch->param_count = take_u32(reader);
    reader->failed |= launch->buffer_count > JOB_MOST_BUFFERS || launch->param_count > JOB_MOST_PARAMS ||
                      launch->entry > 1 || !launch->block || launch->repeats > JOB_MOST_REPEATS;
    if (reader->failed)
        return;
    launch->buffers = ARENA_ARRAY(reader->arena, JobBuffer, launch->buffer_count + 1);
    launch->params = ARENA_ARRAY(reader->arena, JobParam, launch->param_count + 1);
    for (uint32_t i = 0; i < launch->buffer_count; i++) {
        launch->buffers[i].size = take_u32(reader);
        launch->buffers[i].bytes = take(reader, launch->buffers[i].size);
    }
    for (uint32_t i = 0; !reader->failed && i < launch->param_count; i++) {
        JobParam *param = &launch->params[i];
        param->size = take_u32(reader);
        param->bytes = take(reader, param->size);
        param->pointer_count = take_u32(reader);
        reader->failed |= param->pointer_count > param->size;
        param->pointers = ARENA_ARRAY(reader->arena, JobPointer, reader->failed ? 1 : param->pointer_count + 1);
        for (uint32_t k = 0; !reader->failed && k < param->pointer_count; k++) {
            JobPointer pointer = {.offset = take_u32(reader)};
            pointer.buffer = take_u32(reader);
            reader->failed |= pointer.buffer >= launch->buffer_count || param->size < sizeof(void *) ||
                              pointer.offset > param->size - sizeof(void *);
            param->pointers[k] = pointer;
        }
    }
}

bool job_read(Arena *arena, const char *bytes, size_t len, Job *job)
{
    enum { MOST_FLAGS = 64, MOST_LAUNCHES = 256 };
    JobReader reader = {arena, bytes, len, false};
    reader.failed = take_u32(&reader) != JOB_MAGIC;
    *job = (Job){.mode = (JobMode)take_u32(&reader)};
    job->limits.compile_seconds = take_u32(&reader);
    job->limits.run_seconds = take_u32(&reader);
    job->limits.memory_mb = take_u32(&reader);
    job->compiler = take_string(&reader, NULL);
    uint32_t flags = take_u32(&reader);
    reader.failed |= flags > MOST_FLAGS;
    const char **list = ARENA_ARRAY(arena, const char *, MOST_FLAGS + 1);
    for (uint32_t i = 0; !reader.failed && i < flags; i++)
        list[i] = take_string(&reader, NULL);
    job->flags = list;
    job->source = take_string(&reader, &job->source_len);
    job->entries[0] = take_string(&reader, NULL);
    job->entries[1] = take_string(&reader, NULL);
    job->arch = take_u32(&reader);
    job->plain = take_u32(&reader);
    job->is_own = take_u32(&reader);
    job->kernel = take_string(&reader, NULL);
    job->warp = take_string(&reader, NULL);
    job->inputs = take_string(&reader, NULL);
    job->block_dim = take_u32(&reader);
    job->first_launch = take_u32(&reader);
    job->launch_count = take_u32(&reader);
    reader.failed |= job->launch_count > MOST_LAUNCHES || job->first_launch > MOST_LAUNCHES;
    job->launches = ARENA_ARRAY(arena, JobLaunch, reader.failed ? 1 : job->launch_count + 1);
    for (uint32_t i = 0; !reader.failed && i < job->launch_count; i++)
        take_launch(&reader, &job->launches[i]);
    return !reader.failed && reader.left == 0;
}
