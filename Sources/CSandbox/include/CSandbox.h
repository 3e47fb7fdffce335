/* What a worker may ask of the kernel, once it has its certificates and before it touches the network. */
#ifndef CSANDBOX_H
#define CSANDBOX_H

/* The layers. */
enum sandbox_layer {
    SANDBOX_SYSTEM_CALLS = 1, /* seccomp(2): those that are not listed kill the process */
    SANDBOX_FILES = 2,        /* landlock(7): certificates, the resolver's files and libraries are read, nothing else */
    SANDBOX_LIMITS = 4,       /* setrlimit(2) */
};

/* Closes all layers around this process, which has one thread and may gain no rights (PR_SET_NO_NEW_PRIVS). Returns
 * those that this kernel, or what this process runs in, has not. */
int sandbox_enter(void);

/* Tries from inside what each layer forbids; returns those that let it pass. Harms nothing, also outside of a sandbox.
 */
int sandbox_try(void);

#endif
