#define _GNU_SOURCE
#include "CLinux.h"

#include <stdio.h>

int64_t linux_seal(
    int unseal, const char *name, const void *input, size_t size, void *output, size_t capacity, int timeout_ms) {
    char name_argument[300];
    snprintf(name_argument, sizeof name_argument, "--name=%s", name);
    /* "auto" is the machine's own key and its TPM, of these what there is; it fails where there is neither. */
    char *const seal_arguments[] = {
        "/usr/bin/systemd-creds", "encrypt", "--with-key=auto", name_argument, "-", "-", NULL};
    char *const unseal_arguments[] = {"/usr/bin/systemd-creds", "decrypt", name_argument, "-", "-", NULL};
    return linux_run(unseal ? unseal_arguments : seal_arguments, input, size, output, capacity, timeout_ms);
}
