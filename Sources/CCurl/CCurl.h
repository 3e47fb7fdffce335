#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

/* curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic, which Swift cannot call. */

static inline CURLcode curlSetNumber(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curlSetLargeNumber(CURL *handle, CURLoption option, int64_t value) {
    return curl_easy_setopt(handle, option, (curl_off_t)value);
}

static inline CURLcode curlSetText(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

static inline CURLcode curlSetPointer(CURL *handle, CURLoption option, void *pointer) {
    return curl_easy_setopt(handle, option, pointer);
}

/* No .netrc. In newer headers the value is a macro that Swift cannot read, in older ones an enumerator. */
static inline CURLcode curlIgnoreNetrc(CURL *handle) {
    return curl_easy_setopt(handle, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
}

/* A name server that says nothing is not waited for beyond the time that a request has: libcurl's thread may outlive
 * it. Before 7.87 it is. */
static inline CURLcode curlLeaveResolver(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
    return CURLE_OK;
#endif
}

typedef size_t (*curlReceiver)(char *bytes, size_t size, size_t count, void *receiver);

static inline CURLcode curlSetReceiver(CURL *handle, CURLoption option, curlReceiver receiver) {
    return curl_easy_setopt(handle, option, receiver);
}

typedef CURLcode (*curlGovernor)(CURL *handle, void *context, void *governor);

/* Has `function` change the TLS context of each connection, that of a proxy's too. */
static inline CURLcode curlGovernTLS(CURL *handle, curlGovernor function, void *governor) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, governor) : result;
}

/* Trust nobody of libcurl's own choice. */
static inline CURLcode curlTrustNoFile(CURL *handle) {
    static const CURLoption options[] = {
        CURLOPT_CAINFO,
        CURLOPT_CAPATH,
        CURLOPT_PROXY_CAINFO,
        CURLOPT_PROXY_CAPATH,
    };
    CURLcode result = CURLE_OK;
    for (size_t i = 0; i < sizeof options / sizeof *options && result == CURLE_OK; i++) {
        result = curl_easy_setopt(handle, options[i], NULL);
    }
    return result;
}

/* The file of CA certificates that this libcurl was built to trust, or NULL. */
static inline const char *curlDefaultCAFile(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

typedef int (*curlProgress)(
    void *watcher, curl_off_t to_receive, curl_off_t received, curl_off_t to_send, curl_off_t sent);

/* Has `progress` called about once a second while requests go on; NULL: no longer. */
static inline CURLcode curlWatch(CURL *handle, curlProgress progress, void *watcher) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    if (result == CURLE_OK) {
        result = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, watcher);
    }
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, progress == NULL ? 1L : 0L) : result;
}

typedef int (*curlBegin)(void *progress, char *remote, char *local, int remote_port, int local_port);

/* Has `begin` called when there is a connection, with its TLS, and before the first byte of a request is sent on it.
 * CURLE_UNKNOWN_OPTION: libcurl is older than 7.80. */
static inline CURLcode curlNoteSending(CURL *handle, curlBegin begin, void *progress) {
#if LIBCURL_VERSION_NUM >= 0x075000
    CURLcode result = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, begin);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_PREREQDATA, progress) : result;
#else
    (void)handle, (void)begin, (void)progress;
    return CURLE_UNKNOWN_OPTION;
#endif
}

/* A number that is known of the last request; 0 where there is none. */
static inline long curlNumber(CURL *handle, CURLINFO info) {
    long number = 0;
    return curl_easy_getinfo(handle, info, &number) == CURLE_OK ? number : 0;
}

/* How far a request had come after how many microseconds; 0 for what did not happen, as on a connection used again. */
static inline int64_t curlTime(CURL *handle, CURLINFO info) {
    curl_off_t time = 0;
    return curl_easy_getinfo(handle, info, &time) == CURLE_OK ? (int64_t)time : 0;
}

static inline void *curlNothing(void *nothing) {
    return nothing;
}

/* What a name is resolved and a connection made with, of which libcurl does not always say that there is none: a
 * thread, and for each kind of address a port. errno; 0 where nothing is missing. */
static inline int curlMissing(void) {
    pthread_t thread;
    int result = pthread_create(&thread, NULL, curlNothing, NULL);
    if (result != 0) {
        return result;
    }
    (void)pthread_join(thread, NULL);
    const int families[] = {AF_INET, AF_INET6}, types[] = {SOCK_DGRAM, SOCK_STREAM};
    for (int number = 0; number < 4 && result == 0; number++) {
        const struct sockaddr_in6 address = {.sin6_family = (sa_family_t)families[number / 2]};
        int made = socket(families[number / 2], types[number % 2] | SOCK_CLOEXEC, 0);
        if (made < 0 || bind(made, (const struct sockaddr *)&address, sizeof address) != 0) {
            result = errno;
        }
        if (made >= 0) {
            (void)close(made);
        }
        /* Not every kernel has both. */
        result = result == EAFNOSUPPORT ? 0 : result;
    }
    return result;
}

/* The address that was connected to; valid until the handle is used again. */
static inline const char *curlAddress(CURL *handle) {
    char *address = NULL;
    return curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, &address) == CURLE_OK ? address : NULL;
}

/* The certificates of the last connection, the server's own first, where CURLOPT_CERTINFO was set: one list of
 * "name:value" each. */
static inline struct curl_certinfo *curlCertificates(CURL *handle) {
    struct curl_certinfo *certificates = NULL;
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, &certificates) == CURLE_OK ? certificates : NULL;
}

/* Has requests signed by AWS Signature Version 4 with these keys, until curlStopSigning. All is copied. */
static inline CURLcode curlSign(CURL *handle, const char *provider, const char *identifier, const char *key) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, provider);
    if (result == CURLE_OK) {
        result = curl_easy_setopt(handle, CURLOPT_USERNAME, identifier);
    }
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_PASSWORD, key) : result;
}

static inline void curlStopSigning(CURL *handle) {
    (void)curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, NULL);
    (void)curl_easy_setopt(handle, CURLOPT_USERNAME, NULL);
    (void)curl_easy_setopt(handle, CURLOPT_PASSWORD, NULL);
}

/* HTTPS, or HTTP without TLS, and nothing else; the option's form changed in libcurl 7.85. */
static inline CURLcode curlAllowOnly(CURL *handle, int isEncrypted) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, isEncrypted ? "https" : "http");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(isEncrypted ? CURLPROTO_HTTPS : CURLPROTO_HTTP));
#endif
}

#endif
