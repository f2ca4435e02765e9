/* Kernels that are run: both evaluators, the check and the translation to CUDA, on any source and any launch description.
 *
 * The input is a file of kernels; a line `#launch {…}` in it describes the launch. */
#include "check/check.h"
#include "pipeline.h"
#include "standalone/standalone.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input {
    const char *launch; /* NULL: none */
    size_t launch_len;
    StandaloneLibrary *library;
} Input;

static void find_launch(Input *input, const char *data, size_t size)
{
    static const char mark[] = "\n#launch ";
    const char *found = memmem(data, size, mark, sizeof mark - 1);
    if (!found)
        return;
    input->launch = found + sizeof mark - 1;
    size_t left = size - (size_t)(input->launch - data);
    const char *end = memchr(input->launch, '\n', left);
    input->launch_len = end ? (size_t)(end - input->launch) : left;
}

static bool run_kernel(const Compiled *compiled, void *user)
{
    const Input *input = user;
    CheckLaunch launch = {0};
    if (input->launch && check_launch_read(compiled->unit->arena, input->launch, input->launch_len, &launch))
        return false;
    CheckResult result;
    CheckOptions options = {.filters = true, .max_steps = 20000, .threads = input->launch_len & 1 ? CHECK_SPREAD : 0};
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    StandaloneText text;
    standalone_translate(compiled->unit, compiled->module, input->library, NULL, true, &text);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Weft *weft;
    static Input input;
    if (!weft && (!(weft = weft_new(NULL)) || !(input.library = standalone_library_new(NULL))))
        abort();
    PipelineOptions options = pipeline_options();
    options.weft.memory_limit = 256 << 20;
    options.keep_types = true;
    options.weft.cuda = options.weft.cpu = false;
    input.launch = NULL;
    input.launch_len = 0;
    find_launch(&input, (const char *)data, size);
    pipeline_compile(weft, &(Source){"fuzz.py", (const char *)data, size}, &options,
                     &(PipelineVisitor){.compiled = run_kernel, .user = &input});
    return 0;
}
