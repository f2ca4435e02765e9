/* weft standalone --verify: every program of a folder is built with the CPU shim and run, and compiled to PTX where there is an
 * nvcc. A sample's stages run in a process of its own, so many at a time. */
#include "args.h"
#include "files.h"
#include "progress.h"
#include "standalone.h"
#include "terminal.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a sample's process. */
enum { BUILD_FAILED = 1, RUN_FAILED = 2, PTX_FAILED = 4, WARNED = 8 };

typedef struct Program {
    char *folder, *name;
    pid_t process;
    int status;
} Program;

typedef struct PtxFigures {
    unsigned long instructions, registers, loads, stores, atomics, kernels;
} PtxFigures;

typedef struct Verify {
    Program *programs;
    size_t count, cap;
    const char *nvcc; /* NULL: there is none */
    PtxFigures ptx;
    unsigned built, passed, both, compiled, warned, failed;
} Verify;

/* ---- finding the programs ---- */

static char *joined(const char *a, const char *between, const char *b)
{
    size_t length = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = malloc(length);
    if (text)
        snprintf(text, length, "%s%s%s", a, between, b);
    return text;
}

/* The kernel's name: that of the .cu file. */
static char *program_name(const char *folder)
{
    DIR *dir = opendir(folder);
    char *name = NULL;
    for (struct dirent *entry; dir && !name && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".cu") == 0)
            name = strndup(entry->d_name, length - 3);
    }
    if (dir)
        closedir(dir);
    return name;
}

static bool add_program(Verify *v, char *folder, char *name)
{
    if (!ARRAY_ROOM(v->programs, v->count, v->cap))
        return false;
    v->programs[v->count++] = (Program){.folder = folder, .name = name};
    return true;
}

static int by_folder(const void *a, const void *b)
{
    return strcmp(((const Program *)a)->folder, ((const Program *)b)->folder);
}

static bool find_programs(Verify *v, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        tell(stderr, "weft standalone: %s: %s\n", folder, strerror(errno));
        return false;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char *path = entry->d_name[0] == '.' ? NULL : joined(folder, "/", entry->d_name);
        char *name = path ? program_name(path) : NULL;
        if (!name || !add_program(v, path, name)) {
            free(path);
            free(name);
        }
    }
    closedir(dir);
    if (v->count)
        qsort(v->programs, v->count, sizeof *v->programs, by_folder);
    return true;
}

static bool is_program_file(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

static const char *find_nvcc(void)
{
    static char found[4096];
    const char *given = getenv("NVCC"), *path = getenv("PATH");
    if (given && is_program_file(given))
        return given;
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(found, sizeof found, "%.*s/nvcc", (int)length, path);
        if (is_program_file(found))
            return found;
        path += length + (path[length] == ':');
    }
    return is_program_file("/usr/local/cuda/bin/nvcc") ? "/usr/local/cuda/bin/nvcc" : NULL;
}

/* ---- the stages of one program, in its own process ---- */

static bool run_logged(const char *log, char *const *command)
{
    pid_t process = fork();
    if (process == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0)
            _exit(127);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    return process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_empty(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && file.st_size == 0;
}

static int run_stages(const Program *program, const char *nvcc)
{
    char *binary = joined(program->name, "_", "cpu"), *run = joined("./", program->name, "_cpu");
    char *ptx = joined(program->name, ".", "ptx"), *compiler = nvcc ? joined("NVCC=", nvcc, "") : NULL;
    int status = 0;
    if (chdir(program->folder) != 0 || !binary || !run || !ptx)
        return BUILD_FAILED;
    if (!run_logged("build.log", (char *[]){"make", "-s", binary, NULL}))
        return BUILD_FAILED;
    status |= is_empty("build.log") ? 0 : WARNED;
    if (!run_logged("run.log", (char *[]){run, NULL}))
        status |= RUN_FAILED;
    if (nvcc) {
        if (!run_logged("ptx.log", (char *[]){"make", "-s", compiler, ptx, NULL}))
            status |= PTX_FAILED;
        status |= is_empty("ptx.log") ? 0 : WARNED;
    }
    return status;
}

static void run_all(Verify *v, int jobs, Progress *progress)
{
    size_t started = 0, ended_count = 0;
    int running = 0;
    while (started < v->count || running) {
        if (started < v->count && running < jobs) {
            Program *program = &v->programs[started++];
            program->process = fork();
            if (program->process == 0)
                _exit(run_stages(program, v->nvcc));
            program->status = BUILD_FAILED;
            running += program->process > 0;
            continue;
        }
        int status;
        pid_t ended = wait(&status);
        if (ended < 0)
            break;
        progress_tell(progress, "programs", ++ended_count, v->count, "");
        for (size_t i = 0; i < started; i++)
            if (v->programs[i].process == ended) {
                v->programs[i].status = WIFEXITED(status) ? WEXITSTATUS(status) : RUN_FAILED;
                running--;
            }
    }
}

/* ---- figures ---- */

static void count_ptx(PtxFigures *ptx, const char *path)
{
    size_t length;
    char *text = read_regular(path, 0, &length);
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line += strspn(line, " \t");
        const char *registers = strncmp(line, ".reg ", 5) == 0 ? strchr(line, '<') : NULL;
        if (registers)
            ptx->registers += strtoul(registers + 1, NULL, 10) - 1;
        ptx->kernels += strstr(line, ".entry ") != NULL;
        size_t end = strlen(line);
        bool instruction = end && line[end - 1] == ';' && line[0] != '.' && line[0] != '/';
        if (!instruction)
            continue;
        ptx->instructions++;
        ptx->loads += strstr(line, "ld.global") != NULL;
        ptx->stores += strstr(line, "st.global") != NULL;
        ptx->atomics +=
            strncmp(line, "atom.", 5) == 0 || strncmp(line, "red.", 4) == 0 || strstr(line, " atom.") != NULL;
    }
    free(text);
}

static void show_log(const char *folder, const char *log)
{
    char *path = joined(folder, "/", log);
    size_t length = 0;
    char *text = path ? read_regular(path, 0, &length) : NULL;
    if (text && length)
        printf("%.*s%s", (int)(length < 1000 ? length : 1000), text, text[length - 1] == '\n' ? "" : "\n");
    free(text);
    free(path);
}

static bool is_two_way(const char *folder)
{
    char *path = joined(folder, "/", "run.log");
    size_t length;
    char *text = path ? read_regular(path, 0, &length) : NULL;
    bool both = text && strstr(text, "PASS (forward and backward");
    free(text);
    free(path);
    return both;
}

static void add_figures(Verify *v, const Program *program)
{
    int status = program->status;
    bool built = !(status & BUILD_FAILED), passed = built && !(status & RUN_FAILED);
    v->built += built;
    v->passed += passed;
    v->both += passed && is_two_way(program->folder);
    v->warned += (status & WARNED) != 0;
    bool compiled = v->nvcc && built && !(status & PTX_FAILED);
    v->compiled += compiled;
    if (compiled) {
        char *name = joined(program->name, ".", "ptx"), *path = name ? joined(program->folder, "/", name) : NULL;
        if (path)
            count_ptx(&v->ptx, path);
        free(path);
        free(name);
    }
    if (!status)
        return;
    v->failed++;
    tell(stdout, "%s: %s\n", program->folder,
         status & BUILD_FAILED ? "does not build"
         : status & RUN_FAILED ? "FAIL"
         : status & PTX_FAILED ? "does not compile to PTX"
                               : "compiles with warnings");
    show_log(program->folder, status & BUILD_FAILED ? "build.log" : status & RUN_FAILED ? "run.log" : "ptx.log");
    if (status & WARNED)
        show_log(program->folder, "build.log");
}

static void report(const Verify *v)
{
    double count = v->ptx.kernels ? (double)v->ptx.kernels : 1;
    tell(
        stdout,
        "%zu programs: %u build with the CPU shim, %u print PASS (%u of them forward and backward), %u have warnings\n",
        v->count, v->built, v->passed, v->both, v->warned);
    if (!v->nvcc) {
        tell(stdout, "nvcc was not found: nothing was compiled to PTX\n");
        return;
    }
    tell(stdout,
         "%u compile to PTX with nvcc: %lu kernels, on average %.0f instructions, %.0f registers, %.1f loads, %.1f "
         "stores "
         "and %.1f atomics\n",
         v->compiled, v->ptx.kernels, (double)v->ptx.instructions / count, (double)v->ptx.registers / count,
         (double)v->ptx.loads / count, (double)v->ptx.stores / count, (double)v->ptx.atomics / count);
}

int standalone_verify(const Call *call, const char *folder, int jobs)
{
    Progress progress;
    Verify v = {.nvcc = find_nvcc()};
    if (!find_programs(&v, folder))
        return EXIT_FOUND;
    if (!v.count) {
        tell(stderr, "weft standalone: there are no programs in %s\n", folder);
        return EXIT_FOUND;
    }
    fflush(stdout);
    progress_begin(&progress, call);
    run_all(&v, jobs, &progress);
    progress_end(&progress, NULL); /* the report is the summary */
    for (size_t i = 0; i < v.count; i++)
        add_figures(&v, &v.programs[i]);
    report(&v);
    for (size_t i = 0; i < v.count; i++) {
        free(v.programs[i].folder);
        free(v.programs[i].name);
    }
    free(v.programs);
    return v.failed ? EXIT_FOUND : EXIT_DONE;
}
