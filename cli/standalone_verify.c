#include "standalone.h"
int standalone_verify(const char *folder, int jobs) { (void)folder; (void)jobs; return 2; }
