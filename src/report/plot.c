/* Figures of a data set as SVG: bars with their numbers, coloured by the page's style sheet. */
#include "report/overview.h"

#include <math.h>
#include <string.h>

void text_html(Text *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        switch (text[i]) {
        case '&': text_lit(out, "&amp;"); break;
        case '<': text_lit(out, "&lt;"); break;
        case '>': text_lit(out, "&gt;"); break;
        case '"': text_lit(out, "&quot;"); break;
        case '\'': text_lit(out, "&#39;"); break;
        default: text_char(out, text[i]); break;
        }
}

static void put_html(Text *out, const char *text)
{
    text_html(out, text, strlen(text));
}

static const char *percent(double part, double whole, char room[24])
{
    snprintf(room, 24, "%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
    return room;
}

/* ---- horizontal bars ---- */

enum { MOST_PARTS = 3, ROW = 22, LABEL = 200, BARS = 300, WIDTH = 620 };

typedef struct BarRow {
    const char *label;
    double parts[MOST_PARTS]; /* one behind the other */
    const char *text;         /* behind the bar */
} BarRow;

typedef struct BarPlot {
    const char *title, *about;
    const char *classes[MOST_PARTS], *names[MOST_PARTS]; /* of the parts; NULL: no more */
    double most;                                         /* what the whole width stands for */
} BarPlot;

static void open_figure(Text *out, const char *title, const char *about, unsigned height)
{
    text_lit(out, "<figure><figcaption><h3>");
    put_html(out, title);
    text_lit(out, "</h3><p>");
    put_html(out, about);
    text_format(out, "</p></figcaption><svg viewBox=\"0 0 %d %u\" role=\"img\" aria-label=\"", WIDTH, height);
    put_html(out, title);
    text_lit(out, "\">\n");
}

static void put_legend(const BarPlot *plot, Text *out)
{
    if (!plot->names[0])
        return;
    text_lit(out, "<p class=\"legend\">");
    for (int i = 0; i < MOST_PARTS && plot->names[i]; i++) {
        text_format(out, "<span class=\"%s\">", plot->classes[i]);
        put_html(out, plot->names[i]);
        text_lit(out, "</span> ");
    }
    text_lit(out, "</p>");
}

static void put_bar_row(const BarPlot *plot, const BarRow *row, unsigned y, Text *out)
{
    double x = LABEL;
    text_format(out, "<text x=\"%d\" y=\"%u\" class=\"label\">", LABEL - 10, y + 15);
    put_html(out, row->label);
    text_lit(out, "</text>");
    for (int i = 0; i < MOST_PARTS && plot->classes[i]; i++) {
        double width = plot->most > 0 ? row->parts[i] / plot->most * BARS : 0;
        if (width > 0)
            text_format(out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>", x, y + 3, width,
                        ROW - 6, plot->classes[i]);
        x += width;
    }
    text_format(out, "<text x=\"%.1f\" y=\"%u\" class=\"number\">", x + 8, y + 15);
    put_html(out, row->text);
    text_lit(out, "</text>\n");
}

static void put_bars(const BarPlot *plot, const BarRow *rows, unsigned count, Text *out)
{
    open_figure(out, plot->title, plot->about, count * ROW + 4);
    for (unsigned i = 0; i < count; i++)
        put_bar_row(plot, &rows[i], i * ROW, out);
    text_lit(out, "</svg>");
    put_legend(plot, out);
    text_lit(out, "</figure>\n");
}

static void plot_categories(const Overview *overview, Text *out)
{
    enum { ROWS = CATEGORY_COUNT + 1 };
    double counts[ROWS][ROW_GRADIENTS] = {{0}};
    BarRow rows[ROWS];
    char texts[ROWS][24], names[ROWS][32];
    BarPlot plot = {"Categories",
                    "Kernels by category, and what was found out about Warp's gradient of them.",
                    {"right", "wrong", "other"},
                    {"gradient right", "wrong", "none, or not checked"},
                    1};
    unsigned count = 0;
    for (size_t i = 0; i < overview->count; i++)
        counts[overview->rows[i].category][overview->rows[i].gradient]++;
    for (int i = 0; i < ROWS; i++) {
        double none = counts[i][GRADIENT_NONE] + counts[i][ROW_UNCHECKED], pass = counts[i][GRADIENT_PASS],
               wrong = counts[i][GRADIENT_MISMATCH];
        if (none + pass + wrong == 0)
            continue;
        snprintf(texts[count], sizeof texts[count], "%.0f", none + pass + wrong);
        snprintf(names[count], sizeof names[count], "%s", i < CATEGORY_COUNT ? category_name((CategoryId)i) : "other");
        for (char *c = names[count]; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        plot.most = fmax(plot.most, none + pass + wrong);
        rows[count] = (BarRow){names[count], {pass, wrong, none}, texts[count]};
        count++;
    }
    put_bars(&plot, rows, count, out);
}

static void plot_builtins(const Overview *overview, Text *out)
{
    double kernels = (double)overview->count, most = 0;
    open_figure(out, "Builtins",
                "Share of the kernels that call them: in this set, and in 2,315 kernels of real projects.",
                BUILTIN_COUNT * ROW + 4);
    for (int i = 0; i < BUILTIN_COUNT; i++)
        most = fmax(most, fmax(real_builtins[i].share, kernels > 0 ? (double)overview->builtins[i] / kernels : 0));
    for (int i = 0; i < BUILTIN_COUNT; i++) {
        double here = kernels > 0 ? (double)overview->builtins[i] / kernels : 0, real = real_builtins[i].share;
        unsigned y = (unsigned)i * ROW;
        text_format(out, "<text x=\"%d\" y=\"%u\" class=\"label\">wp.%s</text>", LABEL - 10, y + 15,
                    real_builtins[i].name);
        text_format(out, "<rect x=\"%d\" y=\"%u\" width=\"%.1f\" height=\"8\" class=\"here\"/>", LABEL, y + 3,
                    here / most * BARS);
        text_format(out, "<rect x=\"%d\" y=\"%u\" width=\"%.1f\" height=\"6\" class=\"real\"/>", LABEL, y + 12,
                    real / most * BARS);
        text_format(out, "<text x=\"%.1f\" y=\"%u\" class=\"number\">%.1f %% · %.1f %%</text>\n",
                    LABEL + fmax(here, real) / most * BARS + 8, y + 15, 100 * here, 100 * real);
    }
    text_lit(out, "</svg><p class=\"legend\"><span class=\"here\">this set</span> <span class=\"real\">real "
                  "kernels</span></p></figure>\n");
}

static void plot_rejected(const Overview *overview, Text *out)
{
    const Counters *counters = &overview->manifest.counters;
    BarRow rows[REASON_COUNT];
    char texts[REASON_COUNT][24];
    BarPlot plot = {"Rejected", "Candidates that did not become records, by the reason.", {"other"}, {NULL}, 1};
    unsigned count = 0;
    for (unsigned i = REASON_NONE + 1; i < REASON_COUNT; i++)
        if (counters->rejected[i]) {
            snprintf(texts[count], sizeof texts[count], "%llu", (unsigned long long)counters->rejected[i]);
            plot.most = fmax(plot.most, (double)counters->rejected[i]);
            rows[count] = (BarRow){reason_name(i), {(double)counters->rejected[i]}, texts[count]};
            count++;
        }
    if (count)
        put_bars(&plot, rows, count, out);
}

/* ---- distributions ---- */

enum { PLOT_HEIGHT = 190, BASE = 150, LEFT = 20, SPAN = 580, COLUMNS = 40 };

static unsigned quantile(const uint64_t *bins, uint64_t count, double share)
{
    uint64_t wanted = (uint64_t)((double)count * share), seen = 0;
    for (unsigned i = 0; i < SIZE_BINS; i++)
        if ((seen += bins[i]) > wanted)
            return i;
    return SIZE_BINS - 1;
}

static void put_marker(Text *out, double x, const char *class, const char *text, unsigned y)
{
    text_format(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"14\" y2=\"%d\" class=\"%s\"/>", x, x, BASE, class);
    text_format(out, "<text x=\"%.1f\" y=\"%u\" class=\"note\">%s</text>", x + 5, y, text);
}

static void plot_size(const Overview *overview, SizeKind kind, Text *out)
{
    const uint64_t *bins = overview->bins[kind];
    const RealSize *real = &real_sizes[kind];
    unsigned last = quantile(bins, overview->count, 0.99), median = quantile(bins, overview->count, 0.5);
    last = last > real->p90 ? last : real->p90;
    unsigned step = last / COLUMNS + 1, columns = last / step + 1;
    double heights[SIZE_BINS] = {0}, most = 1, width = (double)SPAN / columns;
    char title[64], about[200], text[64];
    for (unsigned i = 0; i < SIZE_BINS && i / step < columns; i++)
        heights[i / step] += (double)bins[i];
    for (unsigned i = 0; i < columns; i++)
        most = fmax(most, heights[i]);
    snprintf(title, sizeof title, "%c%s per kernel", real->title[0] - 'a' + 'A', real->title + 1);
    snprintf(about, sizeof about, "Median %u; of real kernels %u, half of them between %u and %u.", median, real->p50,
             real->p25, real->p75);
    open_figure(out, title, about, PLOT_HEIGHT);
    text_format(out, "<rect x=\"%.1f\" y=\"14\" width=\"%.1f\" height=\"%d\" class=\"band\"/>",
                LEFT + real->p25 / (double)step * width, (real->p75 - real->p25 + 1) / (double)step * width, BASE - 14);
    for (unsigned i = 0; i < columns; i++) {
        double height = heights[i] / most * (BASE - 58);
        text_format(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"here\"><title>%u",
                    LEFT + i * width + 1, BASE - height, width > 3 ? width - 2 : width, height, i * step);
        if (step > 1)
            text_format(out, " to %u", i * step + step - 1);
        text_format(out, ": %.0f</title></rect>", heights[i]);
    }
    put_marker(out, LEFT + (real->p50 + 0.5) / step * width, "median-real", "real kernels", 24);
    put_marker(out, LEFT + (median + 0.5) / step * width, "median-here", "this set", 40);
    for (unsigned i = 0; i <= 4; i++) {
        unsigned column = i * (columns - 1) / 4;
        snprintf(text, sizeof text, "%u", column * step);
        text_format(out, "<text x=\"%.1f\" y=\"%d\" class=\"tick\">%s</text>", LEFT + (column + 0.5) * width, BASE + 20,
                    text);
    }
    text_lit(out, "</svg></figure>\n");
}

/* ---- all of it ---- */

static void put_tile(Text *out, const char *number, const char *label)
{
    text_lit(out, "<div><dt>");
    put_html(out, label);
    text_lit(out, "</dt><dd>");
    put_html(out, number);
    text_lit(out, "</dd></div>");
}

static void put_tiles(const Overview *overview, Text *out)
{
    const Manifest *manifest = &overview->manifest;
    double count = (double)overview->count, verdicts[ROW_GRADIENTS] = {0};
    uint64_t bytes = 0;
    char room[32];
    for (size_t i = 0; i < overview->count; i++)
        verdicts[overview->rows[i].gradient]++;
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        bytes += manifest->shards[i].bytes;
    text_lit(out, "<dl class=\"tiles\">");
    snprintf(room, sizeof room, "%zu", overview->count);
    put_tile(out, room, "pairs");
    put_tile(out, percent((double)manifest->counters.forward_pass, count, room), "values checked");
    put_tile(out, percent(verdicts[GRADIENT_PASS], count, room), "gradient right");
    put_tile(out, percent(verdicts[GRADIENT_MISMATCH], count, room), "gradient wrong");
    put_tile(out, percent((double)manifest->counters.distinct_masked, count, room), "different, numbers masked");
    snprintf(room, sizeof room, "%.1f MB", (double)bytes / 1e6);
    put_tile(out, room, "on disk");
    snprintf(room, sizeof room, "%.1f MB", (double)manifest->counters.record_bytes / 1e6);
    put_tile(out, room, "of records");
    text_lit(out, "</dl>\n");
}

static void put_text_sizes(const Overview *overview, Text *out)
{
    text_lit(out, "<figure><figcaption><h3>Text</h3><p>How much of it there is, by "
                  "column.</p></figcaption><table><thead><tr><th scope=\"col\">column</th>"
                  "<th scope=\"col\">MB</th><th scope=\"col\">million tokens</th></tr></thead><tbody>");
    for (int i = 0; i < MEASURED_COLUMNS; i++) {
        const TextSize *size = &overview->manifest.counters.texts[i];
        if (size->bytes)
            text_format(out, "<tr><th scope=\"row\">%s</th><td>%.1f</td><td>%.2f</td></tr>", measured_columns[i],
                        (double)size->bytes / 1e6, (double)size->tokens / 1e6);
    }
    text_lit(out, "</tbody></table></figure>\n");
}

void plot_overview(const Overview *overview, Text *out)
{
    put_tiles(overview, out);
    text_lit(out, "<div class=\"plots\">\n");
    plot_categories(overview, out);
    plot_builtins(overview, out);
    for (int kind = 0; kind < SIZE_COUNT; kind++)
        plot_size(overview, (SizeKind)kind, out);
    plot_rejected(overview, out);
    put_text_sizes(overview, out);
    text_lit(out, "</div>\n");
}
