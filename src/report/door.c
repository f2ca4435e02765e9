#include "report/door.h"

#include "base/clock.h"
#include "corpus/shard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_GUESTS = 64 };
/* Seconds allowed: until the first byte, until the request is whole, for an answer, and for late bytes after it.
 * After slow_time without a request, a guest is slow. */
static const double idle_time = 5, request_time = 10, answer_time = 30, farewell_time = 1, slow_time = 1;

struct Guest {
    Door *door;
    int fd; /* -1: the place is free */
    double since, until;
    bool has_begun, has_asked, is_leaving, is_late, is_dropped;
};

struct Door {
    int fd;
    unsigned port;
    ServeGuest *serve;
    void *user;
    pthread_mutex_t lock; /* of what follows, and of `fd`, `has_asked`, `is_leaving` and `is_dropped` of guests */
    pthread_cond_t left;
    unsigned count;
    Guest guests[MOST_GUESTS];
};

/* ---- what a guest says and hears ---- */

/* Waits until something can be read or written. False: its time is up. */
static bool wait_for(const Guest *guest, short what)
{
    struct pollfd wait = {.fd = guest->fd, .events = what};
    for (;;) {
        double left = guest->until - clock_seconds();
        int ready = left > 0 ? poll(&wait, 1, (int)(left * 1000) + 1) : 0;
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return true;
        if (left <= 0)
            return false;
    }
}

size_t guest_receive(Guest *guest, char *bytes, size_t room)
{
    ssize_t got;
    do {
        if (!wait_for(guest, POLLIN)) {
            guest->is_late = !guest->has_asked;
            return 0;
        }
        got = recv(guest->fd, bytes, room, MSG_DONTWAIT);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    if (got > 0 && !guest->has_begun) {
        guest->has_begun = true;
        guest->until = guest->since + request_time;
    }
    return got > 0 ? (size_t)got : 0;
}

void guest_asked(Guest *guest)
{
    pthread_mutex_lock(&guest->door->lock);
    guest->has_asked = true;
    pthread_mutex_unlock(&guest->door->lock);
    guest->until = clock_seconds() + answer_time;
}

bool guest_send(Guest *guest, const char *bytes, size_t len)
{
    while (len) {
        if (!wait_for(guest, POLLOUT))
            return false;
        ssize_t sent = send(guest->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        bytes += sent > 0 ? sent : 0;
        len -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool guest_is_late(const Guest *guest)
{
    return guest->is_late;
}

/* ---- coming and going ---- */

/* Reads what the guest still sends, for a while: closing with unread bytes would discard the answer. */
static void see_off(Guest *guest)
{
    char rest[4096];
    shutdown(guest->fd, SHUT_WR);
    guest->until = clock_seconds() + farewell_time;
    while (guest_receive(guest, rest, sizeof rest))
        ;
}

static void *serve_guest(void *user)
{
    Guest *guest = user;
    Door *door = guest->door;
    door->serve(door->user, guest);
    pthread_mutex_lock(&door->lock);
    guest->is_leaving = true;
    pthread_mutex_unlock(&door->lock);
    see_off(guest);
    pthread_mutex_lock(&door->lock);
    close(guest->fd);
    guest->fd = -1;
    door->count--;
    pthread_cond_signal(&door->left);
    pthread_mutex_unlock(&door->lock);
    return NULL;
}

static void drop(Guest *guest)
{
    guest->is_dropped = true;
    shutdown(guest->fd, SHUT_RDWR);
}

static Guest *free_place(Door *door)
{
    for (int i = 0; i < MOST_GUESTS; i++)
        if (door->guests[i].fd < 0)
            return &door->guests[i];
    return NULL;
}

/* Who has to leave first: whoever is leaving, whoever is slow to ask, the others. */
static int turn_of(const Guest *guest, double now)
{
    bool is_slow = !guest->has_asked && now - guest->since > slow_time;
    return guest->is_leaving ? 0 : is_slow ? 1 : 2;
}

/* Drops the guest of the lowest turn; among equals, the first that came. */
static void drop_first(Door *door)
{
    Guest *first = NULL;
    int turn = 0;
    double now = clock_seconds();
    for (int i = 0; i < MOST_GUESTS; i++) {
        Guest *guest = &door->guests[i];
        if (guest->is_dropped || guest->fd < 0)
            continue;
        int own = turn_of(guest, now);
        if (!first || own < turn || (own == turn && guest->since < first->since)) {
            first = guest;
            turn = own;
        }
    }
    if (first)
        drop(first);
}

/* Waits for the guest that was told to leave, for a second at most: it may be in the middle of an answer. */
static void wait_for_place(Door *door)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    while (door->count == MOST_GUESTS && pthread_cond_timedwait(&door->left, &door->lock, &until) == 0)
        ;
}

/* Takes the connection. */
static void let_in(Door *door, int fd)
{
    pthread_t thread;
    pthread_mutex_lock(&door->lock);
    if (door->count == MOST_GUESTS) {
        drop_first(door);
        wait_for_place(door);
    }
    Guest *guest = free_place(door);
    if (guest) {
        double now = clock_seconds();
        *guest = (Guest){.door = door, .fd = fd, .since = now, .until = now + idle_time};
        door->count++;
        if (pthread_create(&thread, NULL, serve_guest, guest) == 0) {
            pthread_detach(thread);
            fd = -1;
        } else {
            guest->fd = -1;
            door->count--;
        }
    }
    pthread_mutex_unlock(&door->lock);
    if (fd >= 0)
        close(fd);
}

static void send_all_away(Door *door)
{
    pthread_mutex_lock(&door->lock);
    for (int i = 0; i < MOST_GUESTS; i++)
        if (door->guests[i].fd >= 0)
            drop(&door->guests[i]);
    while (door->count)
        pthread_cond_wait(&door->left, &door->lock);
    pthread_mutex_unlock(&door->lock);
}

/* ---- the door ---- */

static int listen_at(const char *host, unsigned port, unsigned *taken, CorpusError *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    int yes = 1;
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        corpus_fail(error, "--host takes an IPv4 address, as 127.0.0.1, not '%s'", host);
        return -1;
    }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, MOST_GUESTS) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        *taken = ntohs(address.sin_port);
        return fd;
    }
    corpus_fail(error, "cannot listen at %s:%u: %s", host, port, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

Door *door_open(const char *host, unsigned port, CorpusError *error)
{
    pthread_condattr_t clock;
    Door *door = calloc(1, sizeof *door);
    if (!door) {
        corpus_fail(error, "out of memory");
        return NULL;
    }
    door->fd = listen_at(host, port, &door->port, error);
    if (door->fd < 0) {
        free(door);
        return NULL;
    }
    pthread_mutex_init(&door->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&door->left, &clock);
    pthread_condattr_destroy(&clock);
    for (int i = 0; i < MOST_GUESTS; i++)
        door->guests[i].fd = -1;
    return door;
}

unsigned door_port(const Door *door)
{
    return door->port;
}

void door_run(Door *door, const atomic_int *stop, ServeGuest *serve, void *user)
{
    door->serve = serve;
    door->user = user;
    while (!*stop) {
        struct pollfd wait = {.fd = door->fd, .events = POLLIN};
        if (poll(&wait, 1, 200) <= 0)
            continue;
        int fd = accept4(door->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            let_in(door, fd);
        else
            usleep(10000); /* there may be too many open files: a guest leaves soon */
    }
    send_all_away(door);
}

void door_close(Door *door)
{
    if (!door)
        return;
    close(door->fd);
    pthread_cond_destroy(&door->left);
    pthread_mutex_destroy(&door->lock);
    free(door);
}
