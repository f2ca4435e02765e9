/* The CUDA driver, opened at run time: the few calls that are needed, each checked. */
#ifndef WEFT_GPU_DRIVER_H
#define WEFT_GPU_DRIVER_H

#include "gpu/toolchain.h"

#include <stdint.h>

typedef struct CudaContext_ *CudaContext;
typedef struct CudaModule_ *CudaModule;
typedef struct CudaFunction_ *CudaFunction;
typedef struct CudaStream_ *CudaStream;
typedef struct CudaEvent_ *CudaEvent;
typedef unsigned long long CudaAddress;

/* What can be asked of a card and of a function: numbers of the driver's interface. */
enum {
    CARD_MULTIPROCESSORS = 16,
    CARD_MAJOR = 75,
    CARD_MINOR = 76,
    FUNCTION_MOST_THREADS = 0,
    FUNCTION_LOCAL_BYTES = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_CLUSTER_WIDTH = 11,
};

typedef struct Driver {
    void *library;
    int (*init)(unsigned flags);
    int (*driver_version)(int *version);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*context_retain)(CudaContext *context, int device);
    int (*context_release)(int device);
    int (*context_set)(CudaContext context);
    int (*synchronize)(void);
    int (*memory_info)(size_t *free, size_t *total);
    int (*alloc)(CudaAddress *address, size_t size);
    int (*release)(CudaAddress address);
    int (*to_device)(CudaAddress to, const void *from, size_t size);
    int (*to_host)(void *to, CudaAddress from, size_t size);
    int (*on_device)(CudaAddress to, CudaAddress from, size_t size);
    int (*module_load)(CudaModule *module, const void *image);
    int (*module_unload)(CudaModule module);
    int (*module_function)(CudaFunction *function, CudaModule module, const char *name);
    int (*function_attribute)(int *value, int attribute, CudaFunction function);
    int (*launch)(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, CudaStream stream, void **params, void **extra);
    int (*event_create)(CudaEvent *event, unsigned flags);
    int (*event_record)(CudaEvent event, CudaStream stream);
    int (*event_synchronize)(CudaEvent event);
    int (*event_elapsed)(float *milliseconds, CudaEvent start, CudaEvent end);
    int (*event_destroy)(CudaEvent event);
    int (*error_name)(int result, const char **name);
    int (*error_string)(int result, const char **text);
} Driver;

/* A card with its context, which is current in the thread that opened it. */
typedef struct Card {
    Driver driver;
    int device, version; /* of the driver: 1000 * major + 10 * minor */
    int arch;            /* 90: sm_90 */
    int multiprocessors;
    size_t memory;
    char name[128];
    CudaContext context;
} Card;

/* False: there is no driver, no card, or none with that number; *error says which. */
bool card_open(Card *card, int number, GpuError *error);
void card_close(Card *card);
/* The same without taking the card: what it is. */
bool card_look(Card *card, int number, GpuError *error);

/* False with a message that names the call, if a call did not return 0. */
bool card_check(const Card *card, int result, const char *call, GpuError *error);

#endif
