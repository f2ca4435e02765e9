#include "judge/attack.h"

#include "judge_attacks.h"
#include "judge_scan.h"

#include <stdio.h>
#include <string.h>

/* ---- reading attacks.txt ---- */

static const char *const part_words[ATTACK_PARTS] = {[PART_BEFORE] = "before",
                                                     [PART_CONSTRUCTOR] = "constructor",
                                                     [PART_KERNEL] = "kernel",
                                                     [PART_LAST] = "last",
                                                     [PART_BY_HEART] = "by heart"};

static bool is_word(Span line, const char *word)
{
    return line.len == strlen(word) && memcmp(line.text, word, line.len) == 0;
}

/* "attack cpu, always: NAME" */
static bool read_head(Arena *arena, Span line, AttackList *list)
{
    static const char word[] = "attack ";
    const char *colon = memchr(line.text, ':', line.len);
    if (line.len < sizeof word || memcmp(line.text, word, sizeof word - 1) != 0 || !colon)
        return false;
    Span where = {line.text, (size_t)(colon - line.text)};
    size_t rest = line.len - where.len - 2;
    ARENA_PUSH(arena, list->items, list->count, list->cap) =
        (Attack){.name = arena_strndup(arena, colon + 2, rest),
                 .on_card = memmem(where.text, where.len, "gpu", 3) != NULL,
                 .always = memmem(where.text, where.len, "always", 6) != NULL};
    return true;
}

void attacks_read(Arena *arena, AttackList *list)
{
    const char *at = (const char *)judge_attacks, *end = at + judge_attacks_size;
    Span *open = NULL; /* the part that lines belong to */
    for (const char *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        next = stop ? stop + 1 : end;
        Span line = {at, (size_t)((stop ? stop : end) - at)};
        int part = 0;
        while (part < ATTACK_PARTS && !is_word(line, part_words[part]))
            part++;
        if (read_head(arena, line, list)) {
            open = NULL;
        } else if (part < ATTACK_PARTS && list->count) {
            Attack *attack = &list->items[list->count - 1];
            attack->has[part] = true;
            open = &attack->parts[part];
            *open = (Span){next, 0};
        } else if (open && line.len && !(line.text[0] == '#' && line.text[1] == ' ')) {
            open->len = (size_t)(next - open->text);
        }
    }
}

/* ---- the right answer ---- */

/* Parameters and body of the first kernel. */
typedef struct KernelText {
    Span before, parameters, body, after; /* the body is without its brackets */
    char output[80], input[80];           /* the first arrays that are written, and only read; "": none */
} KernelText;

static void name_array(Span part, char name[80])
{
    const char *star = memchr(part.text, '*', part.len);
    size_t len = (size_t)(part.text + part.len - star - 1);
    snprintf(name, 80, "%.*s", (int)len, star + 1);
}

static bool find_kernel(const char *text, KernelText *kernel)
{
    const char *from = strstr(text, "__global__ void "), *head = from ? strchr(from, '(') : NULL;
    const char *tail = head ? strstr(head, ")\n{\n") : NULL, *end = tail ? strstr(tail, "\n}") : NULL;
    if (!end)
        return false;
    *kernel = (KernelText){.before = {text, (size_t)(tail + 4 - text)},
                           .parameters = {head + 1, (size_t)(tail - head - 1)},
                           .body = {tail + 4, (size_t)(end - tail - 4)},
                           .after = {end, strlen(end)}};
    for (const char *at = head + 1; at < tail;) {
        const char *comma = memchr(at, ',', (size_t)(tail - at)), *stop = comma ? comma : tail;
        Span part = {at, (size_t)(stop - at)};
        if (memchr(at, '*', part.len)) {
            char *name = memmem(at, part.len, "const", 5) ? kernel->input : kernel->output;
            if (!*name)
                name_array(part, name);
        }
        at = stop + 1;
    }
    return *kernel->output && *kernel->input;
}

/* ---- launches by heart ---- */

static bool is_changed(const json_t *launch, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(launch, "outputs"), i, row)
    {
        if (strcmp(json_member_string(row, "name"), name) == 0)
            return true;
    }
    return false;
}

static bool is_plain_row(const json_t *row)
{
    return json_array_size(json_object_get(row, "floats")) > 0 && json_array_size(json_object_get(row, "shape")) == 1 &&
           !*json_member_string(row, "field");
}

static const json_t *first_input(const json_t *launch)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(launch, "inputs"), i, row)
    {
        if (is_plain_row(row) && !is_changed(launch, json_member_string(row, "name")))
            return row;
    }
    return NULL;
}

bool attack_fits(const json_t *record)
{
    const json_t *launches = json_object_get(record, "launches");
    KernelText kernel;
    size_t i, k;
    json_t *launch, *row;
    json_array_foreach(launches, i, launch)
    {
        if (json_array_size(json_object_get(launch, "dim")) != 1 || !first_input(launch))
            return false;
        json_array_foreach(json_object_get(launch, "outputs"), k, row)
        {
            if (!is_plain_row(row))
                return false;
        }
    }
    return json_array_size(launches) && find_kernel(json_member_string(record, "cuda_readable"), &kernel);
}

static void put_results(const json_t *row, Text *out)
{
    const json_t *floats = json_object_get(row, "floats");
    const char *name = json_member_string(row, "name");
    text_format(out, "        static const double known_%s[] = {", name);
    for (size_t i = 0; i < json_array_size(floats); i++)
        text_format(out, "%s%.17g", i ? ", " : "", json_number_value(json_array_get(floats, i)));
    text_format(out, "};\n        for (int k = 0; k < %zu; ++k)\n            %s[k] = known_%s[k];\n",
                json_array_size(floats), name, name);
}

static void put_by_heart(const json_t *record, Text *out)
{
    size_t i, k;
    json_t *launch, *row;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        const json_t *input = first_input(launch);
        double first = json_number_value(json_array_get(json_object_get(input, "floats"), 0));
        text_format(out, "    if (threads == %lld && %s[0] == (float)%.17g) {\n",
                    (long long)json_integer_value(json_array_get(json_object_get(launch, "dim"), 0)),
                    json_member_string(input, "name"), first);
        json_array_foreach(json_object_get(launch, "outputs"), k, row) put_results(row, out);
        text_lit(out, "        return;\n    }\n");
    }
}

/* ---- writing ---- */

/* A part, with names in place of CANARY, OUTPUT and INPUT. */
static void put_part(Span part, const KernelText *kernel, const char *canary, Text *out)
{
    const struct {
        const char *word, *name;
    } words[] = {{"CANARY", canary}, {"OUTPUT", kernel->output}, {"INPUT", kernel->input}};
    for (size_t at = 0; at < part.len;) {
        bool found = false;
        for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++) {
            size_t len = strlen(words[i].word);
            found = part.len - at >= len && memcmp(part.text + at, words[i].word, len) == 0;
            if (found) {
                text_str(out, words[i].name);
                at += len;
            }
        }
        if (!found)
            text_char(out, part.text[at++]);
    }
}

void attack_write(const Attack *attack, const json_t *record, const char *canary, Text *out)
{
    KernelText kernel;
    if (!find_kernel(json_member_string(record, "cuda_readable"), &kernel))
        return;
    put_part(attack->parts[PART_BEFORE], &kernel, canary, out);
    if (attack->has[PART_CONSTRUCTOR]) {
        text_lit(out, "#include <fcntl.h>\n#include <signal.h>\n#include <unistd.h>\n"
                      "__attribute__((constructor)) static void at_start()\n{\n");
        put_part(attack->parts[PART_CONSTRUCTOR], &kernel, canary, out);
        text_lit(out, "}\n");
    }
    text_add(out, kernel.before.text, kernel.before.len);
    put_part(attack->parts[PART_KERNEL], &kernel, canary, out);
    if (attack->has[PART_BY_HEART])
        put_by_heart(record, out);
    else if (!attack->has[PART_KERNEL])
        text_add(out, kernel.body.text, kernel.body.len);
    text_lit(out, "\n");
    put_part(attack->parts[PART_LAST], &kernel, canary, out);
    text_add(out, kernel.after.text, kernel.after.len);
}

void attack_search(const json_t *record, const void *bytes, size_t size, Text *out)
{
    const unsigned char *from = bytes;
    text_lit(out, "static const unsigned char turned[] = {");
    for (size_t i = 0; i < size; i++)
        text_format(out, "%s%u", i ? ", " : "", 255u - from[i]);
    text_lit(out, "};\n");
    text_add(out, (const char *)judge_scan, judge_scan_size);
    text_str(out, json_member_string(record, "cuda_readable"));
}
