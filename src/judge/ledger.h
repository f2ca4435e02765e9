/* The journal of a judge that listens: a file with a line for each answer that was judged, and where each line lies.
 *
 * A line is in the file before anybody hears of it. A run that was killed leaves whole lines, and perhaps a part of
 * one, which the next run cuts off. In memory an answer takes 64 to 128 bytes. Calls need a lock, but for ledger_read and
 * ledger_sync. */
#ifndef WEFT_JUDGE_LEDGER_H
#define WEFT_JUDGE_LEDGER_H

#include "corpus/corpus.h"

enum { LEDGER_HASH = 16 };

typedef struct LedgerPlace {
    unsigned char hash[LEDGER_HASH];
    uint64_t offset;
    uint32_t len; /* with the line end; 0: a free place of the table */
} LedgerPlace;

typedef struct Ledger {
    int fd;
    uint64_t size; /* of the file */
    LedgerPlace *places;
    uint32_t count, cap; /* cap is a power of two */
    bool is_broken;      /* it ends with a part of a line: nothing more is written */
} Ledger;

/* `head`: a line that says what the results are of, without its end; a file that begins with another line is refused. Each line
 * has a member "hash" of 32 digits. False: *error says why; nothing is left open. */
bool ledger_open(Ledger *ledger, const char *path, const Text *head, CorpusError *error);
void ledger_close(Ledger *ledger);

const LedgerPlace *ledger_find(const Ledger *ledger, const unsigned char hash[LEDGER_HASH]); /* NULL: it is not there */
bool ledger_read(const Ledger *ledger, const LedgerPlace *place, Text *line);                /* appends it */
/* False: it could not be written, and the file is as before. */
bool ledger_add(Ledger *ledger, const unsigned char hash[LEDGER_HASH], const Text *line);
bool ledger_sync(const Ledger *ledger); /* what was added survives the machine, too */

void ledger_hash_text(const unsigned char hash[LEDGER_HASH], char text[2 * LEDGER_HASH + 1]);

#endif
