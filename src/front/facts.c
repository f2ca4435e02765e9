#include "front/facts.h"
#include "front/static_impl.h"

#include <string.h>

static const PackageFact table[] = {
#define FACT_MEMBER(module, cls, name, value) {module, cls, name, FACT_INT, false, value, 0, NULL},
#define FACT_NUMBER(module, name, value) {module, "", name, FACT_INT, false, value, 0, NULL},
#define FACT_FLOAT(module, name, value) {module, "", name, FACT_REAL, false, 0, value, NULL},
#define FACT_CHANGED(module, cls, name, versions) {module, cls, name, FACT_VARIES, false, 0, 0, versions},
#include "lang/package_facts.def"
#undef FACT_MEMBER
#undef FACT_NUMBER
#undef FACT_FLOAT
#undef FACT_CHANGED
};

static const char *copied(Arena *arena, const char *text)
{
    return text ? arena_strndup(arena, text, strlen(text)) : "";
}

void facts_add(Arena *arena, FactList *list, const PackageFact *fact)
{
    PackageFact *own = &ARENA_PUSH(arena, list->items, list->count, list->cap);
    *own = *fact;
    own->module = copied(arena, fact->module);
    own->cls = copied(arena, fact->cls);
    own->name = copied(arena, fact->name);
    own->text = copied(arena, fact->text);
}

/* Is one of the two dotted names the other, or a package around it? */
static bool same_package(const char *a, const char *b)
{
    size_t len = strcspn(a, ".");
    return len == strcspn(b, ".") && strncmp(a, b, len) == 0;
}

typedef struct Facts {
    const PackageFact *items;
    uint32_t count;
    bool given; /* by the caller, whose program has the package */
} Facts;

static bool has_module(const Facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (strcmp(facts->items[i].module, name) == 0)
            return true;
    return false;
}

/* Facts that are given about a package replace those of the table. */
static Facts facts_about(const Unit *unit, const char *name)
{
    const FactList *own = &unit->files->facts;
    for (uint32_t i = 0; i < own->count; i++)
        if (same_package(own->items[i].module, name))
            return (Facts){own->items, own->count, true};
    return (Facts){table, sizeof table / sizeof *table, false};
}

static const Value *fact_value(Unit *unit, const PackageFact *fact)
{
    Arena *arena = unit->arena;
    switch (fact->kind) {
    case FACT_INT: return value_int(arena, fact->integer);
    case FACT_REAL: return value_float(arena, fact->real);
    case FACT_BOOL: return value_bool(fact->integer != 0);
    case FACT_TEXT: return value_str(arena, fact->text, (uint32_t)strlen(fact->text));
    default:
        return value_unknown(arena,
                             "'%s' of module '%s' is not the same in all versions of the package (%s): --facts says it",
                             fact->name, fact->module, fact->text);
    }
}

static EnumClass *enum_of(Unit *unit, Scope *scope, const PackageFact *fact)
{
    Name name = name_cstr(unit->names, fact->cls);
    const Value *known = scope_find_here(scope, name);
    if (known && known->kind == VALUE_ENUM_CLASS)
        return known->enum_class;
    EnumClass *cls = ARENA_NEW(unit->arena, EnumClass);
    Value *value = ARENA_NEW(unit->arena, Value);
    cls->name = name;
    value->kind = VALUE_ENUM_CLASS;
    value->enum_class = cls;
    scope_bind(unit, scope, name, value);
    return cls;
}

static void bind_member(Unit *unit, Scope *scope, const PackageFact *fact)
{
    EnumClass *cls = enum_of(unit, scope, fact);
    const Value *value = fact_value(unit, fact);
    if (fact->kind == FACT_INT) {
        Value *member = ARENA_NEW(unit->arena, Value);
        member->kind = fact->is_int ? VALUE_ENUM_MEMBER : VALUE_FOREIGN_MEMBER;
        member->member.cls = cls;
        member->member.name = name_cstr(unit->names, fact->name);
        member->member.value = fact->integer;
        value = member;
    }
    ARENA_PUSH(unit->arena, cls->member_names, cls->count, cls->cap) = name_cstr(unit->names, fact->name);
    cls->count--;
    ARENA_PUSH(unit->arena, cls->members, cls->count, cls->value_cap) = value;
}

static void bind_facts(Unit *unit, File *file, const Facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++) {
        const PackageFact *fact = &facts->items[i];
        if (strcmp(fact->module, file->module_name) != 0)
            continue;
        if (*fact->cls)
            bind_member(unit, file->globals, fact);
        else
            scope_bind(unit, file->globals, name_cstr(unit->names, fact->name), fact_value(unit, fact));
    }
}

void bind_known_facts(Unit *unit, File *file, bool *given)
{
    Facts facts = facts_about(unit, file->module_name);
    *given = facts.given;
    if (!file->has_facts)
        bind_facts(unit, file, &facts);
    file->has_facts = true;
}

bool has_known_facts(const Unit *unit, const char *name)
{
    Facts facts = facts_about(unit, name);
    return has_module(&facts, name);
}
