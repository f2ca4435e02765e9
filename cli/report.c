#include "report.h"
#include "files.h"
#include "terminal.h"

#include <string.h>

void print_refusal(FILE *out, const char *path, const WeftError *error)
{
    /* error->shown begins with the place and the message, and ends with the hint; between them is the source, as it is. */
    char place[1100];
    int length = snprintf(place, sizeof place, "%s:%u:%u: ", path, error->line, error->column);
    size_t head = (size_t)length + strlen("error: ") + strlen(error->message) + 1;
    size_t hint = error->hint ? strlen("    hint: \n") + strlen(error->hint) : 0, all = strlen(error->shown);
    if (length >= (int)sizeof place || head + hint > all || strncmp(place, error->shown, (size_t)length) != 0) {
        tell_text(out, error->shown, all);
        return;
    }
    tell(out, "%s%s%s%serror:%s %s%s%s\n", style_begin(out, STYLE_BOLD), place, style_end(out, STYLE_BOLD),
         style_begin(out, STYLE_BAD), style_end(out, STYLE_BAD), style_begin(out, STYLE_BOLD), error->message,
         style_end(out, STYLE_BOLD));
    fwrite(error->shown + head, 1, all - head - hint, out);
    if (error->hint)
        tell(out, "    %shint:%s %s\n", style_begin(out, STYLE_NOTE), style_end(out, STYLE_NOTE), error->hint);
}

void print_refusal_record(FILE *out, const char *path, const WeftError *error)
{
    Text text = {0};
    write_refusal_json(path, error, &text);
    put_json_line(&text, out);
}

void print_reasons(Tallies *reasons)
{
    Text text = {0};
    if (!reasons->count)
        return;
    text_lit(&text, "refused, by reason:\n");
    tally_lines(reasons, &text);
    tell(stderr, "%s", text_cstr(&text));
    text_free(&text);
}
