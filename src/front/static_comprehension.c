/* Comprehensions at module level: lists, generators and dicts, over sequences that are known. */
#include "front/static_impl.h"

typedef struct Comprehension {
    Unit *unit;
    const Node *node;
    Scope *scope;
    Value *dict; /* of a dict; NULL: a list */
    const Value **items;
    uint32_t count, cap;
    const Value *failed; /* why it is not known; NULL: it is, so far */
} Comprehension;

static void run_generator(Comprehension *c, uint32_t index);

static void add_element(Comprehension *c)
{
    const Value *element = static_eval(c->unit, c->node->comp.elt, c->scope);
    if (c->dict)
        dict_put(c->unit, c->dict, element, static_eval(c->unit, c->node->comp.value, c->scope));
    else if (c->count < LIMIT_SEQUENCE)
        ARENA_PUSH(c->unit->arena, c->items, c->count, c->cap) = element;
    else
        c->failed = value_unknown(c->unit->arena, "the sequence is too long");
}

/* Is the element wanted? Unknown conditions fail the whole. */
static bool passes(Comprehension *c, const NodeList *conditions)
{
    bool wanted = true;
    for (uint32_t i = 0; i < conditions->count && wanted && !c->failed; i++) {
        bool known;
        wanted = value_is_true(static_eval(c->unit, conditions->items[i], c->scope), &known);
        if (!known)
            c->failed = value_unknown(c->unit->arena, "this comprehension is not followed");
    }
    return wanted && !c->failed;
}

static void run_generator(Comprehension *c, uint32_t index)
{
    if (index == c->node->comp.generators.count) {
        add_element(c);
        return;
    }
    const Node *generator = c->node->comp.generators.items[index];
    const Value *source = iterated(c->unit, static_eval(c->unit, generator->comprehension.iter, c->scope));
    if (source->kind != VALUE_LIST && source->kind != VALUE_TUPLE)
        c->failed = source->kind == VALUE_UNKNOWN ? source
                                                  : value_unknown(c->unit->arena, "this comprehension is not followed");
    for (uint32_t i = 0; !c->failed && i < source->sequence.count; i++) {
        if (!step(c->unit))
            c->failed = too_long(c->unit);
        else if (!bind_target(c->unit, generator->comprehension.target, source->sequence.items[i], c->scope))
            c->failed = value_unknown(c->unit->arena, "this comprehension is not followed");
        else if (passes(c, &generator->comprehension.ifs))
            run_generator(c, index + 1);
    }
}

const Value *eval_comprehension(Unit *unit, const Node *node, const Scope *scope)
{
    Comprehension c = {.unit = unit, .node = node, .scope = scope_new(unit, scope, scope->qualname)};
    if (node->kind == NODE_DICT_COMP)
        c.dict = value_dict(unit, 4);
    run_generator(&c, 0);
    if (c.failed) {
        lose_statement(unit, node, scope);
        return c.failed;
    }
    return c.dict ? c.dict : value_sequence(unit->arena, VALUE_LIST, c.items, c.count);
}
