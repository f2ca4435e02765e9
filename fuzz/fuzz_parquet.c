/* A Parquet file, which may come from anyone: whatever is in it, its rows are read or it is refused. The input is a file, or, so that the
 * search need not find compressed pages by itself, what the pages hold before compression. Rows that are read give the same rows
 * when they are written again. */
#include "corpus/parquet.h"

#include <stdlib.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const Column pair_fields[] = {
    {"name", KIND_TEXT, false, "", NULL},
    {"sizes", KIND_INTS, true, "", NULL},
    {NULL, KIND_TEXT, false, NULL, NULL},
};
static const Column columns[] = {
    {"text", KIND_TEXT, true, "", NULL},
    {"flag", KIND_BOOL, true, "", NULL},
    {"pairs", KIND_OBJECTS, true, "", pair_fields},
    {"floats", KIND_FLOATS, true, "", NULL},
    {NULL, KIND_TEXT, false, NULL, NULL},
};

typedef struct Bytes {
    const char *data;
    size_t len, at;
} Bytes;

static size_t take(void *user, char *to, size_t len)
{
    Bytes *bytes = user;
    size_t left = bytes->len - bytes->at;
    len = len < left ? len : left;
    if (len)
        memcpy(to, bytes->data + bytes->at, len);
    bytes->at += len;
    return len;
}

static void put_number(Text *out, uint64_t value)
{
    text_char(out, 0x15);
    for (value <<= 1; value >= 0x80; value >>= 7)
        text_char(out, (char)(value | 0x80));
    text_char(out, (char)value);
}

/* A page: how many bytes (two of the input) and entries (one), and the bytes. */
static void put_page(Text *out, Bytes *input)
{
    uint8_t head[3] = {0};
    static char body[65536], packed[70000];
    take(input, (char *)head, sizeof head);
    size_t len = take(input, body, (size_t)(head[0] | head[1] << 8));
    size_t stored = ZSTD_compress(packed, sizeof packed, body, len, 1);
    put_number(out, 0);
    put_number(out, len);
    put_number(out, stored);
    text_char(out, 0x2c);
    put_number(out, head[2]);
    text_add(out, "\x15\x00\x15\x06\x15\x06\x00\x00", 8);
    text_add(out, packed, stored);
}

static void read_all(const char *bytes, size_t len, const Column *of)
{
    ParquetFile file;
    Bytes source = {bytes, len, 0};
    Text line;
    text_init(&line);
    if (!parquet_init(&file, of))
        abort();
    Leaves again;
    if (!leaves_init(&again, of))
        abort();
    while (parquet_read(&file, take, &source) == PARQUET_ROWS)
        while (file.leaves.row < file.leaves.rows) {
            line.len = 0;
            if (!leaves_take(&file.leaves, &line))
                break;
            bool odd = strstr(text_cstr(&line), "nan") || strstr(line.data, "inf") || strstr(line.data, "\\u00");
            if (!leaves_add(&again, line.data) && !odd)
                abort();
        }
    leaves_free(&again);
    text_free(&line);
    parquet_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || data[0] % 2) {
        read_all((const char *)data + (size > 0), size - (size > 0), record_columns);
        return 0;
    }
    Bytes input = {(const char *)data + 1, size - 1, 0};
    Text file;
    text_init(&file);
    text_lit(&file, PARQUET_MAGIC);
    for (int group = 0; group < 2; group++)
        for (int leaf = 0; leaf < 5; leaf++)
            put_page(&file, &input);
    if (!file.failed)
        read_all(file.data, file.len, columns);
    text_free(&file);
    return 0;
}
