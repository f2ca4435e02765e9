#include "corpus/arrow.h"

#include <errno.h>

/* A column whose values are lists has one child: the column of their elements. */
static Column element_of(const Column *list)
{
    return (Column){.name = "item", .kind = element_kind(list->kind), .fields = list->fields};
}

/* ---- schemas ---- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] && schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static const char *format_of(const Column *column)
{
    if (is_list_kind(column->kind))
        return "+l";
    switch (column->kind) {
    case KIND_TEXT: return "u";
    case KIND_INT: return "l";
    case KIND_FLOAT: return "g";
    case KIND_BOOL: return "b";
    default: return "+s";
    }
}

/* Names and formats are the table's, or literals: nothing of them is freed. */
static bool set_schema(const Column *column, struct ArrowSchema *out)
{
    Column element = element_of(column);
    bool list = is_list_kind(column->kind);
    const Column *fields = column->fields;
    int64_t count = list ? 1 : fields ? count_columns(fields) : 0;
    *out = (struct ArrowSchema){.format = format_of(column),
                                .name = column->name,
                                .flags = column->nullable ? ARROW_NULLABLE : 0,
                                .release = release_schema};
    out->children = count ? calloc((size_t)count, sizeof *out->children) : NULL;
    if (count && !out->children)
        return false;
    out->n_children = count;
    for (int64_t i = 0; i < count; i++) {
        out->children[i] = calloc(1, sizeof **out->children);
        if (!out->children[i] || !set_schema(list ? &element : &fields[i], out->children[i]))
            return false;
    }
    return true;
}

bool arrow_schema(const Column *columns, struct ArrowSchema *out)
{
    Column row = {.name = "", .kind = KIND_OBJECT, .fields = columns};
    if (set_schema(&row, out))
        return true;
    release_schema(out);
    return false;
}

/* ---- arrays ---- */

enum { VALIDITY, OFFSETS, VALUES = 1, LETTERS, MOST_BUFFERS };

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] && array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    for (int64_t i = 0; i < array->n_buffers; i++) {
        union {
            const void *given;
            void *own;
        } buffer = {array->buffers[i]};
        free(buffer.own);
    }
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

/* An array that is being made: of a column whose values are there from definition level `definition` + 1 on. Inside of lists,
 * entries below `least` are places without an element: they are no values of the column, not even null. */
typedef struct Place {
    const Column *column;
    uint8_t definition, repetition, least;
} Place;

typedef struct Maker {
    struct ArrowArray *array;
    Text buffers[MOST_BUFFERS];
} Maker;

static bool begins_value(const Leaf *leaf, uint32_t entry, const Place *place)
{
    return (uint8_t)leaf->repetitions.data[entry] <= place->repetition &&
           (uint8_t)leaf->definitions.data[entry] >= place->least;
}

static void add_offset(Maker *maker, size_t offset)
{
    int32_t number = (int32_t)offset; /* give_buffers refuses what is too long for one */
    text_add(&maker->buffers[OFFSETS], (const char *)&number, sizeof number);
}

static void add_bit(Text *bits, int64_t at, bool value)
{
    if (at % 8 == 0)
        text_char(bits, 0);
    if (value && !bits->failed)
        bits->data[at / 8] = (char)((uint8_t)bits->data[at / 8] | 1u << at % 8);
}

/* One value of a leaf, or what stands for one that is missing; *at goes on. */
static void add_scalar(Maker *maker, const Leaf *leaf, size_t *at, bool there)
{
    static const char nothing[8];
    const char *from = there ? leaf->data.data + *at : nothing;
    uint32_t len = 0;
    switch (leaf->kind) {
    case KIND_TEXT:
        if (there)
            memcpy(&len, from, sizeof len);
        text_add(&maker->buffers[LETTERS], from + 4, len);
        add_offset(maker, maker->buffers[LETTERS].len);
        *at += there ? 4 + (size_t)len : 0;
        break;
    case KIND_BOOL:
        add_bit(&maker->buffers[VALUES], maker->array->length, *from != 0);
        *at += there;
        break;
    default:
        text_add(&maker->buffers[VALUES], from, 8);
        *at += there ? 8 : 0;
        break;
    }
}

static void add_validity(Maker *maker, bool there)
{
    add_bit(&maker->buffers[VALIDITY], maker->array->length, there);
    maker->array->null_count += !there;
}

static void add_scalars(Maker *maker, const Leaf *leaf, const Place *place)
{
    size_t at = 0;
    if (leaf->kind == KIND_TEXT)
        add_offset(maker, 0);
    for (uint32_t entry = 0; entry < leaf->entries; entry++) {
        if (!begins_value(leaf, entry, place))
            continue;
        bool there = (uint8_t)leaf->definitions.data[entry] > place->definition;
        add_validity(maker, there);
        add_scalar(maker, leaf, &at, there);
        maker->array->length++;
    }
}

/* Which values of an object are there: its first leaf says it. */
static void add_objects(Maker *maker, const Leaf *leaf, const Place *place)
{
    for (uint32_t entry = 0; entry < leaf->entries; entry++)
        if (begins_value(leaf, entry, place)) {
            add_validity(maker, (uint8_t)leaf->definitions.data[entry] > place->definition);
            maker->array->length++;
        }
}

/* Where the elements of each list end. */
static void add_lists(Maker *maker, const Leaf *leaf, const Place *place, const Place *element)
{
    size_t elements = 0;
    for (uint32_t entry = 0; entry < leaf->entries; entry++) {
        if (begins_value(leaf, entry, place)) {
            add_offset(maker, elements);
            add_validity(maker, (uint8_t)leaf->definitions.data[entry] > place->definition);
            maker->array->length++;
        }
        elements += begins_value(leaf, entry, element);
    }
    add_offset(maker, elements);
}

/* The texts become the array's buffers. */
static bool give_buffers(Maker *maker, int64_t count)
{
    struct ArrowArray *array = maker->array;
    bool fine = true;
    if (!array->null_count) /* then there is no need for it */
        text_free(&maker->buffers[VALIDITY]);
    for (int64_t i = 0; i < MOST_BUFFERS; i++)
        fine = fine && !maker->buffers[i].failed && maker->buffers[i].len <= INT32_MAX;
    for (int64_t i = array->null_count ? VALIDITY : VALUES; fine && i < count; i++)
        fine = text_reserve(&maker->buffers[i], 8); /* an address also where it is empty */
    array->buffers = fine ? calloc((size_t)count, sizeof *array->buffers) : NULL;
    if (!array->buffers) {
        for (int64_t i = 0; i < MOST_BUFFERS; i++)
            text_free(&maker->buffers[i]);
        return false;
    }
    for (; array->n_buffers < count; array->n_buffers++)
        array->buffers[array->n_buffers] = maker->buffers[array->n_buffers].data;
    return true;
}

static bool make_array(const Leaf **leaf, const Place *place, struct ArrowArray *out);

static bool make_children(const Leaf **leaf, const Place *first, int64_t count, struct ArrowArray *out)
{
    Place place = *first;
    out->children = calloc((size_t)count, sizeof *out->children);
    if (!out->children)
        return false;
    out->n_children = count;
    for (int64_t i = 0; i < count; i++, place.column++) {
        out->children[i] = calloc(1, sizeof **out->children);
        if (!out->children[i] || !make_array(leaf, &place, out->children[i]))
            return false;
    }
    return true;
}

/* *leaf is the first one of the column, and then the one behind its last. */
static bool make_array(const Leaf **leaf, const Place *place, struct ArrowArray *out)
{
    const Column *column = place->column;
    Maker maker = {.array = out};
    *out = (struct ArrowArray){.release = release_array};
    for (int i = 0; i < MOST_BUFFERS; i++)
        text_init(&maker.buffers[i]);
    if (is_list_kind(column->kind)) {
        Column element = element_of(column);
        Place inner = {&element, (uint8_t)(place->definition + 2), (uint8_t)(place->repetition + 1),
                       (uint8_t)(place->definition + 3)};
        add_lists(&maker, *leaf, place, &inner);
        return give_buffers(&maker, 2) && make_children(leaf, &inner, 1, out);
    }
    if (column->fields) {
        Place inner = {column->fields, (uint8_t)(place->definition + 1), place->repetition, place->least};
        add_objects(&maker, *leaf, place);
        return give_buffers(&maker, 1) && make_children(leaf, &inner, count_columns(column->fields), out);
    }
    add_scalars(&maker, *leaf, place);
    (*leaf)++;
    return give_buffers(&maker, column->kind == KIND_TEXT ? 3 : 2);
}

bool arrow_batch(const Leaves *leaves, struct ArrowArray *out)
{
    const Leaf *leaf = leaves->items;
    Place columns = {.column = leaves->columns};
    *out = (struct ArrowArray){.length = leaves->rows, .release = release_array};
    Maker rows = {.array = out};
    if (give_buffers(&rows, 1) && make_children(&leaf, &columns, count_columns(leaves->columns), out))
        return true;
    release_array(out);
    return false;
}

/* ---- streams ---- */

enum { BATCH_ROWS = 512, ROWS_PER_QUESTION = 16 };

typedef struct Source {
    RecordStream *records;
    ColumnList columns;
    Leaves leaves;
    CorpusError error;
    bool (*interrupted)(void); /* NULL: never */
} Source;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const Source *source = stream->private_data;
    return arrow_schema(source->columns, out) ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    Source *source = stream->private_data;
    const char *line;
    size_t len;
    StreamNext next = STREAM_RECORD;
    *out = (struct ArrowArray){0};
    source->error.message[0] = 0;
    leaves_clear(&source->leaves);
    while (source->leaves.rows < BATCH_ROWS && next != STREAM_END) {
        bool asks = next == STREAM_LATER || source->leaves.rows % ROWS_PER_QUESTION == 0;
        if (asks && source->interrupted && source->interrupted()) {
            snprintf(source->error.message, sizeof source->error.message, "interrupted");
            return EINTR;
        }
        next = stream_next(source->records, 0.1, &line, &len, &source->error);
        if (next == STREAM_RECORD && !leaves_add(&source->leaves, line)) {
            snprintf(source->error.message, sizeof source->error.message, "a record is not as weft writes it");
            return EINVAL;
        }
        if (next == STREAM_FAILED)
            return EIO;
    }
    if (!source->leaves.rows || arrow_batch(&source->leaves, out))
        return 0;
    snprintf(source->error.message, sizeof source->error.message, "out of memory");
    return ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const Source *source = stream->private_data;
    return source->error.message[0] ? source->error.message : NULL;
}

static void release_source(struct ArrowArrayStream *stream)
{
    Source *source = stream->private_data;
    stream_free(source->records);
    leaves_free(&source->leaves);
    free(source);
    stream->release = NULL;
}

bool arrow_stream(RecordStream *records, bool (*interrupted)(void), struct ArrowArrayStream *out)
{
    Source *source = calloc(1, sizeof *source);
    if (source)
        stream_columns(records, source->columns);
    if (!source || !leaves_init(&source->leaves, source->columns)) {
        free(source);
        return false;
    }
    source->records = records;
    source->interrupted = interrupted;
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_source, source};
    return true;
}
