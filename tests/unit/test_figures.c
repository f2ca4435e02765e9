/* The card, the statistics and the manifest of a data set: every figure is where it belongs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/manifest.h"

#include <stdio.h>
#include <string.h>

/* Every counter has a number of its own. */
static void fill(Manifest *manifest, uint64_t rows)
{
    CorpusOptions options = {
        .count = rows, .seed = 77, .verify = true, .compress = true, .shard_rows = 100, .device = DEVICE_SET_CUDA};
    options.splits[0] = 100;
    *manifest =
        (Manifest){.options = options, .rows = rows, .weft_version = "1.2", .warp_version = "3.4", .complete = true};
    Counters *counters = &manifest->counters;
    counters->by_category[0] = 11;
    counters->by_category[2] = 12;
    counters->by_split[0] = 13;
    counters->by_split[2] = 14;
    counters->forward_lines = 15 * rows;
    counters->backward_lines = 170;
    counters->with_backward = 17;
    counters->distinct_structures = rows / 2;
    counters->distinct_masked = rows / 4;
    counters->forward_pass = 18;
    counters->gradient[GRADIENT_PASS] = 19;
    counters->gradient[GRADIENT_MISMATCH] = 20;
    counters->gradient[GRADIENT_NONE] = 21;
    counters->record_bytes = 22;
    counters->split_bytes[0] = 28;
    counters->split_bytes[2] = 29;
    counters->texts[0] = (TextSize){30, 31};
    counters->texts[3] = (TextSize){32, 33};
    counters->readable[READABLE_UNCHECKED] = 25;
    counters->readable[READABLE_REFUSED] = 26;
    counters->readable_backward = 27;
    counters->rejected[1] = 23;
    counters->rejected[3] = 24;
}

static void expect_part(const Text *text, const char *part)
{
    if (!strstr(text->data, part))
        fail_msg("not found: %s\nin: %s", part, text->data);
}

static void test_card(void **state)
{
    (void)state;
    static const struct {
        uint64_t rows;
        const char *size;
    } sizes[] = {{1, "n<1K"},           {999, "n<1K"},         {1000, "1K<n<10K"},
                 {9999, "1K<n<10K"},    {10000, "10K<n<100K"}, {99999, "10K<n<100K"},
                 {100000, "100K<n<1M"}, {999999, "100K<n<1M"}, {1000000, "1M<n<10M"}};
    Manifest manifest;
    Text text;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill(&manifest, sizes[i].rows);
        text_init(&text);
        write_card(&manifest, &text);
        char line[40];
        snprintf(line, sizeof line, "size_categories:\n- %s\n", sizes[i].size);
        expect_part(&text, line);
        text_free(&text);
    }
    fill(&manifest, 400);
    text_init(&text);
    write_card(&manifest, &text);
    static const char *const parts[] = {
        "- split: train\n    path: \"train-*.jsonl.zst\"\n  - split: test\n",
        "# Warp kernels and their CUDA\n",
        "400 pairs of a kernel",
        "Warp 3.4 generates",
        "weft 1.2, seed 77. Every pair was run",
        "| pairs | 400 |\n",
        "| distinct structures | 50.0000 % |\n| distinct with numbers masked | 25.0000 % |\n",
        "| with backward text | 17 |\n| gradient proven | 19 |\n",
        "differs from the true one | 20 |\n| no gradient | 21 |\n",
        "| with readable CUDA | 25 |\n| with a readable backward kernel | 27 |\n",
        "forward, on average | 15.0 |\n| lines backward, on average | 10.0 |\n",
        "| arithmetic | 11 |",
        "| matrix | 12 |",
        "  splits:\n  - name: train\n    num_bytes: 28\n    num_examples: 13\n  - name: test\n    num_bytes: 29\n    "
        "num_examples: 14\n"
        "  download_size: 0\n  dataset_size: 22\n- config_name: details\n  features:\n  - name: id\n    dtype: "
        "string\n",
        "- config_name: details\n  data_files:\n  - split: train\n    path: \"details-train-*.ndjson.zst\"\n",
        "\n### Details\n",
        "| `python_source` | 30 | 31 |\n| `cuda_readable` | 32 | 33 |\n",
        "has no backward text.\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect_part(&text, parts[i]);
    assert_null(strstr(text.data, "| vector |"));
    assert_null(strstr(text.data, "split: validation"));
    text.len = 0;
    manifest.options.verify = manifest.options.compress = false;
    manifest.options.device = DEVICE_SET_CPU;
    manifest.options.gradients = GRADIENTS_MARKED;
    write_card(&manifest, &text);
    expect_part(&text, "their C++\n");
    expect_part(&text, "The pairs were not run.\n");
    expect_part(&text, "path: \"train-*.jsonl\"\n");
    expect_part(&text, "is marked so.\n");
    text.len = 0;
    manifest.options.full = true;
    write_card(&manifest, &text);
    expect_part(&text, "dataset_size: 22\n---\n");
    assert_null(strstr(text_cstr(&text), "details"));
    text_free(&text);
}

static void test_statistics(void **state)
{
    (void)state;
    Manifest manifest;
    Text text;
    fill(&manifest, 400);
    text_init(&text);
    write_stats_json(&manifest, &text);
    static const char *const parts[] = {
        "{\n\"total_pairs\": 400,\n",
        "\"arithmetic\": 11",
        "\"matrix\": 12",
        "\"train\": 13",
        "\"test\": 14",
        "\"avg_forward_lines\": 15.000,\n\"avg_backward_lines\": 10.000,\n",
        "{\"structure\": 0.500000, \"masked\": 0.250000},\n",
        "{\"forward_pass\": 18, \"gradient_pass\": 19, \"gradient_mismatch\": 20, "
        "\"gradient_none\": 21, \"unchecked\": 382},\n",
        "\"readable\": {\"not_requested\": 0, \"unchecked\": 25, \"pass\": 0, \"refused\": 26, "
        "\"not_verifiable\": 0, \"mismatch\": 0},\n\"readable_backward\": 27,\n",
        "\"with_backward\": 17,\n\"record_bytes\": 22,\n\"texts\": {\"python_source\": "
        "{\"bytes\": 30, \"tokens\": 31}, ",
        "\": 23, \"",
        "\": 24}\n}\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect_part(&text, parts[i]);
    text.len = 0;
    manifest.milliseconds = 2000;
    write_run_json(&manifest, &text);
    assert_string_equal(text_cstr(&text), "{\n\"generation_time_seconds\": 2.000,\n\"pairs_per_second\": 200.0\n}\n");
    text.len = 0;
    manifest.milliseconds = 0;
    write_run_json(&manifest, &text);
    assert_string_equal(text_cstr(&text), "{\n\"generation_time_seconds\": 0.000,\n\"pairs_per_second\": 0.0\n}\n");
    text.len = 0;
    fill(&manifest, 0); /* nothing is divided by nothing */
    manifest.counters = (Counters){0};
    write_stats_json(&manifest, &text);
    expect_part(&text, "\"avg_forward_lines\": 0.000,\n\"avg_backward_lines\": 0.000,\n");
    assert_int_equal(counters_rejected(&manifest.counters), 0);
    manifest.counters.rejected[2] = 5;
    manifest.counters.rejected[1] = 3;
    assert_int_equal(counters_rejected(&manifest.counters), 8);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_card), cmocka_unit_test(test_statistics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
