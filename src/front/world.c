/* Objects of a running program become values of the loader. Definitions come last: the names in them may mean each other. */
#include "front/world.h"

#include "front/declare_impl.h"
#include "front/hash.h"
#include "front/parser.h"

#include <string.h>

typedef struct WorldLoader {
    Unit *unit;
    const World *world;
    const Value **values; /* by number; NULL: not made yet */
    Scope *scope;         /* of expressions; NULL: not made yet */
} WorldLoader;

static const Value *object_at(WorldLoader *l, uint32_t number)
{
    const Value *value = number < l->world->count ? l->values[number] : NULL;
    return value ? value : value_unknown(l->unit->arena, "it refers to itself");
}

static void bind_names(WorldLoader *l, Scope *scope, WorldNames names)
{
    for (uint32_t i = 0; i < names.count; i++)
        scope_bind(l->unit, scope, name_cstr(l->unit->names, names.items[i].name), object_at(l, names.items[i].object));
}

/* ---- values ---- */

/* One object, one class. */
static const Value *own_class(WorldLoader *l, const Value *value, uint32_t number)
{
    if (value->kind != VALUE_TYPE || !value->made_by)
        return value;
    Value *made = ARENA_NEW(l->unit->arena, Value);
    *made = *value;
    made->made_by = arena_format(l->unit->arena, "object %u", number);
    return made;
}

static const Value *make_expression(WorldLoader *l, const WorldObject *object, uint32_t number)
{
    Unit *unit = l->unit;
    if (!l->scope)
        l->scope = world_scope(unit);
    const Scope *scope = l->scope;
    if (object->names.count) {
        Scope *inner = scope_new(unit, l->scope, "");
        bind_names(l, inner, object->names);
        scope = inner;
    }
    return own_class(l, evaluate_text(unit, scope, object->text, object->length), number);
}

static const Value *make_struct(WorldLoader *l, const WorldObject *object)
{
    Unit *unit = l->unit;
    StructDecl *decl = ARENA_NEW(unit->arena, StructDecl);
    decl->key = name_cstr(unit->names, object->key);
    decl->fields = ARENA_ARRAY(unit->arena, StructField, object->names.count);
    for (uint32_t i = 0; i < object->names.count; i++) {
        const Value *type = object_at(l, object->names.items[i].object);
        StructField *field = &decl->fields[decl->field_count++];
        field->name = name_cstr(unit->names, object->names.items[i].name);
        field->type = type_of_value(type);
        if (!field->type)
            return value_unknown(unit->arena, "in struct '%s', field '%s': %s", object->key, field->name->text,
                                 type->kind == VALUE_UNKNOWN ? type->reason : "its type is not one that weft knows");
    }
    name_struct(unit, decl);
    if (strcmp(decl->native_name, object->native) != 0)
        return value_unknown(unit->arena, "weft and Warp do not agree about the struct '%s'", object->key);
    return value_type(unit->arena, type_struct(unit->types, decl));
}

static const Value *make_struct_instance(WorldLoader *l, const WorldObject *object)
{
    const Value *type = object_at(l, object->type);
    if (type->kind != VALUE_TYPE || type->type->kind != TYPE_STRUCT)
        return type->kind == VALUE_UNKNOWN ? type
                                           : value_unknown(l->unit->arena, "it is an instance of no known struct");
    const Value *instance = make_instance(l->unit, type->type);
    for (uint32_t i = 0; i < object->names.count; i++)
        set_instance_field(l->unit, instance, name_cstr(l->unit->names, object->names.items[i].name),
                           object_at(l, object->names.items[i].object));
    return instance;
}

static const Value *make_enum(WorldLoader *l, const WorldObject *object)
{
    Unit *unit = l->unit;
    EnumClass *cls = ARENA_NEW(unit->arena, EnumClass);
    Scope *functions = scope_new(unit, unit->main->globals, "");
    cls->name = name_cstr(unit->names, object->key);
    cls->member_names = ARENA_ARRAY(unit->arena, Name, object->names.count);
    cls->members = ARENA_ARRAY(unit->arena, const Value *, object->names.count);
    cls->scope = functions;
    for (uint32_t i = 0; i < object->names.count; i++) {
        Name name = name_cstr(unit->names, object->names.items[i].name);
        const Value *value = object_at(l, object->names.items[i].object);
        if (value->kind == VALUE_FUNC) {
            scope_bind(unit, functions, name, value);
            continue;
        }
        Value *member = ARENA_NEW(unit->arena, Value);
        member->kind = VALUE_ENUM_MEMBER;
        member->member.cls = cls;
        member->member.name = cls->member_names[cls->count] = name;
        if (!value_as_int(value, &member->member.value))
            return value_unknown(unit->arena, "the members of enum '%s' are not all integers", object->key);
        cls->members[cls->count++] = member;
    }
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_ENUM_CLASS;
    value->enum_class = cls;
    return value;
}

static const Value *make_namespace(WorldLoader *l, const WorldObject *object)
{
    Value *value = ARENA_NEW(l->unit->arena, Value);
    value->kind = VALUE_CLASS;
    value->class_object.name = name_cstr(l->unit->names, object->key);
    value->class_object.is_object = object->kind == WORLD_OBJECT;
    value->class_object.scope = scope_new(l->unit, l->unit->main->globals, "");
    bind_names(l, value->class_object.scope, object->names);
    return value;
}

/* What is not a definition. */
static const Value *make_value(WorldLoader *l, const WorldObject *object, uint32_t number)
{
    switch (object->kind) {
    case WORLD_EXPRESSION: return make_expression(l, object, number);
    case WORLD_STRUCT: return make_struct(l, object);
    case WORLD_INSTANCE: return make_struct_instance(l, object);
    case WORLD_ENUM: return make_enum(l, object);
    case WORLD_NAMESPACE:
    case WORLD_OBJECT: return make_namespace(l, object);
    default: return value_unknown(l->unit->arena, "%s", object->text);
    }
}

/* ---- definitions ---- */

static void refuse_code(WorldLoader *l, Code *code, const char *why)
{
    Refusal *refusal = ARENA_NEW(l->unit->arena, Refusal);
    *refusal = (Refusal){DIAG_UNSUPPORTED, code->def, why, NULL};
    if (!code->refused)
        code->refused = refusal;
}

/* The text, after as many empty lines as it has before it in its file, so that messages name the right one. */
static File *file_of(WorldLoader *l, const WorldObject *object, size_t *from)
{
    const WorldDefinition *definition = object->definition;
    *from = definition->line ? definition->line - 1 : 0;
    char *text = arena_take(l->unit->arena, *from + object->length + 1);
    memset(text, '\n', *from);
    memcpy(text + *from, object->text, object->length);
    text[*from + object->length] = '\0';
    Source *source = ARENA_NEW(l->unit->arena, Source);
    *source = (Source){definition->path, text, *from + object->length};
    return file_new(l->unit, source);
}

/* Reads the source text. False: it is not a definition, and unit->diags says so. */
static bool read_definition(WorldLoader *l, const WorldObject *object, File *file, size_t from, Code *code)
{
    Unit *unit = l->unit;
    unsigned before = unit->diags.count;
    file->module = parse_module_from(unit->arena, unit->names, file->source, from, &unit->diags);
    file->parsed = unit->diags.count == before;
    const NodeList *body = &file->module->module.body;
    if (file->parsed && (body->count != 1 || body->items[0]->kind != NODE_FUNCTION_DEF))
        diag_add(&unit->diags, file->source, DIAG_UNSUPPORTED, (uint32_t)from, (uint32_t)from,
                 "the source of '%s' is not that of one function", object->key);
    if (unit->diags.count != before)
        return false;
    Scope *closure = scope_new(unit, file->globals, "");
    bind_names(l, file->globals, object->definition->globals);
    bind_names(l, closure, object->definition->closure);
    code->def = body->items[0];
    code->scope = object->definition->closure.count ? closure : file->globals;
    code->binds_no_outer = !code->scope->parent || !binds_outer_name(code);
    code->source = file->source->text + from;
    code->source_len = (uint32_t)object->length;
    code->source_start = (uint32_t)from;
    code->written = object->definition->written;
    return true;
}

static const Value *find_name(WorldLoader *l, WorldNames names, Name name)
{
    for (uint32_t i = 0; i < names.count; i++)
        if (name_is(name, names.items[i].name))
            return object_at(l, names.items[i].object);
    return NULL;
}

/* The type of an annotation as the program has it. NULL: weft has no such type, and the code is refused. */
static const Type *told_type(WorldLoader *l, Code *code, const Value *value, const char *what)
{
    Arena *arena = l->unit->arena;
    if (value && value_is_intrinsic(value, INTRINSIC_TUPLE))
        return type_tuple(l->unit->types, NULL, 0, TUPLE_ANNOTATION);
    const Type *type = type_of_value(value);
    if (!type)
        refuse_code(l, code,
                    arena_format(arena, "has a type that is not known: %s: %s", what,
                                 value && value->kind == VALUE_UNKNOWN ? value->reason : "it has no annotation"));
    return type;
}

static void read_told_params(WorldLoader *l, const WorldObject *object, Code *code)
{
    const Node *args = code->def->function.params;
    const WorldDefinition *definition = object->definition;
    uint32_t positional = args->arguments.posonly.count + args->arguments.args.count;
    code->param_count = positional + args->arguments.kwonly.count;
    code->params = ARENA_ARRAY(l->unit->arena, Param, code->param_count);
    if (args->arguments.vararg || args->arguments.kwarg)
        refuse_code(l, code, "takes any number of arguments");
    for (uint32_t i = 0; i < code->param_count; i++) {
        Name name = param_node(args, i)->arg.name;
        const Type *type = told_type(l, code, find_name(l, object->names, name), name->text);
        code->params[i] = (Param){.name = name,
                                  .type = type ? type : type_scalar(TYPE_ANY),
                                  .default_value = find_name(l, definition->defaults, name),
                                  .keyword_only = i >= positional};
    }
    code->has_return = definition->returns != WORLD_NOTHING;
    if (code->has_return)
        code->return_type = told_type(l, code, object_at(l, definition->returns), "return");
}

static void read_told_statics(WorldLoader *l, const WorldDefinition *definition, Code *code)
{
    code->statics_told = true;
    code->told = ARENA_ARRAY(l->unit->arena, StaticValue, definition->statics.count);
    code->told_count = definition->statics.count;
    for (uint32_t i = 0; i < code->told_count; i++) {
        const char *text = definition->statics.items[i].name;
        const Value *value = object_at(l, definition->statics.items[i].object);
        code->told[i] = (StaticValue){NULL, value, text, (uint32_t)strlen(text)};
        if (value->kind == VALUE_UNKNOWN)
            refuse_code(l, code,
                        arena_format(l->unit->arena, "has wp.static(%s), which is not known: %s", text, value->reason));
    }
    if (code->written) { /* the values are where the calls were */
        code->statics = code->told;
        code->static_count = code->told_count;
    } else
        code_resolve_statics(l->unit, code);
}

/* What a kernel and a function have in common. */
static bool define_code(WorldLoader *l, const WorldObject *object, File *file, size_t from, Code *code)
{
    if (!read_definition(l, object, file, from, code))
        return false;
    if (object->definition->refused)
        refuse_code(l, code, object->definition->refused);
    read_told_params(l, object, code);
    read_told_statics(l, object->definition, code);
    return true;
}

static Func *func_at(WorldLoader *l, uint32_t number)
{
    bool is_function = number < l->world->count && l->world->objects[number].kind == WORLD_FUNCTION;
    return is_function ? l->values[number]->func : NULL;
}

static const Value *snippet_value(WorldLoader *l, const char *text)
{
    return text ? value_str(l->unit->arena, text, (uint32_t)strlen(text)) : NULL;
}

static void define_function(WorldLoader *l, const WorldObject *object, Func *func)
{
    const WorldDefinition *definition = object->definition;
    size_t from;
    File *file = file_of(l, object, &from);
    func->key = name_cstr(l->unit->names, object->key);
    func->native = object->native;
    func->head = func;
    if (!define_code(l, object, file, from, &func->code)) {
        func->code.def = file->module;
        func->code.scope = file->globals;
        refuse_code(l, &func->code, "cannot be read");
    }
    func->signature = signature_string(l->unit, func->code.params, func->code.param_count);
    func->inlining = (Inlining)definition->inlining;
    func->snippet = snippet_value(l, definition->snippet);
    func->adj_snippet = snippet_value(l, definition->adj_snippet);
    func->replay_snippet = snippet_value(l, definition->replay_snippet);
    func->is_snippet = func->snippet != NULL;
    func->skip_forward = definition->skip_forward;
    func->skip_reverse = definition->skip_reverse;
    func->custom_reverse = definition->custom_reverse;
    func->custom_reverse_inputs = definition->custom_reverse_inputs;
    func->used_by_backward = definition->used_by_backward;
    func->force_adjoint = definition->force_adjoint;
    func->uses_grad = definition->uses_grad;
    func->custom_grad = func_at(l, definition->custom_grad);
    func->custom_replay = func_at(l, definition->custom_replay);
    if (definition->attributes.count) {
        func->attributes = scope_new(l->unit, file->globals, "");
        bind_names(l, func->attributes, definition->attributes);
    }
}

/* Once all functions are there: which of them a name stands for. */
static void join_overloads(WorldLoader *l, const WorldObject *object, Func *head)
{
    Arena *arena = l->unit->arena;
    for (uint32_t i = 0; i < object->definition->overloads.count; i++) {
        Func *func = func_at(l, object->definition->overloads.items[i]);
        if (!func)
            continue;
        FuncList *list = strchr(func->signature, '?') ? &head->templates : &head->overloads;
        ARENA_PUSH(arena, list->items, list->count, list->cap) = func;
    }
}

static void define_options(WorldLoader *l, const WorldDefinition *definition, Kernel *kernel)
{
    enum { MOST = sizeof kernel->options / sizeof *kernel->options };
    kernel->option_text = definition->option_text;
    for (uint32_t i = 0; i < definition->options.count; i++) {
        const Value *value = object_at(l, definition->options.items[i].object);
        if (value->kind == VALUE_UNKNOWN || kernel->option_count == MOST)
            refuse_code(l, &kernel->code, "has an option that is not known");
        else if (value->kind != VALUE_NONE)
            kernel->options[kernel->option_count++] = (KernelOption){definition->options.items[i].name, value};
    }
}

static bool define_kernel(WorldLoader *l, const WorldObject *object, Kernel *kernel)
{
    size_t from;
    File *file = file_of(l, object, &from);
    l->unit->main = file;
    kernel->key = name_cstr(l->unit->names, object->key);
    file->options = object->definition->module;
    kernel->module = &file->options;
    if (!define_code(l, object, file, from, &kernel->code))
        return false;
    define_options(l, object->definition, kernel);
    for (uint32_t i = 0; i < kernel->code.param_count; i++)
        kernel->is_generic |= type_is_generic(kernel->code.params[i].type);
    if (kernel->is_generic)
        refuse_code(l, &kernel->code, "is generic: its overloads can be compiled");
    if (kernel->code.refused) {
        const Node *def = kernel->code.def;
        Diag *diag =
            diag_add(&l->unit->diags, file->source, DIAG_UNSUPPORTED, def->function.def_start,
                     def->function.def_start + 3, "kernel '%s' %s", object->key, kernel->code.refused->message);
        diag->kernel = kernel->key->text;
        return false;
    }
    return true;
}

/* ---- the whole ---- */

/* Expressions whose values other worlds have, too. */
static void share_values(WorldLoader *l, WorldBase *base)
{
    world_base_join(base, l->unit);
    for (uint32_t i = 0; i < l->world->count; i++) {
        const WorldObject *object = &l->world->objects[i];
        bool is_alone = object->kind == WORLD_EXPRESSION && !object->names.count;
        const Value *value = is_alone ? world_base_value(base, object->text, object->length) : NULL;
        if (value)
            l->values[i] = own_class(l, value, i);
    }
}

static const Value *open_definition(WorldLoader *l, WorldKind kind)
{
    Value *value = ARENA_NEW(l->unit->arena, Value);
    value->kind = kind == WORLD_KERNEL ? VALUE_KERNEL : VALUE_FUNC;
    if (kind == WORLD_KERNEL)
        value->kernel = ARENA_NEW(l->unit->arena, Kernel);
    else
        value->func = ARENA_NEW(l->unit->arena, Func);
    return value;
}

static bool is_definition(WorldKind kind)
{
    return kind == WORLD_FUNCTION || kind == WORLD_KERNEL;
}

Kernel *world_load(Unit *unit, WorldBase *base, const World *world)
{
    WorldLoader l = {.unit = unit, .world = world, .values = ARENA_ARRAY(unit->arena, const Value *, world->count)};
    share_values(&l, base);
    for (uint32_t i = 0; i < world->count; i++)
        if (is_definition(world->objects[i].kind))
            l.values[i] = open_definition(&l, world->objects[i].kind);
    for (uint32_t i = 0; i < world->count; i++)
        if (!l.values[i])
            l.values[i] = make_value(&l, &world->objects[i], i);
    for (uint32_t i = 0; i < world->count; i++)
        if (world->objects[i].kind == WORLD_FUNCTION)
            define_function(&l, &world->objects[i], l.values[i]->func);
    for (uint32_t i = 0; i < world->count; i++)
        if (world->objects[i].kind == WORLD_FUNCTION)
            join_overloads(&l, &world->objects[i], l.values[i]->func);
    Kernel *kernel = l.values[world->kernel]->kernel;
    return define_kernel(&l, &world->objects[world->kernel], kernel) ? kernel : NULL;
}
