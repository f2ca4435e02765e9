/* A line of a shard: checked, compiled again and taken apart for building, whatever stands in it. */
#include "corpus/samples.h"
#include "corpus/validate.h"

#include <setjmp.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_apart(const char *line)
{
    SampleList list;
    CorpusError error;
    jmp_buf failure;
    sample_list_init(&list);
    list.arena.on_failure = &failure;
    if (!setjmp(failure))
        sample_list_add_record(&list, line, &error);
    sample_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Manifest manifest;
    static RecordChecker checker = {.manifest = &manifest, .same_version = true};
    if (!checker.maker) {
        CorpusOptions options = corpus_default_options();
        options.count = 20;
        options.device = DEVICE_SET_BOTH;
        options.verify = false;
        manifest_init(&manifest, &options);
        checker.maker = maker_new(&options);
        if (!checker.maker)
            abort();
    }
    RecordVerdict verdict;
    char *line = malloc(size + 1);
    if (!line)
        return 0;
    memcpy(line, data, size);
    line[size] = '\0';
    checker.sample = size & 1 ? 100 : 0;
    check_record(&checker, line, size, &verdict);
    take_apart(line);
    free(line);
    return 0;
}
