#include "judge/mutate.h"

#include <ctype.h>
#include <stdio.h>

const char *mutant_form_name(MutantForm form)
{
    static const char *const names[MUTANT_FORMS] = {"python", "cuda", "gradient"};
    return names[form];
}

void mutant_free(Mutant *mutant)
{
    text_free(&mutant->text);
}

/* ---- where ---- */

bool mutable_part(const char *text, const char *kernel, MutantForm form, Span *part)
{
    char head[300];
    snprintf(head, sizeof head,
             form == MUTANT_PYTHON ? "def %s("
             : form == MUTANT_CUDA ? "__global__ void %s("
                                   : "__global__ void %s_backward(",
             kernel);
    const char *from = strstr(text, head), *body = from ? strstr(from, form == MUTANT_PYTHON ? "):\n" : "\n{") : NULL;
    const char *to = !body ? NULL : form == MUTANT_PYTHON ? body + strlen(body) : strstr(body, "\n}");
    if (!to)
        return false;
    *part = (Span){body + 2, (size_t)(to - body) - 2};
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A number that stands alone: not a part of a name, and not an index of a thread. */
static bool is_number(Span part, size_t at)
{
    return isdigit((unsigned char)part.text[at]) && at > 0 && !is_word(part.text[at - 1]) && part.text[at - 1] != '.' &&
           part.text[at - 1] != '[';
}

/* The end of a comment or a text that begins here; `at` itself: none does. */
static size_t skip_comment(Span part, size_t at, bool python)
{
    bool line = python ? part.text[at] == '#' : at + 1 < part.len && memcmp(part.text + at, "//", 2) == 0;
    if (python && at + 2 < part.len && memcmp(part.text + at, "\"\"\"", 3) == 0) {
        const char *end = memmem(part.text + at + 3, part.len - at - 3, "\"\"\"", 3);
        return end ? (size_t)(end - part.text) + 3 : part.len;
    }
    while (line && at < part.len && part.text[at] != '\n')
        at++;
    return at;
}

static void add_site(Arena *arena, SiteList *sites, size_t at, size_t len, const char *to)
{
    ARENA_PUSH(arena, sites->items, sites->count, sites->cap) = (Site){(uint32_t)at, (uint32_t)len, to};
}

/* Statements of a gradient that add something: leaving one out is a mistake that people make. */
static void find_statement(Arena *arena, Span part, size_t at, SiteList *sites)
{
    const char *end = memchr(part.text + at, '\n', part.len - at);
    size_t len = end ? (size_t)(end - part.text) - at : part.len - at;
    Span line = {part.text + at, len};
    bool adds = memmem(line.text, line.len, " += ", 4) || memmem(line.text, line.len, "atomicAdd(", 10);
    if (adds && line.text[line.len - 1] == ';')
        add_site(arena, sites, at, len, "");
}

void find_sites(Arena *arena, Span part, MutantForm form, SiteList *sites)
{
    static const char *const changes[][2] = {
#define MUTATION(from, to) {from, to},
#include "judge/mutations.def"
#undef MUTATION
    };
    for (size_t at = 0; at < part.len; at++) {
        size_t behind = skip_comment(part, at, form == MUTANT_PYTHON);
        if (behind > at) {
            at = behind - 1;
            continue;
        }
        if (form == MUTANT_GRADIENT && at && isspace((unsigned char)part.text[at - 1]) &&
            !isspace((unsigned char)part.text[at]))
            find_statement(arena, part, at, sites);
        if (is_number(part, at))
            add_site(arena, sites, at, 1, NULL);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            size_t len = strlen(changes[i][0]);
            bool inside = at && is_word(part.text[at - 1]) && is_word(changes[i][0][0]);
            if (!inside && part.len - at >= len && memcmp(part.text + at, changes[i][0], len) == 0)
                add_site(arena, sites, at, len, changes[i][1]);
        }
    }
}

/* ---- the change ---- */

static void copy_line(const char *text, size_t at, char *out, size_t size)
{
    while (at && text[at - 1] != '\n')
        at--;
    while (text[at] == ' ')
        at++;
    snprintf(out, size, "%.*s", (int)strcspn(text + at, "\n"), text + at);
}

static void trim(const char *from, size_t len, char *out, size_t size)
{
    while (len && *from == ' ')
        from++, len--;
    while (len && from[len - 1] == ' ')
        len--;
    snprintf(out, size, "%.*s", (int)len, from);
}

void apply_site(const char *text, Span part, const Site *site, Mutant *out)
{
    size_t at = (size_t)(part.text - text) + site->at;
    char digit[2] = {text[at] == '9' ? '1' : (char)(text[at] + 1), 0}, from[60], to[60];
    const char *change = site->to ? site->to : digit;
    out->text.len = 0;
    text_add(&out->text, text, at);
    text_str(&out->text, change);
    text_str(&out->text, text + at + site->len);
    out->line = 1;
    for (size_t i = 0; i < at; i++)
        out->line += text[i] == '\n';
    copy_line(text, at, out->before, sizeof out->before);
    copy_line(text_cstr(&out->text), at, out->after, sizeof out->after);
    trim(text + at, site->len, from, sizeof from);
    trim(change, strlen(change), to, sizeof to);
    if (site->to && !*site->to)
        snprintf(out->change, sizeof out->change, "a statement is left out");
    else if (site->to)
        snprintf(out->change, sizeof out->change, "%.30s became %.30s", from, to);
    else
        snprintf(out->change, sizeof out->change, "a number became another one");
}
