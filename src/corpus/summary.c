/* The last lines of a run, about its data set. */
#include "corpus/manifest.h"
#include "corpus/writer.h"

#include <unistd.h>

bool corpus_summary(const char *dir, CorpusSummary *summary, CorpusError *error)
{
    Manifest manifest = {0};
    bool found = false;
    int dir_fd = folder_open(dir, error);
    *summary = (CorpusSummary){0};
    if (dir_fd < 0)
        return false;
    bool fine = manifest_read(&manifest, dir_fd, dir, &found, error) && found;
    if (fine) {
        const Counters *counters = &manifest.counters;
        summary->verified = manifest.options.verify;
        summary->piece = manifest.options.piece_count > 0;
        summary->task = manifest.options.losers_hash[0] != 0;
        for (int i = 0; i < CATEGORY_COUNT; i++)
            summary->records += counters->by_category[i];
        summary->forward_pass = counters->forward_pass;
        summary->gradient_pass = counters->gradient[GRADIENT_PASS];
        summary->gradient_mismatch = counters->gradient[GRADIENT_MISMATCH];
        summary->gradient_none = counters->gradient[GRADIENT_NONE];
        summary->readable = counters_with_readable(counters);
        for (uint32_t i = 0; i < manifest.shard_count; i++)
            summary->bytes += manifest.shards[i].bytes + manifest.shards[i].details_bytes;
    }
    manifest_free(&manifest);
    close(dir_fd);
    return fine;
}
