#include "gpu/nvrtc.h"

#include "weft_math_cuh.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct NvrtcProgram_ *NvrtcProgram;

struct Nvrtc {
    void *library;
    int version;
#define CALL(result, member, name, params) result(*member) params;
#include "gpu/nvrtc.def"
#undef CALL
};

static bool find_functions(Nvrtc *nvrtc)
{
    static const LibraryFunction functions[] = {
#define CALL(result, member, name, params) {name, offsetof(Nvrtc, member)},
#include "gpu/nvrtc.def"
#undef CALL
        {0},
    };
    return !toolchain_load_functions(nvrtc->library, functions, nvrtc);
}

Nvrtc *nvrtc_open(const char *cuda, GpuError *error)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", NULL};
    Nvrtc *nvrtc = calloc(1, sizeof *nvrtc);
    int major = 0, minor = 0;
    if (!nvrtc) {
        gpu_fail(error, "out of memory");
        return NULL;
    }
    nvrtc->library = toolchain_open_library(names, cuda);
    if (!nvrtc->library)
        gpu_fail(error,
                 "NVRTC (libnvrtc.so) is not found%s%s: install the CUDA toolkit, or name its folder with --cuda DIR",
                 cuda ? " in " : "", cuda ? cuda : "");
    else if (!find_functions(nvrtc) || nvrtc->get_version(&major, &minor))
        gpu_fail(error, "the NVRTC that was found is too old: CUDA 12 or later is needed");
    else {
        nvrtc->version = 1000 * major + 10 * minor;
        return nvrtc;
    }
    nvrtc_close(nvrtc);
    return NULL;
}

void nvrtc_close(Nvrtc *nvrtc)
{
    if (!nvrtc)
        return;
    if (nvrtc->library)
        dlclose(nvrtc->library);
    free(nvrtc);
}

int nvrtc_version(const Nvrtc *nvrtc)
{
    return nvrtc->version;
}

bool nvrtc_folder(const Nvrtc *nvrtc, char *folder, size_t size)
{
    return toolchain_library_folder(nvrtc->library, folder, size);
}

enum { MAX_OPTIONS = 16 };

typedef struct OptionList {
    const char *items[MAX_OPTIONS];
    int count;
    char arch[64], include[1100];
} OptionList;

static void add_all(OptionList *list, const char *const *options)
{
    for (; *options; options++)
        list->items[list->count++] = *options;
}

/* As Warp compiles its modules, with what is a matter of taste left at its defaults. */
static void list_options(const NvrtcOptions *options, OptionList *list)
{
    static const char *const plain[] = {"--std=c++17", "--device-as-default-execution-space", "--disable-warnings",
                                        NULL};
    static const char *const fixed[] = {
        "--std=c++17", "--define-macro=NDEBUG", "--define-macro=WP_ENABLE_MATHDX=0",
        "--device-as-default-execution-space", "--extra-device-vectorization", "--restrict",
        /* Unused variables, and variables that only the replayed part of a branch sets: Warp's text has them. */
        "--diag-suppress=177,549,550", NULL};
    snprintf(list->arch, sizeof list->arch, "--gpu-architecture=%s_%d", options->image ? "sm" : "compute",
             options->arch);
    snprintf(list->include, sizeof list->include, "--include-path=%s", options->warp_include);
    list->count = 0;
    list->items[list->count++] = list->arch;
    list->items[list->count++] = list->include;
    list->items[list->count++] = options->no_fma ? "--fmad=false" : "--fmad=true";
    add_all(list, options->plain ? plain : fixed);
}

void nvrtc_describe(const Nvrtc *nvrtc, const NvrtcOptions *options, Text *out)
{
    OptionList list;
    list_options(options, &list);
    text_format(out, "nvrtc %d", nvrtc->version);
    for (int i = 0; i < list.count; i++)
        if (list.items[i] != list.include)
            text_format(out, " %s", list.items[i]);
}

static bool fetch(NvrtcProgram program, int (*get_size)(NvrtcProgram, size_t *), int (*get)(NvrtcProgram, char *),
                  Text *out)
{
    size_t size;
    if (get_size(program, &size))
        return false;
    text_reserve(out, size + 1);
    if (get(program, out->data + out->len))
        return false;
    out->len += size;
    return true;
}

/* NVRTC has no headers of C++, and what is in those of CUDA is built in; plain CUDA may include weft_math.cuh. */
static int create(const Nvrtc *nvrtc, const char *source, bool plain, NvrtcProgram *program)
{
    enum { HEADERS = 21 };
    static const char *const names[HEADERS] = {"weft_math.cuh",
                                               "cuda.h",
                                               "cuda_runtime.h",
                                               "cuda_runtime_api.h",
                                               "device_launch_parameters.h",
                                               "math.h",
                                               "device_functions.h",
                                               "stdint.h",
                                               "stddef.h",
                                               "cmath",
                                               "cstdint",
                                               "cstddef",
                                               "float.h",
                                               "stdio.h",
                                               "cstdio",
                                               "limits.h",
                                               "climits",
                                               "cfloat",
                                               "stdlib.h",
                                               "string.h",
                                               "cstring"};
    const char *texts[HEADERS];
    for (int i = 0; i < HEADERS; i++)
        texts[i] = i ? "" : (const char *)weft_math_cuh;
    return nvrtc->create(program, source, plain ? "answer.cu" : "weft.cu", plain ? HEADERS : 0, plain ? texts : NULL,
                         plain ? names : NULL);
}

static int add_names(const Nvrtc *nvrtc, NvrtcProgram program, const NvrtcNames *names)
{
    int result = 0;
    for (int i = 0; names && !result && i < 2; i++)
        if (names->wanted[i][0])
            result = nvrtc->add_name(program, names->wanted[i]);
    return result;
}

static int find_names(const Nvrtc *nvrtc, NvrtcProgram program, NvrtcNames *names)
{
    int result = 0;
    for (int i = 0; names && !result && i < 2; i++) {
        const char *found = "";
        if (names->wanted[i][0])
            result = nvrtc->lowered_name(program, names->wanted[i], &found);
        if (!result)
            snprintf(names->found[i], sizeof names->found[i], "%s", found);
    }
    return result;
}

bool nvrtc_compile(const Nvrtc *nvrtc, const char *source, const NvrtcOptions *options, Text *out, Text *log)
{
    NvrtcProgram program;
    OptionList list;
    int result = create(nvrtc, source, options->plain, &program);
    if (result) {
        text_str(log, nvrtc->error_string(result));
        return false;
    }
    list_options(options, &list);
    result = add_names(nvrtc, program, options->names);
    if (!result)
        result = nvrtc->compile(program, list.count, list.items);
    if (!result)
        result = find_names(nvrtc, program, options->names);
    if (result && !fetch(program, nvrtc->log_size, nvrtc->log, log))
        text_str(log, nvrtc->error_string(result));
    bool done = !result && (options->image ? fetch(program, nvrtc->image_size, nvrtc->image, out)
                                           : fetch(program, nvrtc->ptx_size, nvrtc->ptx, out));
    if (!result && !done)
        text_lit(log, "the compiled module cannot be fetched");
    nvrtc->destroy(&program);
    return done;
}
