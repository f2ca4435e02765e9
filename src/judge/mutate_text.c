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
    ARENA_PUSH(arena, sites->items, sites->count, sites->cap) = (Site){(uint32_t)at, (uint32_t)len, to, false};
}

static bool has(Span line, const char *word)
{
    return memmem(line.text, line.len, word, strlen(word)) != NULL;
}

/* ` * factor` in a term of a gradient: a factor of the chain rule that is forgotten. */
static void find_factors(Arena *arena, size_t at, Span line, SiteList *sites)
{
    for (size_t i = 0; i + 3 < line.len; i++) {
        size_t end = i + 3;
        if (memcmp(line.text + i, " * ", 3) != 0)
            continue;
        while (end < line.len && (is_word(line.text[end]) || line.text[end] == '.'))
            end++;
        if (end > i + 3 && end < line.len && !strchr("([", line.text[end]))
            add_site(arena, sites, at + i, end - i, "");
    }
}

/* Mistakes of models in a backward kernel: a contribution, a restored value or a cleared adjoint is missing; `=` stands for `+=`; a factor
 * is forgotten. `at`: where a line begins, behind its spaces. */
static void find_in_statement(Arena *arena, Span part, size_t at, SiteList *sites)
{
    static const char *const left_out[] = {" += ",      "atomicAdd(", "_before",    "_stack[",
                                           "] = 0.0f;", "{};",        "atomicExch("};
    const char *end = memchr(part.text + at, '\n', part.len - at);
    Span line = {part.text + at, end ? (size_t)(end - part.text) - at : part.len - at};
    bool is_statement = line.len && line.text[line.len - 1] == ';', declares = false;
    bool adjoint = has(line, "adj_");
    const char *equals = memmem(line.text, line.len, " = ", 3), *adds = memmem(line.text, line.len, " += ", 4);
    for (const char *c = line.text; equals && c < equals; c++) /* `float x = …`: leaving it out does not compile */
        declares |= *c == ' ';
    for (size_t i = 0; is_statement && !declares && i < sizeof left_out / sizeof *left_out; i++)
        if (has(line, left_out[i]) && !has(line, "(turns") && !has(line, "save(")) {
            add_site(arena, sites, at, line.len, "");
            sites->items[sites->count - 1].is_statement = true;
            break;
        }
    if (is_statement && adjoint && adds)
        add_site(arena, sites, at + (size_t)(adds - line.text), 4, " = ");
    if (is_statement && adjoint)
        find_factors(arena, at, line, sites);
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
            find_in_statement(arena, part, at, sites);
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
    size_t from_line = at, rest = at + site->len;
    while (site->is_statement && from_line && text[from_line - 1] == ' ')
        from_line--;
    out->text.len = 0;
    text_add(&out->text, text, from_line);
    text_str(&out->text, change);
    text_str(&out->text, text + rest + (site->is_statement && text[rest] == '\n'));
    out->line = 1;
    for (size_t i = 0; i < at; i++)
        out->line += text[i] == '\n';
    copy_line(text, at, out->before, sizeof out->before);
    copy_line(text_cstr(&out->text), at, out->after, sizeof out->after);
    trim(text + at, site->len, from, sizeof from);
    trim(change, strlen(change), to, sizeof to);
    if (site->is_statement)
        snprintf(out->change, sizeof out->change, "a statement is left out");
    else if (site->to && !*site->to)
        snprintf(out->change, sizeof out->change, "a factor is left out: %.40s", from);
    else if (site->to)
        snprintf(out->change, sizeof out->change, "%.30s became %.30s", from, to);
    else
        snprintf(out->change, sizeof out->change, "a number became another one");
}
