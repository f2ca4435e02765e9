/* Frames: some records, compressed together: lines, or the pages of a row group of Parquet. The one writer decides in
 * order which records a frame holds. Packing takes most of the time and needs only the frame, so other threads do it
 * where there are any. */
#ifndef WEFT_CORPUS_FRAME_H
#define WEFT_CORPUS_FRAME_H

#include "corpus/parquet.h"

typedef struct ShardFrame {
    Text lines, packed; /* packed.failed: it could not be packed */
    ParquetGroup group; /* for the footer */
    uint64_t rows;      /* of the lines, while they are added; of the whole shard with them, once it is given away */
    bool is_packed;     /* see packers_wait */
    struct ShardFrame *next; /* of its shard */
    struct ShardFrame *next_to_pack;
} ShardFrame;

/* State for packing: one of the two is set. */
typedef struct FramePacker {
    struct ZSTD_CCtx_s *zstd;
    ParquetFile *parquet;
} FramePacker;

bool frame_packer_init(FramePacker *packer, bool parquet); /* false: out of memory */
void frame_packer_free(FramePacker *packer);
void frame_pack(FramePacker *packer, ShardFrame *frame);
void frame_free(ShardFrame *frame);

typedef struct Packers Packers;
Packers *packers_open(unsigned threads, bool parquet); /* NULL: there are none */
void packers_close(Packers *packers);                  /* NULL: nothing happens */
unsigned packers_count(const Packers *packers);
void packers_give(Packers *packers, ShardFrame *frame);
void packers_wait(Packers *packers, ShardFrame *frame); /* until it is packed */

#endif
