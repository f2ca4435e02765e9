/* Mutated files through extract, check and standalone: `make fuzz-files COUNT=50000`.
 *
 *     mutate_files [-n COUNT] [--start I] [-s SEED] [-j JOBS] [-t SECONDS] [-k FINDINGS] SOURCE.py...
 *     mutate_files --print I [-s SEED] SOURCE.py...
 *
 * The commands run as they are, inside this process: a child takes files one after the other until it crashes, takes more than ten
 * seconds of CPU time for one command, or has done its share; another one goes on behind that. A finding is kept with the file that
 * made it and what was printed. Built with sanitizers, what these report ends the child, too. */
#include "mutate.h"

#include "args.h"
#include "commands.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHARE = 100, MOST_JOBS = 256, LONGEST = 10, MEMORY = 2048 };

/* The exit code of a child that did all it was to do; what ends a child otherwise is a finding. */
enum { CHILD_DONE = 113 };

static const char *const runs[] = {"extract", "check", "standalone"};
enum { RUNS = sizeof runs / sizeof *runs };

typedef struct Job { /* shared by the parent and one child */
    pid_t child;
    uint64_t index;    /* the file at work */
    uint64_t end;      /* of the child's share */
    uint32_t run;      /* the command at work */
    double since;      /* CPU time of the child when it began */
    uint64_t exits[3]; /* of the commands, by exit code */
    double slowest;
    uint64_t slowest_index;
} Job;

typedef struct Options {
    uint64_t count, start, seed;
    uint32_t jobs;
    double seconds; /* 0: until all are done */
    const char *findings;
    bool print;
} Options;

static double cpu_time(clockid_t clock)
{
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? (double)time.tv_sec + (double)time.tv_nsec / 1e9 : 0;
}

/* ---- the child ---- */

static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[5000];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (lstat(inner, &status) == 0 && S_ISDIR(status.st_mode))
            remove_tree(inner);
        else
            unlink(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

static bool write_whole(const char *path, const Text *text)
{
    FILE *file = fopen(path, "w");
    bool done = file && fwrite(text->data, 1, text->len, file) == text->len;
    return file && fclose(file) == 0 && done;
}

static void run_commands(Job *job, const char *folder)
{
    char file[4200], programs[4200];
    snprintf(file, sizeof file, "%s/mutated.py", folder);
    snprintf(programs, sizeof programs, "%s/programs", folder);
    for (uint32_t i = 0; i < RUNS; i++) {
        char *argv[6] = {file}; /* run_command_line moves them */
        int argc = 1;
        if (strcmp(runs[i], "extract") == 0) {
            argv[argc++] = "-d";
            argv[argc++] = "both";
        } else if (strcmp(runs[i], "standalone") == 0) {
            remove_tree(programs);
            argv[argc++] = "-o";
            argv[argc++] = programs;
        }
        job->run = i;
        job->since = cpu_time(CLOCK_PROCESS_CPUTIME_ID);
        int code = run_command_line(find_command(runs[i]), argc, argv);
        fflush(stdout);
        double taken = cpu_time(CLOCK_PROCESS_CPUTIME_ID) - job->since;
        if (taken > job->slowest) {
            job->slowest = taken;
            job->slowest_index = job->index;
        }
        job->exits[code >= 0 && code < 2 ? code : 2]++;
    }
}

static void work(const Pool *pool, const Options *options, Job *job, const char *folder)
{
    char path[4200];
    Arena arena;
    arena_init(&arena);
    arena_last_resort(end_without_memory);
    for (; job->index < job->end; job->index++) {
        Text text;
        arena_reset(&arena);
        text_init_in(&text, &arena);
        mutate(pool, options->seed, job->index, &text);
        snprintf(path, sizeof path, "%s/mutated.py", folder);
        if (!write_whole(path, &text))
            _exit(1);
        snprintf(path, sizeof path, "%s/log", folder); /* what a sanitizer says goes here, too */
        if (!freopen(path, "w", stderr))
            _exit(1);
        setvbuf(stderr, NULL, _IONBF, 0);
        dup2(fileno(stderr), STDERR_FILENO);
        run_commands(job, folder);
    }
    _exit(CHILD_DONE);
}

/* ---- the parent ---- */

static bool copy_file(const char *from, const char *to)
{
    char buffer[1 << 14];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    size_t len;
    while (in && out && (len = fread(buffer, 1, sizeof buffer, in)) > 0)
        fwrite(buffer, 1, len, out);
    if (in)
        fclose(in);
    return out && fclose(out) == 0 && in;
}

static void keep(const Options *options, const Job *job, const char *folder, const char *what)
{
    char from[4200], to[4200];
    printf("%s: %s of file %llu (seed %llu)\n", what, runs[job->run], (unsigned long long)job->index,
           (unsigned long long)options->seed);
    mkdir(options->findings, 0777);
    for (int i = 0; i < 2; i++) {
        snprintf(from, sizeof from, "%s/%s", folder, i ? "log" : "mutated.py");
        snprintf(to, sizeof to, "%s/%s-%s-%llu-%llu.%s", options->findings, what, runs[job->run],
                 (unsigned long long)options->seed, (unsigned long long)job->index, i ? "log" : "py");
        if (!copy_file(from, to))
            fprintf(stderr, "mutate_files: cannot write %s\n", to);
    }
}

static bool start_child(const Pool *pool, const Options *options, Job *job, const char *folder)
{
    fflush(stdout);
    pid_t child = fork(); /* the job is shared: only the parent notes who it is */
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "r", stdin))
            _exit(1);
        work(pool, options, job, folder);
    }
    job->child = child > 0 ? child : 0;
    return child > 0;
}

/* Looks after a child; true: it has ended. */
static bool look_after(const Options *options, Job *job, const char *folder, uint32_t *findings)
{
    int status;
    clockid_t clock;
    pid_t ended = waitpid(job->child, &status, WNOHANG);
    if (ended == 0) {
        if (clock_getcpuclockid(job->child, &clock) == 0 && cpu_time(clock) - job->since > LONGEST) {
            keep(options, job, folder, "hang");
            (*findings)++;
            kill(job->child, SIGKILL);
            waitpid(job->child, &status, 0);
            job->index++;
            return true;
        }
        return false;
    }
    if (ended != job->child || !WIFEXITED(status) || WEXITSTATUS(status) != CHILD_DONE) {
        keep(options, job, folder, "crash");
        (*findings)++;
        job->index++;
    }
    return true;
}

typedef struct Crew {
    const Pool *pool;
    const Options *options;
    Job *jobs;
    char (*folders)[4096];
    uint64_t next, end;
    uint32_t findings;
} Crew;

/* The next share of the files, or the rest of the last one. */
static bool give_work(Crew *crew, uint32_t i, bool is_over)
{
    Job *job = &crew->jobs[i];
    job->child = 0;
    if (is_over)
        return false;
    if (job->index >= job->end) {
        if (crew->next >= crew->end)
            return false;
        job->index = crew->next;
        crew->next = job->end = crew->next + SHARE < crew->end ? crew->next + SHARE : crew->end;
    }
    job->since = 0;
    return start_child(crew->pool, crew->options, job, crew->folders[i]);
}

static void run_crew(Crew *crew)
{
    const Options *options = crew->options;
    double began = cpu_time(CLOCK_MONOTONIC), told = began;
    uint32_t busy = 0;
    for (uint32_t i = 0; i < options->jobs; i++)
        busy += give_work(crew, i, false);
    while (busy) {
        usleep(50000);
        double now = cpu_time(CLOCK_MONOTONIC);
        bool is_over = options->seconds > 0 && now - began > options->seconds;
        for (uint32_t i = 0; i < options->jobs; i++) {
            Job *job = &crew->jobs[i];
            if (!job->child)
                continue;
            if (is_over) {
                kill(job->child, SIGKILL);
                waitpid(job->child, NULL, 0);
                busy -= !give_work(crew, i, true);
            } else if (look_after(options, job, crew->folders[i], &crew->findings))
                busy -= !give_work(crew, i, false);
        }
        if (now - told > 30) {
            told = now;
            printf("%llu of %llu files, %u findings, %.0f s\n", (unsigned long long)(crew->next - options->start),
                   (unsigned long long)options->count, crew->findings, now - began);
            fflush(stdout);
        }
    }
}

static int run_all(const Pool *pool, const Options *options)
{
    Crew crew = {.pool = pool, .options = options, .next = options->start, .end = options->start + options->count};
    char base[] = "/tmp/weft-mutate-XXXXXX";
    crew.jobs = mmap(NULL, MOST_JOBS * sizeof(Job), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    crew.folders = calloc(options->jobs, sizeof *crew.folders);
    if (crew.jobs == MAP_FAILED || !crew.folders || !mkdtemp(base)) {
        fprintf(stderr, "mutate_files: no memory, or no folder in /tmp\n");
        return 1;
    }
    for (uint32_t i = 0; i < options->jobs; i++) {
        snprintf(crew.folders[i], sizeof *crew.folders, "%s/%u", base, i);
        mkdir(crew.folders[i], 0777);
    }
    run_crew(&crew);
    uint64_t exits[3] = {0};
    Job slowest = {0};
    for (uint32_t i = 0; i < options->jobs; i++) {
        for (int k = 0; k < 3; k++)
            exits[k] += crew.jobs[i].exits[k];
        if (crew.jobs[i].slowest > slowest.slowest)
            slowest = crew.jobs[i];
    }
    uint64_t done = (exits[0] + exits[1] + exits[2]) / RUNS;
    printf("%llu files through extract, check and standalone (exit codes 0: %llu, 1: %llu, others: %llu); the slowest "
           "command took "
           "%.1f s, file %llu; %u findings%s%s\n",
           (unsigned long long)done, (unsigned long long)exits[0], (unsigned long long)exits[1],
           (unsigned long long)exits[2], slowest.slowest, (unsigned long long)slowest.slowest_index, crew.findings,
           crew.findings ? " in " : "", crew.findings ? options->findings : "");
    remove_tree(base);
    free(crew.folders);
    return crew.findings || exits[2] || !done ? 1 : 0;
}

/* ---- the command line ---- */

static int usage(void)
{
    fprintf(stderr,
            "usage: mutate_files [-n COUNT] [--start I] [-s SEED] [-j JOBS] [-t SECONDS] [-k FINDINGS] SOURCE.py...\n"
            "       mutate_files --print I [-s SEED] SOURCE.py...\n");
    return 2;
}

static void add_file(Pool *pool, const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    if (text && length)
        pool_add(pool, text, length);
    free(text);
}

int main(int argc, char **argv)
{
    Options options = {.count = 1000, .seed = 1, .jobs = 1, .findings = "findings"};
    Pool pool;
    pool_init(&pool);
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i];
        if (*flag != '-') {
            add_file(&pool, flag);
            continue;
        }
        const char *value = i + 1 < argc ? argv[++i] : "";
        double number = strtod(value, NULL);
        if (strcmp(flag, "-k") == 0)
            options.findings = value;
        else if (number < 0)
            return usage();
        else if (strcmp(flag, "-n") == 0)
            options.count = (uint64_t)number;
        else if (strcmp(flag, "--start") == 0)
            options.start = (uint64_t)number;
        else if (strcmp(flag, "-s") == 0)
            options.seed = (uint64_t)number;
        else if (strcmp(flag, "-j") == 0 && number >= 1 && number <= MOST_JOBS)
            options.jobs = (uint32_t)number;
        else if (strcmp(flag, "-t") == 0)
            options.seconds = number;
        else if (strcmp(flag, "--print") == 0) {
            options.print = true;
            options.start = (uint64_t)number;
        } else
            return usage();
    }
    if (!pool.count)
        return usage();
    int code = 0;
    if (options.print) {
        Text text;
        text_init_in(&text, &pool.arena);
        mutate(&pool, options.seed, options.start, &text);
        fwrite(text.data, 1, text.len, stdout);
    } else
        code = run_all(&pool, &options);
    pool_free(&pool);
    return code;
}
