/* Where a file comes from: its project, revision and licence, read from the files around it. Nothing is executed.
 *
 * | what | found in, the first that says it |
 * | --- | --- |
 * | project | `name` in pyproject.toml or setup.cfg; the `METADATA` of an installed package; the name of the folder |
 * | revision | the commit in `.git`; the version in `METADATA` or pyproject.toml |
 * | licence | `SPDX-License-Identifier` in the file; `license` in pyproject.toml or setup.cfg; `METADATA`; the text of LICENSE or COPYING | */
#ifndef WEFT_CORPUS_PROVENANCE_H
#define WEFT_CORPUS_PROVENANCE_H

#include "base/text.h"

typedef struct Provenance {
    char root[1024];                              /* the folder of the project, without a slash at its end */
    char project[120], revision[80], license[80]; /* "": not known */
} Provenance;

/* Of the project that a file, given by its absolute path, is in. */
void provenance_find(Provenance *provenance, const char *path);
/* What the file itself says about its licence, or else what its project says; "NOASSERTION" where neither does. */
void license_of_text(const Provenance *provenance, const char *text, size_t len, char *license, size_t size);

#endif
