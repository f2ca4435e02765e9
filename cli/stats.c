/* weft stats: what is in a data set. */
#include "args.h"
#include "commands.h"
#include "files.h"

#include "corpus/corpus.h"

#include <stdio.h>
#include <stdlib.h>

int command_stats(int argc, char **argv)
{
    bool json = false;
    const Option options[] = {
        {0, "json", OPTION_FLAG, &json, NULL, "as one JSON object"},
    };
    const Command command = {"stats", "DIR [--json]",
                             "Counts what is in a data set: categories, verdicts, what was rejected, lines, builtins.",
                             options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    if (!read_args(&command, argc, argv, &count, &code))
        return code;
    const char *dir = count == 1 ? argv[0] : NULL;
    if (!dir) {
        fprintf(stderr, "weft stats: one folder is needed (see weft stats --help)\n");
        return EXIT_USAGE;
    }
    Text text;
    CorpusError error = {""};
    text_init(&text);
    bool fine = corpus_stats(dir, json, &text, &error);
    if (fine)
        put_text(&text, stdout);
    else
        fprintf(stderr, "weft stats: %s\n", error.message);
    text_free(&text);
    return fine ? EXIT_DONE : EXIT_FOUND;
}
