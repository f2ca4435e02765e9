/* The kernels of a file, for a message about a name that none of them has. */
#ifndef WEFT_CLI_KERNEL_NAMES_H
#define WEFT_CLI_KERNEL_NAMES_H

#include "inputs.h"

/* Prints "hint: the kernels are …" for a file that can be read a second time; nothing for one without kernels. */
void tell_kernel_names(const InputFile *file);

#endif
