/* weft gpu --standalone: programs that weft standalone wrote, built with nvcc and run. */
#include "args.h"
#include "files.h"
#include "gpu.h"
#include "terminal.h"

#include "base/array.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/process.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Program {
    char *folder, *name; /* folder/name.cu */
    bool built, passed;
    char *message; /* the last line it printed, or what the compiler said */
} Program;

typedef struct Programs {
    Program *items;
    uint32_t count, next;
    size_t cap;
    Progress *progress;
    const char *nvcc;
    char arch[32];
    pthread_mutex_t lock;
} Programs;

/* ---- finding them ---- */

static int by_folder(const void *a, const void *b)
{
    return strcmp(((const Program *)a)->folder, ((const Program *)b)->folder);
}

static bool add_program(Programs *programs, const char *folder, const char *file)
{
    if (!ARRAY_ROOM(programs->items, programs->count, programs->cap))
        return false;
    programs->items[programs->count++] =
        (Program){.folder = strdup(folder), .name = strndup(file, strlen(file) - strlen(".cu"))};
    return true;
}

/* All .cu files of a folder and of the folders in it. */
static bool find_programs(Programs *programs, const char *folder, unsigned depth)
{
    DIR *list = opendir(folder);
    bool fine = list != NULL;
    for (struct dirent *entry; fine && (entry = readdir(list));) {
        size_t length = strlen(entry->d_name);
        char path[2048];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".cu") == 0)
            fine = add_program(programs, folder, entry->d_name);
        else if (depth && entry->d_type == DT_DIR)
            fine = find_programs(programs, path, depth - 1);
    }
    if (list)
        closedir(list);
    return fine;
}

/* ---- building and running one ---- */

static char *last_line(const char *path)
{
    char line[500], last[500] = "it printed nothing";
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (line[strspn(line, " \t\r\n")]) {
            line[strcspn(line, "\r\n")] = '\0';
            memcpy(last, line, sizeof last);
        }
    if (file)
        fclose(file);
    return strdup(last);
}

static void try_program(const Programs *programs, Program *program)
{
    char source[2400], binary[2400], log[2400];
    snprintf(source, sizeof source, "%s/%s.cu", program->folder, program->name);
    snprintf(binary, sizeof binary, "%s/%s.weft", program->folder, program->name);
    snprintf(log, sizeof log, "%s/%s.log", program->folder, program->name);
    const char *const compile[] = {programs->nvcc, "-std=c++17", "-O2",  "-fmad=false", programs->arch,
                                   "-o",           binary,       source, NULL};
    const char *const run[] = {binary, NULL};
    program->built = process_run(compile, log) == 0;
    program->passed = program->built && process_run(run, log) == 0;
    program->message = last_line(log);
    unlink(binary);
    if (program->passed)
        unlink(log);
}

static void work(void *user, unsigned number)
{
    (void)number;
    Programs *programs = user;
    for (;;) {
        pthread_mutex_lock(&programs->lock);
        uint32_t i = programs->next++;
        progress_tell(programs->progress, "programs run", i < programs->count ? i : programs->count, programs->count,
                      "");
        pthread_mutex_unlock(&programs->lock);
        if (i >= programs->count)
            return;
        try_program(programs, &programs->items[i]);
    }
}

/* ---- the command ---- */

static int show(const GpuCall *call, const Programs *programs, const char *card)
{
    uint32_t built = 0, passed = 0;
    Text text = {0};
    JsonWriter json = {.out = &text};
    for (uint32_t i = 0; i < programs->count; i++) {
        const Program *program = &programs->items[i];
        built += program->built;
        passed += program->passed;
        if (!program->passed && (long long)(i + 1 - passed) <= call->messages)
            tell(stderr, "%s/%s.cu: %s: %s\n", program->folder, program->name,
                 program->built ? "it fails" : "nvcc refuses it", program->message ? program->message : "");
    }
    if (call->json) {
        json_open(&json, NULL, '{');
        json_add_string(&json, "machine", card);
        json_add_number(&json, "programs", programs->count);
        json_add_number(&json, "built", built);
        json_add_number(&json, "passed", passed);
        json_close(&json, '}');
        put_json_line(&text, stdout);
    } else
        tell(stdout, "%s: %u standalone programs, %u built with nvcc, %u pass\n%s\n", card, programs->count, built,
             passed, passed == programs->count ? "PASS" : "FAIL");
    return passed == programs->count ? EXIT_DONE : EXIT_FOUND;
}

int gpu_standalone(const GpuCall *call)
{
    Programs programs = {.nvcc = "nvcc", .progress = call->progress};
    Card card;
    GpuError error = {""};
    char nvcc[1100];
    int code = EXIT_FOUND;
    snprintf(nvcc, sizeof nvcc, "%s/bin/nvcc", call->options.cuda ? call->options.cuda : "/usr/local/cuda");
    if (access(nvcc, X_OK) == 0)
        programs.nvcc = nvcc;
    if (!card_look(&card, call->options.card, &error))
        tell(stderr, "weft gpu: %s\n", error.message);
    else if (!find_programs(&programs, call->standalone, 1) || !programs.count)
        tell(stderr, "weft gpu: %s has no .cu files\n", call->standalone);
    else {
        snprintf(programs.arch, sizeof programs.arch, "-arch=sm_%d", card.arch);
        qsort(programs.items, programs.count, sizeof *programs.items, by_folder);
        pthread_mutex_init(&programs.lock, NULL);
        pool_run_once(call->options.jobs, work, &programs);
        pthread_mutex_destroy(&programs.lock);
        progress_end(call->progress, NULL);
        code = show(call, &programs, card.name);
    }
    card_close(&card);
    for (uint32_t i = 0; i < programs.count; i++) {
        free(programs.items[i].folder);
        free(programs.items[i].name);
        free(programs.items[i].message);
    }
    free(programs.items);
    return code;
}
