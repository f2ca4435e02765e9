/* The whole way from bytes to generated text: no input may crash, leak or hang. */
#include "weft.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Weft *weft;
    if (!weft && !(weft = weft_new(NULL)))
        abort();
    WeftOptions options = weft_default_options();
    options.memory_limit = 64 << 20;
    options.dump_ast = options.dump_ir = size && data[0] & 1;
    WeftResult *result = weft_compile(weft, "fuzz.py", (const char *)data, size, &options);
    weft_result_free(result);
    return 0;
}
