#include "gpu/toolchain.h"

#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

bool gpu_fail(GpuError *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

/* ---- Warp's headers ---- */

static bool is_header_folder(const char *folder)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/builtin.h", folder);
    return access(path, R_OK) == 0;
}

static bool take_folder(Toolchain *tools, const char *folder)
{
    char inner[1024];
    if (is_header_folder(folder)) {
        snprintf(tools->warp_include, sizeof tools->warp_include, "%s", folder);
        return true;
    }
    if (snprintf(inner, sizeof inner, "%s/native", folder) >= (int)sizeof inner || !is_header_folder(inner))
        return false;
    snprintf(tools->warp_include, sizeof tools->warp_include, "%s", inner);
    return true;
}

static bool find_in_environment(Toolchain *tools, const char *environment)
{
    char pattern[1200];
    glob_t matches;
    bool found = false;
    snprintf(pattern, sizeof pattern, "%s/lib/python3*/site-packages/warp", environment);
    if (glob(pattern, 0, NULL, &matches) != 0)
        return false;
    for (size_t k = 0; !found && k < matches.gl_pathc; k++)
        found = take_folder(tools, matches.gl_pathv[k]);
    globfree(&matches);
    return found;
}

/* The environment that is active, or the one of the project that this program was built in. Not one of the current folder:
 * that may be anybody's, and what is found here is compiled and run. */
static bool find_in_environments(Toolchain *tools)
{
    char program[900], own[1000];
    const char *active = getenv("VIRTUAL_ENV");
    if (active && *active && find_in_environment(tools, active))
        return true;
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0)
        return false;
    program[len] = '\0';
    for (int up = 0; up < 2 && strrchr(program, '/'); up++)
        *strrchr(program, '/') = '\0';
    snprintf(own, sizeof own, "%s/.venv", program);
    return find_in_environment(tools, own);
}

/* Asks the system's Python where the package lies, without importing it. -I: a folder `warp` that happens to be in the
 * current one is not it, whatever the environment says. */
static bool ask_python(Toolchain *tools)
{
    char line[1000];
    FILE *answer = popen("python3 -I -c \"import importlib.util as u; s = u.find_spec('warp'); "
                         "print(list(s.submodule_search_locations)[0] if s else '')\" 2>/dev/null",
                         "r");
    bool found = false;
    if (answer && fgets(line, sizeof line, answer)) {
        line[strcspn(line, "\r\n")] = '\0';
        found = line[0] && take_folder(tools, line);
    }
    if (answer)
        pclose(answer);
    return found;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void hash_headers(Toolchain *tools)
{
    char pattern[1100], bytes[65536];
    glob_t matches;
    XXH3_state_t *state = XXH3_createState();
    tools->headers_hash[0] = '\0';
    snprintf(pattern, sizeof pattern, "%s/*.h", tools->warp_include);
    if (!state)
        return;
    XXH3_128bits_reset(state);
    if (glob(pattern, 0, NULL, &matches) == 0) {
        qsort(matches.gl_pathv, matches.gl_pathc, sizeof *matches.gl_pathv, by_name);
        for (size_t i = 0; i < matches.gl_pathc; i++) {
            FILE *file = fopen(matches.gl_pathv[i], "rb");
            for (size_t got; file && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
                XXH3_128bits_update(state, bytes, got);
            if (file)
                fclose(file);
        }
        globfree(&matches);
    }
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    snprintf(tools->headers_hash, sizeof tools->headers_hash, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

bool toolchain_find_headers(Toolchain *tools, const char *given, GpuError *error)
{
    if (given && !take_folder(tools, given))
        return gpu_fail(error, "%s has no builtin.h: it is not the folder of Warp's native headers", given);
    if (!given && !find_in_environments(tools) && !ask_python(tools))
        return gpu_fail(error, "Warp's native headers are not found: install warp-lang, or name their folder "
                               "(site-packages/warp/native) with --warp-include DIR");
    hash_headers(tools);
    return true;
}

/* ---- the compiler ---- */

static bool find_program(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return access(name, X_OK) == 0;
    }
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, size, "%.*s/%s", (int)length, at, name);
        if (access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool toolchain_find_compiler(Toolchain *tools, GpuError *error)
{
    static const char *const names[] = {"g++", "c++", "clang++"};
    const char *chosen = getenv("CXX");
    if (chosen && *chosen)
        return find_program(chosen, tools->compiler, sizeof tools->compiler) ||
               gpu_fail(error, "the C++ compiler of $CXX, '%s', is not found", chosen);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find_program(names[i], tools->compiler, sizeof tools->compiler))
            return true;
    return gpu_fail(error, "no C++ compiler is found (g++, c++, clang++): install one, or name it with CXX=…");
}

/* ---- libraries ---- */

static void *open_in(const char *folder, const char *const *names)
{
    static const char *const parts[] = {"lib64", "lib", "targets/x86_64-linux/lib", "."};
    char path[1200];
    void *library = NULL;
    for (size_t i = 0; folder && !library && i < sizeof parts / sizeof *parts; i++)
        for (size_t k = 0; !library && names[k]; k++) {
            snprintf(path, sizeof path, "%s/%s/%s", folder, parts[i], names[k]);
            if (access(path, R_OK) == 0)
                library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    return library;
}

void *toolchain_open_library(const char *const *names, const char *cuda)
{
    const char *const folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"};
    void *library = NULL;
    if (cuda)
        return open_in(cuda, names);
    for (size_t i = 0; !library && names[i]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !library && i < sizeof folders / sizeof *folders; i++)
        library = open_in(folders[i], names);
    glob_t matches;
    if (!library && glob("/usr/local/cuda-*", 0, NULL, &matches) == 0) {
        for (size_t i = matches.gl_pathc; !library && i-- > 0;)
            library = open_in(matches.gl_pathv[i], names);
        globfree(&matches);
    }
    return library;
}
