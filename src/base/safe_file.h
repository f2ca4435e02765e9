/* Files below a folder that others may have prepared: no link is followed, nothing outside is touched, and what is
 * replaced is either the old file or the new one, whole.
 *
 * Every function works relative to an open folder and takes one name, without a slash. Errors are in errno. */
#ifndef WEFT_BASE_SAFE_FILE_H
#define WEFT_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* All of it, however often a write is cut short. */
bool write_fully(int fd, const char *bytes, size_t len);

/* A new, empty file. What had its name before is removed: a link goes, what it points to stays. -1: errno. */
int file_create(int dir_fd, const char *name);
/* A regular file with no other name, for reading and writing. -1: errno; ELOOP: it is a link, or something else. */
int file_open_own(int dir_fd, const char *name);
/* A regular file for reading; never waits for one that is not. Links are followed: reading changes nothing. */
int file_open_regular(int dir_fd, const char *name);

/* Written aside, synced, renamed; the folder is synced, too. */
bool file_replace(int dir_fd, const char *name, const char *bytes, size_t len);

/* A folder in the folder, made if need be; a link is not taken for one. -1: errno. */
int folder_open_below(int dir_fd, const char *name);

/* Whatever may steer a terminal becomes a `?`: for texts that others wrote and weft shows. */
void defuse(char *text);

/* Is it a name of letters, digits, `_`, `-` and `.` that does not begin with a dot? */
bool is_plain_name(const char *name);

#endif
