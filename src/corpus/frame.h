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
    RecordPart part;    /* of the records that the lines are */
    struct ShardFrame *next; /* of its shard */
    struct ShardFrame *next_to_pack;
} ShardFrame;

/* State for packing one part of the records: one of the first two is set. */
typedef struct PartPacker {
    struct ZSTD_CCtx_s *zstd;
    ParquetFile *parquet;
    ColumnList columns;
} PartPacker;

typedef struct FramePacker {
    PartPacker parts[PART_DETAILS + 1];
} FramePacker;

/* For sets with these options, as lines or Parquet. False: out of memory. */
bool frame_packer_init(FramePacker *packer, const CorpusOptions *options, bool parquet);
void frame_packer_free(FramePacker *packer);
void frame_pack(FramePacker *packer, ShardFrame *frame);
void frame_free(ShardFrame *frame);

typedef struct Packers Packers;
/* NULL: there are none. The options must last as long. */
Packers *packers_open(unsigned threads, const CorpusOptions *options, bool parquet);
void packers_close(Packers *packers); /* NULL: nothing happens */
unsigned packers_count(const Packers *packers);
void packers_give(Packers *packers, ShardFrame *frame);
void packers_wait(Packers *packers, ShardFrame *frame); /* until it is packed */

#endif
