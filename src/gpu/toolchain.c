#include "gpu/toolchain.h"

#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
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

/* The version that the headers of a folder say they are of; "": none is said. */
static void read_version(const char *folder, char version[32])
{
    char path[1200], line[200];
    static const char head[] = "#define WP_VERSION_STRING \"";
    version[0] = '\0';
    snprintf(path, sizeof path, "%s/version.h", folder);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, head, sizeof head - 1) == 0) {
            const char *begin = line + sizeof head - 1;
            snprintf(version, 32, "%.*s", (int)strcspn(begin, "\""), begin);
        }
    if (file)
        fclose(file);
}

static bool is_header_folder(const char *folder)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/builtin.h", folder);
    return access(path, R_OK) == 0;
}

/* The headers in a folder, or in `native` in it. */
static bool take_folder(Toolchain *tools, const char *folder)
{
    char inner[1024];
    if (!is_header_folder(folder)) {
        if (snprintf(inner, sizeof inner, "%s/native", folder) >= (int)sizeof inner || !is_header_folder(inner))
            return false;
        folder = inner;
    }
    snprintf(tools->warp_include, sizeof tools->warp_include, "%s", folder);
    read_version(folder, tools->warp);
    return true;
}

/* Where headers are looked for: it ends with the first that are of the version. */
typedef struct HeaderSearch {
    Toolchain *tools;
    const char *warp;
    Toolchain other; /* the first that were found and are of another version */
} HeaderSearch;

static bool try_folder(HeaderSearch *search, const char *folder)
{
    if (!take_folder(search->tools, folder))
        return false;
    if (strcmp(search->tools->warp, search->warp) == 0)
        return true;
    if (!search->other.warp_include[0])
        search->other = *search->tools;
    return false;
}

static bool find_in_environment(HeaderSearch *search, const char *environment)
{
    char pattern[1200];
    glob_t matches;
    bool found = false;
    snprintf(pattern, sizeof pattern, "%s/lib/python3*/site-packages/warp", environment);
    if (glob(pattern, 0, NULL, &matches) != 0)
        return false;
    for (size_t k = 0; !found && k < matches.gl_pathc; k++)
        found = try_folder(search, matches.gl_pathv[k]);
    globfree(&matches);
    return found;
}

/* The environment that is active, or those of the project that this program was built in (tools/venv.sh). Not one of the
 * current folder: that may be anybody's, and what is found here is compiled and run. */
static bool find_in_environments(HeaderSearch *search)
{
    char program[900], own[1000];
    const char *active = getenv("VIRTUAL_ENV");
    if (active && *active && find_in_environment(search, active))
        return true;
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0)
        return false;
    program[len] = '\0';
    for (int up = 0; up < 2 && strrchr(program, '/'); up++)
        *strrchr(program, '/') = '\0';
    snprintf(own, sizeof own, "%s/.venv", program);
    if (find_in_environment(search, own))
        return true;
    snprintf(own, sizeof own, "%s/.venv-%s", program, search->warp);
    return find_in_environment(search, own);
}

/* Asks the system's Python where the package lies, without importing it. -I: a folder `warp` that happens to be in the
 * current one is not it, whatever the environment says. */
static bool ask_python(HeaderSearch *search)
{
    char line[1000];
    FILE *answer = popen("python3 -I -c \"import importlib.util as u; s = u.find_spec('warp'); "
                         "print(list(s.submodule_search_locations)[0] if s else '')\" 2>/dev/null",
                         "r");
    bool found = false;
    if (answer && fgets(line, sizeof line, answer)) {
        line[strcspn(line, "\r\n")] = '\0';
        found = line[0] && try_folder(search, line);
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

static bool find_headers(Toolchain *tools, const char *warp, GpuError *error)
{
    HeaderSearch search = {.tools = tools, .warp = warp};
    if (find_in_environments(&search) || ask_python(&search))
        return true;
    if (search.other.warp_include[0])
        return gpu_fail(
            error,
            "the text is for Warp %s, but the native headers that are installed (%s) are for Warp %s: install "
            "warp-lang==%s, or name its headers with --warp-include DIR",
            warp, search.other.warp_include, search.other.warp[0] ? search.other.warp : "(unknown)", warp);
    return gpu_fail(error,
                    "Warp's native headers are not found: install warp-lang==%s, or name their folder "
                    "(site-packages/warp/native) with --warp-include DIR",
                    warp);
}

bool toolchain_find_headers(Toolchain *tools, const char *given, const char *warp, GpuError *error)
{
    if (given && !take_folder(tools, given))
        return gpu_fail(error, "%s has no builtin.h: it is not the folder of Warp's native headers", given);
    if (given && !tools->warp[0])
        return gpu_fail(
            error, "%s has no version.h that says which version of Warp its headers belong to; the text is for Warp %s",
            given, warp);
    if (given && strcmp(tools->warp, warp) != 0)
        return gpu_fail(error, "the headers in %s are for Warp %s, but the text is for Warp %s", given, tools->warp,
                        warp);
    if (!given && !find_headers(tools, warp, error))
        return false;
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

bool toolchain_library_path(void *library, char *path, size_t size)
{
    struct link_map *map = NULL;
    char real[PATH_MAX];
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && realpath(map->l_name, real) &&
           snprintf(path, size, "%s", real) < (int)size;
}

bool toolchain_library_folder(void *library, char *folder, size_t size)
{
    if (!toolchain_library_path(library, folder, size) || !strrchr(folder, '/'))
        return false;
    *strrchr(folder, '/') = '\0';
    return true;
}

const char *toolchain_load_functions(void *library, const LibraryFunction *functions, void *into)
{
    for (; functions->name; functions++) {
        void *function = dlsym(library, functions->name);
        if (!function)
            return functions->name;
        memcpy((char *)into + functions->offset, &function, sizeof function);
    }
    return NULL;
}
