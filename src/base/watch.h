/* How far long work has come, for whoever waits for it. */
#ifndef WEFT_BASE_WATCH_H
#define WEFT_BASE_WATCH_H

#include <stdint.h>

typedef struct Watch {
    /* By one thread at a time, and often. `stage` says what is counted: "modules compiled". */
    void (*told)(void *user, const char *stage, uint64_t done, uint64_t total);
    void *user;
} Watch;

static inline void watch_tell(const Watch *watch, const char *stage, uint64_t done, uint64_t total)
{
    if (watch->told)
        watch->told(watch->user, stage, done, total);
}

#endif
