#include "terminal.h"

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

const char *style_begin(FILE *out, Style style)
{
    static const char *const sequences[] = {"", "\033[1m", "\033[32m", "\033[1;31m", "\033[36m"};
    return style != STYLE_PLAIN && terminal_colours(out) ? sequences[style] : "";
}

const char *style_end(FILE *out, Style style)
{
    return style != STYLE_PLAIN && terminal_colours(out) ? "\033[0m" : "";
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

void tell_text(FILE *out, const char *text, size_t length)
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
