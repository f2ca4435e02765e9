#include "synth/make.h"

void make_vector(Synth *s)
{
    make_generic(s);
}
