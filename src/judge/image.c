#include "judge/image.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

static const size_t UNREADABLE = (size_t)-1;

static bool is_inside(size_t len, Elf64_Off offset, Elf64_Xword size)
{
    return offset <= len && size <= len - offset;
}

/* Constants are not among them: nothing that was computed is there. */
static bool is_variables(const char *name, size_t most)
{
    static const char start[] = ".nv.global";
    return sizeof start - 1 <= most && memcmp(name, start, sizeof start - 1) == 0;
}

size_t image_variables(const char *image, size_t len)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    size_t total = 0;
    if (len < sizeof head)
        return UNREADABLE;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof section ||
        head.e_shstrndx >= head.e_shnum || !is_inside(len, head.e_shoff, head.e_shnum * sizeof section))
        return UNREADABLE;
    memcpy(&names, image + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
    if (!is_inside(len, names.sh_offset, names.sh_size))
        return UNREADABLE;
    for (size_t i = 0; i < head.e_shnum; i++) {
        memcpy(&section, image + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_name > names.sh_size || section.sh_size > UNREADABLE / 2 - total)
            return UNREADABLE;
        if (is_variables(image + names.sh_offset + section.sh_name, names.sh_size - section.sh_name))
            total += section.sh_size;
    }
    return total;
}
