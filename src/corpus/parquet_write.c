/* Parquet files: pages, row groups, the footer. Structures are written in the compact protocol of Thrift, as the format asks for:
 * https://parquet.apache.org/docs/file-format/ */
#include "corpus/parquet.h"

#include <math.h>
#include <stdio.h>
#include <zstd.h>

enum {
    COMPRESSION_LEVEL =
        1, /* as for lines; level 3 takes the same time and 7 % more room, level 5 a quarter more time and 4 % less room */
    LONGEST_BOUND = 64, /* a least or greatest text that is longer is left out */
    LONGEST_PATH = 12,
};

/* Numbers that the format has given to types, encodings and the like. */
enum { PARQUET_BOOLEAN = 0, PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_BYTES = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RUNS = 3, CODEC_ZSTD = 6 };
enum { OPTIONAL = 1, REPEATED = 2 };

/* ---- Thrift ---- */

typedef enum ThriftType {
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BYTES = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12
} ThriftType;

static void put_varint(Text *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_char(out, (char)(value | 0x80));
    text_char(out, (char)value);
}

/* A field, `step` numbers behind the one before it. */
static void put_field(Text *out, unsigned step, ThriftType type)
{
    text_char(out, (char)(step << 4 | type));
}

static void put_number(Text *out, unsigned step, ThriftType type, uint64_t value)
{
    put_field(out, step, type);
    put_varint(out, value << 1); /* zigzag, of what is not negative */
}

static void put_bytes_field(Text *out, unsigned step, const char *bytes, size_t len)
{
    put_field(out, step, THRIFT_BYTES);
    put_varint(out, len);
    text_add(out, bytes, len);
}

static void put_list_of(Text *out, unsigned step, uint64_t count, ThriftType type)
{
    put_field(out, step, THRIFT_LIST);
    text_char(out, (char)((count < 15 ? count : 15) << 4 | type));
    if (count >= 15)
        put_varint(out, count);
}

static void put_stop(Text *out)
{
    text_char(out, 0);
}

/* ---- the schema ---- */

static unsigned physical_type(ColumnKind kind)
{
    return kind == KIND_TEXT   ? PARQUET_BYTES
           : kind == KIND_BOOL ? PARQUET_BOOLEAN
           : kind == KIND_INT  ? PARQUET_INT64
                               : PARQUET_DOUBLE;
}

typedef enum Meaning { MEANS_ITSELF = 0, MEANS_STRING = 1, MEANS_LIST = 3 } Meaning; /* the members of LogicalType */

/* An element of the schema: a leaf of a kind, or a group. */
static void put_schema(Text *out, const char *name, const ColumnKind *kind, unsigned repetition, uint32_t children,
                       Meaning meaning)
{
    unsigned last = 0;
    if (kind) {
        put_number(out, 1, THRIFT_I32, physical_type(*kind));
        last = 1;
    }
    put_number(out, 3 - last, THRIFT_I32, repetition);
    put_bytes_field(out, 1, name, strlen(name));
    last = 4;
    if (!kind) {
        put_number(out, 1, THRIFT_I32, children);
        last = 5;
    }
    if (meaning) {
        put_number(out, 6 - last, THRIFT_I32, meaning == MEANS_LIST ? 3 : 0);
        put_field(out, 4, THRIFT_STRUCT);
        put_field(out, meaning, THRIFT_STRUCT);
        put_stop(out);
        put_stop(out);
    }
    put_stop(out);
}

/* Every column may be null: so do the tools write it that people use, and compare schemas with. Returns how many elements. */
static uint32_t put_columns(Text *out, const Column *columns)
{
    uint32_t count = 0;
    for (const Column *column = columns; column->name; column++) {
        const char *name = column->name;
        if (is_list_kind(column->kind)) {
            put_schema(out, name, NULL, OPTIONAL, 1, MEANS_LIST);
            put_schema(out, "list", NULL, REPEATED, 1, MEANS_ITSELF);
            name = "element";
            count += 2;
        }
        count++;
        if (column->fields) {
            put_schema(out, name, NULL, OPTIONAL, count_columns(column->fields), MEANS_ITSELF);
            count += put_columns(out, column->fields);
        } else {
            ColumnKind kind = element_kind(column->kind);
            put_schema(out, name, &kind, OPTIONAL, 0, kind == KIND_TEXT ? MEANS_STRING : MEANS_ITSELF);
        }
    }
    return count;
}

/* Where the leaf of this number is: names, from the outermost on. */
static bool find_path(const Column *columns, uint32_t *number, const char **path, uint32_t *length)
{
    for (const Column *column = columns; column->name; column++) {
        uint32_t before = *length;
        path[(*length)++] = column->name;
        if (is_list_kind(column->kind)) {
            path[(*length)++] = "list";
            path[(*length)++] = "element";
        }
        if (column->fields ? find_path(column->fields, number, path, length) : !(*number)--)
            return true;
        *length = before;
    }
    return false;
}

/* ---- statistics ---- */

typedef struct Bounds {
    const char *least, *most;
    size_t least_len, most_len;
} Bounds;

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_values(ColumnKind kind, const char *a, size_t a_len, const char *b, size_t b_len)
{
    int64_t a_whole, b_whole;
    double a_real, b_real;
    switch (kind) {
    case KIND_INT:
        memcpy(&a_whole, a, sizeof a_whole);
        memcpy(&b_whole, b, sizeof b_whole);
        return (a_whole > b_whole) - (a_whole < b_whole);
    case KIND_FLOAT:
        memcpy(&a_real, a, sizeof a_real);
        memcpy(&b_real, b, sizeof b_real);
        return (a_real > b_real) - (a_real < b_real);
    default: return compare_bytes(a, a_len, b, b_len);
    }
}

static Bounds find_bounds(const Leaf *leaf)
{
    Bounds bounds = {0};
    size_t at = 0;
    for (uint32_t i = 0; i < leaf->values; i++) {
        uint32_t len = leaf->kind == KIND_BOOL ? 1 : 8;
        if (leaf->kind == KIND_TEXT) {
            memcpy(&len, leaf->data.data + at, sizeof len);
            at += 4;
        }
        const char *value = leaf->data.data + at;
        if (!i || compare_values(leaf->kind, value, len, bounds.least, bounds.least_len) < 0) {
            bounds.least = value;
            bounds.least_len = len;
        }
        if (!i || compare_values(leaf->kind, value, len, bounds.most, bounds.most_len) > 0) {
            bounds.most = value;
            bounds.most_len = len;
        }
        at += len;
    }
    return bounds;
}

static void put_statistics(Text *out, const Leaf *leaf)
{
    static const double negative_zero = -0.0, zero = 0.0;
    Bounds bounds = find_bounds(leaf);
    put_number(out, 3, THRIFT_I64, leaf->entries - leaf->values);
    if (leaf->values &&
        leaf->kind == KIND_FLOAT) { /* readers may not tell the two zeros apart: both are in the bounds */
        if (memcmp(bounds.least, &zero, sizeof zero) == 0)
            bounds.least = (const char *)&negative_zero;
        if (memcmp(bounds.most, &negative_zero, sizeof zero) == 0)
            bounds.most = (const char *)&zero;
    }
    if (leaf->values && bounds.least_len <= LONGEST_BOUND && bounds.most_len <= LONGEST_BOUND) {
        put_bytes_field(out, 2, bounds.most, bounds.most_len);
        put_bytes_field(out, 1, bounds.least, bounds.least_len);
    }
    put_stop(out);
}

/* ---- pages ---- */

static void put_u32(Text *out, size_t value)
{
    uint32_t bytes = (uint32_t)value;
    text_add(out, (const char *)&bytes, sizeof bytes);
}

/* Levels as runs, each its length and its value. */
static void put_levels(Text *out, const Text *levels)
{
    size_t start = out->len;
    put_u32(out, 0);
    for (size_t at = 0; at < levels->len;) {
        size_t end = at + 1;
        while (end < levels->len && levels->data[end] == levels->data[at])
            end++;
        put_varint(out, (uint64_t)(end - at) << 1);
        text_char(out, levels->data[at]);
        at = end;
    }
    uint32_t len = (uint32_t)(out->len - start - 4);
    if (!out->failed)
        memcpy(out->data + start, &len, sizeof len);
}

static void put_page(Text *out, const Leaf *leaf)
{
    if (leaf->most_repetition)
        put_levels(out, &leaf->repetitions);
    put_levels(out, &leaf->definitions);
    if (leaf->kind != KIND_BOOL) {
        text_add(out, leaf->data.data, leaf->data.len);
        return;
    }
    for (uint32_t i = 0; i < leaf->values; i += 8) {
        unsigned byte = 0;
        for (uint32_t bit = 0; bit < 8 && i + bit < leaf->values; bit++)
            byte |= (unsigned)leaf->data.data[i + bit] << bit;
        text_char(out, (char)byte);
    }
}

/* parquet_read.c reads just this. */
static void put_page_header(Text *out, const Leaf *leaf, size_t whole, size_t stored)
{
    put_number(out, 1, THRIFT_I32, 0); /* a data page */
    put_number(out, 1, THRIFT_I32, whole);
    put_number(out, 1, THRIFT_I32, stored);
    put_field(out, 2, THRIFT_STRUCT);
    put_number(out, 1, THRIFT_I32, leaf->entries);
    put_number(out, 1, THRIFT_I32, ENCODING_PLAIN);
    put_number(out, 1, THRIFT_I32, ENCODING_RUNS);
    put_number(out, 1, THRIFT_I32, ENCODING_RUNS);
    put_stop(out);
    put_stop(out);
}

typedef struct ParquetPage {
    uint64_t whole, stored; /* bytes, its header in both */
    size_t statistics;      /* bytes of them */
    uint32_t entries;
} ParquetPage;

/* The page of a leaf that comes next in the file. */
static void note_page(ParquetFile *file, uint32_t number, const ParquetPage *page, const char *statistics)
{
    const char *path[LONGEST_PATH];
    ColumnKind kind = file->leaves.items[number].kind;
    uint32_t length = 0;
    Text *out = &file->chunks;
    find_path(file->leaves.columns, &number, path, &length);
    put_number(out, 2, THRIFT_I64, file->offset);
    put_field(out, 1, THRIFT_STRUCT);
    put_number(out, 1, THRIFT_I32, physical_type(kind));
    put_list_of(out, 1, 2, THRIFT_I32);
    put_varint(out, ENCODING_PLAIN << 1);
    put_varint(out, ENCODING_RUNS << 1);
    put_list_of(out, 1, length, THRIFT_BYTES);
    for (uint32_t i = 0; i < length; i++) {
        put_varint(out, strlen(path[i]));
        text_str(out, path[i]);
    }
    put_number(out, 1, THRIFT_I32, CODEC_ZSTD);
    put_number(out, 1, THRIFT_I64, page->entries);
    put_number(out, 1, THRIFT_I64, page->whole);
    put_number(out, 1, THRIFT_I64, page->stored);
    put_number(out, 2, THRIFT_I64, file->offset); /* of the first data page, which is the only one */
    put_field(out, 3, THRIFT_STRUCT);
    text_add(out, statistics, page->statistics);
    put_stop(out);
    put_stop(out);
    file->offset += page->stored;
    file->group_bytes += page->whole;
}

void parquet_note_page(ParquetFile *file, const Leaf *leaf, uint32_t number, uint64_t whole, uint64_t stored)
{
    Text *statistics = &file->statistics;
    statistics->len = 0;
    put_statistics(statistics, leaf);
    text_fail_like(&file->chunks, statistics);
    if (!statistics->failed)
        note_page(file, number, &(ParquetPage){whole, stored, statistics->len, leaf->entries}, statistics->data);
}

static void end_group(ParquetFile *file, uint32_t rows)
{
    Text *out = &file->groups;
    put_list_of(out, 1, file->leaves.count, THRIFT_STRUCT);
    text_add(out, file->chunks.data, file->chunks.len);
    put_number(out, 1, THRIFT_I64, file->group_bytes);
    put_number(out, 1, THRIFT_I64, rows);
    put_number(out, 2, THRIFT_I64, file->group_start);
    put_number(out, 1, THRIFT_I64, file->offset - file->group_start);
    put_stop(out);
    file->chunks.len = 0;
    file->group_bytes = 0;
    file->group_start = file->offset;
    file->group_count++;
    file->rows += rows;
}

void parquet_note_group(ParquetFile *file)
{
    end_group(file, file->leaves.rows);
}

/* ---- files ---- */

bool parquet_init(ParquetFile *file, const Column *columns)
{
    *file = (ParquetFile){0};
    if (!leaves_init(&file->leaves, columns))
        return false;
    file->compressor = ZSTD_createCCtx();
    file->decompressor = ZSTD_createDCtx();
    if (!file->compressor || !file->decompressor)
        return false;
    ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
    ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_checksumFlag, 1);
    return true;
}

void parquet_free(ParquetFile *file)
{
    leaves_free(&file->leaves);
    ZSTD_freeCCtx(file->compressor);
    ZSTD_freeDCtx(file->decompressor);
    text_free(&file->groups);
    text_free(&file->chunks);
    text_free(&file->page);
    text_free(&file->packed);
    text_free(&file->statistics);
    parquet_group_free(&file->group);
}

void parquet_group_free(ParquetGroup *group)
{
    text_free(&group->pages);
    text_free(&group->statistics);
}

void parquet_begin(ParquetFile *file)
{
    leaves_clear(&file->leaves);
    file->offset = file->group_start = strlen(PARQUET_MAGIC);
    file->rows = file->group_count = 0;
    file->group_bytes = 0;
    file->groups.len = file->chunks.len = 0;
}

bool parquet_pack_group(ParquetFile *packer, Text *out, ParquetGroup *group)
{
    group->pages.len = group->statistics.len = 0;
    group->rows = packer->leaves.rows;
    for (uint32_t i = 0; i < packer->leaves.count; i++) {
        const Leaf *leaf = &packer->leaves.items[i];
        packer->page.len = packer->packed.len = 0;
        put_page(&packer->page, leaf);
        size_t room = ZSTD_compressBound(packer->page.len);
        if (packer->page.failed || !text_reserve(&packer->packed, room))
            return false;
        size_t len = ZSTD_compress2(packer->compressor, packer->packed.data, room, packer->page.data, packer->page.len);
        if (ZSTD_isError(len))
            return false;
        size_t start = out->len, before = group->statistics.len;
        put_page_header(out, leaf, packer->page.len, len);
        size_t header = out->len - start;
        text_add(out, packer->packed.data, len);
        put_statistics(&group->statistics, leaf);
        ParquetPage page = {header + packer->page.len, header + len, group->statistics.len - before, leaf->entries};
        text_add(&group->pages, (const char *)&page, sizeof page);
    }
    leaves_clear(&packer->leaves);
    return !out->failed && !group->pages.failed && !group->statistics.failed;
}

bool parquet_note_packed(ParquetFile *file, const ParquetGroup *group)
{
    const char *statistics = group->statistics.data;
    for (uint32_t i = 0; i < file->leaves.count; i++) {
        ParquetPage page;
        memcpy(&page, group->pages.data + i * sizeof page, sizeof page);
        note_page(file, i, &page, statistics);
        statistics += page.statistics;
    }
    end_group(file, group->rows);
    return !file->chunks.failed && !file->groups.failed;
}

bool parquet_add_group(ParquetFile *file, Text *out)
{
    return parquet_pack_group(file, out, &file->group) && parquet_note_packed(file, &file->group);
}

void parquet_end(const ParquetFile *file, Text *out)
{
    Text schema;
    size_t start = out->len;
    text_init(&schema);
    put_number(out, 1, THRIFT_I32, 2); /* the version of the format */
    uint32_t elements = put_columns(&schema, file->leaves.columns);
    put_list_of(out, 1, elements + 1, THRIFT_STRUCT);
    put_field(out, 4, THRIFT_BYTES); /* the root: a name and how many columns, nothing else */
    put_varint(out, strlen("schema"));
    text_lit(out, "schema");
    put_number(out, 1, THRIFT_I32, count_columns(file->leaves.columns));
    put_stop(out);
    text_add(out, schema.data, schema.len);
    put_number(out, 1, THRIFT_I64, file->rows);
    put_list_of(out, 1, file->group_count, THRIFT_STRUCT);
    text_add(out, file->groups.data, file->groups.len);
    char author[60]; /* programs read a version out of it; that of the records, since every weft writes them alike */
    int len = snprintf(author, sizeof author, "weft version %d.0.0 (build records)", RECORD_FORMAT);
    put_bytes_field(out, 2, author, (size_t)len);
    put_list_of(out, 1, file->leaves.count, THRIFT_STRUCT);
    for (uint32_t i = 0; i < file->leaves.count; i++) { /* least and greatest: as the type orders */
        put_field(out, 1, THRIFT_STRUCT);
        put_stop(out);
        put_stop(out);
    }
    put_stop(out);
    put_u32(out, out->len - start);
    text_lit(out, PARQUET_MAGIC);
    text_fail_like(out, &schema);
    text_free(&schema);
}
