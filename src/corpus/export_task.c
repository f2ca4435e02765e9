/* Exercises made of records. A question has everything that its answer follows from, and the exact signature asked for. */
#include "corpus/export.h"

const Task tasks[TASK_COUNT] = {
#define TASK(id, name, about) [TASK_##id] = {name, about},
#include "corpus/tasks.def"
#undef TASK
};

int task_named(const char *name)
{
    int task = 0;
    while (task < TASK_COUNT && strcmp(tasks[task].name, name) != 0)
        task++;
    return task;
}

/* ---- pieces of text ---- */

static void put_whole_block(Text *out, const char *language, const char *text)
{
    text_fenced(out, language, text, strlen(text));
}

/* From where `start` stands to the first `end` behind it; false: it is not there. */
static bool find_span(const char *text, const char *start, const char *end, const char **from, size_t *len)
{
    *from = strstr(text, start);
    const char *to = *from ? strstr(*from, end) : NULL;
    *len = to ? (size_t)(to - *from) : 0;
    return to;
}

/* The signatures of all kernels in CUDA text. */
static bool put_cuda_signatures(Text *out, const char *text, const char *start)
{
    const char *from;
    size_t len;
    bool any = false;
    for (; find_span(text, start, "\n{", &from, &len); text = from + len, any = true) {
        text_lit(out, "\n\n");
        text_fenced(out, "cuda", from, len);
    }
    return any;
}

static bool put_python_signature(Text *out, const char *source)
{
    const char *from;
    size_t len;
    if (!find_span(source, "@wp.kernel", "):\n", &from, &len))
        return false;
    text_lit(out, "\n\n");
    text_fenced(out, "python", from, len + 2);
    return true;
}

/* The text of the kernel with the functions and structs that it uses. */
static void put_cuda_with_prelude(Text *out, const json_t *record)
{
    const char *prelude = json_member_string(record, "cuda_prelude");
    text_str(out, prelude);
    if (*prelude && prelude[strlen(prelude) - 1] != '\n')
        text_char(out, '\n');
    text_str(out, json_member_string(record, "cuda_forward"));
}

static void put_forward_block(Text *out, const json_t *record)
{
    Text text;
    text_init(&text);
    put_cuda_with_prelude(&text, record);
    put_whole_block(out, "cuda", text_cstr(&text));
    text_fail_like(out, &text);
    text_free(&text);
}

static void answer_with(Exercise *exercise, const char *language)
{
    put_whole_block(&exercise->answer, language, text_cstr(&exercise->bare));
}

static const char *member(const json_t *record, const char *name)
{
    return json_member_string(record, name);
}

/* How many threads share the tiles of a kernel. */
static void put_block_size(Text *out, const json_t *record)
{
    const json_t *block = json_object_get(record, "block_dim");
    if (json_is_integer(block))
        text_format(out, " Its blocks have %d threads (`WP_TILE_BLOCK_DIM`).", (int)json_integer_value(block));
}

/* ---- the tasks ---- */

static bool make_FORWARD(Exercise *exercise, const json_t *record)
{
    const char *forward = member(record, "cuda_forward");
    text_format(&exercise->instruction,
                "Translate this kernel, written in the Python language of NVIDIA Warp, into the CUDA text that Warp %s "
                "generates "
                "for its forward pass: the structs and functions that it uses, then the kernel, to be compiled behind "
                "`#include \"builtin.h\"` of Warp's native headers. The signature of the kernel is",
                member(record, "warp_version"));
    if (!put_cuda_signatures(&exercise->instruction, forward, "extern \"C\" __global__"))
        return false;
    put_block_size(&exercise->instruction, record);
    put_whole_block(&exercise->input, "python", member(record, "python_source"));
    put_cuda_with_prelude(&exercise->bare, record);
    answer_with(exercise, "cuda");
    return true;
}

static bool make_BACKWARD(Exercise *exercise, const json_t *record)
{
    const char *backward = member(record, "cuda_backward");
    if (strcmp(member(record, "gradient_verdict"), "mismatch") == 0)
        return false;
    text_format(
        &exercise->instruction,
        "NVIDIA Warp %s has generated this CUDA kernel from Python. Write the kernel of its backward pass as Warp "
        "generates it: it runs the forward statements again and then their adjoints in reverse, adding to the "
        "gradients "
        "of the inputs. Its signature is",
        member(record, "warp_version"));
    if (!put_cuda_signatures(&exercise->instruction, backward, "extern \"C\" __global__"))
        return false;
    put_block_size(&exercise->instruction, record);
    put_forward_block(&exercise->input, record);
    text_str(&exercise->bare, backward);
    answer_with(exercise, "cuda");
    return true;
}

static bool make_READABLE(Exercise *exercise, const json_t *record)
{
    const char *readable = member(record, "cuda_readable");
    text_lit(&exercise->instruction, "Write this kernel, which is in the Python language of NVIDIA Warp, as plain CUDA "
                                     "that a person likes to read and that "
                                     "compiles without Warp's headers. An array is a pointer to its elements, followed "
                                     "by those of its sizes that are "
                                     "needed; `threads`, or `threads_x` and so on, say how many are launched. `adj_` "
                                     "marks the gradient of a parameter. Types "
                                     "that CUDA does not have are structs that you define. What is asked for:");
    if (!put_cuda_signatures(&exercise->instruction, readable, "__global__"))
        return false;
    put_whole_block(&exercise->input, "python", member(record, "python_source"));
    text_str(&exercise->bare, readable);
    answer_with(exercise, "cuda");
    return true;
}

static bool make_PYTHON(Exercise *exercise, const json_t *record)
{
    const char *source = member(record, "python_source");
    text_format(
        &exercise->instruction,
        "NVIDIA Warp %s has generated this CUDA text from a kernel in its Python language. Write that kernel, with the "
        "structs and functions that it uses; `import warp as wp` stands before it. Its signature is",
        member(record, "warp_version"));
    if (!put_python_signature(&exercise->instruction, source) || !*member(record, "cuda_forward"))
        return false;
    put_forward_block(&exercise->input, record);
    text_str(&exercise->bare, source);
    answer_with(exercise, "python");
    return true;
}

static bool make_KERNEL(Exercise *exercise, const json_t *record)
{
    const char *source = member(record, "python_source");
    text_format(&exercise->instruction,
                "%s\n\nIt is in the Python language of NVIDIA Warp %s; `import warp as wp` stands before it. Define "
                "the structs and "
                "functions that it uses, too. Its signature is",
                member(record, "instruction"), member(record, "warp_version"));
    if (!put_python_signature(&exercise->instruction, source))
        return false;
    text_str(&exercise->bare, source);
    answer_with(exercise, "python");
    return true;
}

static bool make_GRADIENT(Exercise *exercise, const json_t *record)
{
    const char *backward = member(record, "cuda_backward"), *verdict = member(record, "gradient_verdict");
    bool wrong = strcmp(verdict, "mismatch") == 0;
    if (!*backward || (!wrong && strcmp(verdict, "pass") != 0))
        return false;
    text_format(&exercise->instruction,
                "A kernel in the Python language of NVIDIA Warp, and the CUDA text that Warp %s generates for its "
                "backward pass. "
                "Are the gradients by the kernel's inputs that it computes those of the function that the kernel "
                "computes? Answer "
                "with one word, `right` or `wrong`.",
                member(record, "warp_version"));
    put_whole_block(&exercise->input, "python", member(record, "python_source"));
    text_lit(&exercise->input, "\n\n");
    put_whole_block(&exercise->input, "cuda", backward);
    text_str(&exercise->bare, wrong ? "wrong" : "right");
    text_str(&exercise->answer, wrong ? "wrong" : "right");
    return true;
}

bool exercise_make(Exercise *exercise, TaskId task, const json_t *record)
{
    static bool (*const make[TASK_COUNT])(Exercise *, const json_t *) = {
#define TASK(id, name, about) [TASK_##id] = make_##id,
#include "corpus/tasks.def"
#undef TASK
    };
    exercise->instruction.len = exercise->input.len = exercise->answer.len = exercise->bare.len = 0;
    return make[task](exercise, record);
}

void exercise_free(Exercise *exercise)
{
    text_free(&exercise->instruction);
    text_free(&exercise->input);
    text_free(&exercise->answer);
    text_free(&exercise->bare);
}
