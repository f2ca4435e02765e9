#include "terminal.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static _Thread_local struct {
    FILE *file, *real;
} gathered[2];

void gather_for(FILE *out, FILE *real_out, FILE *err, FILE *real_err)
{
    gathered[0].file = out;
    gathered[0].real = real_out;
    gathered[1].file = err;
    gathered[1].real = real_err;
}

static int number_of(FILE *out)
{
    for (int i = 0; i < 2; i++)
        if (out == gathered[i].file)
            return fileno(gathered[i].real);
    return fileno(out);
}

unsigned terminal_width(FILE *out)
{
    struct winsize size;
    if (!isatty(number_of(out)))
        return 0;
    if (ioctl(number_of(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    return width > 0 && width < 10000 ? (unsigned)width : PLAIN_WIDTH;
}

/* May text to `out` have colours? Not where NO_COLOR is set, nor on a dumb terminal. */
static bool terminal_colours(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(number_of(out)) && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
}

static const char *const sequences[] = {"", "\033[1m", "\033[32m", "\033[1;31m", "\033[36m"};
static const char end_of_style[] = "\033[0m";

const char *style_begin(FILE *out, Style style)
{
    return style != STYLE_PLAIN && terminal_colours(out) ? sequences[style] : "";
}

const char *style_end(FILE *out, Style style)
{
    return style != STYLE_PLAIN && terminal_colours(out) ? end_of_style : "";
}

static bool begins_with(const char *text, size_t length, const char *word)
{
    size_t len = strlen(word);
    return len <= length && memcmp(text, word, len) == 0;
}

/* Length of a sequence that style_begin or style_end gave; 0: there is none here. */
static size_t style_length(FILE *out, const char *text, size_t length)
{
    if (*text != '\033' || !terminal_colours(out))
        return 0;
    for (size_t i = STYLE_BOLD; i < sizeof sequences / sizeof *sequences; i++)
        if (begins_with(text, length, sequences[i]))
            return strlen(sequences[i]);
    return begins_with(text, length, end_of_style) ? strlen(end_of_style) : 0;
}

/* Bytes of a character that may steer a terminal, as names of files may have it; 0: it is none. */
static size_t control_length(const char *text, size_t length)
{
    unsigned char c = (unsigned char)*text;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
        return 1;
    return c == 0xc2 && length > 1 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0 ? 2 : 0;
}

/* The text with `\x1b` and the like for what may steer a terminal; empty: there is nothing of that in it. */
static void escape_controls(FILE *out, const char *text, size_t length, Text *escaped)
{
    bool found = false;
    for (size_t i = 0; i < length && !found; i++)
        found = control_length(text + i, length - i);
    for (size_t i = 0, control; found && i < length; i += control ? control : 1) {
        size_t style = style_length(out, text + i, length - i);
        control = style ? style : control_length(text + i, length - i);
        if (style || !control)
            text_add(escaped, text + i, style ? style : 1);
        else
            text_format(escaped, control == 1 ? "\\x%02x" : "\\u%04x", (unsigned char)text[i + control - 1]);
    }
}

/* Columns that a piece of UTF-8 takes; escape sequences take none. */
static unsigned columns_of(const char *text, size_t length)
{
    unsigned columns = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033')
            while (i < length && text[i] != 'm')
                i++;
        else
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return columns;
}

void put_paragraph(FILE *out, const char *text, size_t length, unsigned width, unsigned at, unsigned indent)
{
    bool fresh = true; /* nothing of the text stands in this line yet */
    for (size_t i = 0; i < length;) {
        size_t spaces = 0, word = 0;
        while (i + spaces < length && text[i + spaces] == ' ')
            spaces++;
        while (i + spaces + word < length && text[i + spaces + word] != ' ')
            word++;
        if (!word)
            break;
        unsigned columns = columns_of(text + i + spaces, word);
        if (!fresh && at + spaces + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else {
            fprintf(out, "%*s", (int)spaces, "");
            at += (unsigned)spaces;
        }
        fwrite(text + i + spaces, 1, word, out);
        at += columns;
        fresh = false;
        i += spaces + word;
    }
    fputc('\n', out);
}

static void put_lines(FILE *out, const char *text, size_t length)
{
    unsigned width = terminal_width(out);
    for (size_t i = 0, end; i < length; i = end + 1) {
        const char *newline = memchr(text + i, '\n', length - i);
        end = newline ? (size_t)(newline - text) : length;
        unsigned indent = 0;
        while (i + indent < end && text[i + indent] == ' ')
            indent++;
        if (width && columns_of(text + i, end - i) > width)
            put_paragraph(out, text + i, end - i, width, 0, indent + 2 < width / 2 ? indent + 2 : 2);
        else {
            fwrite(text + i, 1, end - i, out);
            if (newline)
                fputc('\n', out);
        }
    }
}

void tell_text(FILE *out, const char *text, size_t length)
{
    Text escaped;
    text_init(&escaped);
    escape_controls(out, text, length, &escaped);
    if (!escaped.failed)
        put_lines(out, escaped.len ? escaped.data : text, escaped.len ? escaped.len : length);
    text_free(&escaped);
}

void tell(FILE *out, const char *format, ...)
{
    char buffer[2000], *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    if (length >= (int)sizeof buffer && (text = malloc((size_t)length + 1))) {
        va_start(args, format);
        vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    if (length > 0)
        tell_text(out, text ? text : buffer, text || length < (int)sizeof buffer ? (size_t)length : sizeof buffer - 1);
    free(text);
}
