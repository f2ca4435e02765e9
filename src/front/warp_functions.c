/* Modules of Warp that are not among the files: how many functions of which name an import of one defines. */
#include "front/static_impl.h"

#include <string.h>

static const struct Load {
    VersionRange range;
    const char *module, *part;
} loads[] = {
#define LOADS(since, until, module, part) {{WARP_##since, WARP_##until}, module, part},
#include "lang/warp_functions.def"
#undef LOADS
};

static const struct Definition {
    VersionRange range;
    const char *part, *name;
    uint32_t count;
} definitions[] = {
#define DEFINES(since, until, part, name, count) {{WARP_##since, WARP_##until}, part, name, count},
#include "lang/warp_functions.def"
#undef DEFINES
};

/* A part runs once, whichever of its modules is imported first. */
static void run_part(Unit *unit, const char *part)
{
    TableSlot *slot = table_add(&unit->parts_of_warp, unit->arena, name_cstr(unit->names, part));
    if (slot->number++)
        return;
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (dialect_has(unit->dialect, definitions[i].range) && strcmp(definitions[i].part, part) == 0)
            count_functions(unit, name_cstr(unit->names, definitions[i].name), definitions[i].count);
}

bool import_of_warp(Unit *unit, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        if (!dialect_has(unit->dialect, loads[i].range) || strcmp(loads[i].module, name) != 0)
            continue;
        found = true;
        run_part(unit, loads[i].part);
    }
    return found;
}
