/* What to do about a launch that is not valid.
 *
 * A finding (an index out of bounds, a division by zero, a race, …) is mostly one of the launch: the arrays are too small, a
 * number is too large, the inputs are outside the domain. Which flag would make it valid is found out by trying: each change of
 * one argument, then of two, is run as weft check would run it, those first that concern what stands in the line of the finding.
 * So what is advised is known to work. */
#ifndef WEFT_CHECK_ADVICE_H
#define WEFT_CHECK_ADVICE_H

#include "check/check.h"
#include "pipeline.h"

/* Is the kernel's launch valid with these flags? */
typedef bool LaunchTest(const CheckLaunch *given, void *user);

/* The flags to add, as "--shape x=16 --set n=1", in memory that lasts as long as the kernel's turn (unit->building), and in `found` what is given with them; NULL: nothing that was
 * tried makes the launch valid. */
const char *advise(const Compiled *compiled, const CheckLaunch *given, const Finding *finding, LaunchTest *is_valid,
                   void *user, CheckLaunch *found);

/* What can be tried by hand, in words, where nothing helped. */
const char *general_advice(const Finding *finding);

/* In plain words: "an index is out of bounds". */
const char *finding_phrase(FindingKind kind);

#endif
