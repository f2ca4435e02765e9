/* weft stats on a shard of any bytes, plain or (where the first byte is odd) compressed. */
#include "base/safe_file.h"
#include "corpus/manifest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Folder {
    char path[64];
    int fd;
} Folder;

static Folder folders[2];

static void make_folder(Folder *folder, bool compress)
{
    CorpusOptions options = corpus_default_options();
    CorpusError error;
    Manifest manifest;
    snprintf(folder->path, sizeof folder->path, "/tmp/weft-fuzz-stats-%ld-%d", (long)getpid(), compress);
    mkdir(folder->path, 0777);
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY);
    options.count = 1;
    options.full = true;
    options.compress = compress;
    manifest_init(&manifest, &options);
    manifest.rows = manifest.next = 1;
    ShardEntry entry = {.rows = 1, .bytes = 1 << 20}; /* a shard of a set that is not finished may have other bytes */
    shard_name(&options, SPLIT_TRAIN, 0, SHARD_FINAL, 1, entry.file);
    memset(entry.hash, '0', HASH_HEX_SIZE - 1);
    if (folder->fd < 0 || !manifest_add_shard(&manifest, &entry) ||
        !manifest_write(&manifest, folder->fd, folder->path, &error))
        abort();
    manifest_free(&manifest);
}

/* Before any input, as it takes longer than one: a manifest names the generator, whose kernels are drawn for that. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    for (int compress = 0; compress < 2; compress++)
        make_folder(&folders[compress], compress);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool compress = size && data[0] & 1;
    const Folder *folder = &folders[compress];
    int fd = file_create(folder->fd, compress ? "train-00000-of-00001.jsonl.zst" : "train-00000-of-00001.jsonl");
    if (fd < 0 || !write_fully(fd, (const char *)data + (size > 0), size - (size > 0)))
        abort();
    close(fd);
    Text out;
    CorpusError error = {""};
    text_init(&out);
    if (!corpus_stats(folder->path, size & 1, &out, &error) && !error.message[0])
        abort();
    text_free(&out);
    return 0;
}
