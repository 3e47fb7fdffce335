/* Enters a new session keyring that belongs to the user with the id UID, and becomes, as root, a shell with SCRIPT: what pam_keyinit does.
 *
 * usage: join-keyring UID SCRIPT */
#include <linux/keyctl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count != 3) {
        return 64;
    }
    uid_t uid = (uid_t)strtoul(words[1], NULL, 10);
    if (setregid(uid, -1) == 0 && setreuid(uid, -1) == 0 && syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) > 0 &&
        setreuid(0, -1) == 0 && setregid(0, -1) == 0) {
        execl("/bin/sh", "sh", "-ec", words[2], (char *)NULL);
    }
    return 127;
}
