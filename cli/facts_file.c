/* The files of --facts, as `weft facts` writes them. */
#include "files.h"
#include "project.h"
#include "terminal.h"

#include "base/json.h"
#include "pipeline.h"

#include <stdlib.h>

typedef struct Reading {
    WeftFiles *files;
    PackageFact fact;
    bool fine;
} Reading;

static void add_fact(Reading *reading, const char *name, const json_t *value)
{
    PackageFact *fact = &reading->fact;
    fact->name = name;
    fact->integer = json_is_integer(value) ? json_integer_value(value) : json_is_true(value);
    fact->real = json_real_value(value);
    fact->text = json_string_value(value);
    fact->kind = json_is_integer(value)   ? FACT_INT
                 : json_is_boolean(value) ? FACT_BOOL
                 : json_is_string(value)  ? FACT_TEXT
                                          : FACT_REAL;
    bool known = fact->kind != FACT_REAL || json_is_real(value);
    reading->fine &= known && (!*fact->cls || fact->kind == FACT_INT) && input_files_add_fact(reading->files, fact);
}

static void add_all(Reading *reading, json_t *values)
{
    const char *name;
    json_t *value;
    reading->fine &= json_is_object(values);
    json_object_foreach(values, name, value) add_fact(reading, name, value);
}

static void add_module(Reading *reading, const char *module, json_t *parts)
{
    const char *name;
    json_t *cls, *enums = json_object_get(parts, "enums");
    reading->fact = (PackageFact){.module = module, .cls = ""};
    reading->fine &= json_is_object(enums);
    add_all(reading, json_object_get(parts, "constants"));
    json_object_foreach(enums, name, cls)
    {
        reading->fact =
            (PackageFact){.module = module, .cls = name, .is_int = json_is_true(json_object_get(cls, "is_int"))};
        add_all(reading, json_object_get(cls, "members"));
    }
}

bool facts_are_fine(const Imports *imports)
{
    WeftFiles *files = imports->facts.count ? weft_files_new("/", NULL, NULL) : NULL;
    bool fine = true;
    for (size_t i = 0; files && fine && i < imports->facts.count; i++)
        fine = read_facts(files, imports->facts.items[i]);
    weft_files_free(files);
    return fine;
}

bool read_facts(WeftFiles *files, const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    if (!text)
        return false;
    json_t *json = json_read(text, length), *modules = json_object_get(json, "modules"), *module;
    Reading reading = {.files = files};
    const char *name;
    free(text);
    reading.fine = json_integer_value(json_object_get(json, "facts")) == 1 && json_is_object(modules);
    json_object_foreach(modules, name, module) add_module(&reading, name, module);
    json_decref(json);
    if (!reading.fine)
        tell(stderr, "weft: %s is no file of facts: `weft facts PACKAGE -o FILE` writes one\n", path);
    return reading.fine;
}
