/* Is a pattern the cause of a wrong gradient? Found out by trying.
 *
 * The syntax tree has the true derivative. Where it leaves out what the pattern says that Warp leaves out, and then comes to the number that
 * Warp comes to, the pattern is all that is wrong. */
#ifndef WEFT_CHECK_CAUSE_H
#define WEFT_CHECK_CAUSE_H

#include "check/check.h"
#include "check/pattern.h"

/* Can it be tried? Values that are not the same when the reverse pass comes by cannot. */
bool cause_can_be_tried(Pattern pattern);

/* Does the pattern explain the gradient on the inputs of this seed, alone or with others that can be tried? Works in unit->building. */
bool cause_explains(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, Pattern pattern);

#endif
