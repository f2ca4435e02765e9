/* The report as a page: style, figures, script, and the samples, or a way to ask a server for them.
 *
 * The script is web/code.js and web/report.js, as one text without modules, so that the page is one file. Its Content Security Policy allows this
 * script and this style by their hashes, and nothing else. */
#include "report/overview.h"

#include "base/json.h"
#include "base/sha256.h"

#include "report_code_css.h"
#include "report_code_js.h"
#include "report_css.h"
#include "report_js.h"

#include <stdlib.h>
#include <string.h>

/* Modules as one script: no imports, and nothing is exported. */
static void add_script(Text *out, const unsigned char *bytes)
{
    for (const char *line = (const char *)bytes, *end; *line; line = end) {
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        if (strncmp(line, "import ", 7) == 0)
            continue;
        line += strncmp(line, "export ", 7) == 0 ? 7 : 0;
        text_add(out, line, (size_t)(end - line));
    }
}

static void add_base64(Text *out, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 | (i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (i + 2 < len ? bytes[i + 2] : 0);
        text_char(out, digits[group >> 18]);
        text_char(out, digits[group >> 12 & 63]);
        text_char(out, i + 1 < len ? digits[group >> 6 & 63] : '=');
        text_char(out, i + 2 < len ? digits[group & 63] : '=');
    }
}

static void add_hash(Text *out, const Text *text)
{
    unsigned char hash[32];
    sha256(text->data, text->len, hash);
    text_lit(out, "'sha256-");
    add_base64(out, hash, sizeof hash);
    text_char(out, '\'');
}

/* JSON within a script element: no text of a record may end it. */
static void add_json(Text *out, const char *json, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (json[i] == '<')
            text_lit(out, "\\u003c");
        else
            text_char(out, json[i]);
}

static const char *base_name(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *slash = memrchr(path, '/', len);
    return slash && slash[1] ? slash + 1 : path;
}

static void add_head(const Overview *overview, const Text *style, const Text *script, bool served, Text *out)
{
    const char *name = base_name(overview->set);
    text_lit(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, "
        "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
    add_hash(out, script);
    text_lit(out, "; style-src ");
    add_hash(out, style);
    text_str(out, served ? "; connect-src 'self'" : "");
    text_lit(out, "; img-src data:; base-uri 'none'; form-action 'none'\">\n<meta name=\"referrer\" "
                  "content=\"no-referrer\">\n<title>");
    text_html(out, name, strlen(name));
    text_lit(out, " · weft report</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>");
    text_add(out, style->data, style->len);
    text_lit(out, "</style>\n</head>\n<body>\n<header><h1>");
    text_html(out, name, strlen(name));
    text_format(out,
                " <span>a data set of weft</span></h1><p>%zu pairs · Warp %s · weft %s · seed %llu</p>"
                "<button id=\"theme\" type=\"button\" aria-label=\"Switch between light and "
                "dark\">◐</button></header>\n<main>\n",
                overview->count, overview->manifest.warp_version, overview->manifest.weft_version,
                (unsigned long long)overview->manifest.options.seed);
}

static void add_browser(Text *out)
{
    text_lit(out, "<section id=\"samples\" aria-labelledby=\"samples-title\"><h2 id=\"samples-title\">Samples</h2>\n"
                  "<form id=\"filters\" role=\"search\"><label>Search <input id=\"words\" type=\"search\" "
                  "placeholder=\"name or description\"></label>"
                  "<label>Category <select id=\"category\"><option value=\"\">any</option></select></label>"
                  "<label>Gradient <select id=\"gradient\"><option "
                  "value=\"\">any</option><option>pass</option><option>mismatch</option>"
                  "<option value=\"no_gradient\">none</option>"
                  "<option value=\"unchecked\">not checked</option></select></label>"
                  "<label>Difficulty <select id=\"difficulty\"><option "
                  "value=\"\">any</option><option>easy</option><option>medium</option>"
                  "<option>hard</option></select></label>"
                  "<label>Split <select id=\"split\"><option "
                  "value=\"\">any</option><option>train</option><option>validation</option>"
                  "<option>test</option></select></label></form>\n"
                  "<div class=\"pager\"><p id=\"found\" role=\"status\" aria-live=\"polite\"></p><button id=\"before\" "
                  "type=\"button\">Previous</button>"
                  "<button id=\"after\" type=\"button\">Next</button></div>\n"
                  "<div class=\"browser\"><ol id=\"list\" aria-label=\"Kernels\"></ol><article id=\"view\" "
                  "aria-live=\"off\"><p class=\"note\">Choose a kernel "
                  "from the list.</p></article></div></section>\n");
}

static void add_categories(Text *out)
{
    JsonWriter json = {.out = out};
    text_lit(out, "<script type=\"application/json\" id=\"categories\">");
    json_open(&json, NULL, '[');
    for (int i = 0; i < CATEGORY_COUNT; i++)
        json_add_string(&json, NULL, category_name((CategoryId)i));
    json_close(&json, ']');
    text_lit(out, "</script>\n");
}

/* The members of a record that the browser shows; launches, left out, would be most of it. False: not a record. */
static bool add_record(Text *out, const char *line, size_t len)
{
    static const char *const members[] = {"id",
                                          "kernel_name",
                                          "category",
                                          "difficulty",
                                          "description",
                                          "gradient_verdict",
                                          "launch_dim",
                                          "python_source",
                                          "cuda_helpers",
                                          "cuda_forward",
                                          "cuda_backward",
                                          "cuda_readable",
                                          "cpp_helpers",
                                          "cpp_forward",
                                          "cpp_backward",
                                          "line_map",
                                          NULL};
    json_t *record = json_read_members(line, len, members);
    Text text = {0};
    if (!record)
        return false;
    json_write(record, &text);
    json_decref(record);
    add_json(out, text.data, text.len);
    bool fine = !text.failed;
    text_free(&text);
    return fine;
}

/* Evenly chosen ones: {"rows": […], "records": […]}. */
static bool add_samples(const Overview *overview, Places *places, uint64_t samples, Text *out, CorpusError *error)
{
    Text rows = {0};
    JsonWriter json = {.out = &rows};
    samples = samples < overview->count ? samples : overview->count;
    text_lit(out, "<script type=\"application/json\" id=\"data\">{\"rows\": ");
    json_open(&json, NULL, '[');
    for (uint64_t i = 0; i < samples; i++)
        write_row(overview, (size_t)(i * overview->count / samples), &json);
    json_close(&json, ']');
    add_json(out, rows.data, rows.len);
    text_lit(out, ", \"records\": [");
    bool fine = !rows.failed;
    for (uint64_t i = 0; fine && i < samples; i++) {
        size_t len;
        char *line = places_read(places, i * overview->count / samples, &len, error);
        text_str(out, i ? ", " : "");
        fine = line && add_record(out, line, len);
        free(line);
    }
    text_lit(out, "]}</script>\n");
    text_free(&rows);
    return fine;
}

bool report_page(const Overview *overview, Places *places, uint64_t samples, Text *out, CorpusError *error)
{
    Text style = {0}, script = {0};
    text_add(&style, (const char *)report_code_css, report_code_css_size);
    text_add(&style, (const char *)report_css, report_css_size);
    text_lit(&script, "\"use strict\";\n");
    add_script(&script, report_code_js);
    add_script(&script, report_js);
    bool fine = !style.failed && !script.failed;
    if (fine) {
        add_head(overview, &style, &script, !samples, out);
        text_lit(out, "<section aria-labelledby=\"figures-title\"><h2 id=\"figures-title\">What is in it</h2>\n");
        plot_overview(overview, out);
        text_lit(out, "</section>\n");
        add_browser(out);
        text_lit(out, "</main>\n");
        add_categories(out);
        fine = !samples || add_samples(overview, places, samples, out, error);
        text_lit(out, "<script>");
        text_add(out, script.data, script.len);
        text_lit(out, "</script>\n</body>\n</html>\n");
    }
    text_free(&style);
    text_free(&script);
    return (fine && !out->failed) || (error->message[0] ? false : corpus_fail(error, "out of memory"));
}
