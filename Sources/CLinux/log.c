#include "CLinux.h"

#include <syslog.h>

void linux_log(const char *tag, int priority, const char *line) {
    openlog(tag, LOG_PID, LOG_AUTHPRIV);
    syslog(LOG_AUTHPRIV | priority, "%s", line);
    closelog();
}
