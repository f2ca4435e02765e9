/* Candidates made of samples written by hand: each reason for throwing one away, and what is kept under which options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/candidate.h"

#include <stdio.h>
#include <string.h>

#define ARGUMENT(name, size, low, high, role)                                                                          \
    "{\"name\": \"" name "\", \"shape\": [" size "], \"low\": " low ", \"high\": " high ", \"role\": \"" role "\"}"
#define LAUNCH_OF(dim, one, two) LAUNCH_HEAD "[" dim "]" LAUNCH_ARGUMENTS "[" one ", " two "]}"
#define LAUNCH LAUNCH_OF("8", ARGUMENT("a", "8", "0.5", "2.0", "input"), ARGUMENT("out", "8", "0.0", "0.0", "output"))

static void make(const CorpusOptions *options, const char *body, const char *launch, Candidate *candidate, Text *out)
{
    Text source;
    Maker *maker = maker_new(options);
    assert_non_null(maker);
    text_init(&source);
    text_init(out);
    text_lit(&source,
             "@wp.kernel\ndef made(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n");
    text_str(&source, body);
    text_cstr(&source);
    const char *arguments = strstr(launch, LAUNCH_ARGUMENTS);
    SynthSample sample = {.kernel_name = "made",
                          .description = "",
                          .source = source.data,
                          .source_len = source.len,
                          .launch = launch,
                          .launch_len = strlen(launch),
                          .arguments = arguments ? arguments + strlen(LAUNCH_ARGUMENTS) : launch,
                          .scene = "",
                          .instruction = "",
                          .difficulty = "",
                          .algorithm = "",
                          .plan = "{}",
                          .plan_len = 2};
    assert_true(candidate_of_sample(maker, &sample, NULL, 3, NULL, candidate, out));
    maker_free(maker);
    text_free(&source);
}

static unsigned reason_of(const CorpusOptions *options, const char *body, const char *launch)
{
    Candidate candidate;
    Text out;
    make(options, body, launch, &candidate, &out);
    assert_int_equal(out.len, candidate.len);
    assert_int_equal(!candidate.reason, candidate.len > 0); /* what is not kept leaves nothing behind */
    text_free(&out);
    return candidate.reason;
}

#define WRONG_GRADIENT                                                                                                 \
    "    x = float(1.0)\n    for k in range(i):\n        x = x * a[i]\n    out[i] = x\n" /* Warp forgets what x was */

static void test_every_reason(void **state)
{
    (void)state;
    CorpusOptions options = corpus_default_options(), skips = options;
    skips.gradients = GRADIENTS_SKIP;
    static const struct {
        const char *body;
        unsigned reason;
    } cases[] = {
        {"    out[i] = a[i] * a[i]\n", REASON_NONE},
        {"    out[i] = b[i]\n", REASON_REFUSED},
        {"    out[i] = a[i + 1]\n", REASON_FINDING + FINDING_OUT_OF_BOUNDS},
        {"    out[0] = a[i]\n", REASON_FINDING + FINDING_RACE},
        {"    out[i] = wp.sqrt(-a[i])\n", REASON_FINDING + FINDING_DOMAIN},
        {"    out[i] = 1.0 / float(i)\n", REASON_FINDING + FINDING_DIVISION_BY_ZERO},
        {"    out[i] = 3.0\n", REASON_FAILURE + CHECK_CONSTANT},
        {"    out[i] = a[i]\n", REASON_FAILURE + CHECK_COPY},
        {"    x = a[i]\n", REASON_FAILURE + CHECK_NO_OUTPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(reason_name(reason_of(&options, cases[i].body, LAUNCH)), reason_name(cases[i].reason));
        options.verify = false; /* then only what cannot be compiled is refused */
        options.launches = 0;
        assert_int_equal(reason_of(&options, cases[i].body, LAUNCH),
                         cases[i].reason == REASON_REFUSED ? REASON_REFUSED : REASON_NONE);
        options.verify = true;
        options.launches = 3;
    }
    assert_int_equal(reason_of(&options, cases[0].body, "{\"launch_dim\": [8]"), REASON_LAUNCH);
    static const char set[] =
        LAUNCH_OF("8", ARGUMENT("a", "8", "0.5", "2.0", "input"), ARGUMENT("out", "8", "1.0", "2.0", "output"));
    assert_int_equal(reason_of(&options, "    out[i] = 0.0 * a[i]\n", set), REASON_FAILURE + CHECK_ALL_ZERO);
    static const char large[] = LAUNCH_OF("8", ARGUMENT("a", "8000000", "0.5", "2.0", "input"),
                                          ARGUMENT("out", "8000000", "0.0", "0.0", "output"));
    assert_string_equal(reason_name(reason_of(&options, cases[0].body, large)), "too-large");
    assert_int_equal(reason_of(&options, WRONG_GRADIENT, LAUNCH), REASON_NONE);
    assert_int_equal(reason_of(&skips, WRONG_GRADIENT, LAUNCH), REASON_GRADIENT);
    skips.backward = false; /* nothing wrong would be written */
    assert_int_equal(reason_of(&skips, WRONG_GRADIENT, LAUNCH), REASON_NONE);
    assert_int_equal(reason_of(&skips, cases[0].body, LAUNCH), REASON_NONE);
}

/* Statements enough for so many bytes of text, of forward and backward together. */
static void fill(Text *body, unsigned statements)
{
    text_init(body);
    text_lit(body, "    x = a[i]\n");
    for (unsigned i = 0; i < statements; i++)
        text_lit(body, "    x = x * a[i] + a[i]\n");
    text_lit(body, "    out[i] = x\n");
}

static void test_too_much_text_is_thrown_away(void **state)
{
    (void)state;
    for (unsigned device = DEVICE_SET_CUDA; device <= DEVICE_SET_CPU; device++)
        for (int backward = 0; backward < 2; backward++) {
            CorpusOptions options = corpus_default_options();
            options.device = device;
            options.backward = backward;
            options.verify = false;
            options.readable = false;
            options.launches = 0;
            unsigned few = 1, many = 6000; /* kept, thrown away */
            size_t longest = 0;
            while (few + 1 < many) {
                unsigned middle = (few + many) / 2;
                Text body, out;
                Candidate candidate;
                fill(&body, middle);
                make(&options, text_cstr(&body), LAUNCH, &candidate, &out);
                if (candidate.reason) {
                    assert_int_equal(candidate.reason, REASON_LONG);
                    many = middle;
                } else {
                    longest = out.len;
                    few = middle;
                }
                text_free(&body);
                text_free(&out);
            }
            /* The last record that is kept has just under 600,000 bytes of text, line ends as two characters, and a source. */
            assert_in_range(longest, 600000, 850000);
        }
    assert_string_equal(reason_name(REASON_LONG), "too-long");
}

/* The readable CUDA is there unless it is not wanted or cannot be written, and needs no header of Warp's. */
static void test_readable(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool wanted;
        const char *part, *verdict;
    } cases[] = {
        {"    out[i] = a[i] * a[i]\n", true, "__global__ void made_backward(const float *a, float *adj_a", "unchecked"},
        {"    out[i] = a[i] * a[i]\n", false, "\"readable_verdict\": \"not_requested\"", "not_requested"},
        {"    out[i] = a[i] * float(wp.uint32(i))\n", true, "\"#include \\\"weft_math.cuh\\\"\\n\\n__global__",
         "unchecked"},
        {"    q = wp.mat33()\n    r = wp.mat33()\n    wp.qr3(wp.identity(3, float) * a[i], q, r)\n    out[i] = r[0, 0] "
         "* a[i]\n",
         true, "wp.qr3() is not translated", "refused"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CorpusOptions options = corpus_default_options();
        Candidate candidate;
        Text out;
        options.readable = cases[i].wanted;
        options.verify = false;
        options.launches = 0;
        make(&options, cases[i].body, LAUNCH, &candidate, &out);
        assert_int_equal(candidate.reason, REASON_NONE);
        if (!strstr(text_cstr(&out), cases[i].part))
            fail_msg("not found: %s\nin: %s", cases[i].part, out.data);
        assert_string_equal(readable_verdict_name(candidate.readable), cases[i].verdict);
        text_free(&out);
    }
}

/* A launch with more numbers than a record should hold. */
static void test_records_with_large_launches_are_thrown_away(void **state)
{
    (void)state;
    static const char body[] = "    for k in range(20000):\n        out[k] = a[k] * a[k]\n";
    static const char launch[] =
        LAUNCH_OF("1", ARGUMENT("a", "20000", "0.5", "2.0", "input"), ARGUMENT("out", "20000", "0.0", "0.0", "output"));
    CorpusOptions options = corpus_default_options();
    options.launches = 0;
    assert_int_equal(reason_of(&options, body, launch), REASON_NONE);
    options.launches = 1;
    assert_int_equal(reason_of(&options, body, launch), REASON_IO);
}

/* What is known of a gradient decides whether there is backward text. */
static void test_rules_about_gradients(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        GradientRule rule;
        GradientVerdict verdict, prior;
        bool backward;
    } cases[] = {
        {WRONG_GRADIENT, GRADIENTS_PROVEN, GRADIENT_MISMATCH, GRADIENT_PASS, false},
        {WRONG_GRADIENT, GRADIENTS_MARKED, GRADIENT_MISMATCH, GRADIENT_PASS, true},
        {"    out[i] = a[i] * a[i]\n", GRADIENTS_PROVEN, GRADIENT_PASS, GRADIENT_PASS, true},
        {"    out[i] = a[i] * a[i]\n", GRADIENTS_SKIP, GRADIENT_PASS, GRADIENT_PASS, true},
        /* Warp leaves the gradient of the zeros before as it is; by the inputs it is right. */
        {"    wp.atomic_max(out, 0, a[i])\n", GRADIENTS_SKIP, GRADIENT_PASS, GRADIENT_MISMATCH, true},
        /* Zero on both sides is no proof of anything. */
        {"    out[i] = wp.floor(4.0 * a[i])\n", GRADIENTS_SKIP, GRADIENT_NONE, GRADIENT_PASS, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CorpusOptions options = corpus_default_options();
        options.gradients = cases[i].rule;
        Candidate candidate;
        Text out;
        make(&options, cases[i].body, LAUNCH, &candidate, &out);
        text_cstr(&out);
        assert_int_equal(candidate.reason, REASON_NONE);
        assert_true(candidate.is_checked);
        assert_int_equal(candidate.index, 3);
        assert_int_equal(candidate.has_backward, cases[i].backward);
        assert_int_equal(candidate.backward_lines > 0, cases[i].backward);
        assert_int_equal(strstr(out.data, "\"cuda_backward\": null") == NULL, cases[i].backward);
        char said[120];
        bool verified = !cases[i].backward || cases[i].verdict != GRADIENT_MISMATCH;
        snprintf(said, sizeof said, "\"verified\": %s, \"forward_verdict\": \"pass\", \"gradient_verdict\": \"%s\"",
                 verified ? "true" : "false",
                 cases[i].verdict == GRADIENT_NONE ? "no_gradient" : gradient_verdict_name(cases[i].verdict));
        assert_non_null(strstr(out.data, said));
        snprintf(said, sizeof said, "\"output_gradient_verdict\": \"%s\"", gradient_verdict_name(cases[i].prior));
        assert_non_null(strstr(out.data, said));
        text_free(&out);
    }
}

/* A gradient that is right on some inputs and wrong on others: four are tried, where an integer chooses. */
static void test_further_inputs(void **state)
{
    (void)state;
    enum { TRIED = 40 };
    static const char source[] =
        "@wp.kernel\ndef made(n: int, a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
        "    x = float(1.0)\n    if n == 5:\n        for k in range(i):\n            x = x * a[i]\n        out[i] = x\n"
        "    else:\n        out[i] = a[i] * a[i]\n";
    static const char launch[] = LAUNCH_HEAD
        "[8]" LAUNCH_ARGUMENTS "[{\"name\": \"n\", \"low\": 0.0, \"high\": 11.0, \"role\": \"input\"}, " ARGUMENT(
            "a", "8", "0.5", "2.0", "input") ", " ARGUMENT("out", "8", "0.0", "0.0", "output") "]}";
    CorpusOptions options = corpus_default_options();
    options.launches = 0;
    options.readable = false;
    options.gradients = GRADIENTS_MARKED;
    Maker *maker = maker_new(&options);
    SynthSample sample = {.kernel_name = "made",
                          .description = "",
                          .source = source,
                          .source_len = strlen(source),
                          .launch = launch,
                          .launch_len = strlen(launch),
                          .arguments = strstr(launch, LAUNCH_ARGUMENTS) + strlen(LAUNCH_ARGUMENTS),
                          .scene = "",
                          .instruction = "",
                          .difficulty = "",
                          .algorithm = "",
                          .plan = "{}",
                          .plan_len = 2};
    int wrong = 0;
    for (uint64_t index = 0; index < TRIED; index++) {
        Candidate candidate;
        Text out;
        text_init(&out);
        assert_true(candidate_of_sample(maker, &sample, NULL, index, NULL, &candidate, &out));
        assert_string_equal(reason_name(candidate.reason), reason_name(REASON_NONE));
        wrong += candidate.gradient == GRADIENT_MISMATCH;
        text_free(&out);
    }
    maker_free(maker);
    assert_in_range(wrong, 17, 24); /* 16 where three are tried, 6 where only the first is */
}

/* A record begins with its number as weft writes it; any other beginning is none. */
static void test_heads(void **state)
{
    static const struct {
        const char *line;
        uint64_t row;
    } good[] = {{"{\"row\": 0, \"split\": \"train\", \"id\": 1}", 0},
                {"{\"row\": 123, \"split\": \"validation\", ", 123},
                {"{\"row\": 18446744073709551615, \"split\": \"test\", ", UINT64_MAX}};
    static const char *const bad[] = {
        "",
        "{\"row\": ",
        "{\"row\": 7",
        "{\"row\": 7,",
        "{\"row\": 7, ",
        "{\"row\": 7, \"id\": 1}",
        "{\"row\": 7, \"split\": \"training\", ",
        "{\"row\": 7, \"split\":\"train\", ",
        "{\"row\": 7}, \"split\": \"train\", ",
        "{\"row\": 007, \"split\": \"train\", ",
        "{\"row\":  7, \"split\": \"train\", ",
        "{\"row\": -7, \"split\": \"train\", ",
        "{\"row\": 7.0, \"split\": \"train\", ",
        "{\"row\": 18446744073709551616, \"split\": \"train\", ",
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t row = 77;
        Split split = SPLIT_COUNT;
        size_t len = strlen(good[i].line) - (i == 0 ? strlen("\"id\": 1}") : 0);
        assert_int_equal(read_record_head(good[i].line, strlen(good[i].line), &row, &split), len);
        assert_true(row == good[i].row && split == (Split)i);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t row;
        assert_int_equal(read_record_head(bad[i], strlen(bad[i]), &row, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_reason),
        cmocka_unit_test(test_too_much_text_is_thrown_away),
        cmocka_unit_test(test_readable),
        cmocka_unit_test(test_records_with_large_launches_are_thrown_away),
        cmocka_unit_test(test_rules_about_gradients),
        cmocka_unit_test(test_further_inputs),
        cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
