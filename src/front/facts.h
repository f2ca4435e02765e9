/* Facts: constants and enums of packages that weft does not read, such as those that are compiled.
 *
 * The names and values of some packages are a table (lang/package_facts.def); a caller adds those of others to the FileStore. A module of
 * which there are facts is a File whose names are the facts. */
#ifndef WEFT_FRONT_FACTS_H
#define WEFT_FRONT_FACTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum FactKind { FACT_INT, FACT_REAL, FACT_TEXT, FACT_BOOL, FACT_VARIES } FactKind;

typedef struct PackageFact {
    const char *module, *cls, *name; /* cls: the enum that it is a member of; "": none */
    FactKind kind;
    bool is_int;     /* the members of the enum are integers of Python, which a kernel takes as they are */
    int64_t integer; /* INT, BOOL */
    double real;
    const char *text; /* TEXT; VARIES: the versions of the package that were compared */
} PackageFact;

typedef struct FactList {
    PackageFact *items;
    uint32_t count, cap;
} FactList;

void facts_add(Arena *, FactList *, const PackageFact *); /* copies the strings */

#endif
