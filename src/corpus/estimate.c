#include "corpus/estimate.h"

#include "base/clock.h"
#include "base/pool.h"
#include "corpus/candidate.h"
#include "corpus/details.h"
#include "corpus/frame.h"

typedef struct Sampled {
    ShardFrame whole, details; /* `whole` has the records without details where there are any */
    uint64_t kept;
} Sampled;

static void add_record(Sampled *sampled, const CorpusOptions *options, const Candidate *candidate, const char *record)
{
    size_t start = has_details(options) ? details_start(record, candidate->len) : 0,
           id = details_id(record, candidate->len);
    Text *lines = &sampled->whole.lines;
    write_record_head(sampled->kept, SPLIT_TRAIN, lines);
    text_add(lines, record, start ? start : candidate->len);
    text_str(lines, start ? "}\n" : "\n");
    if (start) {
        text_char(&sampled->details.lines, '{');
        text_add(&sampled->details.lines, record, id);
        text_add(&sampled->details.lines, record + start, candidate->len - start);
        text_char(&sampled->details.lines, '\n');
    }
    sampled->kept++;
    sampled->whole.rows = sampled->details.rows = sampled->kept;
}

static bool make_some(Sampled *sampled, const CorpusOptions *options)
{
    Maker *maker = maker_new(options);
    Text text;
    bool fine = maker;
    text_init(&text);
    for (uint64_t i = 0; fine && i < ESTIMATE_CANDIDATES; i++) {
        Candidate candidate;
        text.len = 0;
        fine = make_candidate(maker, options->first + i, &candidate, &text) && !text.failed;
        if (fine && !candidate.reason)
            add_record(sampled, options, &candidate, text.data + candidate.start);
    }
    text_free(&text);
    maker_free(maker);
    return fine && !sampled->whole.lines.failed && !sampled->details.lines.failed;
}

/* The bytes of a frame in its file; plain lines stay as they are. */
static double bytes_of(FramePacker *packer, const CorpusOptions *options, ShardFrame *frame)
{
    if (options->compress)
        frame_pack(packer, frame);
    return (double)(options->compress ? frame->packed.len : frame->lines.len);
}

/* How many times as much the run makes. */
static double times(const Sampled *sampled, const CorpusOptions *options)
{
    double count = (double)options->count / (options->piece_count ? options->piece_count : 1);
    return count / (options->end ? ESTIMATE_CANDIDATES : (double)sampled->kept);
}

static bool multiply(Sampled *sampled, const CorpusOptions *options, CorpusEstimate *estimate)
{
    FramePacker packer = {0};
    bool parquet = options->format == FORMAT_PARQUET && !options->piece_count;
    if (options->compress && !frame_packer_init(&packer, options, parquet)) {
        frame_packer_free(&packer);
        return false;
    }
    sampled->whole.part = has_details(options) ? PART_MAIN : PART_WHOLE;
    sampled->details.part = PART_DETAILS;
    double share = times(sampled, options);
    estimate->bytes = share * bytes_of(&packer, options, &sampled->whole);
    estimate->details_bytes = has_details(options) ? share * bytes_of(&packer, options, &sampled->details) : 0;
    frame_packer_free(&packer);
    return !sampled->whole.packed.failed && !sampled->details.packed.failed;
}

bool corpus_estimate(const CorpusOptions *options, unsigned jobs, CorpusEstimate *estimate)
{
    Sampled sampled = {0};
    double begun = clock_seconds();
    CorpusOptions alike =
        *options; /* any candidates are as good: those of a piece, or of a range without its duplicates */
    alike.end = 0;
    bool fine = make_some(&sampled, &alike) && sampled.kept && multiply(&sampled, options, estimate);
    if (fine)
        estimate->seconds = (clock_seconds() - begun) * times(&sampled, options) / pool_jobs(jobs);
    ShardFrame *frames[] = {&sampled.whole, &sampled.details};
    for (int i = 0; i < 2; i++) {
        text_free(&frames[i]->lines);
        text_free(&frames[i]->packed);
        parquet_group_free(&frames[i]->group);
    }
    return fine;
}
