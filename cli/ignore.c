#include "ignore.h"
#include "files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ignore_read(IgnoreRules *rules, const char *folder, const IgnoreRules *above)
{
    size_t length = strlen(folder);
    bool is_root = length && folder[length - 1] == '/';
    char *path = NULL;
    *rules = (IgnoreRules){.above = above, .folder_length = length + !is_root};
    if (asprintf(&path, "%s%s.gitignore", folder, is_root ? "" : "/") < 0)
        return;
    rules->text = read_regular(path, O_NOFOLLOW, &rules->length);
    free(path);
}

void ignore_free(IgnoreRules *rules)
{
    free(rules->text);
    rules->text = NULL;
}

/* ---- one pattern ---- */

typedef struct Span {
    const char *at, *end;
} Span;

/* [a-z], [!a-z]: `pattern` stands behind the bracket, and afterwards behind the closing one. Without one, nothing matches. */
static bool class_matches(Span *pattern, char wanted)
{
    bool negated = pattern->at < pattern->end && (*pattern->at == '!' || *pattern->at == '^'), found = false;
    pattern->at += negated;
    for (bool first = true; pattern->at < pattern->end; first = false) {
        unsigned char low = (unsigned char)*pattern->at++, high = low, c = (unsigned char)wanted;
        if (low == ']' && !first)
            return found != negated;
        if (low == '\\' && pattern->at < pattern->end)
            low = high = (unsigned char)*pattern->at++;
        if (pattern->end - pattern->at >= 2 && pattern->at[0] == '-' && pattern->at[1] != ']') {
            high = (unsigned char)pattern->at[1];
            pattern->at += 2;
        }
        found |= low <= c && c <= high;
    }
    return false;
}

/* One character of the pattern but `*`, against one of the name. */
static bool step_matches(Span *pattern, char wanted)
{
    char c = *pattern->at++;
    if (c == '?')
        return true;
    if (c == '[')
        return class_matches(pattern, wanted);
    if (c == '\\' && pattern->at < pattern->end)
        c = *pattern->at++;
    return c == wanted;
}

/* A name without slashes. Only the last `*` is ever tried again, so that the time is bounded by the product of the lengths. */
static bool name_matches(Span pattern, Span name)
{
    Span star = {0}, star_name = {0};
    while (name.at < name.end) {
        if (pattern.at < pattern.end && *pattern.at == '*') {
            pattern.at++;
            star = pattern;
            star_name = name;
            continue;
        }
        Span rest = pattern;
        if (rest.at < rest.end && step_matches(&rest, *name.at)) {
            pattern = rest;
            name.at++;
            continue;
        }
        if (!star.at)
            return false;
        pattern = star;
        star_name.at++;
        name = star_name;
    }
    while (pattern.at < pattern.end && *pattern.at == '*')
        pattern.at++;
    return pattern.at == pattern.end;
}

/* The part up to the next slash; `rest` goes behind it. */
static Span next_part(Span *rest)
{
    const char *slash = memchr(rest->at, '/', (size_t)(rest->end - rest->at));
    Span part = {rest->at, slash ? slash : rest->end};
    rest->at = slash ? slash + 1 : rest->end;
    return part;
}

static bool is_any_depth(Span part)
{
    return part.end - part.at == 2 && part.at[0] == '*' && part.at[1] == '*';
}

/* Part by part, in the same way: `**` stands for any number of parts, at the end for one at least. */
static bool path_matches(Span pattern, Span path)
{
    Span deep = {0}, deep_path = {0};
    while (path.at < path.end) {
        Span after = pattern, rest = path;
        Span part = after.at < after.end ? next_part(&after) : (Span){0};
        Span name = next_part(&rest);
        if (part.at && is_any_depth(part)) {
            if (after.at == after.end)
                return true;
            pattern = deep = after;
            deep_path = path;
        } else if (part.at && name_matches(part, name)) {
            pattern = after;
            path = rest;
        } else if (deep.at) {
            next_part(&deep_path);
            pattern = deep;
            path = deep_path;
        } else
            return false;
    }
    return pattern.at == pattern.end;
}

/* ---- one line, and all ---- */

/* Without the end of the line and spaces at the end that are not quoted. */
static Span trim(const char *line, size_t length)
{
    Span span = {line, line + length};
    if (span.end > span.at && span.end[-1] == '\r')
        span.end--;
    while (span.end > span.at && span.end[-1] == ' ' && !(span.end - span.at > 1 && span.end[-2] == '\\'))
        span.end--;
    return span;
}

static bool line_matches(const char *line, size_t length, const char *path, bool is_folder)
{
    Span pattern = trim(line, length);
    if (pattern.at == pattern.end || *pattern.at == '#')
        return false;
    pattern.at += *pattern.at == '!';
    bool folders_only = pattern.end > pattern.at && pattern.end[-1] == '/';
    pattern.end -= folders_only;
    if (pattern.at == pattern.end || (folders_only && !is_folder))
        return false;
    Span whole = {path, path + strlen(path)};
    if (memchr(pattern.at, '/', (size_t)(pattern.end - pattern.at))) {
        pattern.at += *pattern.at == '/';
        return path_matches(pattern, whole);
    }
    const char *slash = strrchr(path, '/');
    return name_matches(pattern, (Span){slash ? slash + 1 : path, whole.end});
}

bool is_ignored(const IgnoreRules *rules, const char *path, bool is_folder)
{
    for (; rules; rules = rules->above) {
        bool found = false, ignored = false;
        for (size_t at = 0; rules->text && at < rules->length;) {
            const char *line = rules->text + at, *end = memchr(line, '\n', rules->length - at);
            size_t length = end ? (size_t)(end - line) : rules->length - at;
            if (line_matches(line, length, path + rules->folder_length, is_folder)) {
                found = true;
                ignored = *line != '!';
            }
            at += length + 1;
        }
        if (found)
            return ignored;
    }
    return false;
}
