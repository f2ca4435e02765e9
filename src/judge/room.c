#include "judge/room.h"

void room_open(Room *room, unsigned count)
{
    room->count = count < 1 ? 1 : count > MOST_SEATS ? MOST_SEATS : count;
    for (unsigned i = 0; i < room->count; i++)
        room->seats[i] = (Seat){.number = i};
    pthread_mutex_init(&room->lock, NULL);
    pthread_cond_init(&room->freed, NULL);
}

void room_close(Room *room)
{
    for (unsigned i = 0; i < room->count; i++)
        server_end(&room->seats[i].server);
    pthread_mutex_destroy(&room->lock);
    pthread_cond_destroy(&room->freed);
}

Seat *room_take(Room *room)
{
    Seat *found = NULL;
    pthread_mutex_lock(&room->lock);
    while (!found) {
        for (unsigned i = 0; i < room->count; i++) {
            Seat *seat = &room->seats[i];
            if (!seat->is_taken && (!found || (seat->server.is_alive && !found->server.is_alive)))
                found = seat;
        }
        if (!found)
            pthread_cond_wait(&room->freed, &room->lock);
    }
    found->is_taken = true;
    pthread_mutex_unlock(&room->lock);
    return found;
}

void room_leave(Room *room, Seat *seat)
{
    pthread_mutex_lock(&room->lock);
    seat->is_taken = false;
    pthread_cond_signal(&room->freed);
    pthread_mutex_unlock(&room->lock);
}
