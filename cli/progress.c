#include "progress.h"
#include "terminal.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALLEST_BAR = 6, LARGEST_BAR = 32 };
static const double REDRAW_SECONDS = 0.1, FIRST_LINE_SECONDS = 1, LONGEST_PAUSE_SECONDS = 60;

void progress_begin(Progress *progress, const Call *call)
{
    const char *term = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO);
    *progress = (Progress){.command = call->command->name, .began = clock_seconds()};
    progress->bar = terminal && !call->quiet && term && strcmp(term, "dumb") != 0;
    progress->lines = !progress->bar && call->verbose && !call->quiet;
    progress->summary = progress->bar || progress->lines;
}

void progress_beside(Progress *progress, FILE *out)
{
    if (isatty(fileno(out)))
        progress->bar = progress->lines = false;
}

/* ---- one line ---- */

typedef struct Figures {
    uint64_t done, total;
    double rate, left; /* left < 0: not known */
} Figures;

static Figures figures_of(const Progress *progress, uint64_t done, uint64_t total, double now)
{
    double seconds = now - progress->stage_began;
    double rate = seconds > 0 && done > progress->first ? (double)(done - progress->first) / seconds : 0;
    double left = rate > 0 && total >= done && total ? (double)(total - done) / rate : -1;
    return (Figures){done, total, rate, left};
}

static void format_rate(double rate, char *buffer, size_t size)
{
    snprintf(buffer, size, rate >= 100 || rate == 0 ? "%.0f/s" : rate >= 1 ? "%.1f/s" : "%.2f/s", rate);
}

static void format_left(double left, char *buffer, size_t size)
{
    if (left < 0 || left > 360000) {
        snprintf(buffer, size, "-:-- left");
        return;
    }
    unsigned seconds = (unsigned)(left + 0.5);
    if (seconds >= 3600)
        snprintf(buffer, size, "%u:%02u:%02u left", seconds / 3600, seconds / 60 % 60, seconds % 60);
    else
        snprintf(buffer, size, "%u:%02u left", seconds / 60, seconds % 60);
}

static void put_bar(char *to, size_t length, double share)
{
    size_t filled = (size_t)(share * (double)(length - 2));
    memset(to, '-', length);
    memset(to + 1, '=', filled);
    if (filled < length - 2)
        to[1 + filled] = '>';
    to[0] = '[';
    to[length - 1] = ']';
    to[length] = '\0';
}

/* As much as `room` columns take: percent and rate first, then time left, counts, the bar, and what else there is. */
static void format_bar(const Figures *f, const char *stage, const char *also, unsigned room, char *out, size_t size)
{
    char rate[32], left[32], counts[120], bar[LARGEST_BAR + 1] = "", percent[16] = "";
    double share = f->total ? (double)f->done / (double)f->total : 0;
    share = share > 1 ? 1 : share;
    format_rate(f->rate, rate, sizeof rate);
    format_left(f->left, left, sizeof left);
    if (f->total) {
        snprintf(percent, sizeof percent, "%3.0f%%", 100 * share);
        snprintf(counts, sizeof counts, "  %llu of %llu %s", (unsigned long long)f->done, (unsigned long long)f->total,
                 stage);
    } else
        snprintf(counts, sizeof counts, "  %llu %s", (unsigned long long)f->done, stage);
    size_t used = strlen(percent) + 2 + strlen(rate) + 2 + strlen(left);
    bool with_counts = used + strlen(counts) + SMALLEST_BAR + 1 <= room;
    used += with_counts ? strlen(counts) : 0;
    bool with_also = *also && used + 2 + strlen(also) + SMALLEST_BAR + 1 <= room;
    used += with_also ? 2 + strlen(also) : 0;
    if (f->total && used + SMALLEST_BAR + 1 <= room)
        put_bar(bar, room - used - 1 < LARGEST_BAR ? room - used - 1 : LARGEST_BAR, share);
    snprintf(out, size, "%s%s%s%s  %s  %s%s%s", bar, *bar ? " " : "", percent, with_counts ? counts : "", rate, left,
             with_also ? "  " : "", with_also ? also : "");
    if (strlen(out) > room)
        snprintf(out, size, "%.*s", (int)room, *percent ? percent : rate);
}

static void draw(Progress *progress, const Figures *figures, const char *also, double now)
{
    char line[400];
    unsigned width = terminal_width(stderr);
    bool complete = figures->total && figures->done >= figures->total;
    if (now - progress->last_drawn < REDRAW_SECONDS && !complete)
        return;
    /* The last column stays free: some terminals go to the next line when it is filled. */
    format_bar(figures, progress->stage, also, width ? width - 1 : PLAIN_WIDTH, line, sizeof line);
    fprintf(stderr, "\r\033[K%s", line);
    progress->drawn = true;
    progress->last_drawn = now;
}

static void print_line(Progress *progress, const Figures *f, const char *also, double now)
{
    char rate[32], left[32], of[32] = "";
    if (now < progress->next_line_at)
        return;
    format_rate(f->rate, rate, sizeof rate);
    format_left(f->left, left, sizeof left);
    if (f->total)
        snprintf(of, sizeof of, " of %llu", (unsigned long long)f->total);
    fprintf(stderr, "weft %s: %llu%s %s, %s%s%s%s%s\n", progress->command, (unsigned long long)f->done, of,
            progress->stage, rate, f->left >= 0 ? ", " : "", f->left >= 0 ? left : "", *also ? ", " : "", also);
    progress->line_pause *= 2;
    if (progress->line_pause > LONGEST_PAUSE_SECONDS)
        progress->line_pause = LONGEST_PAUSE_SECONDS;
    progress->next_line_at = now + progress->line_pause;
}

void progress_tell(Progress *progress, const char *stage, uint64_t done, uint64_t total, const char *also)
{
    if (!progress->bar && !progress->lines)
        return;
    double now = clock_seconds();
    if (!progress->stage || strcmp(progress->stage, stage) != 0) {
        progress->stage = stage;
        progress->first = done;
        progress->stage_began = now;
        progress->last_drawn = 0;
        progress->line_pause = FIRST_LINE_SECONDS;
        progress->next_line_at = now + FIRST_LINE_SECONDS;
    }
    Figures figures = figures_of(progress, done, total, now);
    if (progress->bar)
        draw(progress, &figures, also, now);
    else
        print_line(progress, &figures, also, now);
}

static void told(void *user, const char *stage, uint64_t done, uint64_t total)
{
    progress_tell(user, stage, done, total, "");
}

Watch progress_watch(Progress *progress)
{
    return (Watch){told, progress};
}

void progress_clear(Progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}

void progress_end(Progress *progress, const char *format, ...)
{
    char summary[500];
    va_list args;
    progress_clear(progress);
    if (!format || !progress->summary)
        return;
    va_start(args, format);
    vsnprintf(summary, sizeof summary, format, args);
    va_end(args);
    tell(stderr, "weft %s: %s %.1f s\n", progress->command, summary, clock_seconds() - progress->began);
}
