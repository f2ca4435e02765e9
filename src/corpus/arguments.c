#include "corpus/arguments.h"

#include "synth/synth.h"

const char EMPTY_PLAN[] =
    "{\"scenes\": [], \"laws\": [], \"roles\": [], \"derived\": [], \"counts\": [], \"choices\": []}";

json_t *argument_row(const char *name, const char *field, const char *type, const CheckArg *said, const char *role)
{
    json_t *row = json_object(), *shape = said->ndim ? json_array() : json_null();
    for (uint32_t i = 0; i < said->ndim; i++)
        json_array_append_new(shape, json_integer(said->shape[i]));
    json_object_set_new(row, "name", json_string(name));
    json_object_set_new(row, "field", field ? json_string(field) : json_null());
    json_object_set_new(row, "type", json_string(type));
    json_object_set_new(row, "shape", shape);
    json_object_set_new(row, "low", said->has_range ? json_real(said->low) : json_null());
    json_object_set_new(row, "high", said->has_range ? json_real(said->high) : json_null());
    json_object_set_new(row, "value", said->has_value ? json_real(said->value) : json_null());
    json_object_set_new(row, "sorted", json_boolean(said->sorted));
    json_object_set_new(row, "role", json_string(role));
    json_object_set_new(row, "quantity", json_null());
    return row;
}

typedef struct Rows {
    json_t *list;
    Arena *arena;
    const CheckLaunch *launch;
    const char *name, *role; /* of the parameter */
    bool is_valid;
} Rows;

/* Spells out an argument: its value or the range it is drawn from, and its shape. */
static CheckArg spell_out(const Rows *rows, const char *path, const Type *type)
{
    const CheckArg *said = check_find_arg(rows->launch, path);
    CheckArg full = said ? *said : (CheckArg){0};
    const Type *element = type->kind == TYPE_ARRAY ? type_canonical(type->array.dtype) : type;
    const Type *scalar = type_canonical(type_scalar_of(element));
    bool has_numbers = type_is_float(scalar) || type_is_int(scalar) || scalar->kind == TYPE_BOOL;
    const LaunchValue value = {.type = type, .width = has_numbers, .cell_types = &scalar};
    if (!rows->is_valid || !has_numbers)
        full.has_range = full.has_value = full.sorted = false;
    else if (!full.has_value && !full.has_range) {
        CheckRange range = check_range(&value, NULL);
        full.has_range = true;
        full.low = range.low;
        full.high = range.high;
    }
    full.has_range &= !full.has_value;
    if (type->kind != TYPE_ARRAY)
        full.ndim = 0;
    for (; type->kind == TYPE_ARRAY && full.ndim < type->array.ndim && full.ndim < 4; full.ndim++)
        full.shape[full.ndim] = CHECK_USUAL_SIZE;
    return full;
}

/* A struct's fields follow it; of an array of structs, those of its elements, which have no shapes of their own. */
static void add_rows(const Rows *rows, const char *field, const Type *type)
{
    const char *path = field ? arena_format(rows->arena, "%s.%s", rows->name, field) : rows->name;
    Text repr = text_in(rows->arena);
    type = type_canonical(type);
    type_repr(type, &repr);
    const CheckArg said = spell_out(rows, path, type);
    json_array_append_new(rows->list, argument_row(rows->name, field, text_cstr(&repr), &said, rows->role));
    const Type *whole = type->kind == TYPE_ARRAY ? type_canonical(type->array.dtype) : type;
    for (uint32_t i = 0; whole->kind == TYPE_STRUCT && i < whole->decl->field_count; i++) {
        const char *name = whole->decl->fields[i].name->text;
        add_rows(rows, field ? arena_format(rows->arena, "%s.%s", field, name) : name, whole->decl->fields[i].type);
    }
}

void write_launch_description(const Compiled *compiled, const CheckLaunch *launch, bool is_valid, Text *out)
{
    const IrFunction *kernel = compiled->module->kernel;
    Rows rows = {.list = json_array(), .arena = compiled->unit->arena, .launch = launch, .is_valid = is_valid};
    uint32_t ndim = launch->ndim ? launch->ndim : kernel->kernel_dim;
    text_lit(out, LAUNCH_HEAD "[");
    for (uint32_t i = 0; i < ndim; i++)
        text_format(out, "%s%u", i ? ", " : "", launch->ndim ? launch->dim[i] : CHECK_USUAL_SIZE);
    text_char(out, ']');
    if (launch->block_dim)
        text_format(out, LAUNCH_BLOCK "%u", launch->block_dim);
    text_lit(out, LAUNCH_ARGUMENTS);
    const ParamUses *uses = check_param_uses(rows.arena, kernel->code);
    for (uint32_t i = 0; i < kernel->code->param_count; i++) {
        const Param *param = &kernel->code->params[i];
        rows.name = param->name->text;
        rows.role = check_is_output(uses, param) ? "output" : check_is_written(uses, param) ? "inout" : "input";
        add_rows(&rows, NULL, param->type);
    }
    json_write(rows.list, out);
    text_char(out, '}');
    json_decref(rows.list);
}
