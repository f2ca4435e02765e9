/* What is in a Parquet file, read as the format says, with nothing of weft's own reader: the footer, every page, statistics.
 * https://parquet.apache.org/docs/file-format/ and the compact protocol of Thrift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/parquet.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

/* ---- Thrift as text: {1: 2, 3: 'a', 4: [5, 6]} ---- */

typedef struct Bytes {
    const char *at, *end;
} Bytes;

enum { MOST_SIZES = 1000 };

/* Offsets and sizes depend on the version of zstd: they are shown as # and kept, to be held against one another. */
typedef struct Dump {
    Bytes in;
    Text out;
    const char *const *hidden; /* paths of field numbers; ends with NULL */
    uint64_t sizes[MOST_SIZES];
    uint32_t size_count;
} Dump;

static unsigned take_byte(Bytes *in)
{
    assert_true(in->at < in->end);
    return (unsigned char)*in->at++;
}

static uint64_t take_varint(Bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned byte = take_byte(in);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

__attribute__((format(printf, 2, 3))) static void say(Text *out, const char *format, ...)
{
    char line[200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_str(out, line);
}

static void say_bytes(Text *out, const char *bytes, size_t len)
{
    text_char(out, '\'');
    for (size_t i = 0; i < len; i++)
        say(out, bytes[i] >= ' ' && bytes[i] < 0x7f ? "%c" : "<%02x>", (unsigned char)bytes[i]);
    text_char(out, '\'');
}

static void dump_struct(Dump *dump, const char *path);

static void dump_value(Dump *dump, unsigned type, const char *path)
{
    uint64_t number;
    unsigned head;
    switch (type) {
    case 4:
    case 5:
    case 6:
        number = take_varint(&dump->in);
        number = number >> 1 ^ -(number & 1);
        for (const char *const *hidden = dump->hidden; *hidden; hidden++)
            if (strcmp(*hidden, path) == 0) {
                assert_true(dump->size_count < MOST_SIZES);
                dump->sizes[dump->size_count++] = number;
                text_char(&dump->out, '#');
                return;
            }
        say(&dump->out, "%lld", (long long)number);
        break;
    case 8:
        number = take_varint(&dump->in);
        assert_true(number <= (size_t)(dump->in.end - dump->in.at));
        say_bytes(&dump->out, dump->in.at, number);
        dump->in.at += number;
        break;
    case 9:
        head = take_byte(&dump->in);
        number = head >> 4 == 15 ? take_varint(&dump->in) : head >> 4;
        assert_true(head >> 4 < 15 || number >= 15);
        text_char(&dump->out, '[');
        for (uint64_t i = 0; i < number; i++) {
            text_str(&dump->out, i ? ", " : "");
            dump_value(dump, head & 15, path);
        }
        text_char(&dump->out, ']');
        break;
    case 12: dump_struct(dump, path); break;
    default: fail_msg("type %u at %s", type, path);
    }
}

static void dump_struct(Dump *dump, const char *path)
{
    unsigned field = 0;
    text_char(&dump->out, '{');
    for (unsigned head; (head = take_byte(&dump->in)) != 0;) {
        char inner[40];
        assert_int_not_equal(head >> 4, 0);
        say(&dump->out, field ? ", %u: " : "%u: ", field + (head >> 4));
        field += head >> 4;
        snprintf(inner, sizeof inner, "%s.%u", path, field);
        dump_value(dump, head & 15, inner);
    }
    text_char(&dump->out, '}');
}

/* ---- a file ---- */

typedef struct Parts {
    Text file;
    Dump footer;
    Text pages; /* a line for each */
} Parts;

/* Runs of levels: 2x0 1x3. */
static void dump_levels(Bytes *in, Text *out, uint64_t entries)
{
    uint32_t len;
    assert_true(in->end - in->at >= 4);
    memcpy(&len, in->at, 4);
    in->at += 4;
    assert_true(len <= (size_t)(in->end - in->at));
    Bytes runs = {in->at, in->at + len};
    in->at += len;
    while (runs.at < runs.end) {
        uint64_t head = take_varint(&runs);
        assert_int_equal(head & 1, 0); /* a run, not packed */
        assert_true(head >> 1 && head >> 1 <= entries);
        entries -= head >> 1;
        say(out, "%llux%u ", (unsigned long long)(head >> 1), take_byte(&runs));
    }
    assert_int_equal(entries, 0);
}

static void dump_values(Bytes *in, ColumnKind kind, Text *out)
{
    while (in->at < in->end) {
        uint32_t len = 8;
        int64_t whole;
        double real;
        if (kind == KIND_BOOL) {
            say(out, "%02x ", take_byte(in));
            continue;
        }
        if (kind == KIND_TEXT) {
            assert_true(in->end - in->at >= 4);
            memcpy(&len, in->at, 4);
            in->at += 4;
        }
        assert_true(len <= (size_t)(in->end - in->at));
        memcpy(&whole, in->at, kind == KIND_TEXT ? 0 : 8);
        memcpy(&real, in->at, kind == KIND_TEXT ? 0 : 8);
        if (kind == KIND_TEXT)
            say_bytes(out, in->at, len);
        else if (kind == KIND_INT)
            say(out, "%lld", (long long)whole);
        else
            say(out, "%.17g", real);
        text_char(out, ' ');
        in->at += len;
    }
}

/* The page at an offset; returns what is behind it, and in `whole` its size before compression, with the header. */
static uint64_t dump_page(Parts *parts, const Leaf *leaf, uint64_t offset, uint64_t *whole)
{
    static const char *const hidden[] = {".2", ".3", NULL};
    Dump header = {.in = {parts->file.data + offset, parts->file.data + parts->file.len}, .hidden = hidden};
    text_init(&header.out);
    dump_struct(&header, "");
    assert_int_equal(header.size_count, 2);
    size_t head = (size_t)(header.in.at - parts->file.data) - offset, len = header.sizes[0];
    char *page = malloc(len + 1);
    assert_non_null(page);
    assert_int_equal(ZSTD_decompress(page, len, header.in.at, header.sizes[1]), len);
    Bytes in = {page, page + len};
    unsigned entries = 0;
    assert_int_equal(sscanf(text_cstr(&header.out), "{1: 0, 2: #, 3: #, 5: {1: %u, 2: 0, 3: 3, 4: 3}}", &entries), 1);
    say(&parts->pages, "%s ", text_cstr(&header.out) + strlen("{1: 0, 2: #, 3: #, 5: "));
    if (leaf->most_repetition) {
        text_lit(&parts->pages, "r ");
        dump_levels(&in, &parts->pages, entries);
    }
    text_lit(&parts->pages, "d ");
    dump_levels(&in, &parts->pages, entries);
    text_lit(&parts->pages, "= ");
    dump_values(&in, leaf->kind, &parts->pages);
    text_char(&parts->pages, '\n');
    free(page);
    text_free(&header.out);
    *whole = head + len;
    return offset + head + header.sizes[1];
}

/* Every group follows the one before it, every page too, and the sizes that the footer gives are theirs. */
static void dump_pages(Parts *parts, const ParquetFile *file)
{
    const uint64_t *size = parts->footer.sizes;
    uint64_t offset = strlen(PARQUET_MAGIC);
    for (uint32_t group = 0; group < file->group_count; group++) {
        uint64_t begin = offset, all = 0;
        for (uint32_t i = 0; i < file->leaves.count; i++, size += 4) {
            uint64_t whole, next = dump_page(parts, &file->leaves.items[i], offset, &whole);
            assert_int_equal(size[0], offset);
            assert_int_equal(size[1], whole);
            assert_int_equal(size[2], next - offset);
            assert_int_equal(size[3], offset);
            offset = next;
            all += whole;
        }
        assert_int_equal(size[0], all);
        assert_int_equal(size[1], begin);
        assert_int_equal(size[2], offset - begin);
        size += 3;
    }
    assert_int_equal(size - parts->footer.sizes, parts->footer.size_count);
    uint32_t len;
    memcpy(&len, parts->file.data + parts->file.len - 8, sizeof len);
    assert_int_equal(offset + len + 8, parts->file.len);
}

/* Lines up to NULL are a group; another NULL ends the file. */
static Parts take_apart(const Column *columns, const char *const *lines)
{
    static const char *const hidden[] = {".4.1.2", ".4.1.3.6", ".4.1.3.7", ".4.1.3.9", ".4.2", ".4.5", ".4.6", NULL};
    ParquetFile file;
    Parts parts = {.footer = {.hidden = hidden}};
    text_init(&parts.file);
    text_init(&parts.footer.out);
    text_init(&parts.pages);
    assert_true(parquet_init(&file, columns));
    parquet_begin(&file);
    text_lit(&parts.file, PARQUET_MAGIC);
    for (; *lines; lines++) {
        for (; *lines; lines++)
            assert_true(leaves_add(&file.leaves, *lines));
        assert_true(parquet_add_group(&file, &parts.file));
    }
    parquet_end(&file, &parts.file);
    assert_false(parts.file.failed);
    uint32_t len;
    const char *end = parts.file.data + parts.file.len - 8;
    assert_memory_equal(end + 4, "PAR1", 4);
    memcpy(&len, end, sizeof len);
    parts.footer.in = (Bytes){end - len, end};
    dump_struct(&parts.footer, "");
    assert_ptr_equal(parts.footer.in.at, end);
    dump_pages(&parts, &file);
    parquet_free(&file);
    return parts;
}

static void free_parts(Parts *parts)
{
    text_free(&parts->file);
    text_free(&parts->footer.out);
    text_free(&parts->pages);
}

/* ---- a schema with everything in it ---- */

static const Column pair_fields[] = {
    {"name", KIND_TEXT, false, "", NULL},
    {"sizes", KIND_INTS, true, "", NULL},
    {NULL, KIND_TEXT, false, NULL, NULL},
};
static const Column columns[] = {
    {"number", KIND_INT, false, "", NULL},        {"flag", KIND_BOOL, true, "", NULL},
    {"floats", KIND_FLOATS, true, "", NULL},      {"pairs", KIND_OBJECTS, true, "", pair_fields},
    {"one", KIND_OBJECT, false, "", pair_fields}, {NULL, KIND_TEXT, false, NULL, NULL},
};

#define LINE(number, flag, floats, pairs, one)                                                                         \
    "{\"number\": " number ", \"flag\": " flag ", \"floats\": " floats ", \"pairs\": " pairs ", \"one\": " one "}"

static const char *const lines[] = {
    LINE("3", "true", "[0.5, -2.0]", "[{\"name\": \"x\", \"sizes\": [1, 2]}, {\"name\": \"\", \"sizes\": null}]",
         "{\"name\": \"b\", \"sizes\": []}"),
    LINE("-7", "null", "[]", "null", "{\"name\": \"a\\n\", \"sizes\": [300]}"),
    LINE("5", "false", "null", "[]", "{\"name\": \"c\", \"sizes\": null}"),
    NULL,
    LINE("1", "true", "[1.5]", "[{\"name\": \"y\", \"sizes\": []}]", "{\"name\": \"d\", \"sizes\": [-1, 1]}"),
    NULL,
    NULL,
};

static void test_everything_is_there(void **state)
{
    static const char footer[] =
        "{1: 2, 2: [{4: 'schema', 5: 5}, "
        "{1: 2, 3: 1, 4: 'number'}, "
        "{1: 0, 3: 1, 4: 'flag'}, "
        "{3: 1, 4: 'floats', 5: 1, 6: 3, 10: {3: {}}}, "
        "{3: 2, 4: 'list', 5: 1}, "
        "{1: 5, 3: 1, 4: 'element'}, "
        "{3: 1, 4: 'pairs', 5: 1, 6: 3, 10: {3: {}}}, "
        "{3: 2, 4: 'list', 5: 1}, "
        "{3: 1, 4: 'element', 5: 2}, "
        "{1: 6, 3: 1, 4: 'name', 6: 0, 10: {1: {}}}, "
        "{3: 1, 4: 'sizes', 5: 1, 6: 3, 10: {3: {}}}, "
        "{3: 2, 4: 'list', 5: 1}, "
        "{1: 2, 3: 1, 4: 'element'}, "
        "{3: 1, 4: 'one', 5: 2}, "
        "{1: 6, 3: 1, 4: 'name', 6: 0, 10: {1: {}}}, "
        "{3: 1, 4: 'sizes', 5: 1, 6: 3, 10: {3: {}}}, "
        "{3: 2, 4: 'list', 5: 1}, "
        "{1: 2, 3: 1, 4: 'element'}], "
        "3: 4, 4: ["
        "{1: [{2: #, 3: {1: 2, 2: [0, 3], 3: ['number'], 4: 6, 5: 3, 6: #, 7: #, 9: #, 12: {3: 0, 5: "
        "'<05><00><00><00><00><00><00><00>', 6: '<f9><ff><ff><ff><ff><ff><ff><ff>'}}}, "
        "{2: #, 3: {1: 0, 2: [0, 3], 3: ['flag'], 4: 6, 5: 3, 6: #, 7: #, 9: #, 12: {3: 1, 5: '<01>', 6: '<00>'}}}, "
        "{2: #, 3: {1: 5, 2: [0, 3], 3: ['floats', 'list', 'element'], 4: 6, 5: 4, 6: #, 7: #, 9: #, 12: {3: 2, 5: "
        "'<00><00><00><00><00><00><e0>?', 6: '<00><00><00><00><00><00><00><c0>'}}}, "
        "{2: #, 3: {1: 6, 2: [0, 3], 3: ['pairs', 'list', 'element', 'name'], 4: 6, 5: 4, 6: #, 7: #, 9: #, 12: {3: 2, "
        "5: 'x', 6: ''}}}, "
        "{2: #, 3: {1: 2, 2: [0, 3], 3: ['pairs', 'list', 'element', 'sizes', 'list', 'element'], 4: 6, 5: 5, 6: #, 7: "
        "#, 9: #, 12: {3: 3, 5: '<02><00><00><00><00><00><00><00>', 6: '<01><00><00><00><00><00><00><00>'}}}, "
        "{2: #, 3: {1: 6, 2: [0, 3], 3: ['one', 'name'], 4: 6, 5: 3, 6: #, 7: #, 9: #, 12: {3: 0, 5: 'c', 6: "
        "'a<0a>'}}}, "
        "{2: #, 3: {1: 2, 2: [0, 3], 3: ['one', 'sizes', 'list', 'element'], 4: 6, 5: 3, 6: #, 7: #, 9: #, 12: {3: 2, "
        "5: ',<01><00><00><00><00><00><00>', 6: ',<01><00><00><00><00><00><00>'}}}], 2: #, 3: 3, 5: #, 6: #}, {1: [{2: "
        "#, 3: {1: 2, 2: [0, 3], 3: ['number'], 4: 6, 5: 1, 6: #, 7: #, 9: #, 12: {3: 0, 5: "
        "'<01><00><00><00><00><00><00><00>', 6: '<01><00><00><00><00><00><00><00>'}}}, "
        "{2: #, 3: {1: 0, 2: [0, 3], 3: ['flag'], 4: 6, 5: 1, 6: #, 7: #, 9: #, 12: {3: 0, 5: '<01>', 6: '<01>'}}}, "
        "{2: #, 3: {1: 5, 2: [0, 3], 3: ['floats', 'list', 'element'], 4: 6, 5: 1, 6: #, 7: #, 9: #, 12: {3: 0, 5: "
        "'<00><00><00><00><00><00><f8>?', 6: '<00><00><00><00><00><00><f8>?'}}}, "
        "{2: #, 3: {1: 6, 2: [0, 3], 3: ['pairs', 'list', 'element', 'name'], 4: 6, 5: 1, 6: #, 7: #, 9: #, 12: {3: 0, "
        "5: 'y', 6: 'y'}}}, "
        "{2: #, 3: {1: 2, 2: [0, 3], 3: ['pairs', 'list', 'element', 'sizes', 'list', 'element'], 4: 6, 5: 1, 6: #, 7: "
        "#, 9: #, 12: {3: 1}}}, "
        "{2: #, 3: {1: 6, 2: [0, 3], 3: ['one', 'name'], 4: 6, 5: 1, 6: #, 7: #, 9: #, 12: {3: 0, 5: 'd', 6: 'd'}}}, "
        "{2: #, 3: {1: 2, 2: [0, 3], 3: ['one', 'sizes', 'list', 'element'], 4: 6, 5: 2, 6: #, 7: #, 9: #, 12: {3: 0, "
        "5: '<01><00><00><00><00><00><00><00>', 6: '<ff><ff><ff><ff><ff><ff><ff><ff>'}}}], 2: #, 3: 1, 5: #, 6: #}], "
        "6: 'weft version 3.0.0 (build records)', 7: [{1: {}}, {1: {}}, {1: {}}, {1: {}}, {1: {}}, {1: {}}, {1: {}}]}";
    static const char pages[] = /* entries and encodings, levels, values */
        "{1: 3, 2: 0, 3: 3, 4: 3}} d 3x1 = 3 -7 5 \n"
        "{1: 3, 2: 0, 3: 3, 4: 3}} d 1x1 1x0 1x1 = 01 \n"
        "{1: 4, 2: 0, 3: 3, 4: 3}} r 1x0 1x1 2x0 d 2x3 1x1 1x0 = 0.5 -2 \n"
        "{1: 4, 2: 0, 3: 3, 4: 3}} r 1x0 1x1 2x0 d 2x4 1x0 1x1 = 'x' '' \n"
        "{1: 5, 2: 0, 3: 3, 4: 3}} r 1x0 1x2 1x1 2x0 d 2x6 1x3 1x0 1x1 = 1 2 \n"
        "{1: 3, 2: 0, 3: 3, 4: 3}} d 3x2 = 'b' 'a<0a>' 'c' \n"
        "{1: 3, 2: 0, 3: 3, 4: 3}} r 3x0 d 1x2 1x4 1x1 = 300 \n"
        "{1: 1, 2: 0, 3: 3, 4: 3}} d 1x1 = 1 \n"
        "{1: 1, 2: 0, 3: 3, 4: 3}} d 1x1 = 01 \n"
        "{1: 1, 2: 0, 3: 3, 4: 3}} r 1x0 d 1x3 = 1.5 \n"
        "{1: 1, 2: 0, 3: 3, 4: 3}} r 1x0 d 1x4 = 'y' \n"
        "{1: 1, 2: 0, 3: 3, 4: 3}} r 1x0 d 1x4 = \n"
        "{1: 1, 2: 0, 3: 3, 4: 3}} d 1x2 = 'd' \n"
        "{1: 2, 2: 0, 3: 3, 4: 3}} r 1x0 1x1 d 2x4 = -1 1 \n";
    (void)state;
    Parts parts = take_apart(columns, lines);
    assert_string_equal(text_cstr(&parts.footer.out), footer);
    assert_string_equal(text_cstr(&parts.pages), pages);
    free_parts(&parts);
}

/* ---- what is least and greatest ---- */

#define TEXT_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const Column text_column[] = {{"a", KIND_TEXT, true, "", NULL}, {NULL, KIND_TEXT, false, NULL, NULL}};
static const Column int_column[] = {{"a", KIND_INT, true, "", NULL}, {NULL, KIND_TEXT, false, NULL, NULL}};
static const Column float_column[] = {{"a", KIND_FLOAT, true, "", NULL}, {NULL, KIND_TEXT, false, NULL, NULL}};
static const Column bool_column[] = {{"a", KIND_BOOL, true, "", NULL}, {NULL, KIND_TEXT, false, NULL, NULL}};

static void check_bounds(const Column *column, const char *values, const char *expected)
{
    char line[12][100], list[400];
    const char *group[14] = {NULL};
    int count = 0;
    snprintf(list, sizeof list, "%s", values);
    for (char *at = strtok(list, " "); at; at = strtok(NULL, " ")) {
        snprintf(line[count], sizeof *line, "{\"a\": %s}", at);
        group[count] = line[count];
        count++;
    }
    Parts parts = take_apart(column, group);
    const char *said = strstr(text_cstr(&parts.footer.out), "12: ");
    assert_non_null(said);
    size_t len = strcspn(said + strlen("12: "), "}");
    char statistics[300];
    snprintf(statistics, sizeof statistics, "%.*s", (int)len - 1, said + strlen("12: {"));
    assert_string_equal(statistics, expected);
    free_parts(&parts);
}

static void test_bounds(void **state)
{
    (void)state;
    check_bounds(text_column, "\"b\" \"ab\" null \"a\" \"ba\"", "3: 1, 5: 'ba', 6: 'a'");
    check_bounds(text_column, "\"ba\" \"a\" \"ab\" \"b\"", "3: 0, 5: 'ba', 6: 'a'");
    check_bounds(text_column, "\"z\" \"\"", "3: 0, 5: 'z', 6: ''");
    check_bounds(text_column, "\"z\" \"\xc3\xa9\"", "3: 0, 5: '<c3><a9>', 6: 'z'");
    check_bounds(text_column, "null null", "3: 2");
    check_bounds(text_column, "\"" TEXT_64 "\" \"b\"", "3: 0, 5: 'b', 6: '" TEXT_64 "'");
    check_bounds(text_column, "\"" TEXT_64 "x\" \"b\"", "3: 0");
    check_bounds(text_column, "\"z" TEXT_64 "\" \"b\"", "3: 0");
    check_bounds(text_column, "\"b" TEXT_64 "\" \"a\" \"c\"", "3: 0, 5: 'c', 6: 'a'");
    check_bounds(int_column, "258 -2 null 7",
                 "3: 1, 5: '<02><01><00><00><00><00><00><00>', 6: '<fe><ff><ff><ff><ff><ff><ff><ff>'");
    check_bounds(int_column, "1 256",
                 "3: 0, 5: '<00><01><00><00><00><00><00><00>', 6: '<01><00><00><00><00><00><00><00>'");
    check_bounds(float_column, "1.0 -2.0 0.5",
                 "3: 0, 5: '<00><00><00><00><00><00><f0>?', 6: '<00><00><00><00><00><00><00><c0>'");
    check_bounds(float_column, "-1.0 -2.0",
                 "3: 0, 5: '<00><00><00><00><00><00><f0><bf>', 6: '<00><00><00><00><00><00><00><c0>'");
    check_bounds(float_column, "0.0 1.0",
                 "3: 0, 5: '<00><00><00><00><00><00><f0>?', 6: '<00><00><00><00><00><00><00><80>'");
    check_bounds(float_column, "-1.0 -0.0",
                 "3: 0, 5: '<00><00><00><00><00><00><00><00>', 6: '<00><00><00><00><00><00><f0><bf>'");
    check_bounds(float_column, "0.0 null",
                 "3: 1, 5: '<00><00><00><00><00><00><00><00>', 6: '<00><00><00><00><00><00><00><80>'");
    check_bounds(float_column, "null", "3: 1");
    check_bounds(bool_column, "true null true", "3: 1, 5: '<01>', 6: '<01>'");
    check_bounds(bool_column, "false false", "3: 0, 5: '<00>', 6: '<00>'");
    check_bounds(bool_column, "true false", "3: 0, 5: '<01>', 6: '<00>'");
}

/* Eight booleans to a byte, the first in the lowest bit. */
static void test_bits(void **state)
{
    static const char *const rows[] = {
        "{\"a\": true}",
        "{\"a\": false}",
        "{\"a\": false}",
        "{\"a\": true}",
        "{\"a\": true}",
        "{\"a\": null}",
        "{\"a\": true}",
        "{\"a\": false}",
        "{\"a\": true}",
        "{\"a\": false}",
        "{\"a\": true}",
        NULL,
        NULL,
    };
    (void)state;
    Parts parts = take_apart(bool_column, rows);
    assert_string_equal(text_cstr(&parts.pages), "{1: 11, 2: 0, 3: 3, 4: 3}} d 5x1 1x0 5x1 = b9 02 \n");
    free_parts(&parts);
}

/* 130 rows, whose number takes two bytes, and as many groups. */
static void test_many_groups(void **state)
{
    static const char *rows[2 * 130 + 1];
    (void)state;
    for (size_t i = 0; i < 130; i++)
        rows[2 * i] = "{\"a\": 5}";
    Parts parts = take_apart(int_column, rows);
    const char *said = text_cstr(&parts.footer.out);
    assert_memory_equal(said, "{1: 2, 2: [{4: 'schema', 5: 1}, {1: 2, 3: 1, 4: 'a'}], 3: 130, 4: [{", 68);
    assert_int_equal(parts.footer.size_count, 130 * 7);
    free_parts(&parts);
    Parts one = take_apart(int_column, (const char *const[]){rows[0], rows[0], rows[0], NULL, NULL});
    assert_string_equal(text_cstr(&one.pages), "{1: 3, 2: 0, 3: 3, 4: 3}} d 3x1 = 5 5 5 \n");
    free_parts(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_there),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_many_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
