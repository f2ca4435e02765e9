#include "corpus/columns.h"

#include "base/json.h"

#include <stdio.h>
#include <string.h>

/* ---- kinds ---- */

bool is_list_kind(ColumnKind kind)
{
    return kind == KIND_TEXTS || kind == KIND_INTS || kind == KIND_FLOATS || kind == KIND_OBJECTS;
}

ColumnKind element_kind(ColumnKind kind)
{
    switch (kind) {
    case KIND_TEXTS: return KIND_TEXT;
    case KIND_INTS: return KIND_INT;
    case KIND_FLOATS: return KIND_FLOAT;
    case KIND_OBJECTS: return KIND_OBJECT;
    default: return kind;
    }
}

uint32_t count_columns(const Column *columns)
{
    uint32_t count = 0;
    while (columns[count].name)
        count++;
    return count;
}

/* ---- the table ---- */

#define END                                                                                                            \
    {                                                                                                                  \
        NULL, KIND_TEXT, false, NULL, NULL                                                                             \
    }

static const Column line_fields[] = {
    {"python_line", KIND_INT, false, "from 1", NULL},
    {"text", KIND_TEXT, false, "cuda_forward, cuda_backward, cpp_forward or cpp_backward", NULL},
    {"first_line", KIND_INT, false, "of that text, from 1", NULL},
    {"last_line", KIND_INT, false, "", NULL},
    END,
};

static const Column argument_fields[] = {
    {"name", KIND_TEXT, false, "of the parameter", NULL},
    {"field", KIND_TEXT, true, "of the struct that it is; null: the parameter itself", NULL},
    {"type", KIND_TEXT, false, "as Warp's repr has it; a struct by its name", NULL},
    {"shape", KIND_INTS, true, "of an array; null: not an array", NULL},
    {"low", KIND_FLOAT, true, "least value of each number in it; integers: it may occur", NULL},
    {"high", KIND_FLOAT, true, "greatest value; integers: it may occur", NULL},
    {"value", KIND_FLOAT, true, "instead of low and high: the one value that it has", NULL},
    {"sorted", KIND_BOOL, false, "the array ascends", NULL},
    {"role", KIND_TEXT, false, "input, size, output, sum (added to) or inout", NULL},
    {"quantity", KIND_TEXT, true, "what it is: mass, position, …", NULL},
    END,
};

static const Column value_fields[] = {
    {"name", KIND_TEXT, false, "of the argument", NULL},
    {"field", KIND_TEXT, true, "of the struct that it is", NULL},
    {"type", KIND_TEXT, false, "of each number: float32, int32, …", NULL},
    {"shape", KIND_INTS, false, "of the array, then of a vector or matrix in it; []: a scalar", NULL},
    {"floats", KIND_FLOATS, true, "the numbers, the last dimension fastest; null: they are ints", NULL},
    {"ints", KIND_INTS, true, "the same for integers and booleans", NULL},
    {"tolerance", KIND_FLOAT, true, "how far a right result may be from each of the floats", NULL},
    END,
};

static const Column launch_fields[] = {
    {"dim", KIND_INTS, false, "of wp.launch", NULL},
    {"inputs", KIND_OBJECTS, false, "every argument before the launch", value_fields},
    {"outputs", KIND_OBJECTS, false, "every array that the launch changes, afterwards", value_fields},
    {"output_gradients", KIND_OBJECTS, true, "the gradients of these arrays before the backward pass", value_fields},
    {"gradients", KIND_OBJECTS, true, "the gradients of all arrays after the backward pass", value_fields},
    END,
};

static const Column role_fields[] = {
    {"role", KIND_TEXT, false, "what the scene calls it", NULL},
    {"quantity", KIND_TEXT, false, "mass, position, …", NULL},
    {"arguments", KIND_TEXTS, false, "which parameters it is; \"\": a component that the kernel does not take", NULL},
    {"field", KIND_TEXT, true, "of a struct", NULL},
    {"value", KIND_FLOAT, true, "of what is written as a number in the source", NULL},
    {"grid", KIND_INTS, true, "how the numbers lie in the array, where its shape does not say so", NULL},
    END,
};
static const Column count_fields[] = {{"of", KIND_TEXT, false, "", NULL}, {"value", KIND_INT, false, "", NULL}, END};
static const Column choice_fields[] = {{"scene", KIND_INT, false, "which of the scenes, from 0", NULL},
                                       {"name", KIND_TEXT, false, "", NULL},
                                       {"value", KIND_FLOAT, false, "", NULL},
                                       END};
static const Column plan_fields[] = {
    {"scenes", KIND_TEXTS, false, "one after the other", NULL},
    {"laws", KIND_TEXTS, false, "", NULL},
    {"roles", KIND_OBJECTS, false, "", role_fields},
    /* Text, not objects: few records have any, and pyarrow cannot join a block of empty lists with one of objects. */
    {"derived", KIND_TEXTS, false,
     "roles that a law computes, role = law or role = law(role that it follows from), and where inputs come from: x = "
     "blend(x, x.next_x, x.share)",
     NULL},
    {"counts", KIND_OBJECTS, false, "", count_fields},
    {"choices", KIND_OBJECTS, false, "what was decided in the scenes", choice_fields},
    END,
};

/* Maps the kinds of columns.def to ColumnKind and fields. */
#define KIND_LINES KIND_OBJECTS
#define FIELDS_LINES line_fields
#define KIND_ARGUMENTS KIND_OBJECTS
#define FIELDS_ARGUMENTS argument_fields
#define KIND_LAUNCHES KIND_OBJECTS
#define FIELDS_LAUNCHES launch_fields
#define KIND_PLAN KIND_OBJECT
#define FIELDS_PLAN plan_fields
#define FIELDS_TEXT NULL
#define FIELDS_INT NULL
#define FIELDS_FLOAT NULL
#define FIELDS_BOOL NULL
#define FIELDS_INTS NULL

const Column record_columns[COLUMN_COUNT + 1] = {
#define COLUMN(name, kind, nullable, when, about) {#name, KIND_##kind, nullable, about, FIELDS_##kind},
#include "corpus/columns.def"
#undef COLUMN
    END,
};

/* ---- the columns of a set ---- */

typedef enum Condition {
    ALWAYS,
    CUDA,
    CUDA_BACKWARD,
    CPP,
    CPP_BACKWARD,
    READABLE,
    VERIFIED,
    LAUNCHED,
    TIMED,
    INVENTED,
    HARVESTED,
} Condition;

static const Condition conditions[COLUMN_COUNT] = {
#define COLUMN(name, kind, nullable, when, about) [COLUMN_##name] = when,
#include "corpus/columns.def"
#undef COLUMN
};

/* A column that would be null in every record of a set is left out. */
bool has_column(const CorpusOptions *options, ColumnId column)
{
    bool cuda = options->device & DEVICE_SET_CUDA, cpp = options->device & DEVICE_SET_CPU;
    switch (conditions[column]) {
    case ALWAYS: return true;
    case CUDA: return cuda;
    case CUDA_BACKWARD: return cuda && options->backward;
    case CPP: return cpp;
    case CPP_BACKWARD: return cpp && options->backward;
    case READABLE: return options->readable;
    case VERIFIED: return options->verify;
    case LAUNCHED: return options->launches;
    case TIMED: return options->timing;
    case INVENTED: return !options->harvested || options->merged;
    case HARVESTED: return options->harvested;
    }
    return true;
}

void columns_of(const CorpusOptions *options, RecordPart part, ColumnList list)
{
    Column *to = list;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        bool fits = part == PART_WHOLE || (part == PART_MAIN ? i < FIRST_DETAIL : i >= FIRST_DETAIL || i == COLUMN_id);
        if (fits && has_column(options, (ColumnId)i))
            *to++ = record_columns[i];
    }
    *to = record_columns[COLUMN_COUNT];
}

/* ---- checking ---- */

static bool is_scalar(const json_t *value, ColumnKind kind)
{
    switch (kind) {
    case KIND_TEXT:
    case KIND_TEXTS: return json_is_string(value);
    case KIND_INT:
    case KIND_INTS: return json_is_integer(value);
    case KIND_FLOAT:
    case KIND_FLOATS: return json_is_real(value);
    case KIND_BOOL: return json_is_boolean(value);
    default: return json_is_object(value);
    }
}

static bool column_holds(const Column *column, json_t *value, char *problem, size_t size)
{
    json_t *item;
    size_t index;
    if (json_is_null(value) && column->nullable)
        return true;
    bool fine = is_list_kind(column->kind) ? json_is_array(value) : is_scalar(value, column->kind);
    if (fine && is_list_kind(column->kind))
        json_array_foreach(value, index, item) fine &= is_scalar(item, column->kind);
    if (!fine) {
        snprintf(problem, size, "'%s' has another type", column->name);
        return false;
    }
    if (column->kind == KIND_OBJECT)
        return columns_hold(column->fields, value, problem, size);
    if (column->kind == KIND_OBJECTS)
        json_array_foreach(value, index, item) if (!columns_hold(column->fields, item, problem, size)) return false;
    return true;
}

bool columns_hold(const Column *columns, json_t *object, char *problem, size_t size)
{
    void *at = json_object_iter(object);
    for (const Column *column = columns; column->name; column++) {
        if (!at || strcmp(json_object_iter_key(at), column->name) != 0) {
            snprintf(problem, size, "'%s' is missing or not in its place", column->name);
            return false;
        }
        if (!column_holds(column, json_object_iter_value(at), problem, size))
            return false;
        at = json_object_iter_next(object, at);
    }
    if (at)
        snprintf(problem, size, "'%s' is not known", json_object_iter_key(at));
    return !at;
}

const char *record_source(const json_t *record)
{
    const char *source = json_member_string(record, "python_source");
    return source + (strncmp(source, SOURCE_IMPORT, strlen(SOURCE_IMPORT)) == 0 ? strlen(SOURCE_IMPORT) : 0);
}

/* ---- printing ---- */

static const char *const kind_words[] = {
    [KIND_TEXT] = "string",  [KIND_INT] = "integer",  [KIND_FLOAT] = "number",  [KIND_BOOL] = "boolean",
    [KIND_TEXTS] = "string", [KIND_INTS] = "integer", [KIND_FLOATS] = "number",
};

static void put_object(const Column *columns, Text *out);

/* The one object that several columns hold stands once, under $defs. */
static void put_fields(const Column *fields, Text *out)
{
    if (fields == value_fields)
        text_lit(out, "{\"$ref\":\"#/$defs/value\"}");
    else
        put_object(fields, out);
}

/* Types shared by many columns stand once, too: a text, a text or null, a number or null. */
static const struct {
    ColumnKind kind;
    bool nullable;
    const char *anchor;
} common[] = {{KIND_TEXT, false, "t"}, {KIND_TEXT, true, "t0"}, {KIND_FLOAT, true, "n0"}};

static const char *common_anchor(const Column *column)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (common[i].kind == column->kind && common[i].nullable == column->nullable)
            return common[i].anchor;
    return NULL;
}

static void put_type(const Column *column, Text *out)
{
    const char *anchor = common_anchor(column);
    if (anchor) {
        text_format(out, "{\"$ref\":\"#%s\"}", anchor);
        return;
    }
    if (column->kind == KIND_OBJECT) {
        put_fields(column->fields, out);
        return;
    }
    const char *word = is_list_kind(column->kind) ? "array" : kind_words[column->kind];
    text_format(out, column->nullable ? "{\"type\":[\"%s\",\"null\"]" : "{\"type\":\"%s\"", word);
    if (column->kind == KIND_OBJECTS) {
        text_lit(out, ",\"items\":");
        put_fields(column->fields, out);
    } else if (is_list_kind(column->kind))
        text_format(out, ",\"items\":{\"type\":\"%s\"}", kind_words[column->kind]);
    text_char(out, '}');
}

/* The columns that records of every set have; details are optional. */
static void put_required(Text *out)
{
    const char *comma = "";
    text_lit(out, "},\n\"required\":[");
    for (int i = 0; i < FIRST_DETAIL; i++)
        if (conditions[i] == ALWAYS) {
            text_format(out, "%s\"%s\"", comma, record_columns[i].name);
            comma = ",";
        }
    text_lit(out, "],\"additionalProperties\":false");
}

/* Allows no other members. An object that is not a record needs all of them. */
static void put_members(const Column *columns, Text *out)
{
    uint32_t count = 0;
    text_lit(out, "\"type\":\"object\",\"properties\":{");
    for (; columns[count].name; count++) {
        text_format(out, "%s%s\"%s\":", count ? "," : "", columns == record_columns ? "\n" : "", columns[count].name);
        put_type(&columns[count], out);
    }
    if (columns == record_columns)
        put_required(out);
    else
        text_format(out, "},\"minProperties\":%u,\"additionalProperties\":false", count);
}

static void put_object(const Column *columns, Text *out)
{
    text_char(out, '{');
    put_members(columns, out);
    text_char(out, '}');
}

void columns_json_schema(Text *out)
{
    text_lit(out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",");
    put_members(record_columns, out);
    text_lit(out, ",\n\"$defs\":{\"value\":");
    put_object(value_fields, out);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        text_format(out,
                    common[i].nullable ? ",\"%s\":{\"$anchor\":\"%s\",\"type\":[\"%s\",\"null\"]}"
                                       : ",\"%s\":{\"$anchor\":\"%s\",\"type\":\"%s\"}",
                    common[i].anchor, common[i].anchor, kind_words[common[i].kind]);
    text_lit(out, "}}\n");
}

static void put_features(const Column *columns, unsigned margin, Text *out)
{
    static const char *const words[] = {
        [KIND_TEXT] = "string",  [KIND_INT] = "int64",  [KIND_FLOAT] = "float64",  [KIND_BOOL] = "bool",
        [KIND_TEXTS] = "string", [KIND_INTS] = "int64", [KIND_FLOATS] = "float64",
    };
    for (const Column *column = columns; column->name; column++) {
        text_format(out, "%*s- name: %s\n%*s", margin, "", column->name, margin + 2, "");
        if (column->fields) {
            text_str(out, column->kind == KIND_OBJECT ? "struct:\n" : "list:\n");
            put_features(column->fields, margin + 2, out);
        } else
            text_format(out, "%s: %s\n", is_list_kind(column->kind) ? "sequence" : "dtype", words[column->kind]);
    }
}

void columns_features(const Column *columns, Text *out)
{
    put_features(columns, 2, out);
}
