#include "kernel_names.h"

#include "files.h"
#include "terminal.h"
#include "weft.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 20 };

typedef struct NameList {
    Text text;
    size_t count;
} NameList;

/* Overloads of a generic kernel follow each other and have one name: it is listed once. */
static void add_name(NameList *list, const char *name)
{
    size_t length = strlen(name);
    const char *tail = list->text.len >= length && list->text.data ? list->text.data + list->text.len - length : NULL;
    if (tail && memcmp(tail, name, length) == 0 && (tail == list->text.data || tail[-1] == ' '))
        return;
    list->count++;
    if (list->count <= MOST_SHOWN)
        text_format(&list->text, "%s%s", list->count > 1 ? ", " : "", name);
}

static void take_kernel(const WeftResult *one, void *user)
{
    add_name(user, weft_kernel(one, 0)->key);
}

static void tell_names(const NameList *list)
{
    if (list->count > MOST_SHOWN)
        tell(stderr, "    hint: the kernels are %s and %zu more\n", list->text.data, list->count - MOST_SHOWN);
    else if (list->count)
        tell(stderr, "    hint: %s %s\n", list->count > 1 ? "the kernels are" : "the kernel is", list->text.data);
}

void tell_kernel_names(const InputFile *file)
{
    size_t length;
    char *text = read_regular(file->path, 0, &length);
    Weft *weft = text ? weft_new(NULL) : NULL;
    NameList list = {.count = 0};
    WeftOptions options = weft_default_options();
    options.cuda = options.cpu = false;
    options.each = take_kernel;
    options.user = &list;
    WeftResult *result = weft ? weft_compile(weft, file->path, text, length, &options) : NULL;
    for (size_t i = 0; result && i < weft_error_count(result); i++)
        if (weft_error(result, i)->kernel)
            add_name(&list, weft_error(result, i)->kernel);
    if (result && !list.text.failed)
        tell_names(&list);
    weft_result_free(result);
    weft_free(weft);
    free(text);
    text_free(&list.text);
}
