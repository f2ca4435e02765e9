/* Names for values: what a person might call the result of an expression. */
#include "synth/random.h"

#include <string.h>

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
    case NODE_CALL: return node->call.args.count ? stem_of(s, node->call.args.items[0]) : NULL;
    default: return NULL;
    }
}

/* An array's name without what marks it as one: in_velocities, density_field. */
static const char *bare_word(Synth *s, const char *word)
{
    static const char *const before[] = {"in_",     "out_",      "cur_",   "this_",     "new_",     "base_",    "ref_",
                                         "scaled_", "weighted_", "delta_", "relative_", "shifted_", "adjusted_"};
    static const char *const behind[] = {"_in",     "_out",   "_field", "_data", "_val", "_i",     "_values",
                                         "_result", "_term",  "_sum",   "_diff", "_gap", "_value", "_total",
                                         "_ratio",  "_scale", "_new",   "_mix",  "_norm"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(word, before[i], strlen(before[i])) == 0)
            return bare_word(s, word + strlen(before[i]));
    size_t len = strlen(word);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        size_t tail = strlen(behind[i]);
        if (len > tail + 2 && strcmp(word + len - tail, behind[i]) == 0)
            return bare_word(s, arena_strndup(s->arena, word, len - tail));
    }
    return word;
}

const char *singular(Synth *s, const char *word)
{
    word = bare_word(s, word);
    size_t len = strlen(word);
    if (len > 4 && strcmp(word + len - 3, "ies") == 0)
        return arena_format(s->arena, "%.*sy", (int)len - 3, word);
    bool plural = len > 3 && word[len - 1] == 's' && !strchr("suia", word[len - 2]); /* not mass, radius, basis */
    if (plural)
        return arena_strndup(s->arena, word, len - 1);
    return word;
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
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE) {
        uint32_t count;
        const Function *table = function_table(&count);
        for (uint32_t i = 0; i < count && chance(s, 0.97); i++)
            if (name_is(node->call.func->attribute.attr, table[i].name) && table[i].names[0])
                return chance(s, 0.7) ? table[i].names
                                      : arena_format(s->arena, "%s_%s", stem, node->call.func->attribute.attr->text);
        return arena_format(s->arena, "%s_new|chosen_%s|%s_mix", stem, stem, stem);
    }
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
    const char *stem = stem_of(s, node);
    char *text = arena_format(s->arena, "%s", stem && stem[0] != '#' ? singular(s, stem) : "value");
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return text;
}
