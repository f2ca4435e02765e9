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
    FUNCTION_DYNAMIC_SHARED = 8,
    FUNCTION_CLUSTER_WIDTH = 11,
};

typedef struct Driver {
    void *library;
#define CALL(member, name, params) int(*member) params;
#include "gpu/driver.def"
#undef CALL
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
