#ifndef CPAM_H
#define CPAM_H

#include <security/pam_modules.h>
#include <security/pam_ext.h>

#include <crypt.h>
#include <pwd.h>
#include <shadow.h>
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

/* Whether pam_unix(8) would take `password` for that of the account called `name`: 1, or 0, also where root's files
 * cannot be read. An account without any password is no answer to one that was typed. */
static inline int cpam_is_local_password(const uint8_t *name, const char *password) {
    char buffer[4096], shadow_buffer[4096];
    struct passwd entry, *found = NULL;
    struct spwd shadow, *shadow_found = NULL;
    const char *hash = NULL;
    int is_it = 0;
    if (getpwnam_r((const char *)name, &entry, buffer, sizeof buffer, &found) == 0 && found != NULL) {
        hash = entry.pw_passwd;
    }
    if (hash != NULL && strcmp(hash, "x") == 0) {
        (void)getspnam_r((const char *)name, &shadow, shadow_buffer, sizeof shadow_buffer, &shadow_found);
        hash = shadow_found != NULL ? shadow.sp_pwdp : NULL;
    }
    struct crypt_data *data =
        hash != NULL && hash[0] != 0 && hash[0] != '!' && hash[0] != '*' ? calloc(1, sizeof *data) : NULL;
    if (data != NULL) {
        const char *made = crypt_r(password, hash, data);
        is_it = made != NULL && strcmp(made, hash) == 0;
        explicit_bzero(data, sizeof *data);
        free(data);
    }
    explicit_bzero(buffer, sizeof buffer);
    explicit_bzero(shadow_buffer, sizeof shadow_buffer);
    return is_it;
}

/* Answers of the conversation are ours to erase and free. */
static inline void cpam_free_answer(char *answer) {
    explicit_bzero(answer, strlen(answer));
    free(answer);
}

#endif
