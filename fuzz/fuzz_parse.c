/* Any bytes are parsed; what is accepted is unparsed and parsed again, which must give the same tree,
 * and the same text when unparsed once more. */
#include "base/diag.h"
#include "front/parser.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A tree as a dump without positions. */
static void dump(const Node *node, Text *out)
{
    Source nowhere = {"", "", 0};
    Text full;
    text_init(&full);
    ast_dump(node, &nowhere, &full);
    for (size_t i = 0; i < full.len;) {
        const char *line = full.data + i, *end = memchr(line, '\n', full.len - i);
        const char *position = end;
        while (position[-1] != ' ') /* the position is the last word of a line */
            position--;
        text_add(out, line, (size_t)(position - line));
        text_char(out, '\n');
        i = (size_t)(end - full.data) + 1;
    }
    text_free(&full);
}

static void check_round_trip(Arena *arena, NameTable *names, const Node *tree)
{
    Text text, again, first, second;
    text_init(&text);
    text_init(&again);
    text_init(&first);
    text_init(&second);
    unparse(tree, &text);
    Source source = {"unparsed", text.data ? text.data : "", text.len};
    DiagList diags;
    diags_init(&diags, arena);
    Node *reparsed = parse_module(arena, names, &source, &diags);
    if (diags.count) {
        diag_show(diags.first, &first);
        fwrite(first.data, 1, first.len, stderr);
        abort();
    }
    dump(tree, &first);
    dump(reparsed, &second);
    unparse(reparsed, &again);
    bool same_tree = first.len == second.len && memcmp(first.data, second.data, first.len) == 0;
    bool same_text = text.len == again.len && (!text.len || memcmp(text.data, again.data, text.len) == 0);
    if (!same_tree || !same_text) {
        fprintf(stderr, "--- text\n%s\n--- again\n%s\n", text_cstr(&text), text_cstr(&again));
        abort();
    }
    text_free(&text);
    text_free(&again);
    text_free(&first);
    text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena;
    NameTable names;
    arena_init(&arena);
    names_init(&names, &arena);
    Source source = {"input", (const char *)data, size};
    DiagList diags;
    diags_init(&diags, &arena);
    Node *tree = parse_module(&arena, &names, &source, &diags);
    Text shown;
    text_init(&shown);
    for (const Diag *diag = diags.first; diag; diag = diag->next)
        diag_show(diag, &shown);
    text_free(&shown);
    if (!diags.count)
        check_round_trip(&arena, &names, tree);
    arena_free(&arena);
    return 0;
}
