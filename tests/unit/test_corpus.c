/* Sets of hashes and the shapes of kernels: what deduplication stands on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/candidate.h"
#include "corpus/hash_set.h"
#include "corpus/manifest.h"
#include "corpus/shape.h"

#include "base/rng.h"
#include "base/sha256.h"
#include "front/parser.h"

#include <string.h>

static void test_full_set_tells_members(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    HashSet set;
    Rng rng = rng_at(1, 2, 3);
    assert_true(hash_set_init(&set, COUNT, false));
    for (int i = 0; i < COUNT; i++) {
        assert_false(hash_set_is_full(&set));
        assert_true(hash_set_add(&set, rng_next(&rng)));
    }
    assert_true(hash_set_is_full(&set));
    assert_int_equal(set.count, COUNT);
    rng = rng_at(1, 2, 3);
    for (int i = 0; i < COUNT; i++)
        assert_true(hash_set_has(&set, rng_next(&rng)));
    for (int i = 0; i < COUNT; i++)
        assert_false(hash_set_has(&set, rng_next(&rng)));
    hash_set_free(&set);
}

static void test_zero_is_a_member_like_others(void **state)
{
    (void)state;
    HashSet set;
    for (int thin = 0; thin < 2; thin++) {
        assert_true(hash_set_init(&set, 8, thin));
        assert_false(hash_set_has(&set, 0));
        assert_true(hash_set_add(&set, 0));
        assert_false(hash_set_add(&set, 0));
        assert_true(hash_set_add(&set, UINT64_MAX));
        assert_true(hash_set_has(&set, UINT64_MAX));
        hash_set_free(&set);
    }
}

static void test_both_sets_cost_sixteen_bytes_a_pair(void **state)
{
    (void)state;
    enum { COUNT = 1000000 };
    HashSet full, thin;
    assert_true(hash_set_init(&full, COUNT, false) && hash_set_init(&thin, COUNT, true));
    assert_true(hash_set_bytes(&full) + hash_set_bytes(&thin) <= 16 * (size_t)COUNT + 1024);
    assert_int_equal(hash_set_bytes(&full), 2 * hash_set_bytes(&thin));
    Rng rng = rng_at(4, 5, 6);
    uint64_t added = 0;
    for (int i = 0; i < COUNT; i++)
        added += hash_set_add(&thin, rng_next(&rng));
    assert_true(added >= COUNT - 20);
    hash_set_free(&full);
    hash_set_free(&thin);
}

static Shape shape(Arena *arena, const char *source)
{
    NameTable names;
    Source text = {"", source, strlen(source)};
    DiagList diags;
    TokenList tokens;
    names_init(&names, arena);
    diags_init(&diags, arena);
    parse_module_tokens(arena, &names, &text, &diags, &tokens);
    assert_int_equal(diags.count, 0);
    return shape_of_tokens(arena, source, &tokens, 0);
}

static void test_shapes(void **state)
{
    (void)state;
    Arena arena;
    arena_init(&arena);
    static const char kernel[] =
        "@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = a[i] * 2.0\n";
    Shape one = shape(&arena, kernel);
    /* Names, comments and spaces do not count. */
    Shape renamed = shape(
        &arena, "@wp.kernel\ndef g(x: wp.array(dtype=float)):  # scales\n    k = wp.tid()\n\n    x[k] = x[k]*2.0\n");
    assert_string_equal(one.structure_hex, renamed.structure_hex);
    assert_string_equal(one.masked_hex, renamed.masked_hex);
    assert_int_equal(strlen(one.structure_hex), SHAPE_HEX);
    /* Numbers count, unless they are masked. */
    Shape number =
        shape(&arena, "@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = a[i] * 3.0\n");
    assert_string_not_equal(one.structure_hex, number.structure_hex);
    assert_string_equal(one.masked_hex, number.masked_hex);
    /* Builtins, attributes and which name is used again do. */
    static const char *const others[] = {
        "@wp.kernel\ndef f(a: wp.array(dtype=int)):\n    i = wp.tid()\n    a[i] = a[i] * 2.0\n",
        "@wp.kernel\ndef f(a: wp.array2d(dtype=float)):\n    i = wp.tid()\n    a[i] = a[i] * 2.0\n",
        "@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = a[i] + 2.0\n",
        "@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    a[i] = i[a] * 2.0\n",
        "@wp.kernel\ndef f(a: wp.array(dtype=float)):\n    i = wp.tid()\n    if i:\n        a[i] = a[i] * 2.0\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_not_equal(one.masked_hex, shape(&arena, others[i]).masked_hex);
    arena_free(&arena);
}

static void test_many_names_are_renamed(void **state)
{
    (void)state;
    Arena arena;
    Text one, two;
    arena_init(&arena);
    text_init(&one);
    text_init(&two);
    for (int i = 0; i < 2000; i++) {
        text_format(&one, "a%d = b%d\n", i, i % 7);
        text_format(&two, "x%d = y%d\n", i, i % 7);
    }
    assert_string_equal(shape(&arena, text_cstr(&one)).structure_hex, shape(&arena, text_cstr(&two)).structure_hex);
    text_free(&one);
    text_free(&two);
    arena_free(&arena);
}

static void test_splits_follow_their_shares(void **state)
{
    (void)state;
    CorpusOptions options = corpus_default_options();
    Rng rng = rng_at(7, 8, 9);
    unsigned found[SPLIT_COUNT] = {0};
    assert_int_equal(split_of(&options, rng_next(&rng)), SPLIT_TRAIN);
    options.splits[0] = 85;
    options.splits[1] = 12;
    options.splits[2] = 3;
    for (int i = 0; i < 100000; i++)
        found[split_of(&options, rng_next(&rng))]++;
    assert_in_range(found[SPLIT_TRAIN], 84500, 85500);
    assert_in_range(found[SPLIT_VALIDATION], 11600, 12400);
    assert_in_range(found[SPLIT_TEST], 2800, 3200);
}

static void test_reasons_have_names_of_their_own(void **state)
{
    (void)state;
    for (unsigned i = REASON_REFUSED; i < REASON_COUNT; i++)
        if (i != REASON_FINDING + FINDING_UNSUPPORTED) /* counted as the failure of that name */
            assert_int_equal(reason_of_name(reason_name(i), strlen(reason_name(i))), i);
    assert_int_equal(reason_of_name("nothing", 7), REASON_COUNT);
}

/* What a candidate's record says is what was known when it was written. */
static void test_records_are_read_back(void **state)
{
    (void)state;
    CorpusOptions options = corpus_default_options();
    options.verify = false;
    options.launches = 0;
    options.seed = 11;
    Maker *maker = maker_new(&options);
    assert_non_null(maker);
    for (uint64_t index = 0; index < 50; index++) {
        Candidate made, found;
        Text line;
        text_init(&line);
        write_record_head(index, SPLIT_TRAIN, &line);
        size_t start = line.len;
        assert_true(make_candidate(maker, index, &made, &line));
        if (made.reason == REASON_LONG) { /* Warp unrolls its loops */
            text_free(&line);
            continue;
        }
        assert_int_equal(made.reason, REASON_NONE);
        assert_true(read_candidate(line.data, line.len, &found, NULL));
        assert_int_equal(found.start, start);
        assert_int_equal(found.len, made.len);
        assert_int_equal(found.index, index);
        assert_int_equal(found.category, made.category);
        assert_true(found.structure == made.structure && found.masked == made.masked);
        assert_int_equal(found.forward_lines, made.forward_lines);
        assert_int_equal(found.backward_lines, made.backward_lines);
        assert_int_equal(found.has_backward, made.has_backward);
        text_free(&line);
    }
    maker_free(maker);
}

/* Whichever allocation fails: nothing is made, or all of it. Those of the start each, later some (each takes 0.02 s). */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    CorpusOptions options = corpus_default_options();
    unsigned failures = 0;
    bool done = false;
    for (unsigned nth = 1; !done; nth += nth < 30 ? 1 : nth / 12) {
        assert_true(nth < 3000);
        Text text;
        Candidate candidate;
        text_init(&text);
        arena_fail_after(nth);
        Maker *maker = maker_new(&options);
        bool made = maker && make_candidate(maker, 3, &candidate, &text) && !text.failed;
        done = arena_fail_pending();
        arena_fail_after(0);
        failures += !made;
        assert_true(!done || (made && !candidate.reason));
        text_free(&text);
        maker_free(maker);
    }
    assert_true(failures > 10);
}

/* A manifest as weft writes it, with one thing changed and sealed again: each must be refused. */
static bool parses(const char *from, const char *to)
{
    CorpusOptions options = corpus_default_options();
    options.count = 3;
    options.piece = 1;
    options.piece_count = 3;
    Manifest manifest, again;
    manifest_init(&manifest, &options);
    ShardEntry entry = {.file = "piece-00000.jsonl.zst.part", .rows = 2, .bytes = 700};
    memset(entry.hash, 'a', HASH_HEX_SIZE - 1);
    manifest.rows = manifest.next = 2;
    assert_non_null(manifest_add_shard(&manifest, &entry));
    Text text, changed;
    text_init(&text);
    text_init(&changed);
    manifest_text(&manifest, &text);
    const char *all = text_cstr(&text), *at = strstr(all, from);
    assert_non_null(at);
    text_add(&changed, all, (size_t)(at - all));
    text_str(&changed, to);
    text_str(&changed, at + strlen(from));
    const char *last = strstr(text_cstr(&changed), "\"sha256\"");
    unsigned char hash[32];
    changed.len = (size_t)(last - changed.data);
    sha256(changed.data, changed.len, hash);
    text_lit(&changed, "\"sha256\": \"");
    for (size_t i = 0; i < sizeof hash; i++)
        text_format(&changed, "%02x", hash[i]);
    text_lit(&changed, "\"\n}\n");
    CorpusError error = {""};
    text_cstr(&changed);
    bool fine = manifest_parse(&again, changed.data, changed.len, "here", &error);
    assert_true(fine || strstr(error.message, "is damaged"));
    if (fine)
        manifest_free(&again);
    manifest_free(&manifest);
    text_free(&text);
    text_free(&changed);
    return fine;
}

static void test_manifests_are_read_with_suspicion(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"\"piece\": [2, 3]", "\"piece\": [500000, 3]"},
        {"\"piece\": [2, 3]", "\"piece\": [0, 3]"},
        {"\"piece\": [2, 3]", "\"piece\": [4, 3]"},
        {"\"piece\": [2, 3]", "\"piece\": [-1, 3]"},
        {"\"piece\": [2, 3]", "\"piece\": [1.5, 3]"},
        {"\"piece\": [2, 3]", "\"piece\": [1, 1e300]"},
        {"\"piece\": [2, 3]", "\"piece\": [1]"},
        {"\"piece\": [2, 3]", "\"piece\": {}"},
        {"\"piece\": [2, 3]", "\"piece\": [\"1\", \"3\"]"},
        {"\"count\": 3", "\"count\": 0"},
        {"\"count\": 3", "\"count\": 1e99"},
        {"\"shard_rows\": 10000", "\"shard_rows\": 0"},
        {"\"shard_rows\": 10000", "\"shard_rows\": 1"},
        {"\"checkpoint_rows\": 2000", "\"checkpoint_rows\": -5"},
        {"\"splits\": [1, 0, 0]", "\"splits\": [0, 0, 0]"},
        {"\"splits\": [1, 0, 0]", "\"splits\": [4294967296, 0, 0]"},
        {"\"splits\": [1, 0, 0]", "\"splits\": [1, 0]"},
        {"\"rows\": 2,", "\"rows\": 3,"},
        {"\"rows\": 2,", "\"rows\": 1e300,"},
        {"\"next_index\": 2", "\"next_index\": 1"},
        {"piece-00000.jsonl.zst.part", "../victim"},
        {"piece-00000.jsonl.zst.part", "piece-00001.jsonl.zst.part"},
        {"piece-00000.jsonl.zst.part", "piece-0.jsonl.zst.part"},
        {"piece-00000.jsonl.zst.part", "train-00000.jsonl.zst.part"},
        {"piece-00000.jsonl.zst.part", "manifest.json"},
        {"aaaaaaaa", "AAAAAAAA"},
        {"aaaaaaaa", "aaaaaaa"},
        {"\"bytes\": 700", "\"bytes\": -1"},
        {"\"train\": 0", "\"train\": 1e30"},
        {"\"weft_version\": \"", "\"weft_version\": \"\\u001b"},
        {"\"format\": \"weft", "\"format\": \"left"},
        {"\"seed\": 0,\n", "\"seed\": 7,\n"}, /* the options have another one */
        {"\"forward_lines\": 0", "\"forward_lines\": 0, \"more\": 1"},
        {"\"complete\": false", "\"complete\": 0"},
    };
    assert_true(parses("weft", "weft"));
    assert_true(parses("\"piece\": [2, 3]", "\"piece\": [3, 3]"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (parses(wrong[i][0], wrong[i][1]))
            fail_msg("%s is taken", wrong[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_set_tells_members),
        cmocka_unit_test(test_zero_is_a_member_like_others),
        cmocka_unit_test(test_both_sets_cost_sixteen_bytes_a_pair),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_many_names_are_renamed),
        cmocka_unit_test(test_splits_follow_their_shares),
        cmocka_unit_test(test_reasons_have_names_of_their_own),
        cmocka_unit_test(test_records_are_read_back),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_manifests_are_read_with_suspicion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
