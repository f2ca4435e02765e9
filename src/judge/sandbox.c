#include "judge/sandbox.h"

#include "base/process.h"
#include "base/safe_file.h"
#include "gpu/nvrtc.h"
#include "judge/cage.h"
#include "judge/inside.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(SandboxError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(SandboxError *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

/* ---- what it needs ---- */

/* ccache takes the name that it is called by for the compiler's, and the sandbox calls it by its own. The compiler itself is further on. */
static bool is_launcher(const char *real)
{
    const char *name = strrchr(real, '/');
    return name && strcmp(name, "/ccache") == 0;
}

static bool find_program(const char *name, char *path, size_t size)
{
    char found[PATH_MAX], real[PATH_MAX];
    const char *list = getenv("PATH");
    for (const char *at = strchr(name, '/') ? "" : list ? list : "/usr/bin:/bin";;) {
        size_t length = strcspn(at, ":");
        if (strchr(name, '/'))
            snprintf(found, sizeof found, "%s", name);
        else
            snprintf(found, sizeof found, "%.*s/%s", (int)length, at, name);
        if (access(found, X_OK) == 0 && realpath(found, real) && strlen(real) < size && !is_launcher(real)) {
            memcpy(path, real, strlen(real) + 1);
            return true;
        }
        if (!at[length])
            return false;
        at += length + 1;
    }
}

static bool find_compiler(Sandbox *sandbox, SandboxError *error)
{
    static const char *const names[] = {"g++", "c++", "clang++"};
    const char *chosen = getenv("CXX");
    bool found = chosen && *chosen && find_program(chosen, sandbox->compiler, sizeof sandbox->compiler);
    if (chosen && *chosen && !found)
        return fail(error, "the C++ compiler of $CXX, '%s', is not found", chosen);
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = find_program(names[i], sandbox->compiler, sizeof sandbox->compiler);
    if (!found)
        return fail(error, "no C++ compiler is found (g++, c++, clang++): install one, or name it with CXX=…");
    if (strncmp(sandbox->compiler, "/usr/", 5) != 0)
        return fail(error, "the compiler %s is outside of /usr, which is all that answers see: name another with CXX=…",
                    sandbox->compiler);
    return true;
}

/* An empty request: it must come to life in the sandbox, and end. */
static bool try_it(const Sandbox *sandbox, SandboxError *error)
{
    static const char *const none[] = {NULL};
    Job job = {.mode = JOB_PYTHON, .limits = {1, 1, 256}, .flags = none, .source = "", .inputs = "[]"};
    SandboxResult result;
    sandbox_run(sandbox, &job, 4096, &result);
    bool alive = result.status.magic == JOB_MAGIC && result.status.stage == JOB_RAN;
    if (!alive)
        fail(error, "bubblewrap cannot make a sandbox here, and answers are never run without one%s%.600s",
             result.messages.len ? ": " : "", text_cstr(&result.messages));
    sandbox_result_free(&result);
    return alive;
}

/* ---- cards ---- */

static void list_devices(Sandbox *sandbox)
{
    static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc && sandbox->device_count < MOST_DEVICES; k++)
            if (strlen(found.gl_pathv[k]) < sizeof *sandbox->devices)
                snprintf(sandbox->devices[sandbox->device_count++], sizeof *sandbox->devices, "%s", found.gl_pathv[k]);
        globfree(&found);
    }
}

static bool find_cuda(Sandbox *sandbox, const char *cuda, SandboxError *error)
{
    GpuError missing = {""};
    Nvrtc *nvrtc = nvrtc_open(cuda, &missing);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    bool fine = nvrtc && nvrtc_folder(nvrtc, sandbox->nvrtc, sizeof sandbox->nvrtc);
    if (!fine)
        fail(error, "%.800s", missing.message[0] ? missing.message : "the folder of NVRTC is not found");
    else if (!driver || !toolchain_library_path(driver, sandbox->driver_file, sizeof sandbox->driver_file) ||
             !toolchain_library_folder(driver, sandbox->driver, sizeof sandbox->driver))
        fine = fail(error, "no GPU: there is no CUDA driver (libcuda.so.1) on this machine");
    if (driver)
        dlclose(driver);
    nvrtc_close(nvrtc);
    list_devices(sandbox);
    return fine;
}

/* ---- opening ---- */

static bool find_bwrap(Sandbox *sandbox, SandboxError *error)
{
    return find_program("bwrap", sandbox->bwrap, sizeof sandbox->bwrap) ||
           fail(error, "bubblewrap (bwrap) is not installed, and answers are never run without it: "
                       "apt-get install bubblewrap, or whatever your system calls it");
}

static bool open_common(Sandbox *sandbox, SandboxError *error)
{
    const char *base = getenv("TMPDIR");
    sandbox->folder[0] = '\0';
    ssize_t len = readlink("/proc/self/exe", sandbox->program, sizeof sandbox->program - 1);
    if (len <= 0)
        return fail(error, "weft does not find its own program: %s", strerror(errno));
    sandbox->program[len] = '\0';
    snprintf(sandbox->folder, sizeof sandbox->folder, "%s/weft-judge-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(sandbox->folder)) {
        sandbox->folder[0] = '\0';
        return fail(error, "no folder for the judge's headers can be made: %s", strerror(errno));
    }
    cage_find(sandbox->cages, sizeof sandbox->cages);
    bool works = try_it(sandbox, error);
    if (!works && sandbox->cages[0]) { /* not from where weft is */
        sandbox->cages[0] = '\0';
        works = try_it(sandbox, error);
    }
    if (works)
        return true;
    sandbox_close(sandbox);
    return false;
}

bool sandbox_open(Sandbox *sandbox, SandboxError *error)
{
    return find_bwrap(sandbox, error) && find_compiler(sandbox, error) && open_common(sandbox, error);
}

bool sandbox_open_for_cards(Sandbox *sandbox, const char *cuda, SandboxError *error)
{
    return find_bwrap(sandbox, error) && find_cuda(sandbox, cuda, error) && open_common(sandbox, error);
}

/* ---- the folder ---- */

static const char *const made[] = {"weft_judge.h",
                                   "weft_judge.h.gch",
                                   "weft_judge_math.h",
                                   "weft_judge_math.h.gch",
                                   "weft_math.cuh",
                                   "weft_warp.h",
                                   "weft_warp.h.gch",
                                   "cuda_runtime.h",
                                   "cuda.h",
                                   "device_launch_parameters.h",
                                   "log",
                                   NULL};

void sandbox_close(Sandbox *sandbox)
{
    char path[700];
    for (size_t i = 0; sandbox->folder[0] && made[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", sandbox->folder, made[i]);
        unlink(path);
    }
    if (sandbox->folder[0])
        rmdir(sandbox->folder);
    sandbox->folder[0] = '\0';
}

bool sandbox_add_file(Sandbox *sandbox, const char *name, const char *text, size_t len, SandboxError *error)
{
    char path[700];
    snprintf(path, sizeof path, "%s/%s", sandbox->folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write_fully(fd, text, len);
    if (fd < 0 || close(fd) != 0 || !written)
        return fail(error, "%s cannot be written: %s", path, strerror(errno));
    return true;
}

bool sandbox_precompiles(const Sandbox *sandbox)
{
    return !strstr(sandbox->compiler, "clang");
}

bool sandbox_precompile(Sandbox *sandbox, const char *name, const char *const *flags, SandboxError *error)
{
    enum { MOST = 40 };
    char source[700], out[720], log[700];
    const char *args[MOST];
    size_t count = 0;
    snprintf(source, sizeof source, "%s/%s", sandbox->folder, name);
    snprintf(out, sizeof out, "%s.gch", source);
    snprintf(log, sizeof log, "%s/log", sandbox->folder);
    args[count++] = sandbox->compiler;
    for (size_t i = 0; flags[i] && count < MOST - 8; i++)
        args[count++] = flags[i];
    const char *const rest[] = {"-x", "c++-header", source, "-o", out, NULL};
    for (size_t i = 0; rest[i]; i++)
        args[count++] = rest[i];
    args[count] = NULL;
    return process_run(args, log) == 0 ||
           fail(error, "the header of the judge does not compile with %s: name another compiler with CXX=…",
                sandbox->compiler);
}
