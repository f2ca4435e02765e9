#include "gpu/driver.h"

#include <dlfcn.h>
#include <string.h>

/* NULL: all were found. */
static const char *missing_function(Driver *driver)
{
    static const LibraryFunction functions[] = {
#define CALL(member, name, params) {name, offsetof(Driver, member)},
#include "gpu/driver.def"
#undef CALL
        {0},
    };
    return toolchain_load_functions(driver->library, functions, driver);
}

bool card_check(const Card *card, int result, const char *call, GpuError *error)
{
    const char *name = NULL, *text = NULL;
    if (!result)
        return true;
    card->driver.error_name(result, &name);
    card->driver.error_string(result, &text);
    return gpu_fail(error, "%s: %s (%s)", call, text ? text : "unknown error", name ? name : "?");
}

bool card_look(Card *card, int number, GpuError *error)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
    Driver *driver = &card->driver;
    int count = 0, major = 0, minor = 0;
    memset(card, 0, sizeof *card);
    for (size_t i = 0; i < sizeof names / sizeof *names && !driver->library; i++)
        driver->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!driver->library)
        return gpu_fail(error, "no GPU: there is no CUDA driver (libcuda.so.1) on this machine");
    const char *missing = missing_function(driver);
    if (missing)
        return gpu_fail(error, "no GPU: the CUDA driver lacks %s: it is too old, or only a stub", missing);
    int result = driver->init(0);
    if (result) {
        card_check(card, result, "cuInit", error);
        char why[sizeof error->message];
        memcpy(why, error->message, sizeof why);
        return gpu_fail(error, "no GPU: %.900s", why);
    }
    if (!card_check(card, driver->device_count(&count), "cuDeviceGetCount", error))
        return false;
    if (number >= count)
        return gpu_fail(error, count ? "there is no GPU number %d" : "no GPU: the driver sees none", number);
    return card_check(card, driver->driver_version(&card->version), "cuDriverGetVersion", error) &&
           card_check(card, driver->device_get(&card->device, number), "cuDeviceGet", error) &&
           card_check(card, driver->device_name(card->name, sizeof card->name, card->device), "cuDeviceGetName",
                      error) &&
           card_check(card, driver->device_attribute(&major, CARD_MAJOR, card->device), "cuDeviceGetAttribute",
                      error) &&
           card_check(card, driver->device_attribute(&minor, CARD_MINOR, card->device), "cuDeviceGetAttribute",
                      error) &&
           card_check(card, driver->device_attribute(&card->multiprocessors, CARD_MULTIPROCESSORS, card->device),
                      "cuDeviceGetAttribute", error) &&
           (card->arch = 10 * major + minor);
}

bool card_open(Card *card, int number, GpuError *error)
{
    size_t free_memory;
    return card_look(card, number, error) &&
           card_check(card, card->driver.context_retain(&card->context, card->device), "cuDevicePrimaryCtxRetain",
                      error) &&
           card_check(card, card->driver.context_set(card->context), "cuCtxSetCurrent", error) &&
           card_check(card, card->driver.memory_info(&free_memory, &card->memory), "cuMemGetInfo", error);
}

void card_close(Card *card)
{
    if (card->context)
        card->driver.context_release(card->device);
    if (card->driver.library)
        dlclose(card->driver.library);
    memset(card, 0, sizeof *card);
}
