/* Flags as bits of one number: `if (particle_flags[i] & ParticleFlags.ACTIVE) == 0` rather than `if mask[i] == 0`. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <string.h>

enum { MOST_BITS = 4 };

typedef struct BitTests {
    uint32_t fact, mentions;
    Node **tests[16];
    uint32_t test_count;
} BitTests;

/* mask[i] == 0, mask[i] != 0, mask[i] == 1 */
static bool is_flag_test(const Node *node, uint32_t fact)
{
    if (node->kind != NODE_COMPARE || node->compare.comparators.count != 1)
        return false;
    const Node *left = node->compare.left, *right = node->compare.comparators.items[0];
    OpKind op = node->compare.ops[0];
    return left->kind == NODE_SUBSCRIPT && left->subscript.value->kind == NODE_NAME &&
           left->subscript.value->fact == fact && right->kind == NODE_CONSTANT &&
           right->constant.kind == CONSTANT_INT && constant_integer(right) <= 1 && (op == OP_EQ || op == OP_NOT_EQ);
}

static void find_tests(Node **place, void *user)
{
    BitTests *tests = user;
    tests->mentions += (*place)->kind == NODE_NAME && (*place)->fact == tests->fact;
    if (is_flag_test(*place, tests->fact) && tests->test_count < 16)
        tests->tests[tests->test_count++] = place;
    draft_slots(*place, find_tests, user);
}

/* ---- names ---- */

/* ACTIVE of is_active, active|enabled; a mask says nothing of what it is for. */
static const char *member_of(Draft *d, const Item *item)
{
    static const char *const plain[] = {"ACTIVE", "ACTIVE", "ENABLED", "VALID", "SELECTED"};
    const char *names = d->symbols[item->symbol].names;
    size_t len = strcspn(names, "|");
    char *word = arena_strndup(d->arena, names, len);
    if (strncmp(word, "is_", 3) == 0)
        word += 3;
    bool says_little = strpbrk(word, "@#$0123456789") || strstr(word, "mask") || strstr(word, "flag") ||
                       strlen(word) < 4 || strlen(word) > 12;
    if (says_little)
        return plain[rng_below(&d->rng, sizeof plain / sizeof *plain)];
    for (char *c = word; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return word;
}

/* ParticleFlags */
static const char *class_of(Draft *d, const Item *item)
{
    const Entity *entity = entity_of_elements(d, item);
    const char *names = entity ? entity->one : own_entity(d)->one;
    char *one = arena_strndup(d->arena, names, strcspn(names, "| "));
    one[0] = (char)toupper((unsigned char)one[0]);
    return arena_format(d->arena, "%sFlags|%sFlags|%sFlag|%sState|Flags", one, one, one, one);
}

/* ---- the members ---- */

static Node *bit_value(Draft *d, bool shifted, uint32_t bit)
{
    return shifted ? draft_binary(d, OP_L_SHIFT, draft_int(d, 1), draft_int(d, bit)) : draft_int(d, 1 << bit);
}

static uint32_t add_constant(Draft *d, const char *names, Node *value, uint32_t of_class)
{
    uint32_t symbol = symbol_new(d, of_class ? SYMBOL_MEMBER : SYMBOL_CONSTANT, SCOPE_MODULE, names);
    d->constants[d->constant_count++] = (DraftConstant){symbol, value, of_class};
    return symbol;
}

/* class ParticleFlags(IntEnum): … Returns the symbol of the member that stands for the bit. */
static uint32_t add_class(Draft *d, const char *names, const char *member, uint32_t bit, uint32_t count, bool shifted)
{
    static const char *const others[] = {"VISIBLE", "STATIC", "COLLIDE", "SLEEPING",
                                         "DIRTY",   "SENSOR", "MOVED",   "FIXED"};
    uint32_t first = rng_below(&d->rng, 8), found = 0;
    uint32_t class_symbol = symbol_new(d, SYMBOL_STRUCT, SCOPE_MODULE, names);
    for (uint32_t k = 0; k < count; k++) {
        const char *name = k == bit ? member : others[(first + k) % 8];
        if (k != bit && strcmp(name, member) == 0)
            name = others[(first + count) % 8];
        uint32_t symbol = add_constant(d, name, bit_value(d, shifted, k), class_symbol);
        d->symbols[symbol].value = draft_attribute(d, draft_name(d, class_symbol), name);
        found = k == bit ? symbol : found;
    }
    return found;
}

static uint32_t add_bit(Draft *d, const Item *item, uint32_t bit, uint32_t count)
{
    const char *member = member_of(d, item);
    bool shifted = perhaps(d, 0.6);
    if (d->habits.enum_style == 2)
        return add_class(d, class_of(d, item), member, bit, count, shifted);
    bool long_name = d->habits.enum_style == 1 || perhaps(d, 0.5);
    return add_constant(d,
                        long_name ? arena_format(d->arena, "FLAG_%s|%s_FLAG|%s_BIT", member, member, member) : member,
                        bit_value(d, shifted, bit), 0);
}

/* ---- the kernel ---- */

static void rewrite_test(Draft *d, Node **place, uint32_t bit, bool cast, bool brief)
{
    Node *node = *place, *name = draft_name(d, bit);
    bool set = (constant_integer(node->compare.comparators.items[0]) == 1) == (node->compare.ops[0] == OP_EQ);
    if (cast)
        name = draft_call(d, draft_word(d, "int"), &name, 1);
    Node *both = draft_binary(d, OP_BIT_AND, node->compare.left, name);
    *place = set && brief ? both : draft_compare(d, set ? OP_NOT_EQ : OP_EQ, both, draft_int(d, 0));
}

static bool can_be_bits(Draft *d, const Item *item, BitTests *tests)
{
    *tests = (BitTests){.fact = item->symbol + 1};
    if (!item->present || strcmp(item->part.quantity->id, "flag") != 0 || item->part.kind != PART_EACH ||
        item->part.role != PART_IN || strcmp(item->role, "world_mask") == 0)
        return false;
    for (uint32_t k = 0; k < d->body.count; k++)
        find_tests(&d->body.items[k], tests);
    return tests->test_count && tests->test_count == tests->mentions;
}

void make_flags_bits(Draft *d)
{
    if (!d->habits.flag_bits || d->constant_count + MOST_BITS >= MAX_DRAFT_CONSTANTS / 2)
        return;
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        BitTests tests;
        if (!can_be_bits(d, item, &tests))
            continue;
        uint32_t count = (uint32_t)rng_between(&d->rng, 2, MOST_BITS), bit = rng_below(&d->rng, count);
        uint32_t symbol = add_bit(d, item, bit, count);
        bool cast = d->habits.enum_style == 2 && perhaps(d, 0.3), brief = perhaps(d, 0.3);
        for (uint32_t k = 0; k < tests.test_count; k++)
            rewrite_test(d, tests.tests[k], symbol, cast, brief);
        item->part.quantity = quantity_find(d->meaning, name_cstr(d->meaning->names, "flag_bits"));
        item->part.low = 0;
        item->part.high = (1u << count) - 1;
        item->bit = bit + 1;
        d->symbols[item->symbol].names = item->part.quantity->arrays;
        d->symbols[item->symbol].column = 0;
        return; /* the others stay what they are */
    }
}
