# cmake -DIN=FILE -DOUT=HEADER -DNAME=symbol -P embed.cmake
# Writes the bytes of FILE as a C array, NUL-terminated; <symbol>_size does not count the NUL.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPLACE "0x0a," "0x0a,\n" bytes "${bytes}") # a line of the file, a line here
get_filename_component(file ${IN} NAME)
file(WRITE ${OUT} "/* ${file}, embedded by cmake/embed.cmake. */
#include <stddef.h>

static const unsigned char ${NAME}[] = {
${bytes}0x00};
static const size_t ${NAME}_size = sizeof ${NAME} - 1;
")
