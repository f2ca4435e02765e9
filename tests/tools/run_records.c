/* Compiles and runs the C++ of records as they stand, whoever changed them: for the tests that see whether running finds
 * a change. weft itself runs no text that it cannot make again.
 *
 *   run_records FILE.jsonl KEEP [--like-gpu]
 *
 * One line of JSON per record comes out, {"id": …, "agrees": …, "message": …}; evidence goes to the folder KEEP. */
#include "corpus/samples.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_records(const char *path, SampleList *list)
{
    char *line = NULL;
    size_t size = 0;
    bool fine = true;
    CorpusError error = {""};
    FILE *file = fopen(path, "r");
    for (ssize_t len; file && fine && (len = getline(&line, &size, file)) > 0;)
        fine = sample_list_add_record(list, line, &error);
    if (file)
        fclose(file);
    free(line);
    if (!fine)
        fprintf(stderr, "run_records: %s\n", error.message);
    return file && fine;
}

static const char *message_of(const Sample *sample, const DeviceCheckResult *result)
{
    const char *refusal = sample->refusal[BUILD_CPP];
    return refusal ? build_first_error(refusal) : result->message;
}

int main(int argc, char **argv)
{
    SampleList list;
    GpuReport report = {0};
    GpuError error = {""};
    if (argc < 3) {
        fprintf(stderr, "usage: run_records FILE.jsonl KEEP [--like-gpu]\n");
        return 2;
    }
    GpuOptions options = {.on_cpu = true, .jobs = 2, .keep = argv[2], .like_gpu = argc > 3};
    sample_list_init(&list);
    if (!read_records(argv[1], &list) || !gpu_run(list.items, list.count, &options, &report, &error)) {
        fprintf(stderr, "run_records: %s\n", error.message);
        return 1;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        Text line;
        text_init(&line);
        const char *message = message_of(&list.items[i], &report.results[i]);
        text_format(&line, "{\"id\": \"%s\", \"agrees\": %s, \"message\": ", list.items[i].id,
                    gpu_verdict(&list.items[i], &report.results[i], BUILD_CPP) == GPU_AGREES ? "true" : "false");
        text_json_string(&line, message, strcspn(message, "\n"));
        text_str(&line, "}\n");
        fwrite(line.data, 1, line.len, stdout);
        text_free(&line);
    }
    gpu_report_free(&report);
    sample_list_free(&list);
    return 0;
}
