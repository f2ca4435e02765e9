/* The hash rule: what Warp's names of kernels and structs are made from.
 *
 * A name is the key and eight hex digits of a SHA-256 over everything that Warp thinks the code depends on. Warp walks the syntax tree breadth first and collects constants, types and functions in the order in which it
 * meets them; the order is part of the hash, and so are names that only look like references. */
#include "front/hash.h"

#include "base/sha256.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct Reference {
    const char *name; /* of a constant: the dotted path */
    const Value *value;
} Reference;

typedef struct References {
    Reference *constants;
    uint32_t constant_count, constant_cap;
    const Value **types;
    uint32_t type_count, type_cap;
    const Value **functions; /* VALUE_FUNC or VALUE_BUILTIN */
    uint32_t function_count, function_cap;
    HashTable locals; /* names */
    HashTable constants_by_name, types_by_class, functions_by_address;
} References;

typedef struct Hasher {
    Unit *unit;
    Arena *arena;
    HashTable done; /* digests of functions */
    const Func **in_progress;
    uint32_t progress_count, progress_cap;
    const Code *code; /* what is being hashed */
    HashTable params; /* its names of them */
    Name module_name; /* in it: the module that was last asked for something, `wp` mostly; NULL: none was */
    const Value *module;
    const Node *trouble; /* what makes the name unknowable */
    const Source *source;
    const char *why;
    bool built_first, perhaps_built_first; /* the kernel, before it was named */
} Hasher;

/* ---- references ---- */

static void give_up(Hasher *h, const Node *at, const char *why)
{
    if (!h->trouble) {
        h->trouble = at;
        h->source = h->code->scope->file->source;
        h->why = why;
    }
}

static bool is_text(const void *key, const void *wanted)
{
    return strcmp(key, wanted) == 0;
}

static void add_constant(Hasher *h, References *refs, const char *name, const Value *value)
{
    TableSlot *slot = table_add_like(&refs->constants_by_name, h->arena, name_hash(name, strlen(name)), is_text, name);
    if (slot->key) {
        refs->constants[slot->number].value = value;
        return;
    }
    slot->key = name;
    slot->number = refs->constant_count;
    ARENA_PUSH(h->arena, refs->constants, refs->constant_count, refs->constant_cap) = (Reference){name, value};
}

/* Are they one class in Python? */
static bool is_same_class(const void *key, const void *wanted)
{
    const Value *one = key, *two = wanted;
    return one->type == two->type && !one->made_by == !two->made_by &&
           (!one->made_by || strcmp(one->made_by, two->made_by) == 0);
}

static void add_type(Hasher *h, References *refs, const Value *type)
{
    TableSlot *slot = table_add_like(&refs->types_by_class, h->arena, hash_address(type->type), is_same_class, type);
    if (slot->key)
        return;
    slot->key = type;
    ARENA_PUSH(h->arena, refs->types, refs->type_count, refs->type_cap) = type;
}

static void add_function(Hasher *h, References *refs, const Value *function)
{
    const void *address = function->kind == VALUE_FUNC ? (const void *)function->func : function->builtin;
    if (table_has(&refs->functions_by_address, address))
        return;
    table_add(&refs->functions_by_address, h->arena, address);
    ARENA_PUSH(h->arena, refs->functions, refs->function_count, refs->function_cap) = function;
}

enum { SEARCHED = 16 }; /* more parameters than these are in a table */

static bool is_param(Hasher *h, const Code *code, Name name)
{
    if (code->param_count > SEARCHED && h->code == code)
        return table_has(&h->params, name);
    for (uint32_t i = 0; i < code->param_count; i++)
        if (code->params[i].name == name)
            return true;
    return false;
}

/* A dotted name as Warp resolves it while hashing: parameters hide everything else. */
static const Value *resolve(Hasher *h, const Code *code, const Node *node, Name *path, uint32_t *count)
{
    bool missing;
    if (node->kind != NODE_NAME && node->kind != NODE_ATTRIBUTE)
        return NULL;
    *count = node_path(node, path, 16);
    if (!*count || is_param(h, code, path[0]))
        return NULL;
    return resolve_path(h->unit, reference_scope(code, path[0]), path, *count, &missing);
}

/* Of `wp.name`: the module. NULL: it is an attribute of something else. */
static const Value *module_of(Hasher *h, const Code *code, const Node *attribute)
{
    const Node *owner = attribute->attribute.value;
    if (owner->kind != NODE_NAME)
        return NULL;
    Name name = owner->name.id;
    if (name == h->module_name)
        return h->module;
    const Value *value = is_param(h, code, name) ? NULL : scope_find(reference_scope(code, name), name);
    if (!value || value->kind != VALUE_MODULE)
        return NULL;
    h->module_name = name;
    return h->module = value;
}

static void visit_name(Hasher *h, References *refs, const Code *code, const Node *node)
{
    if (table_has(&refs->locals, node->name.id))
        return;
    const Value *value = scope_find(reference_scope(code, node->name.id), node->name.id);
    if (!value || (value->kind == VALUE_UNKNOWN && value->object))
        return;
    if (value->kind == VALUE_UNKNOWN && !is_param(h, code, node->name.id))
        give_up(h, node, arena_format(h->arena, "'%s' is not known: %s", node->name.id->text, value->reason));
    else if (value->kind == VALUE_UNKNOWN)
        give_up(
            h, node,
            "a name of the module that is not known has the name of this parameter, and is part of the kernel's hash");
    else if (value_is_constant(value))
        add_constant(h, refs, node->name.id->text, value);
}

static const char *join_path(Hasher *h, const Name *path, uint32_t count)
{
    const char *text = path[0]->text;
    for (uint32_t i = 1; i < count; i++)
        text = arena_join(h->arena, arena_join(h->arena, text, "."), path[i]->text);
    return text;
}

static bool is_number(const Value *value)
{
    return value->kind == VALUE_BOOL || value->kind == VALUE_INT || value->kind == VALUE_FLOAT;
}

/* What Python's numbers have; anything else they lack, and then the number itself is hashed. */
static bool is_number_attribute(Name name)
{
    static const char *const names[] = {"real",       "imag",      "numerator", "denominator", "conjugate",
                                        "bit_length", "bit_count", "to_bytes",  "from_bytes",  "as_integer_ratio",
                                        "hex",        "fromhex",   "is_integer"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name_is(name, names[i]))
            return true;
    return name->len > 1 && name->text[0] == '_';
}

static void visit_module_attribute(Hasher *h, References *refs, const Value *module, const Node *node)
{
    const Value *value = static_attribute(h->unit, module, node->attribute.attr);
    if (value && value_is_constant(value))
        add_constant(h, refs, join_path(h, (Name[]){node->attribute.value->name.id, node->attribute.attr}, 2), value);
}

static void visit_attribute(Hasher *h, References *refs, const Code *code, const Node *node)
{
    const Value *module = module_of(h, code, node);
    if (module) {
        visit_module_attribute(h, refs, module, node);
        return;
    }
    Name path[16];
    uint32_t count;
    const Value *value = resolve(h, code, node, path, &count);
    if (!value)
        return;
    /* A dotted name that starts at a constant, or at a local named like one, is known only as long as that name is not one of
     * the kernel's own: so Warp's hash changes with a build. Its first one counts. */
    const Value *root = scope_find(reference_scope(code, path[0]), path[0]);
    if (!root || root->kind == VALUE_NONE)
        root = warp_attribute(h->unit, path[0]);
    bool of_constant = root && value_is_constant(root) && root->kind != VALUE_ENUM_MEMBER;
    if (of_constant && h->perhaps_built_first)
        give_up(h, node, "Warp's name of the kernel depends on a wp.static() of the file whose value is not known");
    if (of_constant && h->built_first &&
        (table_has(&code->constants_read, path[0]) || table_has(&refs->locals, path[0])))
        return;
    if (root && is_number(root) && is_number_attribute(path[1])) {
        give_up(h, node, "an attribute of a constant number is not supported");
        return;
    }
    if (root && root->kind == VALUE_TYPE && type_is_value(root->type))
        return; /* dtype and length are known to the compiler, not attributes of the class */
    if (value->kind == VALUE_UNKNOWN && root && root->kind == VALUE_UNKNOWN)
        give_up(h, node, arena_format(h->arena, "'%s' is not known: %s", join_path(h, path, count), value->reason));
    else if (value_is_constant(value))
        add_constant(h, refs, join_path(h, path, count), value);
}

/* Functions handed to wp.Function parameters. */
static void visit_function_args(Hasher *h, References *refs, const Code *code, const Node *call, const Func *head)
{
    for (int templates = 0; templates < 2; templates++) {
        const FuncList *list = templates ? &head->templates : &head->overloads;
        for (uint32_t f = 0; f < list->count; f++) {
            const Code *callee = &list->items[f]->code;
            for (uint32_t i = 0; i < callee->param_count; i++) {
                if (callee->params[i].type->kind != TYPE_FUNCTION)
                    continue;
                const Node *arg = i < call->call.args.count ? call->call.args.items[i] : NULL;
                for (uint32_t k = 0; k < call->call.keywords.count; k++)
                    if (call->call.keywords.items[k]->keyword.name == callee->params[i].name)
                        arg = call->call.keywords.items[k]->keyword.value;
                Name path[16];
                uint32_t count;
                const Value *target = arg ? resolve(h, code, arg, path, &count) : callee->params[i].default_value;
                if (target && (target->kind == VALUE_FUNC || target->kind == VALUE_BUILTIN))
                    add_function(h, refs, target);
            }
        }
    }
}

/* Does a call by its name enter the hash? */
static bool is_hashed(const BuiltinSet *set)
{
    return set->flags & BUILTIN_HASHED;
}

/* `called`: what it calls, if that is known already. */
static void visit_call(Hasher *h, References *refs, const Code *code, const Node *node, const Value *called)
{
    Name path[16];
    uint32_t count;
    const Value *value = called ? called : resolve(h, code, node->call.func, path, &count);
    const Node *inner = node->call.func;
    if (h->unit->dialect->locals_known_up_front && inner->kind == NODE_NAME && table_has(&refs->locals, inner->name.id))
        return; /* whatever the module calls by that name */
    if (!value && inner->kind == NODE_CALL && inner->call.args.count == 1 && !inner->call.keywords.count) {
        const Value *grad = resolve(h, code, inner->call.func, path, &count);
        if (value_is_intrinsic(grad, INTRINSIC_WP_GRAD))
            value = resolve(h, code, inner->call.args.items[0], path, &count);
        if (value && value->kind != VALUE_FUNC)
            value = NULL;
    }
    if (!value)
        return;
    if (value->kind == VALUE_GRAD)
        value = value->grad_of;
    if (value->kind == VALUE_FUNC) {
        add_function(h, refs, value);
        visit_function_args(h, refs, code, node, value->func);
    } else if (value->kind == VALUE_BUILTIN && is_hashed(value->builtin)) {
        add_function(h, refs, value);
    } else if (value->kind == VALUE_TYPE && (value->type->kind == TYPE_STRUCT || type_is_value(value->type)))
        add_type(h, refs, value);
}

static void add_local(Hasher *h, References *refs, Name name)
{
    table_add(&refs->locals, h->arena, name);
}

static void visit_assign(Hasher *h, References *refs, const Code *code, const Node *node)
{
    const Node *value = node->assign.value, *target = node->assign.targets.items[0];
    uint32_t values = value->kind == NODE_TUPLE ? value->sequence.elts.count : 1;
    for (uint32_t i = 0; i < values; i++) {
        Name path[16];
        uint32_t count;
        const Value *function =
            resolve(h, code, value->kind == NODE_TUPLE ? value->sequence.elts.items[i] : value, path, &count);
        if (function &&
            (function->kind == VALUE_FUNC || (function->kind == VALUE_BUILTIN && is_hashed(function->builtin))))
            add_function(h, refs, function);
    }
    if (target->kind == NODE_NAME)
        add_local(h, refs, target->name.id);
    for (uint32_t i = 0; target->kind == NODE_TUPLE && i < target->sequence.elts.count; i++)
        if (target->sequence.elts.items[i]->kind == NODE_NAME)
            add_local(h, refs, target->sequence.elts.items[i]->name.id);
}

typedef struct Visit {
    const Node *node;
    const Value
        *called; /* by a call: an attribute of a module, which needs no visit of its own; NULL: something else */
} Visit;

enum { RECENT_NAMES = 64 };
typedef struct Queue {
    Arena *arena;
    const Code *code; /* calls that are replaced by their values: code_static() */
    Visit *items;
    uint32_t count, cap;
    Name recent[RECENT_NAMES]; /* names that are in the queue, by their numbers: a later visit finds nothing new */
} Queue;

static inline void enqueue(const Node *node, void *user)
{
    Queue *queue = user;
    if (node->kind == NODE_CONSTANT || (node->kind == NODE_CALL && code_static(queue->code, node)))
        return;
    if (node->kind == NODE_NAME) {
        Name *recent = &queue->recent[node->name.id->id % RECENT_NAMES];
        if (*recent == node->name.id)
            return;
        *recent = node->name.id;
    }
    ARENA_PUSH(queue->arena, queue->items, queue->count, queue->cap) = (Visit){node, NULL};
}

/* wp.sin(...): neither the module nor its function is a constant, so that only the arguments need a visit. */
static bool enqueue_arguments(Hasher *h, const Code *code, const Node *node, Visit *visit, Queue *queue)
{
    const Node *callee = node->call.func;
    const Value *module = callee->kind == NODE_ATTRIBUTE ? module_of(h, code, callee) : NULL;
    if (!module)
        return false;
    const Value *value = static_attribute(h->unit, module, callee->attribute.attr);
    if (!value || (value->kind != VALUE_BUILTIN && value->kind != VALUE_TYPE && value->kind != VALUE_FUNC))
        return false;
    visit->called = value;
    for (uint32_t i = 0; i < node->call.args.count; i++)
        enqueue(node->call.args.items[i], queue);
    for (uint32_t i = 0; i < node->call.keywords.count; i++)
        enqueue(node->call.keywords.items[i], queue);
    return true;
}

static void add_target(Hasher *h, References *refs, const Node *target)
{
    if (target->kind == NODE_NAME)
        add_local(h, refs, target->name.id);
    else if (target->kind == NODE_TUPLE || target->kind == NODE_LIST)
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            add_target(h, refs, target->sequence.elts.items[i]);
}

static bool is_visited(NodeKind kind)
{
    return kind == NODE_NAME || kind == NODE_ATTRIBUTE || kind == NODE_CALL || kind == NODE_ASSIGN;
}

static void collect_references(Hasher *h, const Code *code, References *refs)
{
    enum { USUAL = 256 };
    Queue queue = {.arena = h->arena, .code = code, .items = arena_take(h->arena, USUAL * sizeof(Visit)), .cap = USUAL};
    enqueue(code->def, &queue);
    uint32_t kept = 0; /* those that are more than the way to others */
    for (uint32_t i = 0; i < queue.count; i++) {
        Visit visit = queue.items[i];
        const Node *node = visit.node;
        if (is_visited(node->kind)) {
            bool done = node->kind == NODE_NAME ||
                        (node->kind == NODE_CALL && enqueue_arguments(h, code, node, &visit, &queue));
            queue.items[kept++] = visit;
            if (done)
                continue;
        }
        bool binds = node->kind == NODE_ASSIGN && h->unit->dialect->locals_known_up_front;
        for (uint32_t k = 0; binds && k < node->assign.targets.count; k++)
            add_target(h, refs, node->assign.targets.items[k]);
        node_each_child(node, enqueue, &queue);
    }
    for (uint32_t i = 0; i < kept; i++) {
        const Node *node = queue.items[i].node;
        switch (node->kind) {
        case NODE_NAME: visit_name(h, refs, code, node); break;
        case NODE_ATTRIBUTE: visit_attribute(h, refs, code, node); break;
        case NODE_CALL: visit_call(h, refs, code, node, queue.items[i].called); break;
        case NODE_ASSIGN: visit_assign(h, refs, code, node); break;
        default: break;
        }
    }
}

/* ---- digests ---- */

static bool hash_function(Hasher *h, const Func *func, unsigned char digest[32]);

static void put_param(const char *name, const Type *type, Text *out)
{
    text_str(out, name);
    text_char(out, ':');
    type_code(type, out);
    const Type *part = type->kind == TYPE_ARRAY ? type->array.dtype : type;
    if (part->kind == TYPE_STRUCT)
        text_add(out, (const char *)part->decl->hash, 32);
}

static void hash_builtin(Hasher *h, const BuiltinSet *set, unsigned char digest[32])
{
    Text name;
    text_init_in(&name, h->arena);
    text_lit(&name, "builtin");
    text_str(&name, set->name);
    const Builtin *first =
        set->overloads[0]; /* as they were registered: those whose arguments are not checked are tried last */
    for (uint32_t i = 1; is_hashed(set) && i < set->count; i++)
        first = set->overloads[i]->row < first->row ? set->overloads[i] : first;
    text_str(&name, first->native);
    for (uint32_t i = 0; is_hashed(set) && i < set->count; i++) {
        const Builtin *overload = set->overloads[i];
        text_format(&name, "%s('%s', %s)%s", i ? ", " : "(", overload->native,
                    overload->flags & BUILTIN_ADJOINT_TEMPLATE ? "True" : "False", i + 1 < set->count ? "" : ")");
    }
    sha256(name.data, name.len, digest);
}

static void put_static(Hasher *h, const StaticValue *value, Text *out)
{
    unsigned char digest[32];
    text_add(out, value->code, value->code_len);
    if (value->value->kind == VALUE_FUNC) {
        if (hash_function(h, value->value->func, digest))
            text_add(out, (const char *)digest, 32);
    } else if (value->value->kind == VALUE_BUILTIN && h->unit->dialect->static_builtins) {
        hash_builtin(h, value->value->builtin, digest);
        text_add(out, (const char *)digest, 32);
    } else if (!put_hashed_value(value->value, out))
        give_up(h, value->call, "Warp cannot hash the value of this wp.static()");
}

static bool is_same_code(const void *key, const void *wanted)
{
    const StaticValue *one = key, *two = wanted;
    return one->code_len == two->code_len && memcmp(one->code, two->code, one->code_len) == 0;
}

static void put_statics(Hasher *h, const Code *code, Text *out)
{
    /* The same code is listed once, where it comes first, with its last value. */
    const StaticValue **listed = ARENA_ARRAY(h->arena, const StaticValue *, code->static_count);
    uint32_t count = 0;
    HashTable by_code = {0};
    for (uint32_t i = 0; i < code->static_count; i++) {
        const StaticValue *value = &code->statics[i];
        uint32_t hash = name_hash(value->code, value->code_len);
        TableSlot *slot = table_add_like(&by_code, h->arena, hash, is_same_code, value);
        if (!slot->key) {
            slot->key = value;
            slot->number = count++;
        }
        listed[slot->number] = value;
    }
    for (uint32_t i = 0; i < count; i++)
        put_static(h, listed[i], out);
    /* Values that only a build can tell; without one before, the name is made without them. */
    for (uint32_t i = 0; h->built_first && i < code->deferred_count; i++)
        put_static(h, &code->deferred[i], out);
}

static void hash_code(Hasher *h, const Code *code, unsigned char digest[32])
{
    const Code *outer = h->code;
    HashTable outer_params = h->params;
    h->code = code;
    h->params = (HashTable){0};
    h->module_name = NULL;
    for (uint32_t i = 0; code->param_count > SEARCHED && i < code->param_count; i++)
        table_add(&h->params, h->arena, code->params[i].name);
    Text text;
    text_init_in(&text, h->arena);
    text_reserve(&text, code->source_len + 512);
    if (code->written)
        text_str(&text, code->written);
    else
        text_add(&text, code->source, code->source_len);
    for (uint32_t i = 0; i < code->param_count; i++)
        put_param(code->params[i].name->text, code->params[i].type, &text);
    if (code->has_return && code->return_type)
        put_param("return", code->return_type, &text);
    References refs = {0};
    collect_references(h, code, &refs);
    for (uint32_t i = 0; i < refs.constant_count; i++) {
        text_str(&text, refs.constants[i].name);
        put_hashed_value(refs.constants[i].value, &text);
    }
    put_statics(h, code, &text);
    for (uint32_t i = 0; i < refs.type_count; i++)
        type_code(refs.types[i]->type, &text);
    for (uint32_t i = 0; i < refs.function_count; i++) {
        unsigned char function_digest[32];
        if (refs.functions[i]->kind == VALUE_BUILTIN) {
            hash_builtin(h, refs.functions[i]->builtin, function_digest);
            text_add(&text, (const char *)function_digest, 32);
        } else if (hash_function(h, refs.functions[i]->func, function_digest))
            text_add(&text, (const char *)function_digest, 32);
    }
    sha256(text.data, text.len, digest);
    h->code = outer;
    h->params = outer_params;
    h->module_name = NULL;
}

static void put_string(const Value *value, Text *out)
{
    if (value)
        text_add(out, value->str.text, value->str.len);
}

static int compare_signatures(const void *one, const void *two)
{
    return strcmp((*(Func *const *)one)->signature, (*(Func *const *)two)->signature);
}

/* All overloads of a function, concrete and generic, in the order of their signatures; no two have the same. */
static uint32_t sorted_overloads(Hasher *h, const Func *func, Func ***out)
{
    Func **list = ARENA_ARRAY(h->arena, Func *, func->overloads.count + func->templates.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < func->overloads.count; i++)
        if (!func->overloads.items[i]->generic_parent)
            list[count++] = func->overloads.items[i];
    for (uint32_t i = 0; i < func->templates.count; i++)
        list[count++] = func->templates.items[i];
    qsort(list, count, sizeof *list, compare_signatures);
    *out = list;
    return count;
}

/* False: the function is being hashed already, further up. */
static bool hash_function(Hasher *h, const Func *func, unsigned char digest[32])
{
    func = func->head;
    if (func->library_digest) {
        memcpy(digest, func->library_digest, 32);
        return true;
    }
    for (uint32_t i = 0; i < h->progress_count; i++)
        if (h->in_progress[i] == func)
            return false;
    const TableSlot *done = table_find(&h->done, func);
    if (done) {
        memcpy(digest, done->item, 32);
        return true;
    }
    ARENA_PUSH(h->arena, h->in_progress, h->progress_count, h->progress_cap) = func;
    Text text;
    text_init_in(&text, h->arena);
    text_str(&text, func->key->text);
    Func **overloads;
    uint32_t count = sorted_overloads(h, func, &overloads);
    for (uint32_t i = 0; i < count; i++) {
        const Func *overload = overloads[i];
        const Func *parts[] = {overload, overload->custom_grad, overload->custom_replay};
        for (int k = 0; k < 3; k++) {
            unsigned char part[32];
            if (!parts[k])
                continue;
            hash_code(h, &parts[k]->code, part);
            text_add(&text, (const char *)part, 32);
        }
        put_string(overload->replay_snippet, &text);
        put_string(overload->snippet, &text);
        put_string(overload->adj_snippet, &text);
        if (overload->inlining != INLINE_UNSAID)
            text_str(&text, overload->inlining == INLINE_ALWAYS ? "forceinline" : "noinline");
    }
    sha256(text.data, text.len, digest);
    h->progress_count--;
    table_add(&h->done, h->arena, func)->item = memcpy(arena_take(h->arena, 32), digest, 32);
    return true;
}

/* ---- the kernel ---- */

/* An option's value as Python's str() writes it. */
static void put_option_value(const Value *value, Text *out)
{
    BigInt integer;
    if (value->kind == VALUE_BOOL)
        text_str(out, value->truth ? "True" : "False");
    else if (value_as_int(value, &integer))
        text_bigint(out, integer);
    else if (value->kind == VALUE_FLOAT)
        text_python_float(out, value->real);
    else if (value->kind == VALUE_TUPLE || value->kind == VALUE_LIST) {
        bool tuple = value->kind == VALUE_TUPLE;
        text_char(out, tuple ? '(' : '[');
        for (uint32_t i = 0; i < value->sequence.count; i++) {
            if (i)
                text_lit(out, ", ");
            put_option_value(value->sequence.items[i], out);
        }
        if (tuple && value->sequence.count == 1)
            text_char(out, ',');
        text_char(out, tuple ? ')' : ']');
    }
}

static const char *hashed_name(Unit *unit, const char *key, const unsigned char digest[32])
{
    static const char digits[] = "0123456789abcdef";
    size_t len = strlen(key);
    char *name = arena_take(unit->arena, len + sizeof "_01234567"), *to = put_bytes(name, key, len);
    *to++ = '_';
    for (int i = 0; i < 4; i++) {
        *to++ = digits[digest[i] >> 4];
        *to++ = digits[digest[i] & 15];
    }
    *to = '\0';
    return name;
}

const char *kernel_name(Unit *unit, const Kernel *kernel)
{
    Hasher h = {.unit = unit, .arena = unit->building, .built_first = kernel->module->built_first};
    h.perhaps_built_first = kernel->module->perhaps_built_first;
    unsigned char digest[32];
    Text text;
    text_init_in(&text, unit->building);
    text_str(&text, kernel->key->text);
    if (kernel->option_text)
        text_str(&text, kernel->option_text);
    for (uint32_t i = 0; i < kernel->option_count && !kernel->option_text; i++) {
        bool known, flag = strcmp(kernel->options[i].name, "grid_stride") == 0;
        text_str(&text, kernel->options[i].name);
        text_char(&text, ':');
        put_option_value(flag ? value_bool(value_is_true(kernel->options[i].value, &known)) : kernel->options[i].value,
                         &text);
    }
    hash_code(&h, &kernel->code, digest);
    text_add(&text, (const char *)digest, 32);
    sha256(text.data, text.len, digest);
    if (h.trouble) {
        Diag *diag = diag_add(&unit->diags, h.source, DIAG_UNSUPPORTED, h.trouble->start, h.trouble->end, "%s", h.why);
        diag->kernel = kernel->key->text;
        return NULL;
    }
    return kernel->module->strip_hash ? kernel->key->text : hashed_name(unit, kernel->key->text, digest);
}

/* ---- structs ---- */

void name_struct(Unit *unit, StructDecl *decl)
{
    Text text;
    text_init_in(&text, unit->arena);
    text_add(&text, decl->key->text, decl->key->len);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const StructField *field = &decl->fields[i];
        text_add(&text, field->name->text, field->name->len);
        text_char(&text, ':');
        type_code(field->type, &text);
        if (field->type->kind == TYPE_STRUCT)
            text_add(&text, (const char *)field->type->decl->hash, 32);
    }
    sha256(text.data, text.len, decl->hash);
    decl->native_name = hashed_name(unit, decl->key->text, decl->hash);
}
