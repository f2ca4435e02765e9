/* What is kept of a sample that failed. */
#include "base/folder.h"
#include "base/safe_file.h"
#include "gpu/gpu.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static void write_cells(FILE *out, const LaunchValue *value, bool gradients)
{
    size_t count = value->count * value->width;
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        double real = gradients ? value->gradients[i] : value->cells[i].real;
        if (i)
            fputs(i % 16 ? ", " : ",\n  ", out);
        if (!type_is_float(value->cell_types[i % value->width]))
            fprintf(out, "%lld", gradients ? 0 : (long long)value->cells[i].integer);
        else if (isfinite(real))
            fprintf(out, "%.17g", real);
        else
            fprintf(out, "\"%g\"", real);
    }
    fputc(']', out);
}

static void write_value(FILE *out, const LaunchValue *value, const char *path, bool gradients, bool *follows)
{
    char inner[400];
    for (uint32_t i = 0; i < value->field_count; i++) {
        snprintf(inner, sizeof inner, "%s.%s", path, value->type->decl->fields[i].name->text);
        write_value(out, &value->fields[i], inner, gradients, follows);
    }
    if (value->field_count || (gradients && !value->gradients))
        return;
    fprintf(out, "%s\"%s\": ", *follows ? ",\n " : "{", path);
    *follows = true;
    write_cells(out, value, gradients);
}

/* A new file in the folder; a link that has its name goes. NULL: it cannot be made. */
static FILE *create(int folder, const char *name)
{
    int fd = file_create(folder, name);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !out)
        close(fd);
    return out;
}

static void write_launch(int folder, const char *name, const Launch *launch, bool gradients, const char *const *names)
{
    bool follows = false;
    FILE *out = launch ? create(folder, name) : NULL;
    if (!out)
        return;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        write_value(out, &launch->args[i], names[i], gradients, &follows);
    fputs(follows ? "}\n" : "{}\n", out);
    fclose(out);
}

static void write_texts(int folder, const char *name, const char *const *texts, size_t count)
{
    FILE *out = create(folder, name);
    if (!out)
        return;
    for (size_t i = 0; i < count; i++)
        if (texts[i])
            fputs(texts[i], out);
    fclose(out);
}

void keep_failed_check(const FailedCheck *failed, BuildTarget target, const char *keep)
{
    const Sample *sample = failed->sample;
    const SampleText *text = &sample->text[target];
    const char *const texts[] = {text->preamble, text->prelude, text->forward, text->backward};
    const char *const message[] = {
        sample->id, "\n", sample->name, "\n", failed->result ? failed->result->message : "", sample->refusal[target],
        "\n"};
    if (!is_plain_name(sample->id) || !make_folder_path(keep))
        return;
    int above = open(keep, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int folder = above >= 0 ? folder_open_below(above, sample->id) : -1;
    if (above >= 0)
        close(above);
    if (folder < 0)
        return;
    write_texts(folder, "message.txt", message, sizeof message / sizeof *message);
    write_texts(folder, "source.py", &sample->source, 1);
    write_texts(folder, "launch.json", &sample->launch, 1);
    write_texts(folder, target == BUILD_CUDA ? "kernel.cu" : "kernel.cpp", texts, sizeof texts / sizeof *texts);
    write_launch(folder, "inputs.json", failed->start, false, failed->names);
    write_launch(folder, "output_gradients.json", failed->start, true, failed->names);
    write_launch(folder, "result.json", failed->device, false, failed->names);
    write_launch(folder, "expected.json", failed->expected, false, failed->names);
    write_launch(folder, "result_gradients.json", failed->device_gradients, true, failed->names);
    write_launch(folder, "expected_gradients.json", failed->expected_gradients, true, failed->names);
    close(folder);
}
