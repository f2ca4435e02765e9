#include "synth/make.h"

void make_nested_loop(Synth *s)
{
    make_generic(s);
}
