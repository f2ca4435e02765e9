/* Every law and every scene can be read; samples of each scene compile, run, and are right in both evaluators.
 * WEFT_SCENE_SAMPLES=100 draws more of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/scene.h"
#include "synth/meaning/meaning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_all_can_be_read(void **state)
{
    (void)state;
    SynthContext *context = synth_new(NULL);
    Text errors;
    text_init(&errors);
    bool good = synth_check_scenes(context, &errors);
    if (!good)
        print_error("%s", text_cstr(&errors));
    assert_true(good);
    assert_true(synth_meaning(context)->law_count > 0 && synth_meaning(context)->scene_count > 0);
    text_free(&errors);
    synth_free(context);
}

static void test_names_are_unique(void **state)
{
    (void)state;
    SynthContext *context = synth_new(NULL);
    Meaning *meaning = synth_meaning(context);
    uint32_t count;
    const Quantity *quantities = quantity_table(&count);
    for (uint32_t i = 0; i < count; i++)
        assert_ptr_equal(quantity_find(meaning, name_cstr(meaning->names, quantities[i].id)), &quantities[i]);
    const Entity *entities = entity_table(&count);
    for (uint32_t i = 0; i < count; i++)
        assert_ptr_equal(entity_find(meaning, name_cstr(meaning->names, entities[i].id)), &entities[i]);
    for (uint32_t i = 0; i < meaning->law_count; i++)
        if (law_find(meaning, meaning->laws[i].name) != &meaning->laws[i])
            fail_msg("two laws are called %s", meaning->laws[i].name->text);
    for (uint32_t i = 0; i < meaning->scene_count; i++)
        if (scene_find(meaning, meaning->scenes[i].name->text) != &meaning->scenes[i])
            fail_msg("two scenes are called %s", meaning->scenes[i].name->text);
    synth_free(context);
}

/* At most a tenth of the samples may be wrong where the scene stands alone, and a seventh in all. */
static bool holds(const SceneTally *tally, uint32_t count)
{
    return tally->wrong_alone <= count / 10 && tally->good >= count - count / 7;
}

/* A scene that fails is tried on four times as many samples: among hundreds of scenes, some have bad luck with a few. */
static void test_samples_of_every_scene_hold(void **state)
{
    (void)state;
    const char *given = getenv("WEFT_SCENE_SAMPLES");
    uint32_t count = given ? (uint32_t)atoi(given) : 15;
    SynthContext *context = synth_new(NULL);
    Weft *weft = weft_new(NULL);
    Text report;
    text_init(&report);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < synth_scene_count(context); i++) {
        SceneTally tally;
        uint32_t drawn = count;
        report.len = 0;
        assert_true(check_scene(context, weft, i, 7, drawn, &tally, &report));
        if (!holds(&tally, drawn)) {
            drawn = 4 * count;
            report.len = 0;
            assert_true(check_scene(context, weft, i, 8, drawn, &tally, &report));
        }
        if (!holds(&tally, drawn)) {
            print_error("%s: %u of %u samples hold\n%s", synth_scene_name(context, i), tally.good, drawn,
                        text_cstr(&report));
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    text_free(&report);
    weft_free(weft);
    synth_free(context);
}

/* ---- mistakes are told, with their place ---- */

static const char *message_of(const char *text, bool is_scene)
{
    static char message[512];
    SynthContext *context = synth_new(NULL);
    Chunk chunk = {"scenes/test.py", text, strlen(text), 10};
    Scene scene = {.chunk = chunk, .name = name_cstr(synth_meaning(context)->names, "test")};
    Law law = {.chunk = chunk, .name = name_cstr(synth_meaning(context)->names, "test")};
    bool good =
        is_scene ? scene_load(synth_meaning(context), &scene) != NULL : law_load(synth_meaning(context), &law) != NULL;
    snprintf(message, sizeof message, "%s", good ? "" : synth_meaning(context)->message);
    synth_free(context);
    return message;
}

static void test_mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    const char *head = "@scene(\"physics\", particle, says=\"s\", title=\"t\")\n";
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"def t(x: each(position), y: out(mas)):\n    i = wp.tid()\n",
         "src/synth/meaning/scenes/test.py:11:33: error: there is no quantity 'mas' in quantities.def"},
        {"def t(x: each(mass), y: out(mass)):\n    i = wp.tid()\n    y[i] = z + x[i]\n",
         "src/synth/meaning/scenes/test.py:13:12: error: unknown name 'z': not a parameter, a variable, a law, or a "
         "word of scenes"},
        {"def t(x: each(mass), y: out(mass)):\n    i = wp.tid()\n    y[i] = wobble(x[i])\n",
         "src/synth/meaning/scenes/test.py:13:12: error: unknown name 'wobble': not a parameter, a variable, a law, or "
         "a word of scenes"},
        {"def t(x: each(mass, planetoid), y: out(mass)):\n    i = wp.tid()\n    y[i] = x[i]\n",
         "src/synth/meaning/scenes/test.py:11:21: error: there is no entity 'planetoid' in quantities.def"},
        {"def t(x: each(mass), y):\n    i = wp.tid()\n    y[i] = x[i]\n",
         "src/synth/meaning/scenes/test.py:11:22: error: the parameter 'y' does not say what it is"},
        {"def t(x: each(mass, 4), y: out(mass)):\n    y[0] = x[0]\n",
         "src/synth/meaning/scenes/test.py:11:28: error: without wp.tid() an array says its axes: out(mass, 1)"},
        {"def t(x: each(mass, 4), y: out(mass, 4)):\n    i, j, k, l, m = wp.tid()\n    y[i] = x[i]\n",
         "src/synth/meaning/scenes/test.py:11:1: error: wp.tid() gives up to four indices"},
        {"def t(x: each(mass), y: out(mass)):\n    i = wp.tid()\n    if allows(wp.bit_total):\n        y[i] = x[i]\n",
         "src/synth/meaning/scenes/test.py:13:8: error: allows() takes a trait of versions.def, or a builtin: "
         "allows(wp.bit_count)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", head, cases[i].body);
        assert_string_equal(message_of(text, true), cases[i].message);
    }
    assert_string_equal(message_of("@law(\"t\", \"s\")\ndef t(m: mass):\n    return m\n", false),
                        "src/synth/meaning/scenes/test.py:11:1: error: a law needs a return annotation");
}

static void test_sentences_are_about_the_scene(void **state)
{
    (void)state;
    const char *format =
        "@scene(\"physics\", particle, says=\"s%s\", title=\"t\")\n"
        "def t(x: each(mass), y: out(mass), z: maybe(out(mass))):\n    i = wp.tid()\n    y[i] = x[i]\n";
    char text[512];
    snprintf(text, sizeof text, format, "{z: and z}");
    assert_string_equal(message_of(text, true), "");
    snprintf(text, sizeof text, format, "{w: and w}");
    assert_string_equal(
        message_of(text, true),
        "src/synth/meaning/scenes/test.py:11:1: error: says= is about 'w', which is no parameter and no "
        "choice of the scene");
    snprintf(text, sizeof text, format, "{z and z}");
    assert_string_equal(message_of(text, true),
                        "src/synth/meaning/scenes/test.py:11:1: error: {name: words} is expected in says=");
    assert_string_equal(
        message_of("@scene(\"physics\", particle, says=\"s\", title=\"t{w:|u}\")\n"
                   "def t(x: each(mass), y: out(mass)):\n    i = wp.tid()\n    y[i] = x[i]\n",
                   true),
        "src/synth/meaning/scenes/test.py:11:1: error: title= is about 'w', which is no parameter and no "
        "choice of the scene");
}

/* A kernel that does not normalise its steps is not called so. */
static void test_titles_follow_the_choices(void **state)
{
    (void)state;
    SynthContext *context = synth_new(NULL);
    SynthSample sample;
    uint32_t scene = 0, with = 0, without = 0;
    while (strcmp(synth_scene_name(context, scene), "lms_filter") != 0)
        scene++;
    for (uint32_t i = 0; i < 60; i++) {
        assert_true(synth_scene_sample(context, 5, i, scene, &sample));
        bool normalised = strstr(sample.description, "normalised by the power") != NULL;
        bool said = strstr(sample.source, "nlms_") != NULL;
        assert_true(normalised || !said);
        with += said;
        without += !normalised;
    }
    assert_true(with > 0 && without > 0);
    synth_free(context);
}

/* What only some forms of a scene do is said only of those. */
static void test_sentences_follow_the_choices(void **state)
{
    (void)state;
    SynthContext *context = synth_new(NULL);
    SynthSample sample;
    uint32_t scene = 0, with = 0, without = 0;
    while (strcmp(synth_scene_name(context, scene), "face_normals") != 0)
        scene++;
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(synth_scene_sample(context, 5, i, scene, &sample));
        bool said = strstr(sample.description, "normal and the area of each") != NULL;
        assert_int_equal(said, strstr(sample.plan, "{\"role\": \"a\"") != NULL);
        with += said;
        without += !said;
    }
    assert_true(with && without);
    synth_free(context);
}

/* ---- what the engine makes of a scene ---- */

/* Does every sample of a scene with this body have one of the words, and none of the others? */
static void expect_words(const char *body, const char *one, const char *const *none)
{
    char text[1024];
    snprintf(text, sizeof text, "@scene(\"physics\", particle, says=\"s\", title=\"t\", topic=\"\")\n%s", body);
    SynthContext *context = synth_new(NULL);
    Chunk chunk = {"scenes/test.py", text, strlen(text), 1};
    Scene scene = {.chunk = chunk, .name = name_cstr(synth_meaning(context)->names, "test")};
    for (uint32_t i = 0; i < 200; i++) {
        SynthSample sample = {.category = CATEGORY_physics};
        if (!meaning_sample(context, &scene, rng_at(5, i, 1), &sample))
            fail_msg("%s", synth_last_refusal(context));
        if (one && !strstr(sample.source, one))
            fail_msg("no '%s' in\n%s", one, sample.source);
        for (const char *const *word = none; *word; word++)
            if (strstr(sample.source, *word))
                fail_msg("'%s' in\n%s", *word, sample.source);
    }
    synth_free(context);
}

static void test_a_flag_is_never_a_number_in_a_test(void **state)
{
    (void)state;
    expect_words("def t(x: each(mass), on: setting(flag), y: out(mass)):\n    i = wp.tid()\n    m = x[i]\n"
                 "    if on != 0:\n        m = 2.0 * m\n    y[i] = m\n",
                 NULL, (const char *const[]){"if 0 ", "if 1 ", "if (0", "if (1", NULL});
}

/* q[i][0] = x stays in every layout of the data: such an array is never taken apart into arrays of components. */
static void test_component_stores_keep_their_array(void **state)
{
    (void)state;
    enum { SAMPLES = 1500 };
    SynthContext *context = synth_new(NULL);
    SynthSample sample;
    uint32_t scene = 0, stores = 0;
    assert_non_null(context);
    while (strcmp(synth_scene_name(context, scene), "hmc_chain") != 0)
        scene++;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        assert_true(synth_scene_sample(context, 5, i, scene, &sample));
        stores += strstr(sample.source, "][1] = ") != NULL;
    }
    assert_true(stores > SAMPLES / 4);
    synth_free(context);
}

static void test_masks_stay_hexadecimal(void **state)
{
    (void)state;
    expect_words("def t(x: each(count_value), y: out(count_value)):\n    i = wp.tid()\n    y[i] = x[i] & 0x3F\n",
                 "0x3F", (const char *const[]){"63", NULL});
}

static void test_what_only_feeds_itself_is_left_out(void **state)
{
    (void)state;
    expect_words("def t(x: each(mass, particle, 8), y: out(mass)):\n    i = wp.tid()\n    total = 0.0\n"
                 "    unheard = 0.0\n    for k in range(8):\n        total += x[i, k]\n"
                 "        unheard = wp.max(unheard, x[i, k])\n    y[i] = total\n",
                 NULL, (const char *const[]){"unheard", NULL});
}

static void test_a_function_that_nobody_calls_is_left_out(void **state)
{
    (void)state;
    expect_words("def t(x: each(probability), y: out(probability)):\n    i = wp.tid()\n    a = box_muller(x[i], x[i])\n"
                 "    y[i] = 1.0 - x[i]\n",
                 NULL, (const char *const[]){"def (", "box_muller", NULL});
}

static void test_words_of_python_keep_their_underscore(void **state)
{
    (void)state;
    expect_words("def t(x: each(mass), lambda_: each(value), y: out(mass)):\n    i = wp.tid()\n"
                 "    y[i] = x[i] * lambda_[i]\n",
                 NULL, (const char *const[]){"lambda2", "lambda,", "lambda:", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_can_be_read),
        cmocka_unit_test(test_sentences_are_about_the_scene),
        cmocka_unit_test(test_a_flag_is_never_a_number_in_a_test),
        cmocka_unit_test(test_component_stores_keep_their_array),
        cmocka_unit_test(test_masks_stay_hexadecimal),
        cmocka_unit_test(test_what_only_feeds_itself_is_left_out),
        cmocka_unit_test(test_a_function_that_nobody_calls_is_left_out),
        cmocka_unit_test(test_words_of_python_keep_their_underscore),
        cmocka_unit_test(test_sentences_follow_the_choices),
        cmocka_unit_test(test_titles_follow_the_choices),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_samples_of_every_scene_hold),
        cmocka_unit_test(test_mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
