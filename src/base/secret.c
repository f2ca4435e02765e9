#include "base/secret.h"

#include "base/safe_file.h"
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define HEAD "weft hidden key\n"
enum { HEX = 2 * SECRET_BYTES, FILE_SIZE = sizeof HEAD - 1 + 2 * HEX + sizeof "key \nsalt \n" - 1 };

static void put_hex(const unsigned char *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static bool read_hex(const char *text, unsigned char bytes[SECRET_BYTES])
{
    for (size_t i = 0; i < SECRET_BYTES; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], 0};
        if (strspn(pair, "0123456789abcdef") != 2)
            return false;
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return true;
}

static bool fail(char *why, size_t size, const char *path, const char *reason)
{
    snprintf(why, size, "%s: %s", path, reason);
    return false;
}

/* ---- the file ---- */

static bool make_file(const char *path, Secret *secret, char *why, size_t size)
{
    char text[FILE_SIZE + 1], key[HEX + 1], salt[HEX + 1];
    if (getrandom(secret, sizeof *secret, 0) != (ssize_t)sizeof *secret)
        return fail(why, size, path, "no random bits are to be had");
    put_hex(secret->key, SECRET_BYTES, key);
    put_hex(secret->salt, SECRET_BYTES, salt);
    snprintf(text, sizeof text, HEAD "key %s\nsalt %s\n", key, salt);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool written = fd >= 0 && write_fully(fd, text, FILE_SIZE) && fsync(fd) == 0;
    return (fd >= 0 && close(fd) == 0 && written) || fail(why, size, path, strerror(errno));
}

static bool read_file(int fd, const char *path, Secret *secret, char *why, size_t size)
{
    char text[FILE_SIZE + 1] = "";
    size_t len = 0;
    for (ssize_t got; len < FILE_SIZE && (got = read(fd, text + len, FILE_SIZE - len)) > 0;)
        len += (size_t)got;
    const char *key = text + sizeof HEAD - 1 + 4, *salt = key + HEX + 6;
    bool fits = len == FILE_SIZE && strncmp(text, HEAD "key ", sizeof HEAD + 3) == 0 &&
                strncmp(salt - 6, "\nsalt ", 6) == 0 && read_hex(key, secret->key) && read_hex(salt, secret->salt);
    return fits || fail(why, size, path, "this is not a hidden key, as weft writes it");
}

bool secret_open(const char *path, bool make, Secret *secret, char *why, size_t size)
{
    int fd = file_open_regular(AT_FDCWD, path);
    if (fd < 0 && errno == ENOENT && make)
        return make_file(path, secret, why, size);
    if (fd < 0)
        return fail(why, size, path, strerror(errno));
    bool done = read_file(fd, path, secret, why, size);
    close(fd);
    return done;
}

bool secret_is_inside(const char *path, const char *folder)
{
    char parent[PATH_MAX], whole[PATH_MAX], outer[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 1;
    snprintf(parent, sizeof parent, "%.*s", (int)(slash == path ? 1 : len), slash ? path : ".");
    if (!realpath(parent, whole) || !realpath(folder, outer))
        return false; /* what is not there holds nothing */
    size_t outer_len = strlen(outer);
    return strncmp(whole, outer, outer_len) == 0 && (!whole[outer_len] || whole[outer_len] == '/');
}

/* ---- what follows from it ---- */

void secret_commit(const Secret *secret, char out[COMMITMENT_SIZE])
{
    static const char label[] = "weft hidden key";
    unsigned char bytes[sizeof label + 2 * SECRET_BYTES], hash[32];
    memcpy(bytes, label, sizeof label);
    memcpy(bytes + sizeof label, secret->salt, SECRET_BYTES);
    memcpy(bytes + sizeof label + SECRET_BYTES, secret->key, SECRET_BYTES);
    sha256(bytes, sizeof bytes, hash);
    put_hex(secret->salt, SECRET_BYTES, out);
    out[HEX] = '-';
    put_hex(hash, SECRET_BYTES, out + HEX + 1);
}

uint64_t secret_seed(const Secret *secret, const char *of)
{
    unsigned char bytes[SECRET_BYTES + 32], hash[32];
    uint64_t seed;
    memcpy(bytes, secret->key, SECRET_BYTES);
    sha256(of, strlen(of), bytes + SECRET_BYTES);
    sha256(bytes, sizeof bytes, hash);
    memcpy(&seed, hash, sizeof seed);
    return seed;
}
