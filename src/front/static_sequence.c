/* Functions of Python that take or make sequences and dicts, at module level. */
#include "front/static_impl.h"

#include <stdlib.h>
#include <string.h>

static bool is_sequence(const Value *value)
{
    return value->kind == VALUE_TUPLE || value->kind == VALUE_LIST;
}

/* zip() and enumerate(): lists of tuples. */
static const Value *zip_sequences(Unit *unit, const Value *const *columns, uint32_t width)
{
    uint32_t count = width ? UINT32_MAX : 0;
    for (uint32_t k = 0; k < width; k++) {
        if (!is_sequence(columns[k]))
            return value_unknown(unit->arena, "this call is not computed");
        count = columns[k]->sequence.count < count ? columns[k]->sequence.count : count;
    }
    const Value **rows = ARENA_ARRAY(unit->arena, const Value *, count);
    for (uint32_t i = 0; i < count; i++) {
        const Value **row = ARENA_ARRAY(unit->arena, const Value *, width);
        for (uint32_t k = 0; k < width; k++)
            row[k] = columns[k]->sequence.items[i];
        if (!step(unit))
            return too_long(unit);
        rows[i] = value_sequence(unit->arena, VALUE_TUPLE, row, width);
    }
    return value_sequence(unit->arena, VALUE_LIST, rows, count);
}

static const Value *enumerated(Unit *unit, const Value *sequence, const Value *first)
{
    BigInt start = 0;
    if (!sequence || !is_sequence(sequence) || (first && !value_as_int(first, &start)))
        return value_unknown(unit->arena, "this call is not computed");
    const Value **numbers = ARENA_ARRAY(unit->arena, const Value *, sequence->sequence.count);
    for (uint32_t i = 0; i < sequence->sequence.count; i++)
        numbers[i] = value_int(unit->arena, start + i);
    const Value *columns[] = {value_sequence(unit->arena, VALUE_LIST, numbers, sequence->sequence.count), sequence};
    return zip_sequences(unit, columns, 2);
}

static const Value *reversed_sequence(Unit *unit, const Value *sequence)
{
    if (!sequence || !is_sequence(sequence))
        return value_unknown(unit->arena, "this call is not computed");
    uint32_t count = sequence->sequence.count;
    const Value **items = ARENA_ARRAY(unit->arena, const Value *, count);
    for (uint32_t i = 0; i < count; i++)
        items[i] = sequence->sequence.items[count - 1 - i];
    return value_sequence(unit->arena, VALUE_LIST, items, count);
}

/* itertools.product(): the last sequence runs fastest; `repeat` takes all of them so many times. */
static const Value *product_of(Unit *unit, const Args *args)
{
    const Value *repeat = given_argument(args, LIMIT_LOAD_ARGS, "repeat");
    BigInt times = 1;
    if (args->named_count != (repeat != NULL) || (repeat && !value_as_int(repeat, &times)) || times < 0 ||
        times * args->count > LIMIT_LOAD_ARGS)
        return value_unknown(unit->arena, "this call is not computed");
    uint64_t count = 1;
    uint32_t width = (uint32_t)times * args->count;
    for (uint32_t k = 0; k < width; k++) {
        if (!is_sequence(args->positional[k % args->count]))
            return value_unknown(unit->arena, "this call is not computed");
        count *= args->positional[k % args->count]->sequence.count;
        if (count > LIMIT_SEQUENCE)
            return value_unknown(unit->arena, "the sequence is too long");
    }
    const Value **rows = ARENA_ARRAY(unit->arena, const Value *, count);
    for (uint64_t i = 0; i < count; i++) {
        const Value **row = ARENA_ARRAY(unit->arena, const Value *, width);
        uint64_t rest = i;
        for (uint32_t k = width; k-- > 0;) {
            const Value *column = args->positional[k % args->count];
            row[k] = column->sequence.items[rest % column->sequence.count];
            rest /= column->sequence.count;
        }
        if (!step(unit))
            return too_long(unit);
        rows[i] = value_sequence(unit->arena, VALUE_TUPLE, row, width);
    }
    return value_sequence(unit->arena, VALUE_LIST, rows, (uint32_t)count);
}

static const Value *made_dict(Unit *unit, const Args *args)
{
    const Value *dict = value_dict(unit, 4);
    if (args->count == 1)
        dict_merge(unit, dict, args->positional[0]);
    for (uint32_t i = 0; i < args->named_count; i++)
        dict_put(unit, dict, value_str(unit->arena, args->names[i]->text, args->names[i]->len), args->named[i]);
    return args->count <= 1 ? dict : value_unknown(unit->arena, "this call is not computed");
}

static const Value *made_set(Unit *unit, const Value *items, uint32_t count)
{
    const Value *listed = items && items->kind == VALUE_DICT && items->dict.is_set ? items : NULL;
    if (!count)
        return value_set(unit, NULL, 0);
    if (listed && !listed->dict.unsure)
        return value_set(unit, listed->dict.keys, listed->dict.count);
    items = iterated(unit, items);
    return count == 1 && is_sequence(items) ? value_set(unit, items->sequence.items, items->sequence.count)
                                            : value_unknown(unit->arena, "this call is not computed");
}

/* any() and all(). */
static const Value *any_of(Unit *unit, const Value *items, bool all)
{
    items = items ? iterated(unit, items) : NULL;
    if (!items || !is_sequence(items))
        return value_unknown(unit->arena, "this call is not computed");
    for (uint32_t i = 0; i < items->sequence.count; i++) {
        bool known, truth = value_is_true(items->sequence.items[i], &known);
        if (!known)
            return value_unknown(unit->arena, "it depends on a condition that is not known");
        if (truth != all)
            return value_bool(!all);
    }
    return value_bool(all);
}

/* What a program that is started here, as weft was, would find. */
static const Value *environment_variable(Unit *unit, const Value *name, const Args *args)
{
    const Value *missing = given_argument(args, 1, "default");
    if (!name || name->kind != VALUE_STR)
        return value_unknown(unit->arena, "the name of an environment variable is not known");
    const char *text = getenv(arena_format(unit->arena, "%.*s", (int)name->str.len, name->str.text));
    return text ? value_str(unit->arena, arena_format(unit->arena, "%s", text), (uint32_t)strlen(text))
                : (missing ? missing : value_none());
}

/* `__sphinx_mock__`: modules of Python and Warp have no names of this form but the usual ones. */
static bool is_foreign_mark(const Value *name)
{
    static const char *const usual[] = {"__name__",    "__doc__",     "__file__",   "__path__",
                                        "__package__", "__loader__",  "__spec__",   "__dict__",
                                        "__all__",     "__version__", "__cached__", "__builtins__",
                                        "__getattr__", "__dir__",     "__class__",  "__annotations__"};
    const char *text = name->str.text;
    uint32_t len = name->str.len;
    if (len < 5 || memcmp(text, "__", 2) || memcmp(text + len - 2, "__", 2))
        return false;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strlen(usual[i]) == len && !memcmp(usual[i], text, len))
            return false;
    return true;
}

static const Value *found_attribute(Unit *unit, const Args *args)
{
    if (args->count < 2 || args->positional[1]->kind != VALUE_STR)
        return value_unknown(unit->arena, "this call is not computed");
    const Value *name = args->positional[1];
    const Value *found =
        static_attribute(unit, args->positional[0], name_of(unit->names, name->str.text, name->str.len));
    if (!found && args->count == 3 && args->positional[0]->kind == VALUE_MODULE && is_foreign_mark(name))
        return args->positional[2];
    return found ? found : value_unknown(unit->arena, "this attribute is not known");
}

const Value *call_sequence_function(Unit *unit, int id, const Args *args)
{
    const Value *first = args->count ? args->positional[0] : NULL;
    switch (id) {
    case INTRINSIC_ZIP: return zip_sequences(unit, args->positional, args->count);
    case INTRINSIC_ENUMERATE: return enumerated(unit, first, given_argument(args, 1, "start"));
    case INTRINSIC_REVERSED: return reversed_sequence(unit, first);
    case INTRINSIC_PRODUCT: return product_of(unit, args);
    case INTRINSIC_DICT: return made_dict(unit, args);
    case INTRINSIC_SET:
    case INTRINSIC_FROZENSET: return made_set(unit, first, args->count);
    case INTRINSIC_ANY:
    case INTRINSIC_ALL:
        return args->count == 1 && !args->named_count ? any_of(unit, first, id == INTRINSIC_ALL)
                                                      : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_GETATTR: return found_attribute(unit, args);
    case INTRINSIC_OS_GETENV: return environment_variable(unit, first, args);
    case INTRINSIC_STR:
        return args->count == 1 ? value_as_text(unit, first) : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_CTYPES_SIZEOF: return size_of_ctype(unit, args->count == 1 ? first : NULL);
    case INTRINSIC_NUMPY_DTYPE: return first ? first : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_STATICMETHOD: return first ? first : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_CACHE:
    case INTRINSIC_LRU_CACHE:
        return first && first->kind == VALUE_PYTHON_FUNC ? remember_results(unit, first)
                                                         : value_unknown(unit->arena, "this call is not computed");
    default: return NULL;
    }
}
