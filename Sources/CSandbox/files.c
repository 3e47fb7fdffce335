#define _GNU_SOURCE
#include "layers.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* landlock(7), without the kernel's header: that of Debian 12 knows nothing of what Debian 13's kernel has. */
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };
#define RIGHT(bit) ((uint64_t)1 << (bit))
enum {
    EXECUTE = 0,
    READ_FILE = 2,
    READ_DIR = 3,
    MAKE_SYM = 12,
    REFER = 13,     /* 2 */
    TRUNCATE = 14,  /* 3 */
    IOCTL_DEV = 15, /* 5 */
};
enum { SCOPE_VERSION = 6 };
enum { ABSTRACT_SOCKETS = 0, SIGNALS = 1 };

struct ruleset {
    uint64_t files, network, scoped;
};
struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/* What getaddrinfo(3) and its modules read, libraries that they load late, certificates where libcurl looks for them
 * itself, OpenSSL's settings, and the time zone for the log. */
static const char *const readable[] = {
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mdns.allow",
    "/etc/networks",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/pki",
    "/etc/ssl",
    "/usr/local/share/ca-certificates",
    "/usr/share/ca-certificates",
    "/usr/share/zoneinfo",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/run/NetworkManager",
    "/run/connman",
    "/run/nscd",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/var/lib/libvirt/dnsmasq",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/proc/sys/crypto",
    "/proc/sys/kernel",
    "/proc/sys/net",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
};

static void allow_reading(int ruleset, const char *path) {
    struct path_beneath rule = {.parent = open(path, O_PATH | O_CLOEXEC)};
    struct stat status;
    if (rule.parent < 0) {
        return;
    }
    if (fstat(rule.parent, &status) == 0) {
        rule.allowed = RIGHT(READ_FILE) | (S_ISDIR(status.st_mode) ? RIGHT(READ_DIR) : 0);
        (void)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    }
    close(rule.parent);
}

int sandbox_close_files(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, CREATE_RULESET_VERSION);
    if (version < 1) {
        return 0;
    }
    struct ruleset rights = {.files = RIGHT(MAKE_SYM + 1) - 1};
    rights.files |= version >= 2 ? RIGHT(REFER) : 0;
    rights.files |= version >= 3 ? RIGHT(TRUNCATE) : 0;
    rights.files |= version >= 5 ? RIGHT(IOCTL_DEV) : 0;
    rights.scoped = version >= SCOPE_VERSION ? RIGHT(ABSTRACT_SOCKETS) | RIGHT(SIGNALS) : 0;
    /* Kernels that do not know the last fields take them as long as they are zero. */
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
    if (ruleset < 0) {
        return 0;
    }
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        allow_reading(ruleset, readable[i]);
    }
    int closed = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return closed;
}
