/* Making folders. */
#ifndef WEFT_BASE_FOLDER_H
#define WEFT_BASE_FOLDER_H

#include <stdbool.h>

/* One that is there already is fine. False: errno says why not. */
bool make_folder_path(const char *path); /* with the folders above it; each is on the disk then */

#endif
