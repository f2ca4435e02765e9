/* The manifest of a data set, which may come from anyone: whatever it says, it is read or refused. What is read is written
 * again as the same bytes. */
#include "corpus/manifest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Manifest manifest;
    CorpusError error = {""};
    char *bytes = malloc(size + 1);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    if (manifest_parse(&manifest, bytes, size, "fuzz", &error)) {
        Text again;
        text_init(&again);
        manifest_text(&manifest, &again);
        if (again.len != size || memcmp(again.data, bytes, size) != 0)
            abort();
        text_free(&again);
        manifest_free(&manifest);
    } else if (!error.message[0])
        abort();
    free(bytes);
    return 0;
}
