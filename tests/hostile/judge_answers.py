"""Answers that try to pass without being right, or to do harm: for tests/hostile/test_judge.py.

Each is made of a right answer in CUDA: the text, the name of its kernel, and what the test watches from outside."""

import re


def with_body(text, name, body):
    """The text with another body of the kernel."""
    start = re.search(rf"__global__ void {name}\([^)]*\)\n\{{", text)
    end = text.index("\n}", start.end())
    return text[: start.end()] + "\n" + body + text[end:]


def before(code):
    return lambda text, name, watch: code.replace("CANARY", str(watch)) + "\n" + text


def constructor(body, headers=""):
    return before(
        headers + "#include <unistd.h>\n#include <fcntl.h>\n#include <signal.h>\n"
        "__attribute__((constructor)) static void at_start() { " + body + " }\n"
    )


def instead(body, headers=""):
    """The kernel does this and nothing else."""
    return lambda text, name, watch: headers + with_body(text, name, "    " + body.replace("CANARY", str(watch)))


SYSCALL = (
    'static long call(long n, long a, long b, long c) { long r; asm volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c)'
    ' : "rcx", "r11", "memory"); return r; }\n'
)

QUICK = {
    "leaves its outputs as they are": instead(""),
    "ends at once with exit code 0": constructor("_exit(0);"),
    "prints PASS": instead('printf("PASS\\n"); fflush(stdout);'),
    "includes a file of the host": before('#include "CANARY"\n'),
    "reads a file of the host by its assembler": before('asm(".incbin \\"CANARY\\"");\n'),
    "forks without end": constructor("for (;;) fork();"),
    "makes a link out of its folder": constructor('symlink("CANARY", "/tmp/link"); '),
    "kills what watches it": constructor("kill(getppid(), SIGKILL); kill(-1, SIGKILL);"),
    "overwrites a file of the host": instead(
        'int f = open("CANARY", O_WRONLY | O_TRUNC); if (f >= 0) { write(f, "x", 1); close(f); }',
        "#include <unistd.h>\n#include <fcntl.h>\n",
    ),
    "writes to whatever is open": constructor('for (int f = 3; f < 400; ++f) write(f, "x", f != 3); _exit(0);'),
    "never ends": instead("for (volatile int i = 0;; ++i) { }"),
    "includes a terminal": before('#include "/dev/ptmx"\n'),
    "includes a terminal by another name": before('#include "/dev/tty"\n#include "/dev/stdin"\n#include "/dev/zero"\n'),
    "fills the shared memory": constructor(
        'static char much[1 << 20]; long sum = 0; const char *const names[] = {"/dev/shm/f", "/dev/f", "/tmp/f", "/f", "/judge/f", "/run/f"};'
        " for (int n = 0; n < 6; ++n) for (int k = 0; k < 50; ++k) { char name[60]; snprintf(name, 60, \"%s%d\", names[n], k);"
        " int f = open(name, O_WRONLY | O_CREAT, 0600); for (long i = 0, got; i < 60 && sum < (300l << 20) && (got = write(f, much, sizeof much)) > 0; ++i) sum += got; }"
        " _exit(sum >= (300l << 20) ? 66 : 67);"
    ),
}

# Ends its process with 77 where the bytes stand in memory before any kernel runs: in the heap, or in what was mapped near it. Pages that are not
# there are passed over. The answer holds the bytes turned around, so that it does not find itself.
SCAN = """#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
static const unsigned char turned[] = {BYTES};
static sigjmp_buf scan_back;
static void at_fault(int) { siglongjmp(scan_back, 1); }
static void scan_page(const unsigned char *page)
{
    for (size_t at = 0; at + sizeof turned <= 4096; ++at) {
        size_t same = 0;
        while (same < sizeof turned && page[at + same] == (unsigned char)~turned[same]) ++same;
        if (same == sizeof turned) _exit(77);
    }
}
static void scan(unsigned char *from, long pages, long step)
{
    for (volatile long k = 0; k < pages; ++k)
        if (!sigsetjmp(scan_back, 1)) scan_page(from + k * step * 4096);
}
__attribute__((constructor)) static void at_start()
{
    signal(SIGSEGV, at_fault);
    signal(SIGBUS, at_fault);
    unsigned char *heap = (unsigned char *)((unsigned long)sbrk(0) & ~4095ul), *mapped = (unsigned char *)((unsigned long)malloc(1 << 20) & ~4095ul);
    scan(heap - 4096, 2048, -1);
    scan(mapped, 8192, 1);
    scan(mapped - 4096, 2048, -1);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
}
"""


def looks_for(wanted):
    """The text with a search for these bytes before it."""
    return lambda text: SCAN.replace("BYTES", ", ".join(str(255 - byte) for byte in wanted)) + text


OTHERS = {
    "writes results of its own": constructor(
        "unsigned mark[4] = {0x77656674, 0, 0, 0}; static char zeros[1 << 20]; write(3, mark, sizeof mark);"
        " write(3, zeros, sizeof zeros); _exit(0);"
    ),
    "floods its results": constructor("static char much[1 << 20]; for (;;) write(3, much, sizeof much);"),
    "reads /proc": instead(
        'char b[4096]; int f = open("/proc/self/maps", O_RDONLY); if (f < 0) f = open("/proc/1/environ", O_RDONLY); '
        "if (f >= 0) read(f, b, sizeof b);",
        "#include <unistd.h>\n#include <fcntl.h>\n",
    ),
    "takes 10 GB": instead("char *p = (char *)malloc(10ll << 30); memset(p, 1, 10ll << 30);"),
    "fills the disk": constructor(
        "static char much[1 << 20]; for (int k = 0; k < 5000; ++k) { char n[40]; snprintf(n, 40, \"/tmp/f%d\", k);"
        " int f = open(n, O_WRONLY | O_CREAT, 0600); for (int i = 0; i < 60 && write(f, much, sizeof much) > 0; ++i) { } }"
        " _exit(0);"
    ),
    "opens a connection": constructor(
        "int s = socket(AF_INET, SOCK_STREAM, 0); (void)s;", "#include <sys/socket.h>\n"
    ),
    "starts a shell": constructor('execl("/bin/sh", "sh", "-c", "echo > CANARY", (char *)0);'),
    "traces what watches it": constructor("ptrace(PTRACE_ATTACH, getppid(), 0, 0);", "#include <sys/ptrace.h>\n"),
    "calls the system by its assembler": lambda text, name, watch: SYSCALL
    + "__attribute__((constructor)) static void at_start() { call(62, -1, 9, 0); call(57, 0, 0, 0); }\n"
    + text,
    "overflows its stack": instead(
        "auto dig = [](auto &self, int n) -> int { volatile char a[4096]; a[0] = (char)n; return self(self, n + 1) + a[0]; };"
        " dig(dig, 0);"
    ),
    "takes the judge's own words away": before("#define WEFT_ENTRY(number, kernel)\n"),
    "never ends in the compiler": before(
        "constexpr long slow(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i * i; return s; }\n"
        "#pragma GCC optimize(\"O3\")\ntemplate <int A, int B> struct Many { static constexpr int v = Many<A - 1, B>::v + Many<A, B - 1>::v"
        " + Many<A - 1, B - 1>::v; };\ntemplate <int B> struct Many<0, B> { static constexpr int v = 1; };\n"
        "template <int A> struct Many<A, 0> { static constexpr int v = 1; };\ntemplate <> struct Many<0, 0> { static constexpr int v = 1; };\n"
        "static_assert(Many<450, 450>::v == 0, \"no\");\n"
    ),
    "includes itself": before("#include __FILE__\n"),
    "handles every signal and goes on": constructor(
        "for (int i = 1; i < 64; ++i) signal(i, SIG_IGN); for (;;) { }"
    ),
}

# On a GPU, with weft score --gpu: only the card runs what an answer holds, so these are about the card, the compiler, and the neighbours there.
FIND = (  # what an earlier answer may have left somewhere: the first number that is not poison, from a megabyte around its array
    "    float *own = FIRST; for (long k = 4096; k < 262144; ++k) { float x = own[k]; if (x == x && x != 0.0f && fabsf(x) > 1e-3f && fabsf(x) < 1e3f)"
    " { own[threadIdx.x] = x; return; } }\n"
)

ON_GPU = {
    "leaves its outputs as they are": instead(""),
    "never ends": instead("for (volatile int i = 0;; ++i) { }"),
    "never ends in one thread": instead("if (threadIdx.x == 1) for (volatile int i = 0;; ++i) { }"),
    "writes where nothing is": instead("*(volatile int *)(1ull << 40) = 1;"),
    "reads where nothing is": instead("if (*(volatile int *)16 == 3) __trap();"),
    "writes over all that is near": lambda text, name, watch: with_body(
        text, name, f"    char *near_by = (char *){first_pointer(text, name)};\n    for (long k = -(1 << 20); k < (1 << 25); k += 64) near_by[k] = 7;"
    ),
    "traps": instead("__trap();"),
    "ends its threads by its assembler": instead('asm volatile("exit;");'),
    "traps by its assembler": instead('asm volatile("trap;");'),
    "overflows its stack": lambda text, name, watch: "__device__ __noinline__ int dig(int n) { volatile char a[4096]; a[n & 4095] = (char)n; return n < 1000000 ? dig(n + 1) + a[0] : 0; }\n"
    + with_body(text, name, "    if (dig((int)threadIdx.x) == 3) __trap();"),
    "takes 10 GB": instead("char *p = (char *)malloc(10ull << 30); for (unsigned long long k = 0; k < (10ull << 30); k += 4096) p[k] = 1;"),
    "has a variable of 300 GB": lambda text, name, watch: "__device__ char much[300ull << 30];\n"
    + with_body(text, name, "    much[threadIdx.x * 4096ull] = 1;"),
    "wants more shared memory than there is": instead("__shared__ volatile char much[1 << 20]; much[threadIdx.x] = 1;"),
    "prints without end": instead('for (;;) printf("PASS PASS PASS PASS PASS PASS\\n");'),
    "waits for threads that never come": instead("if (threadIdx.x & 1) __syncthreads(); else for (volatile int i = 0; i < 1000; ++i) { } __nanosleep(1000000000u); __nanosleep(1000000000u); __nanosleep(1000000000u);"),
    "looks for what others have left": lambda text, name, watch: with_body(text, name, FIND.replace("FIRST", "(float *)" + first_pointer(text, name))),
    "includes a file of the host": before('#include "CANARY"\n'),
    "includes itself": before("#include __FILE__\n"),
    "reads a file of the host by its assembler": instead('asm volatile(".incbin \\"CANARY\\";");'),
    "never ends in the compiler": OTHERS["never ends in the compiler"],
    "starts kernels of its own": lambda text, name, watch: "__global__ void child() { }\n" + with_body(text, name, "    child<<<1, 1>>>();"),
}


def first_pointer(text, name):
    """The name of the first pointer that the kernel writes through."""
    head = re.search(rf"__global__ void {name}\(([^)]*)\)", text).group(1)
    pointers = [part.split("*")[1].strip() for part in head.split(",") if "*" in part and "const" not in part]
    return pointers[0]
