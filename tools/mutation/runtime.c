/* WEFT_MUTANT=N switches mutant N on. WEFT_REACHED=FILE, WEFT_MUTANTS bytes long, gets a 1 for each place that was reached;
 * it is shared memory, so it is right however the process ends, and for all processes of a test. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int weft_mutant = -1;
static unsigned char unread[WEFT_MUTANTS];
volatile unsigned char *weft_reached = unread;

__attribute__((constructor)) static void read_environment(void)
{
    const char *mutant = getenv("WEFT_MUTANT"), *path = getenv("WEFT_REACHED");
    if (mutant)
        weft_mutant = atoi(mutant);
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, WEFT_MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED)
        weft_reached = shared;
    close(file);
}
