/* Shards: files of records, one per line, compressed or not; or in Parquet; or one file per record.
 *
 * A compressed shard is a row of zstd frames. A frame ends at every checkpoint, and after FRAME_ROWS records at the latest: 256 would save
 * 0.3 % of the bytes, but frames are packed by several threads, which hold them in memory.
 * So a run can be continued behind any of them, and what a run that is interrupted has to keep elsewhere is small.
 * In Parquet, frames are row groups, which checkpoints do not end: what is in none of them is kept elsewhere each time. The footer is
 * written when the shard is closed. Pieces, which also hold what became of other candidates, are lines in any case.
 * The hash of a shard is XXH3-128 of the bytes of its file (of one file per record: of all of them in order). */
#ifndef WEFT_CORPUS_SHARD_H
#define WEFT_CORPUS_SHARD_H

#include "corpus/corpus.h"
#include "corpus/details.h"
#include "corpus/frame.h"
#include "corpus/parquet.h"

#include <xxhash.h>

enum { SHARD_NAME_SIZE = 64, HASH_HEX_SIZE = 33, FRAME_ROWS = 64 };

typedef struct ShardEntry { /* as in the manifest */
    char file[SHARD_NAME_SIZE];
    Split split;
    uint32_t number; /* within its split */
    uint64_t rows, bytes;
    char hash[HASH_HEX_SIZE];
    uint64_t details_bytes;           /* of the file with the details of these records, */
    char details_hash[HASH_HEX_SIZE]; /* and "" where there is none */
} ShardEntry;

const char *split_name(Split split);
bool corpus_fail(CorpusError *error, const char *format, ...) __attribute__((format(printf, 2, 3))); /* returns false */

bool shard_is_parquet(const CorpusOptions *options);
const char *shard_suffix(const CorpusOptions *options);   /* of its finished files: .jsonl.zst, … */
const char *details_suffix(const CorpusOptions *options); /* of the details beside them: .ndjson.zst, … */

/* ---- names ---- */

typedef enum ShardState { SHARD_OPEN, SHARD_CLOSED, SHARD_FINAL } ShardState; /* …part, plain, …-of-NNNNN */
void shard_name(const CorpusOptions *options, Split split, uint32_t number, ShardState state, uint32_t of,
                char name[SHARD_NAME_SIZE]);
/* Record `row` of a shard that is one file per record: the star of the entry's name replaced. */
void row_name(const char *pattern, uint64_t row, char name[SHARD_NAME_SIZE]);

/* The file with the details of the records of a shard, by the name of the shard. */
void details_file(const char *file, char name[SHARD_NAME_SIZE]);
/* Gives a shard another name, and the file with its details. */
bool shard_rename(int dir_fd, const ShardEntry *entry, const char *name);

typedef struct ShardName {
    Split split;
    uint32_t number, of; /* of: with SHARD_FINAL */
    ShardState state;
} ShardName;

/* Names taken apart. False: a data set with these options has no such file. */
bool shard_name_read(const CorpusOptions *options, const char *name, ShardName *read);
/* The same of all files of shards: also of those with details. */
bool shard_file_read(const CorpusOptions *options, const char *name, ShardName *read);
bool row_name_read(const CorpusOptions *options, const char *name, uint64_t *row); /* one file per record */

/* ---- writing ---- */

typedef struct ShardWriter {
    const CorpusOptions *options;
    const char *dir;
    int dir_fd, fd; /* fd -1: no shard is open */
    ShardEntry entry;
    XXH3_state_t *hash;
    FramePacker packer;
    Packers *packers;     /* NULL: frames are packed as they end */
    ParquetFile *parquet; /* what its footer will say; NULL: lines */
    char *buffer;
    size_t used, buffer_size;
    ShardFrame *frame;                          /* what was added since the last frame ended */
    ShardFrame *waiting, *last_waiting, *spare; /* frames that are being packed, in order; emptied ones */
    unsigned waiting_count;
    ShardEntry safe; /* as of the last frame in the file */
    RecordPart part;
    ColumnList columns;          /* of its files */
    struct ShardWriter *details; /* of the same records; NULL: these are whole */
    Text details_head;           /* of a line of details: scratch memory */
} ShardWriter;

bool shard_writer_init(ShardWriter *writer, const CorpusOptions *options, const char *dir, int dir_fd,
                       CorpusError *error);
void shard_writer_free(ShardWriter *writer);
void shard_writer_pack_beside(ShardWriter *writer, Packers *packers); /* NULL: frames are packed as they end */
bool shard_start(ShardWriter *writer, Split split, uint32_t number, CorpusError *error);
/* Goes on behind what the entry says; the rest of the file, if any, is cut off. */
bool shard_continue(ShardWriter *writer, const ShardEntry *entry, CorpusError *error);
/* A line: its head, the rest, and the line end. */
bool shard_add(ShardWriter *writer, const Text *head, const char *rest, size_t len, CorpusError *error);
/* All that was added is on the disk; entry.bytes and entry.hash are up to date. */
bool shard_checkpoint(ShardWriter *writer, CorpusError *error);
bool shard_close(ShardWriter *writer, CorpusError *error); /* after a checkpoint; renames it */
/* May be called anywhere. Whole frames are on the disk, and `safe` says how much that is; later lines are appended to
 * `rest`. A resumed run adds them again, and so writes the same bytes. */
bool shard_pause(ShardWriter *writer, Text *rest, CorpusError *error);

/* ---- reading ---- */

typedef struct ShardReader ShardReader;
/* `limit`: the bytes of the file to read, as those of an entry that is still open. A whole file must have the size
 * that its entry says. SHARD_OF_ANY_SIZE reads to the end, for validation, which reports every defect. */
#define SHARD_WHOLE UINT64_MAX
#define SHARD_OF_ANY_SIZE (UINT64_MAX - 1)
ShardReader *shard_open(int dir_fd, const char *dir, const ShardEntry *entry, const CorpusOptions *options,
                        uint64_t limit, CorpusError *error);
/* The same of a closed shard, without the details of its records, which need not be there. */
ShardReader *shard_open_slim(int dir_fd, const char *dir, const ShardEntry *entry, const CorpusOptions *options,
                             CorpusError *error);
/* The next line without its line end, NUL-terminated, until the next call; NULL: the end, or an error in *error. */
char *shard_line(ShardReader *reader, size_t *len, CorpusError *error);
/* After the last line: hashes and bytes of what was read, into an entry. */
void shard_sum(const ShardReader *reader, ShardEntry *found);
/* Has an entry the bytes and hashes of another one? Details are compared where both have them. */
bool shard_same_bytes(const ShardEntry *a, const ShardEntry *b);
void shard_reader_free(ShardReader *reader);
/* A file has other bytes than its entry says. Returns false. */
bool fail_size(const char *dir, const ShardEntry *entry, long long bytes, CorpusError *error);
/* Has the file, or have the files, the bytes and the hash of the entry? Nothing is made of them. */
bool shard_check_bytes(int dir_fd, const char *dir, const ShardEntry *entry, CorpusError *error);

/* A small file, written aside, synced and renamed. */
bool write_file_safely(int dir_fd, const char *dir, const char *name, const char *bytes, size_t len,
                       CorpusError *error);
/* The whole of a file of at most `most` bytes, to be freed; NULL: *error says why. */
char *read_small_file(int dir_fd, const char *dir, const char *name, size_t most, size_t *len, CorpusError *error);

#endif
