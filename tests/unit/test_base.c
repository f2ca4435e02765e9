/* The base room: memory, text, names, messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/choice.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/name.h"
#include "base/process.h"
#include "base/safe_file.h"
#include "base/sha256.h"
#include "base/table.h"
#include "base/text.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    Arena arena;
    arena_init(&arena);
    for (int round = 0; round < 2; round++) {
        for (size_t size = 1; size < 200000; size = size * 3 + 1) {
            unsigned char *bytes = arena_alloc(&arena, size);
            assert_int_equal((uintptr_t)bytes % 16, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(bytes[i], 0);
            memset(bytes, 0xff, size);
        }
        arena_reset(&arena);
        assert_int_equal(arena.used, 0);
    }
    arena_free(&arena);
}

static void arena_limit_goes_to_the_recovery_point(void **state)
{
    (void)state;
    Arena arena;
    jmp_buf failure;
    arena_init(&arena);
    arena.limit = 1000;
    arena.on_failure = &failure;
    if (!setjmp(failure)) {
        arena_alloc(&arena, 900);
        arena_alloc(&arena, 200);
        fail_msg("the limit was passed");
    }
    assert_true(arena.over_limit);
    arena_free(&arena);
}

static void arena_failure_can_be_injected(void **state)
{
    (void)state;
    Arena arena;
    jmp_buf failure;
    arena_init(&arena);
    arena.on_failure = &failure;
    arena_fail_after(2);
    if (!setjmp(failure)) {
        arena_alloc(&arena, 10);
        arena_alloc(&arena, 100000);
        fail_msg("the second block was allocated");
    }
    assert_false(arena.over_limit);
    arena_fail_after(0);
    arena_free(&arena);
}

static void large_objects_can_be_given_back(void **state)
{
    (void)state;
    enum { LARGE = 200000, SMALL = 1000 };
    Arena arena;
    jmp_buf failure;
    arena_init(&arena);
    arena.limit = 5 * LARGE;
    arena.on_failure = &failure;
    if (setjmp(failure))
        fail_msg("what was given back counts");
    char *older = NULL;
    for (unsigned i = 0; i < 20; i++) {
        char *newer = arena_alloc(&arena, LARGE), *small = arena_alloc(&arena, SMALL);
        memset(newer, (int)i, LARGE);
        if (older) {
            assert_int_equal(older[LARGE - 1], i - 1);
            arena_give_back(&arena, older, LARGE);
        }
        arena_give_back(&arena, small, SMALL); /* too small: nothing happens */
        older = newer;
    }
    arena_free(&arena);
}

static void what_is_saved_is_not_given_back(void **state)
{
    (void)state;
    enum { LARGE = 200000 };
    Arena arena;
    ArenaSave save;
    arena_init(&arena);
    char *old = arena_alloc(&arena, LARGE);
    old[LARGE - 1] = 'a';
    assert_true(arena_save(&arena, &save));
    arena_alloc(&arena, LARGE);
    arena_give_back(&arena, old, LARGE);
    old[LARGE - 1] = 'b';
    arena_restore(&arena, &save);
    assert_int_equal(old[LARGE - 1], 'a');
    arena_save_free(&save);
    arena_free(&arena);
}

static void pushed_items_stay_in_order(void **state)
{
    (void)state;
    Arena arena;
    arena_init(&arena);
    int *items = NULL;
    uint32_t count = 0, cap = 0;
    for (int i = 0; i < 1000; i++)
        ARENA_PUSH(&arena, items, count, cap) = i;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    arena_free(&arena);
}

static void assert_float_text(double value, const char *expected)
{
    Text text;
    text_init(&text);
    text_python_float(&text, value);
    assert_string_equal(text_cstr(&text), expected);
    text_free(&text);
}

static void floats_are_written_as_python_does(void **state)
{
    (void)state;
    assert_float_text(0.0, "0.0");
    assert_float_text(-0.0, "-0.0");
    assert_float_text(1.0, "1.0");
    assert_float_text(0.1, "0.1");
    assert_float_text(-9.81, "-9.81");
    assert_float_text(1e-4, "0.0001");
    assert_float_text(1e-5, "1e-05");
    assert_float_text(1e15, "1000000000000000.0");
    assert_float_text(1e16, "1e+16");
    assert_float_text(1.5e300, "1.5e+300");
    assert_float_text(0.1 + 0.2, "0.30000000000000004");
    assert_float_text(0.1f, "0.10000000149011612");
    assert_float_text(5e-324, "5e-324");
    assert_float_text(DBL_MAX, "1.7976931348623157e+308");
    assert_float_text(9007199254740993.0, "9007199254740992.0");
    assert_float_text(INFINITY, "inf");
    assert_float_text(NAN, "nan");
}

static void floats_read_back_the_same(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    Text text;
    text_init(&text);
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        text.len = 0;
        text_python_float(&text, value);
        assert_true(strtod(text_cstr(&text), NULL) == value);
    }
    text_free(&text);
}

/* The digits of a number's text, without the point, and without zeros before and behind them. */
static void digits_of(const char *text, char *out)
{
    char *to = out;
    for (; *text && *text != 'e'; text++)
        if (*text != '.' && *text != '-' && (*text != '0' || to > out))
            *to++ = *text;
    while (to > out && to[-1] == '0')
        to--;
    *to = '\0';
}

/* Of common magnitudes, single precision among them: the least number of digits that reads back the same, and of those the nearest. */
static void floats_are_the_shortest(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    Text text;
    text_init(&text);
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value = ldexp((double)(bits >> 11 | 1), (int)(bits % 116) - 115);
        char expected[64], digits[64], found[64];
        if (i % 2)
            value = (float)value;
        for (int precision = 0; precision < 17; precision++) {
            snprintf(expected, sizeof expected, "%.*e", precision, value);
            if (strtod(expected, NULL) == value)
                break;
        }
        text.len = 0;
        text_python_float(&text, value);
        digits_of(expected, digits);
        digits_of(text_cstr(&text), found);
        assert_string_equal(found, digits);
        assert_true(strtod(text_cstr(&text), NULL) == value);
    }
    text_free(&text);
}

static void integers_and_json(void **state)
{
    (void)state;
    Text text;
    text_init(&text);
    for (unsigned i = 0; i < 3000; i++) {
        char expected[16];
        snprintf(expected, sizeof expected, "%u", i);
        text.len = 0;
        text_uint(&text, i);
        assert_string_equal(text_cstr(&text), expected);
    }
    text.len = 0;
    text_uint(&text, UINT64_MAX);
    text_char(&text, ' ');
    text_int(&text, INT64_MIN);
    assert_string_equal(text_cstr(&text), "18446744073709551615 -9223372036854775808");
    text.len = 0;
    text_json_string(&text, "a\"\\\n\t\x01", 6);
    assert_string_equal(text_cstr(&text), "\"a\\\"\\\\\\n\\t\\u0001\"");
    text.len = 0;
    text_json_string(&text, NULL, 0); /* sanitizers do not add to NULL */
    assert_string_equal(text_cstr(&text), "\"\"");
    static const char special[] = {'"', '\\', '\n', 0x1f, 0x7f};
    for (size_t len = 1; len < 40; len++)
        for (size_t at = 0; at < len; at++)
            for (size_t k = 0; k < sizeof special; k++) {
                char plain[40];
                memset(plain, '~', sizeof plain);
                plain[at] = special[k];
                text.len = 0;
                assert_int_equal(text_json_string(&text, plain, len), special[k] == '\n');
                assert_int_equal(text.len,
                                 len + 2 + (special[k] >= 0x1f && special[k] != '"' && special[k] != '\\' ? 5 : 1));
                assert_int_equal(text.data[1 + at], '\\');
                assert_int_equal(text.data[text.len - 1], '"');
            }
    /* UTF-8 stays; what is not, too long, a surrogate or cut off is replaced, byte by byte. */
    static const char *const texts[][2] = {{"\xc3\xa9\xf0\x9f\x9a\x80", "\"\xc3\xa9\xf0\x9f\x9a\x80\""},
                                           {"a\xffz", "\"a\\ufffdz\""},
                                           {"\xc0\x80", "\"\\ufffd\\ufffd\""},
                                           {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
                                           {"\xe2\x82", "\"\\ufffd\\ufffd\""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        text.len = 0;
        text_json_string(&text, texts[i][0], strlen(texts[i][0]));
        assert_string_equal(text_cstr(&text), texts[i][1]);
    }
    text_free(&text);
}

/* A text of several pieces, with lines of every length, against a loop over its bytes. */
static void long_texts_are_escaped(void **state)
{
    (void)state;
    Text text, escaped, expected;
    text_init(&text);
    text_init(&escaped);
    text_init(&expected);
    for (unsigned i = 0; i < 300; i++) {
        text_pad(&text, (char)('a' + i % 26), i % 71);
        text_char(&text, i % 7 ? '\n' : '"');
    }
    size_t lines = 0;
    text_char(&expected, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '"')
            text_lit(&expected, "\\\"");
        else if (c == '\n')
            text_lit(&expected, "\\n");
        else
            text_char(&expected, c);
        lines += c == '\n';
    }
    text_char(&expected, '"');
    assert_int_equal(text_json_string(&escaped, text.data, text.len), lines);
    assert_int_equal(escaped.len, expected.len);
    assert_memory_equal(escaped.data, expected.data, expected.len);
    text_free(&text);
    text_free(&escaped);
    text_free(&expected);
}

static void characters_are_counted(void **state)
{
    (void)state;
    Text text;
    text_init(&text);
    size_t lines = 0;
    for (unsigned i = 0; i < 9000; i++) { /* more than a byte can count in every lane */
        assert_int_equal(text_count(&text, '\n'), lines);
        lines += i % 3 != 0;
        text_char(&text, i % 3 ? '\n' : 'n');
        if (i > 300)
            i += 36;
    }
    text_pad(&text, '\n', 100000);
    assert_int_equal(text_count(&text, '\n'), lines + 100000);
    text_free(&text);
}

static void names_are_one_pointer(void **state)
{
    (void)state;
    Arena arena;
    NameTable table;
    arena_init(&arena);
    names_init(&table, &arena);
    Name first = name_cstr(&table, "velocity");
    char buffer[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(buffer, sizeof buffer, "name_%d", i);
        name_cstr(&table, buffer);
    }
    assert_ptr_equal(first, name_of(&table, "velocity!", 8));
    assert_true(names_may_have(&table, 2)); /* nobody watches */
    name_watch(&table, "mass", 2);
    name_watch(&table, "charge", 4);
    assert_false(names_may_have(&table, 2));
    name_of(&table, "mass", 4);
    assert_true(names_may_have(&table, 2));
    assert_false(names_may_have(&table, 4));
    assert_ptr_not_equal(first, name_cstr(&table, "velocit"));
    assert_ptr_equal(name_cstr(&table, "name_4999"), name_cstr(&table, buffer));
    arena_free(&arena);
}

static void tables_hold_what_was_added(void **state)
{
    (void)state;
    Arena arena;
    HashTable table = {0};
    static char keys[2000];
    arena_init(&arena);
    assert_null(table_find(&table, keys));
    for (uint32_t i = 0; i < 1000; i++) {
        table_add(&table, &arena, &keys[i])->number = i;
        assert_int_equal(table.count, i + 1);
        assert_int_equal(table_add(&table, &arena, &keys[i])->number, i);
        assert_int_equal(table.count, i + 1);
    }
    assert_false(table_has(&table, &keys[1500]));
    table_add(&table, &arena, &keys[1500]);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(table_find(&table, &keys[i])->number, i);
    assert_true(table_has(&table, &keys[1500]));
    arena_free(&arena);
}

static bool is_text(const void *key, const void *wanted)
{
    return strcmp(key, wanted) == 0;
}

/* The keys of one hash stand in a row of slots; a table that has room does not grow. */
static void tables_compare_keys_of_one_hash(void **state)
{
    (void)state;
    static const char *const words[] = {"dry", "drought", "drain", "damp", "dew", "drizzle"};
    enum { COUNT = sizeof words / sizeof *words };
    Arena arena;
    HashTable table = {0};
    arena_init(&arena);
    table_reserve(&table, &arena, 100);
    const TableSlot *slots = table.slots;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_null(table_find_like(&table, UINT32_MAX, is_text, words[i]));
        TableSlot *slot = table_add_like(&table, &arena, UINT32_MAX, is_text, words[i]);
        assert_null(slot->key);
        slot->key = words[i];
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        char copy[16];
        snprintf(copy, sizeof copy, "%s", words[i]);
        assert_ptr_equal(table_find_like(&table, UINT32_MAX, is_text, copy)->key, words[i]);
        assert_null(table_find_like(&table, 7, is_text, copy));
    }
    static const char others[100];
    for (uint32_t i = COUNT; i < 100; i++)
        table_add(&table, &arena, &others[i]);
    assert_ptr_equal(table.slots, slots);
    arena_free(&arena);
}

/* What the writer writes is read and written again as it was, numbers of 64 bits included. */
static void json_goes_out_and_in(void **state)
{
    (void)state;
    Text text = {0}, again = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_string(&json, "a \"name\"", "line\n\xc3\xa9");
    json_add_uint(&json, "large", 9007199254740993u); /* 2^53 + 1 */
    json_add_bool(&json, "yes", true);
    json_open(&json, "numbers", '[');
    json_add_number(&json, NULL, 0.1);
    json_add_number(&json, NULL, -3);
    json_add_number(&json, NULL, 1e-7);
    json_add_number(&json, NULL, (double)INFINITY);
    json_close(&json, ']');
    json_open(&json, "empty", '{');
    json_close(&json, '}');
    json_add_verbatim(&json, "real", "2.0", 3);
    json_close(&json, '}');
    assert_string_equal(text_cstr(&text), "{\"a \\\"name\\\"\": \"line\\n\xc3\xa9\", \"large\": 9007199254740993, "
                                          "\"yes\": true, \"numbers\": [0.1, -3, 1e-07, null], \"empty\": {}, "
                                          "\"real\": 2.0}");
    json_t *tree = json_read(text.data, text.len);
    assert_non_null(tree);
    json_write(tree, &again);
    assert_string_equal(text_cstr(&again), text_cstr(&text));
    assert_string_equal(json_member_string(tree, "large"), "");
    json_decref(tree);
    assert_null(json_read("{\"a\": 1, \"a\": 2}", 16));
    assert_null(json_read("{\"a\": 1} x", 10));
    text_free(&text);
    text_free(&again);
}

static json_t *members_of(const char *text)
{
    static const char *const names[] = {"a", "b", NULL};
    size_t len = strlen(text);
    char *exact = malloc(len ? len : 1); /* no byte behind it: a sanitizer sees a read that goes too far */
    memcpy(exact, text, len);
    json_t *found = json_read_members(exact, len, names);
    free(exact);
    return found;
}

static void members_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *found;
    } cases[] = {
        {"{}", "{}"},
        {" {\t} \n", "{}"},
        {"{\"a\": 1}", "{\"a\": 1}"},
        {"{\"c\":{\"a\":[1,{\"b\":\"}\"}]},\"b\":[true]}", "{\"b\": [true]}"},
        {"{\"a\": 9007199254740993, \"b\": {\"a\": null}}", "{\"a\": 9007199254740993, \"b\": {\"a\": null}}"},
        {"{\"c\": \"\\\"a\\\": 3, \\\\\", \"a\" : \"\\u00e9\\n\"}", "{\"a\": \"\xc3\xa9\\n\"}"},
        {"{\"\\u0061\": 1, \"a\\u0062\": 2}", "{\"a\": 1}"}, /* a name may be written with escapes */
        {"{\"c\": -0.5e+7, \"d\": 10E-2, \"e\": 0, \"f\": [], \"g\": false, \"a\": \"\"}", "{\"a\": \"\"}"},
        {"{\"c\": 1, \"c\": 2}", "{}"},
        {"{\"c\": \"\xf0\x9f\x98\x80\"}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        json_t *found = members_of(cases[i].text);
        assert_non_null(found);
        json_write(found, &text);
        assert_string_equal(text_cstr(&text), cases[i].found);
        text_free(&text);
        json_decref(found);
    }
}

/* What is passed over has to be JSON, too. */
static void members_of_broken_json_are_refused(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "",
        "  ",
        "[]",
        "1",
        "\"a\"",
        "null",
        "{",
        "{}}",
        "{} x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{a: 1}",
        "{1: 1}",
        "{\"a\": 1,}",
        "{,}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 1, \"a\": 2}",
        "{\"a\": 1, \"\\u0061\": 2}",
        "{\"a\": {\"c\": 1, \"c\": 2}}",
        "{\"a\": \"\\ud800\"}",
        "{\"\\u0000\": 1}",
        "{\"c\": \"}",
        "{\"c\": \"\\\"}",
        "{\"c\": \"\\x\"}",
        "{\"c\": \"\\u12g4\"}",
        "{\"c\": \"\\u12",
        "{\"c\": \"\\",
        "{\"c\": \"\n\"}",
        "{\"c\": \"\xff\"}",
        "{\"c\": \"\xc3\"}",
        "{\"c\": \"\xc0\xaf\"}",
        "{\"c\": \"\xed\xa0\x80\"}",
        "{\"c\": [}",
        "{\"c\": [1}",
        "{\"c\": [1,]}",
        "{\"c\": [1 2]}",
        "{\"c\": {]}",
        "{\"c\": {\"d\"]}}",
        "{\"c\": 01}",
        "{\"c\": -}",
        "{\"c\": 1.}",
        "{\"c\": .5}",
        "{\"c\": 1e}",
        "{\"c\": 1e+}",
        "{\"c\": +1}",
        "{\"c\": NaN}",
        "{\"c\": tru}",
        "{\"c\": nul",
        "{\"c\": true1}",
        "{\"c\": 'x'}",
        "{\"c\": /* */ 1}",
        "\xef\xbb\xbf{}",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        json_t *found = members_of(broken[i]);
        if (found)
            fail_msg("was read: %s", broken[i]);
    }
}

/* Every part of a good text that begins where it does is refused, and so is what nests too deep for the stack. */
static void members_of_cut_and_deep_json_are_refused(void **state)
{
    (void)state;
    static const char whole[] =
        "{\"a\": [1.5e3, {\"x\": \"\\u00e9\\\\\"}], \"c\": [null, true, \"\xc3\xa9\"], \"b\": -1}";
    enum { DEEP = 1000000 };
    static char part[DEEP + 8];
    for (size_t len = 0; len + 1 < sizeof whole; len++) {
        memcpy(part, whole, len);
        part[len] = '\0';
        assert_null(members_of(part));
    }
    json_t *found = members_of(whole);
    assert_int_equal(json_object_size(found), 2);
    json_decref(found);
    for (const char *bracket = "[{"; *bracket; bracket++) {
        memcpy(part, "{\"c\": ", 6);
        memset(part + 6, *bracket, DEEP);
        part[6 + DEEP] = '\0';
        assert_null(members_of(part));
    }
    const size_t fits = LIMIT_JSON_DEPTH - 1;
    memset(part + 6, '[', fits);
    memset(part + 6 + fits, ']', fits);
    memcpy(part + 6 + 2 * fits, "}", 2);
    found = members_of(part);
    assert_non_null(found);
    json_decref(found);
    memset(part + 6, '[', fits + 1);
    memset(part + 7 + fits, ']', fits + 1);
    memcpy(part + 8 + 2 * fits, "}", 2);
    assert_null(members_of(part));
}

static void choices_are_found(void **state)
{
    (void)state;
    const char *start;
    size_t length;
    assert_int_equal(choice_find("cuda|cpu|both", "cuda"), 0);
    assert_int_equal(choice_find("cuda|cpu|both", "both"), 2);
    assert_int_equal(choice_find("cuda|cpu|both", "cp"), -1);
    assert_int_equal(choice_find("cuda|cpu|both", ""), -1);
    assert_true(choice_at("cuda|cpu", 1, &start, &length) && length == 3 && start[0] == 'c' && start[1] == 'p');
    assert_false(choice_at("cuda|cpu", 2, &start, &length));
}

static void arrays_grow(void **state)
{
    (void)state;
    uint32_t *items = NULL, count = 0;
    size_t cap = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(ARRAY_ROOM(items, count, cap));
        items[count++] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

static void commands_run(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-test-XXXXXX", said[20] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(process_run((const char *const[]){"sh", "-c", "echo out; echo err >&2; exit 3", NULL}, path), 3);
    assert_int_equal(read(fd, said, sizeof said - 1), 8);
    assert_string_equal(said, "out\nerr\n");
    assert_int_equal(process_run((const char *const[]){"sh", "-c", "kill -9 $$", NULL}, path), -1);
    assert_int_not_equal(process_run((const char *const[]){"/nowhere/to/be/found", NULL}, path), 0);
    close(fd);
    unlink(path);
}

static void assert_digest(const char *text, size_t len, const char *expected)
{
    unsigned char digest[32];
    char shown[65];
    for (Sha256Way way = 0; way < SHA256_WAYS; way++) {
        if (!sha256_by(way, text, len, digest))
            continue;
        for (int i = 0; i < 32; i++)
            snprintf(shown + 2 * i, 3, "%02x", digest[i]);
        assert_string_equal(shown, expected);
    }
}

/* The examples of FIPS 180-4, and all ways for every number of bytes in the last block. */
static void sha256_vectors(void **state)
{
    (void)state;
    static char million[1000000];
    unsigned char one[32], two[32];
    assert_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(million, 'a', sizeof million);
    assert_digest(million, sizeof million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    for (size_t len = 0; len < 200; len++) {
        million[len] = (char)(len * 37);
        sha256(million, len, one);
        for (Sha256Way way = 0; way < SHA256_WAYS; way++)
            if (sha256_by(way, million, len, two))
                assert_memory_equal(one, two, 32);
    }
}

static void assert_shown(const char *source_text, uint32_t start, uint32_t end, const char *hint, const char *expected)
{
    Arena arena;
    DiagList list;
    Text text;
    Source source = {"file.py", source_text, strlen(source_text)};
    arena_init(&arena);
    text_init(&text);
    diags_init(&list, &arena);
    diag_add(&list, &source, DIAG_ERROR, start, end, "wrong %s", "thing")->hint = hint;
    diag_show(list.first, &text);
    assert_string_equal(text_cstr(&text), expected);
    text_free(&text);
    arena_free(&arena);
}

/* With and without a list of lines, at every place of several texts, in any order. */
static void positions_are_the_same_with_a_list_of_lines(void **state)
{
    (void)state;
    const Source sources[] = {{"a", "", 0}, {"b", "\n", 1}, {"c", "x = 1\n\nb = \"µ\"\n  y", 19}, {"d", "no end", 6}};
    Arena arena;
    SourceLines lines = {0};
    arena_init(&arena);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
            for (uint32_t k = 0; k < 25; k++) {
                uint32_t offset = round ? 24 - k : k;
                SourcePosition one = source_position(&sources[i], offset);
                SourcePosition two = source_position_in(&lines, &arena, &sources[i], offset);
                assert_memory_equal(&one, &two, sizeof one);
            }
    arena_free(&arena);
}

static void messages_point_at_the_place(void **state)
{
    (void)state;
    assert_shown("a = 1\nb = oops\n", 10, 14, "define it",
                 "file.py:2:5: error: wrong thing\n    b = oops\n        ^~~~\n    hint: define it\n");
    assert_shown("x = \"µ\" + y\n", 11, 12, NULL,
                 "file.py:1:11: error: wrong thing\n    x = \"µ\" + y\n              ^\n");
    assert_shown("\tif x:\r\n", 1, 3, NULL, "file.py:1:2: error: wrong thing\n     if x:\n     ^~\n");
    assert_shown("", 0, 0, NULL, "file.py:1:1: error: wrong thing\n    \n    ^\n");
}

static void messages_cut_long_lines(void **state)
{
    (void)state;
    Arena arena;
    DiagList list;
    Text text;
    char *line = malloc(100001);
    assert_non_null(line);
    memset(line, 'x', 100000);
    line[100000] = '\0';
    Source source = {"file.py", line, 100000};
    arena_init(&arena);
    text_init(&text);
    diags_init(&list, &arena);
    diag_add(&list, &source, DIAG_ERROR, 50000, 50001, "here");
    diag_show(list.first, &text);
    assert_true(text.len < 400);
    text_free(&text);
    arena_free(&arena);
    free(line);
}

/* A text without a recovery point is lost when memory ends, and says so; appending goes on without harm. */
static void texts_fail_quietly(void **state)
{
    (void)state;
    for (unsigned nth = 1; nth <= 3; nth++) {
        Text text;
        text_init(&text);
        arena_fail_after(nth);
        for (int i = 0; i < 3000; i++) {
            text_format(&text, "%d of %s", i, "many");
            text_json_string(&text, "a\nb", 3);
            text_pad(&text, ' ', 7);
            text_uint(&text, 12345);
        }
        arena_fail_after(0);
        char *large = calloc(1, 1 << 20);
        text_add(&text, large, 1 << 20); /* more than there is room for what is lost */
        text_format(&text, "%200000s", "x");
        free(large);
        assert_true(text.failed);
        assert_string_equal(text_cstr(&text), "");
        text_free(&text);
        text_str(&text, "new");
        assert_false(text.failed);
        assert_string_equal(text_cstr(&text), "new");
        text_free(&text);
    }
}

static void links_are_not_followed(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-test-XXXXXX", bytes[20] = "";
    assert_non_null(mkdtemp(path));
    int dir = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(file_replace(dir, "victim", "precious", 8));
    assert_int_equal(symlinkat("victim", dir, "link"), 0);
    assert_int_equal(symlinkat("victim", dir, "new.tmp"), 0);
    assert_int_equal(linkat(dir, "victim", dir, "twin", 0), 0);
    assert_int_equal(file_open_own(dir, "link"), -1); /* neither of the two is the file's only name */
    assert_int_equal(file_open_own(dir, "twin"), -1);
    assert_int_equal(file_open_own(dir, "."), -1);
    assert_int_equal(file_open_regular(dir, "."), -1);
    assert_int_equal(folder_open_below(dir, "link"), -1);
    int fd = file_create(dir, "link"); /* the link goes */
    assert_true(write_fully(fd, "other", 5));
    close(fd);
    assert_true(file_replace(dir, "new", "other", 5));
    assert_true(file_replace(dir, "twin", "other", 5));
    fd = file_open_own(dir, "victim");
    assert_int_equal(read(fd, bytes, sizeof bytes), 8);
    assert_string_equal(bytes, "precious");
    close(fd);
    static const char *const names[] = {"victim", "link", "new", "twin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(unlinkat(dir, names[i], 0), 0);
    close(dir);
    assert_int_equal(rmdir(path), 0); /* nothing else was left there */
}

static void names_and_texts_of_others_are_defused(void **state)
{
    (void)state;
    assert_true(is_plain_name("cuda_0000042") && is_plain_name("a-b.c"));
    assert_false(is_plain_name("") || is_plain_name("..") || is_plain_name(".x") || is_plain_name("a/b") ||
                 is_plain_name("a b") || is_plain_name("a\n"));
    char text[] = "a\x1b[31m\x7f\xc2\x9bz\n\xc3\xa4";
    defuse(text);
    assert_string_equal(text, "a?[31m???z?\xc3\xa4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(arena_limit_goes_to_the_recovery_point),
        cmocka_unit_test(arena_failure_can_be_injected),
        cmocka_unit_test(large_objects_can_be_given_back),
        cmocka_unit_test(what_is_saved_is_not_given_back),
        cmocka_unit_test(pushed_items_stay_in_order),
        cmocka_unit_test(floats_are_written_as_python_does),
        cmocka_unit_test(floats_read_back_the_same),
        cmocka_unit_test(floats_are_the_shortest),
        cmocka_unit_test(integers_and_json),
        cmocka_unit_test(long_texts_are_escaped),
        cmocka_unit_test(characters_are_counted),
        cmocka_unit_test(names_are_one_pointer),
        cmocka_unit_test(tables_hold_what_was_added),
        cmocka_unit_test(tables_compare_keys_of_one_hash),
        cmocka_unit_test(json_goes_out_and_in),
        cmocka_unit_test(members_are_found),
        cmocka_unit_test(members_of_broken_json_are_refused),
        cmocka_unit_test(members_of_cut_and_deep_json_are_refused),
        cmocka_unit_test(choices_are_found),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(commands_run),
        cmocka_unit_test(sha256_vectors),
        cmocka_unit_test(positions_are_the_same_with_a_list_of_lines),
        cmocka_unit_test(messages_point_at_the_place),
        cmocka_unit_test(messages_cut_long_lines),
        cmocka_unit_test(texts_fail_quietly),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(names_and_texts_of_others_are_defused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
