/* The system calls allowed to a process that runs or handles an answer: to compute, allocate and write to its open
 * files. Any other call ends an answer's own process: it cannot start a process or thread, send a signal, open a
 * connection, or make links. For the CUDA libraries, which try many calls and can do without, other calls fail. */
#include "judge/inside.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

typedef enum CallGroup { FOR_ALL, FOR_NVRTC = 1 << FILTER_NVRTC, FOR_CARD = 1 << FILTER_CARD } CallGroup;

static const struct {
    int number;
    unsigned group;
} allowed[] = {
#define ALLOW(name) {__NR_##name, FOR_ALL},
#define ALLOW_FOR(groups, name) {__NR_##name, groups},
#include "judge/allowed.def"
#undef ALLOW
#undef ALLOW_FOR
};
enum { ALLOWED = sizeof allowed / sizeof *allowed };

#ifdef FILTER_ARCH
static struct sock_filter make_return(unsigned action)
{
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
}

/* Go on behind the next instruction, unless the number is this one. */
static struct sock_filter make_test(unsigned value)
{
    return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
}

static struct sock_filter make_load(size_t offset)
{
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset);
}
#endif

bool inside_filter(InsideFilter which)
{
#ifdef FILTER_ARCH
    struct sock_filter program[2 * ALLOWED + 10];
    unsigned short n = 0;
    program[n++] = make_load(offsetof(struct seccomp_data, arch));
    program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
    program[n++] = make_return(SECCOMP_RET_KILL_PROCESS);
    program[n++] = make_load(offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < ALLOWED; i++)
        if (!allowed[i].group || allowed[i].group & 1u << which) {
            program[n++] = make_test((unsigned)allowed[i].number);
            program[n++] = make_return(SECCOMP_RET_ALLOW);
        }
    /* whether it is a terminal, asked by stdio: no; a card is spoken to by this call */
    program[n++] = make_test(__NR_ioctl);
    program[n++] = make_return(which == FILTER_CARD ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | ENOTTY);
    program[n++] = make_return(which == FILTER_ANSWER ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog filter = {n, program};
    /* the driver has threads already: the filter is theirs, too */
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
#else
    (void)which;
    return false; /* not known for this machine: nothing is run */
#endif
}
