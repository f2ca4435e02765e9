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

typedef struct Affix {
    const char *text;
    size_t len;
} Affix;

#define AFFIX(text)                                                                                                    \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }

/* An array's name without what marks it as one: in_velocities, density_field. */
const char *bare_word(Synth *s, const char *word)
{
    static const Affix before[] = {AFFIX("in_"),    AFFIX("next_"),     AFFIX("local_"),   AFFIX("other_"),
                                   AFFIX("out_"),   AFFIX("cur_"),      AFFIX("this_"),    AFFIX("new_"),
                                   AFFIX("base_"),  AFFIX("ref_"),      AFFIX("scaled_"),  AFFIX("weighted_"),
                                   AFFIX("delta_"), AFFIX("relative_"), AFFIX("shifted_"), AFFIX("adjusted_")};
    static const Affix behind[] = {
        AFFIX("_in"),   AFFIX("_a"),   AFFIX("_b"),      AFFIX("_out"),    AFFIX("_field"), AFFIX("_data"),
        AFFIX("_val"),  AFFIX("_i"),   AFFIX("_values"), AFFIX("_result"), AFFIX("_term"),  AFFIX("_sum"),
        AFFIX("_diff"), AFFIX("_gap"), AFFIX("_value"),  AFFIX("_total"),  AFFIX("_ratio"), AFFIX("_scale"),
        AFFIX("_new"),  AFFIX("_mix"), AFFIX("_norm")};
    size_t len = strlen(word);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (word[0] == before[i].text[0] && strncmp(word, before[i].text, before[i].len) == 0)
            return bare_word(s, word + before[i].len);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        size_t tail = behind[i].len;
        if (len > tail + 2 && word[len - tail] == '_' && memcmp(word + len - tail, behind[i].text, tail) == 0)
            return bare_word(s, arena_strndup(s->arena, word, len - tail));
    }
    return word;
}

const char *singular(Synth *s, const char *word)
{
    word = bare_word(s, word);
    static const struct {
        const char *plural, *singular;
    } endings[] = {
        {"matrices", "matrix"}, {"vertices", "vertex"}, {"indices", "index"}, {"axes", "axis"}, {"bias", "bias"},
        {"ies", "y"},           {"sses", "ss"},         {"xes", "x"},         {"ches", "ch"},   {"shes", "sh"},
        {"ss", "ss"},           {"us", "us"},           {"is", "is"},         {"s", ""},
    };
    size_t len = strlen(word);
    for (size_t i = 0; i < sizeof endings / sizeof *endings && len > 3; i++) {
        size_t tail = strlen(endings[i].plural);
        if (len >= tail && strcmp(word + len - tail, endings[i].plural) == 0)
            return arena_format(s->arena, "%.*s%s", (int)(len - tail), word, endings[i].singular);
    }
    return word;
}

/* What a call gives: frame_inverse of wp.transform_inverse(frame), velocity_length of wp.length(velocity). */
static const char *name_of_call(Synth *s, const char *stem, Name function)
{
    uint32_t count, row = 0;
    const Function *table = function_table(&count);
    while (row < count && !name_is(function, table[row].name))
        row++;
    if (row < count && table[row].names[0]) {
        size_t len;
        const char *word = rng_word(&s->rng, table[row].names, &len);
        return chance(s, 0.55) ? table[row].names : arena_format(s->arena, "%s_%.*s", stem, (int)len, word);
    }
    if (row == count) /* a type: the value is put together */
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
    if (strlen(stem) > 16 || stem[0] == '#' || strlen(stem) < 2)
        return is_vec(value.type) ? "vector|combined|resultant|mixed" : "term|amount|quantity|response|measure|level";
    if (node->kind == NODE_NAME)
        return stem;
    if (node->kind == NODE_CALL && is_choice(node))
        return arena_format(s->arena, "chosen_%s|selected|picked|%s_choice", stem, stem);
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE)
        return name_of_call(s, stem, node->call.func->attribute.attr);
    if (node->kind == NODE_SUBSCRIPT)
        return arena_format(s->arena, "%s|%s_i|cur_%s|this_%s|%s_val", stem, stem, stem, stem, stem);
    if (node->kind == NODE_BIN_OP)
        switch (node->bin_op.op) {
        case OP_ADD: return arena_format(s->arena, "%s_sum|shifted_%s|combined|%s_total", stem, stem, stem);
        case OP_SUB: return arena_format(s->arena, "%s_diff|delta_%s|residual|%s_gap", stem, stem, stem);
        case OP_DIV: return arena_format(s->arena, "%s_ratio|relative_%s|ratio|%s_norm", stem, stem, stem);
        case OP_MULT:
        case OP_MAT_MULT: return arena_format(s->arena, "scaled_%s|weighted_%s|%s_term|product", stem, stem, stem);
        case OP_MOD: return arena_format(s->arena, "%s_slot|phase|bucket|lane", stem);
        default: return arena_format(s->arena, "%s_bits|code|mixed|%s_word", stem, stem);
        }
    return arena_format(s->arena, "%s_value|adjusted_%s|%s_term", stem, stem, stem);
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
    char *text = arena_format(s->arena, "%s", stem);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : (char)tolower((unsigned char)*c);
    return text;
}
