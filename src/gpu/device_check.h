/* Runs built samples on a device and compares what they compute with the evaluators. */
#ifndef WEFT_GPU_DEVICE_CHECK_H
#define WEFT_GPU_DEVICE_CHECK_H

#include "gpu/build.h"
#include "gpu/compare.h"
#include "gpu/machine.h"

typedef struct DeviceCheckResult {
    bool tried;              /* what follows is filled in */
    bool skipped;            /* the evaluators cannot run it: there is nothing to compare with */
    bool ran;                /* on the machine, to its end */
    bool forward, backward;  /* agree */
    bool has_backward;       /* was run and compared */
    bool undefined_backward; /* not run: the reverse pass reads or writes out of bounds, as Warp's may */
    bool local_atomics;      /* not run to its end: the reverse pass adds to a local array, see adds_to_local_array() */
    bool poisoned;
    bool only_unfused;                    /* agrees without fused multiply-add; `message` says how it differs with it */
    uint64_t cells, loose, unordered;     /* see Comparison */
    double forward_error, backward_error; /* the largest, relative */
    uint64_t seed;
    int registers[2], local_bytes[2]; /* of a thread, forward and backward */
    char message[700];                /* why it failed */
} DeviceCheckResult;

/* What is known of a sample that failed: for keeping what is needed to look into it. NULL: it did not get so far. */
typedef struct FailedCheck {
    const Sample *sample;
    const DeviceCheckResult *result;
    const Launch *start, *device, *expected;
    const Launch *device_gradients, *expected_gradients;
    const char *const *names;
} FailedCheck;

typedef struct DeviceCheckOptions {
    Machine *machine;
    bool one_at_a_time; /* it serves one thread */
    bool races;         /* look for races first: these kernels come from anywhere */
    /* The functions of a sample on the device. False: *error. */
    bool (*find)(const Sample *sample, DeviceKernel *kernel, void *user, GpuError *error);
    void *user;
    void (*keep)(const FailedCheck *failed, void *user);
    unsigned jobs;
    Watch watch;
} DeviceCheckOptions;

/* results[i] is of samples[i]; those that were not built, or were tried already, are left as they are. When the machine
 * is lost, what was not tried until then stays so. */
void check_on_device(const Sample *samples, uint32_t count, BuildTarget target, const DeviceCheckOptions *options,
                     DeviceCheckResult *results);

/* Results of several samples, added up; of errors, the largest. */
typedef struct DeviceTotals {
    uint32_t skipped, ran, forward, with_backward, backward, undefined_backward, local_atomics, poisoned, only_unfused;
    uint64_t cells, loose, unordered;
    double forward_error, backward_error;
} DeviceTotals;

void device_totals_add(DeviceTotals *totals, const DeviceCheckResult *result);

#endif
