/* weft validate: does a data set hold? */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "json.h"

#include "corpus/corpus.h"
#include "corpus/samples.h"
#include "gpu/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print_report(const char *dir, const ValidateReport *report)
{
    if (report->messages.len)
        put_text(&report->messages, stderr);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (report->by_category[i])
            printf("%-18s %9llu records %7llu wrong\n", category_name((CategoryId)i),
                   (unsigned long long)report->by_category[i], (unsigned long long)report->bad_by_category[i]);
    printf("%s: %llu records, all compiled again%s, %llu verdicts found out again: %llu wrong, %llu problems\n", dir,
           (unsigned long long)report->records, report->origin_checked ? " and invented again" : "",
           (unsigned long long)report->verdicts, (unsigned long long)report->bad_records,
           (unsigned long long)report->problems);
}

/* ---- the compiled proof ---- */

static void print_ptx(const char *pass, const PtxSummary *ptx)
{
    if (ptx->kernels)
        printf("PTX of %u %s kernels: %.0f instructions on average, at most %u; %.0f virtual registers, at most %u\n",
               ptx->kernels, pass, (double)ptx->instructions / ptx->kernels, ptx->most_instructions,
               (double)ptx->registers / ptx->kernels, ptx->most_registers);
}

static void print_proof(const SampleList *list, const Proof *proof, long long messages)
{
    char buffer[1000];
    for (uint32_t i = 0; i < list->count && messages > 0; i++) {
        const char *failure = proof_failure(&list->items[i], &proof->results[i], buffer, sizeof buffer);
        if (failure) {
            fprintf(stderr, "%s: %s\n", list->items[i].id, failure);
            messages--;
        }
    }
    if (proof->with_text[BUILD_CPP])
        printf("C++: %u of %u compile (%.0f s); run on their launch (%.0f s): %u ran, %u agree forward, %u of %u "
               "backward%s; largest error %.1e forward, %.1e backward\n",
               proof->compiled[BUILD_CPP], proof->with_text[BUILD_CPP], proof->build_seconds[BUILD_CPP],
               proof->run_seconds, proof->ran, proof->forward_agrees, proof->backward_agrees, proof->with_backward,
               proof->undefined_backward ? " that is defined" : "", proof->forward_error, proof->backward_error);
    else
        printf("C++: the data set has none, nothing was run\n");
    if (proof->with_text[BUILD_CUDA])
        printf("CUDA: %u of %u compile (%.0f s)\n", proof->compiled[BUILD_CUDA], proof->with_text[BUILD_CUDA],
               proof->build_seconds[BUILD_CUDA]);
    else
        printf("CUDA: the data set has none\n");
    print_ptx("forward", &proof->ptx[0]);
    print_ptx("backward", &proof->ptx[1]);
}

static bool write_proof(const char *path, const SampleList *list, const Proof *proof)
{
    static const char *const passes[] = {"forward", "backward"};
    char buffer[1000];
    FILE *out = open_output(path);
    for (uint32_t i = 0; out && i < list->count; i++) {
        const Sample *sample = &list->items[i];
        const TrialResult *result = &proof->results[i];
        const char *failure = proof_failure(sample, result, buffer, sizeof buffer);
        JsonWriter json = {.out = out};
        json_open(&json, NULL, '{');
        json_string(&json, "id", sample->id);
        json_string(&json, "kernel", sample->name);
        json_string(&json, "category", sample->category);
        json_string(&json, "failure", failure ? failure : "");
        if (result->ran) {
            json_bool(&json, "forward_agrees", result->forward);
            json_number(&json, "forward_error", result->forward_error);
        }
        if (result->has_backward) {
            json_bool(&json, "backward_agrees", result->backward);
            json_number(&json, "backward_error", result->backward_error);
        }
        for (int pass = 0; pass < 2; pass++) {
            const PtxStats *ptx = &sample->ptx[pass];
            if (!ptx->instructions)
                continue;
            json_open(&json, passes[pass], '{');
            json_number(&json, "ptx_instructions", ptx->instructions);
            json_number(&json, "ptx_registers", ptx->registers);
            json_number(&json, "local_bytes", ptx->local_bytes);
            json_close(&json, '}');
        }
        json_close(&json, '}');
        fputc('\n', out);
    }
    return out && close_output(out, path);
}

static int prove(const char *dir, const ProofOptions *options, const char *report, long long messages)
{
    SampleList list;
    Proof proof = {0};
    CorpusError corpus_error = {""};
    GpuError error = {""};
    int code = EXIT_FOUND;
    sample_list_init(&list);
    if (!corpus_read_samples(dir, &list, &corpus_error))
        fprintf(stderr, "weft validate: %s\n", corpus_error.message);
    else if (!proof_run(list.items, list.count, options, &proof, &error))
        fprintf(stderr, "weft validate: --compile: %s\n", error.message);
    else {
        print_proof(&list, &proof, messages);
        code = proof.failures ? EXIT_FOUND : EXIT_DONE;
        if (report && !write_proof(report, &list, &proof))
            code = EXIT_FOUND;
    }
    proof_free(&proof);
    sample_list_free(&list);
    return code;
}

/* ---- the command ---- */

int command_validate(int argc, char **argv)
{
    const char *input = NULL, *sample = NULL, *report_path = NULL;
    long long jobs = 0, messages = 20, arch = 90;
    ProofOptions proof = {0};
    bool compile = false;
    const Option options[] = {
        {'i', "input", OPTION_TEXT, &input, "DIR", "the folder of the data set"},
        {'j', "jobs", OPTION_COUNT, &jobs, "JOBS", "threads (default: all cores)"},
        {0, "sample", OPTION_TEXT, &sample, "P", "find out the verdicts of P percent again (default 100; 0: none)"},
        {0, "messages", OPTION_COUNT, &messages, "N", "print at most so many problems (default 20)"},
        {0, "compile", OPTION_FLAG, &compile, NULL,
         "also compile the texts, C++ and CUDA, run the C++ and compare with the evaluators"},
        {0, "warp-include", OPTION_TEXT, &proof.warp_include, "DIR",
         "Warp's native headers (default: of the warp-lang that is installed)"},
        {0, "cuda", OPTION_TEXT, &proof.cuda, "DIR", "the CUDA toolkit with NVRTC (default: the usual places)"},
        {0, "arch", OPTION_COUNT, &arch, "N", "compile CUDA for this architecture (default 90: sm_90)"},
        {0, "cache", OPTION_TEXT, &proof.cache, "DIR", "keep what was compiled there, and use it again"},
        {0, "report", OPTION_TEXT, &report_path, "FILE", "one JSON line a kernel: errors, PTX instructions, registers"},
    };
    const Command command = {
        "validate", "-i DIR [options]",
        "Checks every record of a data set: its fields, its text compiled again, its verdict, its place; and the\n"
        "manifest against all of them. Exit code 0 only if everything holds.",
        options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    bool fine = read_args(&command, argc, argv, &count, &code);
    if (fine && count == 1 && !input) {
        input = argv[0];
        count = 0;
    }
    if (!fine)
        return code;
    char *end = NULL;
    double percent = sample ? strtod(sample, &end) : 100;
    if (!input || count || jobs > 1024 || (sample && (end == sample || *end || !(percent >= 0 && percent <= 100)))) {
        fprintf(stderr, "weft validate: %s (see weft validate --help)\n",
                !input || count ? "one folder is needed"
                : jobs > 1024   ? "--jobs must be at most 1024"
                                : "--sample takes a percentage, 0 to 100");
        return EXIT_USAGE;
    }
    if (!compile && (proof.warp_include || proof.cuda || proof.cache || report_path)) {
        fprintf(stderr, "weft validate: --warp-include, --cuda, --cache and --report go with --compile\n");
        return EXIT_USAGE;
    }
    ValidateOptions chosen = {
        .jobs = (unsigned)jobs, .sample = percent, .max_messages = messages > 1000000 ? 1000000 : (uint32_t)messages};
    ValidateReport report;
    CorpusError error = {""};
    if (!corpus_validate(input, &chosen, &report, &error)) {
        fprintf(stderr, "weft validate: %s\n", error.message);
        validate_report_free(&report);
        return EXIT_FOUND;
    }
    print_report(input, &report);
    code = report.problems || report.bad_records ? EXIT_FOUND : EXIT_DONE;
    validate_report_free(&report);
    if (compile) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        proof.jobs = jobs ? (unsigned)jobs : cores > 0 ? (unsigned)cores : 1;
        proof.arch = (int)arch;
        fflush(stdout);
        int proven = prove(input, &proof, report_path, messages);
        code = proven == EXIT_DONE ? code : proven;
    }
    return code;
}
