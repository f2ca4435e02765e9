#include "synth/make.h"

void make_control_flow(Synth *s)
{
    make_generic(s);
}
