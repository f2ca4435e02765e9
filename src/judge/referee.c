#include "judge/referee.h"

#include "base/safe_file.h"
#include "judge_entry.h"
#include "judge_header.h"
#include "judge_nvrtc.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- words ---- */

static void say(Verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(Verdict *verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(verdict->reason, sizeof verdict->reason, format, args);
    va_end(args);
    defuse(verdict->reason);
}

/* The first line of what a compiler says that tells of an error. Files are named without their folders, which are not the same everywhere. */
static void first_error(const Text *messages, char *line, size_t size)
{
    Span all = {messages->data, messages->len};
    const char *error = messages->len ? memmem(all.text, all.len, "error", 5) : NULL, *from = error;
    snprintf(line, size, "it gives no reason");
    if (!error)
        return;
    while (from > all.text && from[-1] != '\n')
        from--;
    const char *end = memchr(from, '\n', (size_t)(all.text + all.len - from));
    end = end ? end : all.text + all.len;
    const char *place_end = *from == '/' ? memchr(from, ':', (size_t)(end - from)) : NULL;
    const char *folder_end = place_end ? memrchr(from, '/', (size_t)(place_end - from)) : NULL;
    from = folder_end ? folder_end + 1 : from;
    snprintf(line, size, "%.*s", (int)(end - from), from);
}

/* A compiler error may point past the answer: into the judge's own code, which uses its kernels. */
static void explain_refusal(const Text *messages, Verdict *verdict)
{
    static const char *const own[] = {
        "judge:", "weft_judge.h:", "weft_judge_math.h:", "weft_warp.h:", "__nv_name_map("};
    static const char *const missing[] = {"was not declared", "undeclared", "is undefined"};
    char line[300];
    bool is_behind = false, is_missing = false;
    first_error(messages, line, sizeof line);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        is_behind |= strncmp(line, own[i], strlen(own[i])) == 0;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        is_missing |= strstr(line, missing[i]) != NULL;
    const char *name = is_behind && is_missing ? strpbrk(line, "'\"") : NULL;
    const char *error = is_behind ? strstr(line, "error") : NULL;
    if (name)
        say(verdict, "it does not compile: there is no kernel '%.*s' in it", (int)strcspn(name + 1, "'\""), name + 1);
    else
        say(verdict, "it does not compile: %s%s", error ? "at its end: " : "", error ? error : line);
}

static const char *signal_words(int number)
{
    switch (number) {
    case SIGSYS: return "made a system call that answers may not make";
    case SIGXCPU:
    case SIGKILL: return "took longer than it may, or was killed for its memory";
    case SIGXFSZ: return "wrote more than it may";
    case SIGSEGV:
    case SIGBUS: return "touched memory that is not its own";
    case SIGFPE: return "divided an integer by zero";
    case SIGABRT: return "ended itself";
    case SIGILL: return "ran into an illegal instruction";
    default: return "was ended by a signal";
    }
}

bool referee_explain(const SandboxResult *result, const char *what, Verdict *verdict)
{
    const JobStatus *status = &result->status;
    verdict->stopped = result->end == SANDBOX_STOPPED;
    verdict->broken = result->end == SANDBOX_FAILED;
    verdict->compiled = result->compiled;
    if (result->end == SANDBOX_STOPPED || result->end == SANDBOX_FAILED)
        say(verdict, "%s", verdict->stopped ? "interrupted" : "the sandbox could not be started");
    else if (result->end == SANDBOX_TIMEOUT)
        say(verdict, "%s took longer than it may", result->compiled ? what : "compiling it");
    else if (result->end == SANDBOX_OVERFLOW)
        say(verdict, "it wrote more than its results");
    else if (result->end == SANDBOX_BROKEN)
        say(verdict, "the process that watches it was ended");
    else if (status->stage == JOB_REFUSED)
        explain_refusal(&result->messages, verdict);
    else if (status->signal)
        say(verdict, "%s %s", what, signal_words(status->signal));
    else if (status->exit_code == JOB_EXIT_SIGNATURE)
        say(verdict, "it does not have the parameters that were asked for");
    else if (status->exit_code == JOB_EXIT_LOAD)
        say(verdict, "it cannot be loaded: something that it uses is not defined");
    else if (status->exit_code == JOB_EXIT_MEMORY)
        say(verdict, "there is not enough memory for its arrays");
    else if (status->exit_code == JOB_EXIT_OVERFLOW)
        say(verdict, "it wrote more than its results");
    else if (status->exit_code == JOB_EXIT_TIME)
        say(verdict, "%s took longer than it may", what);
    else if (status->exit_code == JOB_EXIT_FAULT) {
        char line[300];
        first_error(&result->messages, line, sizeof line);
        say(verdict, "%s failed on the card: %s", what, line + (strncmp(line, "error: ", 7) ? 0 : 7));
    } else if (status->exit_code)
        say(verdict, "%s ended with the exit code %d", what, status->exit_code);
    else
        return false;
    return true;
}

/* ---- native code ---- */

/* The headers that stand before an answer, compiled ahead: with weft_math.cuh, and without. */
#define JUDGE_HEADER "weft_judge.h"
#define MATH_HEADER "weft_judge_math.h"
#define COMPILE_FLAGS "-std=c++17", "-w", "-fPIC", "-O0", "-ffp-contract=off"

static const char *const compile_flags[] = {COMPILE_FLAGS, NULL};
static const char *const answer_flags[] = {COMPILE_FLAGS, "-I/judge/include", "-include",
                                           "/judge/include/" JUDGE_HEADER, NULL};
static const char *const math_flags[] = {COMPILE_FLAGS, "-I/judge/include", "-include", "/judge/include/" MATH_HEADER,
                                         NULL};

/* A compiler maps a header that was compiled ahead at each start: half of it would be what kernels do not use, above all
 * special functions of C++17 and the runtime of CUDA. */
static void write_header(Text *text)
{
    text_lit(text, "#include <cstddef>\n"
                   "#undef _GLIBCXX_USE_STD_SPEC_FUNCS\n#define WEFT_NO_RUNTIME\n");
    text_str(text, standalone_shim());
    text_lit(text, "#include <utility>\n");
    text_add(text, (const char *)judge_header, judge_header_size);
    text_add(text, (const char *)judge_entry, judge_entry_size);
}

static bool add_header(Sandbox *sandbox, const char *name, const Text *text, SandboxError *error)
{
    return !text->failed && sandbox_add_file(sandbox, name, text->data, text->len, error) &&
           (!sandbox_precompiles(sandbox) || sandbox_precompile(sandbox, name, compile_flags, error));
}

bool referee_prepare(Sandbox *sandbox, SandboxError *error)
{
    static const char *const empty[] = {"cuda_runtime.h", "cuda.h", "device_launch_parameters.h"};
    const char *header = standalone_header();
    Text text;
    text_init(&text);
    write_header(&text);
    bool fine = sandbox_add_file(sandbox, "weft_math.cuh", header, strlen(header), error) &&
                add_header(sandbox, JUDGE_HEADER, &text, error);
    text_lit(&text, "#include \"weft_math.cuh\"\n");
    fine = fine && add_header(sandbox, MATH_HEADER, &text, error);
    for (size_t i = 0; fine && i < sizeof empty / sizeof *empty; i++)
        fine = sandbox_add_file(sandbox, empty[i], "", 0, error);
    text_free(&text);
    return fine;
}

/* Does the text include weft_math.cuh before anything but comments? Then the header may as well be there before it. */
static bool begins_with_math(Span code)
{
    static const char wanted[] = "#include \"weft_math.cuh\"";
    const char *at = code.text, *end = code.text + code.len;
    for (;;) {
        while (at < end && memchr(" \t\r\n", *at, 4))
            at++;
        if (end - at < 2 || memcmp(at, "//", 2) != 0)
            break;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end || line_end[-1] == '\\' || (line_end[-1] == '\r' && line_end[-2] == '\\'))
            return false; /* a comment that goes on */
        at = line_end + 1;
    }
    return (size_t)(end - at) >= sizeof wanted - 1 && memcmp(at, wanted, sizeof wanted - 1) == 0;
}

void referee_write_source(const Referee *referee, const char *head, size_t head_len, Span code, AnswerText *text)
{
    Text *out = &text->source;
    text_init(out);
    text_add(out, head, referee->cards ? head_len : 0); /* C++ has it compiled ahead */
    text_lit(out, "#line 1 \"answer.cu\"\n");
    text_add(out, code.text, code.len);
    text_lit(out, "\n#line 1 \"judge\"\n");
    for (int i = 0; !referee->cards && i < 2; i++)
        if (text->entries[i][0])
            text_format(out, "WEFT_ENTRY(%d, %s)\n", i, text->entries[i]);
}

static Step step_of(const Trial *trial, uint32_t launch, bool backward)
{
    return (Step){.example = &trial->launches.items[launch],
                  .label = trial_label(trial->arena, &trial->launches, trial->stored, launch),
                  .backward = backward};
}

static bool plan_forward(Trial *trial, uint32_t launches)
{
    for (uint32_t i = 0; i < launches; i++) {
        Step step = step_of(trial, i, false);
        step.cuda = cuda_launch(trial->text, step.example, false, &trial->why);
        if (!step.cuda)
            return false;
        step.packed = trial_pack(trial, step.cuda, &trial->jobs[trial->count], false);
        trial->steps[trial->count++] = step;
    }
    return true;
}

bool trial_plan(Trial *trial)
{
    uint32_t launches = trial->launches.count, gradients = 0;
    if (launches > MOST_STEPS / 2)
        launches = MOST_STEPS / 2;
    if (trial->forward && !plan_forward(trial, launches))
        return false;
    for (uint32_t i = 0; trial->backward && i < launches; i++) {
        Step step = step_of(trial, i, true);
        if (!step.example->dim[0] || !trial_expect_gradient(trial, &step, &trial->jobs[trial->count]))
            continue;
        trial->steps[trial->count++] = step;
        gradients++;
    }
    if (trial->backward && !gradients)
        trial->why = arena_format(trial->arena, "no launch tells anything about its gradient (%s)",
                                  trial->why ? trial->why : "numbers that are not steady");
    return trial->count && (!trial->backward || gradients);
}

/* Stores the result of one step for the comparison. False: trial->why. */
static bool take_result(Trial *trial, const Step *step, const JobLaunch *job, uint32_t number, const char *bytes)
{
    JobMark mark;
    memcpy(&mark, bytes, sizeof mark);
    trial->why = "what it gave back is not a result";
    if (mark.magic != JOB_MAGIC || mark.launch != number)
        return false;
    trial_unpack(step, job, bytes + sizeof mark);
    trial->why = "it wrote outside of its arrays";
    return !mark.outside;
}

static void compare_steps(Trial *trial, const SandboxResult *result, Verdict *verdict)
{
    size_t at = 0;
    for (uint32_t i = 0; i < trial->count; i++) {
        const Step *step = &trial->steps[i];
        size_t size = sizeof(JobMark) + job_result_size(&trial->jobs[i]);
        Mark *mark = step->backward ? &verdict->backward : &verdict->forward;
        if (result->results.len - at < size)
            return;
        bool agrees =
            take_result(trial, step, &trial->jobs[i], i, result->results.data + at) &&
            (step->backward ? trial_gradient_agrees(trial, step)
                            : cuda_outputs_agree(trial->arena, step->cuda, &step->example->outputs, &trial->why));
        at += size;
        (step->backward ? &verdict->backward_launches : &verdict->forward_launches)->passed += agrees;
        if (agrees && *mark == MARK_NONE)
            *mark = MARK_YES;
        if (!agrees)
            *mark = MARK_NO;
        if (!agrees && !verdict->difference[0])
            snprintf(verdict->difference, sizeof verdict->difference, "%s: %s", step->label, trial->why);
    }
    verdict->ran = at == result->results.len && result->status.stage == JOB_RAN && !result->status.exit_code;
}

static void run_on_card(Referee *referee, Job *job, size_t most, SandboxResult *result)
{
    CardImage *image = &referee->image;
    card_image_free(image);
    cards_compile(referee->cards, job, image);
    if (image->bytes)
        cards_run(referee->cards, image, job, most, result);
    else {
        *result = image->compiled;
        image->compiled = (SandboxResult){.end = SANDBOX_DONE};
    }
}

void referee_run(Referee *referee, const AnswerText *text, JobLaunch *jobs, uint32_t count, SandboxResult *result)
{
    Job job = {.mode = JOB_NATIVE, .limits = referee->options->limits, .compiler = referee->sandbox->compiler};
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most += sizeof(JobMark) + job_result_size(&jobs[i]);
    job.flags = text->flags;
    job.source = text->source.data;
    job.source_len = text->source.len;
    job.entries[0] = text->entries[0];
    job.entries[1] = text->entries[1];
    job.plain = text->plain;
    job.launches = jobs;
    job.launch_count = count;
    if (referee->cards)
        run_on_card(referee, &job, most, result);
    else
        sandbox_run(referee->sandbox, &job, most, result);
}

void referee_conclude(Verdict *verdict, bool explained)
{
    verdict->ran &= !explained;
    if (!explained && !verdict->ran)
        say(verdict, "it ended before all launches had run");
    else if (!explained && verdict->forward == MARK_NO)
        say(verdict, "its results are wrong");
    else if (!explained && verdict->backward == MARK_NO)
        say(verdict, "its gradient is wrong");
    verdict->pass = verdict->ran && !verdict->reason[0];
}

static AnswerText text_of(const Referee *referee, const Trial *trial, Span code)
{
    AnswerText text = {.flags = begins_with_math(code) ? math_flags : answer_flags, .plain = true, .entries = {"", ""}};
    if (trial->forward)
        text.entries[0] = cuda_name(cuda_forward(trial->text));
    if (trial->backward)
        text.entries[1] = cuda_name(cuda_backward(trial->text));
    referee_write_source(referee, (const char *)judge_nvrtc, judge_nvrtc_size, code, &text);
    return text;
}

static void run_trial(Referee *referee, Trial *trial, Span code, const char *reference, Verdict *verdict)
{
    SandboxResult result;
    AnswerText text = text_of(referee, trial, code);
    AnswerText own = text_of(referee, trial, (Span){reference, strlen(reference)});
    for (uint32_t i = 0; i < trial->count; i++)
        (trial->steps[i].backward ? &verdict->backward_launches : &verdict->forward_launches)->of++;
    referee_run(referee, &text, trial->jobs, trial->count, &result);
    bool explained = referee_explain(&result, "it", verdict);
    if (!verdict->stopped && !verdict->broken)
        compare_steps(trial, &result, verdict);
    referee_conclude(verdict, explained);
    referee_time(referee, &own, trial->jobs, trial->count, verdict);
    text_free(&text.source);
    text_free(&own.source);
    sandbox_result_free(&result);
}

typedef struct Hearing {
    Referee *referee;
    TaskKind kind;
    const json_t *record;
    Span code;
    Verdict *verdict;
    json_t *launches;
} Hearing;

static void refuse(Verdict *verdict, const char *why)
{
    verdict->broken = true;
    say(verdict, "the record cannot be judged by: %s", why ? why : "it does not compile");
}

static bool hear(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    Hearing *hearing = user;
    const char *reference = json_member_string(hearing->record, "cuda_readable");
    Trial *trial = ARENA_NEW(compiled->unit->arena, Trial);
    *trial = (Trial){.compiled = compiled, .arena = compiled->unit->arena, .why = NULL};
    trial->backward = hearing->kind != KIND_READABLE; /* a kernel to be repaired may have none, see below */
    trial->forward = hearing->kind != KIND_BACKWARD;
    trial->text = cuda_read(trial->arena, reference, &trial->why);
    trial->backward &= trial->text && cuda_backward(trial->text);
    hearing->launches =
        trial_launches(compiled, description, hearing->record, hearing->referee->options, &trial->stored);
    if (hearing->referee->cards)
        trial->stored = trial_fit_to_card(compiled, hearing->launches, trial->stored);
    else
        trial_fit_to_cpu(hearing->launches);
    if (!trial->text || !trial_read(trial->arena, hearing->launches, &trial->launches) || !trial_plan(trial))
        refuse(hearing->verdict, trial->why);
    else
        run_trial(hearing->referee, trial, hearing->code, reference, hearing->verdict);
    return true;
}

void referee_judge(Referee *referee, TaskKind kind, const json_t *record, Span code, Verdict *verdict)
{
    Hearing hearing = {referee, kind, record, code, verdict, NULL};
    *verdict = (Verdict){.forward = MARK_NONE};
    bool ready = workshop_ready(&referee->workshop, json_member_string(record, "warp_version"));
    if (!ready)
        refuse(verdict, "its version of Warp is not known");
    else if (task_kinds[kind].form == FORM_WARP && json_is_integer(json_object_get(record, "block_dim")) &&
             referee->cards)
        refuse(verdict, "threads of its blocks share tiles: judge it without --gpu");
    else if (task_kinds[kind].form == FORM_PYTHON)
        referee_judge_python(referee, record, code, verdict);
    else if (kind == KIND_WARP_BACKWARD)
        referee_judge_warp_backward(referee, record, code, verdict);
    else if (task_kinds[kind].form == FORM_WARP)
        referee_judge_warp(referee, record, code, verdict);
    else if (!workshop_visit(&referee->workshop, record, hear, &hearing))
        refuse(verdict, NULL);
    json_decref(hearing.launches);
}

/* The first line in which the texts differ; 0: they are the same. */
static uint32_t differing_line(const char *a, const char *b)
{
    uint32_t line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return *a == *b ? 0 : line;
}

void referee_judge_verdict(const json_t *record, const char *given, Span answer, Verdict *verdict)
{
    uint32_t line = differing_line(json_member_string(record, "cuda_readable"), given), said;
    bool right;
    *verdict = (Verdict){.compiled = answer_verdict(answer.text, answer.len, &right, &said)};
    verdict->ran = verdict->compiled;
    if (!verdict->compiled) {
        say(verdict, "its last line is neither `right` nor `wrong, line N`");
        return;
    }
    bool found = right == !line, placed = found && (right || said == line);
    verdict->backward = placed ? MARK_YES : MARK_NO;
    verdict->pass = placed;
    if (!found)
        say(verdict, "the gradient is %s", line ? "wrong" : "right");
    else if (!placed)
        say(verdict, "the mistake is in line %u", line);
}
