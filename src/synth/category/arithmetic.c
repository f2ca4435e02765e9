#include "synth/make.h"

void make_arithmetic(Synth *s)
{
    make_generic(s);
}
