# cmake "-DIN=FILE;FILE..." -DFROM=FOLDER -DOUT=HEADER -P embed_all.cmake
# Writes the bytes of all files as C arrays, and MEANING_FILES, a list of MEANING_FILE(path below FOLDER, symbol).
set(text "/* Embedded by cmake/embed_all.cmake. */\n#include <stddef.h>\n")
set(list "")
set(number 0)
foreach(path ${IN})
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REPLACE "0x0a," "0x0a,\n" bytes "${bytes}") # a line of the file, a line here
    file(RELATIVE_PATH name ${FROM} ${path})
    string(APPEND text "\nstatic const unsigned char meaning_${number}[] = {\n${bytes}0x00};\n"
                       "static const size_t meaning_${number}_size = sizeof meaning_${number} - 1;\n")
    string(APPEND list " MEANING_FILE(\"${name}\", meaning_${number})")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "${text}\n#define MEANING_FILES${list}\n")
