/* What a kernel became in PTX: counted from the text. */
#ifndef WEFT_GPU_PTX_H
#define WEFT_GPU_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PtxStats {
    uint32_t instructions;
    uint32_t registers; /* virtual ones, predicates aside: the assembler maps them to fewer */
    uint32_t local_bytes;
} PtxStats;

/* False: the text has no entry of that name. */
bool ptx_stats(const char *ptx, size_t len, const char *entry, PtxStats *stats);

#endif
