/* A line of a shard: examined, compiled again and taken apart for building, whatever stands in it. */
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
    static Maker *maker;
    static Text scratch;
    if (!maker) {
        CorpusOptions options = corpus_default_options();
        options.count = 20;
        options.device = DEVICE_SET_BOTH;
        options.verify = false;
        manifest_init(&manifest, &options);
        maker = maker_new(&options);
        if (!maker)
            abort();
    }
    Examined examined;
    char *line = malloc(size + 1);
    if (!line)
        return 0;
    memcpy(line, data, size);
    line[size] = '\0';
    examine_record(maker, &manifest, line, size, size & 1, true, &scratch, &examined);
    take_apart(line);
    free(line);
    return 0;
}
