/* Prints the builtin table of a version of Warp (by default the usual one), one JSON line per overload. */
#include "lang/builtin.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    Dialect dialect;
    if (!dialect_find(argc > 1 ? argv[1] : NULL, &dialect)) {
        fprintf(stderr, "builtins_json: Warp %s is not known\n", argv[1]);
        return 2;
    }
    Arena arena;
    NameTable names;
    TypeTable types;
    Text out;
    arena_init(&arena);
    names_init(&names, &arena);
    types_init(&types, NULL, &arena, &names);
    text_init(&out);
    builtins_dump(builtins_new(&arena, &types, &dialect), &out);
    bool written = fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
    text_free(&out);
    arena_free(&arena);
    return written ? 0 : 1;
}
