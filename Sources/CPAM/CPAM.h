#ifndef CPAM_H
#define CPAM_H

#include <security/pam_modules.h>
#include <security/pam_ext.h>

/* pam_syslog(3) is variadic, which Swift cannot call. */
static inline void cpam_syslog(const pam_handle_t *pamh, int priority, const char *line) {
    pam_syslog(pamh, priority, "%s", line);
}

#endif
