/* Figures of a finished run: stats.json and the data-set card. */
#include "corpus/details.h"
#include "corpus/manifest.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void write_stats_json(const Manifest *manifest, Text *out)
{
    const Counters *counters = &manifest->counters;
    uint64_t rows = manifest->rows;
    text_format(out, "{\n\"total_pairs\": %llu,\n\"by_category\": {", (unsigned long long)rows);
    add_category_counts(counters, out);
    text_lit(out, "},\n\"by_split\": {");
    add_split_counts(counters, out);
    text_format(out, "},\n\"avg_forward_lines\": %.3f,\n\"avg_backward_lines\": %.3f,\n",
                share(counters->forward_lines, rows), share(counters->backward_lines, counters->with_backward));
    text_format(out, "\"uniqueness\": {\"structure\": %.6f, \"masked\": ", share(counters->distinct_structures, rows));
    if (knows_masked(manifest))
        text_format(out, "%.6f},\n", share(counters->distinct_masked, rows));
    else
        text_lit(out, "null},\n");
    text_format(out,
                "\"verification\": {\"forward_pass\": %llu, \"gradient_pass\": %llu, \"gradient_mismatch\": %llu, "
                "\"gradient_none\": %llu, \"unchecked\": %llu},\n",
                (unsigned long long)counters->forward_pass, (unsigned long long)counters->gradient[GRADIENT_PASS],
                (unsigned long long)counters->gradient[GRADIENT_MISMATCH],
                (unsigned long long)counters->gradient[GRADIENT_NONE],
                (unsigned long long)(rows - counters->forward_pass));
    text_lit(out, "\"readable\": {");
    add_readable_counts(counters, out);
    text_format(out, "},\n\"readable_backward\": %llu,\n", (unsigned long long)counters->readable_backward);
    text_format(out, "\"with_backward\": %llu,\n\"record_bytes\": %llu,\n\"texts\": {",
                (unsigned long long)counters->with_backward, (unsigned long long)counters->record_bytes);
    add_text_sizes(counters, out);
    text_lit(out, "},\n\"rejected\": {");
    const char *comma = "";
    for (unsigned i = 1; i < REASON_COUNT; i++)
        if (counters->rejected[i]) {
            text_format(out, "%s\"%s\": %llu", comma, reason_name(i), (unsigned long long)counters->rejected[i]);
            comma = ", ";
        }
    text_lit(out, "}\n}\n");
}

void write_run_json(const Manifest *manifest, Text *out)
{
    double seconds = (double)manifest->milliseconds / 1000;
    text_format(out, "{\n\"generation_time_seconds\": %.3f,\n\"pairs_per_second\": %.1f\n}\n", seconds,
                seconds > 0 ? (double)manifest->rows / seconds : 0);
}

static const char *size_category(uint64_t rows)
{
    return rows < 1000      ? "n<1K"
           : rows < 10000   ? "1K<n<10K"
           : rows < 100000  ? "10K<n<100K"
           : rows < 1000000 ? "100K<n<1M"
                            : "1M<n<10M";
}

/* As dataset hubs show them: bytes of the records as lines, and of the files. */
static void write_split_sizes(const Manifest *manifest, Text *out)
{
    const Counters *counters = &manifest->counters;
    uint64_t files = 0;
    text_lit(out, "  splits:\n");
    for (int i = 0; i < SPLIT_COUNT; i++)
        if (counters->by_split[i])
            text_format(out, "  - name: %s\n    num_bytes: %llu\n    num_examples: %llu\n", split_name((Split)i),
                        (unsigned long long)counters->split_bytes[i], (unsigned long long)counters->by_split[i]);
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        files += manifest->shards[i].bytes;
    text_format(out, "  download_size: %llu\n  dataset_size: %llu\n", (unsigned long long)files,
                (unsigned long long)counters->record_bytes);
}

static void write_card_texts(const Manifest *manifest, Text *out)
{
    text_lit(out,
             "\n## Tokens\n\nA run of letters, digits and underscores is one token, every other character that is not "
             "white space is one, too.\n\n| column | bytes | tokens |\n| --- | --- | --- |\n");
    for (int i = 0; i < MEASURED_COLUMNS; i++)
        if (manifest->counters.texts[i].bytes)
            text_format(out, "| `%s` | %llu | %llu |\n", measured_columns[i],
                        (unsigned long long)manifest->counters.texts[i].bytes,
                        (unsigned long long)manifest->counters.texts[i].tokens);
}

/* A configuration for the files with the details. */
static void write_details_config(const Manifest *manifest, Text *out)
{
    text_lit(out, "- config_name: details\n  data_files:\n");
    for (int i = 0; i < SPLIT_COUNT; i++)
        if (manifest->counters.by_split[i])
            text_format(out, "  - split: %s\n    path: \"" DETAILS_PREFIX "%s-*%s\"\n", split_name((Split)i),
                        split_name((Split)i), details_suffix(&manifest->options));
}

/* The header that dataset hubs read: which files are which split. */
static void write_card_header(const Manifest *manifest, Text *out)
{
    const CorpusOptions *options = &manifest->options;
    text_format(out, "---\npretty_name: Warp kernels and their CUDA\nlicense: %s\n",
                manifest->options.harvested ? "other" : "apache-2.0");
    text_lit(out, "language:\n- en\n- code\n"
                  "annotations_creators:\n- machine-generated\nsource_datasets:\n- original\n"
                  "task_categories:\n- text-generation\ntags:\n- code\n- cuda\n- warp\n- autodiff\n- synthetic\n");
    text_format(out, "size_categories:\n- %s\nconfigs:\n- config_name: default\n  default: true\n  data_files:\n",
                size_category(manifest->rows));
    for (int i = 0; i < SPLIT_COUNT; i++) {
        if (!manifest->counters.by_split[i])
            continue;
        text_format(out, "  - split: %s\n    path: \"", split_name((Split)i));
        if (options->format == FORMAT_JSON)
            text_format(out, "%s_synth_*.json\"\n", record_prefix(options));
        else
            text_format(out, "%s-*%s\"\n", split_name((Split)i), shard_suffix(options));
    }
    if (has_details(options))
        write_details_config(manifest, out);
    ColumnList columns;
    columns_of(options, has_details(options) ? PART_MAIN : PART_WHOLE, columns);
    text_lit(out, "dataset_info:\n- config_name: default\n  features:\n");
    columns_features(columns, out);
    write_split_sizes(manifest, out);
    if (has_details(options)) {
        columns_of(options, PART_DETAILS, columns);
        text_lit(out, "- config_name: details\n  features:\n");
        columns_features(columns, out);
    }
    text_lit(out, "---\n\n");
}

static void write_column_table(const Manifest *manifest, RecordPart part, Text *out)
{
    ColumnList columns;
    columns_of(&manifest->options, part, columns);
    text_lit(out, "| column | what it is |\n| --- | --- |\n");
    for (const Column *column = columns; column->name; column++)
        text_format(out, "| `%s` | %s |\n", column->name, column->about);
}

static void write_card_columns(const Manifest *manifest, Text *out)
{
    bool details = has_details(&manifest->options);
    text_lit(out, "\n## Columns\n\n");
    write_column_table(manifest, details ? PART_MAIN : PART_WHOLE, out);
    if (details) {
        text_lit(out, "\n### Details\n\nThe files `" DETAILS_PREFIX
                      "*` have a line for each record, in the same order and with its `id`: what it takes to run the "
                      "record.\n\n");
        write_column_table(manifest, PART_DETAILS, out);
    }
    text_lit(out,
             "\nEvery record has every column; missing values are null. `*_includes`, `*_helpers`, `*_forward` and "
             "`*_backward`, one after the\nother, compile against Warp's headers. A pair whose gradient is a "
             "`mismatch` (Warp's reverse pass is wrong for some patterns)\n");
    text_str(out, manifest->options.gradients == GRADIENTS_MARKED ? "is marked so.\n" : "has no backward text.\n");
    text_lit(
        out,
        "Records that look alike are in one split: the sets of five tokens in a row, names and numbers masked, of two "
        "records\nin different splits have a Jaccard similarity below 0.65. `manifest.json` has every file with its "
        "hash; "
        "`weft validate .`\nchecks all of it.\n");
}

/* A text with a suffix in it, in the place of %s. */
static void text_with_suffix(Text *out, const char *text, const char *suffix)
{
    const char *place = strstr(text, "%s");
    text_add(out, text, (size_t)(place - text));
    text_str(out, suffix);
    text_str(out, place + 2);
}

static void write_card_loading(const Manifest *manifest, Text *out)
{
    const CorpusOptions *options = &manifest->options;
    if (options->format == FORMAT_JSON)
        return;
    text_lit(out,
             "\n## Loading\n\n```python\nimport datasets; datasets.load_dataset(\".\")  # streaming=True works, too\n");
    static const char *const lines[] = {
        "import pandas; pandas.read_json(\"train-00000-of-00001%s\", lines=True)\n",
        "import pyarrow.json; pyarrow.json.read_json(\"train-00000-of-00001%s\")\n",
        "import polars; polars.read_ndjson(\"train-00000-of-00001%s\", infer_schema_length=None)\n",
        "import duckdb; duckdb.sql(\"from read_json('train-*%s', sample_size=-1)\")\n",
    };
    static const char *const parquet[] = {
        "import pandas; pandas.read_parquet(\"train-00000-of-00001%s\")\n",
        "import pyarrow.parquet; pyarrow.parquet.read_table(\"train-00000-of-00001%s\")\n",
        "import polars; polars.read_parquet(\"train-*%s\")\n",
        "import duckdb; duckdb.sql(\"from 'train-*%s'\")\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        text_with_suffix(out, (shard_is_parquet(options) ? parquet : lines)[i], shard_suffix(options));
    text_lit(out, "```\n");
}

/* A merged set has several. */
static void write_seed(const Manifest *manifest, Text *out)
{
    if (!manifest->options.merged)
        text_format(out, ", seed %llu", (unsigned long long)manifest->options.seed);
}

static void write_card_end(const Manifest *manifest, Text *out)
{
    text_format(
        out, "\n## Source, licence, limitations\n\n%s\n",
        manifest->options.merged
            ? "The records are those of several data sets: `sources` in `manifest.json` has the options of each, in "
              "the "
              "order of the rows. Where\n`project` is not null, `python_source` is an excerpt of a project that people "
              "wrote, under the terms that `license` names; the\nother kernels are invented by a program, or were "
              "stored."
        : manifest->options.harvested
            ? "The sources are excerpts of projects that people wrote: `project`, `file`, "
              "`line` and `revision` say where "
              "they are from, and `license`\nunder which terms each record is (`NOASSERTION`: "
              "none was found). What is not "
              "an excerpt is under Apache-2.0."
        : manifest->options.stored
            ? "The sources are those of another data set or of other code, and were compiled and checked again; "
              "`origin` in `manifest.json` is\na hash of what they were taken from."
            : "The kernels are invented by a program from scenes and laws that are part of weft; nothing is taken "
              "from other code.");
    text_format(
        out,
        "The texts are what Warp %s writes, comments aside. "
        "%s\n\nDescriptions and instructions are generated, too, and "
        "follow few patterns. Launches are small. Gradients are compared\nalong random directions, not entry by "
        "entry. Kernels that Warp cannot differentiate rightly are in the set, marked as such.\n\nTo cite it: "
        "\"Warp kernels and their CUDA, generated by weft %s",
        manifest->warp_version,
        manifest->options.harvested ? "See also `LICENSE`."
                                    : "Everything in this folder is under " RECORD_LICENSE " (`LICENSE`).",
        manifest->weft_version);
    write_seed(manifest, out);
    text_lit(out, "\".\n");
}

void write_license(const CorpusOptions *options, Text *out)
{
    if (options->harvested) {
        text_lit(out, "The records of this folder are excerpts of several projects, and what follows from them. Each "
                      "is under the "
                      "licence that its\ncolumn `license` names, as SPDX does; where it says NOASSERTION, none was "
                      "found: then ask "
                      "whoever wrote it. Records without\n`project` are under Apache-2.0.\n");
        return;
    }
    text_lit(out,
             "SPDX-License-Identifier: " RECORD_LICENSE "\n\n"
             "Everything in this folder is licensed under the Apache License, Version 2.0 (the \"License\"); you may "
             "not use it\nexcept in compliance with the License. You may obtain a copy of the License at\n\n"
             "    https://www.apache.org/licenses/LICENSE-2.0\n\n"
             "Unless required by applicable law or agreed to in writing, it is distributed on an \"AS IS\" BASIS, "
             "WITHOUT\nWARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the "
             "specific language\ngoverning permissions and limitations under the License.\n");
}

void write_card(const Manifest *manifest, Text *out)
{
    const Counters *counters = &manifest->counters;
    write_card_header(manifest, out);
    text_format(out, "# Warp kernels and their %s\n\n",
                manifest->options.device == DEVICE_SET_CUDA  ? "CUDA"
                : manifest->options.device == DEVICE_SET_CPU ? "C++"
                                                             : "CUDA and C++");
    text_format(
        out,
        "%llu pairs of a kernel in the Python language of NVIDIA Warp and the text that Warp %s generates for it,\n"
        "%s by weft %s",
        (unsigned long long)manifest->rows, manifest->warp_version,
        manifest->options.merged      ? "joined from several data sets"
        : manifest->options.harvested ? "compiled from what people wrote"
        : manifest->options.stored    ? "compiled from stored sources"
                                      : "invented and compiled",
        manifest->weft_version);
    write_seed(manifest, out);
    text_lit(out, ". ");
    if (manifest->options.harvested)
        text_format(
            out,
            "%llu of them were run before they were saved: two\nindependent evaluators agree on their values, and "
            "their gradients were compared with the true ones. The others are\ncompiled only, and `not_run` "
            "says why.\n\n",
            (unsigned long long)counters->forward_pass);
    else if (manifest->options.verify)
        text_lit(out,
                 "Every pair was run before it was saved: two independent\nevaluators agree on its values, and its "
                 "gradient was compared with the true one.\n\n");
    else
        text_lit(out, "The pairs were not run.\n\n");
    text_lit(out, "| figure | value |\n| --- | --- |\n");
    text_format(out, "| pairs | %llu |\n| distinct structures | %.4f %% |\n", (unsigned long long)manifest->rows,
                100 * share(counters->distinct_structures, manifest->rows));
    if (knows_masked(manifest))
        text_format(out, "| distinct with numbers masked | %.4f %% |\n",
                    100 * share(counters->distinct_masked, manifest->rows));
    text_format(out,
                "| with backward text | %llu |\n| gradient proven | %llu |\n| gradient of Warp differs from the true "
                "one | %llu |\n"
                "| no gradient | %llu |\n",
                (unsigned long long)counters->with_backward, (unsigned long long)counters->gradient[GRADIENT_PASS],
                (unsigned long long)counters->gradient[GRADIENT_MISMATCH],
                (unsigned long long)counters->gradient[GRADIENT_NONE]);
    text_format(out, "| with readable CUDA | %llu |\n| with a readable backward kernel | %llu |\n",
                (unsigned long long)counters_with_readable(counters), (unsigned long long)counters->readable_backward);
    text_format(out, "| lines forward, on average | %.1f |\n| lines backward, on average | %.1f |\n\n",
                share(counters->forward_lines, manifest->rows),
                share(counters->backward_lines, counters->with_backward));
    text_lit(out, "| category | pairs | about |\n| --- | --- | --- |\n");
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (counters->by_category[i])
            text_format(out, "| %s | %llu | %s |\n", category_name((CategoryId)i),
                        (unsigned long long)counters->by_category[i], category_summary((CategoryId)i));
    if (manifest->options.readable)
        text_lit(out, "\n`cuda_readable` includes `" HEADER_NAME
                      "`, which is in this folder: vectors, matrices, quaternions and "
                      "transforms, with\ntheir operators, functions and adjoints.\n");
    write_card_texts(manifest, out);
    write_card_columns(manifest, out);
    write_card_loading(manifest, out);
    write_card_end(manifest, out);
}
