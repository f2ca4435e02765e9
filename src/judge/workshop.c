#include "judge/workshop.h"

#include "corpus/columns.h"

#include <string.h>

bool workshop_ready(Workshop *workshop, const char *warp)
{
    if (workshop->weft && strcmp(weft_warp_version(workshop->weft), warp) == 0)
        return true;
    workshop_free(workshop);
    workshop->weft = weft_find_warp(warp) ? weft_new(warp) : NULL;
    workshop->library = workshop->weft ? standalone_library_new(warp) : NULL;
    return workshop->library;
}

void workshop_free(Workshop *workshop)
{
    if (workshop->weft)
        weft_free(workshop->weft);
    if (workshop->library)
        standalone_library_free(workshop->library);
    *workshop = (Workshop){0};
}

typedef struct Visit {
    const json_t *record;
    WorkshopVisitor *visitor;
    void *user;
    bool done;
} Visit;

static bool show_kernel(const Compiled *compiled, void *user)
{
    Visit *visit = user;
    CheckLaunch launch;
    memset(&launch, 0, sizeof launch);
    Text text = text_in(compiled->unit->arena);
    check_launch_write(visit->record, &text);
    if (!check_launch_read(compiled->unit->arena, text.data, text.len, &launch))
        visit->done = visit->visitor(compiled, &launch, visit->user);
    return false;
}

bool workshop_visit(Workshop *workshop, const json_t *record, WorkshopVisitor *visitor, void *user)
{
    Visit visit = {record, visitor, user, false};
    Text source;
    text_init(&source);
    text_lit(&source, SOURCE_IMPORT);
    text_str(&source, record_source(record));
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.weft.kernel = json_member_string(record, "kernel_name");
    options.weft.block_dim = (uint32_t)json_integer_value(json_object_get(record, "block_dim"));
    options.keep_types = true;
    bool done =
        !source.failed && pipeline_compile(workshop->weft, &(Source){"record.py", source.data, source.len}, &options,
                                           &(PipelineVisitor){.compiled = show_kernel, .user = &visit});
    text_free(&source);
    return done && visit.done;
}
