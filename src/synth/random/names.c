/* Names: short ones that say nothing, and never the same twice in a kernel. */
#include "synth/context.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words that C++, Python or warp keep for themselves. */
static const char *const reserved[] = {
    "_idx",  "abs",      "and",    "array",    "as",       "auto",   "bool",     "case",       "char",   "class",
    "const", "copy",     "def",    "default",  "del",      "delete", "dim",      "double",     "e",      "float",
    "for",   "friend",   "from",   "half",     "if",       "in",     "index",    "inf",        "inline", "int",
    "is",    "kernel",   "lambda", "len",      "load",     "long",   "max",      "min",        "nan",    "new",
    "not",   "operator", "or",     "pi",       "print",    "range",  "register", "round",      "select", "shape",
    "short", "signed",   "static", "step",     "struct",   "sum",    "switch",   "task_index", "tau",    "template",
    "this",  "typename", "union",  "unsigned", "volatile", "where",  "wp",
};

void names_reserved(SynthContext *context)
{
    names_init(&context->reserved, &context->tables);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        name_cstr(&context->reserved, reserved[i]);
}

Name intern(Synth *s, const char *text)
{
    return name_of(&s->names, text, strlen(text));
}

Name intern_format(Synth *s, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    size_t len = (size_t)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return name_of(&s->names, text, len < sizeof text ? len : sizeof text - 1);
}

/* ---- free names ---- */

static bool is_free(const Synth *s, uint32_t hash, const char *text, size_t len)
{
    Name known = name_find(&s->names, hash, text, len);
    if (known && known->id < MAX_NAMES && names_contain(&s->taken_names, known))
        return false;
    return !name_find(&s->context->reserved, hash, text, len);
}

/* NULL: it is taken, or reserved. */
static Name take_if_free(Synth *s, const char *text, size_t len)
{
    uint32_t hash = name_hash(text, len);
    if (!is_free(s, hash, text, len))
        return NULL;
    Name name = name_add(&s->names, hash, text, len);
    if (s->taken_count < sizeof s->taken / sizeof *s->taken && name->id < MAX_NAMES) {
        s->taken[s->taken_count++] = name;
        names_add(&s->taken_names, name);
    }
    return name;
}

size_t pick_name(Synth *s, const char *alternatives, char text[NAME_SIZE])
{
    size_t len;
    const char *word = rng_word(&s->rng, alternatives, &len);
    len = len < LONGEST_NAME ? len : LONGEST_NAME;
    memcpy(text, word, len);
    text[len] = 0;
    return len;
}

Name fresh(Synth *s, const char *alternatives)
{
    char word[NAME_SIZE], text[NAME_SIZE + 16];
    for (int tries = 0; tries < 6; tries++) {
        size_t len = pick_name(s, alternatives, word);
        Name name = take_if_free(s, word, len);
        if (name)
            return name;
    }
    for (unsigned number = 2;; number++) {
        size_t numbered = (size_t)snprintf(text, sizeof text, "%s_%u", word, number);
        Name name = take_if_free(s, text, numbered);
        if (name)
            return name;
    }
}

static char kind_of(const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC:
        if (!type_is_float(type_scalar_of(type)))
            return 'v';
        return type->composite.rows == 6 ? 'S' : 'v';
    case TYPE_MAT: return 'm';
    case TYPE_QUAT: return 'q';
    case TYPE_TRANSFORM: return 't';
    case TYPE_UINT32:
    case TYPE_UINT64:
    case TYPE_UINT8: return 'u';
    case TYPE_INT32:
    case TYPE_INT64:
    case TYPE_INT16: return 'i';
    default: return 'f';
    }
}

const char *plain_names(Synth *s, const Type *type)
{
    static const char *const reals[] = {"x|y|z|t", "a|b|c|d", "u|v|w|s", "r|h|k|g", "value|term|part|amount"};
    switch (kind_of(type)) {
    case 'm': return "m|mat|n|k|a|b";
    case 'q': return "q|rot|p|r";
    case 't': return "tf|xf|frame|pose";
    case 'i': return "n|m|i0|count|num";
    case 'u': return "bits|code|word|mask";
    case 'S': return "twist|wrench|sv|sw";
    case 'v': return "p|v|q|d|n|vec";
    default: return reals[below(s, 5)];
    }
}

Word plain_word(Synth *s, const Type *type)
{
    static const Range reals[] = {{-1, 1}, {-2, 2}, {0.1, 2}, {0, 1}, {0.5, 5}}, whole[] = {{0, 7}, {1, 20}, {0, 100}};
    char kind = kind_of(type);
    Range range = kind == 'i' || kind == 'u' ? whole[below(s, 3)] : reals[below(s, 5)];
    if (kind == 'v' && !type_is_float(type_scalar_of(type)))
        range = whole[below(s, 2)];
    return (Word){plain_names(s, type), range};
}

/* ---- choices ---- */

bool chance(Synth *s, double probability)
{
    return rng_chance(&s->rng, probability);
}

uint32_t below(Synth *s, uint32_t count)
{
    return rng_below(&s->rng, count);
}

int between(Synth *s, int low, int high)
{
    return rng_between(&s->rng, low, high);
}

const char *pick_text(Synth *s, const char *const *texts, size_t count)
{
    return texts[below(s, (uint32_t)count)];
}

/* What "%.*g" prints, read back. */
static double round_to_digits(double value, int digits)
{
    static const double powers[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    double size = fabs(value);
    if (size == 0)
        return value;
    int exponent = 0; /* of the first digit, as far as that is easily told */
    while (exponent < 6 && size >= powers[exponent + 7])
        exponent++;
    while (exponent > -6 && size < powers[exponent + 6])
        exponent--;
    int decimals = digits - 1 - exponent;
    if (digits <= 8 && size >= 1e-5 && size < 1e5 && decimals >= 0 && decimals <= 12) {
        double power = decimals > 6 ? powers[12] * powers[decimals] : powers[decimals + 6];
        double scaled = value * power, whole = nearbyint(scaled);
        bool clear = fabs(fabs(scaled - whole) - 0.5) > 1e-6; /* to which side it goes */
        if (clear || fma(value, power, -scaled) == 0)         /* or it is in the middle, exactly */
            return whole / power;
    }
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* The shortest number near the middle of an interval that is too narrow for a choice. */
static double nice_inside(double low, double high)
{
    for (int digits = 1; digits < 17; digits++) {
        double rounded = round_to_digits((low + high) / 2, digits);
        if (rounded >= low && rounded <= high)
            return rounded;
    }
    return low;
}

double nice_number(Synth *s, double low, double high)
{
    double span = high - low;
    double unit = span > 20      ? 1
                  : span > 4     ? 0.5
                  : span > 1     ? 0.25
                  : span > 0.4   ? 0.1
                  : span > 0.04  ? 0.01
                  : span > 0.004 ? 0.001
                                 : span / 8;
    if (chance(s, 0.3))
        unit /= 5;
    int steps = (int)(span / unit);
    double value = low + unit * between(s, 0, steps > 0 ? steps : 0);
    if (fabs(value) < 1e-9 * span && low <= 0 && high >= 0)
        return 0;
    for (int digits = 2; digits < 8; digits++) { /* as few digits as the range allows */
        double rounded = round_to_digits(value, digits);
        if (rounded >= low && rounded <= high && (digits > 2 || fabs(rounded - value) < unit))
            return rounded;
    }
    return low == high ? low : nice_inside(low, high);
}
