/* A host with many threads, each of which signs somebody in and out again and again, while another one forks. Each time the module
 * is loaded by the first pam_start(3) and unloaded by the last pam_end(3).
 *
 * usage: crowded_host SERVICE USER THREADS CYCLES, with the password on standard input. At its end one line of JSON: what the
 * calls returned, how many children there were and how many of them did not get on, what the process has more than after
 * one cycle of each thread, and whether a limit of it has changed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CODES = 64, HOOKS = 4 };

static const char *service, *user;
static char password[256];
static int codes[HOOKS][CODES];
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *unused) {
    (void)unused;
    *responses = calloc((size_t)count, sizeof **responses);
    for (int i = 0; i < count; i++) {
        if (messages[i]->msg_style == PAM_PROMPT_ECHO_OFF) {
            (*responses)[i].resp = strdup(password);
        }
    }
    return PAM_SUCCESS;
}

static int counted(int hook, int code) {
    pthread_mutex_lock(&counting);
    codes[hook][code < CODES ? code : CODES - 1]++;
    pthread_mutex_unlock(&counting);
    return code;
}

static void cycle(void) {
    const struct pam_conv conversation = {converse, NULL};
    pam_handle_t *handle = NULL;
    if (counted(0, pam_start(service, user, &conversation, &handle)) != PAM_SUCCESS) {
        return;
    }
    int code = counted(1, pam_authenticate(handle, 0));
    if (code == PAM_SUCCESS && (code = counted(2, pam_open_session(handle, 0))) == PAM_SUCCESS) {
        code = counted(3, pam_close_session(handle, 0));
    }
    pam_end(handle, code);
}

static void *thread(void *cycles) {
    for (long i = 0; i < (long)cycles; i++) {
        cycle();
    }
    return NULL;
}

struct children {
    int made, stuck;
};

/* What a child of a process with threads may do, and what most of them do all the same. */
static void *forker(void *argument) {
    struct children *children = argument;
    while (!is_over) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            free(malloc(100000));
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            children->stuck++;
        }
        children->made++;
        usleep(1000);
    }
    return NULL;
}

static int entries(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * 4;
}

static void all(long threads, long cycles) {
    pthread_t *started = calloc((size_t)threads, sizeof *started);
    for (long i = 0; i < threads; i++) {
        pthread_create(&started[i], NULL, thread, (void *)cycles);
    }
    for (long i = 0; i < threads; i++) {
        pthread_join(started[i], NULL);
    }
    free(started);
}

int main(int argc, char *argv[]) {
    if (argc != 5 || fgets(password, sizeof password, stdin) == NULL) {
        return 64;
    }
    password[strcspn(password, "\n")] = 0;
    service = argv[1];
    user = argv[2];
    long threads = strtol(argv[3], NULL, 10), cycles = strtol(argv[4], NULL, 10);
    struct rlimit chosen, limit;
    getrlimit(RLIMIT_SIGPENDING, &chosen);
    chosen.rlim_cur = chosen.rlim_max / 2;
    setrlimit(RLIMIT_SIGPENDING, &chosen);
    all(threads, 1);
    int descriptors = entries("/proc/self/fd");
    size_t heap = mallinfo2().uordblks;
    long memory = resident();
    struct children children = {0, 0};
    pthread_t forking;
    pthread_create(&forking, NULL, forker, &children);
    all(threads, cycles);
    is_over = 1;
    pthread_join(forking, NULL);
    printf("{\"codes\":[");
    for (int hook = 0; hook < HOOKS; hook++) {
        printf("%s{", hook == 0 ? "" : ",");
        const char *comma = "";
        for (int code = 0; code < CODES; code++) {
            if (codes[hook][code] > 0) {
                printf("%s\"%d\":%d", comma, code, codes[hook][code]);
                comma = ",";
            }
        }
        printf("}");
    }
    getrlimit(RLIMIT_SIGPENDING, &limit);
    printf("],\"children\":%d,\"stuck\":%d,\"descriptors\":%d,\"threads\":%d,\"heap\":%ld,\"resident_kb\":%ld,"
           "\"zombies\":%d"
           ",\"limits\":%d}\n",
        children.made, children.stuck, entries("/proc/self/fd") - descriptors, entries("/proc/self/task") - 3,
        (long)mallinfo2().uordblks - (long)heap, resident() - memory, waitpid(-1, NULL, WNOHANG) != -1,
        limit.rlim_cur != chosen.rlim_cur || limit.rlim_max != chosen.rlim_max);
    return 0;
}
