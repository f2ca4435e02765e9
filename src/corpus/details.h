/* Details: the columns of records that a data set keeps in files of their own, `details-train-…`, line by line beside
 * the records of `train-…`. A line of details begins with the id of its record. Readers put both together again, so all
 * other code sees whole records. A set made with --full, a piece, and one file per record have no details. */
#ifndef WEFT_CORPUS_DETAILS_H
#define WEFT_CORPUS_DETAILS_H

#include "corpus/columns.h"

#define DETAILS_PREFIX "details-"

bool has_details(const CorpusOptions *options);
/* Where the details of a record begin, at a comma; the record may lack its head. 0: it is not a record. */
size_t details_start(const char *record, size_t len);
/* The length of the member "id" that a record without its head begins with. 0: it does not. */
size_t details_id(const char *record, size_t len);
/* Puts a line of a record and its line of details together, with a NUL behind them. False: they are not of one record, or
 * memory ran out. */
bool details_join(const char *line, size_t len, const char *details, size_t details_len, Text *out);
/* Bytes of the lines that the records of a set have, of one record whose whole line has `len`. */
size_t details_line_bytes(const CorpusOptions *options, const char *line, size_t len);

/* Writes a record without its head with these columns: members that it lacks are null. False: it is none of weft's. */
bool record_fit(const char *record, size_t len, const Column *columns, Text *out);

#endif
