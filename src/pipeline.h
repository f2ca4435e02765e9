/* For the rooms above the compiler: the passes of pipeline.c with a look at what they make.
 *
 * `visit` is called for every kernel that was compiled, in the order of the file, while the region tree, the texts and
 * the unit are alive. Returning false ends the compilation of the file. */
#ifndef WEFT_PIPELINE_H
#define WEFT_PIPELINE_H

#include "weft.h"

#include "emit/emit.h"

typedef struct Compiled {
    Unit *unit;
    const IrModule *module;     /* module->name is the kernel's full name */
    const EmitText *cuda, *cpp; /* empty where not asked for */
    bool has_backward;
} Compiled;

typedef bool CompiledVisitor(const Compiled *compiled, void *user);

/* What the rooms above may ask for; one flag per effect. */
typedef struct PipelineOptions {
    WeftOptions weft;
    bool keep_types;  /* of expressions, for translations that go on from the source (IrFunction.facts) */
    bool keep_tokens; /* of the source, for what is told from them alone (File.tokens) */
    bool skip_hash;   /* names are without Warp's hash, unless weft.kernel asks for one */
    bool skip_verify; /* the region tree is not checked: nothing walks it */
} PipelineOptions;

PipelineOptions pipeline_options(void); /* what weft_default_options asks for, and nothing else */

/* False: out of memory. Errors of the source are shown in `errors` (may be NULL), as a user would read them. */
bool pipeline_compile(Weft *weft, const char *path, const char *source, size_t length, const PipelineOptions *options,
                      CompiledVisitor *visit, void *user, Text *errors);

/* The same, with every refusal as a value, which lives until `refused` (may be NULL) returns. */
typedef void RefusalVisitor(const WeftError *error, void *user);
bool pipeline_visit(Weft *weft, const char *path, const char *source, size_t length, const PipelineOptions *options,
                    CompiledVisitor *visit, RefusalVisitor *refused, void *user);

#endif
