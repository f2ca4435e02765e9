/* Rooms: processes in sandboxes (server.h) of one kind, and whoever needs one takes its seat, waits for a free one, and leaves it again. */
#ifndef WEFT_JUDGE_ROOM_H
#define WEFT_JUDGE_ROOM_H

#include "judge/server.h"

#include <pthread.h>

enum { MOST_SEATS = 64 };

typedef struct Seat {
    unsigned number;
    bool is_taken;
    Server server;
} Seat;

typedef struct Room {
    unsigned count;
    Seat seats[MOST_SEATS];
    pthread_mutex_t lock;
    pthread_cond_t freed;
} Room;

void room_open(Room *room, unsigned count); /* from 1 to MOST_SEATS; none has a process yet */
void room_close(Room *room);                /* ends all of them; nobody has a seat */

Seat *room_take(Room *room); /* one whose process is there already, if one of those is free */
void room_leave(Room *room, Seat *seat);

#endif
