/* vsnprintf for the texts that are made by the thousand: strings and whole numbers are written at once, and only a
 * format with something else in it goes through the interpreter of the C library. */
#ifndef WEFT_BASE_FORMAT_H
#define WEFT_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf: what does not fit is cut off, `size` > 0 bytes always end in NUL, the whole length comes back. */
size_t format_text(char *out, size_t size, const char *format, va_list args);

#endif
