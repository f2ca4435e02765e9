/* Dicts, lists and strings at module level: elements, methods, and what may be changed in place.
 *
 * A dict is one object for all its names, as in Python. One that may have been changed in a way that is not followed keeps what it has, so
 * that its kernels are still listed, but answers no question any more (`unsure`). */
#include "front/static_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- equality ---- */

static Equality all_equal(const Value *a, const Value *b, uint32_t depth);

static Equality equal_types_made(const Value *a, const Value *b)
{
    if (a->type->kind != b->type->kind || !types_equal(a->type, b->type))
        return EQUAL_NO;
    bool same_maker = a->made_by && b->made_by ? !strcmp(a->made_by, b->made_by) : !a->made_by && !b->made_by;
    return same_maker ? EQUAL_YES : EQUAL_UNSURE; /* classes of Python that stand for one type */
}

static Equality equal_numbers(Number x, Number y)
{
    if (x.is_int && y.is_int)
        return x.integer == y.integer ? EQUAL_YES : EQUAL_NO;
    double p = x.is_int ? (double)x.integer : x.real, q = y.is_int ? (double)y.integer : y.real;
    return p == q ? EQUAL_YES : EQUAL_NO;
}

static Equality equal_depth(const Value *a, const Value *b, uint32_t depth)
{
    Number x, y;
    if (a->kind == VALUE_UNKNOWN || b->kind == VALUE_UNKNOWN || depth > LIMIT_TYPE_DEPTH)
        return EQUAL_UNSURE;
    if (value_as_number(a, false, &x) && value_as_number(b, false, &y))
        return equal_numbers(x, y);
    if (a->kind != b->kind)
        return a->kind == VALUE_SCALAR || b->kind == VALUE_SCALAR ? EQUAL_UNSURE : EQUAL_NO;
    switch (a->kind) {
    case VALUE_NONE: return EQUAL_YES;
    case VALUE_STR:
        return a->str.len == b->str.len && !memcmp(a->str.text, b->str.text, a->str.len) ? EQUAL_YES : EQUAL_NO;
    case VALUE_TYPE: return equal_types_made(a, b);
    case VALUE_INTRINSIC: return a->intrinsic.id == b->intrinsic.id ? EQUAL_YES : EQUAL_NO;
    case VALUE_FUNC: return a->func == b->func ? EQUAL_YES : EQUAL_NO;
    case VALUE_KERNEL: return a->kernel == b->kernel ? EQUAL_YES : EQUAL_NO;
    case VALUE_BUILTIN: return a->builtin == b->builtin ? EQUAL_YES : EQUAL_NO;
    case VALUE_ENUM_CLASS: return a->enum_class == b->enum_class ? EQUAL_YES : EQUAL_NO;
    case VALUE_PYTHON_FUNC: return a->python == b->python ? EQUAL_YES : EQUAL_NO;
    case VALUE_TUPLE:
    case VALUE_LIST: return all_equal(a, b, depth + 1);
    default: return a == b ? EQUAL_YES : EQUAL_UNSURE;
    }
}

static Equality all_equal(const Value *a, const Value *b, uint32_t depth)
{
    Equality all = a->sequence.count == b->sequence.count ? EQUAL_YES : EQUAL_NO;
    for (uint32_t i = 0; all != EQUAL_NO && i < a->sequence.count; i++) {
        Equality one = equal_depth(a->sequence.items[i], b->sequence.items[i], depth);
        all = one == EQUAL_YES ? all : one;
    }
    return all;
}

Equality values_equal(const Value *a, const Value *b)
{
    return equal_depth(a, b, 0);
}

/* ---- dicts ---- */

Value *value_dict(Unit *unit, uint32_t room)
{
    Value *dict = ARENA_NEW(unit->arena, Value);
    dict->kind = VALUE_DICT;
    dict->dict.keys = ARENA_ARRAY(unit->arena, const Value *, room);
    dict->dict.values = ARENA_ARRAY(unit->arena, const Value *, room);
    dict->dict.room = room;
    dict->dict.changeable = dict;
    return dict;
}

static const Value *unsure_dict(Unit *unit, const Value *dict)
{
    return value_unknown(unit->arena, "%s", dict->dict.unsure);
}

void dict_forget(const Value *dict, const char *why)
{
    dict->dict.changeable->dict.unsure = why;
}

/* The place of a key, or the number of entries; EQUAL_UNSURE: it cannot be told. */
static Equality find_key(Unit *unit, const Value *dict, const Value *key, uint32_t *place)
{
    for (*place = 0; *place < dict->dict.count; ++*place) {
        Equality equal = step(unit) ? values_equal(dict->dict.keys[*place], key) : EQUAL_UNSURE;
        if (equal != EQUAL_NO)
            return equal;
    }
    return key->kind == VALUE_UNKNOWN ? EQUAL_UNSURE : EQUAL_NO;
}

void dict_put(Unit *unit, const Value *dict, const Value *key, const Value *item)
{
    Value *own = dict->dict.changeable;
    uint32_t place;
    if (own->dict.count >= LIMIT_SEQUENCE || find_key(unit, own, key, &place) == EQUAL_UNSURE) {
        dict_forget(own, "a dict is changed under a key that is not known");
        place = own->dict.count; /* a kernel in it is listed all the same */
    }
    if (place == own->dict.room) {
        uint32_t room = own->dict.room * 2 + 4;
        const Value **keys = ARENA_ARRAY(unit->arena, const Value *, room);
        const Value **values = ARENA_ARRAY(unit->arena, const Value *, room);
        for (uint32_t i = 0; i < place; i++) {
            keys[i] = own->dict.keys[i];
            values[i] = own->dict.values[i];
        }
        own->dict.keys = keys;
        own->dict.values = values;
        own->dict.room = room;
    }
    own->dict.count += place == own->dict.count;
    own->dict.keys[place] = key;
    own->dict.values[place] = item;
}

/* `missing`: what it is where there is no such key. */
static const Value *dict_get(Unit *unit, const Value *dict, const Value *key, const Value *missing)
{
    uint32_t place;
    Equality found = dict->dict.unsure ? EQUAL_UNSURE : find_key(unit, dict, key, &place);
    if (found == EQUAL_UNSURE)
        return dict->dict.unsure ? unsure_dict(unit, dict)
                                 : value_unknown(unit->arena, "the key of a dict is not known");
    return found == EQUAL_YES ? dict->dict.values[place] : missing;
}

const Value *dict_item(Unit *unit, const Value *dict, const Value *key)
{
    const Value *item = dict_get(unit, dict, key, NULL);
    return item ? item : value_wrong(unit->arena, "the key is not in the dict");
}

const Value *value_contains(Unit *unit, const Value *container, const Value *item)
{
    if (container->kind == VALUE_DICT) {
        uint32_t place;
        Equality found = container->dict.unsure ? EQUAL_UNSURE : find_key(unit, container, item, &place);
        return found != EQUAL_UNSURE    ? value_bool(found == EQUAL_YES)
               : container->dict.unsure ? unsure_dict(unit, container)
                                        : value_unknown(unit->arena, "'in' is not computed here");
    }
    if (value_is_intrinsic(container, INTRINSIC_OS_ENVIRON) && item->kind == VALUE_STR)
        return value_bool(getenv(arena_format(unit->arena, "%.*s", (int)item->str.len, item->str.text)) != NULL);
    if (container->kind != VALUE_TUPLE && container->kind != VALUE_LIST)
        return value_unknown(unit->arena, "'in' is not computed here");
    for (uint32_t i = 0; i < container->sequence.count; i++) {
        Equality equal = step(unit) ? values_equal(item, container->sequence.items[i]) : EQUAL_UNSURE;
        if (equal != EQUAL_NO)
            return equal == EQUAL_YES ? value_bool(true) : value_unknown(unit->arena, "'in' is not computed here");
    }
    return value_bool(false);
}

typedef enum DictPart { DICT_KEYS, DICT_VALUES, DICT_ITEMS } DictPart;

static const Value *dict_parts(Unit *unit, const Value *dict, DictPart part)
{
    if (dict->dict.unsure)
        return unsure_dict(unit, dict);
    const Value **items = ARENA_ARRAY(unit->arena, const Value *, dict->dict.count);
    for (uint32_t i = 0; i < dict->dict.count; i++) {
        const Value **pair = ARENA_ARRAY(unit->arena, const Value *, 2);
        pair[0] = dict->dict.keys[i];
        pair[1] = dict->dict.values[i];
        items[i] = part == DICT_ITEMS ? value_sequence(unit->arena, VALUE_TUPLE, pair, 2) : pair[part == DICT_VALUES];
    }
    return value_sequence(unit->arena, VALUE_LIST, items, dict->dict.count);
}

const Value *iterated(Unit *unit, const Value *value)
{
    if (value->kind == VALUE_DICT && value->dict.is_set && value->dict.count > 1)
        return value_unknown(unit->arena, "the order of a set is not known");
    return value->kind == VALUE_DICT ? dict_parts(unit, value, DICT_KEYS) : value;
}

static void dict_update(Unit *unit, const Value *dict, const Value *other)
{
    if (other->kind != VALUE_DICT || other->dict.unsure)
        dict_forget(dict, "a dict is updated with another that is not known");
    for (uint32_t i = 0; other->kind == VALUE_DICT && i < other->dict.count; i++)
        dict_put(unit, dict, other->dict.keys[i], other->dict.values[i]);
}

void dict_merge(Unit *unit, const Value *dict, const Value *other)
{
    dict_update(unit, dict, other);
}

/* ---- sets ---- */

const Value *value_set(Unit *unit, const Value *const *items, uint32_t count)
{
    Value *set = value_dict(unit, count);
    set->dict.is_set = true;
    for (uint32_t i = 0; i < count; i++)
        dict_put(unit, set, items[i], value_none());
    return set;
}

/* The keys, in an order of their own; NULL: they are not known. */
static const Value *const *elements_of(const Value *value, uint32_t *count)
{
    bool sequence = value->kind == VALUE_LIST || value->kind == VALUE_TUPLE;
    bool known = sequence || (value->kind == VALUE_DICT && !value->dict.unsure);
    *count = sequence ? value->sequence.count : known ? value->dict.count : 0;
    return sequence ? value->sequence.items : known ? value->dict.keys : NULL;
}

/* What both have (`shared`), or what the first alone has. */
static const Value *compare_sets(Unit *unit, const Value *set, const Value *other, bool shared)
{
    uint32_t count;
    const Value *const *items = elements_of(other, &count);
    if (set->dict.unsure || (!items && count) || (other->kind == VALUE_DICT && other->dict.unsure))
        return value_unknown(unit->arena, "what is in the sets is not known");
    const Value *right = value_set(unit, items, count), *result = value_set(unit, NULL, 0);
    for (uint32_t i = 0; i < set->dict.count; i++) {
        uint32_t place;
        Equality found = right->dict.unsure ? EQUAL_UNSURE : find_key(unit, right, set->dict.keys[i], &place);
        if (found == EQUAL_UNSURE)
            return value_unknown(unit->arena, "what is in the sets is not known");
        if ((found == EQUAL_YES) == shared)
            dict_put(unit, result, set->dict.keys[i], value_none());
    }
    return result;
}

static const Value *set_method(Unit *unit, const Value *set, Name name, const Value **args, uint32_t count)
{
    bool one =
        count == 1 && (args[0]->kind == VALUE_DICT || args[0]->kind == VALUE_LIST || args[0]->kind == VALUE_TUPLE);
    if (name_is(name, "add") && count == 1) {
        dict_put(unit, set, args[0], value_none());
        return value_none();
    }
    if (one && name_is(name, "intersection"))
        return compare_sets(unit, set, args[0], true);
    if (one && name_is(name, "difference"))
        return compare_sets(unit, set, args[0], false);
    dict_forget(set, "a set is changed by a method that is not followed");
    return NULL;
}

/* ---- lists ---- */

static void list_append(Unit *unit, const Value *list, const Value *item)
{
    Value *own = list->sequence.appendable;
    uint32_t count = own->sequence.count;
    if (count >= own->sequence.room) { /* another list may share what was not made here */
        own->sequence.room = count * 2 + 4;
        const Value **items = ARENA_ARRAY(unit->arena, const Value *, own->sequence.room);
        if (count)
            memcpy(items, own->sequence.items, count * sizeof *items);
        own->sequence.items = items;
    }
    own->sequence.items[own->sequence.count++] = item;
}

bool set_item(Unit *unit, const Node *target, const Value *item, const Scope *scope)
{
    if (target->kind != NODE_SUBSCRIPT || target->subscript.slice->kind == NODE_SLICE)
        return false;
    const Value *object = static_eval(unit, target->subscript.value, scope);
    if (object->kind != VALUE_DICT)
        return false;
    dict_put(unit, object, static_eval(unit, target->subscript.slice, scope), item);
    return true;
}

/* ---- methods ---- */

static const Value *dict_method(Unit *unit, const Value *dict, Name name, const Value **args, uint32_t count)
{
    if (name_is(name, "get") && (count == 1 || count == 2))
        return dict_get(unit, dict, args[0], count == 2 ? args[1] : value_none());
    if (name_is(name, "keys") && !count)
        return dict_parts(unit, dict, DICT_KEYS);
    if (name_is(name, "values") && !count)
        return dict_parts(unit, dict, DICT_VALUES);
    if (name_is(name, "items") && !count)
        return dict_parts(unit, dict, DICT_ITEMS);
    if (name_is(name, "copy") && !count) {
        const Value *copy = value_dict(unit, dict->dict.count);
        dict_update(unit, copy, dict);
        return copy;
    }
    if (name_is(name, "setdefault") && count == 2) {
        const Value *found = dict_get(unit, dict, args[0], NULL);
        if (!found)
            dict_put(unit, dict, args[0], args[1]);
        return found ? found : args[1];
    }
    if (name_is(name, "update") && count == 1) {
        dict_update(unit, dict, args[0]);
        return value_none();
    }
    dict_forget(dict, "a dict is changed by a method that is not followed");
    return NULL;
}

static const Value *list_method(Unit *unit, const Value *list, Name name, const Value **args, uint32_t count)
{
    if (list->kind != VALUE_LIST || count != 1)
        return NULL;
    if (name_is(name, "append") && list->sequence.count < LIMIT_SEQUENCE) {
        list_append(unit, list, args[0]);
        return value_none();
    }
    bool sequence = args[0]->kind == VALUE_LIST || args[0]->kind == VALUE_TUPLE;
    if (!name_is(name, "extend") || !sequence || args[0]->sequence.count + list->sequence.count > LIMIT_SEQUENCE)
        return NULL;
    for (uint32_t i = 0, more = args[0]->sequence.count; i < more; i++)
        list_append(unit, list, args[0]->sequence.items[i]);
    return value_none();
}

static const Value *changed_case(Unit *unit, const Value *text, bool upper)
{
    char *out = ARENA_ARRAY(unit->arena, char, text->str.len + 1);
    for (uint32_t i = 0; i < text->str.len; i++) {
        char c = text->str.text[i];
        if ((unsigned char)c > 127)
            return NULL;
        bool turns = upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
        out[i] = turns ? (char)(c ^ 0x20) : c;
    }
    return value_str(unit->arena, out, text->str.len);
}

static const Value *stripped(Unit *unit, const Value *text)
{
    static const char blanks[] = " \t\n\r\f\v";
    const char *start = text->str.text, *end = start + text->str.len;
    for (const char *c = start; c < end; c++)
        if ((unsigned char)*c > 127 || (unsigned char)*c < 9 ||
            (*c >= 28 && *c < 32)) /* others are blanks of Python, too */
            return NULL;
    while (start < end && strchr(blanks, *start))
        start++;
    while (end > start && strchr(blanks, end[-1]))
        end--;
    return value_str(unit->arena, start, (uint32_t)(end - start));
}

/* "1.19.0".split(".") */
static const Value *split_text(Unit *unit, const Value *text, char at)
{
    const Value **items = NULL;
    uint32_t count = 0, cap = 0, start = 0;
    for (uint32_t i = 0; i <= text->str.len; i++) {
        if (i < text->str.len && text->str.text[i] != at)
            continue;
        const char *part = arena_strndup(unit->arena, text->str.text + start, i - start);
        ARENA_PUSH(unit->arena, items, count, cap) = value_str(unit->arena, part, i - start);
        start = i + 1;
    }
    return value_sequence(unit->arena, VALUE_LIST, items, count);
}

static const Value *text_method(Unit *unit, const Value *text, Name name, const Value **args, uint32_t count)
{
    bool one_text = count == 1 && args[0]->kind == VALUE_STR;
    bool fits = one_text && args[0]->str.len <= text->str.len;
    if (!count && (name_is(name, "upper") || name_is(name, "lower")))
        return changed_case(unit, text, name_is(name, "upper"));
    if (!count && name_is(name, "strip"))
        return stripped(unit, text);
    if (one_text && args[0]->str.len == 1 && name_is(name, "split"))
        return split_text(unit, text, args[0]->str.text[0]);
    if (one_text && name_is(name, "startswith"))
        return value_bool(fits && !memcmp(text->str.text, args[0]->str.text, args[0]->str.len));
    if (one_text && name_is(name, "endswith"))
        return value_bool(
            fits && !memcmp(text->str.text + text->str.len - args[0]->str.len, args[0]->str.text, args[0]->str.len));
    return NULL;
}

const Value *call_method(Unit *unit, const Value *object, Name name, const Value **args, uint32_t count)
{
    const Value *result = NULL;
    if (object->kind == VALUE_DICT && object->dict.is_set)
        result = set_method(unit, object, name, args, count);
    else if (object->kind == VALUE_DICT)
        result = dict_method(unit, object, name, args, count);
    else if (object->kind == VALUE_LIST || object->kind == VALUE_TUPLE)
        result = list_method(unit, object, name, args, count);
    else if (object->kind == VALUE_STR)
        result = text_method(unit, object, name, args, count);
    return result ? result
                  : value_unknown(unit->arena, "method '%s' of %s is not followed", name->text,
                                  value_kind_name(object->kind));
}

/* ---- strings ---- */

/* As str() has it; false: that is not known. */
static bool add_as_text(const Value *value, Text *out)
{
    switch (value->kind) {
    case VALUE_STR: text_add(out, value->str.text, value->str.len); return true;
    case VALUE_INT: text_bigint(out, value->integer); return true;
    case VALUE_BOOL: text_str(out, value->truth ? "True" : "False"); return true;
    case VALUE_NONE: text_str(out, "None"); return true;
    default: return false;
    }
}

const Value *value_as_text(Unit *unit, const Value *value)
{
    Text out;
    text_init_in(&out, unit->arena);
    return add_as_text(value, &out)
               ? value_str(unit->arena, out.data ? out.data : "", (uint32_t)out.len)
               : value_unknown(unit->arena, "the text of %s is not computed", value_kind_name(value->kind));
}

const Value *join_texts(Unit *unit, const Value *a, const Value *b)
{
    uint64_t len = (uint64_t)a->str.len + b->str.len;
    if (len > LIMIT_SEQUENCE)
        return value_unknown(unit->arena, "the string is too long");
    char *text = ARENA_ARRAY(unit->arena, char, len + 1);
    memcpy(text, a->str.text, a->str.len);
    memcpy(text + a->str.len, b->str.text, b->str.len);
    return value_str(unit->arena, text, (uint32_t)len);
}

const Value *eval_fstring(Unit *unit, const Node *node, const Scope *scope)
{
    const Value *whole = value_str(unit->arena, "", 0);
    for (uint32_t i = 0; i < node->joined_str.values.count && whole->kind == VALUE_STR; i++) {
        const Node *part = node->joined_str.values.items[i];
        bool field = part->kind == NODE_FORMATTED_VALUE;
        if (field && (part->formatted_value.format_spec || (part->formatted_value.conversion | 's') != 's'))
            return value_unknown(unit->arena, "an f-string with a format is not computed");
        const Value *value = static_eval(unit, field ? part->formatted_value.value : part, scope);
        value = value->kind == VALUE_UNKNOWN ? value : value_as_text(unit, value);
        whole = value->kind == VALUE_STR ? join_texts(unit, whole, value) : value;
    }
    return whole;
}
