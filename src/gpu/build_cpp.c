#include "base/process.h"
#include "base/safe_file.h"
#include "gpu/build_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGS = 24 };

static void list_flags(const BuildOptions *options, const char **flags, size_t *count)
{
    static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};
    /* Warp's text has variables that nothing uses. */
    static const char *const fixed[] = {"-std=c++17", "-DNDEBUG", "-fPIC", "-shared", "-w",
#ifdef __x86_64__
                                        "-mf16c", /* half precision */
#endif
                                        "-x",         "c++"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        flags[(*count)++] = fixed[i];
    flags[(*count)++] = levels[options->optimize > 3 ? 3 : options->optimize];
    /* Without fused operations both sides round alike. */
    bool fused = options->like_gpu && !options->no_fma;
    flags[(*count)++] = fused ? "-ffp-contract=fast" : "-ffp-contract=off";
#ifdef __x86_64__
    if (fused)
        flags[(*count)++] = "-mfma";
#endif
}

void describe_cpp_compiler(const BuildOptions *options, Text *out)
{
    const char *flags[MAX_ARGS];
    size_t count = 0;
    list_flags(options, flags, &count);
    text_str(out, options->tools->compiler);
    for (size_t i = 0; i < count; i++)
        text_format(out, " %s", flags[i]);
}

static void read_log(const char *path, Text *log)
{
    char bytes[4096];
    FILE *file = fopen(path, "r");
    for (size_t got; file && log->len < 100000 && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add(log, bytes, got);
    if (file)
        fclose(file);
}

bool compile_cpp(const BuildOptions *options, const char *source, size_t len, const char *path, Text *log)
{
    const Toolchain *tools = options->tools;
    char source_path[1100], log_path[1100];
    const char *args[MAX_ARGS] = {tools->compiler};
    size_t count = 1;
    snprintf(source_path, sizeof source_path, "%s.cpp", path);
    snprintf(log_path, sizeof log_path, "%s.log", path);
    int fd = open(source_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = fd >= 0 && write_fully(fd, source, len);
    if (fd >= 0 && close(fd) != 0)
        written = false;
    if (!written)
        text_format(log, "%s cannot be written: %s", source_path, strerror(errno));
    list_flags(options, args, &count);
    const char *const rest[] = {"-I", tools->warp_include, source_path, "-o", path, NULL};
    memcpy(args + count, rest, sizeof rest);
    bool done = written && process_run(args, log_path) == 0;
    if (written && !done) {
        read_log(log_path, log);
        if (!log->len)
            text_format(log, "%s cannot be run", tools->compiler);
    }
    unlink(source_path);
    unlink(log_path);
    return done;
}
