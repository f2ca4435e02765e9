/* The builtin table: what a lookup finds, in which order, and what a mistake in a row says. */
#include "lang/builtin.h"
#include "lang/builtin_row.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static Arena arena;
static NameTable names;
static TypeTable types;
static BuiltinTable *table;
static Dialect dialect;

#define EVERY_VERSION                                                                                                  \
    {                                                                                                                  \
        0, WARP_NEWEST                                                                                                 \
    }

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    names_init(&names, &arena);
    types_init(&types, NULL, &arena, &names);
    dialect_find(NULL, &dialect);
    table = builtins_new(&arena, &types, &dialect);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static const BuiltinSet *find(const char *name)
{
    const BuiltinSet *set = builtin_find(table, name, strlen(name));
    assert_non_null(set);
    assert_string_equal(set->name, name);
    return set;
}

static void assert_type(const Type *type, const char *expected)
{
    Text text;
    text_init(&text);
    builtin_type_text(type, &text);
    assert_string_equal(text_cstr(&text), expected);
    text_free(&text);
}

static void finds_names_and_nothing_else(void **state)
{
    (void)state;
    assert_int_equal(find("sin")->count, 1);
    assert_null(builtin_find(table, "si", 2));
    assert_null(builtin_find(table, "", 0));
    assert_null(builtin_find(table, "no_such_function", 16));
    /* The name need not end where its length says. */
    assert_ptr_equal(builtin_find(table, "sinh", 3), find("sin"));
    assert_null(builtin_find(table, "tile_load", 8));
    for (uint32_t i = 0; i < builtin_set_count(table); i++)
        assert_ptr_equal(find(builtin_set_at(table, i)->name), builtin_set_at(table, i));
}

static void keeps_overloads_in_order(void **state)
{
    (void)state;
    const BuiltinSet *tid = find("tid");
    assert_int_equal(tid->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(tid->overloads[i]->result_count, i + 1);
        assert_int_equal(tid->overloads[i]->param_count, 0);
    }
    assert_string_equal(tid->overloads[0]->native, "builtin_tid1d");
    assert_true(tid->overloads[0]->flags & BUILTIN_GLOBAL);

    const BuiltinSet *mul = find("mul");
    assert_int_equal(mul->count, 17);
    assert_type(mul->overloads[1]->params[0].type, "vec(*,Scalar)");
    assert_type(mul->overloads[1]->params[1].type, "Scalar");
    assert_type(mul->overloads[13]->params[0].type, "transform(Float)");
}

static void puts_variadic_overloads_last(void **state)
{
    (void)state;
    /* In the table, matrix(*args) comes before matrix(pos, rot, scale). */
    const BuiltinSet *matrix = find("matrix");
    assert_int_equal(matrix->count, 2);
    assert_true(matrix->overloads[0]->row > matrix->overloads[1]->row);
    assert_int_equal(matrix->overloads[0]->rule, RESULT_MATRIX_TRANSFORM);
    assert_false(matrix->overloads[0]->flags & BUILTIN_VARIADIC);
    assert_true(matrix->overloads[1]->flags & BUILTIN_VARIADIC);
    assert_true(matrix->overloads[1]->params[0].variadic);
    assert_string_equal(matrix->overloads[1]->params[0].name, "args");
    assert_string_equal(matrix->overloads[1]->native, "mat_t");
    assert_type(matrix->overloads[1]->params[1].type, "tuple(int,int)");
}

static void reads_defaults(void **state)
{
    (void)state;
    const BuiltinParam *curl = find("curlnoise")->overloads[0]->params;
    assert_int_equal(curl[1].default_kind, DEFAULT_NONE);
    assert_int_equal(curl[2].default_kind, DEFAULT_UINT);
    assert_true(curl[2].default_value == 1.0);
    assert_int_equal(curl[4].default_kind, DEFAULT_FLOAT);
    assert_true(curl[4].default_value == 0.5);
    const BuiltinParam *query = find("bvh_query_aabb")->overloads[0]->params;
    assert_int_equal(query[3].default_kind, DEFAULT_INT);
    assert_true(query[3].default_value == -1.0);
    const BuiltinParam *next = find("bvh_query_next")->overloads[0]->params;
    assert_true(isinf(next[2].default_value) && next[2].default_value > 0);
    const BuiltinParam *near = find("expect_near")->overloads[0]->params;
    assert_true(near[2].default_value == 1e-06);
    const BuiltinParam *parity = find("mesh_query_point_sign_parity")->overloads[1]->params;
    assert_true(parity[4].default_value == 0.1);
    const BuiltinParam *address = find("address")->overloads[0]->params;
    assert_int_equal(address[1].default_kind, DEFAULT_NONE);
    assert_int_equal(address[2].default_kind, DEFAULT_OMITTED);
}

static void reads_results(void **state)
{
    (void)state;
    const Builtin *svd = find("svd3")->overloads[0];
    assert_int_equal(svd->rule, RESULT_LISTED);
    assert_int_equal(svd->result_count, 3);
    assert_true(svd->result_uses_arg_scalar);
    assert_ptr_equal(svd->results[1], type_vec(&types, 3, type_scalar(TYPE_ANY_SCALAR)));
    assert_int_equal(find("svd3")->overloads[1]->rule, RESULT_VOID);
    assert_int_equal(find("svd3")->overloads[1]->result_count, 0);
    assert_int_equal(find("add")->overloads[0]->rule, RESULT_SAME);
    assert_int_equal(find("dot")->overloads[0]->rule, RESULT_SAME_SCALAR);
    /* Python's int and float are int32 and float32 everywhere but inside tuples. */
    const Builtin *randf = find("randf")->overloads[1];
    assert_ptr_equal(randf->results[0], type_scalar(TYPE_FLOAT32));
    assert_ptr_equal(randf->params[1].type, type_scalar(TYPE_FLOAT32));
    assert_false(randf->result_uses_arg_scalar);
    const Builtin *zeros = find("zeros")->overloads[0];
    assert_type(zeros->params[0].type, "tuple(int,...)");
    assert_true(zeros->params[1].is_dtype);
    assert_type(zeros->params[1].type, "Any");
}

static void parses_every_kind_of_type(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "Any",
        "Int",
        "Float",
        "Scalar",
        "bool",
        "int8",
        "uint64",
        "float16",
        "bfloat16",
        "float64",
        "str",
        "function",
        "vec(3,float32)",
        "vec(*,Scalar)",
        "mat(2,*,bool)",
        "quat(Float)",
        "transform(float16)",
        "array(Any)",
        "indexedarray(vec(3,float32))",
        "fabricarray(Any)",
        "indexedfabricarray(Any)",
        "fixedarray(mat(*,*,Float))",
        "tuple",
        "tuple(int,int)",
        "tuple(float,...)",
        "range_t",
        "_HashGridQueryH",
        "Texture3D",
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char params[64];
        snprintf(params, sizeof params, "a:%s, b:type(Any)", kinds[i]);
        Builtin builtin;
        Text error;
        text_init(&error);
        assert_true(builtins_parse_row(&arena, &types, &(BuiltinColumns){0},
                                       &(BuiltinRow){.name = "f", .params = params, .result = ""}, &builtin, &error));
        assert_int_equal(builtin.param_count, 2);
        assert_type(builtin.params[0].type, kinds[i]);
        text_free(&error);
    }
}

static void names_the_mistake_in_a_row(void **state)
{
    (void)state;
    static const struct {
        const char *params, *result, *message;
    } rows[] = {
        {"a:vex(3,Float)", "", "parameters: no such type at `vex(3,Float)`"},
        {"a:vec(3,Float", "", "parameters: expected `)` at ``"},
        {"a:vec(Float)", "", "parameters: expected a dimension: a number or `*` at `Float)`"},
        {"a:mat(3,Float)", "", "parameters: expected a dimension: a number or `*` at `Float)`"},
        {"a:quat", "", "parameters: expected `(` and the element type at ``"},
        {"a:tuple(int", "", "parameters: expected `)` at ``"},
        {"a", "", "parameters: expected `:` and the parameter's type at ``"},
        {"a:", "", "parameters: expected a type at ``"},
        {":int", "", "parameters: expected a parameter's name at `:int`"},
        {"a:int b:int", "", "parameters: expected `,` or the end at ` b:int`"},
        {"a:int,", "", "parameters: expected a parameter's name at ``"},
        {"a:int=x", "", "parameters: expected a default value: a number, `inf` or `None` at `x`"},
        {"a:int=1.5u", "", "parameters: expected `,` or the end at `u`"},
        {"a:T", "", "parameters: T only stands in results at `T`"},
        {"a:type(Nonsense)", "", "parameters: no such type at `Nonsense)`"},
        {"a:int", "@no_such", "result: no such rule: see rule.def at `@no_such`"},
        {"a:int", "@listed", "result: no such rule: see rule.def at `@listed`"},
        {"a:int", "vec(3,T", "result: expected `)` at ``"},
        {"a:int", "int int", "result: expected `,` or the end at ` int`"},
        {"a:int", "int, int, int, int, int", "result: more results than any function has at `int`"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        BuiltinRow row = {EVERY_VERSION, "f", rows[i].params, rows[i].result, NULL, 0, "Test", 12};
        Builtin builtin;
        Text error;
        char expected[160];
        text_init(&error);
        assert_false(builtins_parse_row(&arena, &types, &(BuiltinColumns){0}, &row, &builtin, &error));
        snprintf(expected, sizeof expected, "builtins.def:12: f: %s", rows[i].message);
        assert_string_equal(text_cstr(&error), expected);
        text_free(&error);
    }
}

/* A table with a mistake is a mistake of whoever builds weft: it ends the program, and says where it is. */
static void stops_at_a_bad_table(void **state)
{
    (void)state;
    static const BuiltinRow rows[] = {
        {EVERY_VERSION, "good", "a:int", "=", NULL, 0, "Test", 7},
        {EVERY_VERSION, "bad", "a:imt", "=", NULL, 0, "Test", 8},
    };
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        const BuiltinTable *bad = builtins_from_rows(&arena, &types, &dialect, rows, 2);
        if (builtin_find(bad, "good", 4)->count == 1) /* a row is read when it is asked for */
            builtin_find(bad, "bad", 3);
        _exit(0);
    }
    close(ends[1]);
    char message[200];
    ssize_t len = read(ends[0], message, sizeof message - 1);
    assert_true(len > 0);
    message[len] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(message, "builtins.def:8: bad: parameters: no such type at `imt`\n");
}

static void writes_one_line_an_overload(void **state)
{
    (void)state;
    static const BuiltinRow rows[] = {
        {EVERY_VERSION, "f", "*args:Any, n:int=-1", "vec(3,T), T", "f_t", BUILTIN_NO_ADJOINT | BUILTIN_HIDDEN, "Test",
         1},
        {EVERY_VERSION, "g", "dtype:type(Float)=None", "@outer", NULL, 0, "Test", 2},
    };
    Text out;
    text_init(&out);
    builtins_dump(builtins_from_rows(&arena, &types, &dialect, rows, 2), &out);
    assert_string_equal(
        text_cstr(&out),
        "{\"name\": \"f\", \"params\": [[\"*args\", \"Any\", null], [\"n\", \"int32\", \"-1\"]], "
        "\"result\": \"vec(3,T), T\", \"result_count\": 2, \"native\": \"f_t\", "
        "\"flags\": [\"no_adjoint\", \"hidden\", \"variadic\"], \"group\": \"Test\"}\n"
        "{\"name\": \"g\", \"params\": [[\"dtype\", \"type(Float)\", \"None\"]], \"result\": \"@outer\", "
        "\"result_count\": 1, \"native\": \"g\", \"flags\": [], \"group\": \"Test\"}\n");
    text_free(&out);
}

static void keeps_the_rows_of_the_version(void **state)
{
    (void)state;
    static const BuiltinRow rows[] = {
        {{WARP_1_16, WARP_1_17}, "f", "a:int", "=", "old_f", 0, "Test", 1},
        {{WARP_1_18, WARP_NEWEST}, "f", "a:int", "=", "new_f", 0, "Test", 2},
        {{WARP_1_18, WARP_1_18}, "g", "a:int", "=", NULL, 0, "Test", 3},
    };
    static const struct {
        const char *version, *native;
        bool has_g;
    } expected[] = {
        {"1.16", "old_f", false}, {"1.17.0", "old_f", false}, {"1.18", "new_f", true}, {"1.19", "new_f", false}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        Dialect chosen;
        assert_true(dialect_find(expected[i].version, &chosen));
        const BuiltinTable *made = builtins_from_rows(&arena, &types, &chosen, rows, 3);
        assert_int_equal(builtin_find(made, "f", 1)->count, 1);
        assert_string_equal(builtin_find(made, "f", 1)->overloads[0]->native, expected[i].native);
        assert_int_equal(builtin_find(made, "g", 1) != NULL, expected[i].has_g);
    }
}

static void knows_versions_by_number(void **state)
{
    (void)state;
    Dialect found;
    assert_true(dialect_find("1.17", &found));
    assert_string_equal(found.number, "1.17.0");
    assert_true(found.locals_known_up_front);
    assert_true(dialect_find("1.16.0", &found));
    assert_false(found.locals_known_up_front);
    static const char *const unknown[] = {"", "1", "1.1", "1.16.", "1.16.1", "1.160", "1.16.0 ", "2.0"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(dialect_find(unknown[i], &found));
    for (unsigned i = 0; i < WARP_VERSION_COUNT; i++)
        assert_true(dialect_find(dialect_number_at(i), &found) && found.version == i);
    assert_null(dialect_number_at(WARP_VERSION_COUNT));
}

static void gives_one_pointer_for_equal_types(void **state)
{
    (void)state;
    TypeTable further;
    types_init(&further, builtins_types(table), &arena, &names);
    const Type *real = type_scalar(TYPE_FLOAT32);
    const Type *known = find("cross")->overloads[0]->params[0].type;
    assert_ptr_equal(type_vec(&further, 3, known->composite.dtype), known);
    assert_ptr_equal(type_vec(&further, 17, real), type_vec(&further, 17, real));
    assert_ptr_not_equal(type_vec(&further, 17, real), type_vec(&further, 18, real));
    assert_ptr_equal(type_array(&further, ARRAY_PLAIN, type_vec(&further, 17, real), 2),
                     type_array(&further, ARRAY_PLAIN, type_vec(&further, 17, real), 2));
    assert_ptr_equal(type_ref(&further, type_mat(&further, 3, 3, real)),
                     type_ref(&types, type_mat(&types, 3, 3, real)));
    const Type *elements[] = {real, real}; /* a tuple is another one each time */
    assert_ptr_not_equal(type_tuple(&further, elements, 2, TUPLE_VALUE),
                         type_tuple(&further, elements, 2, TUPLE_VALUE));
}

/* Rows are read when they are asked for: also after a file that has the same types. */
static void gives_one_pointer_to_later_rows(void **state)
{
    (void)state;
    TypeTable fresh, further;
    types_init(&fresh, NULL, &arena, &names);
    const BuiltinTable *later = builtins_new(&arena, &fresh, &dialect);
    types_init(&further, builtins_types(later), &arena, &names);
    const Type *made = type_vec(&further, 2, type_scalar(TYPE_FLOAT32));
    const Type *array = type_array(&further, ARRAY_PLAIN, made, 1),
               *long_one = type_vec(&further, 9, made->composite.dtype);
    const BuiltinSet *set = builtin_find(later, "curlnoise", strlen("curlnoise"));
    assert_ptr_equal(set->overloads[0]->params[1].type, made);
    assert_ptr_equal(type_array(&fresh, ARRAY_PLAIN, made, 1), array);
    assert_ptr_not_equal(type_vec(&fresh, 9, made->composite.dtype),
                         long_one); /* no row has it: it goes with its file */
}

static void compares_forms(void **state)
{
    (void)state;
    const Type *handle = type_scalar(TYPE_HANDLE), *wide = type_scalar(TYPE_UINT64), *real = type_scalar(TYPE_FLOAT32);
    assert_true(types_have_one_form(handle, wide));
    assert_false(types_have_one_form(wide, real));
    assert_true(types_have_one_form(type_ref(&types, real), real));
    assert_true(
        types_have_one_form(type_array(&types, ARRAY_PLAIN, handle, 1), type_array(&types, ARRAY_PLAIN, wide, 3)));
    assert_false(
        types_have_one_form(type_array(&types, ARRAY_PLAIN, real, 1), type_array(&types, ARRAY_INDEXED, real, 1)));
    uint32_t flat[] = {6}, square[] = {2, 3}, other[] = {7};
    const Type *six = type_fixed_array(&types, real, 1, flat);
    assert_true(types_have_one_form(six, type_fixed_array(&types, real, 2, square)));
    assert_false(types_have_one_form(six, type_fixed_array(&types, real, 1, other)));
    assert_false(types_have_one_form(type_vec(&types, 3, real), type_vec(&types, 4, real)));
    const Type *pair[] = {handle, real}, *alike[] = {wide, real}, *mixed[] = {wide, type_ref(&types, real)};
    const Type *tuple = type_tuple(&types, pair, 2, TUPLE_VALUE);
    assert_true(types_have_one_form(tuple, type_tuple(&types, alike, 2, TUPLE_VALUE)));
    assert_false(types_have_one_form(tuple, type_tuple(&types, mixed, 2, TUPLE_VALUE)));
    assert_false(types_have_one_form(tuple, type_tuple(&types, pair, 1, TUPLE_VALUE)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_names_and_nothing_else),
        cmocka_unit_test(keeps_overloads_in_order),
        cmocka_unit_test(puts_variadic_overloads_last),
        cmocka_unit_test(reads_defaults),
        cmocka_unit_test(reads_results),
        cmocka_unit_test(parses_every_kind_of_type),
        cmocka_unit_test(names_the_mistake_in_a_row),
        cmocka_unit_test(stops_at_a_bad_table),
        cmocka_unit_test(writes_one_line_an_overload),
        cmocka_unit_test(keeps_the_rows_of_the_version),
        cmocka_unit_test(knows_versions_by_number),
        cmocka_unit_test(gives_one_pointer_for_equal_types),
        cmocka_unit_test(gives_one_pointer_to_later_rows),
        cmocka_unit_test(compares_forms),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
