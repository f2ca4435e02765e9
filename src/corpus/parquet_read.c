/* Parquet files that weft has written, page by page, and nothing else. */
#include "corpus/parquet.h"

#include "base/limits.h"

#include <zstd.h>

enum { MOST_ENTRIES = 1 << 26 }; /* of a page */

typedef struct PageReader {
    ParquetFile *file;
    ParquetSource *source;
    void *user;
    size_t header;   /* bytes of it that were read */
    uint64_t budget; /* bytes that this row group may still take in memory */
} PageReader;

/* ---- headers ---- */

static bool read_byte(PageReader *reader, uint8_t *byte)
{
    bool fine = reader->source(reader->user, (char *)byte, 1) == 1;
    reader->header += fine;
    return fine;
}

static bool read_expected(PageReader *reader, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint8_t byte;
        if (!read_byte(reader, &byte) || byte != (uint8_t)bytes[i])
            return false;
    }
    return true;
}

/* A number of a field of 32 bits, zigzag; no more than 31 bits are used. */
static bool read_number(PageReader *reader, uint32_t *number)
{
    uint64_t value = 0;
    uint8_t byte = 0x80;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        if (shift > 28 || !read_byte(reader, &byte))
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
    }
    *number = (uint32_t)(value >> 1);
    return !(value & 1) && value >> 1 <= INT32_MAX;
}

#define EXPECT(reader, bytes) read_expected(reader, bytes, sizeof(bytes) - 1)

/* As put_page_header of parquet_write.c writes it; its first two bytes are read already. */
static bool read_page_header(PageReader *reader, uint32_t *whole, uint32_t *stored, uint32_t *entries)
{
    return EXPECT(reader, "\x15") && read_number(reader, whole) && EXPECT(reader, "\x15") &&
           read_number(reader, stored) && EXPECT(reader, "\x2c\x15") && read_number(reader, entries) &&
           EXPECT(reader, "\x15\x00\x15\x06\x15\x06\x00\x00");
}

/* ---- pages ---- */

typedef struct Bytes {
    const char *at, *end;
} Bytes;

static bool take_u32(Bytes *bytes, uint32_t *value)
{
    if (bytes->end - bytes->at < 4)
        return false;
    memcpy(value, bytes->at, sizeof *value);
    bytes->at += 4;
    return true;
}

/* Runs, as many as there are entries. */
static bool read_levels(Bytes *page, uint32_t entries, uint8_t most, Text *out)
{
    uint32_t size, count = 0;
    out->len = 0;
    if (!take_u32(page, &size) || size > (size_t)(page->end - page->at))
        return false;
    Bytes runs = {page->at, page->at + size};
    page->at += size;
    while (runs.at < runs.end) {
        uint64_t length = 0;
        uint8_t byte = 0x80;
        for (unsigned shift = 0; byte & 0x80; shift += 7) {
            if (shift > 28 || runs.at == runs.end)
                return false;
            byte = (uint8_t)*runs.at++;
            length |= (uint64_t)(byte & 0x7f) << shift;
        }
        if (length & 1 || !length || length >> 1 > entries - count || runs.at == runs.end || (uint8_t)*runs.at > most)
            return false;
        text_pad(out, *runs.at++, length >> 1);
        count += (uint32_t)(length >> 1);
    }
    return count == entries;
}

static bool read_bits(const Bytes *page, Leaf *leaf)
{
    if ((size_t)(page->end - page->at) != (leaf->values + 7) / 8)
        return false;
    for (uint32_t i = 0; i < leaf->values; i++)
        text_char(&leaf->data, page->at[i / 8] >> i % 8 & 1);
    return true;
}

static bool read_values(Bytes *page, Leaf *leaf)
{
    leaf->data.len = 0;
    if (leaf->kind == KIND_BOOL)
        return read_bits(page, leaf);
    Bytes values = *page;
    if (leaf->kind == KIND_TEXT) {
        for (uint32_t i = 0, len; i < leaf->values; i++) {
            if (!take_u32(&values, &len) || len > (size_t)(values.end - values.at))
                return false;
            values.at += len;
        }
        if (values.at != values.end)
            return false;
    } else if ((uint64_t)(values.end - values.at) != (uint64_t)leaf->values * 8)
        return false;
    text_add(&leaf->data, page->at, (size_t)(page->end - page->at));
    return true;
}

static bool read_leaf(Bytes page, uint32_t entries, Leaf *leaf)
{
    leaf->entries = entries;
    if (leaf->most_repetition) {
        if (!read_levels(&page, entries, leaf->most_repetition, &leaf->repetitions))
            return false;
    } else {
        leaf->repetitions.len = 0;
        text_pad(&leaf->repetitions, 0, entries);
    }
    if (!read_levels(&page, entries, leaf->most_definition, &leaf->definitions) || leaf->definitions.failed)
        return false;
    for (uint32_t i = 0; i < entries; i++)
        leaf->values += (uint8_t)leaf->definitions.data[i] == leaf->most_definition;
    return read_values(&page, leaf);
}

/* Its first two bytes are read already. */
static ParquetRead read_page(PageReader *reader, uint32_t number)
{
    ParquetFile *file = reader->file;
    Leaf *leaf = &file->leaves.items[number];
    uint32_t whole, stored, entries;
    if (!read_page_header(reader, &whole, &stored, &entries) || entries > MOST_ENTRIES)
        return PARQUET_DAMAGED;
    uint64_t needed = (uint64_t)whole * 2 + stored + (uint64_t)entries * 2;
    if (needed > reader->budget)
        return PARQUET_DAMAGED;
    reader->budget -= needed;
    file->page.len = file->packed.len = 0;
    if (!text_reserve(&file->packed, stored + 1) || !text_reserve(&file->page, whole + 1))
        return PARQUET_NO_MEMORY;
    if (reader->source(reader->user, file->packed.data, stored) != stored)
        return PARQUET_DAMAGED;
    size_t got = ZSTD_decompressDCtx(file->decompressor, file->page.data, whole, file->packed.data, stored);
    if (ZSTD_isError(got) || got != whole ||
        !read_leaf((Bytes){file->page.data, file->page.data + whole}, entries, leaf))
        return PARQUET_DAMAGED;
    if (leaf->repetitions.failed || leaf->data.failed)
        return PARQUET_NO_MEMORY;
    parquet_note_page(file, leaf, number, reader->header + whole, reader->header + stored);
    return PARQUET_ROWS;
}

/* ---- files ---- */

/* How many rows there are, by a leaf: leaves_take finds out whether all agree. */
static uint32_t count_rows(const Leaf *leaf)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < leaf->entries; i++)
        rows += !leaf->repetitions.data[i];
    return rows;
}

static ParquetRead read_group(PageReader *reader)
{
    ParquetFile *file = reader->file;
    leaves_clear(&file->leaves);
    reader->budget = LIMIT_GROUP_BYTES;
    for (uint32_t i = 0; i < file->leaves.count; i++) {
        if (i) {
            reader->header = 0;
            if (!EXPECT(reader, "\x15\x00"))
                return PARQUET_DAMAGED;
        }
        ParquetRead outcome = read_page(reader, i);
        if (outcome != PARQUET_ROWS)
            return outcome;
    }
    file->leaves.rows = count_rows(&file->leaves.items[0]);
    if (!file->leaves.rows || file->leaves.rows > PARQUET_GROUP_ROWS)
        return PARQUET_DAMAGED;
    parquet_note_group(file);
    return file->groups.failed || file->chunks.failed ? PARQUET_NO_MEMORY : PARQUET_ROWS;
}

/* Its first two bytes are read already. */
static ParquetRead read_footer(PageReader *reader)
{
    Text expected;
    uint8_t more;
    text_init(&expected);
    parquet_end(reader->file, &expected);
    ParquetRead outcome = PARQUET_NO_MEMORY;
    if (!expected.failed)
        outcome = read_expected(reader, expected.data + 2, expected.len - 2) && !read_byte(reader, &more)
                      ? PARQUET_END
                      : PARQUET_DAMAGED;
    text_free(&expected);
    return outcome;
}

ParquetRead parquet_read(ParquetFile *file, ParquetSource *source, void *user)
{
    PageReader reader = {.file = file, .source = source, .user = user};
    bool beginning = !file->offset;
    uint8_t first, second;
    if (beginning)
        parquet_begin(file);
    if (!read_byte(&reader, &first))
        return PARQUET_CUT_OFF;
    if (beginning &&
        (first != PARQUET_MAGIC[0] || !read_expected(&reader, &PARQUET_MAGIC[1], strlen(PARQUET_MAGIC) - 1)))
        return PARQUET_DAMAGED;
    if (beginning && !read_byte(&reader, &first))
        return PARQUET_CUT_OFF;
    reader.header = 1;
    if (first != 0x15 || !read_byte(&reader, &second))
        return PARQUET_DAMAGED;
    return second ? read_footer(&reader) : read_group(&reader);
}
