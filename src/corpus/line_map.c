#include "corpus/line_map.h"

#include "emit/line_map.h"

#include <string.h>

static void put_entry(const TextLines *lines, const char *name, bool first, Text *out)
{
    char *to = text_room(out, 128 + 3 * UINT_ROOM);
    to = first ? put_lit(to, "{\"python_line\": ") : put_lit(to, ", {\"python_line\": ");
    to = put_uint(to, lines->source_line);
    to = put_lit(to, ", \"text\": \"");
    to = put_bytes(to, name, strlen(name));
    to = put_lit(to, "\", \"first_line\": ");
    to = put_uint(to, lines->first_line);
    to = put_lit(to, ", \"last_line\": ");
    to = put_uint(to, lines->last_line);
    *to++ = '}';
    text_end(out, to);
}

void line_map_write(const Compiled *compiled, Device device, bool backward, Text *out)
{
    static const char *const names[DEVICE_COUNT][3] = {
        [DEVICE_CUDA] = {"cuda_helpers", "cuda_forward", "cuda_backward"},
        [DEVICE_CPU] = {"cpp_helpers", "cpp_forward", "cpp_backward"}};
    LineMap map = line_map(&compiled->texts[device], compiled->unit->main->source, backward, compiled->unit->arena);
    bool first = true;
    text_char(out, '[');
    for (uint32_t i = 0; i < map.count; i++)
        if (map.items[i].source_line > 0) {
            put_entry(&map.items[i], names[device][map.items[i].part], first, out);
            first = false;
        }
    text_char(out, ']');
}
