#include "rules/engine/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Everything the first version of Landlock knows that changes files.
#define FILE_CHANGES                                                                               \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                               \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

static int limit_resources(uint64_t memory_mib)
{
    const struct {
        int resource;
        rlim_t most;
    } limits[] = {{RLIMIT_AS, memory_mib << 20}, {RLIMIT_CORE, 0}, {RLIMIT_NOFILE, 64}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0)
            return -errno;
        if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > limits[i].most)
            limit.rlim_max = limits[i].most;
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0)
            return -errno;
    }
    return 0;
}

// Files can be read but not changed; only /dev/null takes what is written to it.
static int close_files(void)
{
    struct landlock_ruleset_attr attr = {.handled_access_fs = FILE_CHANGES};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (rules < 0) // an old kernel, or one with Landlock switched off
        return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -errno;
    int r = 0, null = open("/dev/null", O_PATH | O_CLOEXEC);
    if (null >= 0) {
        struct landlock_path_beneath_attr allow = {.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE,
                                                   .parent_fd = null};
        if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &allow, 0) < 0)
            r = -errno;
        close(null);
    }
    if (r == 0 && syscall(SYS_landlock_restrict_self, rules, 0) < 0)
        r = -errno;
    close(rules);
    return r;
}

#ifdef ARCHITECTURE
#define DATA(member) ((uint32_t)offsetof(struct seccomp_data, member))
#define DENY_IF(number, jump)                                                                      \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1),                                 \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (jump))

// Sockets of the local kind only, and no hand on other processes. System calls of another
// architecture (32-bit programs) have other numbers and are refused as a whole.
static int close_calls(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(nr)),
#ifdef __x86_64__
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1), // the x32 calls
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
        DENY_IF(SYS_ptrace, EPERM),
        DENY_IF(SYS_process_vm_readv, EPERM),
        DENY_IF(SYS_process_vm_writev, EPERM),
        DENY_IF(SYS_io_uring_setup, EPERM),
        DENY_IF(SYS_bpf, EPERM),
        DENY_IF(SYS_keyctl, EPERM),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(args[0])), // little endian: the low half
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 && errno != EINVAL ? -errno : 0;
}
#else
static int close_calls(void)
{
    return 0; // the other measures still hold
}
#endif

int sandbox_enter(uint64_t memory_mib, struct error *err)
{
    int r = prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
                ? -errno
                : limit_resources(memory_mib);
    if (r == 0)
        r = close_files();
    if (r == 0)
        r = close_calls();
    return r < 0 ? error_set(err, r, "The foreign program can't be locked in: %s.", strerror(-r))
                 : 0;
}
