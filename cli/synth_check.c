/* weft synth --check: samples of scenes, compiled and checked. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "terminal.h"

#include "check/scene.h"

#include <string.h>

int check_scenes(const char *warp, const char *name, uint64_t seed, uint32_t count)
{
    SynthContext *context = synth_new(warp);
    Weft *weft = weft_new(warp);
    Text report;
    text_init(&report);
    bool good = context && weft;
    if (good && !name && !synth_check_scenes(context, &report)) {
        put_text(&report, stderr);
        good = false;
    }
    for (uint32_t i = 0; context && weft && i < synth_scene_count(context); i++) {
        SceneTally tally;
        if (name && strcmp(synth_scene_name(context, i), name) != 0)
            continue;
        report.len = 0;
        good &= check_scene(context, weft, i, seed, count, &tally, &report) && tally.good == count;
        tell(stdout, "%-32s %u of %u samples hold\n", synth_scene_name(context, i), tally.good, count);
        put_text(&report, stderr);
    }
    text_free(&report);
    weft_free(weft);
    synth_free(context);
    return good ? EXIT_DONE : EXIT_FOUND;
}
