/* Inside gather: gather.c follows names, gather_value.c writes what they stand for. */
#ifndef WEFT_FRONT_GATHER_IMPL_H
#define WEFT_FRONT_GATHER_IMPL_H

#include "base/table.h"
#include "front/gather.h"

/* What a name of the text stands for. */
typedef struct Space Space;
typedef struct Entry {
    Name name;
    const char *text; /* what it is bound to; NULL: it is defined, or a space */
    const void *of;   /* the definition, class or file that it is; NULL: the text says it all */
    bool is_code;     /* a function: known only behind the definitions */
    Space *inner;     /* a module, class or enum of which some attributes are needed */
} Entry;
struct Space {
    Entry *items;
    uint32_t count, cap;
    bool is_enum;
};

typedef struct Gatherer {
    Unit *unit;
    Arena *arena;
    Text imports, data, code; /* in this order; the spaces stand before and behind `code` */
    Space top;                /* the names of the text's module level */
    HashTable done;           /* Func, StructDecl, PythonFunc that have been written */
    uint32_t depth;
    const char *why; /* the first thing that cannot be written; NULL: nothing */
} Gatherer;

void gather_fail(Gatherer *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An expression for the value, in the arena, after everything that it needs has been written; NULL: gather_fail was told why. */
const char *gather_value(Gatherer *g, const Value *value);
const char *gather_type(Gatherer *g, const Type *type);

/* ---- gather.c ---- */

const char *gather_function(Gatherer *g, Func *func); /* its name at module level */
const char *gather_python(Gatherer *g, const PythonFunc *func);
const char *gather_member(Gatherer *g, const Value *member); /* of an enum */
void gather_import(Gatherer *g, const char *module, const char *name);
/* The entry of a name, a new one where there is none. NULL, and g->why: the name stands for something else. */
Entry *gather_claim(Gatherer *g, Space *space, Name name, const char *text, const void *of);

#endif
