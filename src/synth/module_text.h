/* Many samples as one Python module.
 *
 * Samples are invented apart from each other: two may give a kernel, a function, a struct or a constant the same name, and
 * in one module the later definition would take the place of the earlier one. Here every such name is defined once; who comes
 * late gets a number, `blend_2`, in the definition and wherever the sample means it. A definition also keeps clear of every
 * other name that occurs in the module, be it a parameter of another kernel: such a name, too, is part of Warp's kernel hash.
 *
 *     ModuleText *module = module_text_new();
 *     for each sample: module_text_note(module, &sample);
 *     for each sample, again: module_text_add(module, &sample, &out);
 */
#ifndef WEFT_SYNTH_MODULE_TEXT_H
#define WEFT_SYNTH_MODULE_TEXT_H

#include "synth/synth.h"

typedef struct ModuleText ModuleText;

typedef enum ModuleTextResult {
    MODULE_TEXT_DONE,
    MODULE_TEXT_NO_MEMORY,
    MODULE_TEXT_NOT_PYTHON /* the text of the sample cannot be parsed, or renamed: a bug of the generator */
} ModuleTextResult;

ModuleText *module_text_new(void); /* NULL: out of memory */
void module_text_free(ModuleText *module);

/* First, for each sample: the names that it uses besides those it defines. */
ModuleTextResult module_text_note(ModuleText *module, const SynthSample *sample);
/* Is the text of the sample that was noted as number `number`, from 0, still there? Then only the source of `sample` is set. */
bool module_text_kept(const ModuleText *module, uint64_t number, SynthSample *sample);
/* Then: its source, with names that are defined nowhere else. */
ModuleTextResult module_text_add(ModuleText *module, const SynthSample *sample, Text *out);

#endif
