/* Functions of Python that take or make sequences and dicts, at module level. */
#include "front/static_impl.h"

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

/* itertools.product(): the last sequence runs fastest. */
static const Value *product_of(Unit *unit, const Args *args)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < args->count; k++) {
        if (!is_sequence(args->positional[k]))
            return value_unknown(unit->arena, "this call is not computed");
        count *= args->positional[k]->sequence.count;
        if (count > LIMIT_SEQUENCE)
            return value_unknown(unit->arena, "the sequence is too long");
    }
    const Value **rows = ARENA_ARRAY(unit->arena, const Value *, count);
    for (uint64_t i = 0; i < count; i++) {
        const Value **row = ARENA_ARRAY(unit->arena, const Value *, args->count);
        uint64_t rest = i;
        for (uint32_t k = args->count; k-- > 0; rest /= args->positional[k]->sequence.count)
            row[k] = args->positional[k]->sequence.items[rest % args->positional[k]->sequence.count];
        if (!step(unit))
            return too_long(unit);
        rows[i] = value_sequence(unit->arena, VALUE_TUPLE, row, args->count);
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

static const Value *found_attribute(Unit *unit, const Args *args)
{
    if (args->count < 2 || args->positional[1]->kind != VALUE_STR)
        return value_unknown(unit->arena, "this call is not computed");
    const Value *name = args->positional[1];
    const Value *found =
        static_attribute(unit, args->positional[0], name_of(unit->names, name->str.text, name->str.len));
    return found ? found : value_unknown(unit->arena, "this attribute is not known");
}

const Value *call_sequence_function(Unit *unit, int id, const Args *args)
{
    const Value *first = args->count ? args->positional[0] : NULL;
    switch (id) {
    case INTRINSIC_ZIP: return zip_sequences(unit, args->positional, args->count);
    case INTRINSIC_ENUMERATE: return enumerated(unit, first, given_argument(args, 1, "start"));
    case INTRINSIC_REVERSED: return reversed_sequence(unit, first);
    case INTRINSIC_PRODUCT:
        return args->named_count ? value_unknown(unit->arena, "this call is not computed") : product_of(unit, args);
    case INTRINSIC_DICT: return made_dict(unit, args);
    case INTRINSIC_GETATTR: return found_attribute(unit, args);
    case INTRINSIC_STR:
        return args->count == 1 ? value_as_text(unit, first) : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_NUMPY_DTYPE: return first ? first : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_STATICMETHOD: return first ? first : value_unknown(unit->arena, "this call is not computed");
    case INTRINSIC_CACHE:
    case INTRINSIC_LRU_CACHE:
        return first && first->kind == VALUE_PYTHON_FUNC ? remember_results(unit, first)
                                                         : value_unknown(unit->arena, "this call is not computed");
    default: return NULL;
    }
}
