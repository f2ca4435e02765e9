#include "synth/make.h"

void make_scalar_param(Synth *s)
{
    make_generic(s);
}
