// Ends its process with 77 where the bytes stand in memory before any kernel runs: in the heap, or in what was mapped near it. Pages that are
// not there are passed over. The answer holds the bytes turned around (`turned`, defined above), so that it does not find itself.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf scan_back;

static void at_fault(int)
{
    siglongjmp(scan_back, 1);
}

static void scan_page(const unsigned char *page)
{
    for (size_t at = 0; at + sizeof turned <= 4096; ++at) {
        size_t same = 0;
        while (same < sizeof turned && page[at + same] == (unsigned char)~turned[same])
            ++same;
        if (same == sizeof turned)
            _exit(77);
    }
}

static void scan(unsigned char *from, long pages, long step)
{
    for (volatile long k = 0; k < pages; ++k)
        if (!sigsetjmp(scan_back, 1))
            scan_page(from + k * step * 4096);
}

__attribute__((constructor)) static void at_start()
{
    signal(SIGSEGV, at_fault);
    signal(SIGBUS, at_fault);
    unsigned char *heap = (unsigned char *)((unsigned long)sbrk(0) & ~4095ul);
    unsigned char *mapped = (unsigned char *)((unsigned long)malloc(1 << 20) & ~4095ul);
    scan(heap - 4096, 2048, -1);
    scan(mapped, 8192, 1);
    scan(mapped - 4096, 2048, -1);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
}
