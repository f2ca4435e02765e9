/* The readable CUDA of a record: kernel and backward kernel as `weft standalone` writes them, without the host side. */
#ifndef WEFT_CORPUS_READABLE_H
#define WEFT_CORPUS_READABLE_H

#include "check/check.h"
#include "pipeline.h"
#include "standalone/standalone.h"

typedef enum ReadableVerdict {
#define READABLE(verdict, word) READABLE_##verdict,
#include "corpus/readable.def"
#undef READABLE
    READABLE_COUNT
} ReadableVerdict;
const char *readable_verdict_name(ReadableVerdict verdict);
ReadableVerdict readable_verdict_named(const char *name); /* READABLE_COUNT: none */

typedef struct Readable {
    const char *text; /* NULL: there is none */
    ReadableVerdict verdict;
    bool has_backward;
    const char *reason; /* why there is no text, or no backward kernel in it; NULL */
} Readable;

/* Everything lives in the unit's arena. */
Readable readable_translate(const Compiled *compiled, StandaloneLibrary *library, const CheckLaunch *launch,
                            bool backward);

/* Runs it on launches, as records have them, and takes away a text that is not right. With `judge_gradients`, also the gradients in
 * them are what its backward kernel must compute. False: only its backward kernel is not right. */
bool readable_check(const Compiled *compiled, const Text *launches, bool judge_gradients, Readable *readable);

#endif
