/* For the rooms above the compiler: the passes of pipeline.c with a look at what they make. */
#ifndef WEFT_PIPELINE_H
#define WEFT_PIPELINE_H

#include "weft.h"

#include "emit/emit.h"
#include "front/world.h"

typedef struct Compiled {
    Unit *unit;
    const IrModule *module; /* module->name is the kernel's full name */
    EmitText *texts;        /* by device; empty where not asked for */
    bool has_backward;
} Compiled;

/* What the rooms above may ask for; one flag per effect. */
typedef struct PipelineOptions {
    WeftOptions weft;
    bool keep_types;        /* of expressions, for translations that go on from the source (IrFunction.expressions) */
    bool keep_lines;        /* which line of a text is of which statement (EmitText.forward_marks) */
    bool keep_tokens;       /* of the source, for what follows from them alone (File.tokens) */
    bool skip_hash;         /* names are without Warp's hash, unless weft.kernel asks for one */
    bool skip_verify;       /* the region tree is not checked: nothing walks it */
    uint32_t cpu_block_dim; /* threads of a block of the CPU, for tiles; 0: one */
    bool cpu_blocks; /* entry points of the CPU are for blocks of several threads, where the version of Warp has such */
} PipelineOptions;

PipelineOptions pipeline_options(void); /* what weft_default_options asks for, and nothing else */

/* Who looks at what comes out; only `compiled` must be there. */
typedef struct PipelineVisitor {
    /* Called for every kernel that was compiled, in the order of the file, while the region tree, the texts and the unit are
     * alive. False ends the compilation of the file. */
    bool (*compiled)(const Compiled *compiled, void *user);
    void (*refused)(const WeftError *error, void *user); /* called for every refusal, which lives until it returns */
    void *user;
    Arena *texts_in; /* where the texts are to live; NULL: the next kernel overwrites them */
    Text *errors;    /* gets every refusal as a user would read it */
} PipelineVisitor;

/* A fact about a package that is not read, for all texts that use the files. False: out of memory. */
bool input_files_add_fact(WeftFiles *files, const PackageFact *fact);
/* `text` is a call that is made at the end of each text that defines `name`. False: out of memory. */
bool input_files_add_call(WeftFiles *files, const char *name, const char *text, bool must_be);

/* The kernel of a world, as weft_compile compiles those of a text; options->kernel is not used. */
WeftResult *pipeline_compile_world(Weft *weft, const World *world, const WeftOptions *options);

/* False: out of memory. */
bool pipeline_compile(Weft *weft, const Source *source, const PipelineOptions *options, const PipelineVisitor *visitor);

/* The same for the kernel of a world. */
bool pipeline_visit_world(Weft *weft, const World *world, const PipelineOptions *options,
                          const PipelineVisitor *visitor);

#endif
