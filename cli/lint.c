#include "lint.h"
#include "files.h"
#include "terminal.h"
#include "weft.h"

#include "base/json.h"
#include "base/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool lint_open(Lint *lint, const char *sarif, const char *baseline)
{
    *lint = (Lint){.sarif = sarif, .baseline = baseline};
    if (baseline)
        lint->listed = read_regular(baseline, 0, &lint->listed_length);
    if (!baseline || lint->listed || access(baseline, F_OK) != 0)
        return true;
    tell(stderr,
         "weft check: cannot read the baseline %s: it takes a regular file of at most 64 MiB that may be read\n",
         baseline);
    return false;
}

/* ---- what is known ---- */

static const Source *source_of(const Code *code)
{
    return code->scope->file->source;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

/* The names of a list "[a, b]", one after the other: `at` goes behind the one that is given. */
static bool next_name(const char **at, const char *end, const char **name, size_t *length)
{
    if (*at >= end || (**at != '[' && **at != ','))
        return false;
    *name = *at = skip_blanks(*at + 1, end);
    while (*at < end && !strchr(",] \n", **at))
        ++*at;
    *length = (size_t)(*at - *name);
    *at = skip_blanks(*at, end);
    return true;
}

static bool is_named(const char *name, size_t length, const char *pattern)
{
    return strlen(pattern) == length && memcmp(name, pattern, length) == 0;
}

static bool is_in_list(const char *at, const char *end, const char *pattern)
{
    const char *name;
    size_t length;
    while (next_name(&at, end, &name, &length))
        if (is_named(name, length, pattern))
            return true;
    return false;
}

/* Behind the next comment of ours; NULL: there is none. */
static const char *next_comment(const char *at, const char *end)
{
    static const char mark[] = "# weft: ignore";
    at = at < end ? memmem(at, (size_t)(end - at), mark, sizeof mark - 1) : NULL;
    return at ? at + sizeof mark - 1 : NULL;
}

/* Does a comment between two places of a text name the pattern, or none and so all of them? */
static bool is_ignored_between(const Source *source, size_t from, size_t to, const char *pattern)
{
    const char *at = source->text + from, *end = source->text + to;
    while ((at = next_comment(at, end))) {
        bool names_some = at < end && *at == '[', is_other_word = at < end && isalnum((unsigned char)*at);
        if (names_some ? is_in_list(at, end, pattern) : !is_other_word)
            return true;
    }
    return false;
}

/* In the line of the finding, or from the first decorator to the first statement of the kernel. */
static bool has_comment(const LintFinding *finding, const char *pattern)
{
    const Code *kernel = finding->module->kernel->code;
    const Source *source = source_of(finding->place.code);
    SourcePosition at = source_position(source, finding->place.offset);
    return is_ignored_between(source, at.line_start, at.line_end, pattern) ||
           is_ignored_between(source_of(kernel), kernel->source_start, kernel->def->function.body.items[0]->start,
                              pattern);
}

static bool is_listed(const Lint *lint, const Text *entry)
{
    for (size_t at = 0; lint->listed && at < lint->listed_length;) {
        const char *line = lint->listed + at, *end = memchr(line, '\n', lint->listed_length - at);
        size_t length = end ? (size_t)(end - line) : lint->listed_length - at;
        if (length == entry->len && memcmp(line, entry->data, length) == 0)
            return true;
        at += length + 1;
    }
    return false;
}

static Known find_known(const Lint *lint, LintNotes *notes, const LintFinding *finding, const char *pattern)
{
    const Code *kernel = finding->module->kernel->code;
    if (has_comment(finding, pattern))
        return KNOWN_BY_COMMENT;
    if (!lint->baseline)
        return KNOWN_NOT;
    Text entry;
    text_init_in(&entry, finding->module->unit->building);
    text_format(&entry, "%s: %s [%s]", source_of(kernel)->path, finding->module->kernel->kernel->key->text, pattern);
    if (is_listed(lint, &entry))
        return KNOWN_BY_BASELINE;
    if (lint->listed)
        return KNOWN_NOT;
    text_add(&notes->entries, entry.data, entry.len);
    text_char(&notes->entries, '\n');
    notes->entry_count++;
    return KNOWN_BY_BASELINE;
}

/* ---- SARIF ---- */

/* A path as a reference of RFC 3986. */
static void add_uri(JsonWriter *json, const char *path)
{
    Text uri = {0};
    if (path[0] == '/')
        text_lit(&uri, "file://");
    for (; *path; path++) {
        if (isalnum((unsigned char)*path) || strchr("/._-~", *path))
            text_char(&uri, *path);
        else
            text_format(&uri, "%%%02X", (unsigned char)*path);
    }
    json_add_string_n(json, "uri", uri.data, uri.len);
    text_free(&uri);
}

/* The next of a list. */
static void begin_item(Text *list)
{
    if (list->len)
        text_lit(list, ",\n");
}

static void add_location(JsonWriter *json, const char *path, uint32_t line, uint32_t column)
{
    json_open(json, "locations", '[');
    json_open(json, NULL, '{');
    json_open(json, "physicalLocation", '{');
    json_open(json, "artifactLocation", '{');
    add_uri(json, path);
    json_close(json, '}');
    json_open(json, "region", '{');
    json_add_uint(json, "startLine", line);
    json_add_uint(json, "startColumn", column);
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, ']');
}

/* Rules are the patterns, and this one behind them. */
static const PatternText branch_rule = {"branch-never-taken",
                                        "no launch that weft tried takes this branch: its gradient was not checked",
                                        "say with --set, --range, --shape or --dim how the kernel is launched"};

static PatternText rule_text(Pattern rule)
{
    return rule == PATTERN_COUNT ? branch_rule : pattern_text(rule);
}

static void add_result(LintNotes *notes, const LintFinding *finding, Known known)
{
    const Source *source = source_of(finding->place.code);
    SourcePosition at = source_position(source, finding->place.offset);
    begin_item(&notes->results);
    JsonWriter json = {.out = &notes->results};
    json_open(&json, NULL, '{');
    json_add_string(&json, "ruleId", rule_text(finding->place.pattern).name);
    json_add_uint(&json, "ruleIndex", finding->place.pattern);
    json_add_string(&json, "level", finding->place.pattern == PATTERN_COUNT ? "note" : "warning");
    json_open(&json, "message", '{');
    json_add_string(&json, "text", finding->message);
    json_close(&json, '}');
    add_location(&json, source->path, at.line, at.column);
    json_open(&json, "partialFingerprints", '{');
    json_add_string(&json, "kernel/v1", finding->module->kernel->kernel->key->text);
    json_close(&json, '}');
    if (known != KNOWN_NOT) {
        json_open(&json, "suppressions", '[');
        json_open(&json, NULL, '{');
        json_add_string(&json, "kind", known == KNOWN_BY_COMMENT ? "inSource" : "external");
        json_close(&json, '}');
        json_close(&json, ']');
    }
    json_close(&json, '}');
}

void lint_notice(const Lint *lint, LintNotes *notes, const LintNotice *notice)
{
    notes->incomplete |= !notice->is_warning;
    if (!lint->sarif)
        return;
    begin_item(&notes->notices);
    JsonWriter json = {.out = &notes->notices};
    json_open(&json, NULL, '{');
    json_add_string(&json, "level", notice->is_warning ? "warning" : "error");
    json_open(&json, "message", '{');
    json_add_string(&json, "text", notice->message);
    json_close(&json, '}');
    if (notice->path)
        add_location(&json, notice->path, notice->line ? notice->line : 1, notice->column ? notice->column : 1);
    json_close(&json, '}');
}

/* How the run went, with what is to be known about it. */
static void add_invocation(JsonWriter *json, const LintNotes *notes, bool complete)
{
    json_open(json, "invocations", '[');
    json_open(json, NULL, '{');
    json_add_bool(json, "executionSuccessful", complete && !notes->incomplete);
    json_open(json, "toolExecutionNotifications", '[');
    if (notes->notices.len)
        json_add_verbatim(json, NULL, notes->notices.data, notes->notices.len);
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
}

static void add_rules(JsonWriter *json)
{
    json_open(json, "rules", '[');
    for (Pattern i = 0; i <= PATTERN_COUNT; i++) {
        PatternText text = rule_text(i);
        json_open(json, NULL, '{');
        json_add_string(json, "id", text.name);
        json_open(json, "shortDescription", '{');
        json_add_string(json, "text", text.why);
        json_close(json, '}');
        json_open(json, "help", '{');
        json_add_string(json, "text", text.rewrite);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_log(const LintNotes *notes, bool complete, Text *out)
{
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    json_add_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_add_string(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    json_open(&json, "tool", '{');
    json_open(&json, "driver", '{');
    json_add_string(&json, "name", "weft");
    json_add_string(&json, "version", weft_version());
    add_rules(&json);
    json_close(&json, '}');
    json_close(&json, '}');
    json_add_string(&json, "columnKind", "unicodeCodePoints");
    add_invocation(&json, notes, complete);
    json_open(&json, "results", '[');
    if (notes->results.len)
        json_add_verbatim(&json, NULL, notes->results.data, notes->results.len);
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    text_char(out, '\n');
}

/* ---- comments that say nothing ---- */

static void warn_of_name(const Lint *lint, LintNotes *notes, const Source *source, const char *name, size_t length,
                         FILE *err)
{
    char near_text[100], message[300];
    Suggestion near = suggestion_for(name, length);
    for (Pattern i = 0; i < PATTERN_COUNT; i++) {
        const char *known = pattern_text(i).name;
        if (is_named(name, length, known))
            return;
        suggestion_offer(&near, known, strlen(known));
    }
    SourcePosition at = source_position(source, (uint32_t)(name - source->text));
    snprintf(message, sizeof message, "there is no pattern '%.*s' to ignore%s", length < 100 ? (int)length : 100, name,
             suggestion_text(&near, "", near_text, sizeof near_text));
    tell(err, "%s:%u:%u: warning: %s\n", source->path, at.line, at.column, message);
    lint_notice(lint, notes, &(LintNotice){source->path, message, at.line, at.column, true});
}

/* "# Weft:ignroe": is it meant to be a comment of ours? It counts only as it is written above. `word` becomes what stands for "ignore". */
static bool is_misspelt(const char *at, const char *end, const char **word, size_t *length)
{
    static const char name[] = "weft", mark[] = "# weft: ignore";
    const char *start = at;
    at = skip_blanks(at + 1, end);
    if ((size_t)(end - at) < sizeof name || strncasecmp(at, name, sizeof name - 1) != 0)
        return false;
    at = skip_blanks(at + sizeof name - 1, end);
    if (at == end || *at != ':')
        return false;
    *word = at = skip_blanks(at + 1, end);
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    *length = (size_t)(at - *word);
    if (*length == 6 && strncasecmp(*word, "ignore", 6) == 0)
        return (size_t)(end - start) < sizeof mark - 1 || memcmp(start, mark, sizeof mark - 1) != 0;
    Suggestion near = suggestion_for(*word, *length);
    suggestion_offer(&near, "ignore", 6);
    return near.best != NULL;
}

/* Up to the end of a line. */
static void warn_of_misspelt(const Lint *lint, LintNotes *notes, const Source *source, const char *at, const char *end,
                             FILE *err)
{
    static const char message[] = "this comment has no effect: a known finding is '# weft: ignore[PATTERN]'";
    const char *word;
    size_t length;
    if (!is_misspelt(at, end, &word, &length))
        return;
    SourcePosition place = source_position(source, (uint32_t)(at - source->text));
    tell(err, "%s:%u:%u: warning: %s\n", source->path, place.line, place.column, message);
    lint_notice(lint, notes, &(LintNotice){source->path, message, place.line, place.column, true});
}

void lint_comments(const Lint *lint, LintNotes *notes, const Source *source, FILE *err)
{
    const char *at = source->text, *end = source->text + source->len, *name;
    size_t length;
    while ((at = next_comment(at, end)))
        while (next_name(&at, end, &name, &length))
            warn_of_name(lint, notes, source, name, length, err);
    for (at = source->text; at < end && (at = memchr(at, '#', (size_t)(end - at))); at++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        warn_of_misspelt(lint, notes, source, at, line_end ? line_end : end, err);
    }
}

/* ---- all of it ---- */

Known lint_add(const Lint *lint, LintNotes *notes, const LintFinding *finding)
{
    Known known = find_known(lint, notes, finding, pattern_text(finding->place.pattern).name);
    if (lint->sarif)
        add_result(notes, finding, known);
    return known;
}

void lint_add_branch(const Lint *lint, LintNotes *notes, const IrModule *module, const Code *code, uint32_t offset,
                     const char *message)
{
    if (lint->sarif)
        add_result(notes, &(LintFinding){module, {PATTERN_COUNT, code, offset}, message}, KNOWN_NOT);
}

void lint_join(LintNotes *notes, const LintNotes *more)
{
    if (more->entries.failed || more->results.failed || more->notices.failed)
        end_without_memory();
    if (more->entry_count)
        text_add(&notes->entries, more->entries.data, more->entries.len);
    notes->entry_count += more->entry_count;
    if (more->results.len) {
        begin_item(&notes->results);
        text_add(&notes->results, more->results.data, more->results.len);
    }
    if (more->notices.len) {
        begin_item(&notes->notices);
        text_add(&notes->notices, more->notices.data, more->notices.len);
    }
    notes->incomplete |= more->incomplete;
}

void lint_notes_free(LintNotes *notes)
{
    text_free(&notes->entries);
    text_free(&notes->results);
    text_free(&notes->notices);
}

static bool write_text(const char *path, const Text *text)
{
    Output output;
    if (!open_output(&output, path))
        return false;
    put_text(text, output.file);
    return close_output(&output);
}

bool lint_close(Lint *lint, const LintNotes *notes, bool complete)
{
    bool done = true;
    if (lint->baseline && !lint->listed) {
        done = write_text(lint->baseline, &notes->entries);
        if (done)
            tell(stderr, "weft check: wrote the baseline %s (%u finding%s)\n", lint->baseline, notes->entry_count,
                 notes->entry_count == 1 ? "" : "s");
    }
    if (lint->sarif) {
        Text log = {0};
        add_log(notes, complete, &log);
        done &= write_text(lint->sarif, &log);
        text_free(&log);
    }
    free(lint->listed);
    return done;
}
