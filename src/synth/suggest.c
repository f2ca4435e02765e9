/* Names for values: what a person might call the result of an expression. */
#include "synth/random.h"

#include <ctype.h>
#include <string.h>

/* wp.where(condition, a, b) is about a. */
static bool is_choice(const Node *call)
{
    return call->call.func->kind == NODE_ATTRIBUTE && name_is(call->call.func->attribute.attr, "where") &&
           call->call.args.count == 3;
}

/* The word a value is about: of `velocities[i] * dt` it is velocity. */
static const char *stem_of(Synth *s, const Node *node)
{
    switch (node->kind) {
    case NODE_NAME: return node->name.id->text;
    case NODE_SUBSCRIPT: return stem_of(s, node->subscript.value);
    case NODE_ATTRIBUTE: return node->attribute.attr->text;
    case NODE_BIN_OP: {
        const char *left = stem_of(s, node->bin_op.left);
        return left ? left : stem_of(s, node->bin_op.right);
    }
    case NODE_UNARY_OP: return stem_of(s, node->unary_op.operand);
    case NODE_CALL: return node->call.args.count ? stem_of(s, node->call.args.items[is_choice(node)]) : NULL;
    default: return NULL;
    }
}

/* A part of a text. */
typedef struct Slice {
    const char *text;
    size_t len;
} Slice;

#define WORD(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }

static bool is_one_of(const Slice *words, size_t count, const char *text, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].len == len && words[i].text[0] == text[0] && memcmp(words[i].text, text, len) == 0)
            return true;
    return false;
}

/* An array's name without what marks it as one: in_velocities, density_field. */
static Slice bare_part(const char *word)
{
    static const Slice before[] = {WORD("in"),    WORD("next"),     WORD("local"),   WORD("other"),
                                   WORD("out"),   WORD("cur"),      WORD("this"),    WORD("new"),
                                   WORD("base"),  WORD("ref"),      WORD("scaled"),  WORD("weighted"),
                                   WORD("delta"), WORD("relative"), WORD("shifted"), WORD("adjusted")};
    static const Slice behind[] = {
        WORD("in"),    WORD("a"),      WORD("b"),      WORD("out"),   WORD("field"), WORD("data"), WORD("val"),
        WORD("i"),     WORD("values"), WORD("result"), WORD("term"),  WORD("sum"),   WORD("diff"), WORD("gap"),
        WORD("value"), WORD("total"),  WORD("ratio"),  WORD("scale"), WORD("new"),   WORD("mix"),  WORD("norm")};
    Slice part = {word, strlen(word)};
    for (;;) {
        const char *first = memchr(part.text, '_', part.len), *last = first;
        if (!first)
            return part;
        if (is_one_of(before, sizeof before / sizeof *before, part.text, (size_t)(first - part.text))) {
            part.len -= (size_t)(first + 1 - part.text);
            part.text = first + 1;
            continue;
        }
        last = memrchr(part.text, '_', part.len);
        size_t kept = (size_t)(last - part.text), tail = part.len - kept - 1;
        if (kept <= 2 || !is_one_of(behind, sizeof behind / sizeof *behind, last + 1, tail))
            return part;
        part.len = kept;
    }
}

static const char *slice_text(Synth *s, Slice part)
{
    return part.text[part.len] ? arena_strndup(s->arena, part.text, part.len) : part.text;
}

const char *bare_word(Synth *s, const char *word)
{
    return slice_text(s, bare_part(word));
}

const char *singular(Synth *s, const char *word)
{
    static const struct {
        Slice plural, singular;
    } endings[] = {
        {WORD("matrices"), WORD("matrix")}, {WORD("vertices"), WORD("vertex")},
        {WORD("indices"), WORD("index")},   {WORD("axes"), WORD("axis")},
        {WORD("bias"), WORD("bias")},       {WORD("ies"), WORD("y")},
        {WORD("sses"), WORD("ss")},         {WORD("xes"), WORD("x")},
        {WORD("ches"), WORD("ch")},         {WORD("shes"), WORD("sh")},
        {WORD("ss"), WORD("ss")},           {WORD("us"), WORD("us")},
        {WORD("is"), WORD("is")},           {WORD("s"), WORD("")},
    };
    Slice part = bare_part(word);
    if (part.len <= 3 || part.text[part.len - 1] != 's')
        return slice_text(s, part);
    size_t i = 0;
    while (part.len < endings[i].plural.len ||
           memcmp(part.text + part.len - endings[i].plural.len, endings[i].plural.text, endings[i].plural.len) != 0)
        i++;
    size_t kept = part.len - endings[i].plural.len, added = endings[i].singular.len;
    char *text = arena_take(s->arena, kept + added + 1);
    text_copy(text, part.text, kept);
    memcpy(text + kept, endings[i].singular.text, added + 1);
    return text;
}

/* What a call gives: frame_inverse of wp.transform_inverse(frame), velocity_length of wp.length(velocity). */
static const char *name_of_call(Synth *s, const char *stem, Name function)
{
    const Function *row = function_named(s, function);
    if (row && row->names[0]) {
        size_t len;
        const char *word = rng_word(&s->rng, row->names, &len);
        return chance(s, 0.55) ? row->names : arena_format(s->arena, "%s_%.*s", stem, (int)len, word);
    }
    if (!row) /* a type: the value is put together */
        return "packed|combined|assembled|joined";
    const char *last = strrchr(function->text, '_');
    last = last && strlen(last) > 3 ? last + 1 : function->text;
    return same_text(last, stem) ? stem : arena_format(s->arena, "%s_%s", stem, last);
}

const char *suggest_name(Synth *s, Expr value)
{
    const Node *node = value.node;
    const char *stem = stem_of(s, node);
    stem = stem ? singular(s, stem) : "value";
    size_t len = strlen(stem);
    if (len > 16 || stem[0] == '#' || len < 2)
        return is_vec(value.type) ? "vector|combined|resultant|mixed" : "term|amount|quantity|response|measure|level";
    if (node->kind == NODE_NAME)
        return stem;
    if (node->kind == NODE_CALL && is_choice(node))
        return about(s, stem, "chosen_*|selected|picked|*_choice");
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE)
        return name_of_call(s, stem, node->call.func->attribute.attr);
    if (node->kind == NODE_SUBSCRIPT)
        return about(s, stem, "*|*_i|cur_*|this_*|*_val");
    if (node->kind == NODE_BIN_OP)
        switch (node->bin_op.op) {
        case OP_ADD: return about(s, stem, "*_sum|shifted_*|combined|*_total");
        case OP_SUB: return about(s, stem, "*_diff|delta_*|residual|*_gap");
        case OP_DIV: return about(s, stem, "*_ratio|relative_*|ratio|*_norm");
        case OP_MULT:
        case OP_MAT_MULT: return about(s, stem, "scaled_*|weighted_*|*_term|product");
        case OP_MOD: return about(s, stem, "*_slot|phase|bucket|lane");
        default: return about(s, stem, "*_bits|code|mixed|*_word");
        }
    return about(s, stem, "*_value|adjusted_*|*_term");
}

const char *first_name(Synth *s, const char *alternatives)
{
    size_t len = strcspn(alternatives, "|");
    const char *hole = memchr(alternatives, '*', len);
    if (!hole)
        return arena_strndup(s->arena, alternatives, len);
    size_t before = (size_t)(hole - alternatives);
    return arena_format(s->arena, "%.*s%s%.*s", (int)before, alternatives, s->stem, (int)(len - before - 1), hole + 1);
}

/* What a node is about, in words, for the description. */
const char *words_of(Synth *s, const Node *node)
{
    static const char *const spelled_out[][2] = {{"acc", "accumulator"},
                                                 {"accum", "accumulator"},
                                                 {"running", "running total"},
                                                 {"s", "sum"},
                                                 {"d", "distance"}};
    const char *stem = stem_of(s, node);
    for (uint32_t i = 0; stem && i < s->dims; i++)
        if (s->tid[i].type && same_text(stem, s->tid[i].node->name.id->text))
            return "thread index";
    stem = stem && stem[0] != '#' ? singular(s, stem) : "value";
    for (size_t i = 0; i < sizeof spelled_out / sizeof *spelled_out; i++)
        if (same_text(stem, spelled_out[i][0]))
            return spelled_out[i][1];
    char *text = arena_strndup(s->arena, stem, strlen(stem));
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : (char)tolower((unsigned char)*c);
    return text;
}
