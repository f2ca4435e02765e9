#include "synth/make.h"

void make_combined(Synth *s)
{
    make_generic(s);
}
