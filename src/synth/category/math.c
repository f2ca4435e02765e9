#include "synth/make.h"

void make_math(Synth *s)
{
    make_generic(s);
}
