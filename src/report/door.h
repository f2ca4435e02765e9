/* Connections to a small server: one thread each, few at a time, and none for long.
 *
 * A guest that says nothing, asks too slowly or takes its answer too slowly has to leave when its time is up. When all places are taken, one
 * has to leave at once: slow guests cannot lock the others out. */
#ifndef WEFT_REPORT_DOOR_H
#define WEFT_REPORT_DOOR_H

#include "corpus/corpus.h"

typedef struct Door Door;
typedef struct Guest Guest;
typedef void ServeGuest(void *user, Guest *guest); /* on a thread of its own */

/* Listens at once; guests wait until door_run. `host` is an IPv4 address, `port` 0: any that is free. NULL: *error says why. */
Door *door_open(const char *host, unsigned port, CorpusError *error);
unsigned door_port(const Door *door);
/* Until `stop` is set; then all guests have to leave. */
void door_run(Door *door, const atomic_int *stop, ServeGuest *serve, void *user);
void door_close(Door *door); /* NULL: nothing */

/* How many bytes came. 0: no more will come, or the time is up. */
size_t guest_receive(Guest *guest, char *bytes, size_t room);
/* It has asked, in time or not. From here on it has the time for an answer. */
void guest_asked(Guest *guest);
bool guest_send(Guest *guest, const char *bytes, size_t len); /* false: it has left, or the time is up */
/* Was its time up before it had asked? */
bool guest_is_late(const Guest *guest);

#endif
