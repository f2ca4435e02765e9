/* weft standalone, in parts:
 *
 *     standalone.c          the command              standalone_make.c     a kernel as the files of a program
 *     standalone_folder.c   the folder of programs and its manifest
 *     standalone_verify.c   building and running all programs of a folder
 *
 * Programs are a function of the options alone: candidate i of a seed is the same whoever makes it, and they are taken in order. */
#ifndef WEFT_CLI_STANDALONE_H
#define WEFT_CLI_STANDALONE_H

#include "args.h"

#include "corpus/corpus.h"
#include "pipeline.h"
#include "standalone/standalone.h"
#include "synth/synth.h"

/* ---- making (standalone_make.c) ---- */

typedef enum ProgramFile {
    FILE_PY,
    FILE_CU,
    FILE_MAKEFILE,
    FILE_METADATA,
    FILE_SHIM,
    FILE_HEADER,
    PROGRAM_FILES
} ProgramFile;

typedef enum MadeState { MADE_NOTHING, MADE_PROGRAM, MADE_REFUSAL, MADE_FAILED } MadeState; /* FAILED: out of memory */

typedef struct Made { /* what became of a kernel */
    MadeState state;
    uint64_t index;      /* of an invented one */
    CategoryId category; /* likewise */
    bool is_invented;
    bool has_backward;
    Text kernel, stem;         /* its name; that of its files */
    Text files[PROGRAM_FILES]; /* but for the shim, which is the same in all */
    Text reason;               /* of a refusal */
    uint32_t line;             /* likewise */
} Made;

void made_init(Made *made);
void made_free(Made *made);

typedef struct ProgramMaker { /* one per thread */
    Weft *weft;
    StandaloneLibrary *library;
    SynthContext *synth;
    Text source;
} ProgramMaker;

ProgramMaker *program_maker_new(const char *warp); /* NULL: out of memory */
void program_maker_free(ProgramMaker *maker);
/* Sample `index` of a seed. */
void make_invented(ProgramMaker *maker, uint64_t seed, uint64_t index, const CategoryWeights *weights, Made *made);
/* A kernel of a file, which is being compiled; nobody says how it is launched. */
void make_given(ProgramMaker *maker, const Compiled *compiled, const char *source, size_t length, Made *made);

/* ---- the folder (standalone_folder.c) ---- */

typedef struct ProgramFolder {
    const char *dir;
    int fd;
    bool lock_is_file;
    Text options;  /* JSON: what distinguishes one run from another */
    uint64_t next; /* candidates that were looked at */
    uint32_t written, backward, refused, by_category[CATEGORY_COUNT];
    bool complete, started;  /* started: by this run */
    Text programs, refusals; /* members of the manifest's lists */
    Text waiting;            /* folders that are not renamed yet, each ended by NUL */
    uint32_t since_checkpoint;
} ProgramFolder;

/* CORPUS_DONE: ready, new or to be continued; CORPUS_ALREADY_DONE: complete; CORPUS_FAILED: *error says why. */
CorpusOutcome programs_open(ProgramFolder *folder, const char *dir, const Text *options, bool resume,
                            CorpusError *error);
/* Takes the next candidate, whatever became of it. `name`: of its folder. */
bool programs_take(ProgramFolder *folder, const Made *made, const char *name, CorpusError *error);
bool programs_has(const ProgramFolder *folder, const char *name);
/* All that was taken is on the disk, and a run can go on from here. */
bool programs_checkpoint(ProgramFolder *folder, bool complete, CorpusError *error);
void programs_close(ProgramFolder *folder);

/* ---- verifying (standalone_verify.c) ---- */

/* Builds and runs every program in a folder; the exit code. */
int standalone_verify(const Call *call, const char *folder, int jobs);

#endif
