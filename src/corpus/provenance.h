/* Where a file comes from: its project, revision and licence, read from the files around it. Nothing is executed.
 *
 * what      found in, the first that says it
 * project   `name` in pyproject.toml or setup.cfg; the `METADATA` of an installed package; the name of the folder
 * revision  the commit in `.git`; the version in `METADATA` or pyproject.toml
 * licence   `SPDX-License-Identifier` in the file; `license` in pyproject.toml or setup.cfg; `METADATA`; the text of
 *           LICENSE or COPYING */
#ifndef WEFT_CORPUS_PROVENANCE_H
#define WEFT_CORPUS_PROVENANCE_H

#include "base/text.h"

typedef struct Provenance {
    char root[1024];                              /* the folder of the project, without a slash at its end */
    char project[120], revision[80], license[80]; /* "": not known */
} Provenance;

/* Fills in the project of a file, given by its absolute path. */
void provenance_find(Provenance *provenance, const char *path);
/* The licence that the file names, or else its project's; "NOASSERTION" where neither names one. */
void license_of_text(const Provenance *provenance, const char *text, size_t len, char *license, size_t size);

#endif
