/* Exports: a data set in the form that a hub or a trainer asks for.
 *
 * Either the records themselves as Parquet, or tasks made of them. A task is a question with its answer, in the
 * columns of TRL, Alpaca or verl. An export holds no manifest and is not continued; it is made again. Nothing here
 * prints or exits. */
#ifndef WEFT_CORPUS_EXPORT_H
#define WEFT_CORPUS_EXPORT_H

#include "corpus/kinds.h"
#include "corpus/manifest.h"
#include "corpus/task_text.h"

typedef enum ExportTarget { EXPORT_HF, EXPORT_TRL, EXPORT_ALPACA, EXPORT_VERL, EXPORT_PARQUET } ExportTarget;
#define EXPORT_WORDS "hf|trl|alpaca|verl|parquet"

typedef struct ExportOptions {
    ExportTarget target;
    bool tasks[KIND_COUNT]; /* those that were named; none: those that the data set has records for */
    bool full;              /* records with their details */
    uint64_t max_tokens;    /* rows of tasks with more in prompt and answer are left out; 0: none is */
    const char *warp;       /* the version that the set must be of; NULL: any */
    const atomic_int *stop;
    void (*progress)(uint64_t records, uint64_t of, void *user);
    void *user;
} ExportOptions;

typedef struct ExportReport {
    uint64_t records, rows; /* read, written */
    uint64_t too_long;      /* rows or records with more than max_tokens */
} ExportReport;

CorpusOutcome corpus_export(const char *set, const char *dir, const ExportOptions *options, ExportReport *report,
                            CorpusError *error);

/* ---- exercises (export_task.c) ---- */

typedef struct Exercise {
    Text prompt, answer; /* as chats have it: code in fences */
    Text bare;           /* the answer without them */
} Exercise;

/* False: the record does not serve for the task. */
/* Counts prompt and answer together, as the columns of tokens do. */
uint64_t exercise_tokens(const Exercise *exercise);
bool exercise_make(Exercise *exercise, TaskKind task, const json_t *record);
void exercise_free(Exercise *exercise);

/* ---- files (export_file.c) ---- */

/* A series of files of one split: `train-00000.parquet`, or `.jsonl`; a new one after every EXPORT_FILE_ROWS. They are `….part` until
 * they are named. */
enum { EXPORT_FILE_ROWS = 20000 };

typedef struct ExportFiles {
    const char *dir, *folder; /* for messages */
    int dir_fd;               /* of the folder */
    Split split;
    const Column *columns; /* of Parquet files; NULL: lines */
    int fd;                /* -1: none is open */
    uint32_t count;
    uint64_t rows, file_rows;
    ParquetFile parquet;
    Text text; /* what is not written yet */
} ExportFiles;

bool export_files_init(ExportFiles *files);                                      /* false: out of memory */
bool export_files_add(ExportFiles *files, const char *line, CorpusError *error); /* ends in NUL */
bool export_files_close(ExportFiles *files, CorpusError *error);
bool export_files_name(const ExportFiles *files, CorpusError *error); /* when all are closed */
void export_files_free(ExportFiles *files);

/* ---- the whole (export.c) ---- */

/* A configuration of the export, as hubs call it: its folder, its columns, its files. */
typedef struct ExportConfig {
    const char *name, *folder; /* folder "": the export's own */
    const char *about;
    const Column *columns;
    bool parquet, is_records;
    bool takes[KIND_COUNT]; /* which tasks; none of records */
    void (*write)(const Exercise *exercise, TaskKind task, Split split, const json_t *record, Text *out);
    ExportFiles files[SPLIT_COUNT];
} ExportConfig;

enum { MOST_CONFIGS = KIND_COUNT + 1 };

typedef struct Export {
    const char *dir;
    int dir_fd;
    const ExportOptions *options;
    Manifest manifest;
    ExportConfig configs[MOST_CONFIGS];
    uint32_t config_count;
    uint64_t task_rows[KIND_COUNT];
    ColumnList columns; /* of records */
} Export;

/* ---- forms (export_form.c) ---- */

/* The configurations of a target: which columns, which tasks. */
void export_choose_configs(Export *export);
void export_card(const Export *export, Text *out);

#endif
