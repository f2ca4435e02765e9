/* The table of builtins, and finding a row of it. */
#include "eval/ast/builtin.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 4096 };

static const BuiltinRow rows[] = {
#define BUILTIN(name, function, least, most, variant) {name, function, least, most, variant},
#include "eval/ast/builtin.def"
#undef BUILTIN
};

static int compare_row(const void *name, const void *row)
{
    return strcmp(name, ((const BuiltinRow *)row)->name);
}

const BuiltinRow *builtin_row(const char *name)
{
    return bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_row);
}
