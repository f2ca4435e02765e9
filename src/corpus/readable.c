#include "corpus/readable.h"

#include <string.h>

static const char *const words[] = {
#define READABLE(verdict, word) [READABLE_##verdict] = word,
#include "corpus/readable.def"
#undef READABLE
};

const char *readable_verdict_name(ReadableVerdict verdict)
{
    return words[verdict];
}

ReadableVerdict readable_verdict_named(const char *name)
{
    int i = 0;
    while (i < READABLE_COUNT && strcmp(words[i], name) != 0)
        i++;
    return (ReadableVerdict)i;
}

Readable readable_translate(const Compiled *compiled, StandaloneLibrary *library, const CheckLaunch *launch,
                            bool backward)
{
    StandaloneText text;
    bool done = standalone_translate(compiled->unit, compiled->module, library, launch, backward, &text);
    return (Readable){.text = done ? text.device : NULL,
                      .verdict = done ? READABLE_UNCHECKED : READABLE_REFUSED,
                      .has_backward = done && text.has_backward,
                      .reason = text.reason};
}
