#ifndef CPAM_H
#define CPAM_H

#include <security/pam_modules.h>
#include <security/pam_ext.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* pam_syslog(3), pam_prompt(3) and pam_info(3) are variadic, which Swift cannot call. */

static inline void cpam_syslog(const pam_handle_t *pamh, int priority, const uint8_t *line) {
    pam_syslog(pamh, priority, "%s", (const char *)line);
}

static inline int cpam_prompt(pam_handle_t *pamh, int style, const uint8_t *text, char **answer) {
    return pam_prompt(pamh, style, answer, "%s", (const char *)text);
}

static inline int cpam_get_password(pam_handle_t *pamh, const char **token, const uint8_t *prompt) {
    return pam_get_authtok(pamh, PAM_AUTHTOK, token, (const char *)prompt);
}

static inline void cpam_info(pam_handle_t *pamh, const uint8_t *text) {
    (void)pam_info(pamh, "%s", (const char *)text);
}

/* Text of ours is bytes, which C calls unsigned. */

static inline const char *cpam_getenv(pam_handle_t *pamh, const uint8_t *name) {
    return pam_getenv(pamh, (const char *)name);
}

static inline int cpam_putenv(pam_handle_t *pamh, const uint8_t *assignment) {
    return pam_putenv(pamh, (const char *)assignment);
}

static inline size_t cpam_length(const char *text, size_t limit) {
    return strnlen(text, limit);
}

/* Answers of the conversation are ours to erase and free. */
static inline void cpam_free_answer(char *answer) {
    explicit_bzero(answer, strlen(answer));
    free(answer);
}

#endif
