/* Lines taken apart into leaves, and put together again. */
#include "corpus/parquet.h"

#include "base/limits.h"

#include <ctype.h>
#include <math.h>

/* ---- the leaves of columns ---- */

static uint32_t count_leaves(const Column *columns)
{
    uint32_t count = 0;
    for (const Column *column = columns; column->name; column++)
        count += column->fields ? count_leaves(column->fields) : 1;
    return count;
}

static Leaf *set_leaves(const Column *columns, Leaf *leaf, uint8_t definition, uint8_t repetition)
{
    for (const Column *column = columns; column->name; column++) {
        bool list = is_list_kind(column->kind);
        uint8_t inner = (uint8_t)(definition + (list ? 3 : 1)), repeated = (uint8_t)(repetition + list);
        if (column->fields)
            leaf = set_leaves(column->fields, leaf, inner, repeated);
        else
            *leaf++ = (Leaf){.kind = element_kind(column->kind), .most_definition = inner, .most_repetition = repeated};
    }
    return leaf;
}

bool leaves_init(Leaves *leaves, const Column *columns)
{
    uint32_t count = count_leaves(columns);
    *leaves = (Leaves){.columns = columns, .items = calloc(count, sizeof *leaves->items), .count = count};
    if (leaves->items)
        set_leaves(columns, leaves->items, 0, 0);
    return leaves->items != NULL;
}

void leaves_free(Leaves *leaves)
{
    for (uint32_t i = 0; leaves->items && i < leaves->count; i++) {
        text_free(&leaves->items[i].definitions);
        text_free(&leaves->items[i].repetitions);
        text_free(&leaves->items[i].data);
    }
    free(leaves->items);
    leaves->items = NULL;
}

void leaves_clear(Leaves *leaves)
{
    for (uint32_t i = 0; i < leaves->count; i++) {
        Leaf *leaf = &leaves->items[i];
        leaf->definitions.len = leaf->repetitions.len = leaf->data.len = leaf->at = 0;
        leaf->entries = leaf->values = leaf->entry = 0;
    }
    leaves->rows = leaves->row = 0;
}

/* ---- taking apart ---- */

/* Where we are in a line, and in the leaves: the columns come in their order in both. */
typedef struct Taker {
    const char *at;
    Leaf *leaf;
} Taker;

static bool eat(Taker *taker, const char *text)
{
    size_t len = strlen(text);
    bool found = strncmp(taker->at, text, len) == 0;
    taker->at += found ? len : 0;
    return found;
}

static void add_entry(Leaf *leaf, uint8_t definition, uint8_t repetition)
{
    text_char(&leaf->definitions, (char)definition);
    text_char(&leaf->repetitions, (char)repetition);
    leaf->entries++;
}

static bool take_escape(Taker *taker, Text *out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char letter = taker->at[1];
    const char *found = letter ? strchr(letters, letter) : NULL;
    unsigned code = 0;
    if (found)
        text_char(out, meanings[found - letters]);
    else if (letter != 'u')
        return false;
    taker->at += 2;
    for (int i = 0; !found && i < 4; i++, taker->at++) {
        if (!isxdigit((unsigned char)*taker->at))
            return false;
        code = code * 16 +
               (unsigned)(isdigit((unsigned char)*taker->at) ? *taker->at - '0' : (*taker->at | 0x20) - 'a' + 10);
    }
    if (!found)
        text_char(out, (char)code);
    return code < 0x80; /* others are written as they are */
}

static bool take_text(Taker *taker, Text *out)
{
    size_t start = out->len;
    text_add(out, "\0\0\0\0", 4);
    if (*taker->at++ != '"')
        return false;
    for (;;) {
        size_t len = strcspn(taker->at, "\"\\\n");
        text_add(out, taker->at, len);
        taker->at += len;
        if (*taker->at == '"')
            break;
        if (*taker->at != '\\' || !take_escape(taker, out))
            return false;
    }
    taker->at++;
    if (out->failed)
        return false;
    uint32_t len = (uint32_t)(out->len - start - 4);
    memcpy(out->data + start, &len, sizeof len);
    return true;
}

static bool take_number(Taker *taker, ColumnKind kind, Text *out)
{
    char *end;
    char bytes[8];
    if (*taker->at != '-' && !isdigit((unsigned char)*taker->at))
        return false;
    if (kind == KIND_INT) {
        long long value = strtoll(taker->at, &end, 10);
        memcpy(bytes, &value, sizeof bytes);
    } else {
        double value = strtod(taker->at, &end);
        memcpy(bytes, &value, sizeof bytes);
    }
    text_add(out, bytes, sizeof bytes);
    bool fine = end > taker->at;
    taker->at = end;
    return fine;
}

static bool take_scalar(Taker *taker, uint8_t repetition)
{
    Leaf *leaf = taker->leaf;
    add_entry(leaf, leaf->most_definition, repetition);
    leaf->values++;
    switch (leaf->kind) {
    case KIND_TEXT: return take_text(taker, &leaf->data);
    case KIND_BOOL: text_char(&leaf->data, *taker->at == 't'); return eat(taker, "true") || eat(taker, "false");
    default: return take_number(taker, leaf->kind, &leaf->data);
    }
}

/* Nothing is there in any leaf of a column: null, or an empty list. Behind them. */
static Leaf *add_nothing(const Column *column, Leaf *leaf, uint8_t definition, uint8_t repetition)
{
    if (!column->fields) {
        add_entry(leaf, definition, repetition);
        return leaf + 1;
    }
    for (const Column *field = column->fields; field->name; field++)
        leaf = add_nothing(field, leaf, definition, repetition);
    return leaf;
}

static bool take_object(Taker *taker, const Column *columns, uint8_t definition, uint8_t repetition, uint8_t depth);

/* One value of a column, or one element of its list. */
static bool take_element(Taker *taker, const Column *column, uint8_t definition, uint8_t repetition, uint8_t depth)
{
    if (column->fields)
        return take_object(taker, column->fields, definition, repetition, depth);
    bool fine = take_scalar(taker, repetition);
    taker->leaf++;
    return fine;
}

static bool take_list(Taker *taker, const Column *column, uint8_t definition, uint8_t repetition, uint8_t depth)
{
    Leaf *first = taker->leaf;
    if (eat(taker, "[]")) {
        taker->leaf = add_nothing(column, first, (uint8_t)(definition + 1), repetition);
        return true;
    }
    bool fine = eat(taker, "[");
    do {
        taker->leaf = first;
        fine = fine && take_element(taker, column, (uint8_t)(definition + 3), repetition, depth);
        repetition = depth;
    } while (fine && eat(taker, ", "));
    return fine && eat(taker, "]");
}

static bool take_object(Taker *taker, const Column *columns, uint8_t definition, uint8_t repetition, uint8_t depth)
{
    bool fine = eat(taker, "{");
    for (const Column *column = columns; fine && column->name; column++) {
        fine = (column == columns || eat(taker, ", ")) && eat(taker, "\"") && eat(taker, column->name) &&
               eat(taker, "\": ");
        if (fine && eat(taker, "null"))
            taker->leaf = add_nothing(column, taker->leaf, definition, repetition);
        else if (fine && is_list_kind(column->kind))
            fine = take_list(taker, column, definition, repetition, (uint8_t)(depth + 1));
        else
            fine = fine && take_element(taker, column, (uint8_t)(definition + 1), repetition, depth);
    }
    return fine && eat(taker, "}");
}

bool leaves_add(Leaves *leaves, const char *line)
{
    Taker taker = {line, leaves->items};
    bool fine = take_object(&taker, leaves->columns, 0, 0, 0) && (!*taker.at || *taker.at == '\n');
    for (uint32_t i = 0; i < leaves->count; i++) {
        const Leaf *leaf = &leaves->items[i];
        fine = fine && !leaf->definitions.failed && !leaf->repetitions.failed && !leaf->data.failed;
    }
    leaves->rows += fine;
    return fine;
}

/* ---- putting together ---- */

/* A row that is being written. Every entry must have the repetition level of its place: then no leaf has more or fewer than others. */
typedef struct Putter {
    Leaf *leaf;
    Text *out;
} Putter;

static bool is_next(const Leaf *leaf, uint8_t definition, uint8_t repetition)
{
    return leaf->entry < leaf->entries && (uint8_t)leaf->definitions.data[leaf->entry] == definition &&
           (uint8_t)leaf->repetitions.data[leaf->entry] == repetition;
}

static bool pass_nothing(Putter *putter, const Column *column, uint8_t definition, uint8_t repetition)
{
    if (!column->fields) {
        bool fine = is_next(putter->leaf, definition, repetition);
        putter->leaf->entry++;
        putter->leaf++;
        return fine;
    }
    for (const Column *field = column->fields; field->name; field++)
        if (!pass_nothing(putter, field, definition, repetition))
            return false;
    return true;
}

static bool put_scalar(Putter *putter, uint8_t repetition)
{
    Leaf *leaf = putter->leaf++;
    const char *from = leaf->data.data + leaf->at;
    uint32_t len;
    int64_t whole;
    double real;
    if (!is_next(leaf, leaf->most_definition, repetition) || putter->out->len > LIMIT_RECORD_BYTES)
        return false;
    leaf->entry++;
    switch (leaf->kind) {
    case KIND_TEXT:
        memcpy(&len, from, sizeof len);
        if (len > LIMIT_RECORD_BYTES)
            return false;
        text_json_string(putter->out, from + 4, len);
        leaf->at += 4 + len;
        return true;
    case KIND_BOOL:
        text_str(putter->out, *from ? "true" : "false");
        leaf->at++;
        return true;
    case KIND_INT:
        memcpy(&whole, from, sizeof whole);
        text_int(putter->out, whole);
        break;
    default:
        memcpy(&real, from, sizeof real);
        text_python_float(putter->out, real);
        break;
    }
    leaf->at += 8;
    return true;
}

static bool put_object(Putter *putter, const Column *columns, uint8_t definition, uint8_t repetition, uint8_t depth);

static bool put_element(Putter *putter, const Column *column, uint8_t definition, uint8_t repetition, uint8_t depth)
{
    if (column->fields)
        return put_object(putter, column->fields, definition, repetition, depth);
    return put_scalar(putter, repetition);
}

static bool put_list(Putter *putter, const Column *column, uint8_t definition, uint8_t repetition, uint8_t depth)
{
    Leaf *first = putter->leaf;
    if (is_next(first, (uint8_t)(definition + 1), repetition)) {
        text_lit(putter->out, "[]");
        return pass_nothing(putter, column, (uint8_t)(definition + 1), repetition);
    }
    text_char(putter->out, '[');
    for (bool more = true; more; repetition = depth) {
        putter->leaf = first;
        if (!put_element(putter, column, (uint8_t)(definition + 3), repetition, depth))
            return false;
        more = first->entry < first->entries && (uint8_t)first->repetitions.data[first->entry] == depth;
        if (more)
            text_lit(putter->out, ", ");
    }
    text_char(putter->out, ']');
    return true;
}

static bool put_object(Putter *putter, const Column *columns, uint8_t definition, uint8_t repetition, uint8_t depth)
{
    for (const Column *column = columns; column->name; column++) {
        text_str(putter->out, column == columns ? "{\"" : ", \"");
        text_str(putter->out, column->name);
        text_lit(putter->out, "\": ");
        bool fine;
        if (is_next(putter->leaf, definition, repetition)) {
            text_lit(putter->out, "null");
            fine = pass_nothing(putter, column, definition, repetition);
        } else if (is_list_kind(column->kind))
            fine = put_list(putter, column, definition, repetition, (uint8_t)(depth + 1));
        else
            fine = put_element(putter, column, (uint8_t)(definition + 1), repetition, depth);
        if (!fine)
            return false;
    }
    text_char(putter->out, '}');
    return true;
}

bool leaves_take(Leaves *leaves, Text *out)
{
    Putter putter = {leaves->items, out};
    bool fine = put_object(&putter, leaves->columns, 0, 0, 0) && !out->failed;
    leaves->row++;
    for (uint32_t i = 0; fine && leaves->row == leaves->rows && i < leaves->count; i++)
        fine = leaves->items[i].entry == leaves->items[i].entries;
    return fine;
}
