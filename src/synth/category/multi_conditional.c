#include "synth/make.h"

void make_multi_conditional(Synth *s)
{
    make_generic(s);
}
