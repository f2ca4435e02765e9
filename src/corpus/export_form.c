/* The forms of an export: columns of hubs and trainers, and the card that names its configurations. */
#include "base/json.h"
#include "corpus/export.h"

#include <stdio.h>

#define END                                                                                                            \
    {                                                                                                                  \
        NULL, KIND_TEXT, false, NULL, NULL                                                                             \
    }

/* ---- columns ---- */

static const Column prompt_columns[] = {
    {"id", KIND_TEXT, false, "of the record", NULL},
    {"task", KIND_TEXT, false, "", NULL},
    {"prompt", KIND_TEXT, false, "the question", NULL},
    {"completion", KIND_TEXT, false, "the answer", NULL},
    END,
};

static const Column message_fields[] = {
    {"role", KIND_TEXT, false, "user or assistant", NULL},
    {"content", KIND_TEXT, false, "", NULL},
    END,
};
static const Column messages_columns[] = {
    {"id", KIND_TEXT, false, "of the record", NULL},
    {"task", KIND_TEXT, false, "", NULL},
    {"messages", KIND_OBJECTS, false, "the question and the answer", message_fields},
    END,
};

static const Column alpaca_columns[] = {
    {"instruction", KIND_TEXT, false, "what is asked for", NULL},
    {"input", KIND_TEXT, false, "what it is about; may be empty", NULL},
    {"output", KIND_TEXT, false, "the answer", NULL},
    {"id", KIND_TEXT, false, "of the record", NULL},
    {"task", KIND_TEXT, false, "", NULL},
    END,
};

static const Column reward_fields[] = {
    {"style", KIND_TEXT, false, "rule", NULL},
    {"ground_truth", KIND_TEXT, false, "JSON: answer, kernel_name, mangled_name, launches", NULL},
    END,
};
static const Column extra_fields[] = {
    {"split", KIND_TEXT, false, "", NULL},
    {"index", KIND_INT, false, "row of the record", NULL},
    {"id", KIND_TEXT, false, "of the record", NULL},
    {"task", KIND_TEXT, false, "", NULL},
    END,
};
static const Column verl_columns[] = {
    {"data_source", KIND_TEXT, false, "weft/TASK: chooses the reward function", NULL},
    {"prompt", KIND_OBJECTS, false, "the question", message_fields},
    {"ability", KIND_TEXT, false, "code", NULL},
    {"reward_model", KIND_OBJECT, false, "", reward_fields},
    {"extra_info", KIND_OBJECT, false, "", extra_fields},
    END,
};

/* ---- rows ---- */

static void add_text(JsonWriter *json, const char *name, const Text *text)
{
    json_add_string_n(json, name, text->data, text->len);
}

static void add_origin(JsonWriter *json, TaskKind task, const json_t *record)
{
    json_add_string(json, "id", json_member_string(record, "id"));
    json_add_string(json, "task", task_kinds[task].name);
}

static void add_question(JsonWriter *json, const Exercise *exercise)
{
    json_open(json, NULL, '{');
    json_add_string(json, "role", "user");
    add_text(json, "content", &exercise->prompt);
    json_close(json, '}');
}

static void write_prompt(const Exercise *exercise, TaskKind task, Split split, const json_t *record, Text *out)
{
    (void)split;
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    add_origin(&json, task, record);
    add_text(&json, "prompt", &exercise->prompt);
    add_text(&json, "completion", &exercise->answer);
    json_close(&json, '}');
}

static void write_messages(const Exercise *exercise, TaskKind task, Split split, const json_t *record, Text *out)
{
    (void)split;
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    add_origin(&json, task, record);
    json_open(&json, "messages", '[');
    add_question(&json, exercise);
    json_open(&json, NULL, '{');
    json_add_string(&json, "role", "assistant");
    add_text(&json, "content", &exercise->answer);
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
}

static void write_alpaca(const Exercise *exercise, TaskKind task, Split split, const json_t *record, Text *out)
{
    (void)split;
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    add_text(&json, "instruction", &exercise->prompt);
    json_add_string(&json, "input", "");
    add_text(&json, "output", &exercise->answer);
    add_origin(&json, task, record);
    json_close(&json, '}');
}

/* Data for a reward function: a right answer, and launches that test any answer. */
static void write_truth(const Exercise *exercise, const json_t *record, Text *out)
{
    JsonWriter json = {.out = out};
    json_t *launches = json_object_get(record, "launches");
    json_open(&json, NULL, '{');
    add_text(&json, "answer", &exercise->bare);
    json_add_string(&json, "kernel_name", json_member_string(record, "kernel_name"));
    json_add_string(&json, "mangled_name", json_member_string(record, "mangled_name"));
    json_add_verbatim(&json, "launches", "", 0);
    if (launches)
        json_write(launches, out);
    else
        text_lit(out, "null");
    json_close(&json, '}');
}

static void write_verl(const Exercise *exercise, TaskKind task, Split split, const json_t *record, Text *out)
{
    char source[60];
    Text truth;
    JsonWriter json = {.out = out};
    text_init(&truth);
    write_truth(exercise, record, &truth);
    snprintf(source, sizeof source, "weft/%s", task_kinds[task].name);
    json_open(&json, NULL, '{');
    json_add_string(&json, "data_source", source);
    json_open(&json, "prompt", '[');
    add_question(&json, exercise);
    json_close(&json, ']');
    json_add_string(&json, "ability", "code");
    json_open(&json, "reward_model", '{');
    json_add_string(&json, "style", "rule");
    json_add_string_n(&json, "ground_truth", text_cstr(&truth), truth.len);
    json_close(&json, '}');
    json_open(&json, "extra_info", '{');
    json_add_string(&json, "split", split_name(split));
    json_add_uint(&json, "index", (uint64_t)json_integer_value(json_object_get(record, "row")));
    add_origin(&json, task, record);
    json_close(&json, '}');
    json_close(&json, '}');
    text_fail_like(out, &truth);
    text_free(&truth);
}

/* ---- configurations ---- */

static ExportConfig *add_config(Export *export, const char *name, const char *folder, const Column *columns,
                                bool parquet)
{
    ExportConfig *config = &export->configs[export->config_count++];
    *config = (ExportConfig){.name = name, .folder = folder, .columns = columns, .parquet = parquet, .about = ""};
    memcpy(config->takes, export->options->tasks, sizeof config->takes);
    for (int split = 0; split < SPLIT_COUNT; split++)
        config->files[split].fd = config->files[split].dir_fd = -1;
    return config;
}

static void add_records(Export *export, const char *folder)
{
    const CorpusOptions *options = &export->manifest.options;
    columns_of(options, export->options->full ? PART_WHOLE : PART_MAIN, export->columns);
    ExportConfig *config = add_config(export, "default", folder, export->columns, true);
    memset(config->takes, 0, sizeof config->takes);
    config->is_records = true;
    config->about = "the records of the data set";
}

void export_choose_configs(Export *export)
{
    switch (export->options->target) {
    case EXPORT_PARQUET: add_records(export, ""); break;
    case EXPORT_HF:
        add_records(export, "data");
        for (int task = 0; task < KIND_COUNT; task++)
            if (export->options->tasks[task]) {
                ExportConfig *config =
                    add_config(export, task_kinds[task].name, task_kinds[task].name, prompt_columns, true);
                memset(config->takes, 0, sizeof config->takes);
                config->takes[task] = true;
                config->write = write_prompt;
                config->about = task_kinds[task].about;
            }
        break;
    case EXPORT_TRL:
        add_config(export, "messages", "messages", messages_columns, false)->write = write_messages;
        add_config(export, "prompt_completion", "prompt_completion", prompt_columns, false)->write = write_prompt;
        break;
    case EXPORT_ALPACA: add_config(export, "default", "", alpaca_columns, false)->write = write_alpaca; break;
    case EXPORT_VERL: add_config(export, "default", "", verl_columns, true)->write = write_verl; break;
    }
}

/* ---- the card ---- */

static void put_card_configs(const Export *export, Text *out)
{
    text_lit(out, "configs:\n");
    for (uint32_t i = 0; i < export->config_count; i++) {
        const ExportConfig *config = &export->configs[i];
        text_format(out, "- config_name: %s\n%s  data_files:\n", config->name, i ? "" : "  default: true\n");
        for (int split = 0; split < SPLIT_COUNT; split++)
            if (config->files[split].rows)
                text_format(out, "  - split: %s\n    path: \"%s%s%s-*.%s\"\n", split_name((Split)split), config->folder,
                            *config->folder ? "/" : "", split_name((Split)split),
                            config->parquet ? "parquet" : "jsonl");
    }
}

static void put_card_tables(const Export *export, Text *out)
{
    text_lit(out, "\n| configuration | rows | columns |\n| --- | --- | --- |\n");
    for (uint32_t i = 0; i < export->config_count; i++) {
        const ExportConfig *config = &export->configs[i];
        uint64_t rows = 0;
        for (int split = 0; split < SPLIT_COUNT; split++)
            rows += config->files[split].rows;
        text_format(out, "| `%s` | %llu |", config->name, (unsigned long long)rows);
        for (const Column *column = config->columns; column->name; column++)
            text_format(out, "%s `%s`", column == config->columns ? "" : ",", column->name);
        text_lit(out, " |\n");
    }
    for (int task = 0, any = 0; task < KIND_COUNT; task++)
        if (export->task_rows[task]) {
            text_str(out, any++ ? "" : "\n| task | rows | question; answer |\n| --- | --- | --- |\n");
            text_format(out, "| `%s` | %llu | %s |\n", task_kinds[task].name,
                        (unsigned long long)export->task_rows[task], task_kinds[task].about);
        }
}

void export_card(const Export *export, Text *out)
{
    const Manifest *manifest = &export->manifest;
    text_format(out, "---\npretty_name: Warp kernels and their CUDA\nlicense: %s\n",
                manifest->options.harvested ? "other" : "apache-2.0");
    text_lit(out, "language:\n- en\n- code\n"
                  "task_categories:\n- text-generation\ntags:\n- code\n- cuda\n- warp\n- autodiff\n- synthetic\n");
    put_card_configs(export, out);
    text_format(
        out,
        "---\n\n# Warp kernels and their CUDA\n\nMade by `weft export` from a data set of %llu records: weft %s, seed "
        "%llu, Warp %s. The column `id` names the record.\nAnswers with code are one fenced block. Everything in this "
        "folder is under %s.\n",
        (unsigned long long)manifest->rows, manifest->weft_version, (unsigned long long)manifest->options.seed,
        manifest->warp_version, manifest->options.harvested ? "the licences that the records name" : RECORD_LICENSE);
    put_card_tables(export, out);
}
