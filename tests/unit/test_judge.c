/* The judge's own readers and figures: code in answers, requests of the sandbox, pass@k. */
#include "judge/image.h"
#include "judge/mutate.h"
#include "judge/referee.h"
#include "judge/score.h"

#include <elf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void expect_code(const char *answer, const char *name, const char *code)
{
    Span span = answer_code(answer, strlen(answer), name);
    assert_int_equal(span.len, strlen(code));
    assert_memory_equal(span.text, code, span.len);
}

static void test_code_of_answers(void **state)
{
    (void)state;
    expect_code("int f;", "f", "int f;");
    expect_code("", "f", "");
    expect_code("Words.\n```cuda\nint f;\n```\nMore words.", "f", "int f;\n");
    expect_code("```\nint f;\n```", "f", "int f;\n");
    expect_code("```\nint f;", "f", "int f;");
    expect_code("a\n```\nint f;\n```\nb\n```\nmake run\n```\n", "f", "int f;\n");
    expect_code("```\nint f;\n```\n```\nlong f;\n```\n", "f", "long f;\n");
    expect_code("```\nint a;\n```\n```\nint b;\n```\n", "f", "int b;\n");
    expect_code("   ```cpp\nint f;\n   ```", "f", "int f;\n");
    expect_code("```", "f", "");
    expect_code("```cuda\n", "f", "");
    expect_code("``\nint f;\n``", "f", "``\nint f;\n``");
}

static void expect_verdict(const char *answer, int right, uint32_t line)
{
    bool said = false;
    uint32_t place = 0;
    bool read = answer_verdict(answer, strlen(answer), &said, &place);
    assert_int_equal(read ? said : -1, right);
    if (read)
        assert_int_equal(place, line);
}

static void test_verdicts_of_answers(void **state)
{
    (void)state;
    expect_verdict("right", 1, 0);
    expect_verdict("So it is\n\n**Wrong**, line 12.\n", 0, 12);
    expect_verdict("wrong, line 7\n`right`", 1, 0);
    expect_verdict("wrong", 0, 0);
    expect_verdict("", -1, 0);
    expect_verdict("the gradient is right", -1, 0);
    expect_verdict("rightly so", -1, 0);
    expect_verdict("wrong, line 99999999999999999999", 0, 9999999);
    expect_verdict("wrong, line 12 of 40", 0, 12);
    expect_verdict("wrong, line 44: because the factor 2 is missing", 0, 44);
    expect_verdict("Answer: wrong, line 44", 0, 44);
    expect_verdict("**Final answer:** `wrong, line 5`", 0, 5);
    expect_verdict("Verdict: right.", 1, 0);
    expect_verdict("wrong, 3 mistakes", 0, 0);
    expect_verdict("It is not: right", -1, 0);
    expect_verdict("right or wrong, line 3", -1, 0);
    expect_verdict("Answer:", -1, 0);
    expect_verdict("- wrong, line 44, since the factor is missing.", 0, 44);
}

static void test_changes(void **state)
{
    (void)state;
    static const char text[] = "__global__ void k(float *y)\n{\n    // 1 + 2\n    y[0] = 2.0f * x2;\n}\n";
    Arena arena;
    SiteList sites = {0};
    Span part;
    Mutant mutant = {.line = 0};
    arena_init(&arena);
    assert_true(mutable_part(text, "k", MUTANT_CUDA, &part));
    assert_false(mutable_part(text, "k", MUTANT_GRADIENT, &part));
    find_sites(&arena, part, MUTANT_CUDA, &sites);
    assert_int_equal(sites.count,
                     3); /* [0], 2.0f, and the multiplication: nothing in the comment, no digit of a name */
    apply_site(text, part, &sites.items[1], &mutant);
    assert_int_equal(mutant.line, 4);
    assert_string_equal(mutant.before, "y[0] = 2.0f * x2;");
    assert_string_equal(mutant.after, "y[0] = 3.0f * x2;");
    mutant_free(&mutant);
    arena_free(&arena);
}

static void test_requests(void **state)
{
    (void)state;
    static const char *const flags[] = {"-a", "-b", NULL};
    char bytes[16] = "0123456789abcde";
    JobPointer pointers[] = {{8, 1}};
    JobParam params[] = {{bytes, 4, 0, NULL}, {bytes, 16, 1, pointers}};
    JobBuffer buffers[] = {{bytes, 3}, {bytes, 0}};
    JobLaunch launch = {.entry = 1, .threads = 5, .block = 32, .buffer_count = 2, .param_count = 2};
    launch.buffers = buffers;
    launch.params = params;
    Job job = {.limits = {1, 2, 3}, .compiler = "cc", .flags = flags, .source = "text", .source_len = 4};
    job.launches = &launch;
    job.launch_count = 1;
    Text text;
    Arena arena;
    Job back;
    text_init(&text);
    arena_init(&arena);
    job_write(&job, &text);
    assert_true(job_read(&arena, text.data, text.len, &back));
    assert_string_equal(back.flags[1], "-b");
    assert_string_equal(back.source, "text");
    assert_int_equal(back.limits.memory_mb, 3);
    assert_int_equal(back.launches[0].params[1].pointers[0].offset, 8);
    assert_int_equal(back.launches[0].params[1].pointers[0].buffer, 1);
    assert_int_equal(job_result_size(&back.launches[0]), 3);
    for (size_t len = 0; len < text.len; len++) /* cut short anywhere */
        assert_false(job_read(&arena, text.data, len, &back));
    arena_free(&arena);
    text_free(&text);
}

/* An image with three sections: nothing, variables, names. */
static void make_image(char *image, size_t size, uint64_t variables, bool are_constant)
{
    static const char kinds[2][28] = {"\0.nv.global.init\0.shstrtab", "\0.nv.constant3\0\0\0.shstrtab"};
    const char *names = kinds[are_constant];
    enum { NAMES = 27 };
    Elf64_Ehdr head = {.e_shoff = sizeof head, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2};
    Elf64_Shdr sections[3] = {{0}, {.sh_name = 1, .sh_size = variables}, {.sh_name = 17, .sh_size = NAMES}};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    sections[2].sh_offset = sizeof head + sizeof sections;
    assert_true(size >= sizeof head + sizeof sections + NAMES);
    memcpy(image, &head, sizeof head);
    memcpy(image + sizeof head, sections, sizeof sections);
    memcpy(image + sizeof head + sizeof sections, names, NAMES);
}

static void test_images(void **state)
{
    (void)state;
    enum { SIZE = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) + 27 };
    char image[SIZE];
    make_image(image, SIZE, 4711, true);
    assert_int_equal(image_variables(image, SIZE), 0); /* nothing that was computed is in constants */
    make_image(image, SIZE, 4711, false);
    assert_int_equal(image_variables(image, SIZE), 4711);
    for (size_t len = 0; len < SIZE; len++) /* cut short anywhere */
        assert_int_equal(image_variables(image, len), (size_t)-1);
    make_image(image, SIZE, UINT64_MAX, false);
    assert_int_equal(image_variables(image, SIZE), (size_t)-1);
    image[0] = 'x';
    assert_int_equal(image_variables(image, SIZE), (size_t)-1);
}

/* What a launch that is timed gives back. */
static void test_timed_launch(void **state)
{
    (void)state;
    JobBuffer buffers[] = {{"abc", 3}};
    JobLaunch launch = {.block = 32, .buffer_count = 1, .buffers = buffers};
    assert_int_equal(job_result_size(&launch), 3);
    launch.repeats = 5;
    assert_int_equal(job_result_size(&launch), sizeof(JobTime));
}

static json_t *make_record(const char *expression)
{
    char source[300];
    snprintf(
        source, sizeof source,
        "@wp.kernel\ndef k(a: wp.array(dtype=float), b: wp.array(dtype=float)):\n    i = wp.tid()\n    b[i] = %s\n",
        expression);
    return json_pack("{s:s, s:s, s:s, s:[i], s:[{s:s, s:n, s:s, s:[i], s:f, s:f}, {s:s, s:n, s:s, s:[i]}], s:[]}",
                     "python_source", source, "kernel_name", "k", "id", "1", "launch_dim", 8, "arguments", "name", "a",
                     "field", "type", "array(ndim=1, dtype=float32)", "shape", 8, "low", 0.5, "high", 1.0, "name", "b",
                     "field", "type", "array(ndim=1, dtype=float32)", "shape", 8, "launches");
}

typedef struct Widening {
    const json_t *record;
    double factor; /* by how much the tolerance of the first launch grows */
} Widening;

static bool widen(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    Widening *widening = user;
    uint32_t stored;
    json_t *launches = trial_launches(compiled, description, widening->record,
                                      &(RefereeOptions){.hidden = &(Secret){.key = {1}}}, &stored);
    json_t *row = json_array_get(json_object_get(json_array_get(launches, 1), "outputs"), 0);
    double before = json_number_value(json_object_get(row, "tolerance"));
    trial_fit_to_card(compiled, launches, 0);
    widening->factor = json_number_value(json_object_get(row, "tolerance")) / before;
    json_decref(launches);
    return true;
}

static double widening_of(const char *expression)
{
    Workshop workshop = {NULL};
    json_t *record = make_record(expression);
    Widening widening = {record, 0};
    assert_true(workshop_ready(&workshop, "1.19.0"));
    assert_true(workshop_visit(&workshop, record, widen, &widening));
    workshop_free(&workshop);
    json_decref(record);
    return widening.factor;
}

/* A launch whose tolerance is a large part of its numbers tells hardly anything apart. */
static void test_vague_launches(void **state)
{
    (void)state;
    const char *const launches[] = {
        "{\"outputs\": [{\"floats\": [-9.9, 1.0], \"tolerance\": 0.24, \"type\": \"float32\"}]}",
        "{\"outputs\": [{\"floats\": [-9.9, 1.0], \"tolerance\": 0.024, \"type\": \"float32\"}]}",
        "{\"outputs\": [{\"floats\": [-9.9, 1.0], \"tolerance\": 0.24, \"type\": \"bfloat16\"}]}",
        "{\"outputs\": [{\"ints\": [3], \"tolerance\": null, \"type\": \"int32\"}]}"};
    for (int i = 0; i < 4; i++) {
        json_t *launch = json_read(launches[i], strlen(launches[i]));
        assert_int_equal(trial_is_vague(launch), i == 0);
        json_decref(launch);
    }
}

/* A card's functions round otherwise, which may be all that there is in a result. */
static void test_tolerances_on_cards(void **state)
{
    (void)state;
    assert_true(fabs(widening_of("a[i] + 1.0") - 4) <= 1e-9);
    assert_true(widening_of("1.0 - wp.exp(-0.003 * a[i])") > 8);
}

static bool count_hidden(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    Widening *widening = user;
    uint32_t stored;
    json_t *launches = trial_launches(compiled, description, widening->record,
                                      &(RefereeOptions){.hidden = &(Secret){.key = {1}}}, &stored);
    widening->factor = (double)json_array_size(launches);
    json_decref(launches);
    return true;
}

static double hidden_launches_of(const char *expression)
{
    Workshop workshop = {NULL};
    json_t *record = make_record(expression);
    Widening widening = {record, 0};
    assert_true(workshop_ready(&workshop, "1.19.0"));
    assert_true(workshop_visit(&workshop, record, count_hidden, &widening));
    workshop_free(&workshop);
    json_decref(record);
    return widening.factor;
}

/* In Warp, an index below zero counts from the end; in plain CUDA it is outside. */
static void test_hidden_launches(void **state)
{
    (void)state;
    assert_true(hidden_launches_of("a[i]") > 2);
    assert_true(fabs(hidden_launches_of("a[i - 1]")) <= 0);
}

static bool leave_out(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    static const char text[] = "[{\"dim\": [%d], \"inputs\": [{\"name\": \"a\", \"field\": null, \"type\": "
                               "\"float32\", \"shape\": [2], \"floats\": [1, 2], "
                               "\"ints\": null}, {\"name\": \"b\", \"field\": null, \"type\": \"float32\", \"shape\": "
                               "[2], \"floats\": [0, 0], \"ints\": null}], "
                               "\"outputs\": [{\"name\": \"b\", \"field\": null, \"type\": \"float32\", \"shape\": "
                               "[2], \"floats\": [0, 0], \"ints\": null, "
                               "\"tolerance\": 0.001}]}]";
    static const int sizes[2] = {40, 20};
    uint32_t *left = user;
    json_t *launches = json_array();
    (void)description;
    for (int i = 0; i < 2; i++) {
        char filled[900];
        snprintf(filled, sizeof filled, text, sizes[i]);
        json_t *one = json_loads(filled, 0, NULL);
        assert_non_null(one);
        json_array_extend(launches, one);
        json_decref(one);
    }
    left[1] = trial_fit_to_card(compiled, launches, 2);
    left[0] = (uint32_t)json_array_size(launches);
    json_decref(launches);
    return true;
}

/* The last thread wins, which more than a warp of them do not promise. */
static void test_launches_for_cards(void **state)
{
    (void)state;
    static const char *const texts[2] = {"wp.float32(i) * a[0]\n    b[0] = wp.float32(i)", "a[0]\n    b[0] = a[1]"};
    static const uint32_t wanted[2] = {1, 2};
    for (int i = 0; i < 2; i++) {
        Workshop workshop = {NULL};
        uint32_t left[2] = {0, 0};
        json_t *record = make_record(texts[i]);
        json_t *source = json_object_get(record, "python_source");
        char changed[400], *at;
        snprintf(changed, sizeof changed, "%s", json_string_value(source));
        while ((at = strstr(changed, "b[i] = ")) != NULL)
            at[2] = '1'; /* always the same cell */
        json_string_set(source, changed);
        assert_true(workshop_ready(&workshop, "1.19.0"));
        assert_true(workshop_visit(&workshop, record, leave_out, left));
        assert_int_equal(left[0], wanted[i]);
        assert_int_equal(left[1], wanted[i]);
        workshop_free(&workshop);
        json_decref(record);
    }
}

static void test_pass_at(void **state)
{
    (void)state;
    double low, high;
    assert_true(fabs(pass_at(10, 3, 1) - (0.3)) <= 1e-12);
    assert_true(fabs(pass_at(4, 2, 2) - (1 - 1.0 / 6)) <= 1e-12);
    assert_true(fabs(pass_at(5, 0, 5) - (0)) <= 0);
    assert_true(fabs(pass_at(5, 1, 5) - (1)) <= 0);
    assert_true(isnan(pass_at(2, 1, 3)));
    wilson_interval(0.5, 100, &low, &high);
    assert_true(fabs(low - (0.40383)) <= 1e-5);
    assert_true(fabs(high - (0.59617)) <= 1e-5);
    wilson_interval(1, 20, &low, &high); /* no certainty from 20 of 20 */
    assert_true(low < 0.9 && high == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_of_answers), cmocka_unit_test(test_verdicts_of_answers),
        cmocka_unit_test(test_changes),         cmocka_unit_test(test_requests),
        cmocka_unit_test(test_images),          cmocka_unit_test(test_timed_launch),
        cmocka_unit_test(test_vague_launches),  cmocka_unit_test(test_tolerances_on_cards),
        cmocka_unit_test(test_hidden_launches), cmocka_unit_test(test_launches_for_cards),
        cmocka_unit_test(test_pass_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
