/* An answer in CUDA, compiled by NVRTC in a process that can do nothing else: it has no card. */
#include "judge/inside.h"

#include "base/safe_file.h"
#include "gpu/nvrtc.h"

#include <unistd.h>

static void complain(const char *text, size_t len)
{
    write_fully(STDERR_FILENO, text, len);
    _exit(1);
}

void inside_run_nvrtc(const Job *job)
{
    GpuError error = {""};
    NvrtcNames names = {.wanted = {job->entries[0], job->entries[1]}};
    NvrtcOptions options = {.warp_include = job->plain ? "/dev/null" : "/judge/warp",
                            .arch = (int)job->arch,
                            .image = true,
                            .no_fma = true,
                            .plain = job->plain,
                            .names = &names};
    Text image, log;
    text_init(&image);
    text_init(&log);
    Nvrtc *nvrtc = nvrtc_open(job->compiler, &error);
    if (!nvrtc)
        complain(error.message, strlen(error.message));
    if (!inside_filter(FILTER_NVRTC))
        complain("error: system calls cannot be filtered on this machine", 54);
    if (!nvrtc_compile(nvrtc, job->source, &options, &image, &log))
        complain(log.data ? log.data : "", log.len);
    JobImage head = {.magic = JOB_MAGIC, .size = (uint32_t)image.len};
    for (int i = 0; i < 2; i++)
        head.name_sizes[i] = (uint32_t)strlen(names.found[i]);
    bool written = image.len <= JOB_MOST_IMAGE && inside_write(&head, sizeof head) &&
                   inside_write(names.found[0], head.name_sizes[0]) &&
                   inside_write(names.found[1], head.name_sizes[1]) && inside_write(image.data, image.len);
    _exit(written ? 0 : 1);
}
