#include "corpus/task_text.h"

#include "corpus/columns.h"
#include "corpus/task_contract.h"

#include <ctype.h>
#include <stdlib.h>

const TaskKindInfo task_kinds[KIND_COUNT] = {
#define KIND(id, name, form, uses, about) [KIND_##id] = {name, about, FORM_##form, uses},
#include "corpus/kinds.def"
#undef KIND
};

int task_kind_named(const char *name, TaskUse use)
{
    int kind = 0;
    while (kind < KIND_COUNT && (strcmp(task_kinds[kind].name, name) != 0 || !(task_kinds[kind].uses & use)))
        kind++;
    return kind;
}

const char *form_name(AnswerForm form)
{
    static const char *const names[FORM_COUNT] = {
        [FORM_CUDA] = "cuda", [FORM_WARP] = "warp-cuda", [FORM_PYTHON] = "python", [FORM_VERDICT] = "verdict"};
    return names[form];
}

/* ---- pieces ---- */

static const char *member(const TaskSource *source, const char *name)
{
    return json_member_string(source->record, name);
}

static void put_block(Text *out, const char *language, const char *text, size_t len)
{
    text_lit(out, "\n\n");
    text_fenced(out, language, text, len);
}

static void put_whole_block(Text *out, const char *language, const char *text)
{
    put_block(out, language, text, strlen(text));
}

/* How many threads share the tiles of a kernel. */
static void put_block_size(Text *out, const json_t *record)
{
    const json_t *block = json_object_get(record, "block_dim");
    if (json_is_integer(block))
        text_format(out, "\n\nIts blocks have %d threads (`WP_TILE_BLOCK_DIM`).", (int)json_integer_value(block));
}

/* The n-th signature of a kernel: from __global__ to the line before its body. */
static bool find_signature(const char *text, int number, Span *span)
{
    for (;; number--) {
        const char *from = strstr(text, "__global__"), *to = from ? strstr(from, "\n{") : NULL;
        if (!to)
            return false;
        *span = (Span){from, (size_t)(to - from)};
        if (!number)
            return true;
        text = to;
    }
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(Span in, const char *word, size_t len)
{
    const char *end = in.text + in.len;
    for (const char *at = in.text; (at = memmem(at, (size_t)(end - at), word, len)); at += len)
        if ((at == in.text || !is_word_char(at[-1])) && (at + len == end || !is_word_char(at[len])))
            return true;
    return false;
}

enum { MOST_STRUCTS = 64 };

/* `struct NAME { … };` or `using NAME = …;` at the beginning of a line; the name goes to *name. False: no more. */
static bool next_struct(const char **at, Span *whole, Span *name)
{
    static const char structure[] = "struct ", alias[] = "using ";
    for (const char *from = *at; from && *from; from = strchr(from, '\n'), from += from != NULL) {
        bool is_struct = strncmp(from, structure, sizeof structure - 1) == 0;
        if (!is_struct && strncmp(from, alias, sizeof alias - 1) != 0)
            continue;
        const char *to = strstr(from, is_struct ? "\n};" : ";"), *first = strchr(from, ' ') + 1;
        if (!to)
            return false;
        to += is_struct ? strlen("\n};") : 1;
        *whole = (Span){from, (size_t)(to - from)};
        *name = (Span){first, strcspn(first, " \n{;")};
        *at = to;
        return true;
    }
    return false;
}

/* The structs that signatures need, and those that these need, in the order of the text. */
static void put_structs(Text *out, const char *text, const Span *signatures, int count)
{
    Span whole[MOST_STRUCTS], names[MOST_STRUCTS];
    bool wanted[MOST_STRUCTS] = {false};
    int structs = 0;
    for (const char *at = text; structs < MOST_STRUCTS && next_struct(&at, &whole[structs], &names[structs]);)
        structs++;
    for (int i = structs; i-- > 0;) { /* what comes later uses what comes before */
        for (int k = 0; k < count; k++)
            wanted[i] |= has_word(signatures[k], names[i].text, names[i].len);
        for (int k = i + 1; k < structs; k++)
            wanted[i] |= wanted[k] && has_word(whole[k], names[i].text, names[i].len);
    }
    for (int i = 0; i < structs; i++)
        if (wanted[i]) {
            text_add(out, whole[i].text, whole[i].len);
            text_lit(out, "\n\n");
        }
}

static const char cuda_rules[] = "An array is a pointer to its elements, one after the other, the last dimension "
                                 "fastest, followed by those of its sizes that are "
                                 "needed. The launch is one-dimensional and has at least as many threads as the "
                                 "product of `threads`, or of `threads_x` "
                                 "and so on (the last one fastest): those beyond do nothing. Threads run in any order "
                                 "and do not wait for each other: no shared memory, no "
                                 "synchronization; blocks have any size.";
static const char backward_rules[] =
    "L is a number that depends on what the arrays hold after the forward kernel. On entry, `adj_x` holds dL/d(x after "
    "the forward kernel). The backward kernel must add to `adj_x` what the elements of `x` that the forward kernel "
    "reads contribute to L, and set to zero the elements of `adj_x` whose elements of `x` the forward kernel "
    "overwrites: then `adj_x` holds dL/d(x before the forward kernel). When the backward kernel starts, arrays hold "
    "their values from before the forward kernel. Exception: an array that the forward kernel updates by an atomic "
    "minimum or maximum holds the results. Where several threads may add to one element, add atomically. Where two "
    "operands of a minimum or maximum are equal, either may get the gradient.";

/* The signatures from `first` to `last`, with the structs in them, as one block. */
static bool put_signatures(Text *out, const char *text, int first, int last)
{
    Span signatures[2] = {{text, 0}, {text, 0}};
    Text block;
    int count = 0;
    for (int i = first; i <= last; i++)
        if (!find_signature(text, i, &signatures[count++]))
            return false;
    text_init(&block);
    put_structs(&block, text, signatures, count);
    for (int i = 0; i < count; i++) {
        text_add(&block, signatures[i].text, signatures[i].len);
        text_str(&block, ";\n\n");
    }
    put_whole_block(out, "cuda", text_cstr(&block));
    out->failed |= block.failed;
    text_free(&block);
    return true;
}

#define MAY_INCLUDE                                                                                                    \
    " It may include `weft_math.cuh`: operators and functions of vectors (dot, cross, length, normalize), matrices "   \
    "(mat33f), quaternions (quatf), transforms (transformf), random numbers, atomic_add, and adjoints (adj_length)."
static const char cuda_ending[] = "\n\nAnswer with one block of code that compiles by itself, with nothing but CUDA: "
                                  "any structs above, unchanged, and "
                                  "everything else that you use." MAY_INCLUDE;

/* ---- the kinds ---- */

static bool put_WARP(const TaskSource *source, Text *out)
{
    const char *forward = member(source, "cuda_forward"), *from = strstr(forward, "extern \"C\" __global__");
    const char *to = from ? strstr(from, "\n{") : NULL;
    if (!to)
        return false;
    text_format(out,
                "Translate this kernel, written in the Python language of NVIDIA Warp %s, into CUDA as Warp generates "
                "it for the forward pass.",
                member(source, "warp_version"));
    put_whole_block(out, "python", record_source(source->record));
    text_lit(
        out,
        "\n\nIt is compiled behind Warp's native header `builtin.h`, and what Warp itself defines before a module: "
        "`builtin_tid1d()` and so "
        "on are the index of a thread `_idx` in the launch `dim`. What is asked for, with exactly this signature:");
    put_block(out, "cuda", from, (size_t)(to - from));
    put_block_size(out, source->record);
    text_lit(out, "\n\nAnswer with one block of code: the structs, with the names that the signature has for them, the "
                  "functions, and "
                  "the kernel.");
    return true;
}

/* The forward kernel as Warp writes it, after the functions that it calls. */
static void put_warp_kernel(const TaskSource *source, Text *out)
{
    Text given;
    text_init(&given);
    text_str(&given, member(source, "cuda_helpers"));
    text_str(&given, member(source, "cuda_forward"));
    put_whole_block(out, "cuda", text_cstr(&given));
    out->failed |= given.failed;
    text_free(&given);
}

static bool put_WARP_BACKWARD(const TaskSource *source, Text *out)
{
    const char *backward = member(source, "cuda_backward"), *from = strstr(backward, "extern \"C\" __global__");
    const char *to = from ? strstr(from, "\n{") : NULL;
    if (!to)
        return false;
    text_format(out,
                "Write the backward kernel of this CUDA kernel, which NVIDIA Warp %s has generated, as Warp generates "
                "it.",
                member(source, "warp_version"));
    put_warp_kernel(source, out);
    text_lit(
        out,
        "\n\nIt runs after the forward kernel, on the arrays as that has left them, computes the intermediate values "
        "again, and adds to the gradients of what was read; `adj_x` has the gradient of `x`. It is compiled "
        "behind Warp's native header `builtin.h`, and what Warp itself defines before a module. "
        "What is asked for, with exactly this signature:");
    put_block(out, "cuda", from, (size_t)(to - from));
    put_block_size(out, source->record);
    text_lit(out,
             "\n\nAnswer with one block of code: the structs and functions above that it needs, as they are, and the "
             "backward kernel.");
    return true;
}

static bool put_READABLE(const TaskSource *source, Text *out)
{
    text_format(out, "Write this kernel, which is in the Python language of NVIDIA Warp %s, as plain CUDA.",
                member(source, "warp_version"));
    put_whole_block(out, "python", record_source(source->record));
    text_format(out, "\n\n%s What is asked for, with exactly this signature:", cuda_rules);
    if (!put_signatures(out, member(source, "cuda_readable"), 0, 0))
        return false;
    text_str(out, cuda_ending);
    return true;
}

static bool put_GRADIENT(const TaskSource *source, Text *out)
{
    text_format(out,
                "Write this kernel, which is in the Python language of NVIDIA Warp %s, as plain CUDA, with a second "
                "kernel that "
                "computes its gradient.",
                member(source, "warp_version"));
    put_whole_block(out, "python", record_source(source->record));
    text_format(out, "\n\n%s %s What is asked for, with exactly these signatures:", cuda_rules, backward_rules);
    if (!put_signatures(out, member(source, "cuda_readable"), 0, 1))
        return false;
    text_str(out, cuda_ending);
    return true;
}

static bool put_BACKWARD(const TaskSource *source, Text *out)
{
    if (!source->forward_only)
        return false;
    text_lit(out, "Write the backward kernel of this CUDA kernel: a kernel that computes its gradient.");
    put_whole_block(out, "cuda", source->forward_only);
    text_format(out, "\n\n%s %s What is asked for, with exactly this signature:", cuda_rules, backward_rules);
    if (!put_signatures(out, member(source, "cuda_readable"), 1, 1))
        return false;
    text_str(out, cuda_ending);
    return true;
}

/* The first paragraph of the description: what the kernel is for. */
static size_t summary_length(const char *description)
{
    const char *end = strstr(description, "\n\n");
    return end ? (size_t)(end - description) : strlen(description);
}

static const char contract_rules[] =
    "Functions that are not described are Warp's builtins, which `wp.` stands before. Operators, casts and the types "
    "of "
    "numbers are those of Warp: `/` of integers and `//` give what Warp gives, and a number with a point is a float. "
    "`size(x, k)` is `x.shape[k]`. A loop \"from a to b\" ends with b, and has no turns where b is less than a. "
    "\"Let\" names a value, \"set\" changes a variable or an element.";

/* Describes the kernel: its purpose, definitions, signature, launch, and what each thread does. */
static Undetermined put_wanted_kernel(const json_t *record, Text *out)
{
    const char *description = json_member_string(record, "description");
    Text given, behind, steps;
    text_init(&given);
    text_init(&behind);
    text_init(&steps);
    Undetermined why = read_contract(record, &given, &behind, &steps);
    text_format(out,
                "Write a kernel in the Python language of NVIDIA Warp %s. `import warp as wp` stands before it.\n\n",
                json_member_string(record, "warp_version"));
    text_add(out, description, summary_length(description));
    text_lit(out, "\n\nWhat is asked for, with exactly this signature:");
    put_whole_block(out, "python", text_cstr(&given));
    if (behind.len) {
        text_lit(out, "\n\nBehind the kernel, the answer has:");
        put_whole_block(out, "python", text_cstr(&behind));
    }
    put_launch(out, record);
    text_lit(out, "\n\n");
    text_str(out, text_cstr(&steps));
    text_lit(out, "\n\n");
    text_str(out, contract_rules);
    out->failed |= given.failed || behind.failed || steps.failed;
    text_free(&given);
    text_free(&behind);
    text_free(&steps);
    return why;
}

Undetermined task_is_undetermined(TaskKind kind, const json_t *record)
{
    if (kind != KIND_PYTHON)
        return DETERMINED;
    Text said; /* without ranges and examples, whose numbers are not those of the kernel */
    text_init(&said);
    Undetermined why = put_wanted_kernel(record, &said);
    text_free(&said);
    return why;
}

static bool put_PYTHON(const TaskSource *source, Text *out)
{
    if (put_wanted_kernel(source->record, out) != DETERMINED)
        return false;
    put_arguments(out, source->record);
    put_edge_rules(out);
    put_worked_launch(out, source->record);
    text_lit(out, "\n\nAnswer with one block of code: the definitions above that you use, unchanged, functions and "
                  "constants of your own, and the kernel.");
    return true;
}

static bool put_FROM_CUDA(const TaskSource *source, Text *out)
{
    const char *python = record_source(source->record);
    const char *from = strstr(python, "@wp.kernel"), *to = from ? strstr(from, "):\n") : NULL;
    if (!to)
        return false;
    text_format(out,
                "NVIDIA Warp %s has generated this CUDA text from a kernel in its Python language. Write that kernel, "
                "with the structs and functions that it uses; `import warp as wp` stands before it.",
                member(source, "warp_version"));
    put_warp_kernel(source, out);
    put_block_size(out, source->record);
    text_lit(out, "\n\nIts signature is");
    put_block(out, "python", from, (size_t)(to + 2 - from));
    text_lit(out, "\n\nAnswer with one block of code.");
    return true;
}

static bool put_WARP_VERDICT(const TaskSource *source, Text *out)
{
    text_format(out, "A kernel in the Python language of NVIDIA Warp %s:", member(source, "warp_version"));
    put_whole_block(out, "python", record_source(source->record));
    text_lit(out, "\n\nThe CUDA text that Warp generates for its backward pass:");
    put_whole_block(out, "cuda", member(source, "cuda_backward"));
    text_lit(out, "\n\nAre the gradients by the kernel's inputs that it computes those of the function that the kernel "
                  "computes? Answer with one word, `right` or `wrong`.");
    return true;
}

static void put_numbered(Text *out, const char *text)
{
    Text block;
    text_init(&block);
    for (uint32_t line = 1; *text; line++) {
        size_t len = strcspn(text, "\n");
        text_format(&block, "%4u  %.*s\n", line, (int)len, text);
        text += len + (text[len] == '\n');
    }
    put_whole_block(out, "cuda", text_cstr(&block));
    out->failed |= block.failed;
    text_free(&block);
}

static bool put_VERDICT(const TaskSource *source, Text *out)
{
    if (!source->given)
        return false;
    text_format(out, "A kernel in the Python language of NVIDIA Warp %s:", member(source, "warp_version"));
    put_whole_block(out, "python", record_source(source->record));
    text_lit(out, "\n\nThe same in plain CUDA, with a backward kernel, which may have one mistake in it; the lines are "
                  "numbered:");
    put_numbered(out, source->given);
    text_format(
        out,
        "\n\n%s\n\nIs the gradient right? If it is not, in which line is the mistake? End your answer with a line that "
        "says `right`, or `wrong, line N`. A missing statement counts as a mistake in the line that stands in its "
        "place.",
        backward_rules);
    return true;
}

static bool put_REPAIR(const TaskSource *source, Text *out)
{
    bool backward = json_is_true(json_object_get(source->record, "readable_backward"));
    if (!source->given)
        return false;
    text_format(out, "A kernel in the Python language of NVIDIA Warp %s:", member(source, "warp_version"));
    put_whole_block(out, "python", record_source(source->record));
    text_format(out, "\n\nThe same in plain CUDA%s. There are one or two mistakes in it:",
                backward ? ", with a second kernel that computes its gradient" : "");
    put_whole_block(out, "cuda", source->given);
    text_format(out,
                "\n\n%s%s%s Write it without mistakes, as one block of code that compiles by itself; signatures and "
                "structs stay as they are." MAY_INCLUDE,
                cuda_rules, backward ? " " : "", backward ? backward_rules : "");
    return true;
}

/* Is there a text in Warp's form that the CPU can run? There, blocks have one thread: a kernel with tiles that asks for its lane computes
 * something else. */
static bool runs_on_cpu(const json_t *record)
{
    static const char head[] = "launch_bounds_t<";
    const char *forward = json_member_string(record, "cuda_forward"), *bounds = strstr(forward, head);
    if (!bounds || !json_is_integer(json_object_get(record, "block_dim")))
        return bounds;
    return (size_t)(bounds[sizeof head - 1] - '0') < json_array_size(json_object_get(record, "launch_dim"));
}

bool task_serves(TaskKind kind, const json_t *record)
{
    bool readable = *json_member_string(record, "cuda_readable"), forward = *json_member_string(record, "cuda_forward");
    bool backward = readable && json_is_true(json_object_get(record, "readable_backward"));
    const char *verdict = json_member_string(record, "gradient_verdict");
    bool proven = strcmp(verdict, "pass") == 0;
    switch (kind) {
    case KIND_WARP:
    case KIND_FROM_CUDA: return forward;
    case KIND_WARP_BACKWARD: return forward && proven && *json_member_string(record, "cuda_backward");
    case KIND_READABLE:
    case KIND_REPAIR: return readable;
    case KIND_GRADIENT:
    case KIND_VERDICT:
    case KIND_BACKWARD: return backward && proven;
    case KIND_PYTHON: return *json_member_string(record, "description");
    case KIND_WARP_VERDICT:
        return *json_member_string(record, "cuda_backward") && (proven || strcmp(verdict, "mismatch") == 0);
    case KIND_COUNT: break;
    }
    return false;
}

bool task_can_be_judged(TaskKind kind, const json_t *record)
{
    bool in_form = task_kinds[kind].form != FORM_WARP || runs_on_cpu(record);
    /* a GPU has no atomic operation for arrays of a thread, which Warp's reverse pass uses there */
    bool on_card = kind != KIND_WARP_BACKWARD || !strstr(json_member_string(record, "cuda_backward"), "fixedarray");
    return task_kinds[kind].uses & FOR_SCORE && json_array_size(json_object_get(record, "launches")) > 0 && in_form &&
           on_card && task_serves(kind, record);
}

bool task_prompt(TaskKind kind, const TaskSource *source, Text *out)
{
    static bool (*const put[KIND_COUNT])(const TaskSource *, Text *) = {
#define KIND(id, name, form, uses, about) [KIND_##id] = put_##id,
#include "corpus/kinds.def"
#undef KIND
    };
    return put[kind](source, out);
}
