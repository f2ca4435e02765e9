/* Time that passes: seconds since some fixed moment, for differences only. */
#ifndef WEFT_BASE_CLOCK_H
#define WEFT_BASE_CLOCK_H

#include <time.h>

static inline double clock_read(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline double clock_seconds(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* What the process has computed so far, on all its threads. */
static inline double clock_cpu_seconds(void)
{
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
