/* Classes: structs, enums, and others as far as their bodies can be run. */
#include "front/declare_impl.h"
#include "front/hash.h"

#include <string.h>

static const Value *unusable_struct(Unit *unit, const Node *def, const Scope *scope, Name field, const Refusal *why)
{
    enum { LONG = 1000 }; /* the reasons of structs within structs: it does not grow without end */
    static const char format[] = "in struct '%s', field '%s' at line %u: %s";
    if (strlen(why->message) > LONG)
        return value_unknown(unit->arena, "class '%s' is made of structs that are not known",
                             def->class_def.name->text);
    uint32_t line = source_position_in(&scope->file->lines, unit->arena, scope->file->source, why->at->start).line;
    const char *name = def->class_def.name->text;
    return why->kind == DIAG_ERROR ? value_wrong(unit->arena, format, name, field->text, line, why->message)
                                   : value_unknown(unit->arena, format, name, field->text, line, why->message);
}

/* Fields may come and go in these. */
static bool has_statements(const Node *node)
{
    return node->kind == NODE_IF || node->kind == NODE_FOR || node->kind == NODE_WHILE || node->kind == NODE_WITH ||
           node->kind == NODE_TRY || node->kind == NODE_TRY_STAR || node->kind == NODE_MATCH ||
           node->kind == NODE_DELETE;
}

/* A name that is annotated again keeps its place, as in a dictionary. */
static StructField *field_of(StructDecl *decl, Name name)
{
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (decl->fields[i].name == name)
            return &decl->fields[i];
    decl->fields[decl->field_count].name = name;
    return &decl->fields[decl->field_count++];
}

static const Value *declare_struct(Unit *unit, const Node *def, Scope *scope)
{
    scope->file->module_made = true;
    StructDecl *decl = ARENA_NEW(unit->arena, StructDecl);
    decl->key = key_of(unit, qualname_of(unit, scope, def->class_def.name));
    decl->fields = ARENA_ARRAY(unit->arena, StructField, def->class_def.body.count);
    for (uint32_t i = 0; i < def->class_def.body.count; i++) {
        const Node *node = def->class_def.body.items[i];
        if (has_statements(node)) {
            uint32_t line = source_position_in(&scope->file->lines, unit->arena, scope->file->source, node->start).line;
            return value_unknown(unit->arena, "struct '%s' has a statement at line %u that may change its fields",
                                 def->class_def.name->text, line);
        }
        if (node->kind != NODE_ANN_ASSIGN || node->ann_assign.target->kind != NODE_NAME)
            continue;
        StructField *field = field_of(decl, node->ann_assign.target->name.id);
        Refusal why;
        field->type = annotation_type(unit, node->ann_assign.annotation, scope, &why);
        if (!field->type)
            return unusable_struct(unit, def, scope, field->name, &why);
        ArrayClass cls = field->type->kind == TYPE_ARRAY ? field->type->array.cls : ARRAY_PLAIN;
        if (!unit->dialect->fabric_fields && (cls == ARRAY_FABRIC || cls == ARRAY_INDEXED_FABRIC)) {
            why = (Refusal){DIAG_ERROR, node, "a field of a struct cannot be a Fabric array", NULL};
            return unusable_struct(unit, def, scope, field->name, &why);
        }
    }
    name_struct(unit, decl);
    return value_type(unit->arena, type_struct(unit->types, decl));
}

/* Python makes an integer of a float, too. */
static bool member_value(const Value *value, BigInt *out)
{
    enum { LARGEST = 1 << 30 };
    if (value->kind == VALUE_FOREIGN_MEMBER) {
        *out = value->member.value;
        return true;
    }
    bool real = value->kind == VALUE_FLOAT && value->real > -LARGEST && value->real < LARGEST;
    if (real)
        *out = truncate_real(value->real);
    return real || value_as_int(value, out);
}

static void add_member(Unit *unit, EnumClass *cls, Scope *inner, Name name, const Value *member)
{
    scope_bind(unit, inner, name, member);
    ARENA_PUSH(unit->arena, cls->member_names, cls->count, cls->cap) = name;
    cls->count--;
    ARENA_PUSH(unit->arena, cls->members, cls->count, cls->value_cap) = member;
}

/* The other members are what they are. `given`: what it is set to; NULL: enum.auto(). */
static const Value *unknown_member(Unit *unit, const EnumClass *cls, Name name, const Value *given)
{
    return value_unknown(unit->arena, "the value of member '%s' of enum '%s' is not known: %s", name->text,
                         cls->name->text, given ? given->reason : "it follows one that is not known");
}

static const Value *declare_enum(Unit *unit, const Node *def, Scope *scope, bool flag)
{
    EnumClass *cls = ARENA_NEW(unit->arena, EnumClass);
    Scope *inner =
        scope_new(unit, scope, arena_format(unit->arena, "%s%s.", scope->qualname, def->class_def.name->text));
    inner->is_class = true;
    cls->scope = inner;
    cls->name = def->class_def.name;
    BigInt next = 1;
    bool unknown_before = false; /* what enum.auto() gives depends on it */
    for (uint32_t i = 0; i < def->class_def.body.count; i++) {
        const Node *node = def->class_def.body.items[i];
        if (node->kind == NODE_FUNCTION_DEF)
            scope_bind(unit, inner, node->function.name, declare_function(unit, node, inner));
        if (node->kind != NODE_ASSIGN || node->assign.targets.count != 1 ||
            node->assign.targets.items[0]->kind != NODE_NAME)
            continue;
        Name name = node->assign.targets.items[0]->name.id;
        const Node *expr = node->assign.value;
        Value *member = ARENA_NEW(unit->arena, Value);
        member->kind = VALUE_ENUM_MEMBER;
        member->member.cls = cls;
        member->member.name = name;
        bool automatic = expr->kind == NODE_CALL &&
                         value_is_intrinsic(static_eval(unit, expr->call.func, scope), INTRINSIC_ENUM_AUTO);
        const Value *given = automatic ? NULL : static_eval(unit, expr, inner);
        unknown_before |= given && given->kind == VALUE_UNKNOWN;
        if (given ? given->kind == VALUE_UNKNOWN : unknown_before) {
            add_member(unit, cls, inner, name, unknown_member(unit, cls, name, given));
            continue;
        }
        if (automatic)
            member->member.value = next;
        else if (!member_value(given, &member->member.value))
            return value_unknown(unit->arena, "the value of member '%s' of enum '%s' is not a known integer",
                                 name->text, cls->name->text);
        next = flag ? 1 : member->member.value + 1;
        while (flag && next <= member->member.value)
            next *= 2;
        add_member(unit, cls, inner, name, member);
    }
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_ENUM_CLASS;
    value->enum_class = cls;
    return value;
}

/* The Warp functions in the body of a class that is derived from a type. False: there is more in it. */
static bool read_members(Unit *unit, const Node *def, const Scope *around, const Scope **members)
{
    Scope *scope =
        scope_new(unit, around, arena_format(unit->arena, "%s%s.", around->qualname, def->class_def.name->text));
    scope->is_class = true;
    *members = NULL;
    for (uint32_t i = 0; i < def->class_def.body.count; i++) {
        const Node *node = def->class_def.body.items[i];
        bool is_text = node->kind == NODE_EXPR && node->expr.value->kind == NODE_CONSTANT;
        if (node->kind == NODE_PASS || is_text)
            continue;
        const Value *value = node->kind == NODE_FUNCTION_DEF ? declare_function(unit, node, scope) : NULL;
        if (!value || value->kind != VALUE_FUNC)
            return false;
        scope_bind(unit, scope, node->function.name, value);
        *members = scope;
    }
    return true;
}

/* A class of its own whose values are those of a vector, matrix, quaternion or transformation. */
static const Value *declare_composite(Unit *unit, const Node *def, const Type *type, const Scope *scope)
{
    const Scope *members;
    if (!read_members(unit, def, scope, &members))
        return value_unknown(unit->arena, "class '%s' adds something to a type of Warp", def->class_def.name->text);
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_TYPE;
    value->type = type;
    value->members = members;
    value->made_by = arena_format(unit->arena, "class %p", (const void *)value);
    return value;
}

/* The one base whose attributes a class has, too; *followed is false where there are others, or where it may change what the body says. */
static const Value *find_base(Unit *unit, const Node *def, const Scope *scope, bool *followed)
{
    const NodeList *bases = &def->class_def.bases;
    *followed = !bases->count && !def->class_def.keywords.count;
    if (bases->count != 1 || def->class_def.keywords.count)
        return NULL;
    const Value *base = static_eval(unit, bases->items[0], scope);
    *followed = base->kind == VALUE_CLASS && !base->class_object.derived && !base->class_object.is_object;
    for (const Value *at = base; *followed && at; at = at->class_object.base)
        *followed = !scope_find_here(at->class_object.scope, name_of(unit->names, "__init_subclass__", 17));
    return *followed ? base : NULL;
}

typedef struct Words {
    bool found;
} Words;

/* Is it said of a name that it is no usual field? */
static void find_special(const Node *node, void *user)
{
    static const char *const special[] = {"ClassVar", "InitVar", "KW_ONLY"};
    Words *words = user;
    Name name = node->kind == NODE_NAME ? node->name.id : node->kind == NODE_ATTRIBUTE ? node->attribute.attr : NULL;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        bool is_text = node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_STR;
        words->found |= (name && name_is(name, special[i])) ||
                        (is_text && memmem(node->constant.text, node->constant.len, special[i], strlen(special[i])));
    }
    node_children(node, find_special, user);
}

/* @dataclass, with options that leave the attributes of the class as they are. */
static bool is_dataclass(Unit *unit, const Node *def, const Scope *scope, bool *frozen)
{
    static const char *const options[] = {"frozen", "eq", "order", "repr"};
    const NodeList *decorators = &def->class_def.decorators;
    const Node *node = decorators->count == 1 ? decorators->items[0] : NULL;
    bool called = node && node->kind == NODE_CALL, known = node && !def->class_def.bases.count;
    Words words = {false};
    *frozen = false;
    if (!known || !value_is_intrinsic(static_eval(unit, called ? node->call.func : node, scope), INTRINSIC_DATACLASS))
        return false;
    for (uint32_t i = 0; called && i < node->call.keywords.count; i++) {
        const Node *keyword = node->call.keywords.items[i];
        bool is_option = false, sure, truth = value_is_true(static_eval(unit, keyword->keyword.value, scope), &sure);
        for (size_t k = 0; keyword->keyword.name && k < sizeof options / sizeof *options; k++)
            is_option |= name_is(keyword->keyword.name, options[k]);
        known &= is_option && sure;
        *frozen |= truth && keyword->keyword.name && name_is(keyword->keyword.name, "frozen");
    }
    for (uint32_t i = 0; i < def->class_def.body.count; i++)
        if (def->class_def.body.items[i]->kind == NODE_ANN_ASSIGN)
            find_special(def->class_def.body.items[i]->ann_assign.annotation, &words);
    return known && !words.found && !(called && node->call.args.count);
}

const Value *declare_class(Unit *unit, const Node *def, Scope *scope)
{
    const NodeList *decorators = &def->class_def.decorators;
    if (decorators->count) {
        const Value *decorator = static_eval(unit, decorators->items[0], scope);
        if (decorators->count == 1 && value_is_intrinsic(decorator, INTRINSIC_WP_STRUCT))
            return declare_struct(unit, def, scope);
    }
    for (uint32_t i = 0; i < def->class_def.bases.count; i++) {
        const Value *base = static_eval(unit, def->class_def.bases.items[i], scope);
        if (value_is_intrinsic(base, INTRINSIC_ENUM_INT_ENUM) || value_is_intrinsic(base, INTRINSIC_ENUM_INT_FLAG))
            return declare_enum(unit, def, scope, value_is_intrinsic(base, INTRINSIC_ENUM_INT_FLAG));
        if (base->kind == VALUE_TYPE && def->class_def.bases.count == 1 && !def->class_def.keywords.count &&
            type_is_composite(base->type))
            return declare_composite(unit, def, base->type, scope);
    }
    bool followed, frozen, dataclass = is_dataclass(unit, def, scope, &frozen);
    const Value *base = find_base(unit, def, scope, &followed);
    followed &= !decorators->count || dataclass; /* it may do anything with the class */
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_CLASS;
    value->class_object.name = def->class_def.name;
    value->class_object.dataclass = dataclass ? def : NULL;
    value->class_object.is_frozen = frozen;
    value->class_object.scope =
        scope_new(unit, scope, arena_format(unit->arena, "%s%s.", scope->qualname, def->class_def.name->text));
    const Value *result = NULL;
    value->class_object.scope->is_class = true;
    run_block(unit, &def->class_def.body, value->class_object.scope, &result);
    /* A base may change what the body says, but not the Warp functions and kernels in it. */
    Scope *members = value->class_object.scope;
    for (uint32_t i = 0; !followed && i < members->count; i++)
        if (members->bindings[i].value->kind != VALUE_FUNC && members->bindings[i].value->kind != VALUE_KERNEL)
            members->bindings[i].value = value_unknown(
                unit->arena, "class '%s' has bases or decorators that are not followed", def->class_def.name->text);
    value->class_object.derived = !followed;
    value->class_object.base = base;
    return value;
}
