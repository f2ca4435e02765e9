/* .gitignore: which entries of a folder its project leaves out.
 *
 * The rules of a folder hold for all that is in it and below it; those of a deeper folder come before those above, and in one file a
 * later line before an earlier one. The folders above count up to the one with `.git` in it. */
#ifndef WEFT_CLI_IGNORE_H
#define WEFT_CLI_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct IgnoreRules {
    const struct IgnoreRules *above; /* NULL: none */
    size_t folder_length;            /* of the absolute path of its folder, with a slash behind it */
    char *text;                      /* of the file; NULL: the folder has none */
    size_t length;
} IgnoreRules;

/* Reads the file of a folder, given by its absolute path. A file that cannot be read, or is a link, has no rules, as for git. */
void ignore_read(IgnoreRules *rules, const char *folder, const IgnoreRules *above);
void ignore_free(IgnoreRules *rules);
/* `path`: absolute, of an entry of the innermost folder. */
bool is_ignored(const IgnoreRules *rules, const char *path, bool is_folder);

#endif
