/* A data set to look at: what a report shows of it, gathered in one pass over the records.
 *
 *     overview.c   a row for each record, and counts         measure.c   sizes of a kernel, as tools/measure.py takes them
 *     place.c      a record by its number, read in place      plot.c      pictures, as SVG
 *     page.c       the page                                   server.c    the page over HTTP, with paging
 *     door.c       connections of the server */
#ifndef WEFT_REPORT_OVERVIEW_H
#define WEFT_REPORT_OVERVIEW_H

#include "corpus/manifest.h"
#include "report/door.h"

/* ---- sizes of a kernel ---- */

typedef enum SizeKind { /* in the order of real.def */
#define REAL_SIZE(kind, title, p5, p25, p50, p75, p90, p99) SIZE_##kind,
#define REAL_BUILTIN(name, share)
#include "report/door.h"
#include "report/real.def"
#undef REAL_SIZE
#undef REAL_BUILTIN
                        SIZE_COUNT
} SizeKind;

enum {
    BUILTIN_COUNT = 0
#define REAL_SIZE(kind, title, p5, p25, p50, p75, p90, p99)
#define REAL_BUILTIN(name, share) +1
#include "report/door.h"
#include "report/real.def"
#undef REAL_SIZE
#undef REAL_BUILTIN
};

typedef struct RealSize { /* percentiles of kernels of real projects */
    const char *name, *title;
    unsigned p5, p25, p50, p75, p90, p99;
} RealSize;
extern const RealSize real_sizes[SIZE_COUNT];

typedef struct RealBuiltin {
    const char *name; /* without "wp." */
    double share;     /* of real kernels that call it */
} RealBuiltin;
extern const RealBuiltin real_builtins[BUILTIN_COUNT];

typedef struct KernelSizes {
    unsigned sizes[SIZE_COUNT];
    bool calls[BUILTIN_COUNT];
} KernelSizes;

/* Measures the last function of a source, which is its kernel; all zero where there is none. `arena` is used, and
 * reset. */
void measure_source(Arena *arena, const char *source, size_t len, KernelSizes *out);

/* ---- rows ---- */

typedef struct OverviewRow {
    size_t text; /* in Overview.texts: name, NUL, description, NUL; the same in lower case */
    unsigned sizes[SIZE_COUNT];
    unsigned char category, split, gradient, readable, difficulty; /* category: CATEGORY_COUNT: another one */
} OverviewRow;

enum { DIFFICULTY_NONE, DIFFICULTY_EASY, DIFFICULTY_MEDIUM, DIFFICULTY_HARD, DIFFICULTY_COUNT };
const char *difficulty_name(unsigned difficulty);

/* A row has a GradientVerdict, or this one. */
enum { ROW_UNCHECKED = GRADIENT_MISMATCH + 1, ROW_GRADIENTS };
const char *row_gradient_name(unsigned gradient); /* as records have it */

enum { SIZE_BINS = 512 };

typedef struct Overview {
    char *set; /* its path */
    Manifest manifest;
    OverviewRow *rows;
    size_t count, cap;
    Text texts;
    uint64_t bins[SIZE_COUNT][SIZE_BINS]; /* how many kernels have that size; the last bin: or more */
    uint64_t builtins[BUILTIN_COUNT];     /* how many kernels call it */
} Overview;

typedef void OverviewProgress(uint64_t records, uint64_t of, void *user);
/* False: *error says why, or `stop` was set. To be freed in any case. */
bool overview_read(Overview *overview, const char *set, const atomic_int *stop, OverviewProgress *progress, void *user,
                   CorpusError *error);
void overview_free(Overview *overview);

/* ---- a choice of rows ---- */

typedef struct RowFilter {
    const char *words;                         /* in lower case; "": any */
    int category, split, gradient, difficulty; /* -1: any */
} RowFilter;

bool row_matches(const Overview *overview, const OverviewRow *row, const RowFilter *filter);
const char *row_name_of(const Overview *overview, const OverviewRow *row);
/* {"n": 3, "name": …}: what the list shows of a row. */
void write_row(const Overview *overview, size_t number, JsonWriter *json);

/* ---- a record by its number ---- */

typedef struct Places Places;
Places *places_open(const Overview *overview, CorpusError *error); /* the overview must live longer */
void places_close(Places *places);
/* The line of a record, in the order of the rows, to be freed; NULL: *error says why. */
char *places_read(Places *places, uint64_t number, size_t *len, CorpusError *error);

/* ---- pages ---- */

void text_html(Text *out, const char *text, size_t len); /* escaped */
void plot_overview(const Overview *overview, Text *out);

/* The whole page. `samples`: so many records are in it, evenly chosen; 0: it asks a server for them. */
bool report_page(const Overview *overview, Places *places, uint64_t samples, Text *out, CorpusError *error);

/* ---- the server ---- */

typedef struct ServeOptions {
    const char *host; /* that the door was opened at */
    const atomic_int *stop;
    void (*ready)(const char *address, void *user); /* "http://127.0.0.1:8000/" */
    void *user;
} ServeOptions;
/* Until `stop` is set. False: *error says why it cannot serve. */
bool report_serve(const Overview *overview, Places *places, Door *door, const ServeOptions *options,
                  CorpusError *error);

#endif
