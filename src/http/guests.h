/* Connections, and how long each may take to ask and to listen. A thread looks at them four times a second and shuts
 * down those whose time is up. When places run out, the one that has been asking for longest makes room. */
#ifndef WEFT_HTTP_GUESTS_H
#define WEFT_HTTP_GUESTS_H

#include <pthread.h>
#include <stdbool.h>

typedef enum GuestState { GUEST_NONE, GUEST_ASKS, GUEST_WAITS, GUEST_LISTENS } GuestState;

typedef struct Guest {
    GuestState state;
    int fd;
    double since; /* when the state began */
    bool is_cut;
} Guest;

typedef struct Guests {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pthread_t watch;
    bool is_ending;
    unsigned count, most;
    Guest *places;
} Guests;

bool guests_open(Guests *guests, unsigned most); /* false: out of memory, or no thread can be started */
void guests_close(Guests *guests);

Guest *guests_come(Guests *guests, int fd);      /* NULL: there is no place */
void guests_leave(Guests *guests, Guest *guest); /* before its file is closed; NULL: nothing happens */
void guests_move(Guests *guests, Guest *guest, GuestState state);

#endif
