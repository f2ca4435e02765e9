#include "http/guests.h"

#include "base/clock.h"

#include <stdlib.h>
#include <sys/socket.h>

/* Seconds: to ask, from the first byte or the last answer on; to take an answer; and before a guest counts as slow. */
static const double asking_time = 30, listening_time = 60, slow_time = 1;

static void cut(Guest *guest)
{
    guest->is_cut = true;
    shutdown(guest->fd, SHUT_RDWR);
}

static bool is_late(const Guest *guest, double now)
{
    double most = guest->state == GUEST_ASKS ? asking_time : guest->state == GUEST_LISTENS ? listening_time : 0;
    return most > 0 && !guest->is_cut && now - guest->since > most;
}

static void *watch(void *user)
{
    Guests *guests = user;
    pthread_mutex_lock(&guests->lock);
    while (!guests->is_ending) {
        struct timespec until;
        double now = clock_seconds();
        for (unsigned i = 0; i < guests->most; i++)
            if (is_late(&guests->places[i], now))
                cut(&guests->places[i]);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&guests->ended, &guests->lock, &until);
    }
    pthread_mutex_unlock(&guests->lock);
    return NULL;
}

bool guests_open(Guests *guests, unsigned most)
{
    pthread_condattr_t clock;
    *guests = (Guests){.most = most, .places = calloc(most, sizeof *guests->places)};
    if (!guests->places)
        return false;
    pthread_mutex_init(&guests->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&guests->ended, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&guests->watch, NULL, watch, guests) == 0)
        return true;
    free(guests->places);
    return false;
}

void guests_close(Guests *guests)
{
    pthread_mutex_lock(&guests->lock);
    guests->is_ending = true;
    pthread_cond_signal(&guests->ended);
    pthread_mutex_unlock(&guests->lock);
    pthread_join(guests->watch, NULL);
    pthread_cond_destroy(&guests->ended);
    pthread_mutex_destroy(&guests->lock);
    free(guests->places);
}

/* Whoever has been asking, or listening, for longest makes room. */
static void cut_slowest(Guests *guests, double now)
{
    Guest *slowest = NULL;
    for (unsigned i = 0; i < guests->most; i++) {
        Guest *guest = &guests->places[i];
        bool is_slow = guest->state == GUEST_ASKS || guest->state == GUEST_LISTENS;
        if (is_slow && !guest->is_cut && now - guest->since > slow_time && (!slowest || guest->since < slowest->since))
            slowest = guest;
    }
    if (slowest)
        cut(slowest);
}

Guest *guests_come(Guests *guests, int fd)
{
    Guest *guest = NULL;
    double now = clock_seconds();
    pthread_mutex_lock(&guests->lock);
    if (guests->count + guests->most / 4 >= guests->most)
        cut_slowest(guests, now);
    for (unsigned i = 0; !guest && i < guests->most; i++)
        if (guests->places[i].state == GUEST_NONE)
            guest = &guests->places[i];
    if (guest) {
        *guest = (Guest){.state = GUEST_ASKS, .fd = fd, .since = now};
        guests->count++;
    }
    pthread_mutex_unlock(&guests->lock);
    return guest;
}

void guests_leave(Guests *guests, Guest *guest)
{
    if (!guest)
        return;
    pthread_mutex_lock(&guests->lock);
    guest->state = GUEST_NONE;
    guests->count--;
    pthread_mutex_unlock(&guests->lock);
}

void guests_move(Guests *guests, Guest *guest, GuestState state)
{
    if (!guest)
        return;
    pthread_mutex_lock(&guests->lock);
    guest->state = state;
    guest->since = clock_seconds();
    pthread_mutex_unlock(&guests->lock);
}
