#include "judge/trace.h"

#include "base/clock.h"

bool trace_open(Trace *trace, const char *path)
{
    *trace = (Trace){.began = clock_seconds()};
    trace->file = path ? fopen(path, "we") : NULL;
    if (trace->file)
        setvbuf(trace->file, NULL, _IOLBF, BUFSIZ); /* a run that is killed leaves whole lines */
    return trace->file || !path;
}

bool trace_close(Trace *trace)
{
    bool written = !trace->file || !ferror(trace->file);
    if (trace->file)
        written &= fclose(trace->file) == 0;
    trace->file = NULL;
    return written;
}

void trace_step(const Trace *trace, const char *what, uint64_t number, double from, uint32_t inside)
{
    if (trace->file) /* one call, one line: threads do not mix theirs */
        fprintf(trace->file, "{\"step\": \"%s\", \"number\": %llu, \"from\": %.4f, \"to\": %.4f, \"inside_ms\": %u}\n",
                what, (unsigned long long)number, from - trace->began, clock_seconds() - trace->began, inside);
}
