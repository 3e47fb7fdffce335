#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Starts a child process that runs PAM stacks of service files in `directory` through libpam, with `module` (the path
 * of pam_debug.so) already loaded. The child has a uid that no other process has, no capability and `directory` as its
 * root directory, so that libpam reaches neither the log nor the audit system.
 *
 * The connection takes requests: "SERVICE CALLS\n", with one letter for each call in one PAM transaction: a
 * (pam_authenticate), s (pam_setcred), m (pam_acct_mgmt), o (pam_open_session), c (pam_chauthtok). An answer has a line
 * for each argument that pam_debug reports, "=CODE" after each call, and "." at its end.
 *
 * Returns the connection, or a negative errno. */
int stack_judge_start(const char *directory, const char *module, pid_t *child);

/* Ends the child and waits for it. */
void stack_judge_end(int connection, pid_t child);

/* Locks a directory until the descriptor is closed: the descriptor, or a negative value if another process has the
 * lock. */
int stack_judge_lock(const char *directory);

/* Replaces the content of a file that every user may read: 0, or a negative errno. */
int stack_judge_write(const char *path, const void *text, size_t length);
